"""What is kept of names and joined words between searches, so that they are found by their parts."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from itertools import accumulate, islice

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.search import terms, words
from fgraph.search.question import Question

KEPT = "search/vocabulary"
# In names that are more than a number: `n1042` is found as a whole only.
SPEAKING = re.compile(r"[^\W\d_]{3}|[^\x00-\x7f]")
# Words that full-text search does not take apart: case changes, changes of script.
CASE_CHANGE = re.compile("[A-Z](?<=[a-zA-Z0-9][A-Z])")


def vocabulary(reader: Reader) -> "Vocabulary":
    """The vocabulary of the file, brought up to the reader's basis."""
    kept = reader.store.lasting(KEPT, Vocabulary)
    kept.follow(reader)
    return kept


class Vocabulary:
    """The names of entities, and joined words by their parts; a name that lost its facts finds nothing."""

    def __init__(self) -> None:
        self._basis = 0
        self._named_until = 0  # the last transaction whose names are here
        self._last_fact = 0
        self._entities: list[int] = []
        self._names: list[str] = []
        self._ends: list[int] = []  # where each name ends in `_text`
        self._text = ""  # all names, folded, one a line
        self._compounds: dict[str, dict[str, None]] = {}  # by the key of a part
        self._seen: set[str] = set()

    def named(self, asked: Question, index: int) -> list[int]:
        """Entities whose names meet a term, oldest first; a beginning that so many hold says nothing of any of them."""
        places = {place for part in asked.terms[index].beginnings for place in self._holding(part)}
        return [self._entities[place] for place in sorted(places) if _meets(asked, index, self._names[place])]

    def _holding(self, part: str) -> list[int]:
        """The places of the names that hold some letters; none where there are too many."""
        places: list[int] = []
        start = self._text.find(part)
        while start >= 0:
            places.append(bisect_right(self._ends, start))
            if len(places) > limits.SEARCH_NAMESAKES:
                return []
            start = self._text.find(part, self._ends[places[-1]])
        return places

    def compounds(self, reader: Reader, keys: Iterable[str]) -> list[str]:
        """Joined words with such a part that some text holds, the shortest first; those that none holds are dropped."""
        found = {run for key in keys for run in self._compounds.get(key, ())}
        held: list[str] = []
        for run in sorted(found, key=lambda run: (len(run), run)):
            if len(held) == limits.SEARCH_COMPOUNDS_PER_TERM:
                break
            if reader.fetch("SELECT 1 FROM fgraph_fts WHERE fgraph_fts MATCH ? LIMIT 1", (f'"{run}" *',)):
                held.append(run)
            else:
                self._drop_compound(run)
        return held

    def _drop_compound(self, run: str) -> None:
        self._seen.discard(run)
        for key in _keys(run):
            self._compounds.get(key, {}).pop(run, None)

    def follow(self, reader: Reader) -> None:
        """Take up what was written since the last call."""
        if reader.basis == self._basis:
            return
        self._add_names(reader)
        self._add_compounds(reader)
        self._basis = reader.basis

    def _add_names(self, reader: Reader) -> None:
        sql = """
            SELECT id, name FROM fgraph_ids INDEXED BY fgraph_ids_created
            WHERE created_tx > ? AND created_tx <= ? AND name IS NOT NULL AND id >= ?
            ORDER BY created_tx, id
        """
        rows = reader.connection.execute(sql, (self._named_until, reader.basis, limits.FIRST_USER_ID))
        room = limits.SEARCH_NAMES - len(self._names)
        found = list(islice((row for row in rows if SPEAKING.search(row[1])), room))
        lines = [words.fold(name) + "\n" for _, name in found]
        self._ends += list(accumulate(map(len, lines), initial=len(self._text)))[1:]
        self._text += "".join(lines)
        self._entities += [entity for entity, _ in found]
        self._names += [name for _, name in found]
        self._named_until = reader.basis

    def _add_compounds(self, reader: Reader) -> None:
        newest = reader.fetch("SELECT max(rowid) FROM fgraph_fts")[0][0] or 0
        sql = """
            SELECT text FROM fgraph_fts
            WHERE rowid > ? AND rowid <= ? AND (text <> lower(text) OR length(text) <> length(CAST(text AS BLOB)))
            ORDER BY rowid
        """
        for (text,) in reader.connection.execute(sql, (self._last_fact, newest)):
            if CASE_CHANGE.search(text) or (not text.isascii() and _script_change().search(text)):
                for run in words.RUN.findall(text[: limits.SEARCH_TEXT_CHARS]):
                    for part in run.split("_"):
                        self._add_compound(part[: limits.SEARCH_WORD_CHARS])
        self._last_fact = newest

    def _add_compound(self, run: str) -> None:
        if run in self._seen or len(self._seen) >= limits.SEARCH_COMPOUNDS or len(words.pieces(run)) < 2:
            return
        for key in _keys(run):
            self._compounds.setdefault(key, {})[run] = None
        self._seen.add(run)  # last, so that an interrupt loses nothing


def _keys(run: str) -> list[str]:
    """Under which keys a joined word is kept."""
    return [key for part in words.pieces(run) if not words.is_unspaced(part) for key in terms.keys(part)]


def _meets(asked: Question, index: int, name: str) -> bool:
    return any(met == index for run in words.RUN.findall(name) for met, _ in asked.met_by(run))


@cache
def _script_change() -> re.Pattern:
    """A change between Latin letters and a script without blanks; compiled when the first such text is met."""
    letters = words.UNSPACED_LETTERS
    return re.compile(f"[a-zA-Z0-9](?=[{letters}])|[{letters}](?=[a-zA-Z0-9])")
