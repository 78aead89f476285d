"""Which facts are weighed: the best by full text, those that hold letters inside of words, those of named entities."""

from typing import NamedTuple

from fgraph import limits
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.search import fulltext
from fgraph.search.question import Question, Term
from fgraph.search.request import Request
from fgraph.search.vocabulary import Vocabulary
from fgraph.search.work import Work
from fgraph.values.logical import TEXT, TEXT_REF, VECTOR


class Candidate(NamedTuple):
    """A live fact; `text` is empty for a value that is no text."""

    fact: int
    entity: int
    attribute: int
    tx: int
    text: str


class Gathered(NamedTuple):
    """The candidates, and whether they are all facts that could match."""

    facts: list[Candidate]
    complete: bool


def gather(
    reader: Reader,
    request: Request,
    question: Question,
    vocabulary: Vocabulary,
    allowed: set[int] | None,
    walked: set[int],
    work: Work,
) -> Gathered:
    """The facts to weigh. One unit for each fact looked at that is not among those `walked` already."""
    most = max(limits.SEARCH_ROWS, 2 * request.list_cap)
    finder = _Finder(reader, request, allowed)
    found, whole = finder.by_words(expression(question, vocabulary), most, work.left + len(walked) + 1)
    inside, all_inside = finder.by_letters([term.text for term in question.terms if term.gram], most)
    named = finder.by_names(_named(question, vocabulary, allowed))
    numbers = {row[0] for row in (*found, *inside, *named)}
    work.spend(len(numbers - walked), "facts that hold a word")
    kept = {row[0]: row for rows in (found, inside, named) for row in finder.let_through(rows)[:most]}
    return Gathered(finder.with_texts(kept), whole and all_inside)


def expression(question: Question, vocabulary: Vocabulary) -> str:
    """The full-text expression for facts that hold at least one term, in one of its forms or inside a joined word."""
    patterns = list(question.patterns)
    for term in question.terms:
        if not term.gram:
            patterns += [f'"{run}" *' for run in vocabulary.compounds(term.keys)]
    return " OR ".join(dict.fromkeys(patterns))


def _named(question: Question, vocabulary: Vocabulary, allowed: set[int] | None) -> list[int]:
    """The entities whose names meet the rarest and most terms."""
    scores: dict[int, float] = {}
    for index in range(len(question.terms)):
        entities = vocabulary.named(question, index)
        for entity in entities:
            if allowed is None or entity in allowed:
                scores[entity] = scores.get(entity, 0.0) + 1 / len(entities)
    return sorted(scores, key=lambda entity: (-scores[entity], -entity))[: limits.SEARCH_NAMED]


class _Finder:
    """Runs the statements; all of them give (fact, entity, attribute, tx) of live facts of own attributes."""

    def __init__(self, reader: Reader, request: Request, allowed: set[int] | None) -> None:
        self._reader = reader
        self._allowed = allowed
        self._attributes = request.text_attributes
        self._condition = fulltext.condition(request.text_attributes)

    def by_words(self, expression: str, most: int, budget: int) -> tuple[list[tuple], bool]:
        """The best by full-text rank, and whether that is all of them; where entities are filtered, all of them."""
        if not expression:
            return [], True
        wanted = (self._reader, expression, self._attributes)
        if self._allowed is not None:
            rows = fulltext.every(*wanted, budget, True).rows
            return rows, len(self.let_through(rows)) <= most
        found = fulltext.best(*wanted, most + 1, True)
        if not found.all and len(found.rows) <= most // 2:
            found = fulltext.every(*wanted, most + 1, True)
        return found.rows[:most], found.all

    def by_letters(self, grams: list[str], most: int) -> tuple[list[tuple], bool]:
        """Those that hold the most and rarest groups of letters, found by reading every text."""
        if not grams:
            return [], True
        mask = " + ".join(f"((instr(t.text, ?{n}) > 0) << {n - 1})" for n in range(1, len(grams) + 1))
        sql = f"""
            SELECT f.id, f.e, f.a, f.tx, t.held
            FROM (SELECT rowid AS id, {mask} AS held FROM fgraph_fts t) t
            CROSS JOIN fgraph_facts f ON f.id = t.id
            WHERE t.held <> 0 AND {self._condition}
        """
        rows = self._reader.fetch(sql, grams)
        counts = [sum(row[4] >> bit & 1 for row in rows) for bit in range(len(grams))]
        rows.sort(key=lambda row: (-sum(1 / counts[bit] for bit in range(len(grams)) if row[4] >> bit & 1), -row[0]))
        return [row[:4] for row in rows[:most]], len(rows) <= most

    def by_names(self, entities: list[int]) -> list[tuple]:
        """The first facts of each entity, vectors left out."""
        found: list[tuple] = []
        for part in chunks(entities):
            sql = f"""
                SELECT id, e, a, tx
                FROM (
                    SELECT f.id, f.e, f.a, f.tx, row_number() OVER (PARTITION BY f.e ORDER BY f.id) AS place
                    FROM fgraph_facts f INDEXED BY fgraph_eavt
                    WHERE f.e IN ({placeholders(part)}) AND f.t <> {VECTOR} AND {self._condition}
                )
                WHERE place <= {limits.SEARCH_NAMED_FACTS}
            """
            found += self._reader.fetch(sql, part)
        return found

    def let_through(self, rows: list[tuple]) -> list[tuple]:
        """The rows whose entities pass the filters."""
        return rows if self._allowed is None else [row for row in rows if row[1] in self._allowed]

    def with_texts(self, rows: dict[int, tuple]) -> list[Candidate]:
        """The rows as candidates, in the order they were found."""
        texts: dict[int, str] = {}
        for part in chunks(list(rows)):
            self._reader.store.check_cancelled()
            sql = f"""
                SELECT f.id, substr(CASE f.t WHEN {TEXT} THEN f.v ELSE b.data END, 1, {limits.SEARCH_TEXT_CHARS})
                FROM fgraph_facts f
                LEFT JOIN fgraph_blobs b ON f.t = {TEXT_REF} AND b.hash = f.v
                WHERE f.id IN ({placeholders(part)}) AND f.t IN ({TEXT}, {TEXT_REF})
            """
            texts.update((number, text) for number, text in self._reader.fetch(sql, part) if isinstance(text, str))
        return [Candidate(*row, texts.get(row[0], "")) for row in rows.values()]


def frequencies(reader: Reader, question: Question) -> list[int]:
    """In how many full-text rows each term occurs: for files with more matches than are weighed."""
    counts = []
    for term in question.terms:
        if term.gram:
            sql, what = "SELECT count(*) FROM fgraph_fts WHERE instr(text, ?) > 0", term.text
        else:
            sql, what = "SELECT count(*) FROM fgraph_fts WHERE fgraph_fts MATCH ?", " OR ".join(term.patterns)
        counts.append(reader.fetch(sql, (what,))[0][0])
    return counts


def total(reader: Reader) -> int:
    """Full-text rows of the file."""
    return reader.fetch("SELECT count(*) FROM fgraph_fts_docsize")[0][0]


def holders(reader: Reader, term: Term, facts: list[int]) -> list[int]:
    """Those of some facts in whose texts a term occurs anywhere."""
    found: list[int] = []
    for part in chunks(facts):
        matching = "instr(text, ?) > 0" if term.gram else "fgraph_fts MATCH ?"
        sql = f"SELECT rowid FROM fgraph_fts WHERE {matching} AND rowid IN ({placeholders(part)})"
        what = term.text if term.gram else " OR ".join(term.patterns)
        found += [row[0] for row in reader.fetch(sql, (what, *part))]
    return found
