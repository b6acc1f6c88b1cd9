"""Where a quoted text stands in a corpus: letter by letter, else apart from blank space, else nearly."""

from __future__ import annotations

import bisect
import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.relevance.gold import Span
from fastrag_bench.types import Document

How = Literal["exact", "whitespace", "near"]

NEAR = 0.9
"""The share of words that have to agree, in order."""

MOST_PLACES = 20
"""So many places of one text are alternatives; a text that stands in more places says too little."""

_BLANKS = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_SHINGLE = 3
_END = "\0"


class Located(NamedTuple):
    """The places of a text; several are alternatives."""

    spans: tuple[Span, ...]
    how: How


class Locator:
    """Finds texts in documents; what the search needs is built once, and only as far as it is needed."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = [document for document in documents if document.text]
        starts = np.cumsum([0, *(len(document.text) + 1 for document in self._documents)])
        self._starts: list[int] = starts.tolist()
        self._text = _END.join(document.text for document in self._documents)

    def find(self, quote: str) -> Located | None:
        """All places of a text, or None where it is nowhere.

        Blank space around it does not count. Near means that at least 90 % of the words agree in order; of several such
        places the best is taken.
        """
        bare = quote.strip()
        if not bare:
            return None
        if exact := self._spans(_occurrences(self._text, bare), len(bare)):
            return Located(exact, "exact")
        if loose := self._without_blanks(_BLANKS.sub("", bare)):
            return Located(loose, "whitespace")
        near = self._near(bare)
        return None if near is None else Located((near,), "near")

    def _spans(self, places: Iterator[int], length: int) -> tuple[Span, ...]:
        return tuple(self._span(place, place + length) for place in places)

    def _span(self, start: int, end: int) -> Span:
        number = bisect.bisect_right(self._starts, start) - 1
        first = self._starts[number]
        return Span(str(self._documents[number].id), start - first, end - first)

    @cached_property
    def _dense(self) -> tuple[str, NDArray[np.int64]]:
        """The text without blank space, and where each of its characters stands."""
        places = np.fromiter(
            (place for match in re.finditer(r"\S+", self._text) for place in range(*match.span())), np.int64
        )
        return _BLANKS.sub("", self._text), places

    def _without_blanks(self, quote: str) -> tuple[Span, ...]:
        text, places = self._dense
        found = _occurrences(text, quote)
        return tuple(self._span(int(places[at]), int(places[at + len(quote) - 1]) + 1) for at in found)

    @cached_property
    def _words(self) -> tuple[list[str], list[tuple[int, int]], dict[tuple[str, ...], list[int]]]:
        """All words, their characters, and the places of each run of three words."""
        matches = list(_WORD.finditer(self._text))
        words = [match[0].casefold() for match in matches]
        runs: dict[tuple[str, ...], list[int]] = {}
        for place in range(len(words) - _SHINGLE + 1):
            runs.setdefault(tuple(words[place : place + _SHINGLE]), []).append(place)
        return words, [match.span() for match in matches], runs

    def _near(self, quote: str) -> Span | None:
        wanted = [match[0].casefold() for match in _WORD.finditer(quote)]
        words, spans, runs = self._words
        votes: Counter[int] = Counter()
        for place in range(len(wanted) - _SHINGLE + 1):
            for there in runs.get(tuple(wanted[place : place + _SHINGLE]), ())[:200]:
                votes[there - place] += 1
        best: tuple[float, int, int] = (0.0, 0, 0)
        for offset, _ in votes.most_common(5):
            best = max(best, _aligned(wanted, words, offset))
        share, first, last = best
        if share < NEAR or self._starts_between(spans[first][0], spans[last][1]):
            return None
        return self._span(spans[first][0], spans[last][1])

    def _starts_between(self, start: int, end: int) -> bool:
        return bisect.bisect_right(self._starts, start) != bisect.bisect_left(self._starts, end)


def _occurrences(text: str, quote: str) -> Iterator[int]:
    """The first places of a text; none where there are too many of them."""
    found: list[int] = []
    place = text.find(quote)
    while place >= 0:
        found.append(place)
        if len(found) > MOST_PLACES:
            return iter(())
        place = text.find(quote, place + len(quote))
    return iter(found)


def _aligned(wanted: Sequence[str], words: Sequence[str], offset: int) -> tuple[float, int, int]:
    """The share of words that agree about this place, and the first and last word there."""
    slack = max(2, len(wanted) // 10)
    low, high = max(0, offset - slack), min(len(words), offset + len(wanted) + slack)
    blocks = difflib.SequenceMatcher(None, wanted, words[low:high], autojunk=False).get_matching_blocks()[:-1]
    if not blocks:
        return 0.0, 0, 0
    first, last = low + blocks[0].b, low + blocks[-1].b + blocks[-1].size - 1
    agreeing = sum(block.size for block in blocks)
    return agreeing / max(len(wanted), last - first + 1), first, last
