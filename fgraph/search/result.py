"""The answer of a search (docs/search.md)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult(Mapping):
    """Five fields, readable as attributes or as the keys of a mapping, in this order."""

    basis_tx: int
    hits: list[dict]
    expanded: list[dict]
    truncated: bool = False
    work_used: int = 0

    def __getitem__(self, key: str) -> object:
        if key not in NAMES:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def to_dict(self) -> dict:
        """The fields as a plain dict."""
        return {name: getattr(self, name) for name in NAMES}


NAMES = tuple(field.name for field in fields(SearchResult))
