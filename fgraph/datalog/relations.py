"""Sets of rows that a statement computes apart, as CTEs or temporary tables, and reads by name."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from fgraph import limits
from fgraph.datalog import canonical, columns
from fgraph.datalog.clauses import ANY, Arm, Call, Given, Variable
from fgraph.datalog.columns import Tags
from fgraph.datalog.sql import NEVER, Block, Cell, Statement, with_clause
from fgraph.datalog.tables import TABLE_PREFIX, Tables

# The names of CTEs: computed once, recursive, listed.
MADE_NAME = re.compile(r"\b[rci][0-9]+\b")


class Relation(NamedTuple):
    """A named set of rows: the tags that each variable can have, in the order of their columns, and its key columns."""

    name: str
    variables: dict[Variable, Tags]
    keys: tuple[str, ...] = ()

    @property
    def tags(self) -> list[Tags]:
        """The tags of each column."""
        return list(self.variables.values())


class Scope(NamedTuple):
    """Where a conjunction is compiled: the CTEs it may add to, whether row order matters, and the key columns."""

    ctes: list[tuple[str, str]]
    ordered: bool
    keys: tuple[str, ...]
    flat: bool = False  # inside a recursive CTE: nothing may be computed apart
    outermost: bool = True  # not inside a subquery that looks at the row around it

    def inside(self, arm: Arm) -> "Scope":
        """The scope of an arm: its keys come after those of the rows before it."""
        return self._replace(keys=(*self.keys, *arm.keys))


class Relations:
    """The relations of one statement."""

    def __init__(self, statement: Statement, tables: Tables) -> None:
        self._statement = statement
        self._tables = tables
        self._weights: dict[str, int] = {}

    # -- making -------------------------------------------------------------------------------------------------------

    def stage(self, block: Block, scope: Scope, kept: bool = False) -> Block:
        """A block that starts from the rows of this one, each set of bindings once, with its least key.

        `kept` has them in a table, for other statements to read.
        """
        if isinstance(block.relation, Relation) and (not kept or block.relation.name.startswith(TABLE_PREFIX)):
            return block
        keys = tuple(name for name in scope.keys if name in block.keys) if scope.ordered else ()
        variables = {variable: cell.tags for variable, cell in block.cells.items()}
        texts = columns.spelled(block.cells.values(), variables.values())
        texts += [f"{block.keys[name]} AS {name}" for name in keys]
        text = block.select(texts, distinct=block.duplicates and not keys)
        if block.duplicates and keys:
            text = first_of_each(text, variables.values(), keys)
        return self.start((self.keep if kept else self.computed)(text, variables, keys, scope))

    def computed(self, text: str, variables: dict[Variable, Tags], keys: tuple[str, ...], scope: Scope) -> Relation:
        """A SELECT as a relation that is computed once."""
        # SQLite reads the text of a CTE anew for each time it is named, and those named in it.
        weight = 1 + sum(self._weights.get(name, 0) for name in MADE_NAME.findall(text))
        if weight > limits.QUERY_REFERENCES and scope.outermost:
            return self.keep(text, variables, keys, scope)
        name = self._statement.name("r")
        self._weights[name] = weight
        scope.ctes.append((name, f"MATERIALIZED (\n{text}\n)"))
        return Relation(name, variables, keys)

    def again(
        self, relation: Relation, ctes: Iterable[tuple[str, str]], stands: dict[str, str], scope: Scope
    ) -> Relation:
        """A relation once more, with the CTEs that were made for it, `stands` for what they read."""
        names = dict(stands)

        def renamed(text: str) -> str:
            return MADE_NAME.sub(lambda found: names.get(found[0], found[0]), text)

        for head, text in ctes:
            name = head.partition(" ")[0]
            names[name] = self._statement.name(name[0])
            self._weights[names[name]] = self._weights.get(name, 0)
            scope.ctes.append((renamed(head), renamed(text)))
        return relation._replace(name=names[relation.name])

    @property
    def keeps_tables(self) -> bool:
        """Whether anything was put into a temporary table."""
        return self._tables.used

    def keep(self, text: str, variables: dict[Variable, Tags], keys: tuple[str, ...], scope: Scope) -> Relation:
        """A SELECT as a temporary table, filled at once."""
        filled = [*columns.names(variables.values()), *keys]
        name = self._tables.create(filled)
        self._tables.insert(name, filled, text, self._statement.parameters, with_clause(scope.ctes, recursive=True))
        return Relation(name, variables, keys)

    def recursive(self, name: str, texts: list[str], variables: dict[Variable, Tags], scope: Scope) -> Relation:
        """The union of SELECTs that may read what was found so far under the relation's own name."""
        heading = ", ".join(columns.names(variables.values()))
        scope.ctes.append((f"{name} ({heading})", "(\n" + "\nUNION\n".join(texts) + "\n)"))
        return Relation(name, variables)

    def listed(self, given: Given, scope: Scope) -> Relation:
        """The rows of an input, numbered by a column `k`."""
        bind = self._statement.bind
        rows = [
            ", ".join([str(place), *(f"{cell.tag}, {bind(cell.value)}" for cell in row)])
            for place, row in enumerate(given.rows)
        ]
        name = self._statement.name("i")
        head = ", ".join(["k", *(f"t{number}, v{number}" for number in range(len(given.variables)))])
        lines = ",\n".join(f"({row})" for row in rows)
        scope.ctes.append((f"{name} ({head})", f"MATERIALIZED (\nVALUES\n{lines}\n)"))
        tags = (frozenset(cell.tag for cell in column) for column in zip(*given.rows, strict=True))
        return Relation(name, dict(zip(given.variables, tags, strict=True)))

    # -- reading ------------------------------------------------------------------------------------------------------

    def source(self, name: str) -> tuple[str, Block]:
        """The alias under which a block reads a relation, and the block."""
        alias = self._statement.name("s")
        block = Block()
        block.table(f"{name} {alias}", anchor_of(alias))
        return alias, block

    def start(self, relation: Relation) -> Block:
        """A block that reads a relation and binds its variables."""
        alias, block = self.source(relation.name)
        block.cells = dict(zip(relation.variables, columns.read(alias, relation.tags), strict=True))
        block.keys = {name: f"{alias}.{name}" for name in relation.keys}
        block.relation = relation
        return block

    def join(
        self,
        block: Block,
        clause: Call | Given,
        relation: Relation,
        terms: tuple,
        key: str | None,
        window: tuple[str, ...] = (),
    ) -> None:
        """Join a relation whose columns stand for `terms`, one unit of work for each tuple that matches.

        `key` is the column that orders the tuples; `window` are conditions on the relation's own columns.
        """
        alias = self._statement.name("s")
        conditions = [f"{alias}.{condition}" for condition in window]
        conditions += self.meet(block, terms, columns.read(alias, relation.tags))
        anchor = anchor_of(alias)
        compared = [condition for condition in conditions if condition != NEVER]
        # The condition before the count names the table even where nothing is compared, or it would run only once; and
        # what is never true is not decided before the rows up to here are there, because one of them may have to fail.
        guard = " AND ".join(conditions if compared else [anchor, *conditions])
        # IS, because SQLite puts a constant in the place of a column that equals it, in the condition of the count too.
        seeks = [condition.replace(" = ", " IS ") for condition in compared]
        block.table(f"{relation.name} {alias}", anchor, seeks, [guard, self._statement.tick(clause.uid)])
        if key is not None:
            block.keys[canonical.fact_key(clause.uid)] = f"{alias}.{key}"

    def meet(self, block: Block, terms: Iterable, cells: Iterable[Cell]) -> list[str]:
        """Bind the free variables among the terms to the cells; the conditions that the other terms equal theirs."""
        conditions = []
        for term, cell in zip(terms, cells, strict=True):
            if isinstance(term, Variable) and term not in block.cells:
                block.cells[term] = cell
            elif term is not ANY:
                conditions.append(self._statement.matches(term, block, cell))
        return conditions


def anchor_of(alias: str) -> str:
    """A condition that is true of every row of a relation."""
    return f"{alias}.v0 NOT NULL"


def first_of_each(text: str, tags: Iterable[Tags], keys: Iterable[str]) -> str:
    """Each distinct row of a SELECT once, with the least of its keys."""
    listed = ", ".join(columns.names(tags))
    order = ", ".join(keys)
    return (
        f"SELECT {listed}, {order}\n"
        f"FROM (\nSELECT *, row_number() OVER (PARTITION BY {listed} ORDER BY {order}) AS nth\nFROM (\n{text}\n)\n)\n"
        "WHERE nth = 1"
    )
