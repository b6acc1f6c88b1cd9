"""Words of answers, in any script: what counts as equal text."""

from __future__ import annotations

import re
import string
import unicodedata

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese: scripts that put no blanks between words."""
_ARTICLES = frozenset({"a", "an", "the"})
_ASCII_WORD = re.compile("[a-z0-9]+")


def folded(text: str) -> str:
    """NFKC, case-folded, blanks collapsed: texts that differ only in form are equal."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def words(text: str) -> list[str]:
    """Runs of letters, marks and digits; in scripts without blanks each character. On ASCII as rouge-score."""
    plain = folded(text)
    if plain.isascii():
        return _ASCII_WORD.findall(plain)
    spaced = "".join(character if unicodedata.category(character)[0] in "LMN" else " " for character in plain)
    return _UNSPACED.sub(lambda found: f" {found[0]} ", spaced).split()


def squad_words(text: str) -> list[str]:
    """Words as SQuAD's evaluation has them: punctuation is deleted, not a break, and articles are left out.

    Articles stay where they are all there is, and so does punctuation: "A" is an answer, and so is "+".
    """
    plain = folded(text)
    bare = "".join(character for character in plain if not _is_punctuation(character))
    if not bare.isascii():
        bare = _UNSPACED.sub(lambda found: f" {found[0]} ", bare)
    found = bare.split() or plain.split()
    return [word for word in found if word not in _ARTICLES] or found


def _is_punctuation(character: str) -> bool:
    return character in string.punctuation or unicodedata.category(character).startswith("P")
