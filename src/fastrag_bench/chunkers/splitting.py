"""Recursive splitting with offsets: the rule that langchain-text-splitters made common, in linear time.

A span is cut before each occurrence of the first separator that it holds; consecutive parts are merged up to `size`,
and a part that has `size` or more is split in the same way by the separators after that one. The separator stays at
the beginning of the part behind it. The empty separator cuts between any two characters.

For lengths in characters no part is ever made: where a chunk ends is found by searching backwards from where it would
have to, so the cost is a few searches a chunk, however many separators there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from fastrag_bench.chunkers.packing import Span, pack
from fastrag_bench.tokenizers.lengths import Length


@dataclass(frozen=True, slots=True)
class Rule:
    """How to split: `separators` from coarse to fine, `size` > `overlap` >= 0 as `length` measures them."""

    separators: tuple[str, ...]
    size: int
    overlap: int
    length: Length = len


def recursive_spans(text: str, start: int, end: int, rule: Rule) -> list[Span]:
    """The spans of `text[start:end]`, ordered by start, with blank space at their ends and blank ones among them.

    Each has at most `rule.size`, except one without any separator left and, in tokens, a character that has more.
    """
    spans: list[Span] = []
    if start < end:
        split = _split_characters if rule.length is len else _split_measured
        split(text, start, end, rule, 0, spans)
    return spans


def _choose(text: str, start: int, end: int, separators: Sequence[str], level: int) -> tuple[str, int]:
    """The first separator from `level` on that occurs, and the level after it; the last one where none does."""
    for index in range(level, len(separators)):
        if not separators[index]:
            return "", len(separators)
        if text.find(separators[index], start, end) >= 0:
            return separators[index], index + 1
    return separators[-1], len(separators)


def _split_characters(text: str, start: int, end: int, rule: Rule, level: int, spans: list[Span]) -> None:
    if end - start <= rule.size:
        spans.append((start, end))
        return
    separator, deeper = _choose(text, start, end, rule.separators, level)
    if not separator:
        _split_anywhere(start, end, rule, spans)
    elif _is_searchable(separator):
        _split_searching(text, start, end, separator, rule, deeper, spans)
    else:
        _split_measured(text, start, end, rule, level, spans)


def _split_anywhere(start: int, end: int, rule: Rule, spans: list[Span]) -> None:
    while end - start > rule.size:
        spans.append((start, start + rule.size))
        start += rule.size - rule.overlap
    spans.append((start, end))


@lru_cache(maxsize=256)
def _is_searchable(separator: str) -> bool:
    """Whether its occurrences, counted from the left, can be told from the right.

    They can when no two can overlap; and for one character twice, as every second place of a run is one.
    """
    overlaps = any(separator.startswith(separator[shift:]) for shift in range(1, len(separator)))
    return not overlaps or len(separator) == 2


def _split_searching(
    text: str, start: int, end: int, separator: str, rule: Rule, deeper: int, spans: list[Span]
) -> None:
    """`first:last` is the chunk so far, `stop` the end of the part behind it; all three are cuts."""
    find, rfind, append = text.find, text.rfind, spans.append
    size, overlap, width = rule.size, rule.overlap, len(separator)
    first = last = start
    step = width if text.startswith(separator, start) else 1
    twice = separator[0] if width == 2 and separator[0] == separator[1] else ""
    while last < end:
        stop = find(separator, last + step, end)
        stop, step = (stop if stop >= 0 else end), width
        if stop - last >= size:
            if first < last:
                append((first, last))
            _split_deeper(text, last, stop, rule, deeper, spans)
            first = last = stop
            continue
        if stop - first > size:
            append((first, last))
            wanted = last - overlap if last - overlap > stop - size else stop - size
            if text[wanted - 1] == twice:
                wanted += _misfit(text, first, wanted, separator)
            first = find(separator, wanted, end) if overlap else last
        reach = first + size
        if reach >= end:
            last = end
            break
        last = rfind(separator, stop, min(reach + width, end))
        if last < 0:
            last = stop
        elif text[last - 1] == twice:
            last -= _misfit(text, stop, last, separator)
    if first < last:
        append((first, last))


def _split_deeper(text: str, start: int, end: int, rule: Rule, level: int, spans: list[Span]) -> None:
    if level < len(rule.separators):
        _split_characters(text, start, end, rule, level, spans)
    else:
        spans.append((start, end))


def _misfit(text: str, cut: int, position: int, separator: str) -> int:
    """1 if a doubled separator found at `position` is the second half of one, counting from `cut`; else 0."""
    if not text.startswith(separator, position):
        return 0
    return (position - cut - len(text[cut:position].rstrip(separator))) % 2


def _cuts(text: str, start: int, end: int, separator: str) -> list[int]:
    """`start`, each further place where a separator begins, `end`; ascending."""
    cuts = [start]
    found = text.find(separator, start, end)
    while found >= 0:
        if found > start:
            cuts.append(found)
        found = text.find(separator, found + len(separator), end)
    cuts.append(end)
    return cuts


def _split_measured(text: str, start: int, end: int, rule: Rule, level: int, spans: list[Span]) -> None:
    separator, deeper = _choose(text, start, end, rule.separators, level)
    cuts = _cuts(text, start, end, separator) if separator else range(start, end + 1)
    lengths = [rule.length(text[first:last]) for first, last in pairwise(cuts)]
    taken = 0
    for index, length in enumerate(lengths):
        if length >= rule.size:
            _merge(cuts, lengths, taken, index, rule, spans)
            if deeper < len(rule.separators):
                _split_measured(text, cuts[index], cuts[index + 1], rule, deeper, spans)
            else:
                spans.append((cuts[index], cuts[index + 1]))
            taken = index + 1
    _merge(cuts, lengths, taken, len(lengths), rule, spans)


def _merge(cuts: Sequence[int], lengths: list[int], first: int, last: int, rule: Rule, spans: list[Span]) -> None:
    for begin, stop in pack(lengths[first:last], rule.size, rule.overlap):
        spans.append((cuts[first + begin], cuts[first + stop]))
