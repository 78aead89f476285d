"""How well one fact answers a question: by its own words, and by the words around it."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from fgraph import limits
from fgraph.search import weights, words
from fgraph.search.question import Question

Grades = dict[int, float]  # term index -> how well it is met


class Match:
    """What of a question a text holds.

    `weight` sums the grades of all occurrences, `best` is the best of them, `places` where the first ones stand; `runs`
    is what matched, as it stands in the text; `length` counts all runs of letters.
    """

    __slots__ = ("weight", "best", "places", "runs", "length")

    def __init__(self) -> None:
        self.weight: Grades = {}
        self.best: Grades = {}
        self.places: dict[int, list[int]] = {}
        self.runs: dict[str, None] = {}
        self.length = 0

    def take(self, run: str, place: int, met: Iterable[tuple[int, float]]) -> None:
        """Note that a run, alone or with the one behind it, meets terms."""
        self.runs[run] = None
        for index, grade in met:
            self.weight[index] = self.weight.get(index, 0.0) + grade
            self.best[index] = max(grade, self.best.get(index, 0.0))
            places = self.places.setdefault(index, [])
            if len(places) < limits.SEARCH_REPEATS:
                places.append(place)


def match(question: Question, text: str) -> Match:
    """Read a text once."""
    found = Match()
    runs = words.RUN.findall(words.normal(text))
    found.length = len(runs)
    known = question.met
    for run in set(runs).difference(known):
        question.meet(run)
    for place, run in enumerate(runs):
        if met := known[run]:
            found.take(run, place, met)
    if question.phrasal:
        for place, (run, following) in enumerate(pairwise(runs)):
            if met := question.meet_pair(run, following):
                found.take(run, place, met)
    return found


def grades(question: Question, text: str) -> Grades:
    """How well each term is met somewhere in a text."""
    best: Grades = {}
    for run in words.RUN.findall(words.normal(text)):
        for index, grade in question.met_by(run):
            best[index] = max(grade, best.get(index, 0.0))
    return best


def marked(question: Question, text: str) -> str:
    """A text with the runs that meet a term in brackets, as full-text snippets mark them."""
    return words.RUN.sub(lambda run: f"[{run[0]}]" if question.met_by(run[0]) else run[0], text)


def rarity(count: int, total: int) -> float:
    """The weight of a term that `count` of `total` texts hold, as in BM25; 0 for one that none holds."""
    return math.log(1 + (total - min(count, total) + 0.5) / (count + 0.5)) if count else 0.0


class Scale:
    """Turns matches into scores: rare terms weigh more, long texts less."""

    def __init__(self, counts: Sequence[int], total: int, usual_length: float) -> None:
        self.rarity = [rarity(count, total) for count in counts]
        self._all = sum(self.rarity) or 1.0
        self._usual = usual_length or 1.0

    def score(self, own: Match, around: Iterable[tuple[float, Grades]]) -> float:
        """The score of a fact with its own words, and with weighted grades of what surrounds it."""
        size = 1 - weights.LENGTH + weights.LENGTH * own.length / self._usual
        weight = {index: sum_ / size for index, sum_ in own.weight.items()}
        best = dict(own.best)
        for share, grades in around:
            for index, grade in grades.items():
                weight[index] = weight.get(index, 0.0) + share * grade
                best[index] = max(best.get(index, 0.0), share * grade)
        total = covered = 0.0
        for index, amount in weight.items():
            total += self.rarity[index] * amount * (weights.SATURATION + 1) / (amount + weights.SATURATION)
            covered += self.rarity[index] * best[index]
        return total * (1 - weights.COVERAGE + weights.COVERAGE * min(1.0, covered / self._all)) + self._together(own)

    def _together(self, own: Match) -> float:
        """What is added for words of the question that stand together in the text as they do in the question."""
        added = 0.0
        terms = sorted(own.places)
        for left, right in zip(terms, terms[1:], strict=False):
            gap = min(abs(b - a) + (b < a) for a in own.places[left] for b in own.places[right])
            if gap <= limits.SEARCH_NEAR_PLACES:
                added += weights.NEAR * min(self.rarity[left], self.rarity[right]) / max(1, gap)
        return added
