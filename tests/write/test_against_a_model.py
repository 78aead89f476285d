"""Random transactions against a model that is too simple to be wrong: a set of facts, scanned for every question."""

import random

import pytest

import fgraph
from tests.write.support import GENESIS, outcome, refused, tables

ENTITIES = ["a", "b", "c", "d", "e"]
ONE, MANY, REF, REFS, UNIQUE = "x/one", "x/many", "x/ref", "x/refs", "x/unique"
ATTRIBUTES = [ONE, MANY, REF, REFS, UNIQUE]
MANY_VALUED = {MANY, REFS}
MISSING = {"missing": True}


class Refused(Exception):
    """The model expects an error of this name."""


class Model:
    """Facts as (entity, attribute, value); a value is (kind, content)."""

    def __init__(self) -> None:
        self.facts: set[tuple] = set()

    def after(self, operations: list[list]) -> set[tuple]:
        """The facts after a transaction."""
        self._isolate(operations)
        working, chosen = set(self.facts), {}
        for word, entity, *rest in operations:
            if word == "assert":
                self._assert(working, chosen, entity, rest[0], value_of(rest[1]))
            elif word == "cas":
                self._cas(working, entity, *rest)
            else:
                self._retract(working, chosen, entity, *rest)
        for entity, attribute, value in working - self.facts:
            if attribute == UNIQUE and any(e != entity and (a, v) == (UNIQUE, value) for e, a, v in working):
                raise Refused("Conflict")
        return working

    @staticmethod
    def _isolate(operations: list[list]) -> None:
        """Nothing else may touch the cell of a compare-and-set."""
        for number, operation in enumerate(operations):
            if operation[0] == "cas":
                others = operations[:number] + operations[number + 1 :]
                if any(other[1] == operation[1] and (len(other) == 2 or other[2] == operation[2]) for other in others):
                    raise Refused("Conflict")

    @staticmethod
    def _assert(working: set, chosen: dict, entity: str, attribute: str, value: tuple) -> None:
        if attribute not in MANY_VALUED:
            if chosen.setdefault((entity, attribute), value) != value:
                raise Refused("Conflict")
            working -= {fact for fact in working if fact[:2] == (entity, attribute)}
        working.add((entity, attribute, value))

    @staticmethod
    def _cas(working: set, entity: str, attribute: str, old: object, new: object) -> None:
        if attribute in MANY_VALUED:
            raise Refused("SchemaError")
        current = {v for e, a, v in working if (e, a) == (entity, attribute)}
        if current != (set() if old == MISSING else {value_of(old)}):
            raise Refused("Conflict")
        working -= {(entity, attribute, value) for value in current}
        working |= set() if new == MISSING else {(entity, attribute, value_of(new))}

    @staticmethod
    def _retract(working: set, chosen: dict, entity: str, attribute: str | None = None, *value: object) -> None:
        target = ("ref", entity)

        def is_meant(e: str, a: str, v: tuple) -> bool:
            if attribute is None:
                return e == entity or v == target
            return (e, a) == (entity, attribute) and (not value or v == value_of(value[0]))

        working -= {fact for fact in working if is_meant(*fact)}
        for cell in [cell for cell, v in chosen.items() if is_meant(*cell, v)]:
            del chosen[cell]


def value_of(wire: object) -> tuple:
    return ("ref", wire["ref"]) if isinstance(wire, dict) else (type(wire).__name__, wire)


class Generator:
    """Operations over few entities, attributes and values, so that they meet."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)

    def value(self, attribute: str) -> object:
        if attribute in (REF, REFS):
            return {"ref": self.pick.choice(ENTITIES)}
        if attribute == UNIQUE:
            return self.pick.choice(["u", "v", "w"])
        return self.pick.choice([1, 1.0, True, "1", 2, "two"])

    def operation(self, cas: bool = True) -> list:
        entity, attribute = self.pick.choice(ENTITIES), self.pick.choice(ATTRIBUTES)
        word = self.pick.choices(["assert", "value", "cell", "entity", "cas"], [9, 3, 2, 1, 2 if cas else 0])[0]
        if word == "assert":
            return ["assert", entity, attribute, self.value(attribute)]
        if word == "cas":
            sides = [self.pick.choice([MISSING, self.value(attribute)]) for _ in range(2)]
            return ["cas", entity, attribute, *sides]
        return ["retract", entity, attribute, self.value(attribute)][: {"value": 4, "cell": 3, "entity": 2}[word]]

    def transaction(self, cas: bool = True) -> list[list]:
        return [self.operation(cas) for _ in range(self.pick.choice([1, 1, 2, 3, 5, 9]))]


def stored(db: fgraph.Db, basis: int = 2**62) -> set[tuple]:
    """The facts that the file holds as of a transaction, in the form of the model."""
    kinds = {0: "ref", 1: "bool", 2: "int", 3: "float", 4: "str"}
    sql = "SELECT e, a, t, v FROM fgraph_facts WHERE a > 64 AND tx <= ? AND (rx IS NULL OR rx > ?)"
    names = dict(db._store.connection.execute("SELECT id, name FROM fgraph_ids"))
    rows = db._store.connection.execute(sql, (basis, basis)).fetchall()
    return {(names[e], names[a], (kinds[t], names[v] if t == 0 else v)) for e, a, t, v in rows}


def shown(facts: list[dict]) -> set[tuple]:
    return {(fact["e"], fact["a"], value_of(fact["v"])) for fact in facts if not fact["a"].startswith("fgraph/")}


@pytest.fixture
def typed(db):
    for attribute, fields in {
        ONE: {"doc": "one value"},
        MANY: {"many": True},
        REF: {"type": "ref"},
        REFS: {"type": "ref", "many": True},
        UNIQUE: {"type": "text", "unique": True},
    }.items():
        db.declare(attribute, **fields)
    db.transact([{"id": entity} for entity in ENTITIES])
    return db


def expected_of(model: Model, operations: list[list]) -> tuple[str, set]:
    try:
        after = model.after(operations)
    except Refused as fault:
        return str(fault), model.facts
    return ("noop" if after == model.facts else "applied"), after


@pytest.mark.parametrize("seed", range(2))
def test_random_transactions_do_what_the_model_does(typed, seed):
    generator, model, states = Generator(seed), Model(), {}
    for _ in range(180):
        operations = generator.transaction()
        expected, after = expected_of(model, operations)
        if expected in ("applied", "noop"):
            report = typed.transact(operations)
            assert report["status"] == expected, operations
            assert shown(report["asserted"]) == after - model.facts, operations
            assert shown(report["retracted"]) == model.facts - after, operations
            states[report["tx"] or report["basis_tx"]] = after
        else:
            assert type(refused(typed, typed.transact, operations)).__name__ == expected, operations
        model.facts = after
        assert stored(typed) == after, operations
    assert len(states) > 40
    assert all(stored(typed, tx) == state for tx, state in states.items())
    assert typed.doctor()["ok"]


def test_a_repetition_is_nothing_and_a_retry_is_answered(typed):
    generator, model = Generator(3), Model()
    applied = 0
    for number in range(120):
        operations = generator.transaction(cas=False)
        expected, after = expected_of(model, operations)
        if expected != "applied":
            continue
        applied += 1
        with typed.speculate():
            assert typed.transact(operations)["status"] == "applied"
            assert typed.transact(operations)["status"] == "noop", operations
        first = typed.transact(operations, operation_id=f"op {number}")
        retry = typed.transact(operations, operation_id=f"op {number}", if_basis_tx=first["basis_tx"])
        assert (retry["status"], retry["tx"], stored(typed)) == ("already_applied", first["tx"], after)
        assert outcome(typed.transact, [*operations, {}], operation_id=f"op {number}") == "Conflict"
        model.facts = after
    assert applied > 40


def test_an_undo_leads_back_and_its_undo_forth_again(typed):
    generator, model = Generator(5), Model()
    for _ in range(100):
        operations = generator.transaction()
        expected, after = expected_of(model, operations)
        if expected != "applied":
            continue
        report = typed.transact(operations)
        undone = typed.undo(report["tx"], strict=True)
        assert stored(typed) == model.facts, operations
        assert shown(undone["asserted"]) == shown(report["retracted"])
        assert shown(undone["retracted"]) == shown(report["asserted"])
        typed.undo(undone["tx"])
        assert stored(typed) == after, operations
        model.facts = after
    assert model.facts and typed.doctor()["ok"]


def test_unique_values_of_different_cells_do_not_depend_on_the_order_of_input(typed):
    generator = Generator(7)
    conflicts = applied = 0
    for _ in range(50):
        pairs = generator.pick.sample([(entity, attribute) for entity in ENTITIES for attribute in (ONE, UNIQUE)], 4)
        operations = []
        for entity, attribute in pairs:
            word = generator.pick.choice(["assert", "assert", "retract"])
            operations.append([word, entity, attribute, generator.value(attribute)][: 4 if word == "assert" else 3])
        results = set()
        for _ in range(4):
            generator.pick.shuffle(operations)
            with typed.speculate():
                results.add((outcome(typed.transact, operations), frozenset(stored(typed))))
        assert len(results) == 1, operations
        status = outcome(typed.transact, operations)
        conflicts += status == "Conflict"
        applied += status == "applied"
    assert conflicts > 5 and applied > 5


def test_records_are_the_operations_they_spell_out(typed):
    """A record with lists and nested records ends in the state of its single assertions."""
    generator = Generator(9)
    for _ in range(80):
        entity, other = generator.pick.sample(ENTITIES, 2)
        values = {attribute: generator.value(attribute) for attribute in (ONE, REF, UNIQUE)}
        many = [generator.value(MANY) for _ in range(3)]
        record = {"id": entity, **values, MANY: many, REFS: [{"id": other, ONE: 5}]}
        operations = [["assert", entity, attribute, value] for attribute, value in values.items()]
        operations += [["assert", entity, MANY, value] for value in many]
        operations += [["assert", other, ONE, 5], ["assert", entity, REFS, {"ref": other}]]
        results = []
        for data in (record, operations):
            with typed.speculate():
                results.append((outcome(typed.transact, data), stored(typed)))
        assert results[0] == results[1]
        outcome(typed.transact, record)


def test_a_large_request_does_what_its_parts_do_one_by_one(typed):
    generator = Generator(11)
    operations = [generator.operation(cas=False) for _ in range(60)]
    whole = [operation for operation in operations if len(operation) == 4 and operation[2] in MANY_VALUED]
    with typed.speculate():
        for operation in whole:
            typed.transact(operation)
        one_by_one = stored(typed)
    typed.transact(whole)
    assert stored(typed) == one_by_one


def test_two_files_with_one_seed_and_one_program_are_equal():
    contents = []
    for _ in range(2):
        generator = Generator(12)
        with fgraph.connect(":memory:", clock=GENESIS) as db:
            db.declare(MANY, many=True)
            db.declare(REFS, ref=True, many=True)
            for _ in range(40):
                outcome(db.transact, generator.transaction())
            contents.append(tables(db))
    assert contents[0] == contents[1]
