// The timeline of transactions, and the page of one.

const CHANGES_IN_LIST = 8;
const timelineFilter = { text: "", by: "" };

function transactionText({ tx, by = "", source = "", operation = "", meta = "" }) {
  const names = (changesByTransaction().get(tx) ?? [])
    .map(({ fact }) => `${title(fact.entity.id)}\n${fact.attribute.name}`);
  return folded([`tx ${tx}`, by, source, operation, meta, ...names].join("\n"));
}

function summary({ asserted = 0, ended = 0 }) {
  if (!asserted && !ended) return "no changes";
  return `${asserted.toLocaleString("en")} added, ${ended.toLocaleString("en")} ended`;
}

// The changes of a transaction that the page holds, at most `most`, and a word on the others.
function transactionChanges(transaction, most) {
  const held = changesByTransaction().get(transaction.tx) ?? [];
  const elsewhere = (transaction.asserted ?? 0) + (transaction.ended ?? 0) - held.length;
  return [
    changeList(held.slice(0, most), { withEntity: true, short: most < Infinity }),
    held.length > most && el("p", {},
      el("a", { href: `#tx/${transaction.tx}` }, `${count(held.length - most, "more change")}`,
        el("span", { class: "hidden" }, ` of transaction ${transaction.tx}`))),
    elsewhere > 0 && el("p", { class: "soft" }, `${count(elsewhere, "change")} not on this page.`),
  ];
}

function transactionCard(transaction) {
  return el("article", { class: "card" },
    el("h2", {}, transactionLink(transaction.tx), " ",
      el("small", { class: "soft" }, provenanceWithoutLink(transaction), " · ", summary(transaction))),
    transactionChanges(transaction, CHANGES_IN_LIST));
}

function provenanceWithoutLink({ tx }) {
  return provenance(tx).slice(0, -2);
}

function timelineView() {
  const authors = [...new Set(transactions.map(({ by }) => by).filter((by) => by != null))].sort();
  const status = el("p", { role: "status", class: "soft" });
  const results = el("div");
  function show() {
    const words = terms(timelineFilter.text);
    const found = transactions.filter((transaction) =>
      (timelineFilter.by === "" || transaction.by === authors[timelineFilter.by])
      && (!words.length || holdsAll(transactionText(transaction), words)));
    status.textContent = found.length === transactions.length
      ? count(found.length, "transaction")
      : `${count(found.length, "transaction")} of ${transactions.length.toLocaleString("en")}`;
    let last = "";
    results.replaceChildren(paged(found, (transaction) => {
      const today = transaction.at ? day(transaction.at) : "";
      const heading = today === last ? null : el("p", { class: "soft" }, el("strong", {}, today));
      last = today;
      return el("div", {}, heading, transactionCard(transaction));
    }));
  }
  const view = [
    el("h1", { tabindex: "-1" }, "Timeline"),
    leftOutNote(),
    el("div", { class: "controls" },
      searchField("Search entities, attributes, authors, sources and requests", timelineFilter.text, (text) => {
        timelineFilter.text = text;
        show();
      }),
      choice("Author", [["", "everybody"], ...authors.map((by, index) => [String(index), by])], timelineFilter.by,
        (by) => {
          timelineFilter.by = by;
          show();
        })),
    status,
    results,
  ];
  show();
  return view;
}

function transactionView(tx) {
  const transaction = transactionById.get(tx);
  if (!transaction) return missing(`There is no transaction ${tx} on this page.`);
  const { at, by, source, operation, meta, facts } = transaction;
  const rows = [
    ["when", time(at)],
    ["by", by != null ? el("bdi", {}, by) : "not recorded"],
    ["from", source != null ? el("bdi", {}, source) : "not recorded"],
    operation != null && ["request", el("bdi", {}, operation)],
    meta != null && ["meta", el("bdi", { class: "value" }, meta)],
    ...facts.map((row) => decoded({ id: tx }, row)).map((fact) => [fact.attribute.name, value(fact)]),
  ].filter(Boolean);
  return [
    el("h1", { tabindex: "-1" }, `Transaction ${tx}`),
    el("div", { class: "card" }, table(`About transaction ${tx}`, ["What", "Value"], rows, { quiet: true })),
    el("h2", {}, `What changed: ${summary(transaction)}`),
    ...transactionChanges(transaction, Infinity),
  ];
}
