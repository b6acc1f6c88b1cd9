"""The promises of every chunker, for any text; then what is particular to `none`, `fixed` and `sentence`."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from pydantic import ValidationError

from fastrag_bench.chunkers.fixed import FixedChunker
from fastrag_bench.chunkers.markdown import MarkdownChunker
from fastrag_bench.chunkers.none import WholeDocument
from fastrag_bench.chunkers.packing import pack
from fastrag_bench.chunkers.recursive import RecursiveChunker
from fastrag_bench.chunkers.semantic import SemanticChunker
from fastrag_bench.chunkers.sentence import SentenceChunker
from fastrag_bench.chunkers.sizing import SizedChunker
from fastrag_bench.component import identity_of, resolve
from fastrag_bench.contracts import Chunker
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.tokenizers.lengths import length_function
from fastrag_bench.types import Document
from tests.unit.chunking import TEXTS, LetterEmbedder, check_promises, texts_of

CONF = Path(__file__).resolve().parents[2] / "conf" / "chunker"
SIZED: dict[str, type[SizedChunker]] = {
    "fixed": FixedChunker,
    "sentence": SentenceChunker,
    "recursive": RecursiveChunker,
    "markdown": MarkdownChunker,
    "semantic": SemanticChunker,
}
KINDS = pytest.mark.parametrize("kind", SIZED)


def make(kind: str, **settings: Any) -> Any:
    if kind == "semantic":
        settings = {"embedder": LetterEmbedder(), "min_size": 0, **settings}
    return SIZED[kind](**settings)


SIZES = st.integers(1, 40).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


@KINDS
@given(text=TEXTS, sizes=SIZES, unit=st.sampled_from(["characters", "words", "tokens"]))
@example("00000000", (3, 0), "tokens")  # the tokens of its parts do not add up to those of the word
@settings(max_examples=60, deadline=None)
def test_any_text_is_covered_exactly_and_no_chunk_is_too_long(
    kind: str, text: str, sizes: tuple[int, int], unit: str
) -> None:
    size = max(sizes[0], 3)  # one character, such as a Korean syllable, can have three tokens
    chunker = make(kind, size=size, overlap=sizes[1], unit=unit)
    chunks = chunker.chunk(Document(text, id="d"))
    check_promises(text, chunks)
    length = length_function(chunker.unit)
    assert all(length(chunk.text) <= size for chunk in chunks)
    assert chunks == chunker.chunk(Document(text, id="d"))


@KINDS
@given(text=TEXTS, sizes=SIZES)
@settings(max_examples=40, deadline=None)
def test_a_chunk_repeats_at_most_the_overlap(kind: str, text: str, sizes: tuple[int, int]) -> None:
    chunks = make(kind, size=sizes[0], overlap=sizes[1]).chunk(Document(text, id="d"))
    for before, chunk in pairwise(chunks):
        assert before.end - chunk.start <= sizes[1] or before.start == chunk.start


@KINDS
@pytest.mark.parametrize("text", ["", " ", "\n\n\t", "\r\n\r\n", "\u00a0", "\u3000"])
def test_a_blank_document_has_no_chunk(kind: str, text: str) -> None:
    assert make(kind).chunk(Document(text, id="d")) == []


@KINDS
@pytest.mark.parametrize("text", ["x", "One sentence.", "字", "😀", "word " * 20])
def test_a_short_document_is_one_chunk(kind: str, text: str) -> None:
    assert texts_of(make(kind), text) == [text.strip()]


@KINDS
def test_a_chunk_knows_its_document_and_its_place(kind: str) -> None:
    document = Document("Some words here. " * 100, id="guide.md")
    chunks = make(kind).chunk(document)
    assert len(chunks) >= 3
    assert all(chunk.document is document for chunk in chunks)
    assert all(chunk.id == f"guide.md#char={chunk.start},{chunk.end}" for chunk in chunks)


HOSTILE = {
    "one long word": "x",
    "ideographs": "字",
    "emoji": "😀",
    "blank": " ",
    "blank lines": "\n\n",
    "windows lines": "a\r\n",
    "short words": "a ",
    "headings": "# a\n",
    "underlines": "a\n---\n",
    "fences": "```\n",
    "table": "| a | b |\n",
    "list": "- a\n",
    "stops": ". ",
    "combining": "e\u0301",
}


@KINDS
@pytest.mark.parametrize("unit", ["characters", "tokens"])
def test_no_text_costs_more_than_linear_time(kind: str, unit: str) -> None:
    chunker = make(kind, size=100, overlap=30, unit=unit)
    for name, piece in HOSTILE.items():
        text = piece * (40_000 // len(piece))
        began = time.process_time()
        check_promises(text, chunker.chunk(Document(text, id="d")))
        assert time.process_time() - began < 3, name  # measured: under .3; a quadratic step takes minutes


@KINDS
@pytest.mark.parametrize(("size", "overlap"), [(10, 10), (10, 11), (1, 1)])
def test_an_overlap_that_is_not_smaller_than_the_size_is_refused(kind: str, size: int, overlap: int) -> None:
    with pytest.raises(ValidationError, match=rf"overlap={overlap} has to be smaller than size={size}"):
        make(kind, size=size, overlap=overlap)


@KINDS
@pytest.mark.parametrize("bad", [{"size": 0}, {"size": -1}, {"overlap": -1}, {"unit": "pages"}, {"tokenizer": " "}])
def test_settings_without_a_meaning_are_refused(kind: str, bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        make(kind, **bad)


@pytest.mark.parametrize("name", ["none", *SIZED])
def test_its_yaml_spells_every_setting_with_its_default(name: str) -> None:
    node = OmegaConf.load(CONF / f"{name}.yaml")
    if name == "semantic":
        kind, embedder = LetterEmbedder, "${embedder}"
        assert OmegaConf.to_container(node)["embedder"] == embedder
        node["embedder"] = {"_target_": f"{kind.__module__}.{kind.__qualname__}"}
    chunker = resolve(OmegaConf.to_container(node), contract=Chunker)
    assert set(node) - {"_target_"} == set(type(chunker).model_fields)
    given = {"embedder": chunker.embedder} if isinstance(chunker, SemanticChunker) else {}
    assert chunker == type(chunker)(**given)


class TestIdentity:
    def test_the_tokenizer_does_not_count_where_it_is_not_used(self) -> None:
        assert identity_of(FixedChunker(tokenizer="cl100k")) == identity_of(FixedChunker(special_tokens=True))

    def test_the_tokenizer_counts_by_the_content_of_its_file(self, tmp_path: Path) -> None:
        first, same, other = (tmp_path / name for name in ("a.json", "b.json", "c.json"))
        first.write_text("{}")
        same.write_text("{}")
        other.write_text("[]")
        of = [identity_of(FixedChunker(unit="tokens", tokenizer=str(path))) for path in (first, same, other)]
        assert of[0] == of[1] != of[2]

    def test_special_tokens_count_with_tokens(self) -> None:
        plain, special = (FixedChunker(unit="tokens", special_tokens=value) for value in (False, True))
        assert identity_of(plain) != identity_of(special)


class TestTokens:
    def test_special_tokens_take_their_room(self) -> None:
        text = "one two three four five six"
        assert texts_of(FixedChunker(size=4, overlap=0, unit="tokens"), text) == ["one two three four", "five six"]
        with_special = FixedChunker(size=4, overlap=0, unit="tokens", special_tokens=True)
        assert texts_of(with_special, text) == ["one two", "three four", "five six"]

    def test_no_room_beside_special_tokens_is_refused_when_inspected(self) -> None:
        chunker = FixedChunker(size=3, overlap=1, unit="tokens", special_tokens=True)
        with pytest.raises(ConfigurationError, match="size=3 leaves 1 tokens beside 2 special ones"):
            chunker.inspect_settings()

    def test_a_missing_tokenizer_is_refused_when_inspected(self) -> None:
        with pytest.raises(ConfigurationError, match=r"no such tokenizer: 'gpt5'; there are wordpiece, cl100k"):
            FixedChunker(unit="tokens", tokenizer="gpt5").inspect_settings()


class TestNone:
    def test_the_whole_document_to_the_character(self) -> None:
        assert texts_of(WholeDocument(), " a\n\nb \n") == [" a\n\nb \n"]

    @pytest.mark.parametrize("text", ["", "  \n"])
    def test_a_blank_document_has_no_chunk(self, text: str) -> None:
        assert WholeDocument().chunk(Document(text)) == []


class TestFixed:
    def test_characters(self) -> None:
        assert texts_of(FixedChunker(size=4, overlap=0), "abcdefghij") == ["abcd", "efgh", "ij"]
        assert texts_of(FixedChunker(size=4, overlap=1), "abcdefghij") == ["abcd", "defg", "ghij"]
        assert texts_of(FixedChunker(size=4, overlap=3), "abcdef") == ["abcd", "bcde", "cdef"]

    def test_blank_space_around_a_window_is_left_out(self) -> None:
        assert texts_of(FixedChunker(size=4, overlap=0), "ab  cd\n\n    ef") == ["ab", "cd", "ef"]

    def test_words_keep_what_is_between_them(self) -> None:
        chunker = FixedChunker(size=3, overlap=1, unit="words")
        assert texts_of(chunker, "a  b\nc d\n\ne f") == ["a  b\nc", "c d\n\ne", "e f"]

    def test_an_ideograph_is_a_word(self) -> None:
        assert texts_of(FixedChunker(size=3, overlap=1, unit="words"), "我们去学校") == ["我们去", "去学校"]

    def test_a_word_of_too_many_tokens_is_cut_into_parts_that_fit(self) -> None:
        text = "so " + "ab.cd," * 20
        chunks = texts_of(FixedChunker(size=10, overlap=0, unit="tokens"), text)
        assert "".join(chunks).replace(" ", "") == text.replace(" ", "")
        assert max(map(length_function("tokens"), chunks)) <= 10
        assert len(chunks) <= 20


class TestSentence:
    TEXT = "One is here. Two is there. Three is nowhere at all. Four."

    def test_as_many_as_fit(self) -> None:
        expected = ["One is here. Two is there.", "Three is nowhere at all.", "Four."]
        assert texts_of(SentenceChunker(size=27, overlap=0), self.TEXT) == expected

    def test_whole_sentences_are_repeated(self) -> None:
        expected = ["One is here. Two is there.", "Two is there. Three is nowhere at all.", "Four."]
        assert texts_of(SentenceChunker(size=40, overlap=14), self.TEXT) == expected

    def test_a_sentence_that_just_fits_is_kept_whole(self) -> None:
        assert texts_of(SentenceChunker(size=13, overlap=0), self.TEXT)[:2] == ["One is here.", "Two is there."]

    def test_a_longer_one_is_cut_at_blanks(self) -> None:
        expected = ["Three is", "nowhere at", "all. Four."]
        assert texts_of(SentenceChunker(size=11, overlap=0), "Three is nowhere at all. Four.") == expected

    def test_words_and_tokens(self) -> None:
        expected = ["One is here. Two is there.", "Three is nowhere at all.", "Four."]
        assert texts_of(SentenceChunker(size=6, overlap=0, unit="words"), self.TEXT)[0] == expected[0]
        assert texts_of(SentenceChunker(size=8, overlap=0, unit="tokens"), self.TEXT) == [
            expected[0],
            f"{expected[1]} {expected[2]}",
        ]


class TestPack:
    @pytest.mark.parametrize(
        ("lengths", "size", "overlap", "expected"),
        [
            ([], 3, 0, []),
            ([1, 1, 1, 1, 1], 2, 0, [(0, 2), (2, 4), (4, 5)]),
            ([1, 1, 1, 1], 3, 2, [(0, 3), (1, 4)]),
            ([2, 2, 2], 4, 1, [(0, 2), (2, 3)]),
            ([9, 1, 9], 4, 1, [(0, 1), (1, 2), (2, 3)]),
            ([0, 0, 3, 3], 3, 0, [(0, 3), (3, 4)]),
        ],
    )
    def test_windows(self, lengths: list[int], size: int, overlap: int, expected: list[tuple[int, int]]) -> None:
        assert pack(lengths, size, overlap) == expected
