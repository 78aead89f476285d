"""The typed clauses and terms of a query, as every stage of the engine passes them on."""

from typing import NamedTuple

from fgraph.values.logical import Stored


class Variable(str):
    """A logic variable; the text is its name, question mark included."""

    __slots__ = ()


class Wildcard:
    """The `_` of patterns and rule arguments."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ANY"


ANY = Wildcard()


class Constant(NamedTuple):
    """A constant as it was written; resolving turns it into a `Stored` cell, or into `NOTHING`."""

    wire: object


class Unknown:
    """A constant that names nothing in the file: what holds it cannot match."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = Unknown()

Term = Variable | Wildcard | Constant | Unknown | Stored


class Readings(NamedTuple):
    """A constant rule argument: the cells it may stand for, as an entity and as a value."""

    entity: Stored | None
    value: Stored | None


class Pattern(NamedTuple):
    """Datoms that match five positions; `width` is how many of them the query spells."""

    uid: int
    e: Term
    a: Term
    v: Term
    tx: Term
    added: Term
    width: int

    @property
    def terms(self) -> tuple[Term, ...]:
        return (self.e, self.a, self.v, self.tx, self.added)


class Predicate(NamedTuple):
    """A comparison or text test of two operands."""

    uid: int
    op: str
    left: Term
    right: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        return (self.left, self.right)


class Arithmetic(NamedTuple):
    """`result = left op right`; an unbound result is bound."""

    uid: int
    op: str
    left: Term
    right: Term
    result: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        return (self.left, self.right, self.result)


class Not(NamedTuple):
    """Keeps a row when the body, started from it, has no answer."""

    uid: int
    body: tuple


class Or(NamedTuple):
    """The union of its branches, each started from the current rows."""

    uid: int
    branches: tuple


class Call(NamedTuple):
    """One use of a rule."""

    uid: int
    name: str
    args: tuple

    @property
    def terms(self) -> tuple:
        return self.args


class Unify(NamedTuple):
    """Two terms are the same cell; arises when rules are unfolded."""

    uid: int
    left: Term
    right: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        return (self.left, self.right)


class Given(NamedTuple):
    """The rows of a collection, tuple or relation input."""

    uid: int
    variables: tuple[Variable, ...]
    rows: tuple[tuple[Stored, ...], ...]

    @property
    def terms(self) -> tuple[Variable, ...]:
        return self.variables


class Arm(NamedTuple):
    """One branch of an `or`, or one definition of a rule, with its key columns in canonical order."""

    clauses: tuple
    keys: tuple[str, ...]


class Union(NamedTuple):
    """An `or`, or the call of a rule that is not recursive: the rows of all arms, seen through `exports`.

    `leading` says that the number of the arm outweighs the order of the rows before it, as it does for an `or`.
    """

    uid: int
    arms: tuple[Arm, ...]
    exports: tuple[Variable, ...]
    leading: bool


Clause = Pattern | Predicate | Arithmetic | Not | Or | Call | Unify | Given | Union


class Definition(NamedTuple):
    """One definition of a rule."""

    name: str
    head: tuple[Variable, ...]
    body: tuple


class FindItem(NamedTuple):
    """One result column: a variable (no function), an aggregate of it, or a pull of it."""

    column: str
    variable: Variable
    function: str | None = None
    pattern: object = None


class InputForm(NamedTuple):
    """One entry of `in`: the key its value has in `args`, how it binds, and its variables."""

    key: str
    kind: str  # scalar, collection, tuple or relation
    variables: tuple[Variable, ...]


class Query(NamedTuple):
    """A query whose shape is right."""

    find: tuple[FindItem, ...]
    where: tuple
    inputs: tuple[InputForm, ...]
    rules: tuple[Definition, ...]
    source: str
    order: tuple[tuple[str, bool], ...]  # (column or variable, descending)
    limit: int | None
    offset: int


# Clauses that hold no others; their terms are all there is to them.
LEAVES = frozenset((Pattern, Predicate, Arithmetic, Call, Unify, Given))


def variables_of(clause: Clause) -> set[Variable]:
    """Every variable that stands in a term position of the clause, those local to a `not` included."""
    kind = type(clause)
    if kind in LEAVES:
        return {term for term in clause.terms if isinstance(term, Variable)}
    if kind is Not:
        return set().union(*map(variables_of, clause.body), ())
    arms = clause.branches if kind is Or else [arm.clauses for arm in clause.arms]
    exports = clause.exports if kind is Union else ()  # a rule need not use what it is called with
    return set(exports).union(*(variables_of(inner) for arm in arms for inner in arm))


def outward(clause: Clause) -> set[Variable]:
    """The variables that are bound after the clause: those of a `not`, and the locals of a rule, are not."""
    kind = type(clause)
    if kind is Not or kind is Predicate:
        return set()
    if kind is Union:
        return set(clause.exports)
    if kind is Or:
        return set().union(*(outward(inner) for branch in clause.branches for inner in branch), ())
    return variables_of(clause)
