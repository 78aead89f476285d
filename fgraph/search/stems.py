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
LOOSE = ("it", "ent", "ment")  # of these a short rest is seldom a word of its own
ENDINGS = ("", "s", "es", "ed", "ing", "er", "ers")


@lru_cache(maxsize=limits.SEARCH_WORD_CACHE)
def stem(word: str) -> str:
    """The word without the endings of plural and verb forms: `replies`, `replied` and `reply` share one stem."""
    if not word.isascii() or not word.isalpha():
        return word
    return _bare(word if len(word) < 4 else _without_verb_ending(_without_plural(word)))


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
    """A short word with the regular forms that it may take in a text; some of them are no words, which does no harm."""
    base = stem(word)
    if not base.isascii() or not base.isalpha() or len(base) < 2:
        return [word]
    # What the word may look like: `cal` may be call, `us` use, and `tri` try.
    looks = (word, base, base + base[-1], base.removesuffix("e"), base + "e", base.removesuffix("i") + "y")
    found = dict.fromkeys(look + ending for look in looks for ending in ENDINGS)
    found |= dict.fromkeys(base.removesuffix("i") + ending for ending in ("ies", "ied"))
    wanted = root(word)
    return [word, *(form for form in found if form != word and (stem(form) == base or root(form) == wanted))]


@lru_cache(maxsize=limits.SEARCH_WORD_CACHE)
def irregular_forms(word: str) -> tuple[str, ...]:
    """The base and the irregular forms of a word, any form of which may be given; nothing for other words."""
    for prefix in ("", *irregular.PREFIXES):
        rest = word.removeprefix(prefix)
        base = irregular.BASE_OF.get(rest) or _BASE_OF_STEM.get(stem(rest))
        if base and word.startswith(prefix):
            return tuple(prefix + form for form in irregular.FORMS_OF[base])
    return ()


def base(word: str) -> str:
    """The base of an irregular form, any other word itself."""
    return next(iter(irregular_forms(word)), word)


def _can_lose(word: str, ending: str) -> bool:
    rest = word[: -len(ending)]
    # Safely is safe, but a comment is nobody who comes, and no commit either.
    return word.endswith(ending) and len(_bare(rest) if ending in LOOSE else rest) >= SHORTEST


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


_BASE_OF_STEM = {stem(base): base for base in irregular.FORMS_OF}
