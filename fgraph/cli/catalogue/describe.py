"""Commands that declare and check what facts may be."""

from fgraph.cli.catalogue.common import MANIFEST, REF, SCHEMA, SIGNED, TYPES
from fgraph.cli.table import WRITES, Argument, Command, flag, integer, text

COMMANDS = (
    Command(
        "schema", SCHEMA, "Show attributes and shapes", "schema:schema",
        arguments=(Argument("prefix", "only names that begin so", required=False),),
        options=(flag("--system", "the built-in attributes as well"),),
        examples=("schema", "schema light/"),
        notes=(
            "Every name of the form namespace/name may become an attribute, also that of an entity like "
            "docs/readme.md. A terminal lists those without a fact or a declaration apart; in JSON their live_facts "
            "is 0."
        ),
    ),
    Command(
        "declare", SCHEMA, "Say what an attribute may hold", "schema:declare", WRITES,
        arguments=(Argument("attr", "the attribute, as in light/range"),),
        options=(
            text("--type", f"type of its values: {', '.join(TYPES)}", "TYPE", choices=TYPES),
            flag("--ref", "short for --type ref", "ref", toggle=True),
            flag("--no-ref", "the default", "ref", False, toggle=True),
            flag("--many", "an entity may have many values", "many", True, default=None),
            flag("--one", "an entity has one value", "many", False, default=None),
            flag("--unique", "no two entities share a value", "unique", True, default=None),
            flag("--not-unique", "they may", "unique", False, default=None),
            flag("--nohistory", "keep only the present value", "nohistory", True, default=None),
            flag("--history", "keep every value", "nohistory", False, default=None),
            integer("--dims", "length of its vectors", "N"),
            text("--doc", "what it means"),
            text("--vector-model", "model that makes its vectors"),
            *SIGNED,
        ),
        examples=("declare light/keeper --ref --doc 'Who tends the lamp'",),
    ),
    Command(
        "shape", SCHEMA, "Say what an entity of a kind must and may have", "schema:shape", WRITES,
        arguments=(Argument("name", "the shape, as in shape/light; its definition is replaced"),),
        options=(
            text("--required", "an attribute it must have (repeatable)", "ATTR", repeat=True),
            text("--allowed", "an attribute it may have (repeatable)", "ATTR", repeat=True),
            flag("--closed", "and no others", "closed", True),
            flag("--open", "others are fine (the default)", "closed", False),
            *SIGNED,
        ),
        examples=("shape shape/light --required light/range --closed",),
    ),
    Command(
        "validate", SCHEMA, "Check an entity against its shape", "schema:validate",
        arguments=(REF,),
        options=(flag("--strict", "exit with status 1 when it does not fit"),),
        examples=("validate skerry",),
    ),
    Command(
        "schema-export", SCHEMA, "Print all declarations as a schema/1 manifest", "schema:schema_export",
        examples=("schema-export",),
    ),
    Command(
        "schema-check", SCHEMA, "Compare the declarations with a manifest", "schema:schema_check",
        arguments=(MANIFEST,),
        options=(flag("--strict", "exit with status 1 when they differ"),),
        examples=("schema-check @schema.json",),
    ),
    Command(
        "schema-apply", SCHEMA, "Make the declarations equal to a manifest", "schema:schema_apply", WRITES,
        arguments=(MANIFEST,),
        options=SIGNED,
        examples=("schema-apply @schema.json",),
    ),
)  # fmt: skip
