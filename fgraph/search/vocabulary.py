"""What is kept of names and joined words between searches, so that they are found by their parts."""

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.search import question, words

KEPT = "search/vocabulary"
# Texts that may hold words which full-text search does not take apart: case changes, changes of script.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17d3\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
JOINED = ("*[a-z0-9][A-Z]*", "*[A-Z][A-Z][a-z]*", f"*[a-zA-Z0-9][{UNSPACED}]*", f"*[{UNSPACED}][a-zA-Z0-9]*")


def vocabulary(reader: Reader) -> "Vocabulary":
    """The vocabulary of the file, brought up to the reader's basis."""
    kept = reader.store.memo(KEPT, Vocabulary)
    kept.follow(reader)
    return kept


class Vocabulary:
    """Entities by the words of their names, and joined words by their parts; both grow, neither is ever wrong.

    A name that lost its facts or a word that is in no text any more finds nothing.
    """

    def __init__(self) -> None:
        self._basis = 0
        self._last_fact = 0
        self._names: dict[str, list[int]] = {}
        self._compounds: dict[str, list[str]] = {}
        self._seen: set[str] = set()
        self._room_names = limits.SEARCH_NAMES

    def named(self, keys: tuple[str, ...]) -> list[int]:
        """Entities with a word of these keys in their names, oldest first."""
        found: dict[int, None] = {}
        for key in keys:
            found.update(dict.fromkeys(self._names.get(key, ())))
        return list(found)

    def compounds(self, keys: tuple[str, ...]) -> list[str]:
        """Joined words with such a part, first seen first."""
        found: dict[str, None] = {}
        for key in keys:
            found.update(dict.fromkeys(self._compounds.get(key, ())))
        return list(found)[: limits.SEARCH_COMPOUNDS_PER_TERM]

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
            LIMIT ?
        """
        rows = reader.fetch(sql, (self._basis, reader.basis, limits.FIRST_USER_ID, self._room_names))
        self._room_names -= len(rows)
        for number, name in rows:
            for key in _keys(name):
                self._names.setdefault(key, []).append(number)

    def _add_compounds(self, reader: Reader) -> None:
        newest = reader.fetch("SELECT max(rowid) FROM fgraph_fts")[0][0] or 0
        sql = f"""
            SELECT text FROM fgraph_fts
            WHERE rowid > ? AND rowid <= ? AND ({" OR ".join("text GLOB ?" for _ in JOINED)})
            ORDER BY rowid
        """
        for (text,) in reader.connection.execute(sql, (self._last_fact, newest, *JOINED)):
            for run in words.RUN.findall(text[: limits.SEARCH_TEXT_CHARS]):
                for part in run.split("_"):
                    self._add_compound(part[: limits.SEARCH_WORD_CHARS])
        self._last_fact = newest

    def _add_compound(self, run: str) -> None:
        parts = words.pieces(run)
        if len(parts) < 2 or run in self._seen or len(self._seen) >= limits.SEARCH_COMPOUNDS:
            return
        self._seen.add(run)
        for part in parts:
            if not words.is_unspaced(part):
                for key in question.keys(part):
                    self._compounds.setdefault(key, []).append(run)


def _keys(name: str) -> set[str]:
    """The keys of every word of a name; of a joined word also those of the whole."""
    found: set[str] = set()
    for run in words.RUN.findall(name):
        parts = words.pieces(run)
        if len(parts) > 1:
            parts = (*parts, "".join(parts))
        for part in parts:
            found.update(question.keys(part))
    return found
