"""How text is cut into words: folded, split at underscores, case changes and changes of script."""

import re
import unicodedata
from functools import lru_cache

from fgraph import limits

# Combining marks and whole blocks of scripts that write vowels as marks: all count as letters of a word.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u109f"
)
_KHMER = "\u1780-\u17d3"
_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_SOUTH_EAST = "\u0e00-\u0eff\u0f40-\u0fbc\u1000-\u109f\u1780-\u17d3"
_SEMITIC = "\u0591-\u05f4\u0610-\u06ff\u0750-\u077f"

RUN = re.compile(f"\\w[\\w{_MARKS}{_KHMER}]*")
# Scripts whose words are not set apart by blanks, or carry particles in front: looked for inside of words.
UNSPACED = re.compile(
    f"(?P<han>[{_HAN}]+)|(?P<hiragana>[{_HIRAGANA}]+)|(?P<katakana>[{_KATAKANA}]+)|(?P<hangul>[{_HANGUL}]+)"
    f"|(?P<southeast>[{_SOUTH_EAST}]+)|(?P<semitic>[{_SEMITIC}]+)"
)
UNSPACED_LETTERS = _HAN + _HIRAGANA + _KATAKANA + _HANGUL + _SOUTH_EAST
GRAM = {"han": 2, "hiragana": 2, "katakana": 3, "hangul": 2, "southeast": 4}  # letters looked for together
CASE = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
ARTICLE = "\u0627\u0644"  # Arabic al-


def fold(text: str) -> str:
    """Lower case, and Latin letters without diacritics: as full-text search compares letters."""
    if text.isascii():
        return text.lower()
    return "".join(map(_plain, normal(text).lower()))


def normal(text: str) -> str:
    """The text with letters and their marks composed where Unicode has the composed letter."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@lru_cache(maxsize=limits.SEARCH_WORD_CACHE)
def _plain(letter: str) -> str:
    if "\u0300" <= letter <= "\u036f":
        return ""
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() else letter


@lru_cache(maxsize=limits.SEARCH_WORD_CACHE)
def pieces(run: str) -> tuple[str, ...]:
    """The folded words that a run of letters and digits is made of: `getUser_byId` gives get, user, by, id."""
    run = run[: limits.SEARCH_WORD_CHARS]
    found: list[str] = []
    for part in run.split("_"):
        if part.isascii():
            found += [word.lower() for word in CASE.split(part)]
        else:
            found += _by_script(part)
    return tuple(word for word in found if word)


def _by_script(part: str) -> list[str]:
    found: list[str] = []
    end = 0
    for match in UNSPACED.finditer(part):
        found += map(fold, CASE.split(part[end : match.start()]))
        found.append(match.group())
        end = match.end()
    return found + [fold(word) for word in CASE.split(part[end:])]


def grams(segment: str) -> list[str]:
    """The overlapping groups of letters that stand for a segment of an unspaced script."""
    script = UNSPACED.match(segment).lastgroup
    if script == "semitic":
        core = segment.removeprefix(ARTICLE) if len(segment) > 4 else segment
        return [core[:-1] if len(core) > 4 else core]
    size = GRAM[script]
    return [segment[start : start + size] for start in range(max(1, len(segment) - size + 1))]


def is_unspaced(word: str) -> bool:
    """Whether a piece belongs to a script that is searched inside of words."""
    return not word.isascii() and UNSPACED.fullmatch(word) is not None


def is_hiragana(word: str) -> bool:
    """Whether a piece is written in hiragana alone, as Japanese writes endings and particles."""
    match = UNSPACED.fullmatch(word)
    return match is not None and match.lastgroup == "hiragana"
