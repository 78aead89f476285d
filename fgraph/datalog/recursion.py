"""Rules that call themselves once in a body, as one recursive CTE that starts from the bound arguments of the call."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fgraph import limits
from fgraph.datalog import columns
from fgraph.datalog.clauses import ANY, Arm, Call, Readings, Union, Variable, outward, variables_of
from fgraph.datalog.compiler import Compiler
from fgraph.datalog.lower import Lowering, References, readings
from fgraph.datalog.planner import is_generator
from fgraph.datalog.relations import Relation, Scope
from fgraph.datalog.sql import Block, Cell
from fgraph.datalog.statistics import ALL_TAGS
from fgraph.values.logical import REF, Stored

REFERENCE = frozenset((REF,))


class Step(NamedTuple):
    """A body with its one call of the rule taken out."""

    clauses: tuple
    call: Call


class Linear(NamedTuple):
    """A rule whose bodies call it at most once each."""

    name: str
    head: tuple[Variable, ...]
    tags: tuple[frozenset[int], ...]
    exits: tuple[tuple, ...]
    steps: tuple[Step, ...]

    def invariant(self, places: Iterable[int]) -> bool:
        """Whether every step hands these arguments on unchanged: then only tuples with the bound values are made."""
        return all(step.call.args[place] == self.head[place] for step in self.steps for place in places)

    def passes_rest(self, places: Iterable[int]) -> bool:
        """Whether every step takes all other arguments as they come out of its call.

        Then the bound arguments can be followed by themselves, and the bodies without a call give the answers.
        """
        places = set(places)
        rest = [place for place in range(len(self.head)) if place not in places]
        return all(
            self._leads(step, places) and all(self._passes(step, place) for place in rest) for step in self.steps
        )

    def _leads(self, step: Step, places: set[int]) -> bool:
        """Whether the step itself, without its call, gives the bound arguments of the call."""
        known = {self.head[place] for place in places}.union(*map(outward, step.clauses))
        terms = [step.call.args[place] for place in places]
        return all(term in known if isinstance(term, Variable) else term is not ANY for term in terms)

    def _passes(self, step: Step, place: int) -> bool:
        variable = self.head[place]
        return (
            step.call.args[place] == variable
            and step.call.args.count(variable) == 1
            and all(variable not in variables_of(clause) for clause in step.clauses)
        )


def linear(lowering: Lowering, name: str) -> Linear | None:
    """The rule in this form; None when some body calls it twice, or with more patterns than one SELECT can join."""
    known = lowering.rules[name]
    head = tuple(Variable(f"?{place}#{name}") for place in range(len(known[0].head)))
    exits: list[tuple] = []
    steps: list[Step] = []
    for definition in known:
        for clauses in spread(lowering.definition(definition, head).clauses):
            calls = [clause for clause in clauses if isinstance(clause, Call) and clause.name == name]
            if len(calls) > 1 or len(exits) + len(steps) >= limits.QUERY_ARMS:
                return None
            if sum(map(is_generator, clauses)) > limits.QUERY_RECURSIVE_PATTERNS:
                return None
            if calls:
                steps.append(Step(tuple(clause for clause in clauses if clause is not calls[0]), calls[0]))
            else:
                exits.append(clauses)
    tags = tuple(REFERENCE if lowering.references.only(name, place) else ALL_TAGS for place in range(len(head)))
    return Linear(name, head, tags, tuple(exits), tuple(steps))


def spread(clauses: tuple) -> Iterator[tuple]:
    """The conjunctions that the clauses are the union of, with no union left in them."""
    for place, clause in enumerate(clauses):
        if isinstance(clause, Union):
            for arm in clause.arms:
                yield from spread((*clauses[:place], *arm.clauses, *clauses[place + 1 :]))
            return
    yield clauses


class Entry(NamedTuple):
    """How a call enters a rule: the argument positions it starts from, and whether they are followed by themselves."""

    places: tuple[int, ...]
    follows: bool


def choose(
    rule: Linear, call: Call, block: Block, compiler: Compiler, needs: frozenset[int], fixed_only: bool
) -> Entry | None:
    """The cheapest way in: fewest seeds, then the direction in which one step leads to the fewest rows.

    None when no way in binds what the bodies leave to the caller.
    """
    best = None if needs else Entry((), False)
    best_cost = float("inf")
    for places in _candidates(
        [place for place, term in enumerate(call.args) if is_bound(term, block, fixed_only)], call
    ):
        if not needs <= set(places) or not (rule.invariant(places) or rule.passes_rest(places)):
            continue
        follows = not rule.invariant(places)
        cost = sum(_step_rows(rule, step, places, follows, compiler) for step in rule.steps)
        cost *= SEEDS if any(isinstance(call.args[place], Variable) for place in places) else 1.0
        if cost < best_cost:
            best, best_cost = Entry(places, follows), cost
    return best


def _candidates(bound: list[int], call: Call) -> Iterable[tuple[int, ...]]:
    """Sets of bound arguments worth a look: each by itself, the constants together, all together."""
    constants = tuple(place for place in bound if not isinstance(call.args[place], Variable))
    found = [(place,) for place in bound] + [constants, tuple(bound)]
    return dict.fromkeys(places for places in found if places)


SEEDS = 10.0  # values that a bound variable has, where nothing is known about it


def _step_rows(rule: Linear, step: Step, places: tuple[int, ...], follows: bool, compiler: Compiler) -> float:
    if follows:
        known = {rule.head[place] for place in places}
    else:
        known = {term for term in step.call.args if isinstance(term, Variable)}
    return compiler.planner.cost(Arm(step.clauses, ()), known, {})


def sources(
    compiler: Compiler, block: Block, call: Call, places: tuple[int, ...], references: References
) -> Iterator[tuple[Block, list[Cell]]]:
    """For each reading of a call: where the bound arguments come from, rows before it or constants, and their cells."""
    only = call._replace(args=tuple(term if place in places else ANY for place, term in enumerate(call.args)))
    from_rows = any(isinstance(term, Variable) for term in only.args)
    for args in readings(references, only):
        source = compiler.relations.start(block.relation) if from_rows else Block()
        yield source, [compiler.statement.cell(args[place], source) for place in places]


def is_bound(term: object, block: Block, fixed_only: bool) -> bool:
    """Whether an argument of a call has a value before it; `fixed_only` counts constants only."""
    if isinstance(term, Variable):
        return not fixed_only and term in block.cells
    return term is not ANY


class LinearCalls:
    """Joins calls of one linear rule."""

    def __init__(self, lowering: Lowering, rule: Linear, needs: frozenset[int]) -> None:
        self._lowering = lowering
        self._rule = rule
        self._needs = needs

    def join(self, compiler: Compiler, block: Block, call: Call, scope: Scope) -> Block | None:
        """The block extended by the tuples of the rule that match the call; None when this form has no way in."""
        entry = choose(self._rule, call, block, compiler, self._needs, fixed_only=scope.flat)
        if entry is None:
            return None
        inner = scope._replace(ordered=False, keys=(), flat=False)
        seeds = None
        if entry.places:
            if any(isinstance(call.args[place], Variable) for place in entry.places):
                block = compiler.relations.stage(block, scope)
            seeds = self.seeds(compiler, block, call, entry.places, inner)
        if entry.follows:
            relation = self._followed(compiler, seeds, entry.places, inner)
        else:
            relation = self._restricted(compiler, seeds, inner)
        compiler.relations.join(block, call, relation, call.args, None)
        block.duplicates = block.duplicates or ANY in call.args
        return block

    def seeds(self, compiler: Compiler, block: Block, call: Call, places: tuple[int, ...], scope: Scope) -> Relation:
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
