"""Cuts where the meaning turns, by an embedder that only counts letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from fastrag_bench.chunkers.recursive import RecursiveChunker
from fastrag_bench.chunkers.semantic import SemanticChunker
from fastrag_bench.component import identity_of, resolve
from fastrag_bench.contracts import Chunker, Vectors
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.types import Document
from tests.unit.chunking import LetterEmbedder, texts_of

SEEN: list[list[str]] = []


class Recording(LetterEmbedder):
    """Remembers what it was asked to embed."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        SEEN.append(list(texts))
        return super().embed_documents(texts)


def chunker(**settings: Any) -> SemanticChunker:
    return SemanticChunker(**{"embedder": LetterEmbedder(), "buffer": 0, "min_size": 0, "percentile": 80, **settings})


TOPICS = "Aaa aa. Aa aaaa. Bbb bb. Bb bbbb. Ccc cc. Cc cccc."


def test_cuts_between_topics() -> None:
    assert texts_of(chunker(percentile=50), TOPICS) == ["Aaa aa. Aa aaaa.", "Bbb bb. Bb bbbb.", "Ccc cc. Cc cccc."]


def test_a_percentile_of_100_never_cuts_for_meaning() -> None:
    assert texts_of(chunker(percentile=100), TOPICS) == [TOPICS]


def test_a_part_below_min_size_is_not_ended() -> None:
    assert texts_of(chunker(percentile=50, min_size=20), TOPICS) == [
        "Aaa aa. Aa aaaa. Bbb bb. Bb bbbb.",
        "Ccc cc. Cc cccc.",
    ]


def test_where_it_gets_too_long_it_cuts_at_the_largest_distance_of_the_second_half() -> None:
    text = "Aaaa aa. Aaaa aaa. Bbbb bb. Bbb bbbb."
    assert texts_of(chunker(percentile=100, size=30), text) == ["Aaaa aa. Aaaa aaa.", "Bbbb bb. Bbb bbbb."]


def test_whole_sentences_are_repeated() -> None:
    text = "Aaaa aa. Aaaa aaa. Bbbb bb. Bbb bbbb."
    expected = ["Aaaa aa. Aaaa aaa.", "Aaaa aaa. Bbbb bb. Bbb bbbb."]
    assert texts_of(chunker(percentile=100, size=40, overlap=12), text) == expected


def test_a_sentence_without_a_vector_is_no_reason_to_cut() -> None:
    assert texts_of(chunker(percentile=50), "Aaa. 123. Aaa. 456. Aaa.") == ["Aaa. 123. Aaa. 456. Aaa."]


def test_a_sentence_is_embedded_with_its_neighbours() -> None:
    SEEN.clear()
    SemanticChunker(embedder=Recording(), buffer=1).chunk(Document("A a.  B b.\nC c. D d."))
    assert SEEN == [["A a.  B b.", "A a.  B b.\nC c.", "B b.\nC c. D d.", "C c. D d."]]


@pytest.mark.parametrize("text", ["", "Only one sentence here."])
def test_nothing_is_embedded_where_there_is_nothing_to_compare(text: str) -> None:
    SEEN.clear()
    texts_of(SemanticChunker(embedder=Recording()), text)
    assert SEEN == []


def test_the_embedder_is_part_of_the_identity() -> None:
    assert identity_of(chunker()) != identity_of(chunker(embedder=Recording()))


def test_the_embedder_may_be_a_config_node_and_has_to_be_one() -> None:
    node = {"_target_": f"{LetterEmbedder.__module__}.LetterEmbedder"}
    target = f"{SemanticChunker.__module__}.SemanticChunker"
    assert resolve({"_target_": target, "embedder": node}, contract=Chunker) == SemanticChunker(
        embedder=LetterEmbedder()
    )
    with pytest.raises(ConfigurationError, match=r"chunker\.embedder: .*is not a Embedder"):
        resolve({"_target_": target, "embedder": RecursiveChunker()}, contract=Chunker, path="chunker")


def test_a_min_size_above_the_room_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"min_size=90 has to be at most size - overlap = 100 - 20 = 80"):
        chunker(size=100, overlap=20, min_size=90)


@pytest.mark.parametrize("bad", [{"percentile": 101}, {"percentile": float("nan")}, {"buffer": -1}, {"min_size": -1}])
def test_settings_without_a_meaning_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        chunker(**bad)
