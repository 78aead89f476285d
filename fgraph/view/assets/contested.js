// Contested cells: a value that came back, or a change by another author or from another source.

const contestedCells = lazily(() => page.contested.map(({ e, a, reasons, values, total }) => ({
  entity: e,
  attribute: attributes[a],
  reasons,
  values: values.map((row) => decoded({ id: e }, row)),
  total,
})));

function contestedCard({ entity, attribute, reasons, values, total }) {
  const row = (fact) => [
    fact.rx ? "was" : "is",
    value(fact, true),
    el("div", { class: "from" }, provenance(fact.tx), fact.rx > 0 && el("div", {}, "ended: ", provenance(fact.rx))),
  ];
  const caption = `Values of ${attribute.name} of ${title(entity)}, newest first`;
  return el("article", { class: "card" },
    el("h2", {}, entityLink(entity), " ", attribute.name),
    el("p", {}, reasons.map((key) => [el("span", { class: "tag" }, REASONS[key]), " "])),
    table(caption, ["State", "Value", "Since when, by whom, from where"], values.map(row), { quiet: true }),
    total > values.length && el("p", { class: "soft" }, `${count(total - values.length, "older value")} left out.`));
}

function contestedView() {
  const cells = contestedCells();
  return [
    el("h1", { tabindex: "-1" }, "Contested"),
    el("p", {}, "Single values that came back to an earlier one, and single values whose present and previous value " +
      "were asserted by different authors or from different sources."),
    leftOutNote(),
    el("p", { role: "status", class: "soft" }, count(cells.length, "contested value")),
    cells.length > 0 && paged(cells, contestedCard),
  ];
}
