"""What surrounds a fact: its entity's name and other facts, who stated it, the notes before and after it, and links."""

import re
from bisect import bisect_left
from collections import defaultdict

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
NAME, ATTRIBUTE, SIBLING, STATED, LINKED = 0.6, 0.3, 0.5, 0.5, 0.2
# The same for the notes before and after it: what was just said explains a note better than what comes next.
BESIDE = {-3: 0.2, -2: 0.3, -1: 0.5, 1: 0.25, 2: 0.1}
FOLLOWING = (1, 2)  # how far behind a good note one is taken up that holds no word of the question
WINDOW = 20  # fact ids on either side in which the notes before and after are looked for
LINKS = 8  # an entity with more links than this says nothing about each of them
COUNTED = re.compile(r"(.*\d)[\W_]+[^\W\d_]*\d+")  # a source that counts on inside of another: `chat-7:12`, `D3/turn-4`


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
        self._rows: dict[tuple[int, str], list[Candidate]] = defaultdict(list)
        self._links: dict[int, list[int]] = {}

    # -- names, and the entity's other facts --------------------------------------------------------------------------

    def is_named(self, candidate: Candidate) -> bool:
        """Whether the name of the entity meets a term."""
        return bool(self._label(candidate.entity))

    def labelled(self, candidate: Candidate) -> Grades:
        """How well the names of entity and attribute meet each term."""
        return self._label(candidate.entity) | self._label(candidate.attribute)

    def marked_names(self, candidate: Candidate) -> str:
        """The names of entity and attribute, with the words that meet a term in brackets."""
        labels = (self._reader.label(candidate.entity), self._reader.label(candidate.attribute))
        return " ".join(weighing.marked(self._question, str(label)) for label in labels)

    def near(self, candidate: Candidate) -> list[tuple[float, Grades]]:
        """What is known without looking at more facts: names, and the entity's other candidates."""
        found = [(NAME, self._label(candidate.entity)), (ATTRIBUTE, self._label(candidate.attribute))]
        for other in self._by_entity[candidate.entity]:
            if other.fact != candidate.fact:
                found.append((SIBLING, self._own[other.fact].best))
                found.append((SIBLING * ATTRIBUTE, self._label(other.attribute)))
        return found

    def _label(self, number: int) -> Grades:
        found = self._labels.get(number)
        if found is None:
            label = self._reader.label(number)
            found = weighing.grades(self._question, label) if isinstance(label, str) else {}
            self._labels[number] = found
        return found

    # -- what stands around the best candidates -----------------------------------------------------------------------

    def look_around(self, front: list[Candidate]) -> None:
        """Read it, once for all of them; `wide` and `following` need it."""
        notes = self._windows(front)
        self._read_provenance({one.tx for one in (*notes, *front)})
        for one in notes:
            self._rows[one.attribute, self._source.get(one.tx, "")].append(one)
        self._read_links({one.entity for one in front})

    def wide(self, candidate: Candidate) -> list[tuple[float, Grades]]:
        """What the facts around a candidate say: who stated it, the notes before and after it, linked entities."""
        found = [(STATED, self._stated.get(candidate.tx, {}))]
        row, place = self._place(candidate)
        for step, share in BESIDE.items():
            if 0 <= place + step < len(row) and row[place + step].fact in self._own:
                found.append((share, self._own[row[place + step].fact].best))
        return found + [(LINKED, self._entity(other)) for other in self._links.get(candidate.entity, ())]

    def following(self, front: list[Candidate]) -> list[Candidate]:
        """The notes that come right after one of these in the same source, or in the same transaction."""
        found: dict[int, Candidate] = {}
        for one in front:
            row, place = self._place(one)
            for other in (row[place + step] for step in FOLLOWING if place + step < len(row)):
                if one.tx == other.tx or one.tx in self._source:
                    found[other.fact] = other
        return list(found.values())

    def _entity(self, number: int) -> Grades:
        """The best of an entity's name and of its facts among the candidates."""
        best = dict(self._label(number))
        for candidate in self._by_entity.get(number, ()):
            for index, grade in self._own[candidate.fact].best.items():
                best[index] = max(grade, best.get(index, 0.0))
        return best

    def _place(self, candidate: Candidate) -> tuple[list[Candidate], int]:
        """The notes of the candidate's source and attribute, and its place among them."""
        row = self._rows[candidate.attribute, self._source.get(candidate.tx, "")]
        return row, bisect_left(row, candidate.fact, key=lambda one: one.fact)

    def _windows(self, front: list[Candidate]) -> list[Candidate]:
        """The texts before and after some candidates, by fact id; what they say is not read."""
        wanted = {fact for one in front for fact in range(one.fact - WINDOW, one.fact + WINDOW + 1)}
        attributes = ",".join(str(number) for number in {one.attribute for one in front})
        found: list[Candidate] = []
        for part in chunks(sorted(wanted)):
            sql = f"""
                SELECT id, e, a, tx FROM fgraph_facts NOT INDEXED
                WHERE id IN ({placeholders(part)}) AND rx IS NULL AND t IN ({TEXT}, {TEXT_REF}) AND a IN ({attributes})
                ORDER BY id
            """
            found += [Candidate(*row, "") for row in self._reader.fetch(sql, part)]
        return found

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
                    counted = COUNTED.fullmatch(text)
                    self._source[tx] = counted[1] if counted else text
                self._stated.setdefault(tx, {}).update(weighing.grades(self._question, text))

    def _read_links(self, entities: set[int]) -> None:
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
        self._links = {entity: others for entity, others in found.items() if len(others) <= LINKS}
        self._reader.warm({other for others in self._links.values() for other in others})
