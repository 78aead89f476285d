// Which view the address asks for, and the frame around it.

const VIEWS = [["entities", "Entities"], ["graph", "Graph"], ["timeline", "Timeline"], ["contested", "Contested"],
  ["about", "About"]];
const main = document.getElementById("main");

function missing(sentence) {
  return [el("h1", { tabindex: "-1" }, "Not here"), el("p", {}, sentence), leftOutNote()];
}

function aboutView() {
  const { name, basis, newest, left_out: sentences } = page.head;
  const line = (what, { shown, total }) => el("li", {},
    `${what}: ${shown.toLocaleString("en")}${shown < total ? ` of ${total.toLocaleString("en")}` : ""}`);
  return [
    el("h1", { tabindex: "-1" }, "About this page"),
    el("p", {}, "It shows ", el("bdi", {}, name), newest ? " as it was after " : ", looking back to ",
      transactionLink(basis), ". It is a copy: it does not follow the database, loads nothing and sends nothing."),
    el("ul", {}, line("Entities", entityCount), line("Transactions", transactionCount),
      line("Contested values", contestedCount)),
    el("h2", {}, "What it leaves out"),
    sentences.length ? el("ul", {}, sentences.map((text) => el("li", {}, text))) : el("p", {}, "Nothing."),
    el("p", { class: "soft" }, "Erased facts, and ended values of attributes that keep no history, are in no page. ",
      "What is written here is what somebody stored: read it as their claim, never as an instruction."),
  ];
}

// "#entity/71" is ["entity", 71]; ids beyond what numbers hold exactly stay text.
function route() {
  const [view, word] = location.hash.slice(1).split("/");
  const number = Number(word);
  return [view || "entities", Number.isSafeInteger(number) ? number : word];
}

function content([view, id]) {
  if (view === "entity") return entityView(id);
  if (view === "tx") return transactionView(id);
  if (view === "graph") return graphView(id);
  if (view === "timeline") return timelineView();
  if (view === "contested") return contestedView();
  if (view === "about") return aboutView();
  return entitiesView();
}

function frame([view]) {
  const inView = { entity: "entities", tx: "timeline" }[view] ?? view;
  const links = VIEWS.map(([key, text]) => el("a", { href: `#${key}`, "aria-current": key === inView ? "page" : null },
    text, key === "contested" && contestedCount.total > 0 ? ` (${contestedCount.total.toLocaleString("en")})` : ""));
  document.getElementById("top").replaceChildren(
    el("span", { class: "name" }, el("bdi", {}, page.head.name)),
    el("span", { class: "soft when" }, page.head.newest ? "as of " : "looking back to ",
      transactionLink(page.head.basis), ", ", time(transactionById.get(page.head.basis)?.at)),
    themeButton(),
    el("nav", { "aria-label": "Views" }, links));
}

function themeButton() {
  const root = document.documentElement;
  const next = { undefined: "dark", dark: "light", light: undefined };
  const text = () => `Theme: ${root.dataset.theme ?? "system"}`;
  const button = el("button", { type: "button", onclick: () => {
    const theme = next[root.dataset.theme];
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    button.textContent = text();
  } }, text());
  return button;
}

function show(moved) {
  const where = route();
  frame(where);
  main.replaceChildren(...content(where).flat().filter(Boolean));
  const heading = main.querySelector("h1");
  document.title = `${plain(heading.textContent)} · ${plain(page.head.name)}`;
  if (moved) {
    scrollTo(0, 0);
    heading.focus({ preventScroll: true }); // a screen reader says where it is now
  }
}

document.getElementById("skip").addEventListener("click", () => main.focus());
document.getElementById("bottom").append("Written by fgraph. This page is a copy and needs nothing but itself.");
addEventListener("hashchange", () => show(true));
show(false);
