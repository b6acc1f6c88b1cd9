"""Lengths in each unit, that they add up over words, and the tokenizers behind them."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastrag_bench.errors import ConfigurationError, MissingExtraError
from fastrag_bench.tokenizers import lengths
from fastrag_bench.tokenizers.lengths import (
    VOCABULARY,
    count_words,
    length_function,
    token_counter,
    tokenizer_identity,
    word_ends,
)
from fastrag_bench.tokenizers.wordpiece import WordPiece

WORD_PIECE = WordPiece.from_file(VOCABULARY)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" \n", 0),
        ("one", 1),
        ("it's two-fold, yes", 3),
        ("我们去学校", 5),
        ("GPU上で走る", 5),
        ("한국어 문장", 2),
        ("é 😀", 2),
    ],
)
def test_words(text: str, words: int) -> None:
    assert count_words(text) == words
    assert len(word_ends(text, "words")) == words


def test_tokens_are_cut_behind_ideographs_but_not_within_kana() -> None:
    assert word_ends("漢字かな abc", "tokens") == [1, 2, 4, 8]


def test_characters_are_code_points() -> None:
    assert length_function("characters") is len


@given(st.text(st.sampled_from("aB1 \n\t.,'éß字の😀-_")))
@settings(max_examples=200, deadline=None)
def test_word_pieces_are_counted_as_if_the_text_were_encoded_whole(text: str) -> None:
    assert length_function("tokens")(text) == WORD_PIECE.count(text)


@given(st.lists(st.text(st.sampled_from("aB1.,é字")), max_size=5))
@settings(max_examples=100, deadline=None)
def test_tokens_add_up_over_words(words: list[str]) -> None:
    count = length_function("tokens")
    assert count(" ".join(words)) == sum(map(count, words))


def test_each_word_is_counted_only_once() -> None:
    asked: list[str] = []

    def count(word: str) -> int:
        asked.append(word)
        return 1

    assert lengths._adding(str.split, count)("a b a\nb a " + "x" * 100) == 6
    assert asked == ["a", "b", "x" * 100]


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lengths, "MEMO_PIECES", 3)
    memo = lengths._Memo(len)
    assert [memo[word] for word in ("a", "bb", "ccc", "dddd", "a", "e" * 99)] == [1, 2, 3, 4, 1, 99]
    assert dict(memo) == {"dddd": 4, "a": 1}


def test_blocks_keep_blanks_with_the_word_behind_and_breaks_with_the_mark_before() -> None:
    text = "One two.\n\n  three\n four_\r\n \n"
    assert lengths._WITH_BREAKS.findall(text) == ["One", " two.\n\n", "  three", "\n four_\r\n", " \n"]
    assert lengths._WITH_BLANKS.findall(text) == ["One", " two.", "\n\n  three", "\n four_", "\r\n \n"]


def test_word_pieces_have_two_special_tokens() -> None:
    assert token_counter("wordpiece").special == 2


class TestCl100k:
    @pytest.fixture(autouse=True)
    def fresh(self) -> None:
        lengths._load.cache_clear()

    def test_counts_what_tiktoken_encodes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Encoding:
            def encode_ordinary(self, text: str) -> list[int]:
                return list(text.encode())

        fake = types.ModuleType("tiktoken")
        fake.get_encoding = {"cl100k_base": Encoding()}.__getitem__  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "tiktoken", fake)
        assert token_counter("cl100k").count("é two.\n\n") == 9
        assert token_counter("cl100k").special == 0

    def test_without_tiktoken_it_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "tiktoken", None)
        with pytest.raises(MissingExtraError, match=r'pip install "fastrag_bench\[llm\]"'):
            token_counter("cl100k")

    def test_offline_it_says_where_the_vocabulary_may_lie(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def unreachable(name: str) -> None:
            raise OSError("no route to host")

        fake = types.ModuleType("tiktoken")
        fake.get_encoding = unreachable  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "tiktoken", fake)
        with pytest.raises(ConfigurationError, match=r"no route to host.*TIKTOKEN_CACHE_DIR"):
            token_counter("cl100k")


class TestTokenizerFile:
    def test_a_missing_file_is_an_error_that_names_the_choices(self) -> None:
        with pytest.raises(ConfigurationError, match=r"'none\.json'; there are wordpiece, cl100k, or the path"):
            tokenizer_identity("none.json")

    def test_without_tokenizers_it_names_the_extra(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        path = tmp_path / "tokenizer.json"
        path.write_text("{}")
        monkeypatch.setitem(sys.modules, "tokenizers", None)
        with pytest.raises(MissingExtraError, match=r'pip install "fastrag_bench\[onnx\]"'):
            token_counter(str(path))

    def test_a_changed_file_is_another_tokenizer(self, tmp_path: Path) -> None:
        path = tmp_path / "tokenizer.json"
        path.write_text("{}")
        before = tokenizer_identity(str(path))
        path.write_text("{} ")
        assert tokenizer_identity(str(path)) != before

    def test_a_file_that_is_none_is_refused(self, tmp_path: Path) -> None:
        pytest.importorskip("tokenizers")
        path = tmp_path / "tokenizer.json"
        path.write_text("{}")
        with pytest.raises(ConfigurationError, match=r"not a tokenizer\.json that can be loaded"):
            token_counter(str(path))

    @pytest.mark.parametrize("kind", ["words", "bytes"])
    def test_counts_are_those_of_the_library(self, kind: str, tmp_path: Path) -> None:
        tokenizers = pytest.importorskip("tokenizers")
        model = tokenizers.Tokenizer(
            tokenizers.models.BPE(unk_token="?") if kind == "words" else tokenizers.models.BPE()
        )
        byte_level = tokenizers.pre_tokenizers.ByteLevel
        if kind == "words":
            model.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        else:
            model.pre_tokenizer = byte_level(add_prefix_space=False)
        text = "The cat sat.\n\n  The mat: it's flat, isn't it?\r\n\r\nThat cat… " * 3
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=300, special_tokens=["?"], initial_alphabet=byte_level.alphabet() if kind == "bytes" else []
        )
        model.train_from_iterator([text], trainer)
        model.save(str(tmp_path / "tokenizer.json"))
        counter = token_counter(str(tmp_path / "tokenizer.json"))
        assert counter.count(text) == len(model.encode(text).ids)
        assert counter.special == 0
