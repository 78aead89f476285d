"""One thing that a question looks for: where it stands in the full-text table, and how well a word meets it."""

from os.path import commonprefix

from fgraph import limits
from fgraph.search import dates, stems, synonyms, weights

# Few other words begin with a longer stem; the forms of a shorter one are written out.
LONGEST_STEM_WITH_FORMS = 6


class Term:
    """A word, or a group of letters that is looked for inside of words: a gram.

    `patterns` are full-text expressions that find its forms, `synonym_patterns` those that find its synonyms; a gram
    has neither. `covers` names the terms that are met where this one is: the parts of an identifier. `month` is the
    number of the month that the term names, or 0.
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
        own, others = ((), ()) if gram else (_with_irregular((text,)), _with_irregular(synonyms.of(text)))
        self._spellings = own + others
        self.synonym_patterns = tuple(dict.fromkeys(pattern for word in others for pattern in _of_synonym(word)))
        self._root = stems.root(text)
        self._grades = dict.fromkeys(map(stems.stem, others), weights.SYNONYM)
        self._grades |= dict.fromkeys(map(stems.stem, own), weights.STEM)

    @property
    def heads(self) -> set[str]:
        """The first two letters of every word that meets the term; a gram has none."""
        written = () if self.gram else (*dates.forms(self.text, self.month), *self._spellings)
        return {form[:2] for form in written}

    @property
    def keys(self) -> list[str]:
        """Under which keys the kept vocabulary may know joined words that it is a part of."""
        return [key for word in self._spellings for key in keys(word)]

    @property
    def beginnings(self) -> list[str]:
        """One of these is in every word that meets the term."""
        return (
            [self.text] if self.gram else list(dict.fromkeys(part for word in self._spellings for part in _least(word)))
        )

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
        grade = self._grades.get(stems.stem(word), 0.0)
        if grade == weights.STEM or not self.text.isalpha():
            return grade
        if stems.root(word) == self._root:
            return weights.ROOT
        if len(self.text) >= limits.SEARCH_PREFIX_CHARS and word.startswith(self.text):
            return weights.LONGER
        return grade


def keys(word: str) -> tuple[str, ...]:
    """Under which keys a part of a joined word is kept, so that its other forms find it."""
    stem, root = stems.stem(word), stems.root(word)
    return (stem,) if stem == root else (stem, root)


def patterns(word: str) -> tuple[str, ...]:
    """Full-text expressions for a word and its forms."""
    if not word.isascii():
        kept = len(word) - (1 if len(word) < 5 else 2 if len(word) < 8 else 3)
        return (beginning(word[:kept]),) if kept > 2 else (quoted(word),)
    if not word.isalpha():
        return (quoted(word),)
    base = stems.base(word)
    root = _root(base)
    regular = [beginning(root)] if len(root) >= limits.SEARCH_PREFIX_CHARS else map(quoted, stems.forms(base))
    return tuple(dict.fromkeys((*regular, *map(quoted, (word, *stems.irregular_forms(word))))))


def _of_synonym(word: str) -> list[str]:
    """As `patterns`, but without derived words: a synonym of `gift` is `present`, not `presentation`."""
    stem = stems.stem(word).removesuffix("i")
    return [beginning(stem)] if len(stem) > LONGEST_STEM_WITH_FORMS else list(map(quoted, stems.forms(word)))


def _with_irregular(several: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for word in several for form in (word, *stems.irregular_forms(word))))


def _root(word: str) -> str:
    """With what every regular form of an English word begins."""
    return stems.root(word).removesuffix("i")


def _least(word: str) -> list[str]:
    """One of these is in every regular form of a word."""
    root = _root(word)
    if word.isascii() and len(root) >= limits.SEARCH_PREFIX_CHARS:
        return [root]
    # `using` does not hold `use`, and `flies` does not hold `fly`.
    return [word[:3], word[:2] + "i"] if len(word) == 3 and word[-1] in "ey" else [word[:3]]


def _share_beginning(one: str, other: str) -> bool:
    """Whether two words of a script without English endings look like forms of one word."""
    longer = max(len(one), len(other))
    return longer >= limits.SEARCH_PREFIX_CHARS and len(commonprefix((one, other))) >= max(3, longer * weights.ALIKE)


def quoted(word: str) -> str:
    return f'"{word}"'


def beginning(word: str) -> str:
    return f'"{word}" *'
