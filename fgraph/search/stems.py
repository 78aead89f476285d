"""English word forms: what stays of a word without its endings."""

import re
from functools import lru_cache

from fgraph import limits
from fgraph.search import irregular

SHORTEST = 4  # letters that a root keeps
VOWEL = re.compile("[aeiouy]")
DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1$")
# Endings that make another word of a root, as they look on a stem (no silent e, y as i); longest first.
DERIVING = sorted(
    (
        "izat isat at it ion em ment nes abl ibl anc enc anci enci ator ativ itiv iv iviti iti ism ist ful les ous "
        "ant ent ial ical al ic er or li alli iz is ifi ur ag ship hood en"
    ).split(),
    key=len,
    reverse=True,
)
ENDINGS = ("e", "es", "ed", "ing", "er", "ers", "y", "ies", "ied")
DOUBLING = ("ed", "ing", "er", "ers")


@lru_cache(maxsize=limits.SEARCH_WORD_CACHE)
def stem(word: str) -> str:
    """The word without the endings of plural and verb forms: `replies`, `replied` and `reply` share one stem."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    return _bare(_without_verb_ending(_without_plural(word)))


@lru_cache(maxsize=limits.SEARCH_WORD_CACHE)
def root(word: str) -> str:
    """The stem without deriving endings: `migration`, `migrating` and `migrate` share one root."""
    kept = stem(word)
    if not kept.isascii() or not kept.isalpha():
        return kept
    while True:
        shorter = next((kept[: -len(end)] for end in DERIVING if _can_lose(kept, end)), kept)
        if shorter == kept:
            return kept
        kept = _bare(shorter)


def forms(word: str) -> list[str]:
    """A short word with the forms that it may take in a text; many of them are no words, which does no harm."""
    base = stem(word)
    if not base.isascii() or not base.isalpha() or len(base) < 2:
        return [word]
    short = base[:-1] if len(base) > 2 and base[-1] in "eiy" else base
    endings = [short + ending for ending in ENDINGS]
    doubled = [short + short[-1] + ending for ending in DOUBLING]
    return list(dict.fromkeys([word, base, base + "s", base + "ing", *endings, *doubled]))


def irregular_forms(word: str) -> tuple[str, ...]:
    """The base and the irregular forms of a word, any form of which may be given; nothing for other words."""
    return _IRREGULAR.get(irregular.BASE.get(word) or stem(word), ())


def _can_lose(word: str, ending: str) -> bool:
    rest = word[: -len(ending)]
    # `runner` is somebody who runs, but a comment is nobody who comes, and no commit either.
    return word.endswith(ending) and len(rest if ending == "er" else _bare(rest)) >= SHORTEST


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_verb_ending(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        kept = word[: -len(ending)]
        if word.endswith(ending) and len(kept) >= 2 and VOWEL.search(kept) and not word.endswith("eed"):
            return kept + "e" if len(kept) == 2 and kept[1] not in "aeiouy" else kept
    return word


def _bare(word: str) -> str:
    """Without a silent e, a doubled last consonant, and with y as i where it follows a consonant."""
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and DOUBLED.search(word):
        word = word[:-1]
    if len(word) > 2 and word.endswith("y") and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    return word


_IRREGULAR = {key: tuple(group) for group in irregular.GROUPS for key in (group[0], stem(group[0]))}
