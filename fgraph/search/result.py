"""The answer of a search (docs/search.md)."""

from collections.abc import Iterator, Mapping

NAMES = ("basis_tx", "hits", "expanded", "truncated", "work_used")


class SearchResult(Mapping):
    """Five fields, readable as attributes or as the keys of a mapping, in this order."""

    __slots__ = NAMES

    def __init__(
        self, basis_tx: int, hits: list[dict], expanded: list[dict], truncated: bool = False, work_used: int = 0
    ) -> None:
        for name, value in zip(NAMES, (basis_tx, hits, expanded, truncated, work_used), strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a search result cannot be changed: {name}")

    def __getitem__(self, key: str) -> object:
        if key not in NAMES:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def __reduce__(self) -> tuple:
        return SearchResult, tuple(self.values())

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.items())
        return f"SearchResult({shown})"

    def to_dict(self) -> dict:
        """The fields as a plain dict."""
        return {name: getattr(self, name) for name in NAMES}
