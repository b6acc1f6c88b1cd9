"""Search terms: what is a word, in which script."""

import subprocess
import sys

import pytest

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.tokenizers.terms import Terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop: TCP_NODELAY, a 10 ms x", ["don", "stop", "tcp_nodelay", "10", "ms"]),
        ("Straße ÉCOLE naïve", ["straße", "école", "naïve"]),
        ("ﬁne ＡＢＣ", ["fine", "abc"]),
        ("e\u0301cole", ["école"]),
        ("हिन्दी में खोज", ["हिन्दी", "में", "खोज"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("東京都の水", ["東京", "京都", "都の", "の水"]),
        ("水、Python3です", ["水", "python3", "です"]),
        ("แมว 12 ตัว", ["แม", "มว", "12", "ตั", "ัว"]),
        ("검색엔진", ["검색", "색엔", "엔진"]),
        ("", []),
        (" .,!? \n", []),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_ascii_and_other_texts_agree_on_english() -> None:
    text = "The client's 3 retries (HTTP_429) back-off: exponential, O(n log n)."
    assert words(text + " é")[: len(words(text))] == words(text)


def test_english_terms_equal_those_of_bm25s() -> None:
    import bm25s
    import Stemmer

    text = "Being stemmed, the runners' running times were measured again; no_op 42 x."
    theirs = bm25s.tokenize(
        [text], stopwords="en", stemmer=Stemmer.Stemmer("english"), return_ids=False, show_progress=False
    )
    assert Terms(stop_words="en", stemmer="english").of(text) == theirs[0]


def test_stop_words_may_be_a_list_in_any_spelling() -> None:
    assert Terms(stop_words=["ＵＮＤ", "der"]).of("Der Hund und die Katze") == ["hund", "die", "katze"]


def test_repeats_stay() -> None:
    assert Terms().of("tea tea coffee tea") == ["tea", "tea", "coffee", "tea"]


def test_an_unknown_stemmer_names_those_there_are() -> None:
    with pytest.raises(ConfigurationError, match=r"no stemmer 'klingon'; there is none, .*english"):
        Terms(stemmer="klingon")


def test_importing_costs_neither_bm25s_nor_the_stemmer() -> None:
    code = "import sys, fastrag_bench.indexes.bm25; sys.exit(bool({'bm25s', 'Stemmer'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
