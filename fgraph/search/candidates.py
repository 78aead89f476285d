"""Which facts are weighed for a question: those that hold most of it, and those of entities that it names."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from fgraph import limits
from fgraph.file import genesis
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.search import fulltext, weighing, weights
from fgraph.search.question import Question
from fgraph.search.request import Request
from fgraph.search.vocabulary import Vocabulary
from fgraph.search.work import Work
from fgraph.values.logical import TEXT, TEXT_REF, VECTOR, damaged

QUESTION_MARKS = ("?", "\uff1f", "\u061f")  # also as Chinese, Japanese and Arabic write it
SPEAKER = re.compile(r"[^.!?]{0,48}?\b[^\W\d_]+:\s")  # `Ada: `, perhaps with a date or number before it
PUNCTUATION = "\"'`.,;:!?()[]{}<>"


class Candidate(NamedTuple):
    """A live fact; `text` is empty for a value that is no text."""

    fact: int
    entity: int
    attribute: int
    tx: int
    text: str

    @property
    def asks(self) -> bool:
        """Whether the text ends in a question."""
        return self.text.rstrip().endswith(QUESTION_MARKS)

    @property
    def is_spoken(self) -> bool:
        """Whether the text begins with who says it."""
        return SPEAKER.match(self.text) is not None


class Holders(NamedTuple):
    """The full-text rows that hold a term, in one of its forms or inside of another word; and those of its synonyms."""

    own: list[int]
    synonyms: list[int]


class Gathered(NamedTuple):
    """The candidates, whether they are all facts that could match, and the holders of each term.

    `stated` are transactions whose author or source meets a term.
    """

    facts: list[Candidate]
    complete: bool
    holders: list[Holders]
    stated: list[int]


def gather(
    reader: Reader,
    request: Request,
    question: Question,
    vocabulary: Vocabulary,
    allowed: set[int] | None,
    walked: set[int],
    work: Work,
) -> Gathered:
    """The facts to weigh; one unit for each fact looked at that is not among those `walked` already."""
    holders = _holders(reader, question, vocabulary)
    sieve = _Sieve(holders, total(reader))
    most = limits.SEARCH_ROWS_PER_ENTITY * request.list_cap
    finder = _Finder(reader, request, allowed, walked, work)
    rows, complete = finder.among(sieve.heaviest(), limits.SEARCH_SIFTED * most)
    if len(rows) > most:
        rows, complete = sieve.of_heaviest_entities(rows)[:most], False
    rows += finder.of_entities(_named(reader, request.text, question, vocabulary, allowed))
    stated = finder.transactions()
    rows += finder.of_transactions(stated)
    return Gathered(finder.with_texts({row[0]: row for row in rows}), complete, holders, stated)


def total(reader: Reader) -> int:
    """Full-text rows of the file."""
    return reader.fetch("SELECT count(*) FROM fgraph_fts_docsize")[0][0]


def _holders(reader: Reader, question: Question, vocabulary: Vocabulary) -> list[Holders]:
    inside = _inside(reader, [term.text for term in question.terms if term.gram])
    found: list[Holders] = []
    for index, term in enumerate(question.terms):
        if term.gram:
            found.append(Holders(next(inside), []))
            continue
        joined = [f'"{run}" *' for run in vocabulary.compounds(reader, term.keys)]
        own = _rows(reader, [*question.patterns(index), *joined])
        found.append(Holders(own, _rows(reader, term.synonym_patterns) if term.synonym_patterns else []))
    return found


def _rows(reader: Reader, patterns: Iterable[str]) -> list[int]:
    rows = reader.fetch("SELECT rowid FROM fgraph_fts WHERE fgraph_fts MATCH ?", (" OR ".join(patterns),))
    return [row[0] for row in rows]


def _inside(reader: Reader, grams: list[str]) -> Iterator[list[int]]:
    """For each group of letters the rows that hold it anywhere, found by reading every text once."""
    if not grams:
        return
    mask = " + ".join(f"((instr(text, ?{n}) > 0) << {n - 1})" for n in range(1, len(grams) + 1))
    rows = reader.fetch(f"SELECT rowid, {mask} AS held FROM fgraph_fts WHERE held <> 0", grams)
    for bit in range(len(grams)):
        yield [number for number, held in rows if held >> bit & 1]


class _Sieve:
    """Orders facts by the summed rarity of the terms they hold, the newest first among equals."""

    def __init__(self, holders: list[Holders], total: int) -> None:
        self._worth: list[float] = []  # of each bit
        self._weights: dict[int, float] = {}
        self._terms: dict[int, int] = defaultdict(int)  # by fact: two bits for each term, the second for synonyms
        for one in holders:
            rarity = weighing.rarity(len(one.own) or len(one.synonyms), total)
            self._take(one.own, rarity)
            self._take(set(one.synonyms).difference(one.own), weights.SYNONYM * rarity)

    def _take(self, rows: Iterable[int], worth: float) -> None:
        bit = 1 << len(self._worth)
        self._worth.append(worth)
        for row in rows:
            self._terms[row] |= bit

    def heaviest(self) -> Iterator[int]:
        """All of them."""
        alike: dict[int, list[int]] = defaultdict(list)
        for row, terms in self._terms.items():
            alike[terms].append(row)
        equals: dict[float, list[int]] = defaultdict(list)
        for terms, rows in alike.items():
            equals[self._weight(terms)] += rows
        for weight in sorted(equals, reverse=True):
            yield from sorted(equals[weight], reverse=True)

    def of_heaviest_entities(self, rows: list[tuple]) -> list[tuple]:
        """Facts that come in this order, a few of each entity by what all those of the entity hold.

        An entity may say who speaks in one fact and what is said in another.
        """
        terms: dict[int, int] = defaultdict(int)
        for row in rows:
            terms[row[1]] |= self._terms[row[0]]
        weight: dict[int, float] = {}
        seen: dict[int, int] = defaultdict(int)
        for row in rows:
            seen[row[1]] += 1
            few = seen[row[1]] <= limits.SEARCH_ROWS_OF_ONE
            weight[row[0]] = self._weight(terms[row[1]] if few else self._terms[row[0]])
        return sorted(rows, key=lambda row: -weight[row[0]])

    def _weight(self, terms: int) -> float:
        if terms not in self._weights:
            self._weights[terms] = sum(worth for bit, worth in enumerate(self._worth) if terms >> bit & 1)
        return self._weights[terms]


def _named(
    reader: Reader, text: str, question: Question, vocabulary: Vocabulary, allowed: set[int] | None
) -> list[int]:
    """The entities that the question names in full, and those whose names meet its rarest and most terms."""
    scores: dict[int, float] = {}
    for word in text.split()[: limits.SEARCH_TERMS]:
        entity = _entity(reader, word)
        if entity is not None:
            scores[entity] = 1.0
    for index in range(len(question.terms)):
        entities = vocabulary.named(question, index)
        for entity in entities:
            scores[entity] = scores.get(entity, 0.0) + 1 / len(entities)
    passing = scores if allowed is None else allowed & scores.keys()
    return sorted(passing, key=lambda entity: (-scores[entity], -entity))[: limits.SEARCH_NAMED]


def _entity(reader: Reader, word: str) -> int | None:
    """The entity with exactly this name, punctuation around it left out where there is none."""
    bare = word.strip(PUNCTUATION)
    return next((found for name in (word, bare) if name and (found := reader.id_of(name)) is not None), None)


class _Finder:
    """Looks up facts as (fact, entity, attribute, tx), counts them, and lets the filtered entities through."""

    def __init__(
        self, reader: Reader, request: Request, allowed: set[int] | None, walked: set[int], work: Work
    ) -> None:
        self._reader = reader
        self._condition = fulltext.condition(request.text_attributes)
        self._allowed = allowed
        self._looked_at = set(walked)
        self._work = work
        self._set_aside: list[int] = []  # rows that hold a term and are no facts that may be found

    def among(self, numbers: Iterator[int], most: int) -> tuple[list[tuple], bool]:
        """The first `most` of these facts that may be found, and whether there are no more."""
        found: list[tuple] = []
        while part := list(islice(numbers, limits.SEARCH_ROWS_AT_ONCE)):
            rows = fulltext.among(self._reader, part, self._condition)
            self._set_aside += set(part).difference(row[0] for row in rows) if len(rows) < len(part) else ()
            for row in rows:
                if len(found) == most:
                    return found, False
                if self._passes(row):
                    found.append(row)
        return found, True

    def of_entities(self, entities: list[int]) -> list[tuple]:
        """The first facts of each entity, vectors left out."""
        return self._first_of_each("e", "fgraph_eavt", entities, limits.SEARCH_NAMED_FACTS)

    def transactions(self) -> list[int]:
        """The newest transactions whose author or source holds a term, of the rows that were looked up."""
        found: set[int] = set()
        for part in chunks(self._set_aside):
            sql = f"""
                SELECT e FROM fgraph_facts NOT INDEXED
                WHERE id IN ({placeholders(part)}) AND a IN ({genesis.BY}, {genesis.SOURCE}) AND rx IS NULL
            """
            found.update(row[0] for row in self._reader.fetch(sql, part))
        return sorted(found, reverse=True)[: limits.SEARCH_STATED]

    def of_transactions(self, transactions: list[int]) -> list[tuple]:
        """The first facts that each of some transactions stated, vectors left out."""
        return self._first_of_each("tx", "fgraph_txin", transactions, limits.SEARCH_STATED_FACTS)

    def _first_of_each(self, column: str, index: str, numbers: list[int], most: int) -> list[tuple]:
        """The first `most` facts with each number in a column, vectors left out."""
        found: list[tuple] = []
        for part in chunks(numbers):
            sql = f"""
                SELECT id, e, a, tx
                FROM (
                    SELECT f.id, f.e, f.a, f.tx, row_number() OVER (PARTITION BY f.{column} ORDER BY f.id) AS place
                    FROM fgraph_facts f INDEXED BY {index}
                    WHERE f.{column} IN ({placeholders(part)}) AND f.t <> {VECTOR} AND {self._condition}
                )
                WHERE place <= {most}
            """
            found += filter(self._passes, self._reader.fetch(sql, part))
        return found

    def with_texts(self, rows: dict[int, tuple]) -> list[Candidate]:
        """The facts as candidates, in the order they were found."""
        texts: dict[int, str] = {}
        for part in chunks(list(rows)):
            self._reader.store.check_cancelled()
            sql = f"""
                SELECT f.id, substr(CASE f.t WHEN {TEXT} THEN f.v ELSE b.data END, 1, {limits.SEARCH_TEXT_CHARS})
                FROM fgraph_facts f NOT INDEXED
                LEFT JOIN fgraph_blobs b ON f.t = {TEXT_REF} AND b.hash = f.v
                WHERE f.id IN ({placeholders(part)}) AND f.t IN ({TEXT}, {TEXT_REF})
            """
            for number, text in self._reader.fetch(sql, part):
                if not isinstance(text, str):
                    raise damaged("the payload of a long text is missing or of the wrong kind")
                texts[number] = text
        return [Candidate(*row, texts.get(row[0], "")) for row in rows.values()]

    def _passes(self, row: tuple) -> bool:
        """Count a fact, and say whether its entity is let through."""
        if row[0] not in self._looked_at:
            self._looked_at.add(row[0])
            self._work.spend(1, "facts that hold a word")
        return self._allowed is None or row[1] in self._allowed
