// The pieces that several views are made of: links, values, provenance, changes.

function entityLink(id, text = title(id)) {
  if (transactionById.has(id)) return el("a", { href: `#tx/${id}` }, el("bdi", {}, `tx ${id}`));
  if (entityById.has(id)) return el("a", { href: `#entity/${id}` }, el("bdi", {}, text));
  return el("bdi", { title: "not on this page" }, text);
}

function transactionLink(tx) {
  return el("a", { href: `#tx/${tx}` }, `tx ${tx}`);
}

function two(number) {
  return String(number).padStart(2, "0");
}

function day(text) {
  const date = new Date(text.slice(0, 23) + "Z");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

// A time as the reader's clock shows it; the exact one stands in the title.
function time(text) {
  if (!text) return "at an unknown time";
  const date = new Date(text.slice(0, 23) + "Z");
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return el("time", { datetime: text, title: text }, `${day(text)} ${clock}`);
}

// When, by whom and from where.
function provenance(tx) {
  const { at, by, source } = transactionById.get(tx);
  return [
    time(at),
    by != null && [" · by ", el("bdi", {}, by)],
    source != null && [" · from ", el("bdi", {}, source)],
    " · ", transactionLink(tx),
  ].flat().filter(Boolean);
}

const SHORT = 240; // characters of a value in a list

function value(fact, short = false) {
  if (fact.type === "ref") return el("span", { class: "value" }, "→ ", entityLink(fact.value));
  const mark = fact.type !== "text" && fact.type !== "int" && fact.type !== "bool";
  const cut = short && fact.value.length > 2 * SHORT;
  const text = cut ? Array.from(fact.value.slice(0, 2 * SHORT)).slice(0, SHORT).join("") : fact.value;
  return el("span", {},
    el("bdi", { class: "value" }, text, cut || fact.size ? "…" : ""),
    mark && el("small", { class: "soft" }, ` ${fact.type}`),
    !cut && fact.size && el("small", { class: "soft" }, ` the beginning of ${count(fact.size, "byte")}`));
}

// A table whose first column names its rows. The roles keep it a table where a narrow screen lays it out in blocks.
function table(caption, head, rows, { quiet = false } = {}) {
  const line = ([name, ...cells]) => el("tr", { role: "row" },
    el("th", { scope: "row", role: "rowheader" }, name), cells.map((cell) => el("td", { role: "cell" }, cell)));
  return el("table", { role: "table" },
    el("caption", { class: "hidden" }, caption),
    el("colgroup", {}, el("col", { class: "first" }), el("col"), head.length > 2 && el("col", { class: "last" })),
    el("thead", { role: "rowgroup", class: quiet ? "hidden" : "" }, el("tr", { role: "row" },
      head.map((text) => el("th", { scope: "col", role: "columnheader" }, text)))),
    el("tbody", { role: "rowgroup" }, rows.map(line)));
}

// Present facts with where each comes from, and what it replaced.
function factTable(facts, caption, short) {
  const row = (fact) => {
    const before = previous(fact);
    return [
      [fact.attribute.name, !short && fact.attribute.doc && el("div", {}, el("small", {}, fact.attribute.doc))],
      value(fact, short),
      el("div", { class: "from" }, provenance(fact.tx),
        !short && before && el("div", {}, "before: ", value(before, true), " · ", provenance(before.tx))),
    ];
  };
  const head = ["Attribute", "Value", "Why: since when, by whom, from where"];
  return table(caption, head, facts.map(row), { quiet: short });
}

// One fact that was added or ended; the words are there for those who see neither sign nor colour.
function change({ fact, added }, withEntity, short) {
  return el("li", { class: added ? "added" : "ended" },
    el("span", { class: "sign", "aria-hidden": "true" }, added ? "+" : "−"),
    el("span", {},
      el("span", { class: "hidden" }, added ? "added: " : "ended: "),
      withEntity && [entityLink(fact.entity.id), " "],
      el("span", { class: "soft" }, fact.attribute.name), " ", value(fact, short)));
}

// Ended facts first, then added ones, entity by entity.
function changeList(changes, { withEntity = false, short = false } = {}) {
  const order = [...changes].sort((one, other) =>
    (one.fact.entity === other.fact.entity ? one.added - other.added : 0));
  return el("ul", { class: "changes" }, order.map((item) => change(item, withEntity, short)));
}

function leftOutNote() {
  const sentences = page.head.left_out;
  if (!sentences.length) return null;
  return el("p", { class: "soft", role: "note" }, "Not everything is on this page: ",
    el("a", { href: "#about" }, "what it leaves out"));
}

const REASONS = {
  returned: "an earlier value came back",
  by: "by another author than the value before",
  source: "from another source than the value before",
};
