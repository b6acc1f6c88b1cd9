"""Where the sentences of a text lie: one scan with a rule set, no model and no language setting.

A sentence ends at a stop that is followed by blank space and by something that can begin a sentence, or at a stop of a
script that writes no blanks. Blank lines, list items, table rows, headings and code fences break whatever the
punctuation says; a single line break does not. Abbreviations, initials, decimals and numbered items do not end one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WIDE = "。！？｡।॥؟۔።"
_CLOSERS = "\"'”’»)\\]}」』）》】〉*_"
_OPENERS = "\"'“‘«¿¡(\\[{「『（《【〈*_"
_ITEM = r"[ \t]*+(?:[-*+•‣◦]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]"
_HEADING = r"[ ]{0,3}\#{1,6}[ \t]"
_FENCE = r"[ ]{0,3}(?:```|~~~)"
_UNDERLINE = r"[ ]{0,3}(?:={3,}+|-{3,}+)[^\S\n]*+(?:\n|\Z)"

# The leading character class lets the engine skip to the next candidate; possessive runs keep it linear.
_BREAK = re.compile(
    rf"""[\n.!?…{_WIDE}](?:
        (?<=\n)(?:
            (?P<whole>(?={_HEADING}|{_FENCE}))     # a line of its own: break on both sides
          | (?P<under>(?={_UNDERLINE}))            # belongs to the line above
          | (?=[^\S\n]*+\n|{_ITEM}|[ ]{{0,3}}\|)   # blank line, list item, table row
        )
      | (?<=[{_WIDE}])[{_WIDE}.!?…]*+[{_CLOSERS}]*+
      | (?<=[.!?…])(?<![.!?…][.!?…])(?P<stop>[.!?…]*+(?P<tail>(?:[{_CLOSERS}]|\[\d{{1,3}}\])*+)
        (?=\s++[{_OPENERS}]*+(?P<next>\S?)))
    )""",
    re.VERBOSE,
)
_FIRST_LINE = re.compile(rf"{_HEADING}|{_FENCE}", re.VERBOSE)
_FIRST_WORD = re.compile(rf"\s*+[{_OPENERS}]*+([^\W\d_]+)")


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_BEFORE_NAME = _words(
    "mr mrs ms dr prof st sr messrs mme mlle hon rev fr gen col maj capt cmdr lt sgt cpl gov sen rep pres supt det "
    "insp mt ft vs viz cf approx e.g i.e eg ie incl esp resp dept univ assn hr hrn frau z.b d.h u.a bzw bspw vgl"
)
"""Abbreviations that are always followed by the rest of their sentence (in lower case, without the last stop)."""

_BEFORE_NUMBER = _words(
    "ca no nos nr fig figs eq eqs sec secs ch chap vol vols p pp pg art par para ex tab ref refs ver v"
)
"""Abbreviations only where a number, or a bracket before one, follows."""

_MAY_END = _words(
    "etc al inc ltd co corp llc jr bros a.m p.m usw ph.d b.a m.a m.sc b.sc "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
"""Abbreviations that can end a sentence; they do where a usual first word follows."""

_STARTERS = _words(
    "a an the this that these those he she it they we you i his her its their our my your in on at by for from with "
    "after before during while when where what who why how if as but and or so yet however although though because "
    "since there here then thus also another each every some many most all no not both one two to under over until "
    "meanwhile moreover furthermore finally first second instead today der die das ein eine er sie es wir"
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The sentences as (start, end), in order, disjoint, without blank space around them, none empty.

    Together they hold every character of `text` that is not blank. Linear in the length of the text; total: any string
    has an answer, and a blank one has none.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for cut in _cuts(text):
        if cut > start:
            _append(spans, text, start, cut)
            start = cut
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    body = text[start:end].lstrip()
    if body:
        begin = end - len(body)
        spans.append((begin, begin + len(body.rstrip())))


def _cuts(text: str) -> Iterator[int]:
    """Break positions, not always ascending: those behind the last one taken are passed over."""
    has_case = text != text.lower()
    if _FIRST_LINE.match(text):
        yield _line_end(text, 0)
    for match in _BREAK.finditer(text):
        if match["stop"] is not None:
            if _ends_sentence(text, match, has_case):
                yield match.end()
        elif match["whole"] is not None:
            yield match.end()
            yield _line_end(text, match.end())
        elif match["under"] is not None:
            yield _line_end(text, match.end())
        else:
            yield match.end()


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _ends_sentence(text: str, match: re.Match[str], has_case: bool) -> bool:
    following, mark = match["next"], match.start()
    question = text[mark] == "?" and not match["tail"]
    if following.islower() and has_case and not question:
        return False
    if text[mark] != "." or match["stop"] != match["tail"]:
        return True
    return not _is_abbreviation(text, mark, match)


def _is_abbreviation(text: str, mark: int, match: re.Match[str]) -> bool:
    """Whether the single full stop at `mark` belongs to the word before it and that word goes on."""
    before = text[max(0, mark - 24) : mark]
    if not before or before[-1].isspace():
        return False
    word = before.split()[-1].lstrip("\"'“‘«([{*_")
    lowered = word.lower()
    if lowered in _BEFORE_NAME:
        return True
    if lowered in _BEFORE_NUMBER:
        return match["next"].isdigit()
    if lowered in _MAY_END or ("." in word and len(word) <= 8 and word.replace(".", "").isalpha()):
        return not _starts_usually(text, match.end("stop"))
    if len(word) == 1 and word.isupper():
        return word != "I" and match["next"].isupper() and word.isascii()
    return word.isdigit() and len(word) <= 3 and _opens_line(before, word)


def _opens_line(before: str, word: str) -> bool:
    line = before[: -len(word)].rpartition("\n")
    return not line[2].strip() and (bool(line[1]) or len(before) < 24)


def _starts_usually(text: str, position: int) -> bool:
    word = _FIRST_WORD.match(text, position, position + 24)
    return word is not None and word[1].lower() in _STARTERS
