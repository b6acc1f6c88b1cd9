r"""Search terms: the words of a text as a lexical index counts them, in any script.

Scripts with spaces give words of at least two characters (bm25s' default pattern, so its published figures hold), with
the combining marks that Python's `\w` leaves out and without which Hindi or Tamil falls apart. Scripts without spaces,
and Korean, whose endings stick to the words, give overlapping pairs of characters, the usual choice where no dictionary
is at hand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator

from fastrag_bench.errors import ConfigurationError

STOP_WORD_LISTS = {
    "da": "DANISH",
    "de": "GERMAN",
    "en": "EN",
    "es": "SPANISH",
    "fr": "FRENCH",
    "it": "ITALIAN",
    "ko": "KOREAN",
    "nl": "DUTCH",
    "no": "NORWEGIAN",
    "pt": "PORTUGUESE",
    "ru": "RUSSIAN",
    "sv": "SWEDISH",
    "tr": "TURKISH",
    "zh": "CHINESE",
}
"""Language code -> the name of bm25s' list."""


def _known(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    if isinstance(value, str) and value != "none" and value not in STOP_WORD_LISTS:
        raise ValueError(f"expected none, a list of words or one of {', '.join(STOP_WORD_LISTS)}")
    return value


StopWords = Annotated[str | tuple[str, ...], AfterValidator(_known)]
"""A field's type: the code of a language, `none`, or a list of words."""

_PAIRED = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana, bopomofo and Han
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u0edc-\u0edf"  # Thai and Lao, but not their digits
    "\u1000-\u103f\u104c-\u109f\u1780-\u17d3\u17d7\u17dc\u17dd"  # Burmese and Khmer
    "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"  # Hangul
)
_ASCII_WORD = re.compile(r"\w\w+", re.ASCII)


class Terms:
    """Turns texts into search terms: NFKC, lower case, words, no stop words, stems.

    Every text of one index and every query to it have to pass through equal settings. One object belongs to one thread.
    """

    def __init__(self, *, stop_words: str | Sequence[str] = "none", stemmer: str = "none") -> None:
        """Take a language code or a list of words, and the name of a Snowball stemmer.

        Raises:
            ConfigurationError: there is no such stemmer.
        """
        self._stem = _stemmer(stemmer)
        self._terms: dict[str, str] = dict.fromkeys(_stop_words(stop_words), "")

    def of(self, text: str) -> list[str]:
        """The terms of a text in their order, with repeats."""
        terms = self._terms
        found = []
        for word in words(text):
            term = terms.get(word)
            if term is None:
                term = terms[word] = self._stem(word) if self._stem else word
            if term:
                found.append(term)
        return found


def words(text: str) -> list[str]:
    """Words and, from scripts that are not told apart by spaces, pairs of characters (a lone character stays alone)."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
    pattern, paired = _patterns()
    found: list[str] = []
    for word in pattern.findall(text):
        if paired.match(word) and len(word) > 2:
            found.extend(word[place : place + 2] for place in range(len(word) - 1))
        else:
            found.append(word)
    return found


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Words of every script, and one character of a script that gives pairs."""
    marks = "".join(_ranges(code for code in range(0x20000) if unicodedata.category(chr(code)).startswith("M")))
    joiners = "\u200c\u200d"
    word = rf"(?![{_PAIRED}])\w(?:(?![{_PAIRED}])[\w{marks}{joiners}])+"
    return re.compile(rf"[{_PAIRED}]+|{word}"), re.compile(f"[{_PAIRED}]")


def _ranges(codes: Iterable[int]) -> list[str]:
    """Sorted code points as the inside of a character class."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return [rf"\U{low:08x}-\U{high:08x}" for low, high in ranges]


def _stop_words(names: str | Sequence[str]) -> list[str]:
    if isinstance(names, str):
        return [] if names == "none" else list(_list_of(names))
    return [unicodedata.normalize("NFKC", name).lower() for name in names]


@lru_cache
def _list_of(language: str) -> tuple[str, ...]:
    import bm25s.stopwords

    return tuple(getattr(bm25s.stopwords, f"STOPWORDS_{STOP_WORD_LISTS[language]}"))


def _stemmer(name: str) -> Callable[[str], str] | None:
    """A function word -> stem, or None; a new stemmer each time, because one must not serve two threads."""
    if name == "none":
        return None
    import Stemmer

    if name not in Stemmer.algorithms():
        known = ", ".join(sorted(Stemmer.algorithms()))
        raise ConfigurationError(f"there is no stemmer {name!r}; there is none, {known}")
    stem: Callable[[str], str] = Stemmer.Stemmer(name, 0).stemWord
    return stem
