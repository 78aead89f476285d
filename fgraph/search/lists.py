"""Candidate lists: entities in rank order, each with the evidence that put it there."""

from typing import NamedTuple


class Evidence(NamedTuple):
    """A fact that put an entity into a candidate list.

    `words` is the full-text expression of what matched in its text, `because` an excerpt to show as it is; both are
    None for a vector.
    """

    fact: int
    words: str | None = None
    because: str | None = None


class Ranking:
    """One candidate list; `truncated` when more entities than its cap were found."""

    __slots__ = ("evidence", "truncated")

    def __init__(self, evidence: dict[int, Evidence] | None = None, truncated: bool = False) -> None:
        self.evidence = {} if evidence is None else evidence
        self.truncated = truncated
