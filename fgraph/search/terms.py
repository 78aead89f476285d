"""One thing that a question looks for: where it stands in the full-text table, and how well a word meets it."""

from os.path import commonprefix

from fgraph import limits
from fgraph.search import dates, stems, synonyms, weights


class Term:
    """A word, or a group of letters that is looked for inside of words: a gram.

    `patterns` are full-text expressions that find it; a gram has none. `covers` names the terms that are met where this
    one is: the parts of an identifier. `month` is the number of the month that the term names, or 0.
    """

    def __init__(
        self,
        text: str,
        gram: bool = False,
        patterns: tuple[str, ...] = (),
        covers: tuple[int, ...] = (),
        month: int = 0,
    ) -> None:
        self.text = text
        self.gram = gram
        self.patterns = patterns
        self.covers = covers
        self.month = month
        self._stem = stems.stem(text)
        self._root = stems.root(text)
        self._synonyms = () if gram else synonyms.of(text)
        self._stems_of_synonyms = frozenset(map(stems.stem, self._synonyms))

    @property
    def heads(self) -> set[str]:
        """The first two letters of every word that meets the term; a gram has none."""
        written = () if self.gram else (*dates.forms(self.text, self.month), *self._spellings())
        return {form[:2] for form in written}

    @property
    def keys(self) -> tuple[str, ...]:
        """Under which keys the kept vocabulary may know joined words that it is a part of."""
        return () if self.gram else tuple(key for word in (self.text, *self._synonyms) for key in keys(word))

    @property
    def beginnings(self) -> list[str]:
        """One of these is in every word that meets the term."""
        return [self.text] if self.gram else list(dict.fromkeys(map(_least, self._spellings())))

    def grade(self, word: str) -> float:
        """How well a folded word meets the term: 0 for not at all, 1 for the very word."""
        if self.gram:
            return weights.SAME if self.text in word else 0.0
        if word == self.text:
            return weights.SAME
        if not self.text.isascii():
            return weights.RELATED if _share_beginning(self.text, word) else 0.0
        if dates.same(word, self.text, self.month):
            return weights.STEM
        return self._grade_of_form(word) if word.isascii() else 0.0

    def _grade_of_form(self, word: str) -> float:
        stem = stems.stem(word)
        if stem == self._stem:
            return weights.STEM
        if stem in self._stems_of_synonyms:
            return weights.SYNONYM
        if not self.text.isalpha():
            return 0.0
        if stems.root(word) == self._root:
            return weights.ROOT
        return weights.LONGER if len(self.text) >= limits.SEARCH_PREFIX_CHARS and word.startswith(self.text) else 0.0

    def _spellings(self) -> list[str]:
        """The word and its synonyms, each with its irregular forms."""
        return [form for word in (self.text, *self._synonyms) for form in (word, *stems.irregular_forms(word))]


def keys(word: str) -> tuple[str, ...]:
    """Under which keys a part of a joined word is kept, so that its other forms find it."""
    stem, root = stems.stem(word), stems.root(word)
    return (stem,) if stem == root else (stem, root)


def patterns(word: str) -> tuple[str, ...]:
    """Full-text expressions for a word with its forms and its synonyms."""
    if not word.isascii():
        kept = len(word) - (1 if len(word) < 5 else 2 if len(word) < 8 else 3)
        return (beginning(word[:kept]),) if kept > 2 else (quoted(word),)
    return tuple(dict.fromkeys(pattern for one in (word, *synonyms.of(word)) for pattern in _english(one)))


def _english(word: str) -> list[str]:
    """Full-text expressions for an English word and its forms, or for a number."""
    if not word.isalpha():
        return [quoted(word)]
    root = _root(word)
    regular = [beginning(root)] if len(root) >= limits.SEARCH_PREFIX_CHARS else map(quoted, stems.forms(word))
    return [*regular, *map(quoted, stems.irregular_forms(word))]


def _root(word: str) -> str:
    """With what every regular form of an English word begins."""
    return stems.root(word).removesuffix("i")


def _least(word: str) -> str:
    """What is in every regular form of a word, or in the word itself if it is irregular."""
    root = _root(word)
    if word.isascii() and len(root) >= limits.SEARCH_PREFIX_CHARS and word.startswith(root):
        return root
    return word if word in stems.irregular_forms(word) else word[:3]


def _share_beginning(one: str, other: str) -> bool:
    """Whether two words of a script without English endings look like forms of one word."""
    longer = max(len(one), len(other))
    return longer >= limits.SEARCH_PREFIX_CHARS and len(commonprefix((one, other))) >= max(3, longer * weights.ALIKE)


def quoted(word: str) -> str:
    return f'"{word}"'


def beginning(word: str) -> str:
    return f'"{word}" *'
