"""HTML to plain text: what a reader sees, with a line for each block."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_HIDDEN = frozenset({"script", "style", "template", "noscript", "svg", "head"})
_BLOCKS = (
    "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section summary table ul"
)
_PARAGRAPHS = frozenset(_BLOCKS.split())
_LINES = frozenset({"br", "li", "tr", "caption", "option"})
_CELLS = frozenset({"td", "th"})
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_VOID = frozenset({"br", "hr"})


def html_to_text(html: str) -> str:
    """The visible text; paragraphs are parted by a blank line, list items and rows by a line feed.

    Never raises: broken markup gives the text that can be made out.
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    """Collects text; of the breaks between two texts the strongest counts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._pending = ""
        self._hidden: list[str] = []
        self._preformatted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self._hidden.clear()
        self._break(tag)
        if tag in _HIDDEN:
            self._hidden.append(tag)
        self._preformatted += tag == "pre"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            del self._hidden[self._hidden.index(tag) :]
        if tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        if tag not in _VOID:
            self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        text = data if self._preformatted else _BLANKS.sub(" ", data)
        fresh = bool(self._pending) or not self._parts
        if not self._preformatted and (fresh or self._parts[-1].endswith(" ")):
            text = text.lstrip(" ")
        if text:
            self._parts += [self._pending, text] if self._parts else [text]
            self._pending = ""

    def text(self) -> str:
        """All that was read, without blank space before a line's end."""
        return re.sub(r"[ \t]+\n", "\n", "".join(self._parts)).strip()

    def _break(self, tag: str) -> None:
        if self._hidden:
            return
        if tag in _PARAGRAPHS:
            self._pending = "\n\n"
        elif tag in _LINES and not self._pending:
            self._pending = "\n"
        elif tag in _CELLS:
            self.handle_data(" ")
