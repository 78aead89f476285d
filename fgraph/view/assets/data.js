"use strict";
// What the page holds: the data block, decoded once, and the indexes that the views look things up in.

const page = JSON.parse(document.getElementById("data").textContent);
const [entityCount, transactionCount, contestedCount] = page.head.counts
  .map(([shown, total]) => ({ shown, total }));
const attributes = page.attributes.map(([name, many, doc]) => ({ name, many, doc }));
const entities = page.entities.map(([id, name, touched, facts, factsTotal, ended, endedTotal]) => {
  const entity = { id, name, touched, factsTotal, endedTotal };
  entity.facts = facts.map((row) => decoded(entity, row)).sort(byAttribute);
  entity.ended = ended.map((row) => decoded(entity, row));
  return entity;
});
const entityById = new Map(entities.map((entity) => [entity.id, entity]));
const nameById = new Map(page.names);
const transactions = page.transactions;
const transactionById = new Map(transactions.map((transaction) => [transaction.tx, transaction]));

function decoded(entity, [attribute, type, value, tx, rx, size]) {
  return { entity, attribute: attributes[attribute], type, value, tx, rx, size };
}

function byAttribute(one, other) {
  const left = one.attribute.name;
  const right = other.attribute.name;
  return left < right ? -1 : left > right ? 1 : one.tx - other.tx;
}

// An index that is made when it is first asked for.
function lazily(make) {
  let made = null;
  return () => (made ??= make());
}

function push(map, key, item) {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

const changesByTransaction = lazily(() => {
  const changes = new Map();
  for (const entity of entities) {
    for (const fact of [...entity.ended, ...entity.facts]) {
      push(changes, fact.tx, { fact, added: true });
      if (fact.rx) push(changes, fact.rx, { fact, added: false });
    }
  }
  return changes;
});

const references = lazily(() => entities.flatMap(({ facts }) => facts.filter(({ type }) => type === "ref")));

const referencesTo = lazily(() => {
  const found = new Map();
  for (const fact of references()) push(found, fact.value, fact);
  return found;
});

// The value that a present fact took the place of, where the page still has it.
function previous(fact) {
  if (fact.attribute.many) return null;
  return fact.entity.ended.find((ended) => ended.attribute === fact.attribute) ?? null;
}

const EXCERPT = 60;

// What an entity is called: its name, else the beginning of its first text, else its number.
function title(id) {
  const entity = entityById.get(id);
  const name = entity ? entity.name : nameById.get(id);
  if (name != null) return name;
  if (transactionById.has(id)) return `transaction ${id}`;
  const text = entity?.facts.find(({ type }) => type === "text")?.value;
  if (!text) return `entity ${id}`;
  const letters = Array.from(text.replace(/\s+/g, " ").slice(0, 2 * EXCERPT));
  return `“${letters.slice(0, EXCERPT).join("")}${letters.length > EXCERPT ? "…" : ""}” (${id})`;
}

const haystacks = new WeakMap();

// Text as searches compare it: without case and without accents.
function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

// All words of an entity that a search looks at.
function haystack(entity) {
  let text = haystacks.get(entity);
  if (text === undefined) {
    const words = [title(entity.id), String(entity.id)];
    for (const fact of entity.facts) {
      const { by = "", source = "" } = transactionById.get(fact.tx);
      words.push(fact.attribute.name, fact.type === "ref" ? title(fact.value) : fact.value, by, source);
    }
    text = folded(words.join("\n"));
    haystacks.set(entity, text);
  }
  return text;
}

function terms(query) {
  return folded(query).split(/\s+/).filter(Boolean);
}

function holdsAll(text, words) {
  return words.every((word) => text.includes(word));
}
