"""How long a text is: in characters, words, or tokens of a tokenizer.

Every length here adds up over the blank-separated words of a text, each of which is counted once and remembered. So
counting is linear, cutting a text at blanks never changes the sum, and no tokenizer is asked twice about a word.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from fastrag_bench.component import library_version
from fastrag_bench.errors import ConfigurationError, MissingExtraError
from fastrag_bench.tokenizers.wordpiece import WordPiece

Unit = Literal["characters", "words", "tokens"]
Length = Callable[[str], int]

WORDPIECE = "wordpiece"
CL100K = "cl100k"
VOCABULARY = Path(__file__).parent.parent / "data" / "static" / "vocab.txt"

MEMO_PIECES = 200_000
"""How many pieces a counter remembers before it starts afresh."""

LONGEST_REMEMBERED = 64
"""Characters; longer pieces hardly ever come twice."""

_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
_UNSPACED = f"{_IDEOGRAPHS}\u3005-\u3007\u3040-\u30ff\U0002a6e0-\U0003ffff"
_TOKENIZED = re.compile(rf"[{_IDEOGRAPHS}]|[^\s{_IDEOGRAPHS}]+")
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_WITH_BLANKS = re.compile(r"\s*+\S++|\s++")  # blanks go with the word behind them, as in GPT-2
_WITH_BREAKS = re.compile(
    r"\s*+\S++(?:(?<=[^\w\s]|_)[\r\n]++)?+|\s++"
)  # line breaks with the mark before, as in cl100k
_PROBE = "One, two.\n\n  three \n four.\r\n\tFive: it's 6789.\n"


def length_function(unit: Unit, tokenizer: str = WORDPIECE) -> Length:
    """The function that measures a text in `unit`; the builtin `len` itself for characters.

    Raises:
        ConfigurationError: there is no such tokenizer, its library is missing, or it cannot be loaded.
    """
    if unit == "characters":
        return len
    return count_words if unit == "words" else token_counter(tokenizer).count


def word_ends(text: str, unit: Unit) -> list[int]:
    """Where to cut a text, ascending, so that its length in words or word pieces is the sum of those of its parts.

    For words behind each of `count_words`; for tokens behind each run without blanks and each ideograph.
    """
    pattern = _WORD if unit == "words" else _TOKENIZED
    return [word.end() for word in pattern.finditer(text)]


def count_words(text: str) -> int:
    """Words: runs without blanks; in scripts that write none (Chinese, Japanese), each character is one."""
    return len(text.split()) if text.isascii() else len(_WORD.findall(text))


@dataclass(frozen=True)
class TokenCounter:
    """Counts the tokens of a text, and knows how many special ones its tokenizer puts around a text.

    Equal to encoding the whole text for `wordpiece` (but for control characters inside a word), and for `cl100k` and
    other byte-level tokenizers, which are asked about each word with the blanks before it; a tokenizer whose tokens
    cross line breaks (some Unigram ones) is only approximated. Where blanks are tokens or part of them, parts
    cut from a text can add up to a few more or fewer tokens than it has.
    """

    count: Length
    special: int


def token_counter(tokenizer: str) -> TokenCounter:
    """The counter of `wordpiece`, `cl100k` or a `tokenizer.json`; loaded once for each content of the file.

    Raises:
        ConfigurationError: as `length_function`.
    """
    return _load(tokenizer, tokenizer_identity(tokenizer))


def tokenizer_identity(tokenizer: str) -> str:
    """What decides the counts: a hash of the vocabulary and, where a library does the work, its version."""
    if tokenizer == WORDPIECE:
        return _file_digest(VOCABULARY)
    if tokenizer == CL100K:
        return f"{CL100K} tiktoken {library_version('tiktoken')}"
    return f"{_file_digest(_existing(tokenizer))} tokenizers {library_version('tokenizers')}"


class _Memo(dict[str, int]):
    """Piece -> length; counts what it has not met."""

    def __init__(self, count: Length) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, piece: str) -> int:
        length = self._count(piece)
        if len(piece) <= LONGEST_REMEMBERED:
            if len(self) >= MEMO_PIECES:
                self.clear()
            self[piece] = length
        return length


def _adding(pieces: Callable[[str], list[str]], count: Length) -> Length:
    """The sum over the pieces of a text."""
    lookup = _Memo(count).__getitem__
    return lambda text: sum(map(lookup, pieces(text)))


@lru_cache(maxsize=4)
def _load(tokenizer: str, identity: str) -> TokenCounter:
    del identity  # only there so that a changed file is loaded anew
    if tokenizer == WORDPIECE:
        return TokenCounter(_adding(str.split, WordPiece.from_file(VOCABULARY).count), special=2)
    return _cl100k() if tokenizer == CL100K else _tokenizer_json(Path(tokenizer))


def _cl100k() -> TokenCounter:
    try:
        import tiktoken
    except ImportError:
        raise MissingExtraError("tokenizer=cl100k", extra="llm") from None
    try:
        encode = tiktoken.get_encoding("cl100k_base").encode_ordinary
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"tokenizer=cl100k: tiktoken could not get its vocabulary ({type(error).__name__}: {error}); go online "
            "once, or set TIKTOKEN_CACHE_DIR to a folder that holds it"
        ) from error
    return TokenCounter(_adding(_WITH_BREAKS.findall, lambda text: len(encode(text))), special=0)


def _tokenizer_json(path: Path) -> TokenCounter:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError(f"tokenizer={path}", extra="onnx") from None
    try:
        model: Any = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise ConfigurationError(f"tokenizer={path}: not a tokenizer.json that can be loaded ({error})") from error
    model.no_truncation()
    model.no_padding()
    count = _adding(_pieces_of(model), lambda text: len(model.encode(text, add_special_tokens=False).ids))
    return TokenCounter(count, special=model.num_special_tokens_to_add(False))


def _pieces_of(model: Any) -> Callable[[str], list[str]]:
    """The way to cut a text for which the tokens of the pieces are those of the text; tried on a probe."""

    def ids(text: str) -> list[int]:
        return list(model.encode(text, add_special_tokens=False).ids)

    ways: tuple[Callable[[str], list[str]], ...] = (str.split, _WITH_BLANKS.findall, _WITH_BREAKS.findall)
    fitting = (way for way in ways if [number for piece in way(_PROBE) for number in ids(piece)] == ids(_PROBE))
    return next(fitting, _WITH_BLANKS.findall)


def _existing(tokenizer: str) -> Path:
    path = Path(tokenizer)
    if not path.is_file():
        raise ConfigurationError(
            f"no such tokenizer: {tokenizer!r}; there are {WORDPIECE}, {CL100K}, or the path of a tokenizer.json"
        )
    return path


def _file_digest(path: Path) -> str:
    status = os.stat(path)
    return _digest(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _digest(path: Path, modified: int, size: int) -> str:
    del modified, size  # the key of the cache: a file that changed is read again
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
