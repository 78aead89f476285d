"""Holding the payload of a transaction against its fact rows, to notice facts that were edited or deleted by hand."""

import builtins

from fgraph import errors
from fgraph.care.findings import Findings
from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.read import events
from fgraph.values import logical

# A fact in comparable form: entity and attribute by id, the value as stored, its physical tag.
Comparable = tuple[int, int, object, int]
Name = str | bytes

ASSERTED = "SELECT e, a, v, t FROM fgraph_facts INDEXED BY fgraph_txin WHERE tx = ? AND e <> tx"
ENDED = "SELECT e, a, v, t FROM fgraph_facts INDEXED BY fgraph_txout WHERE rx = ?"
FORGETFUL = f"""
    SELECT DISTINCT e FROM fgraph_facts INDEXED BY fgraph_avet
    WHERE (a = {genesis.NOHISTORY} AND v = 1) OR a = {genesis.DIMS} OR (a = {genesis.TYPE} AND v = 'vector')
"""
# One fact around the moment of a transaction, whose id is bound twice.
ROW = "SELECT 1 FROM fgraph_facts INDEXED BY fgraph_hist WHERE e = ? AND a = ? AND t = ? AND v = ? AND tx {} LIMIT 1"
HELD = ROW.format("<= ? AND (rx IS NULL OR rx >= ?)")
STILL_OPEN = ROW.format("< ? AND (rx IS NULL OR rx > ?)")
SIMPLE = {"text": logical.TEXT, "int": logical.INT, "float": logical.FLOAT, "bool": logical.BOOL}
MALFORMED = (errors.FGraphError, builtins.TypeError, builtins.ValueError, KeyError)
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
        promised = self._promised(record["asserted"])
        if promised != found:
            for fact in promised - found:
                if not self._excused(fact, tx, HELD, wanted=True):
                    findings.warn(f"transaction {tx} asserted {self._shown(fact)}, and there is no such fact")
            for fact in found - promised:
                findings.warn(f"transaction {tx} has the fact {self._shown(fact)}, which its event does not assert")
        if record["retracted"]:
            for fact in self._promised(record["retracted"]).difference(self._reader.fetch(ENDED, (tx,))):
                if not self._excused(fact, tx, STILL_OPEN, wanted=False):
                    findings.warn(f"transaction {tx} retracted {self._shown(fact)}, and the fact does not end there")

    def _promised(self, facts: list) -> set[Comparable]:
        """Facts of a payload; those that are ill-formed or mention what the file does not know promise nothing."""
        try:
            return self._comparable(facts)
        except MALFORMED:
            pass
        promised: set[Comparable] = set()
        for fact in facts:
            try:
                promised |= self._comparable([fact])
            except MALFORMED:
                continue
        return promised

    def _comparable(self, facts: list) -> set[Comparable]:
        """The facts in comparable form; one of MALFORMED where that is not possible for all of them."""
        names = {entity if type(entity) is str else _key(entity) for entity, _, _, _ in facts}
        names |= {attribute for _, attribute, _, _ in facts}
        names |= {_key(wire["ref"]) for _, _, wire, tag in facts if tag == "ref"}
        registry = self._reader.store.registry
        found = registry.by_names(name for name in names if isinstance(name, str))
        found |= registry.by_gids(name for name in names if isinstance(name, bytes))
        number = {name: identity.id for name, identity in found.items()}
        return {
            (number[entity], number[attribute], wire, SIMPLE[tag])
            if tag in SIMPLE and type(entity) is str and (tag != "text" or len(wire) <= SHORT_CHARACTERS)
            else (number[_key(entity)], number[attribute], *_stored(wire, tag, number))
            for entity, attribute, wire, tag in facts
        }

    def _excused(self, fact: Comparable, tx: int, sql: str, *, wanted: bool) -> bool:
        """Whether the rows as they are explain that this transaction wrote or ended none of its own for the fact."""
        entity, attribute, value, tag = fact
        if attribute in self._forgetful:
            return True
        return bool(self._reader.fetch(sql, (entity, attribute, tag, value, tx, tx))) == wanted

    def _shown(self, fact: Comparable) -> str:
        entity, attribute, value, tag = fact
        label = self._reader.label
        shown = errors.quote(label(value) if tag == logical.REF else value)
        return f"{errors.quote(label(entity))} {label(attribute)} {shown}"


def _stored(wire: object, tag: str, numbers: dict[Name, int]) -> tuple[object, int]:
    if tag == "ref":
        return numbers[_key(wire["ref"])], logical.REF
    stored = logical.encode_value(float(wire) if tag == "float" else wire, lambda _: 0)
    return stored.value, stored.tag


def _key(selector: object) -> Name:
    return selector if isinstance(selector, str) else bytes.fromhex(selector["eid"].replace("-", ""))
