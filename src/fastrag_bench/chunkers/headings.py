"""The headings of a Markdown text, found in one scan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CANDIDATE = re.compile(
    r"""^[ ]{0,3}(?:
        (?P<hashes>\#{1,6})(?:[ \t]++(?P<title>[^\n]*+))?[ \t\r]*$
      | (?P<fence>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$
      | (?P<line>=++|-++)[ \t\r]*$
    )""",
    re.VERBOSE | re.MULTILINE,
)
_NOT_PARAGRAPH = re.compile(
    r"[ ]{0,3}(?:[>|<]|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|\#{1,6}(?:[ \t]|$))|[ ]{4}|\t|\s*$"
)
_FRONT_MATTER = re.compile(r"---[ \t\r]*\n(?=[\w \"'-]+:)(?:[^\r\n]+\r?\n)*?(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)")

TITLE_LINES = 3
"""An underlined paragraph of more lines is no heading."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading `text[start:end]`, with its level (1 to 6) and its title without markup characters around it."""

    start: int
    end: int
    level: int
    title: str


def headings(text: str) -> list[Heading]:
    """The ATX (`# Title`) and setext (underlined) headings in order; none inside of code fences or front matter.

    CommonMark's rules for the top level of a document; headings within lists and quotations are part of those.
    """
    front = _FRONT_MATTER.match(text)
    return list(_scan(text, front.end() if front else 0))


def _scan(text: str, reached: int) -> Iterator[Heading]:
    fence = ""
    for match in _CANDIDATE.finditer(text, reached):
        mark = match["fence"]
        if fence:
            if mark and mark.startswith(fence) and not match["info"].strip():
                fence, reached = "", match.end()
        elif mark:
            fence = mark if mark[0] == "~" or "`" not in match["info"] else ""
        elif match["hashes"]:
            yield Heading(match.start(), match.end(), len(match["hashes"]), _without_closing(match["title"] or ""))
            reached = match.end()
        else:
            start = _paragraph_start(text, reached, match.start())
            if start is not None:
                title = " ".join(text[start : match.start()].split())
                yield Heading(start, match.end(), 1 if match["line"][0] == "=" else 2, title)
            reached = match.end()


def _without_closing(title: str) -> str:
    """`Title ##` is `Title`, `C#` stays."""
    title = title.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def _paragraph_start(text: str, floor: int, end: int) -> int | None:
    """Where the paragraph that ends at `end` begins; None if there is none, or it has more than `TITLE_LINES` lines."""
    start = end
    for _ in range(TITLE_LINES + 1):
        line = text.rfind("\n", floor, max(start - 1, floor)) + 1
        line = line if line > floor else floor
        if line >= start or _NOT_PARAGRAPH.match(text[line:start]):
            return start if start < end else None
        start = line
    return None
