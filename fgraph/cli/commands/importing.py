"""The import-memory command: the JSONL file of the knowledge-graph memory server becomes facts in one transaction."""

import hashlib
import os
from collections.abc import Iterable

from fgraph import errors
from fgraph.cli import place
from fgraph.cli.call import Call, Outcome, view
from fgraph.cli.commands.memory import author
from fgraph.cli.commands.writing import written
from fgraph.cli.memory_names import attribute_part, entity_name
from fgraph.cli.source import JSON_BLANKS, STDIN, Line, json_line, lines, opened, plain
from fgraph.values.canonical import canonical

KIND, OBSERVATION, RELATION = "memory/kind", "memory/observation", "relation/"
FORM = (
    'a line is {"type":"entity","name":…,"entityType":…,"observations":[…]} or '
    '{"type":"relation","from":…,"to":…,"relationType":…}'
)


def import_memory(call: Call) -> Outcome:
    """Take over the whole file or nothing; the request is named after its content, so a repetition changes nothing."""
    stream, name = opened(call["file"], at_path=False)
    with stream:
        graph = Graph()
        for line in lines(stream, name):
            if line.text.strip(JSON_BLANKS):
                graph.take(line)
    if not any(graph.counts().values()):
        raise errors.TypeError(f"{name} holds no entity and no relation; nothing was imported", hint=FORM)
    data = graph.data()
    options = {"by": author(call), "source": _source(call)}
    digest = hashlib.sha256(canonical([data, options]).encode()).hexdigest()
    with place.writing(call, only_if_written=True) as db:
        report = written(call, db.transact(data, operation_id=f"import-memory:{digest}", **options)).value
    result = {**graph.counts(), "report": report}
    return Outcome(result, view("show.imported", graph.counts(), report))


def _source(call: Call) -> str:
    if call["source"] is not None:
        return plain(call["source"], "--source")
    return "standard input" if call["file"] == STDIN else plain(os.path.basename(call["file"]), "FILE")


class Graph:
    """The entities and relations of the file, each once, in order of first appearance."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._observations: dict[str, dict[str, None]] = {}
        self._relations: dict[str, dict[tuple[str, str], None]] = {}

    def take(self, line: Line) -> None:
        """Add what one line says. Raises `TypeError` naming the line."""
        record = json_line(line)
        kind = record.get("type") if isinstance(record, dict) else None
        if kind == "entity":
            self._take_entity(line, record)
        elif kind == "relation":
            self._take_relation(line, record)
        else:
            raise _damaged(line, "is neither an entity nor a relation")

    def _take_entity(self, line: Line, record: dict) -> None:
        name = entity_name(_word(line, record, "name"))
        observations = record.get("observations")
        if not isinstance(observations, list) or not all(isinstance(text, str) for text in observations):
            raise _damaged(line, "has no list of texts under observations")
        self._kinds[name] = _word(line, record, "entityType")
        self._observations.setdefault(name, {}).update(dict.fromkeys(observations))

    def _take_relation(self, line: Line, record: dict) -> None:
        pair = (entity_name(_word(line, record, "from")), entity_name(_word(line, record, "to")))
        self._relations.setdefault(_word(line, record, "relationType"), {})[pair] = None

    def data(self) -> list[dict[str, object]]:
        """Transaction data: the declarations first, then a record for each entity and each relation."""
        items: list[dict[str, object]] = [
            {"id": KIND, "fgraph/type": "text"},
            {"id": OBSERVATION, "fgraph/type": "text", "fgraph/many": True},
        ]
        for word in self._relations:
            attribute = RELATION + attribute_part(word)
            doc = {"fgraph/doc": word} if attribute != RELATION + word else {}
            items.append({"id": attribute, "fgraph/type": "ref", "fgraph/many": True, **doc})
        for name, kind in self._kinds.items():
            items.append({"id": name, KIND: kind, OBSERVATION: list(self._observations[name])})
        for word, pairs in self._relations.items():
            attribute = RELATION + attribute_part(word)
            items += [{"id": source, attribute: [{"ref": target}]} for source, target in pairs]
        return items

    def counts(self) -> dict[str, int]:
        """How many of each there are."""
        return {
            "entities": len(self._kinds),
            "observations": _total(self._observations.values()),
            "relations": _total(self._relations.values()),
        }


def _total(parts: Iterable[dict]) -> int:
    return sum(map(len, parts))


def _word(line: Line, record: dict, field: str) -> str:
    word = record.get(field)
    if not isinstance(word, str) or not word:
        raise _damaged(line, f"has no text under {field}")
    return word


def _damaged(line: Line, fault: str) -> errors.TypeError:
    return errors.TypeError(f"line {line.number} {fault}; nothing was imported", hint=FORM)
