"""Constants and inputs of a checked query, turned into stored cells at the reader's basis."""

from collections.abc import Callable, Mapping

from fgraph import errors, limits
from fgraph.datalog.clauses import (
    ANY,
    NOTHING,
    Arithmetic,
    Constant,
    Given,
    InputForm,
    Not,
    Or,
    Pattern,
    Predicate,
    Readings,
    Term,
    Variable,
)
from fgraph.datalog.safety import Checked, rename
from fgraph.datalog.syntax import is_lookalike, no_operator, refuse
from fgraph.file.reader import Reader
from fgraph.read import selectors
from fgraph.values import logical
from fgraph.values.logical import BOOL, REF, Stored


class Resolved:
    """The clauses of a query with every constant looked up; `scalars` are the inputs that were put in place."""

    __slots__ = ("where", "rules", "scalars")

    def __init__(self, where: tuple, rules: dict[str, list], scalars: dict[Variable, Stored]) -> None:
        self.where = where
        self.rules = rules
        self.scalars = scalars


def resolve(reader: Reader, checked: Checked, args: object) -> Resolved:
    """Look up every constant, of unused rules as well; `QueryError` for any that is ill-formed."""
    resolver = Resolver(reader, checked.query.source == "history")
    scalars, given = resolver.inputs(checked.query.inputs, args)
    where = tuple(rename(clause, scalars) for clause in resolver.clauses(checked.where))
    rules = {
        name: [definition._replace(body=resolver.clauses(definition.body)) for definition in known]
        for name, known in checked.book.definitions.items()
    }
    return Resolved((*given, *where), rules, scalars)


class Resolver:
    """Looks up the constants of clauses."""

    def __init__(self, reader: Reader, history: bool) -> None:
        self._reader = reader
        self._history = history

    def clauses(self, clauses: tuple) -> tuple:
        return tuple(self._clause(clause) for clause in clauses)

    def _clause(self, clause: object) -> object:
        if isinstance(clause, Pattern):
            return self._pattern(clause)
        if isinstance(clause, Predicate):
            return clause._replace(left=self._operand(clause.left), right=self._operand(clause.right))
        if isinstance(clause, Arithmetic):
            fields = {name: self._operand(getattr(clause, name)) for name in ("left", "right", "result")}
            return clause._replace(**fields)
        if isinstance(clause, Not):
            return clause._replace(body=self.clauses(clause.body))
        if isinstance(clause, Or):
            return clause._replace(branches=tuple(map(self.clauses, clause.branches)))
        return clause._replace(args=tuple(map(self._argument, clause.args)))

    def _pattern(self, pattern: Pattern) -> Pattern:
        e = self._term(pattern.e, self._entity)
        if e is NOTHING and is_lookalike(pattern.e.wire):
            raise no_operator(pattern.e.wire, "where")
        added = self._term(pattern.added, lambda wire: Stored(BOOL, int(wire)))
        if not self._history and isinstance(added, Stored):
            added = ANY if added.value else NOTHING
        return pattern._replace(
            e=e,
            a=self._term(pattern.a, self._attribute),
            v=self._term(pattern.v, self._value),
            tx=self._term(pattern.tx, self._entity),
            added=added,
        )

    def _term(self, term: Term, look_up: Callable[[object], Term]) -> Term:
        return look_up(term.wire) if isinstance(term, Constant) else term

    def _attribute(self, name: str) -> Term:
        number = self._reader.id_of(name)
        return NOTHING if number is None else Stored(REF, number)

    def _entity(self, wire: object) -> Term:
        """An entity or transaction position: a selector, or `{"ref": selector}`."""
        if isinstance(wire, Mapping) and len(wire) == 1 and "ref" in wire:
            wire = wire["ref"]
        number = self._typed(lambda: selectors.find(self._reader, wire, "where"))
        return NOTHING if number is None else Stored(REF, number)

    def _value(self, wire: object, param: str = "where") -> Term:
        look_up = lambda inner: selectors.resolve(self._reader, inner, param)  # noqa: E731
        stored = self._typed(lambda: logical.encode_value(wire, look_up, param))
        return NOTHING if stored is None else stored

    def _operand(self, term: Term) -> Term:
        return self._known(term.wire, "where") if isinstance(term, Constant) else term

    def _known(self, wire: object, param: str) -> Stored:
        found = self._value(wire, param)
        if found is NOTHING:
            raise refuse(
                f"{param}: {errors.quote(wire)} names no entity", param, "check the spelling", "unknown_entity"
            )
        return found

    def _argument(self, term: Term) -> Term | Readings:
        """A constant rule argument stands for an entity where it meets a reference, and for a value elsewhere."""
        if not isinstance(term, Constant):
            return term
        value = self._value(term.wire)
        try:
            entity = self._entity(term.wire)
        except errors.QueryError:
            if value is NOTHING:
                raise
            return Readings(None, value)
        return Readings(
            entity if isinstance(entity, Stored) else NOTHING, value if isinstance(value, Stored) else NOTHING
        )

    @staticmethod
    def _typed(look_up: Callable[[], object]) -> object:
        """The result, or None for what does not exist; what is ill-formed is the query's fault."""
        try:
            return look_up()
        except errors.NotFound:
            return None
        except (errors.TypeError, errors.SchemaError) as fault:
            raise refuse(fault.message, fault.param or "where", fault.hint) from None

    # -- inputs -------------------------------------------------------------------------------------------------------

    def inputs(self, forms: tuple[InputForm, ...], args: object) -> tuple[dict[Variable, Stored], list[Given]]:
        """Cells of the scalar inputs, and the rows of the others."""
        scalars: dict[Variable, Stored] = {}
        given: list[Given] = []
        cells = 0
        for place, form in enumerate(forms):
            wire = _argument_of(form, place, forms, args)
            if form.kind == "scalar":
                scalars[form.variables[0]] = self._known(wire, form.key)
                continue
            rows = [wire] if form.kind == "tuple" else _items(wire, form)
            if form.kind == "collection":
                rows = [[item] for item in rows]
            cells += len(rows) * len(form.variables)
            if cells > limits.QUERY_INPUT_CELLS:
                raise errors.TooLarge(
                    f"the inputs hold {cells} values", param="args", hint=f"at most {limits.QUERY_INPUT_CELLS}"
                )
            stored = {self._row(row, form): None for row in rows}
            if form.kind == "tuple":
                scalars.update(zip(form.variables, next(iter(stored)), strict=True))
            else:
                given.append(Given(limits.QUERY_CLAUSES + place, form.variables, tuple(stored)))
        return scalars, given

    def _row(self, row: object, form: InputForm) -> tuple[Stored, ...]:
        items = _items(row, form)
        if len(items) != len(form.variables):
            raise refuse(
                f"args: a row of {errors.quote(form.key)} has {len(items)} values, not {len(form.variables)}",
                form.key,
                f"give one value for each of {' '.join(form.variables)}",
            )
        return tuple(self._known(item, form.key) for item in items)


def _argument_of(form: InputForm, place: int, forms: tuple[InputForm, ...], args: object) -> object:
    if isinstance(args, list | tuple):
        if len(args) != len(forms):
            raise refuse(
                f"args has {len(args)} values for {len(forms)} inputs", "args", "give one value for each input"
            )
        return args[place]
    if not isinstance(args, Mapping):
        raise refuse(f"args is {errors.quote(args)}, not an object", "args", 'write {"?x": value}')
    if form.key not in args:
        raise refuse(
            f"args has no value for the input {errors.quote(form.key)}", "args", f"its keys are {_keys(forms)}"
        )
    return args[form.key]


def _keys(forms: tuple[InputForm, ...]) -> str:
    return ", ".join(errors.quote(form.key) for form in forms)


def _items(wire: object, form: InputForm) -> list | tuple:
    if not isinstance(wire, list | tuple):
        wanted = "[[value, ..], ..]" if form.kind == "relation" else "[value, ..]"
        raise refuse(
            f"args: {errors.quote(form.key)} holds {errors.quote(wire)}, not a list", form.key, f"give {wanted}"
        )
    return wire
