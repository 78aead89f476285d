// The list of entities, and the page of one.

const FACTS_IN_LIST = 6;
const entityFilter = { text: "", order: "touched" };
const ORDERS = {
  touched: ["changed last", null],
  name: ["name", (one, other) => title(one.id).localeCompare(title(other.id))],
  referred: ["most referred to", (one, other) => referredTo(other) - referredTo(one)],
};

function referredTo(entity) {
  return referencesTo().get(entity.id)?.length ?? 0;
}

function entityCard(entity) {
  const hidden = entity.factsTotal - Math.min(entity.facts.length, FACTS_IN_LIST);
  const referrers = referredTo(entity);
  return el("article", { class: "card" },
    el("h2", {}, entityLink(entity.id), " ",
      el("small", { class: "soft" }, count(entity.factsTotal, "fact"),
        referrers ? ` · referred to by ${referrers.toLocaleString("en")}` : "")),
    entity.facts.length
      ? factTable(entity.facts.slice(0, FACTS_IN_LIST), `Facts of ${title(entity.id)}`, true)
      : el("p", { class: "soft" }, "nothing holds of it now"),
    hidden > 0 && el("p", {},
      el("a", { href: `#entity/${entity.id}` }, `${count(hidden, "more fact")}`,
        el("span", { class: "hidden" }, ` of ${title(entity.id)}`))));
}

function entitiesView() {
  const status = el("p", { role: "status", class: "soft" });
  const results = el("div");
  function show() {
    const words = terms(entityFilter.text);
    const found = entities.filter((entity) => holdsAll(haystack(entity), words));
    const order = ORDERS[entityFilter.order][1];
    if (order) found.sort(order);
    status.textContent = words.length
      ? `${count(found.length, "entity", "entities")} of ${entities.length.toLocaleString("en")}`
      : count(found.length, "entity", "entities");
    results.replaceChildren(paged(found, entityCard));
  }
  const view = [
    el("h1", { tabindex: "-1" }, "Entities"),
    leftOutNote(),
    el("div", { class: "controls" },
      searchField("Search names, attributes, values, authors and sources", entityFilter.text, (text) => {
        entityFilter.text = text;
        show();
      }),
      choice("Order", Object.entries(ORDERS).map(([key, [text]]) => [key, text]), entityFilter.order, (order) => {
        entityFilter.order = order;
        show();
      })),
    status,
    results,
  ];
  show();
  return view;
}

// The entity's changes, transaction by transaction, newest first.
function entityHistory(entity) {
  const byTransaction = new Map();
  for (const fact of [...entity.facts, ...entity.ended]) {
    push(byTransaction, fact.tx, { fact, added: true });
    if (fact.rx) push(byTransaction, fact.rx, { fact, added: false });
  }
  const ids = [...byTransaction.keys()].sort((one, other) => other - one);
  return paged(ids, (tx) => el("div", { class: "card" },
    el("div", { class: "from" }, provenance(tx)), changeList(byTransaction.get(tx))));
}

function entityView(id) {
  const entity = entityById.get(id);
  if (!entity) return missing(`There is no entity ${id} on this page.`);
  const referrers = referencesTo().get(id) ?? [];
  const cells = contestedCells().filter((cell) => cell.entity === id);
  const factsLeft = entity.factsTotal - entity.facts.length;
  const endedLeft = entity.endedTotal - entity.ended.length;
  return [
    el("h1", { tabindex: "-1" }, el("bdi", {}, title(id))),
    el("p", { class: "soft" }, `entity ${id} · last changed in `, transactionLink(entity.touched),
      " · ", el("a", { href: `#graph/${id}` }, "show in the graph")),
    ...cells.map(({ attribute, reasons }) => el("p", { class: "note" },
      "Contested: ", el("strong", {}, attribute.name), ` (${reasons.map((key) => REASONS[key]).join(", ")})`)),
    el("h2", {}, "Present facts, and why"),
    entity.facts.length
      ? factTable(entity.facts, `Present facts of ${title(id)}`, false)
      : el("p", { class: "soft" }, "Nothing holds of it now."),
    factsLeft > 0 && el("p", { class: "note" }, `${count(factsLeft, "older present fact")} left out.`),
    referrers.length > 0 && [
      el("h2", {}, "Referred to by"),
      paged(referrers, (fact) => el("div", {}, entityLink(fact.entity.id), " ",
        el("span", { class: "soft" }, fact.attribute.name), " ",
        el("span", { class: "from" }, provenance(fact.tx)))),
    ],
    el("h2", {}, "History"),
    endedLeft > 0 && el("p", { class: "note" }, `${count(endedLeft, "earlier value")} left out.`),
    entityHistory(entity),
  ].flat();
}
