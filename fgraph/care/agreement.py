"""Holding the payload of a transaction against its fact rows, to notice facts that were edited or deleted by hand."""

import builtins

from fgraph import errors
from fgraph.care.findings import Findings
from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.read import events
from fgraph.values import logical

# A fact in comparable form: entity and attribute by name or global id, the value as stored (of a reference: as the
# entity), its physical tag.
Comparable = tuple[str | bytes, str, object, int]

FACTS = """
    SELECT coalesce(i.name, i.gid), coalesce(j.name, j.gid),
        CASE f.t WHEN 0 THEN (SELECT coalesce(k.name, k.gid) FROM fgraph_ids k WHERE k.id = f.v) ELSE f.v END, f.t
    FROM fgraph_facts f INDEXED BY {index}
    LEFT JOIN fgraph_ids i ON i.id = f.e
    LEFT JOIN fgraph_ids j ON j.id = f.a
    WHERE {condition}
"""
ASSERTED = FACTS.format(index="fgraph_txin", condition="f.tx = ?1 AND f.e <> ?1")
ENDED = FACTS.format(index="fgraph_txout", condition="f.rx = ?1")
FORGETFUL = f"""
    SELECT DISTINCT i.name FROM fgraph_facts f INDEXED BY fgraph_avet
    JOIN fgraph_ids i ON i.id = f.e
    WHERE (f.a = {genesis.NOHISTORY} AND f.v = 1) OR f.a = {genesis.DIMS} OR (f.a = {genesis.TYPE} AND f.v = 'vector')
"""
# One fact around the moment of a transaction, which is `?5`.
ROW = (
    "SELECT 1 FROM fgraph_facts INDEXED BY fgraph_hist WHERE e = ?1 AND a = ?2 AND t = ?3 AND v = ?4 AND tx {} LIMIT 1"
)
HELD = ROW.format("<= ?5 AND (rx IS NULL OR rx >= ?5)")
STILL_OPEN = ROW.format("< ?5 AND (rx IS NULL OR rx > ?5)")
SIMPLE = {"text": logical.TEXT, "int": logical.INT, "float": logical.FLOAT, "bool": logical.BOOL}
SHORT_CHARACTERS = 64  # a text of so many characters is stored inline, whatever they are


class Agreement:
    """Compares one payload after another; a difference is a warning, for the file is sound without its payloads."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        # Ended facts of these attributes may have been deleted.
        self._forgetful = {row[0] for row in reader.fetch(FORGETFUL)}

    def compare(self, tx: int, record: dict, findings: Findings) -> None:
        """Compare one checked payload with the rows that its transaction asserted and ended."""
        if tx == genesis.GENESIS_TX or events.is_redaction(record):
            return
        found = set(self._reader.fetch(ASSERTED, (tx,)))
        promised = _promised(record["asserted"])
        for fact in promised - found:
            if not self._excused(fact, tx, HELD, wanted=True):
                findings.warn(f"transaction {tx} asserted {_shown(fact)}, and there is no such fact")
        for fact in found - promised:
            findings.warn(f"transaction {tx} has the fact {_shown(fact)}, which its event does not assert")
        if record["retracted"]:
            for fact in _promised(record["retracted"]).difference(self._reader.fetch(ENDED, (tx,))):
                if not self._excused(fact, tx, STILL_OPEN, wanted=False):
                    findings.warn(f"transaction {tx} retracted {_shown(fact)}, and the fact does not end there")

    def _excused(self, fact: Comparable, tx: int, sql: str, *, wanted: bool) -> bool:
        """Whether the rows as they are explain that this transaction wrote or ended none of its own for the fact."""
        entity, attribute, value, tag = fact
        if attribute in self._forgetful:
            return True
        value = self._number(value) if tag == logical.REF else value
        key = (self._number(entity), self._number(attribute), tag, value)
        there = None not in key and bool(self._reader.fetch(sql, (*key, tx)))
        return there == wanted

    def _number(self, name: str | bytes) -> int | None:
        registry = self._reader.store.registry
        found = registry.by_gid(name) if isinstance(name, bytes) else registry.by_name(name)
        return None if found is None else found.id


def _promised(facts: list) -> set[Comparable]:
    promised = set()
    for fact in facts:
        try:
            entity, attribute, wire, tag = fact
            simple = SIMPLE.get(tag)
            if simple and type(entity) is str and (simple != logical.TEXT or len(wire) <= SHORT_CHARACTERS):
                promised.add((entity, attribute, wire, simple))
            else:
                promised.add(_comparable(entity, attribute, wire, tag))
        except (errors.FGraphError, builtins.TypeError, builtins.ValueError, KeyError):
            continue  # an ill-formed fact promises nothing
    return promised


def _comparable(entity: object, attribute: str, wire: object, tag: str) -> Comparable:
    if tag == "ref":
        return _key(entity), attribute, _key(wire["ref"]), logical.REF
    stored = logical.encode_value(float(wire) if tag == "float" else wire, lambda _: 0)
    return _key(entity), attribute, stored.value, stored.tag


def _key(selector: object) -> str | bytes:
    return selector if isinstance(selector, str) else bytes.fromhex(selector["eid"].replace("-", ""))


def _shown(fact: Comparable) -> str:
    entity, attribute, value, _ = fact
    shown = {"eid": entity.hex()} if isinstance(entity, bytes) else entity
    return f"{errors.quote(shown)} {attribute} {errors.quote(value)}"
