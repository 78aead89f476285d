"""A listing that is read page by page: what binds its cursors, and where a page begins."""

from __future__ import annotations

from fgraph.file.rows import newest_excision
from fgraph.mcp import cursors
from fgraph.read import moments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.file.reader import Reader


class Paging:
    """One request for a listing, bound to the open file and to its newest excision."""

    def __init__(self, reader: Reader, file: str, request: list) -> None:
        self._reader = reader
        self._file = file
        self._request = request
        self._excised = newest_excision(reader.connection)

    def begin(self, cursor: str | None) -> tuple[int, object]:
        """Basis and place of the page that `cursor` asks for; the present and None for the first page."""
        if cursor is None:
            return self._reader.basis, None
        basis, place = cursors.unpack(cursor, self._request, self._file, self._excised)
        if basis > self._reader.basis or not moments.is_transaction(self._reader, basis):
            raise cursors.refused("names no transaction of this file")
        return basis, place

    def cursor(self, basis: int, place: object) -> str:
        """The cursor of the page that begins at `place`."""
        return cursors.pack(self._request, self._file, self._excised, basis, place)


def number_between(place: object, first: int, last: int) -> int:
    """A place that is a number; `first` for the first page."""
    if place is None:
        return first
    if isinstance(place, bool) or not isinstance(place, int) or not first <= place <= last:
        raise cursors.refused("points outside the listing")
    return place
