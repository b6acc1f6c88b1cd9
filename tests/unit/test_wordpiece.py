"""The WordPiece tokenizer: literal ids, exact spans, and agreement with the `tokenizers` library."""

from __future__ import annotations

import random
from importlib.resources import files
from typing import Any

import pytest

from fastrag_bench.tokenizers import wordpiece
from fastrag_bench.tokenizers.wordpiece import WordPiece, spans, split

VOCABULARY = files("fastrag_bench") / "data" / "static" / "vocab.txt"

# ids of the `tokenizers` library for the vocabulary of bert-base-uncased, without special tokens
EXPECTED: list[tuple[str, list[int]]] = [
    ("Hello, World!", [7592, 1010, 2088, 999]),
    ("The quick brown fox jumps over the lazy dog.", [1996, 4248, 2829, 4419, 14523, 2058, 1996, 13971, 3899, 1012]),
    (
        "Retrieval-augmented generation (RAG) reduces hallucinations.",
        [26384, 1011, 19335, 4245, 1006, 17768, 1007, 13416, 2534, 14194, 22045, 1012],
    ),
    ("internationalisation of tokenisation", [2248, 6648, 1997, 19204, 6648]),
    ("It's 3.14159, isn't it?", [2009, 1005, 1055, 1017, 1012, 15471, 28154, 1010, 3475, 1005, 1056, 2009, 1029]),
    ("C++ & x86_64 @ 50%!", [1039, 1009, 1009, 1004, 1060, 20842, 1035, 4185, 1030, 2753, 1003, 999]),
    ("Crème brûlée à la façon de Zürich", [13675, 21382, 7987, 9307, 2063, 1037, 2474, 6904, 8663, 2139, 10204]),
    ("中文 and 日本語テキスト", [1746, 1861, 1998, 1864, 1876, 1950, 1713, 30227, 30233, 30240]),
    ("\U0001f600 emoji \U0001f469\u200d\U0001f4bb \u2764\ufe0f fine", [100, 7861, 29147, 2072, 100, 100, 2986]),
    ("tab\tnew\nline\xa0nbsp\u3000wide", [21628, 2047, 2240, 1050, 5910, 2361, 2898]),
    ("con\x00trol\x1f char\u200bacters\ufffd", [2491, 3494]),
    ("“Smart quotes” — and … dashes", [1523, 6047, 16614, 1524, 1517, 1998, 1529, 11454, 2229]),
    (
        "ΟΔΟΣ Москва 한국",
        [1169, 29722, 29730, 29733, 1191, 14150, 29747, 23925, 25529, 10260, 1469, 30006, 30021, 29991, 30014, 30020],
    ),
    ("Ångström ﬁne ½ İstanbul STRASSE ß", [17076, 15687, 1984, 2638, 1092, 9960, 2358, 8180, 3366, 1096]),
    (
        "https://example.org/a_b?c=d#e",
        [16770, 1024, 1013, 1013, 2742, 1012, 8917, 1013, 1037, 1035, 1038, 1029, 1039, 1027, 1040, 1001, 1041],
    ),
]

# the library's tables of marks and punctuation end with Unicode 8; these blocks were complete by then
COMPLETE_BLOCKS = [(0x0000, 0x0530), (0x1E00, 0x2E3F), (0x3000, 0x9FFF), (0xAC00, 0xD7A3), (0xE000, 0xFFFE)]
COMPLETE_BLOCKS += [(0x1F300, 0x1FAFF), (0x20000, 0x203FF)]

WORDS = (
    "the retrieval of Passages internationalisation don't U.S.A. x86_64 3.14159 e-mail@example.com C++ #tag ##ing _ ` "
    "Ünïcödé naïve Ångström façade Žižek ﬁne ½ ① ǅ ß ẞ İı ŉ Σίσυφος ΟΔΟΣ Москва عربى עברית हिन्दी ไทย 한국어 "
    "中文 日本語テキスト 東京 〆 々 “quoted” — … ‚low‘ ≠ ∑ € 😀 🇩🇪 👩\u200d💻 ❤\ufe0f"
)
SIGNS = "\u037e \u1fef a\u0301\u0323 \u0315 \u00ad \u200b \u200e \ufeff \ufffd \ue000 \u0378 \u0338"
SPACES = " \t\n\u00a0\u2003\u2028\u3000\x00\x0b\x1c\x85"


@pytest.fixture(scope="module")
def tokenizer() -> WordPiece:
    return WordPiece.from_file(str(VOCABULARY))


@pytest.mark.parametrize(("text", "ids"), EXPECTED)
def test_ids_of_known_texts(tokenizer: WordPiece, text: str, ids: list[int]) -> None:
    assert tokenizer.ids(text) == ids
    assert tokenizer.count(text) == len(ids)


def test_the_vocabulary_has_the_size_of_bert(tokenizer: WordPiece) -> None:
    assert len(tokenizer) == 30522


@pytest.mark.parametrize("text", ["", " \t\n\u3000\u2028", "\x00\x1f\u200b\ufeff\ufffd", "\u0301\u0300"])
def test_a_text_without_words_has_no_ids(tokenizer: WordPiece, text: str) -> None:
    assert tokenizer.ids(text) == []
    assert tokenizer.count(text) == 0
    assert list(tokenizer.words(text)) == []


def test_a_word_of_100_characters_is_known_and_of_101_is_not(tokenizer: WordPiece) -> None:
    assert tokenizer.ids("a" * 101) == [100]
    assert 100 not in tokenizer.ids("a" * 100)


def test_a_spelt_special_token_is_ordinary_text(tokenizer: WordPiece) -> None:
    assert split("[SEP]") == ["[", "sep", "]"]
    assert 102 not in tokenizer.ids("[SEP]")


def test_a_vocabulary_without_unk_is_refused() -> None:
    with pytest.raises(KeyError):
        WordPiece({"a": 0})


def test_longest_piece_first() -> None:
    tokenizer = WordPiece({"[UNK]": 0, "un": 1, "##able": 2, "unab": 3, "##le": 4, "##a": 5})

    assert tokenizer.ids("unable una unb") == [3, 4, 1, 5, 0]


def test_a_full_memo_changes_nothing(monkeypatch: pytest.MonkeyPatch, tokenizer: WordPiece) -> None:
    monkeypatch.setattr(wordpiece, "MEMO_WORDS", 3)
    small = WordPiece.from_file(str(VOCABULARY))
    text = "the quick brown fox jumps over the lazy dog and the quick brown fox sleeps"

    assert small.ids(text) == tokenizer.ids(text)
    assert len(small._memo) <= 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", [("hello", 0, 5), (",", 5, 6), ("world", 7, 12), ("!", 12, 13)]),
        ("Café\u0301 au lait", [("cafe", 0, 5), ("au", 6, 8), ("lait", 9, 13)]),
        ("İstanbul", [("istanbul", 0, 8)]),
        ("na\u00adïve\u200b x", [("naive", 0, 6), ("x", 8, 9)]),
        ("ΟΔΟΣ", [("οδοσ", 0, 4)]),
        ("中文text", [("中", 0, 1), ("文", 1, 2), ("text", 2, 6)]),
        ("a\u00a0b\u3000c", [("a", 0, 1), ("b", 2, 3), ("c", 4, 5)]),
        ("x≠y", [("x", 0, 1), ("=", 1, 2), ("y", 2, 3)]),
        ("\x00ab\x07c\x00", [("abc", 1, 5)]),
        ("한", [("\u1112\u1161\u11ab", 0, 1)]),
    ],
)
def test_spans_are_those_of_the_original_text(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert list(spans(text)) == expected


def test_spans_are_in_order_within_the_text_and_agree_with_split() -> None:
    for text in _varied_texts(2000, seed=3):
        found = list(spans(text))
        assert [word for word, _, _ in found] == split(text)
        end = 0
        for _, start, stop in found:
            assert end <= start < stop <= len(text)
            end = stop


def test_ids_equal_those_of_the_tokenizers_library(tokenizer: WordPiece) -> None:
    reference = _reference()
    for text in _varied_texts(6000, seed=11):
        assert tokenizer.ids(text) == reference.encode(text, add_special_tokens=False).ids, repr(text)


def test_ids_of_every_character_known_to_unicode_8_equal_those_of_the_tokenizers_library(tokenizer: WordPiece) -> None:
    reference = _reference()
    # the library's tables of marks and punctuation stop there, so only the blocks that are complete are compared
    characters = "".join(chr(c) for first, last in COMPLETE_BLOCKS for c in range(first, last + 1))
    texts = [f"a{character}b {character}" for character in characters]
    for text, encoded in zip(texts, reference.encode_batch(texts, add_special_tokens=False), strict=True):
        assert tokenizer.ids(text) == encoded.ids, repr(text)


def _reference() -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers library is not installed")
    lines = VOCABULARY.read_text(encoding="utf-8").split("\n")
    vocabulary = {token: number for number, token in enumerate(lines) if token}
    reference = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    reference.normalizer = tokenizers.normalizers.BertNormalizer()
    reference.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return reference


def _varied_texts(n: int, seed: int) -> list[str]:
    """Mixtures of words, accents, scripts, emoji, spaces and control characters."""
    rng = random.Random(seed)
    pieces = [*WORDS.split(" "), *SIGNS.split(" "), *SPACES, "\r\n", "  ", "w" * 99, "w" * 101, "ö" * 100]
    return ["".join(rng.choice(pieces) + rng.choice(["", " "]) for _ in range(rng.randint(1, 14))) for _ in range(n)]
