"""The keyword list of `match="any"`: every word of the question counts, none is required (docs/search.md)."""

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.search import all_words, candidates, question, weighing, weights
from fgraph.search.candidates import Candidate, Gathered
from fgraph.search.context import Surroundings
from fgraph.search.lists import Evidence, Ranking
from fgraph.search.question import Question
from fgraph.search.request import Request
from fgraph.search.vocabulary import vocabulary
from fgraph.search.weighing import Grades, Match, Scale
from fgraph.search.work import Work

NOTHING = '""'  # a full-text expression that marks no word


def ranking(reader: Reader, request: Request, allowed: set[int] | None, work: Work) -> Ranking:
    """First the facts that hold every word, as full-text search ranks them; then the others by their weight."""
    found, walked = all_words.ranking(reader, request, allowed, work, newest_first=True)
    if found.truncated or len(found.evidence) == request.list_cap:
        return found
    asked = question.read(request.text)
    gathered = candidates.gather(reader, request, asked, vocabulary(reader), allowed, walked, work)
    weigher = _Weigher(reader, request, asked, gathered, allowed)
    found.truncated = not gathered.complete
    for candidate in weigher.ordered(work):
        if candidate.entity in found.evidence:
            continue
        if len(found.evidence) == request.list_cap:
            found.truncated = True
            break
        found.evidence[candidate.entity] = weigher.evidence(candidate)
    return found


class _Weigher:
    """Scores the candidates of one question."""

    def __init__(
        self, reader: Reader, request: Request, asked: Question, gathered: Gathered, allowed: set[int] | None
    ) -> None:
        self._reader = reader
        self._attributes = request.text_attributes
        self._question = asked
        self._facts = gathered.facts
        self._allowed = allowed
        self._own: dict[int, Match] = {}
        for number, one in enumerate(gathered.facts):
            if number % 64 == 0:
                reader.store.check_cancelled()
            self._own[one.fact] = weighing.match(asked, one.text)
        self._add_far_words([one.own for one in gathered.holders])
        self._around = Surroundings(reader, asked, gathered, self._own)
        self._scale = self._make_scale(gathered)

    def ordered(self, work: Work) -> list[Candidate]:
        """The candidates that meet a term by text, name or origin, and what follows the best of them; best first."""
        around = self._around
        facts = [
            one for one in self._facts if self._own[one.fact].best or around.is_named(one) or around.is_stated(one)
        ]
        near = {one.fact: self._around.near(one) for one in facts}
        scores = {one.fact: self._scale.score(self._own[one.fact], near[one.fact]) for one in facts}
        facts.sort(key=lambda one: (-scores[one.fact], -one.fact))
        best: dict[int, Candidate] = {}
        for one in facts:
            best.setdefault(one.entity, one)
        front = list(best.values())[: limits.SEARCH_CONTEXT_ROWS]
        self._around.look_around(front)
        scores |= {one.fact: self._wide_score(one, near) for one in front}
        front.sort(key=lambda one: (-scores[one.fact], -one.fact))
        for one in self._followers(front, work):
            known = best.setdefault(one.entity, one)
            scores[known.fact] = self._wide_score(known, near)
        age = {tx: place for place, tx in enumerate(sorted({one.tx for one in best.values()}), start=1)}
        for one in best.values():
            scores[one.fact] *= 1 + weights.NEWEST * age[one.tx] / len(age)
        return sorted(best.values(), key=lambda one: (-scores[one.fact], -one.tx, one.fact))

    def _wide_score(self, one: Candidate, near: dict[int, list[tuple[float, Grades]]]) -> float:
        """The score of a fact with all that surrounds it."""
        own = self._own.setdefault(one.fact, Match())
        score = self._scale.score(own, near.get(one.fact, []) + self._around.wide(one))
        return score * weights.ASKS if one.asks else score

    def evidence(self, candidate: Candidate) -> Evidence:
        """The candidate's fact with the words that matched in it, or else what it was found by."""
        match = self._own[candidate.fact]
        if match.runs:
            shown = list(match.runs)[: limits.SEARCH_TERMS]
            return Evidence(candidate.fact, " OR ".join(f'"{run}"' for run in shown))
        if match.best:
            patterns = [pattern for index in match.best for pattern in self._question.terms[index].patterns]
            return Evidence(candidate.fact, " OR ".join(patterns) or NOTHING)
        if self._around.is_named(candidate):
            return Evidence(candidate.fact, because=self._around.marked_names(candidate))
        if self._around.is_stated(candidate):
            return Evidence(candidate.fact, because=self._around.marked_statement(candidate))
        return Evidence(candidate.fact, NOTHING)

    def _followers(self, front: list[Candidate], work: Work) -> list[Candidate]:
        """In a conversation the answer often comes right after the question, in other words."""
        if not self._question.in_words:
            return []
        seen = {one.entity for one in front}
        found = [
            one
            for leader in front[: limits.SEARCH_LED_BY]
            for one in self._around.following(leader)
            if one.entity not in seen and (not self._attributes or one.attribute in self._attributes)
        ]
        if self._allowed is not None:
            found = [one for one in found if one.entity in self._allowed]
        work.spend(len({one.fact for one in found} - self._own.keys()), "notes that follow")
        return found

    def _add_far_words(self, held: list[list[int]]) -> None:
        """Words of long texts behind the part that is read: full-text search knows that they are there."""
        cut = {one.fact for one in self._facts if len(one.text) == limits.SEARCH_TEXT_CHARS}
        for index, rows in enumerate(held if cut else ()):
            for fact in cut.intersection(rows):
                self._own[fact].best.setdefault(index, weights.ROOT)
                self._own[fact].weight.setdefault(index, weights.ROOT)

    def _make_scale(self, gathered: Gathered) -> Scale:
        """Rarity from the candidates where these are all facts that match, else counted in the whole file."""
        found = [(self._own[one.fact].best, self._around.labelled(one)) for one in self._facts]
        counts = [_holding(index, found) for index in range(len(self._question.terms))]
        if not gathered.complete:
            counts = [
                max(count, len(one.own) or len(one.synonyms))
                for count, one in zip(counts, gathered.holders, strict=True)
            ]
        lengths = [match.length for match in self._own.values() if match.length]
        usual = sum(lengths) / len(lengths) if lengths else 1.0
        return Scale(counts, candidates.total(self._reader), usual)


def _holding(index: int, found: list[tuple[Grades, Grades]]) -> int:
    """How many facts hold a term in their text or names; those that hold a synonym count only where none does."""
    best = [max(text.get(index, 0.0), label.get(index, 0.0)) for text, label in found]
    return sum(grade > weights.SYNONYM for grade in best) or sum(grade > 0 for grade in best)
