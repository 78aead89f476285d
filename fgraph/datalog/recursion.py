"""Calls of a linear rule as one recursive CTE that starts from the bound arguments of the call."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fgraph.datalog import columns
from fgraph.datalog.clauses import ANY, Call, Readings, Variable
from fgraph.datalog.compiler import Compiler
from fgraph.datalog.linear import REFERENCE, Entries, Entry, Linear, Step
from fgraph.datalog.lower import Lowering, References, readings
from fgraph.datalog.planner import Planner
from fgraph.datalog.relations import Relation, Scope
from fgraph.datalog.sql import Block, Cell
from fgraph.values.logical import REF, Stored


class Derived(NamedTuple):
    """What was compiled for one way into the rule: the seeds it starts from, its CTEs, and the tuples."""

    seeds: Relation | None
    ctes: tuple[tuple[str, str], ...]
    tuples: Relation


def sources(
    compiler: Compiler, block: Block, call: Call, places: tuple[int, ...], references: References
) -> Iterator[tuple[Block, list[Cell]]]:
    """For each reading of a call: where the bound arguments come from, rows before it or constants, and their cells."""
    from_rows = any(isinstance(call.args[place], Variable) for place in places)
    for terms in readings(references, call, places):
        source = compiler.relations.start(block.relation) if from_rows else Block()
        yield source, [compiler.statement.cell(term, source) for term in terms]


class LinearCalls:
    """Joins calls of one linear rule."""

    def __init__(self, lowering: Lowering, rule: Linear, needs: frozenset[int], planner: Planner) -> None:
        self._lowering = lowering
        self._rule = rule
        self._entries = Entries(rule, needs, planner)
        self._derived: dict[tuple, Derived] = {}

    def join(self, compiler: Compiler, block: Block, call: Call, scope: Scope) -> Block | None:
        """The block extended by the tuples of the rule that match the call; None when this form has no way in."""
        entry = self._entries.cheapest(call, block, fixed_only=scope.flat)
        if entry is None:
            return None
        inner = scope._replace(ordered=False, keys=(), flat=False)
        seeds = None
        if entry.places:
            if any(isinstance(call.args[place], Variable) for place in entry.places):
                block = compiler.relations.stage(block, scope)
            seeds = self._seeds(compiler, block, call, entry.places, inner)
        compiler.relations.join(block, call, self._tuples(compiler, entry, seeds, inner), call.args, None)
        block.duplicates = block.duplicates or ANY in call.args
        return block

    def _tuples(self, compiler: Compiler, entry: Entry, seeds: Relation | None, scope: Scope) -> Relation:
        """What the rule derives from the seeds. A call that enters as another did gets a copy of what that one got."""
        key = (entry, seeds and tuple(seeds.tags), scope.outermost, compiler.statement.counts_for)
        known = self._derived.get(key)
        if known is not None:
            stands = {} if seeds is None else {known.seeds.name: seeds.name}
            return compiler.relations.again(known.tuples, known.ctes, stands, scope)
        before = len(scope.ctes)
        if entry.follows:
            tuples = self._followed(compiler, seeds, entry.places, scope)
        else:
            tuples = self._restricted(compiler, seeds, scope)
        if not compiler.relations.keeps_tables:
            self._derived[key] = Derived(seeds, tuple(scope.ctes[before:]), tuples)
        return tuples

    def _seeds(self, compiler: Compiler, block: Block, call: Call, places: tuple[int, ...], scope: Scope) -> Relation:
        """The distinct values of the bound arguments."""
        found = list(sources(compiler, block, call, places, self._lowering.references))
        for source, cells in found:
            for place, cell in zip(places, cells, strict=True):
                source.require(*(cell.must_be(REF) if self._rule.tags[place] == REFERENCE else ()))
        possible = tags_of([cells for _, cells in found], len(places))
        tags = [its & self._rule.tags[place] for place, its in zip(places, possible, strict=True)]
        texts = [source.select(columns.spelled(cells, tags), distinct=True) for source, cells in found]
        variables = dict(zip((self._rule.head[place] for place in places), tags, strict=True))
        return compiler.relations.computed("\nUNION\n".join(texts or [columns.nothing(tags)]), variables, (), scope)

    def _restricted(self, compiler: Compiler, seeds: Relation | None, scope: Scope) -> Relation:
        """All tuples, or those whose bound arguments are among the seeds."""
        rule = self._rule
        name = compiler.statement.name("c")
        starts = (compiler.relations.start(seeds) if seeds else Block() for _ in rule.exits)
        exits = [compiler.conjunction(clauses, start, scope) for clauses, start in zip(rule.exits, starts, strict=True)]
        tags = tags_of([self._head(block) for block in exits], len(rule.head))
        while True:
            steps = [self._stepped(compiler, name, step, tags, scope) for step in rule.steps]
            wider = tags_of([tags, *(self._head(block) for block in steps)], len(rule.head))
            if wider == tags:
                break
            tags = wider  # a step brings values of more types; say so to all steps
        texts = [] if exits else [columns.nothing(tags)]
        texts += [block.select(columns.spelled(self._head(block), tags)) for block in (*exits, *steps)]
        return compiler.relations.recursive(name, texts, dict(zip(rule.head, tags, strict=True)), scope)

    def _stepped(self, compiler: Compiler, name: str, step: Step, tags: tuple, scope: Scope) -> Block:
        block = self._from_call(compiler, name, step, tags)
        return compiler.conjunction(step.clauses, block, scope._replace(flat=True))

    def _head(self, block: Block) -> list[Cell]:
        return [block.cells[variable] for variable in self._rule.head]

    def _from_call(self, compiler: Compiler, name: str, step: Step, tags: tuple) -> Block:
        """A block that reads the tuples found so far as the arguments of the step's call."""
        alias, block = compiler.relations.source(name)
        block.require(*compiler.relations.meet(block, step.call.args, columns.read(alias, tags)))
        return block

    def _followed(self, compiler: Compiler, seeds: Relation, places: tuple[int, ...], scope: Scope) -> Relation:
        """Follow the bound arguments from the seeds, then take the answers where the bodies without a call hold."""
        rule = self._rule
        name = compiler.statement.name("c")
        source = compiler.relations.start(seeds)
        first = [source.cells[rule.head[place]] for place in places] * 2
        tags = tags_of([first], len(first))
        while True:
            reached = [self._reached(compiler, name, step, places, tags, scope) for step in rule.steps]
            wider = tags_of([tags, *(cells for _, cells in reached)], len(first))
            if wider == tags:
                break
            tags = wider  # a step leads to values of more types; say so to all steps
        texts = [block.select(columns.spelled(cells, tags)) for block, cells in ((source, first), *reached)]
        followed = {Variable(f"?{number}"): its for number, its in enumerate(tags)}
        compiler.relations.recursive(name, texts, followed, scope)
        return self._answers(compiler, name, places, tags, scope)

    def _reached(
        self, compiler: Compiler, name: str, step: Step, places: tuple[int, ...], tags: tuple, scope: Scope
    ) -> tuple[Block, list[Cell]]:
        """One step from the values followed so far: the seeds, and the values that it leads to."""
        block, origin = self._from_frontier(compiler, name, places, tags)
        block = compiler.conjunction(step.clauses, block, scope._replace(flat=True))
        return block, [*origin, *(compiler.statement.cell(term, block) for term in self._constants(step.call, places))]

    def _answers(self, compiler: Compiler, name: str, places: tuple[int, ...], tags: tuple, scope: Scope) -> Relation:
        rule = self._rule
        exits = []
        for clauses in rule.exits:
            block, origin = self._from_frontier(compiler, name, places, tags)
            for place, cell in zip(places, origin, strict=True):
                block.cells[_origin(place)] = cell
            block = compiler.conjunction(clauses, block, scope)
            cells = [
                block.cells[_origin(place)] if place in places else block.cells[variable]
                for place, variable in enumerate(rule.head)
            ]
            exits.append((block, cells))
        its = tags_of([cells for _, cells in exits], len(rule.head))
        texts = [block.select(columns.spelled(cells, its), distinct=True) for block, cells in exits]
        text = "\nUNION\n".join(texts or [columns.nothing(its)])
        return compiler.relations.computed(text, dict(zip(rule.head, its, strict=True)), (), scope)

    def _from_frontier(
        self, compiler: Compiler, name: str, places: tuple[int, ...], tags: tuple
    ) -> tuple[Block, list[Cell]]:
        """A block that reads the followed arguments as the head of a body, and the seed each came from."""
        alias, block = compiler.relations.source(name)
        cells = columns.read(alias, tags)
        width = len(places)
        block.cells = dict(zip((self._rule.head[place] for place in places), cells[width:], strict=True))
        return block, cells[:width]

    def _constants(self, call: Call, places: tuple[int, ...]) -> list:
        """The followed arguments of a step's call, a constant read as the entity or value it must be."""
        terms = []
        for place in places:
            term = call.args[place]
            if isinstance(term, Readings):
                options = self._lowering.references.cells(self._rule.name, place, term)
                term = options[0] if options else Stored(REF, 0)
            terms.append(term)
        return terms


def tags_of(rows: Iterable[Sequence], width: int) -> tuple[frozenset[int], ...]:
    """The type tags that each column can have in any of these rows of cells or tags."""
    found = [frozenset()] * width
    for row in rows:
        found = [seen | (cell.tags if isinstance(cell, Cell) else cell) for seen, cell in zip(found, row, strict=True)]
    return tuple(found)


def _origin(place: int) -> Variable:
    """The variable under which a block keeps the seed that an answer belongs to."""
    return Variable(f"?seed{place}")
