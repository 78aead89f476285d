"""English verbs with a particle, which are written as two words or as one: `roll back`, `rolled back`, `rollback`."""

from functools import lru_cache

from fgraph import limits
from fgraph.search import stems

VERBS = (
    "back break build call check clean close count cut drop fall fill follow hand hold kick lay lock log look opt pay "
    "pick plug print roll round run scale set shut sign slow speed spin stand start take tear tie time try turn wake "
    "wind work write"
).split()
PARTICLES = ("around", "back", "down", "in", "off", "on", "out", "over", "through", "up")

_BY_STEM = {stems.stem(verb): verb for verb in VERBS}


@lru_cache(maxsize=limits.SEARCH_WORD_CACHE)
def join(verb: str, particle: str) -> str:
    """`rollback` for `rolled` and `back`; nothing where the two are no such verb."""
    base = _BY_STEM.get(stems.stem(stems.base(verb))) if particle in PARTICLES else None
    return base + particle if base else ""


def parts(word: str) -> tuple[str, str] | None:
    """`roll` and `back` for `rollbacks`; None for any other word."""
    stem = stems.stem(word)
    pairs = ((stem.removesuffix(particle), particle) for particle in PARTICLES if stem.endswith(particle))
    return next((pair for pair in pairs if pair[0] in VERBS), None)


def phrases(verb: str, particle: str) -> list[str]:
    """All that a text may hold for it in two words."""
    return [f"{form} {particle}" for form in (*stems.forms(verb), *stems.irregular_forms(verb))]
