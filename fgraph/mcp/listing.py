"""The schema as one listing, attributes and then shapes, of which each page begins where the one before it ended."""

from __future__ import annotations

from fgraph.mcp.paging import Paging, number_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.database import Db
    from fgraph.file.reader import Reader
    from fgraph.mcp.host import Host


class SchemaListing:
    """What follows `cursor` in the listing that `request` names; `used` leaves out attributes without any use."""

    def __init__(
        self,
        host: Host,
        db: Db,
        reader: Reader,
        request: list,
        cursor: str | None,
        *,
        prefix: str | None,
        system: bool = False,
        used: bool = False,
    ) -> None:
        self._paging = Paging(reader, host.fingerprint, request)
        self.basis, place = self._paging.begin(cursor)
        snapshot = host.schema(db, self.basis, prefix, system)
        attributes = [item for item in snapshot["attributes"] if not used or _in_use(item)]
        self._digest = snapshot["digest"]
        self._everything = attributes + snapshot["shapes"]
        self._start = number_between(place, 0, len(self._everything))
        self._split = max(0, len(attributes) - self._start)

    def items(self, limit: int) -> list[dict]:
        """At most `limit` attributes and shapes."""
        return self._everything[self._start : self._start + limit]

    def page(self, shown: list[dict]) -> dict:
        """The leading items, as shown, as a part of the answer."""
        parts = {"attributes": shown[: self._split], "shapes": shown[self._split :]}
        return {"basis_tx": self.basis, "digest": self._digest, **parts}

    def cursor_after(self, count: int) -> str | None:
        """The cursor of what comes after that many items; None at the end."""
        end = self._start + count
        return self._paging.cursor(self.basis, end) if end < len(self._everything) else None


def _in_use(attribute: dict) -> bool:
    return bool(attribute["declared"]) or attribute["observed"]["live_facts"] > 0
