"""The rows of several arms as one SELECT: which columns they share, and by which keys they follow one another."""

from collections.abc import Collection, Iterable, Sequence

from fgraph.datalog import canonical, columns
from fgraph.datalog.clauses import Union, Variable, outward
from fgraph.datalog.columns import Tags
from fgraph.datalog.relations import first_of_each
from fgraph.datalog.sql import Block


def is_part(union: Union, bound: Collection[Variable]) -> bool:
    """Whether a union is no more than a part of the conjunction around it: it has one arm, and that has no locals."""
    if len(union.arms) != 1:
        return False
    return set().union(*map(outward, union.arms[0].clauses), ()) <= {*bound, *union.exports}


def keys(union: Union, before: Iterable[str]) -> tuple[str, ...]:
    """The key columns of the rows of a union: those of the rows it starts from, the arm's number, the arm's own."""
    return (*before, canonical.branch_key(union.uid), *canonical.arm_columns(union))


def variables(arms: Sequence[Block], wanted: Iterable[Variable]) -> dict[Variable, Tags]:
    """The variables of a union, each with all tags it has in any arm."""
    return {variable: frozenset().union(*(arm.cells[variable].tags for arm in arms)) for variable in wanted}


def select(union: Union, arms: Sequence[Block], shown: dict[Variable, Tags], ordered: tuple[str, ...]) -> str:
    """The rows of all arms, each set of bindings once; with the least of the keys `ordered`, where there are any."""
    texts = [_arm(union, number, arm, shown, ordered) for number, arm in enumerate(arms)]
    if ordered:
        return first_of_each("\nUNION ALL\n".join(texts), shown.values(), ordered)
    return "\nUNION\n".join(texts)


def _arm(union: Union, number: int, arm: Block, shown: dict[Variable, Tags], ordered: tuple[str, ...]) -> str:
    texts = columns.spelled((arm.cells[variable] for variable in shown), shown.values())
    own = dict(zip(canonical.arm_columns(union), union.arms[number].keys, strict=False))
    for name in ordered:
        value = str(number) if name == canonical.branch_key(union.uid) else arm.keys.get(own.get(name, name), "NULL")
        texts.append(f"{value} AS {name}")
    return arm.select(texts, distinct=len(union.arms) == 1 and not ordered)
