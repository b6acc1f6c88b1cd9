"""`recursive` against langchain-text-splitters, chunk by chunk, and what it does instead where they differ.

The other splitter gives texts without places. So most texts here have each letter only once: a letter tells where a
chunk lies.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from fastrag_bench.chunkers.recursive import SEPARATORS, RecursiveChunker
from fastrag_bench.tokenizers.lengths import length_function
from fastrag_bench.types import Document
from tests.unit.chunking import texts_of

CORPORA = Path(__file__).resolve().parents[3] / "shared" / "data" / "chroma_chunking" / "corpora"
LETTERS = [chr(code) for code in range(0x4E00, 0x4E00 + 2000)]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)  # the other splitter warns of each chunk that is too long
    yield
    logging.disable(logging.NOTSET)


def theirs(
    text: str,
    *,
    size: int,
    overlap: int,
    separators: tuple[str, ...] = SEPARATORS,
    length: Callable[[str], int] = len,
) -> list[str]:
    """What langchain-text-splitters returns, but stripped and without blank chunks."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=list(separators), chunk_size=size, chunk_overlap=overlap, length_function=length
    )
    return [chunk.strip() for chunk in splitter.split_text(text) if chunk.strip()]


def with_news(chunks: list[str]) -> list[str]:
    """Without the chunks that lie within the one before; for texts that hardly repeat themselves."""
    return [chunk for before, chunk in pairwise(["", *chunks]) if not before.endswith(chunk)]


def unique(text: str) -> str:
    """Every `x` becomes a letter of its own."""
    letters = iter(LETTERS)
    return "".join(next(letters) if character == "x" else character for character in text)


SHAPES = st.lists(
    st.sampled_from(
        ["x", "xx", "xxxxxx", " ", "  ", "\n", "\n\n", "\n\n\n", "\r\n", "\t", ". ", ".", "x x", "x\nx", "x\n\nx"]
    ),
    max_size=60,
).map(lambda parts: unique("".join(parts)))
SIZES = st.integers(1, 30).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))
RULES = st.sampled_from(
    [
        SEPARATORS,
        ("\n\n", "\n", " "),
        ("\n\n",),
        ("",),
        ("\n", "", " "),
        ("\n\n\n", "\n\n", ""),
        ("\n\n\n\n", "\n", ""),
        (". ", " ", ""),
        (".", "\n", ""),
        ("\r\n", "\n", ""),
        ("\n \n", "\n", ""),
        ("\t", "no such", " "),
    ]
)


@given(text=SHAPES, sizes=SIZES, separators=RULES, unit=st.sampled_from(["characters", "words", "tokens"]))
@example(unique("x\nx\nx\n\n\nx\n\n\n\nx\nx\n\n\n\n\n\nx"), (7, 1), ("\n\n\n", "\n", " ", ""), "characters")
@example(unique("xx\n\n\nxx\n\n\n\n\nxx\n\nx"), (5, 3), SEPARATORS, "characters")
@settings(max_examples=250, deadline=None)
def test_the_same_chunks_whatever_the_separators(
    text: str, sizes: tuple[int, int], separators: tuple[str, ...], unit: str
) -> None:
    size, overlap = sizes
    expected = theirs(text, size=size, overlap=overlap, separators=separators, length=length_function(unit))
    if overlap:
        assume(all(any(letter in LETTERS for letter in chunk) for chunk in expected))
        expected = with_news(expected)
    chunker = RecursiveChunker(size=size, overlap=overlap, separators=separators, unit=unit)
    assert texts_of(chunker, text) == expected


def prose(seed: int, *, wrapped: bool) -> str:
    """Seeded paragraphs of sentences, as one line each or wrapped."""
    generator = random.Random(seed)
    paragraphs = []
    for _ in range(40):
        words = [
            "".join(generator.choices("abcdefgh", k=generator.randint(1, 12))) for _ in range(generator.randint(3, 250))
        ]
        lines = [" ".join(words[i : i + 12]) for i in range(0, len(words), 12)]
        paragraphs.append(("\n" if wrapped else " ").join(lines))
    return "\n\n".join(paragraphs)


@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize(("size", "overlap"), [(100, 0), (100, 60), (800, 100), (1000, 200), (1000, 999)])
@pytest.mark.parametrize("unit", ["characters", "words", "tokens"])
def test_the_same_chunks_of_prose(wrapped: bool, size: int, overlap: int, unit: str) -> None:
    text = prose(size + overlap, wrapped=wrapped)
    expected = theirs(text, size=size, overlap=overlap, length=length_function(unit))
    assert texts_of(RecursiveChunker(size=size, overlap=overlap, unit=unit), text) == expected


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora are not beside the project")
@pytest.mark.parametrize("name", ["chatlogs", "pubmed", "state_of_the_union", "wikitexts"])
@pytest.mark.parametrize(("size", "overlap"), [(400, 0), (800, 100)])
def test_the_same_chunks_of_real_documents(name: str, size: int, overlap: int) -> None:
    text = (CORPORA / f"{name}.md").read_text(encoding="utf-8")[:120_000]
    expected = with_news(theirs(text, size=size, overlap=overlap))
    assert texts_of(RecursiveChunker(size=size, overlap=overlap), text) == expected


def test_the_offsets_are_those_of_the_chunk_and_not_of_an_equal_text_before_it() -> None:
    chunks = RecursiveChunker(size=5, overlap=0).chunk(Document("same same same", id="d"))
    assert [(chunk.start, chunk.end) for chunk in chunks] == [(0, 4), (5, 9), (10, 14)]


class TestWhereTheyDiffer:
    def split(self, text: str, size: int, overlap: int, separators: tuple[str, ...]) -> tuple[list[str], list[str]]:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        other = RecursiveCharacterTextSplitter(separators=list(separators), chunk_size=size, chunk_overlap=overlap)
        ours = RecursiveChunker(size=size, overlap=overlap, separators=separators)
        return other.split_text(text), texts_of(ours, text)

    def test_blank_chunks_are_left_out(self) -> None:
        other, ours = self.split("a b", 1, 0, (" ", ""))
        assert other == ["a", " ", "b"]
        assert ours == ["a", "b"]

    def test_chunks_within_the_one_before_are_left_out(self) -> None:
        other, ours = self.split("\n\na\n", 3, 2, SEPARATORS)
        assert other == ["a", "a"]
        assert ours == ["a"]

    def test_a_part_that_stays_too_long_is_stripped_too(self) -> None:
        other, ours = self.split("a\n\nbcdefgh\n\ni", 4, 0, ("\n\n",))
        assert other == ["a", "\n\nbcdefgh", "i"]
        assert ours == ["a", "bcdefgh", "i"]

    def test_places_are_known_and_not_searched_for(self) -> None:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        splitter = RecursiveCharacterTextSplitter(chunk_size=2, chunk_overlap=1, add_start_index=True)
        other = [document.metadata["start_index"] for document in splitter.create_documents(["a\na"])]
        ours = [chunk.start for chunk in RecursiveChunker(size=2, overlap=1).chunk(Document("a\na"))]
        assert other == [0, 0]
        assert ours == [0, 2]
