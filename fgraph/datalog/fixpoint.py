"""Rules of any form, evaluated in rounds over temporary tables: each definition sees each new tuple once.

Tuples get their positions in the order in which they would be derived by evaluating all definitions, round by round,
over everything there is (docs/queries.md): what is new in a round is added in the order of its body's rows.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from fgraph import errors
from fgraph.datalog import columns
from fgraph.datalog.clauses import ANY, Arm, Call, Definition, Union, Variable
from fgraph.datalog.compiler import Compiler
from fgraph.datalog.lower import Lowering
from fgraph.datalog.relations import Relation, Scope
from fgraph.datalog.rulebook import RuleBook
from fgraph.datalog.sql import Block, Statement, with_clause
from fgraph.datalog.statistics import ALL_TAGS
from fgraph.datalog.syntax import refuse
from fgraph.datalog.tables import Tables

Rules = dict[str, list[Definition]]
Make = Callable[[Statement, "TableCalls", Mapping[int, float]], Compiler]
NEW_TUPLES = 1.0  # what the planner takes for the tuples of one round


class Window(NamedTuple):
    """Which tuples of a table one call sees: those after `low`, if that is given, up to `high`; parameter names."""

    low: str | None
    high: str


class Body(NamedTuple):
    """A compiled definition: the statement that derives its new tuples, and the tables whose growth it watches."""

    target: str
    select: str
    before: str
    statement: Statement
    watched: tuple[str, ...]


class Fixpoint:
    """Evaluates the components of a set of rules, each once, what they call first; `given` tables stand for rules."""

    def __init__(self, rules: Rules, given: Mapping[str, Relation], tables: Tables, make: Make, ordered: bool) -> None:
        self._rules = rules
        self._tables = tables
        self._make = make
        self._ordered = ordered
        self._lowering = Lowering(rules, {*rules, *given})
        self._components = {name: group for group in self._groups() for name in group}
        self._done: dict[str, Relation] = dict(given)

    def _groups(self) -> list[tuple[str, ...]]:
        book = RuleBook(definition for known in self._rules.values() for definition in known)
        return book.components

    def relation(self, name: str) -> Relation:
        """The tuples of a rule, with a column `pos` for their order."""
        if name not in self._done:
            self._evaluate(self._components[name])
        return self._done[name]

    def _evaluate(self, component: tuple[str, ...]) -> None:
        self._done.update({name: table_of(self._tables, len(self._rules[name][0].head)) for name in component})
        bodies = [self._compile(definition, component) for name in component for definition in self._rules[name]]
        seen: list[dict[str, int]] = [{} for _ in bodies]
        grew = True
        while grew:
            grew = False
            for body, watermarks in zip(bodies, seen, strict=True):
                grew |= self._advance(body, watermarks)

    def _advance(self, body: Body, seen: dict[str, int]) -> bool:
        """Run one definition over what is new since it ran last; whether it found anything."""
        table = self._done[body.target].name
        newest = {name: self._tables.last(self._done[name].name) for name in body.watched}
        if seen and all(seen[name] == last for name, last in newest.items()):
            return False
        parameters = dict(body.statement.parameters)
        for number, name in enumerate(body.watched):
            parameters[f"low{number}"] = seen.get(name, 0)
            parameters[f"high{number}"] = newest[name]
        before = self._tables.last(table)
        listed = columns.names(self._done[body.target].tags)
        self._tables.insert(table, listed, body.select, parameters, body.before)
        seen.update(newest or {table: 0})
        return self._tables.last(table) > before

    def _compile(self, definition: Definition, component: tuple[str, ...]) -> Body:
        arm = self._lowering.definition(definition, definition.head)
        places = [place for place, clause in enumerate(arm.clauses) if is_call_of(clause, component)]
        inside = any(is_call_within(clause, component) for clause in arm.clauses if isinstance(clause, Union))
        watched = tuple(sorted({arm.clauses[place].name for place in places}))
        if inside:
            watched, places = tuple(sorted(component)), []
        statement = Statement()
        scope = Scope([], self._ordered, arm.keys)
        texts = []
        for windows in variants(arm, places, watched):
            hints = {uid: NEW_TUPLES for uid, window in windows.items() if window.low}
            compiler = self._make(statement, TableCalls(self, windows), hints)
            block = compiler.conjunction(arm.clauses, Block(), scope)
            texts.append(self._text(block, definition, arm))
        heading = ", ".join(columns.names(self._done[definition.name].tags))
        keys = [f"o{number}" for number in range(len(arm.keys))] if self._ordered else []
        select = f"SELECT {heading}\nFROM (\n" + "\nUNION ALL\n".join(texts) + "\n)"
        if keys:
            select += f"\nORDER BY {', '.join(keys)}"
        return Body(definition.name, select, with_clause(scope.ctes, recursive=True), statement, watched)

    def _text(self, block: Block, definition: Definition, arm: Arm) -> str:
        for variable in definition.head:
            if variable not in block.cells:
                raise refuse(
                    f"inside rule {errors.quote(definition.name.partition('/')[0])}: {variable} is left to the caller, "
                    "and a call inside the rules does not bind it",
                    "rules",
                    "bind it in the body",
                )
        cells = (block.cells[variable] for variable in definition.head)
        texts = columns.spelled(cells, self._done[definition.name].tags)
        if self._ordered:
            texts += [f"{block.keys.get(name, 'NULL')} AS o{number}" for number, name in enumerate(arm.keys)]
        return block.select(texts)


class TableCalls:
    """Joins calls with the tables of a fixpoint, each through its window."""

    def __init__(self, fixpoint: Fixpoint, windows: dict[int, Window]) -> None:
        self._fixpoint = fixpoint
        self._windows = windows

    def join(self, compiler: Compiler, block: Block, call: Call, scope: Scope) -> Block:
        relation = self._fixpoint.relation(call.name)
        compiler.relations.join(block, call, relation, call.args, "pos", self._window(call.uid))
        block.duplicates = block.duplicates or ANY in call.args
        return block

    def _window(self, uid: int) -> tuple[str, ...]:
        window = self._windows.get(uid)
        if window is None:
            return ()
        return (*((f"pos > :{window.low}",) if window.low else ()), f"pos <= :{window.high}")


def variants(arm: Arm, places: list[int], watched: tuple[str, ...]) -> Iterator[dict[int, Window]]:
    """For each call of a rule that is still growing: it sees what is new, those before it all, those after it the old.

    Together they see each combination of tuples with something new in it exactly once.
    """
    if not places:
        yield {}
        return
    for fresh in places:
        windows = {}
        for place in places:
            call = arm.clauses[place]
            number = watched.index(call.name)
            high = f"low{number}" if place > fresh else f"high{number}"
            windows[call.uid] = Window(f"low{number}" if place == fresh else None, high)
        yield windows


def is_call_of(clause: object, component: tuple[str, ...]) -> bool:
    """Whether a clause calls a rule of the component."""
    return isinstance(clause, Call) and clause.name in component


def is_call_within(clause: object, component: tuple[str, ...]) -> bool:
    """Whether a union calls a rule of the component in one of its arms."""
    if isinstance(clause, Union):
        return any(is_call_within(inner, component) for arm in clause.arms for inner in arm.clauses)
    return is_call_of(clause, component)


def table_of(tables: Tables, arity: int) -> Relation:
    """An empty table of tuples, with stand-ins for the variables; its columns hold values of any type."""
    variables = {Variable(f"?{place}"): ALL_TAGS for place in range(arity)}
    return Relation(tables.create(columns.names(variables.values()), unique=True), variables)
