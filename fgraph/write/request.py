"""The request as it came in: its options, its hash, and its split into records and operations (docs/writing.md)."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.file import identities
from fgraph.values import plain
from fgraph.write.omitted import OMITTED

ARITY = {"assert": (4,), "retract": (2, 3, 4), "cas": (5,)}
FORMS = {
    "assert": '["assert", entity, attribute, value]',
    "retract": '["retract", entity], with an attribute, or with an attribute and a value',
    "cas": '["cas", entity, attribute, old, new]',
}
REQUEST = ("the request", "data")  # what messages call it, and its argument


class Item(NamedTuple):
    """One element of the data: a record (no `operation`) or an operation with its arguments."""

    operation: str | None
    content: Mapping | tuple
    where: str


class Options(NamedTuple):
    """What a write says beside its data."""

    by: str | None = None
    source: str | None = None
    meta: object = OMITTED
    tx: Mapping | None = None
    operation_id: str | None = None
    if_basis_tx: int | None = None

    def check_form(self) -> None:
        """`TypeError` for an operation id or a basis that cannot be one."""
        if self.operation_id is not None:
            identities.check_label(self.operation_id, "operation_id")
        basis = self.if_basis_tx
        if basis is None:
            return
        if isinstance(basis, bool) or not isinstance(basis, int) or not limits.GENESIS_TX <= basis <= limits.INT_MAX:
            raise errors.TypeError(
                f"if_basis_tx is {errors.quote(basis)}",
                param="if_basis_tx",
                hint=f"give the basis_tx of a read, an integer from {limits.GENESIS_TX}",
            )

    def check_kinds(self) -> None:
        """`TypeError` for a provenance option of the wrong kind."""
        for name in ("by", "source"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise errors.TypeError(
                    f"{name} is {errors.quote(value)}, not text", param=name, hint="give text, or leave it out"
                )
        if self.tx is not None and not isinstance(self.tx, Mapping):
            raise errors.TypeError(
                f"tx is {errors.quote(self.tx)}", param="tx", hint="give a map of attribute to value"
            )

    def hashed(self) -> dict:
        """The part of the options that a request hash covers."""
        given = {name: getattr(self, name) for name in ("by", "source", "tx")}
        given = {name: value for name, value in given.items() if value is not None}
        return given if self.meta is OMITTED else {**given, "meta": self.meta}

    def digest(self, document: dict) -> bytes | None:
        """The hash of a request that can be retried; its depth is bounded with and without an operation id."""
        if self.operation_id is not None:
            return request_hash(document)
        plain.check_depth(document, *REQUEST)
        return None

    @property
    def commits_alone(self) -> bool:
        """Whether the options alone make a transaction, even without data."""
        return any(given is not None for given in (self.operation_id, self.by, self.source)) or self.meta is not OMITTED


def request_hash(document: dict) -> bytes:
    """The digest under which a request is known; a retry must have the same."""
    return plain.digest(document, *REQUEST)


def items(data: object) -> Iterator[Item]:
    """The records and operations of `data`, in order.

    A map is one record; a list that begins with `assert`, `retract` or `cas` is one operation; any other list holds
    records and operations. Anything else is a `TypeError`.
    """
    if isinstance(data, Mapping):
        yield Item(None, data, "data")
    elif not isinstance(data, list | tuple):
        raise errors.TypeError(
            f"data is {errors.quote(data)} ({type(data).__name__})",
            param="data",
            hint="give a record (a map), an operation such as " + FORMS["assert"] + ", or a list of those",
        )
    elif data and _is_operation(data[0]):
        yield _operation(data, "data")
    else:
        for position, element in enumerate(data):
            yield _item(element, f"data[{position}]")


def _item(element: object, where: str) -> Item:
    if isinstance(element, Mapping):
        return Item(None, element, where)
    if isinstance(element, list | tuple):
        return _operation(element, where)
    raise errors.TypeError(
        f"{where} is {errors.quote(element)}, neither a record nor an operation",
        param=where,
        hint="give a map, or a list that begins with assert, retract or cas",
    )


def _operation(element: list | tuple, where: str) -> Item:
    if not element or not _is_operation(element[0]):
        head = errors.quote(element[0]) if element else "nothing"
        raise errors.TypeError(
            f"{where} begins with {head}", param=where, hint="an operation begins with assert, retract or cas"
        )
    name = element[0]
    if len(element) not in ARITY[name]:
        raise errors.TypeError(
            f"{where}: {name} with {len(element)} elements", param=where, hint="write " + FORMS[name]
        )
    return Item(name, tuple(element[1:]), where)


def _is_operation(head: object) -> bool:
    return isinstance(head, str) and head in ARITY
