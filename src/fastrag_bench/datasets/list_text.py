"""Lists printed as text: Python's, numpy's without commas, and numpy arrays inside of lists."""

from __future__ import annotations

import ast
import math
import re
from typing import Any, NamedTuple

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>[rRuU]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))
    | (?P<array>(?:np\.)?array\()
    | (?P<dtype>,\s*(?:dtype|shape)=[^\[\]()]*(?:\([^()]*\))?)
    | (?P<mark>[\[\](),])
    | (?P<scalar>np\.\w+\()
    | (?P<word>[^\s\[\](),'"]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_WORDS = {"None": None, "nan": None, "NaN": None, "null": None, "True": True, "False": False}
DEEPEST = 20


class _Token(NamedTuple):
    kind: str
    text: str


class NotAList(ValueError):
    """The text is no printed list; the message says what is in the way."""


def parse_printed(text: str) -> Any:
    r"""The value of a printed list or array.

    Texts may stand without commas between them, as numpy prints them (`['a'\n 'b']`); numbers keep leading zeros by
    staying text (`[007]`).

    Raises:
        NotAList: it is something else, or numpy left items out (`...`).
    """
    reader = _Reader(_tokens(text))
    value = reader.value(0)
    if reader.peek().kind != "end":
        raise NotAList(f"{reader.peek().text!r} after the end of the list")
    return value


def _tokens(text: str) -> list[_Token]:
    found, place, end = [], 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise NotAList(f"{text[place : place + 20]!r} is no item")
        found.append(_Token(str(match.lastgroup), match[str(match.lastgroup)]))
        place = match.end()
    return [*found, _Token("end", "")]


class _Reader:
    """Reads values off a row of tokens."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._place = 0

    def peek(self) -> _Token:
        return self._tokens[self._place]

    def _next(self) -> _Token:
        token = self._tokens[self._place]
        self._place += token.kind != "end"
        return token

    def value(self, depth: int) -> Any:
        token = self._next()
        if depth > DEEPEST:
            raise NotAList("nested too deeply")
        if token == _Token("mark", "["):
            return self._items(depth)
        if token.kind in ("array", "scalar"):
            return self._called(depth)
        if token.kind == "text":
            return _literal(token.text)
        if token.kind == "word":
            return _word(token.text)
        raise NotAList(f"{token.text!r} is no item")

    def _called(self, depth: int) -> Any:
        value = self.value(depth + 1)
        if self.peek().kind == "dtype":
            self._next()
        if self._next() != _Token("mark", ")"):
            raise NotAList("an array that is not closed")
        return value

    def _items(self, depth: int) -> list[Any]:
        """Up to the closing bracket; commas stand between all items, or between none."""
        items: list[Any] = []
        commas = 0
        while self.peek() != _Token("mark", "]"):
            if items and self.peek() == _Token("mark", ","):
                self._next()
                commas += 1
                if self.peek() == _Token("mark", "]"):
                    commas -= 1
                    break
            items.append(self.value(depth + 1))
        self._next()
        if commas not in (0, len(items) - 1):
            raise NotAList("commas between some items only")
        return items


def _literal(text: str) -> str:
    try:
        return str(ast.literal_eval(text if "\n" not in text else text.replace("\n", "\\n")))
    except (ValueError, SyntaxError):
        raise NotAList(f"{text[:20]!r} is no text") from None


def _word(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.match(text):
        return int(text)
    if text.isdecimal():
        return text
    if _NUMBER.match(text):
        number = float(text)
        return number if math.isfinite(number) else None
    if text == "...":
        raise NotAList("numpy left items out (...), so the file does not hold the whole list")
    raise NotAList(f"{text[:20]!r} is no item")
