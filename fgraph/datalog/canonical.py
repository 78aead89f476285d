"""The order of rows that every answer is given in, whatever order the clauses are executed in (docs/queries.md).

A row's place is its least key: one number for each clause that binds something new, taken in the order of the clauses
below. A pattern counts its facts by id, an `or` its branches, a rule its tuples in the order they were derived.
"""

from collections.abc import Collection, Iterator

from fgraph.datalog.clauses import ANY, Call, Given, Pattern, Union, Variable, outward


def rank(pattern: Pattern, bound: Collection[Variable]) -> int:
    """How a pattern is reached: 0 for entity and attribute known, to 5 for nothing known."""
    e, a, v = (is_fixed(term, bound) for term in (pattern.e, pattern.a, pattern.v))
    if e and a:
        return 0
    if a and v:
        return 1
    return 2 if e else 3 if a else 4 if v else 5


def is_fixed(term: object, bound: Collection[Variable]) -> bool:
    """Whether a term is a constant or a bound variable."""
    return term in bound if isinstance(term, Variable) else term is not ANY


def sequence(clauses: tuple, bound: Collection[Variable]) -> Iterator[tuple[int, set[Variable]]]:
    """Places of the clauses, each run of adjacent patterns put in order of rank; and what is bound before each."""
    bound = set(bound)
    run: list[int] = []
    for place in range(len(clauses) + 1):
        if place < len(clauses) and isinstance(clauses[place], Pattern):
            run.append(place)
            continue
        while run:
            best = min(run, key=lambda index: rank(clauses[index], bound))
            run.remove(best)
            yield best, bound
            bound = bound | outward(clauses[best])
        if place < len(clauses):
            yield place, bound
            bound = bound | outward(clauses[place])


def keys(clauses: tuple, lowered: tuple, bound: Collection[Variable]) -> tuple[str, ...]:
    """The key columns of a conjunction, most significant first.

    `clauses` decide the order, as they were written and before any argument was put into a rule; `lowered`, place by
    place, are what is executed and own the columns.
    """
    names: list[str] = []
    for place, known in sequence(clauses, bound):
        clause = lowered[place]
        if isinstance(clause, Union) and clause.leading:
            names = [branch_key(clause.uid), *names, *arm_columns(clause)]
        elif outward(clauses[place]) - known:
            names += _columns(clause)
    return tuple(names)


def _columns(clause: object) -> list[str]:
    if isinstance(clause, Pattern):
        return [fact_key(clause.uid), datom_key(clause.uid)]
    if isinstance(clause, Union):
        return [branch_key(clause.uid), *arm_columns(clause)]
    return [fact_key(clause.uid)] if isinstance(clause, Call | Given) else []


def arm_columns(union: Union) -> list[str]:
    """The columns that hold the keys of whichever arm a row came from: as many as the longest arm has."""
    return [f"k{union.uid}_{place}" for place in range(max((len(arm.keys) for arm in union.arms), default=0))]


def fact_key(uid: int) -> str:
    """The column with the position of a fact, a tuple or an input row."""
    return f"k{uid}"


def datom_key(uid: int) -> str:
    """The column that puts an assertion before the retraction of the same fact."""
    return f"k{uid}r"


def branch_key(uid: int) -> str:
    """The column with the number of an `or` branch or of a rule definition."""
    return f"k{uid}b"
