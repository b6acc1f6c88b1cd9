"""BERT's uncased WordPiece in plain Python: no compiled code, no download, and fast enough through a memo of words.

The steps are those of BERT's BasicTokenizer and WordpieceTokenizer (Devlin et al., 2019, arXiv:1810.04805). The ids
equal those of the `tokenizers` library (BertNormalizer, BertPreTokenizer, WordPiece), with two differences by intent: a
text that spells a special token, such as `[SEP]`, is ordinary text here; and marks and punctuation that came after
Unicode 8, where that library's tables end, are known as such.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

UNKNOWN = "[UNK]"
LONGEST_WORD = 100
"""Characters; a longer word is unknown as a whole."""

MEMO_WORDS = 100_000
"""How many words a tokenizer remembers before it starts afresh."""

_SPACES = "\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_RUN = re.compile(f"[^{_SPACES}]+")
_ASCII_WORD = re.compile(r"[0-9A-Za-z]+|[!-/:-@\[-`{-~]")
_ASCII_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_IDEOGRAPHS = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)

Span = tuple[str, int, int]
"""A normalised word with its start and end in the original text."""


class WordPiece:
    """Splits text into the tokens of a BERT uncased vocabulary; adds no special tokens."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        """Take token -> id; continuing pieces begin with `##`, and `[UNK]` has to be there (else KeyError)."""
        self._vocabulary = dict(vocabulary)
        self._unknown = (self._vocabulary[UNKNOWN],)
        self._memo: dict[str, tuple[int, ...]] = {}

    @classmethod
    def from_file(cls, path: str | Path) -> WordPiece:
        """Read a `vocab.txt`: one token a line, its line number (from 0) is its id."""
        with open(path, encoding="utf-8", newline="\n") as lines:
            return cls({line.rstrip("\n"): number for number, line in enumerate(lines)})

    def __len__(self) -> int:
        """The size of the vocabulary."""
        return len(self._vocabulary)

    def ids(self, text: str) -> list[int]:
        """The token ids of a text, in order; empty for a text without any word."""
        return [number for word in split(text) for number in self.word_ids(word)]

    def count(self, text: str) -> int:
        """`len(ids(text))`."""
        return sum(len(self.word_ids(word)) for word in split(text))

    def words(self, text: str) -> Iterator[Span]:
        """Each word and punctuation mark, normalised, with its span in the ORIGINAL text; see `spans`."""
        return spans(text)

    def word_ids(self, word: str) -> tuple[int, ...]:
        """The ids of one normalised word, at least one."""
        known = self._memo.get(word)
        if known is None:
            if len(self._memo) >= MEMO_WORDS:
                self._memo.clear()
            known = self._memo[word] = self._pieces(word)
        return known

    def _pieces(self, word: str) -> tuple[int, ...]:
        """Longest match first, from the left; all of it is unknown when a rest is."""
        if len(word) > LONGEST_WORD:
            return self._unknown
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._vocabulary.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return self._unknown
            pieces.append(number)
            start = end
        return tuple(pieces)


def split(text: str) -> list[str]:
    """The normalised words and punctuation marks of a text: those of `spans`, faster."""
    if text.isascii() and not _ASCII_CONTROL.search(text):
        return _ASCII_WORD.findall(text.lower())
    return [word for word, _, _ in spans(text)]


def spans(text: str) -> Iterator[Span]:
    """Each word with its span in the original text, in order and without overlap.

    A word is lower-cased, decomposed (NFD) and has lost its accents and control characters, so it may be longer or
    shorter than its span, which covers the accents too. Punctuation marks and ideographs are words of their own.
    """
    for run in _RUN.finditer(text):
        part, offset = run.group(), run.start()
        if part.isascii() and not _ASCII_CONTROL.search(part):
            for found in _ASCII_WORD.finditer(part):
                yield found.group().lower(), offset + found.start(), offset + found.end()
        else:
            for word, start, end in _run_spans(part):
                yield word, offset + start, offset + end


def _run_spans(run: str) -> Iterator[Span]:
    """The words of a run without spaces, character by character."""
    letters, start, end = "", 0, 0
    for position, character in enumerate(run):
        if _is_control(character):
            continue
        ideograph = _IDEOGRAPHS.match(character) is not None
        for part in unicodedata.normalize("NFD", character):
            if ideograph or _is_punctuation(part):
                yield from _word(letters, start, end)
                yield from _word(part, position, position + 1)
                letters = ""
            elif letters or unicodedata.category(part) != "Mn":
                start = start if letters else position
                letters, end = letters + part, position + 1
    yield from _word(letters, start, end)


def _word(letters: str, start: int, end: int) -> Iterator[Span]:
    """What was collected, normalised; nothing if nothing was."""
    if letters:
        kept = (c for c in unicodedata.normalize("NFD", letters) if unicodedata.category(c) != "Mn")
        # one by one, as a final capital sigma would otherwise turn into another letter
        yield "".join(c.lower() for c in kept), start, end


def _is_control(character: str) -> bool:
    return character == "\ufffd" or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return not character.isalnum() and character.isprintable()
    return unicodedata.category(character).startswith("P")
