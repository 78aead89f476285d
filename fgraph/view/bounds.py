"""How much of a database one page takes up."""

from dataclasses import dataclass, fields

from fgraph import errors, limits


@dataclass(frozen=True, slots=True)
class Bounds:
    """Each bound is an integer from 1 to `limits.VIEW_MOST`; what lies beyond is left out, and the page says so."""

    entities: int = limits.VIEW_ENTITIES
    facts: int = limits.VIEW_FACTS
    history: int = limits.VIEW_HISTORY
    value_bytes: int = limits.VIEW_VALUE_BYTES
    transactions: int = limits.VIEW_TRANSACTIONS

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= limits.VIEW_MOST:
                raise errors.TypeError(
                    f"{field.name} is {errors.quote(value)}",
                    param=field.name,
                    code="out_of_range",
                    hint=f"give a number from 1 to {limits.VIEW_MOST}",
                )
