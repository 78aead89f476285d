"""What surrounds a fact: its entity's name and other facts, who stated it, the notes before and after it, and links."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from fgraph import limits
from fgraph.file import genesis
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.search import weighing, weights
from fgraph.search.candidates import Candidate, Gathered
from fgraph.search.question import Question
from fgraph.search.weighing import Grades, Match
from fgraph.values.logical import TEXT, TEXT_REF

FOLLOWING = (1, 2)  # how far behind a good note one is taken up that holds no word of the question
# A source that counts on inside of another, which puts its notes into one row: `chat-7:12`, `D3/turn-4`.
COUNTED = re.compile(r"(.*\d)[\W_]+(?:[^\W\d_]+[\W_]*)?\d+")


class Surroundings:
    """Looks up what surrounds the candidates of one search, in few statements."""

    def __init__(self, reader: Reader, question: Question, gathered: Gathered, own: dict[int, Match]) -> None:
        self._reader = reader
        self._question = question
        self._own = own
        self._labels: dict[int, Grades] = {}
        self._by_entity: dict[int, list[Candidate]] = defaultdict(list)
        for candidate in gathered.facts:
            self._by_entity[candidate.entity].append(candidate)
        reader.warm({number for one in gathered.facts for number in (one.entity, one.attribute)})
        self._stated: dict[int, Grades] = {}
        self._statements: dict[int, list[str]] = {}  # the texts that these grades are of
        self._source: dict[int, str] = {}
        self._rows: dict[str, dict[int, list[Candidate]]] = defaultdict(dict)
        self._links: dict[int, list[int]] = {}
        self._taken_up = set(gathered.stated)
        self._read_provenance(self._taken_up)

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

    def is_stated(self, candidate: Candidate) -> bool:
        """Whether the candidate was taken up because its author or source meets a term."""
        return candidate.tx in self._taken_up

    def marked_statement(self, candidate: Candidate) -> str:
        """Author and source, with the words that meet a term in brackets."""
        return " ".join(weighing.marked(self._question, text) for text in self._statements.get(candidate.tx, ()))

    def near(self, candidate: Candidate) -> list[tuple[float, Grades]]:
        """What is known without looking at more facts: names, and the entity's other candidates."""
        found = [(weights.NAME, self._label(candidate.entity)), (weights.ATTRIBUTE, self._label(candidate.attribute))]
        if self.is_stated(candidate):
            found.append((weights.STATED, self._stated[candidate.tx]))
        for other in self._by_entity[candidate.entity]:
            if other.fact != candidate.fact:
                found.append((weights.SIBLING, self._own[other.fact].best))
                found.append((weights.SIBLING * weights.ATTRIBUTE, self._label(other.attribute)))
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
        self._read_provenance({one.tx for one in (*notes, *front)} - self._taken_up)
        for one in notes:
            self._rows[self._source.get(one.tx, "")].setdefault(one.entity, []).append(one)
        self._read_links({one.entity for one in front})

    def wide(self, candidate: Candidate) -> list[tuple[float, Grades]]:
        """What the facts around a candidate say: who stated it, the notes before and after it, linked entities."""
        found = [] if self.is_stated(candidate) else [(weights.STATED, self._stated.get(candidate.tx, {}))]
        bond = 1.0 if candidate.tx in self._source else weights.UNSOURCED
        for step, notes in self._beside(candidate, weights.BESIDE):
            answers = weights.ANSWER if step == -1 and any(one.asks for one in notes) else 1.0
            found.append((bond * weights.BESIDE[step] * answers, self._texts(notes[0].entity)))
        return found + [(weights.LINKED, self._entity(other)) for other in self._links.get(candidate.entity, ())]

    def following(self, candidate: Candidate) -> Iterator[Candidate]:
        """The notes right after one that may answer without any word of the question.

        These are lines of a conversation, and for a long question also what has the same source or transaction.
        """
        for _, notes in self._beside(candidate, FOLLOWING):
            note = next((one for one in notes if one.attribute == candidate.attribute), notes[0])
            conversation = candidate.asks or (candidate.is_spoken and note.is_spoken)
            together = note.tx == candidate.tx or candidate.tx in self._source
            if conversation or (together and self._question.is_long):
                yield note

    def _beside(self, candidate: Candidate, steps: Iterable[int]) -> Iterator[tuple[int, list[Candidate]]]:
        """The texts of the entities so many steps before or after the candidate's, in the order they were written."""
        row = self._rows[self._source.get(candidate.tx, "")]
        entities = list(row)
        place = entities.index(candidate.entity) if candidate.entity in row else None
        for step in steps if place is not None else ():
            notes = row[entities[place + step]] if 0 <= place + step < len(entities) else []
            if notes and abs(notes[0].fact - candidate.fact) <= limits.SEARCH_WINDOW:
                yield step, notes

    def _texts(self, number: int) -> Grades:
        """The best of an entity's facts among the candidates."""
        best: Grades = {}
        for candidate in self._by_entity.get(number, ()):
            for index, grade in self._own[candidate.fact].best.items():
                best[index] = max(grade, best.get(index, 0.0))
        return best

    def _entity(self, number: int) -> Grades:
        """The same with the entity's name."""
        best = self._texts(number)
        for index, grade in self._label(number).items():
            best[index] = max(grade, best.get(index, 0.0))
        return best

    def _windows(self, front: list[Candidate]) -> list[Candidate]:
        """The texts before and after some candidates, by fact id; a long one without what it says."""
        wanted = {
            fact
            for one in front
            for fact in range(one.fact - limits.SEARCH_WINDOW, one.fact + limits.SEARCH_WINDOW + 1)
        }
        found: list[Candidate] = []
        for part in chunks(sorted(wanted)):
            sql = f"""
                SELECT id, e, a, tx, CASE t WHEN {TEXT} THEN v ELSE '' END
                FROM fgraph_facts NOT INDEXED
                WHERE id IN ({placeholders(part)}) AND rx IS NULL AND t IN ({TEXT}, {TEXT_REF})
                  AND a >= {limits.FIRST_USER_ID}
                ORDER BY id
            """
            found += [Candidate(*row) for row in self._reader.fetch(sql, part)]
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
                self._statements.setdefault(tx, []).append(text)

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
        self._links = {entity: others for entity, others in found.items() if len(others) <= limits.SEARCH_LINKS}
        self._reader.warm({other for others in self._links.values() for other in others})
