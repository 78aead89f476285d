"""What surrounds a fact: its entity's name and other facts, who stated it, the notes before and after it, and links."""

import re
from collections import defaultdict
from collections.abc import Iterable

from fgraph import limits
from fgraph.file import genesis
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.search import weighing
from fgraph.search.candidates import Candidate
from fgraph.search.question import Question
from fgraph.search.weighing import Grades, Match
from fgraph.values.logical import TEXT, TEXT_REF

# How much a word counts that stands there instead of in the fact itself.
NAME, ATTRIBUTE, SIBLING, STATED, NEXT, AFTER_NEXT, LINKED = 0.6, 0.3, 0.5, 0.3, 0.35, 0.15, 0.2
WINDOW = 24  # fact ids on either side in which the notes before and after are looked for
LINKS = 8  # an entity with more links than this says nothing about each of them
NUMBERED = re.compile(r"(.*\d)[\W_]+[^\W\d_]*\d+")  # a source that counts on within another: `chat-7:12`, `D3/turn-4`


class Surroundings:
    """Looks up what surrounds the candidates of one search, in few statements."""

    def __init__(self, reader: Reader, question: Question, candidates: list[Candidate], own: dict[int, Match]) -> None:
        self._reader = reader
        self._question = question
        self._own = own
        self._labels: dict[int, Grades] = {}
        self._by_entity: dict[int, list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            self._by_entity[candidate.entity].append(candidate)
        reader.warm({number for one in candidates for number in (one.entity, one.attribute)})
        self._stated: dict[int, Grades] = {}
        self._source: dict[int, str] = {}

    def near(self, candidate: Candidate) -> list[tuple[float, Grades]]:
        """What is known without looking at other facts than candidates: names, and the entity's other facts."""
        found = [(NAME, self._label(candidate.entity)), (ATTRIBUTE, self._label(candidate.attribute))]
        for other in self._by_entity[candidate.entity]:
            if other.fact != candidate.fact:
                found.append((SIBLING, self._own[other.fact].best))
                found.append((ATTRIBUTE * SIBLING, self._label(other.attribute)))
        return found

    def is_named(self, candidate: Candidate) -> bool:
        """Whether the name of the entity meets a term."""
        return bool(self._label(candidate.entity))

    def marked_names(self, candidate: Candidate) -> str:
        """The names of entity and attribute, with the words that meet a term in brackets."""
        labels = (self._reader.label(candidate.entity), self._reader.label(candidate.attribute))
        return " ".join(weighing.marked(self._question, str(label)) for label in labels)

    def wide(self, candidates: list[Candidate]) -> dict[int, list[tuple[float, Grades]]]:
        """What the facts around each candidate say: who stated it, the notes before and after it, linked entities."""
        rows = self._windows(candidates)
        self._read_provenance({one.tx for one in candidates} | {row[2] for row in rows})
        order: dict[tuple[int, str], list[int]] = defaultdict(list)
        for fact, attribute, tx in rows:
            order[attribute, self._family(tx)].append(fact)
        links = self._links({one.entity for one in candidates})
        found = {}
        for one in candidates:
            notes = order[one.attribute, self._family(one.tx)]
            around = [(STATED, self._stated.get(one.tx, {}))]
            around += self._beside(notes, one.fact)
            around += [(LINKED, grades) for grades in map(self._entity, links.get(one.entity, ())) if grades]
            found[one.fact] = around
        return found

    def _label(self, number: int) -> Grades:
        found = self._labels.get(number)
        if found is None:
            label = self._reader.label(number)
            found = weighing.grades(self._question, label) if isinstance(label, str) else {}
            self._labels[number] = found
        return found

    def _entity(self, number: int) -> Grades:
        """The best of an entity's name and of its facts among the candidates."""
        best = dict(self._label(number))
        for candidate in self._by_entity.get(number, ()):
            for index, grade in self._own[candidate.fact].best.items():
                best[index] = max(grade, best.get(index, 0.0))
        return best

    def _beside(self, notes: list[int], fact: int) -> Iterable[tuple[float, Grades]]:
        place = notes.index(fact)
        for step, share in ((1, NEXT), (2, AFTER_NEXT)):
            for other in (place - step, place + step):
                if 0 <= other < len(notes) and notes[other] in self._own:
                    yield share, self._own[notes[other]].best

    def _windows(self, candidates: list[Candidate]) -> list[tuple]:
        """(fact, attribute, tx) of the texts around the candidates, by fact id."""
        wanted: set[int] = set()
        for one in candidates:
            wanted.update(range(one.fact - WINDOW, one.fact + WINDOW + 1))
        attributes = {one.attribute for one in candidates}
        rows: list[tuple] = []
        for part in chunks(sorted(wanted)):
            sql = f"""
                SELECT id, a, tx FROM fgraph_facts
                WHERE id IN ({placeholders(part)}) AND rx IS NULL AND t IN ({TEXT}, {TEXT_REF})
                  AND a IN ({",".join(map(str, attributes))})
                ORDER BY id
            """
            rows += self._reader.fetch(sql, part)
        return rows

    def _read_provenance(self, transactions: set[int]) -> None:
        """What `by` and `source` of each transaction say; the source is also what puts notes into one row."""
        for part in chunks(sorted(transactions)):
            sql = f"""
                SELECT e, a, v FROM fgraph_facts INDEXED BY fgraph_eavt
                WHERE e IN ({placeholders(part)}) AND a IN ({genesis.BY}, {genesis.SOURCE}) AND rx IS NULL
            """
            for tx, attribute, text in self._reader.fetch(sql, part):
                if not isinstance(text, str):
                    continue
                if attribute == genesis.SOURCE:
                    self._source[tx] = text
                known = self._stated.setdefault(tx, {})
                known.update(weighing.grades(self._question, text))

    def _family(self, tx: int) -> str:
        source = self._source.get(tx, "")
        counted = NUMBERED.fullmatch(source)
        return counted[1] if counted else source

    def _links(self, entities: set[int]) -> dict[int, list[int]]:
        """The entities that each entity refers to, or that refer to it, unless they are many."""
        found: dict[int, list[int]] = defaultdict(list)
        for part in chunks(sorted(entities)):
            sql = f"""
                SELECT e, v FROM fgraph_facts INDEXED BY fgraph_eavt
                WHERE e IN ({placeholders(part)}) AND t = 0 AND a >= {limits.FIRST_USER_ID} AND rx IS NULL
                UNION ALL
                SELECT v, e FROM fgraph_facts INDEXED BY fgraph_vaet
                WHERE v IN ({placeholders(part)}) AND t = 0 AND a >= {limits.FIRST_USER_ID} AND rx IS NULL
            """
            for entity, other in self._reader.fetch(sql, part + part):
                found[entity].append(other)
        found = {entity: others for entity, others in found.items() if len(others) <= LINKS}
        self._reader.warm({other for others in found.values() for other in others})
        return found
