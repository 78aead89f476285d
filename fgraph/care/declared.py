"""Checks of the live facts against the schema and the shapes that the file declares."""

from fgraph import errors
from fgraph.care import findings as listing
from fgraph.care.findings import Findings
from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.read import events
from fgraph.schema import shapes
from fgraph.schema.declarations import Declarations, Declared, declarations
from fgraph.values import logical

CROWDED = """
    SELECT e, a FROM fgraph_facts INDEXED BY fgraph_eavt
    WHERE rx IS NULL
    GROUP BY e, a
    HAVING count(*) > 1
"""
SHARED = """
    SELECT min(id) FROM fgraph_facts INDEXED BY fgraph_avet
    WHERE a = ? AND rx IS NULL
    GROUP BY t, v
    HAVING count(DISTINCT e) > 1
"""
OF_VALUE = """
    SELECT g.id FROM fgraph_facts f
    JOIN fgraph_facts g INDEXED BY fgraph_avet ON g.a = f.a AND g.t = f.t AND g.v = f.v AND g.rx IS NULL
    WHERE f.id = ?
"""
OTHER_LENGTH = """
    SELECT f.id FROM fgraph_facts f INDEXED BY fgraph_avet
    JOIN fgraph_blobs b ON b.hash = f.v
    WHERE f.a = ? AND f.t = 7 AND f.rx IS NULL AND length(b.data) <> ?
"""
SHAPED = f"""
    SELECT a, v, e FROM fgraph_facts INDEXED BY fgraph_avet
    WHERE a = {genesis.SHAPE} AND t = 0 AND rx IS NULL
    ORDER BY v, e
"""
LAST_TOUCHED = "SELECT max(max(tx), ifnull(max(rx), 0)) FROM fgraph_facts INDEXED BY fgraph_hist WHERE e = ?"
NO_UNIQUE = ("json", "vector")


def check(reader: Reader, findings: Findings) -> None:
    """Type, cardinality, uniqueness and dimensions of every attribute, and the shape of every assigned entity."""
    before = findings.fatal_count
    try:
        declared = declarations(reader)
    except errors.FormatError as fault:
        findings.fatal(f"the declarations cannot be read: {fault.message}")
    else:
        _cardinality(reader, declared, findings)
        for attribute in sorted(declared.declared_ids()):
            _attribute(reader, attribute, declared.of(attribute), findings)
    findings.figures["schema_problems"] = findings.fatal_count - before
    findings.figures["shape_violations"] = _shapes(reader, findings)


def _cardinality(reader: Reader, declared: Declarations, findings: Findings) -> None:
    for entity, attribute in reader.connection.execute(CROWDED):
        if not declared.many(attribute):
            sql = "SELECT id FROM fgraph_facts INDEXED BY fgraph_eavt WHERE e = ? AND a = ? AND rx IS NULL"
            rows = listing.rows(reader.connection.execute(sql, (entity, attribute)))
            findings.fatal(
                f"{_name(reader, entity)} has several live values of {_name(reader, attribute)}: facts {rows}"
            )


def _attribute(reader: Reader, attribute: int, declared: Declared, findings: Findings) -> None:
    name = _name(reader, attribute)
    if declared.type is not None and declared.type not in logical.TYPES:
        findings.fatal(f"{name} is declared with the type {errors.quote(declared.type)}, which there is not")
        return
    if declared.type is not None:
        tags = logical.TAGS_OF_TYPE[declared.type]
        sql = f"""
            SELECT id FROM fgraph_facts INDEXED BY fgraph_avet
            WHERE a = ? AND rx IS NULL AND t NOT IN ({",".join(map(str, tags))})
        """
        _report(reader, sql, (attribute,), f"{name} takes {declared.type}, and has other live values", findings)
    if declared.unique:
        _unique(reader, attribute, declared, name, findings)
    _vectors(reader, attribute, declared, name, findings)


def _unique(reader: Reader, attribute: int, declared: Declared, name: str, findings: Findings) -> None:
    if declared.type is None or declared.type in NO_UNIQUE:
        findings.fatal(f"{name} is declared unique, which needs a type other than json and vector")
        return
    for (number,) in reader.fetch(SHARED, (attribute,)):
        _report(reader, OF_VALUE, (number,), f"{name} is unique, and several entities hold one value", findings)


def _vectors(reader: Reader, attribute: int, declared: Declared, name: str, findings: Findings) -> None:
    if declared.dims is None and declared.vector_model is None:
        return
    if declared.type != "vector":
        findings.fatal(f"{name} is declared with dimensions or a vector model, and is not of type vector")
    elif declared.dims is not None:
        if declared.dims <= 0:
            findings.fatal(f"{name} is declared with {declared.dims} dimensions")
        wrong = f"{name} takes vectors of {declared.dims} numbers, and has others"
        _report(reader, OTHER_LENGTH, (attribute, 4 * declared.dims), wrong, findings)


def _report(reader: Reader, sql: str, parameters: tuple, what: str, findings: Findings) -> None:
    rows = reader.fetch(sql, parameters)
    if rows:
        findings.fatal(f"{what}: facts {listing.rows(rows)}")


def _shapes(reader: Reader, findings: Findings) -> int:
    """Report what entities with a shape break; the number of violations that no excision explains."""
    count = 0
    definitions: dict[int, shapes.Shape] = {}
    for _, shape, entity in reader.connection.execute(SHAPED):
        if shape not in definitions:
            definitions[shape] = _definition(reader, shape, findings)
        if definitions[shape] == shapes.Shape():
            continue
        sql = "SELECT DISTINCT a FROM fgraph_facts INDEXED BY fgraph_eavt WHERE e = ? AND rx IS NULL"
        present = {row[0] for row in reader.fetch(sql, (entity,))}
        for violation in shapes.violations(definitions[shape], present):
            count += _violation(reader, entity, shape, violation, findings)
    return count


def _definition(reader: Reader, shape: int, findings: Findings) -> shapes.Shape:
    marks = ",".join(map(str, shapes.DEFINITION))
    facts = reader.fetch(f"SELECT a, v FROM fgraph_facts WHERE e = ? AND rx IS NULL AND a IN ({marks})", (shape,))
    defined = shapes.shape_of(facts)
    if defined.closed and not defined.required <= defined.allowed:
        findings.warn(f"the closed shape {_name(reader, shape)} requires attributes that it does not allow")
    return defined


def _violation(reader: Reader, entity: int, shape: int, violation: shapes.Violation, findings: Findings) -> int:
    if violation.code == "shape_definition":
        return 0  # said once, of the shape itself
    name, attribute = _name(reader, entity), _name(reader, violation.attribute)
    if violation.code == "required":
        excision = _excision_after(reader, entity)
        if excision is not None:
            findings.warn(f"{name} lacks {attribute}: incomplete since excision in tx {excision}")
            return 0
        findings.fatal(f"{name} lacks {attribute}, which its shape {_name(reader, shape)} requires")
    else:
        findings.fatal(f"{name} has {attribute}, which its closed shape {_name(reader, shape)} does not allow")
    return 1


def _excision_after(reader: Reader, entity: int) -> int | None:
    """The excision that can have taken a fact from an entity that obeyed its shape when it was last written."""
    touched = reader.fetch(LAST_TOUCHED, (entity,))[0][0]
    sql = f"""
        SELECT {events.COLUMNS}
        FROM fgraph_facts f INDEXED BY fgraph_avet
        JOIN fgraph_events v ON v.tx = f.e
        JOIN fgraph_ids i ON i.id = v.tx
        WHERE f.a = ? AND f.e = f.tx AND f.tx > ?
        ORDER BY f.tx
    """
    for row in reader.fetch(sql, (genesis.EXCISED, touched)):
        receipt = events.Receipt(*row)
        if receipt.text is None or '"redacted":true' in receipt.text:
            return receipt.tx
    return None


def _name(reader: Reader, number: int) -> str:
    return str(reader.label(number))
