"""A question as terms, and how well the words of a text meet them."""

import re
from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

from fgraph import limits
from fgraph.search import dates, phrasal, stems, weights, words
from fgraph.search.terms import Term, beginning, patterns, quoted

# English words that say how something is asked, not what about.
STOP = frozenset(
    (
        "a about all am an and any are as at be been being but by can could did do does doing done for from get gets "
        "got had has have having he her here hers him his how i if in into is it its just let like may me might mine "
        "must my no nor not of on or our ours out over own please shall she should so some such tell than that the "
        "their theirs them then there these they this those to too up us very was we were what when where which while "
        "who whom whose why will with would you your yours "
        "don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain ll ve re s t d m"
    ).split()
)

MAY_I = re.compile(r"\s*May\s+\D")  # elsewhere with a capital letter it is the month


class Question:
    """The terms of a text, in its order, and a memory of how words met them.

    A long one has many terms; one `in_words` is long or has words that only ask, unlike a few keywords.
    """

    def __init__(self, terms: list[Term], joined: dict[str, tuple[int, int]], asking: bool) -> None:
        self.terms = terms
        self.is_long = len(terms) >= limits.SEARCH_LONG_TERMS
        self.in_words = asking or self.is_long
        self._joined = joined
        # A word meets a term inside of it, or begins like it: most words need no closer look.
        self._grams = [index for index, term in enumerate(terms) if term.gram]
        self._heads: dict[str, list[int]] = defaultdict(list)
        for index, term in enumerate(terms):
            for head in term.heads:
                self._heads[head].append(index)
        # Verbs with a particle, which a text may write as two words.
        self.phrasal = {"".join(pair): index for index, term in enumerate(terms) if (pair := phrasal.parts(term.text))}
        self.met: dict[str, tuple[tuple[int, float], ...]] = {}

    def patterns(self, index: int) -> list[str]:
        """Full-text expressions that together find every row that meets a term, except inside of other words."""
        whole = [beginning(joined) for joined, parts in self._joined.items() if index in parts]
        return [*self.terms[index].patterns, *whole]

    def met_by(self, run: str) -> tuple[tuple[int, float], ...]:
        """As `meet`, from memory where the run was seen before."""
        found = self.met.get(run)
        return self.meet(run) if found is None else found

    def meet(self, run: str) -> tuple[tuple[int, float], ...]:
        """(term index, grade) of every term that a run of letters meets, in whole or in part; noted in `met`."""
        if run.isascii() and run.islower() and "_" not in run:
            likely = self._heads.get(run[:2])
            found = tuple(self._grades([(run, likely)]).items()) if likely else ()
        else:
            parts = words.pieces(run)
            if len(parts) > 1 and not any(map(words.is_unspaced, parts)):
                parts = (*parts, "".join(parts))
            found = tuple(self._grades([(word, self._likely(word)) for word in parts]).items())
        self.met[run] = found
        return found

    def meet_pair(self, run: str, following: str) -> tuple[tuple[int, float], ...]:
        """What two runs meet together: `rolled` and `back` meet `rollback`."""
        index = self.phrasal.get(phrasal.join(words.fold(run), words.fold(following)))
        return () if index is None else tuple((met, weights.STEM) for met in (index, *self.terms[index].covers))

    def _likely(self, word: str) -> list[int]:
        found = self._heads.get(word[:2], [])
        return found + self._grams if self._grams and not word.isascii() else found

    def _grades(self, parts: list[tuple[str, list[int]]]) -> dict[int, float]:
        """The best grade of each term that is met by one of these words, compared with the terms beside it."""
        best: dict[int, float] = {}
        for word, likely in parts:
            for index in likely:
                grade = self.terms[index].grade(word)
                for met in (index, *self.terms[index].covers) if grade else ():
                    best[met] = max(grade, best.get(met, 0.0))
            for index in self._joined.get(stems.stem(word), ()) if likely else ():
                best[index] = max(weights.STEM, best.get(index, 0.0))
        return best


def read(text: str) -> Question:
    """The question that a text asks. A text without letters or digits asks nothing: it has no terms."""
    runs = list(dict.fromkeys(run[: limits.SEARCH_WORD_CHARS] for run in words.RUN.findall(words.normal(text))))
    content = [run for run in runs if not _is_filler(run, text)]
    asked = (content or runs)[: limits.SEARCH_ASKED]
    numbers = [run for run in runs if dates.is_number(run)][: limits.SEARCH_TERMS]
    iso = dates.iso_months(text)
    verbs = _phrasal_verbs(runs)
    drafts = [_dated(draft, iso, numbers) for run in asked for draft in (*_drafts(run), *verbs.get(run, ()))]
    drafts = [draft for draft in drafts if not words.is_hiragana(draft.text)] or drafts
    first: dict[str, _Draft] = {}
    for draft in drafts:
        first.setdefault(draft.text, draft)
    kept = list(first.values())[: limits.SEARCH_TERMS]
    places = {draft.text: place for place, draft in enumerate(kept)}
    found = [
        Term(one.text, one.gram, one.patterns, tuple(places[part] for part in one.parts if part in places), one.month)
        for one in kept
    ]
    return Question(found, _joined(asked, places), asking=0 < len(content) < len(runs))


class _Draft(NamedTuple):
    """A term before its place is known."""

    text: str
    gram: bool
    patterns: tuple[str, ...]
    parts: tuple[str, ...] = ()
    month: int = 0


def _is_filler(run: str, text: str) -> bool:
    """Whether a word carries no content; written in capitals inside of other text it is taken for an abbreviation."""
    if run == "May" and not MAY_I.match(text):
        return False
    if run.isupper() and len(run) > 1 and not text.isupper():
        return False
    return words.fold(run) in STOP


def _drafts(run: str) -> list[_Draft]:
    """What one run of letters looks for: its words, and where there are several also all of them as one."""
    parts = words.pieces(run)
    found = [_Draft(gram, True, ()) for part in parts if words.is_unspaced(part) for gram in words.grams(part)]
    plain = tuple(part for part in parts if not words.is_unspaced(part))
    found += [_word(part) for part in plain]
    if len(plain) == len(parts) > 1:
        whole = "".join(plain)
        found.append(_Draft(whole, False, (quoted(whole), quoted(" ".join(plain))), plain))
    return found


def _word(word: str, parts: tuple[str, ...] = ()) -> _Draft:
    """What a word looks for, also where a text writes it as two."""
    pair = phrasal.parts(word)
    phrases = map(quoted, phrasal.phrases(*pair)) if pair else ()
    return _Draft(word, False, (*patterns(word), *phrases), parts)


def _phrasal_verbs(runs: list[str]) -> dict[str, list[_Draft]]:
    """The verbs of a text that stand before their particle, each with both as one word."""
    found: dict[str, list[_Draft]] = {}
    for run, following in pairwise(runs):
        verb, particle = words.fold(run), words.fold(following)
        if whole := phrasal.join(verb, particle):
            found[run] = [_word(whole, (verb, particle))]
    return found


def _dated(draft: _Draft, iso: dict[str, int], numbers: list[str]) -> _Draft:
    """The same draft, with the other ways of writing it where it is a month or may be a day."""
    if draft.gram:
        return draft
    month = dates.month(draft.text) or iso.get(draft.text, 0)
    written = [*dates.names(month), draft.text, *dates.beside(month, numbers)] if month else dates.days(draft.text)
    return draft._replace(patterns=tuple(map(quoted, written)), month=month) if written else draft


def _joined(asked: list[str], places: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Two words next to each other as one: the question `roll back` is met by `rollback`."""
    found: dict[str, tuple[int, int]] = {}
    for left, right in pairwise(map(words.fold, asked)):
        if (
            left in places
            and right in places
            and (left + right).isalnum()
            and len(left + right) <= limits.SEARCH_JOINED_CHARS
        ):
            found[stems.stem(left + right)] = (places[left], places[right])
    return found
