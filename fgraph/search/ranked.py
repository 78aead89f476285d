"""The keyword list of `match="any"`: every word of the question counts, none is required (docs/search.md)."""

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.search import candidates, keyword, question, weighing
from fgraph.search.candidates import Candidate, Gathered
from fgraph.search.context import Surroundings
from fgraph.search.lists import Evidence, Ranking
from fgraph.search.question import ROOT, Question
from fgraph.search.request import Request
from fgraph.search.vocabulary import vocabulary
from fgraph.search.weighing import Match, Scale
from fgraph.search.work import Work

NEWEST = 0.01  # how much of its score the newest candidate gains over the oldest


def ranking(reader: Reader, request: Request, allowed: set[int] | None, work: Work) -> Ranking:
    """First the facts that hold every word, as full-text search ranks them; then the others by their weight."""
    found, walked = keyword.ranking(reader, request, allowed, work, newest_first=True)
    if found.truncated or len(found.evidence) == request.list_cap:
        return found
    asked = question.read(request.text)
    gathered = candidates.gather(reader, request, asked, vocabulary(reader), allowed, walked, work)
    weigher = _Weigher(reader, asked, gathered)
    found.truncated = not gathered.complete
    for candidate in weigher.ordered():
        if candidate.entity in found.evidence:
            continue
        if len(found.evidence) == request.list_cap:
            found.truncated = True
            break
        found.evidence[candidate.entity] = weigher.evidence(candidate)
    return found


class _Weigher:
    """Scores the candidates of one question."""

    def __init__(self, reader: Reader, asked: Question, gathered: Gathered) -> None:
        self._reader = reader
        self._question = asked
        self._facts = gathered.facts
        self._own = {one.fact: self._read(number, one) for number, one in enumerate(gathered.facts)}
        self._read_far_words()
        self._scale = self._make_scale(None if gathered.complete else candidates.frequencies(reader, asked))
        self._around = Surroundings(reader, asked, gathered.facts, self._own)

    def ordered(self) -> list[Candidate]:
        """The candidates that meet a term in their text or in a name, best first."""
        near = {one.fact: self._around.near(one) for one in self._facts}
        facts = [one for one in self._facts if self._own[one.fact].best or self._around.is_named(one)]
        scores = {one.fact: self._scale.score(self._own[one.fact], near[one.fact]) for one in facts}
        facts.sort(key=lambda one: (-scores[one.fact], -one.fact))
        for fact, wide in self._around.wide(facts[: limits.SEARCH_CONTEXT_ROWS]).items():
            scores[fact] = self._scale.score(self._own[fact], [*near[fact], *wide])
        age = {tx: place for place, tx in enumerate(sorted({one.tx for one in facts}), start=1)}
        for one in facts:
            scores[one.fact] *= 1 + NEWEST * age[one.tx] / len(age)
        return sorted(facts, key=lambda one: (-scores[one.fact], -one.tx, one.fact))

    def evidence(self, candidate: Candidate) -> Evidence:
        """The candidate's fact with the words that matched in it, or else with the names that did."""
        match = self._own[candidate.fact]
        if match.runs:
            shown = list(match.runs)[: limits.SEARCH_TERMS]
            return Evidence(candidate.fact, " OR ".join(f'"{run}"' for run in shown))
        if match.best:
            patterns = [pattern for index in match.best for pattern in self._question.terms[index].patterns]
            return Evidence(candidate.fact, " OR ".join(patterns))
        return Evidence(candidate.fact, because=self._around.marked_names(candidate))

    def _read(self, number: int, candidate: Candidate) -> Match:
        if number % 64 == 0:
            self._reader.store.check_cancelled()
        return weighing.match(self._question, candidate.text)

    def _read_far_words(self) -> None:
        """Words of long texts behind the part that is read: full-text search knows whether they are there."""
        cut = [one.fact for one in self._facts if len(one.text) == limits.SEARCH_TEXT_CHARS]
        for index in range(len(self._question.terms)) if cut else ():
            for fact in candidates.holders(self._reader, self._question.terms[index], cut):
                self._own[fact].best.setdefault(index, ROOT)
                self._own[fact].weight.setdefault(index, ROOT)

    def _make_scale(self, counts: list[int] | None) -> Scale:
        matches = list(self._own.values())
        terms = range(len(self._question.terms))
        if counts is None:
            counts = [sum(index in match.best for match in matches) for index in terms]
        lengths = [match.length for match in matches if match.length]
        usual = sum(lengths) / len(lengths) if lengths else 1.0
        return Scale(counts, candidates.total(self._reader), usual)
