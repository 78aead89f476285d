"""Which transaction a moment chooses: a transaction id, a time, or an event id (docs/concepts.md)."""

from fgraph import errors
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.values import canonical, instants, logical
from fgraph.values.logical import INSTANT

NEWEST_AT = """
SELECT f.tx
FROM fgraph_facts f INDEXED BY fgraph_avet
JOIN fgraph_events x ON x.tx = f.e
WHERE f.a = ? AND f.t = ? AND f.v <= ? AND f.rx IS NULL AND f.e = f.tx AND f.tx <= ?
ORDER BY f.v DESC, f.tx DESC
LIMIT 1
"""


def resolve(reader: Reader, moment: object, param: str = "value") -> int:
    """The transaction that `moment` chooses, not later than the reader's basis.

    An integer that is a transaction id is that transaction; any other integer, RFC 3339 text, `{"instant": ..}` and a
    datetime with a zone are times, and choose the newest transaction at or before them; `{"eid": uuid}` names a
    transaction by its event.
    Raises `NotFound` before genesis, `TypeError` for anything else.
    """
    if logical.is_single(moment, "eid"):
        return min(_by_event(reader, moment["eid"], param), reader.basis)
    if isinstance(moment, int) and not isinstance(moment, bool):
        canonical.check_int64(moment, param)
        if is_transaction(reader, moment):
            return min(moment, reader.basis)
    if logical.is_single(moment, "instant"):
        moment = moment["instant"]
    aware = logical.datetime_micros(moment, param)
    micros = instants.parse_instant(moment, param) if aware is None else aware
    found = reader.fetch(NEWEST_AT, (genesis.AT, INSTANT, micros, reader.basis))
    if not found:
        raise errors.NotFound(
            f"{param} {errors.quote(moment)} is no transaction, and as a time it lies before the first one",
            param=param,
            code="unknown_transaction",
            hint="give a transaction id, or a time after the file was created",
        )
    return found[0][0]


def is_transaction(reader: Reader, number: int) -> bool:
    """Whether an id is a transaction of the file."""
    return bool(reader.fetch("SELECT 1 FROM fgraph_events WHERE tx = ?", (number,)))


def _by_event(reader: Reader, eid: object, param: str) -> int:
    found = reader.store.registry.by_gid(identities.parse_uuid(eid, param))
    if found is None:
        raise errors.NotFound(
            f"{param}: no transaction has the event {errors.quote(eid)}",
            param=param,
            code="unknown_transaction",
            hint="every report and receipt shows its event",
        )
    if not is_transaction(reader, found.id):
        raise errors.TypeError(
            f"{param}: {errors.quote(eid)} is an entity, not a transaction",
            param=param,
            hint="every report and receipt shows its event",
        )
    return found.id
