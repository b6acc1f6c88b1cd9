"""Characters of evidence in retrieved text: by hand, against sets of characters, and Chroma's published figures."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.metrics import PrecisionOmega, SpanIoU, SpanPrecision, SpanRecall
from fastrag_bench.metrics.names import metric
from fastrag_bench.tokenizers.lengths import token_counter
from fastrag_bench.types import Document, EvalSample, QueryOutcome

CHROMA = Path(__file__).resolve().parents[3] / "shared" / "data" / "chroma_chunking"


def sample(*ids: str, **metadata: Any) -> EvalSample:
    return EvalSample("q", relevant_ids=list(ids), metadata=metadata)


def chunk(document: str, start: int, end: int) -> Document:
    return Document("x" * (end - start), {"doc_id": document, "start": start, "end": end})


def score(name: str, gold: EvalSample, *passages: Document) -> float | None:
    return asyncio.run(metric(name).score(gold, QueryOutcome("", list(passages), 1.0)))


def test_overlap_is_paid_twice_and_found_once() -> None:
    gold = sample("d#char=100,200")
    ranking = [chunk("d", 50, 150), chunk("d", 120, 160), chunk("e", 0, 60)]
    assert score("span_recall", gold, *ranking) == 60 / 100
    assert score("span_precision", gold, *ranking) == 60 / 200
    assert score("span_iou", gold, *ranking) == 60 / (200 + 40)
    assert score("span_recall@1", gold, *ranking) == 50 / 100


def test_a_budget_cuts_the_last_passage() -> None:
    gold = sample("d#char=100,200")
    ranking = [chunk("e", 0, 60), chunk("d", 100, 200), chunk("d", 0, 100)]
    assert score("span_recall@60chars", gold, *ranking) == 0.0
    assert score("span_recall@100chars", gold, *ranking) == 40 / 100
    assert score("span_precision@100chars", gold, *ranking) == 40 / 100
    assert score("span_precision@5000chars", gold, *ranking) == 100 / 260
    assert score("span_iou@100chars", gold, *ranking) == 40 / (100 + 60)


def test_gold_that_overlaps_itself_counts_once() -> None:
    gold = sample("d#char=0,60", "d#char=40,100")
    assert score("span_recall", gold, chunk("d", 0, 50)) == 50 / 100
    assert score("span_recall", gold, chunk("d", 0, 100)) == 1.0


def test_of_alternatives_the_one_counts_that_is_covered_best() -> None:
    ids = ("d#char=0,100", "e#char=0,50")
    gold = sample(*ids, relevance_groups=[list(ids)])
    assert score("span_recall", gold, chunk("e", 0, 50)) == 1.0
    assert score("span_iou", gold, chunk("d", 0, 30), chunk("e", 0, 10)) == 30 / (40 + 70)


def test_without_a_span_in_the_gold_there_is_nothing_to_measure() -> None:
    for name in ("span_recall", "span_precision", "span_iou", "precision_omega"):
        assert score(name, sample("d"), chunk("d", 0, 9)) is None
        assert score(name, sample(), chunk("d", 0, 9)) is None
        assert score(name, sample("d#char=0,5")) == 0.0
        assert metric(name).needs_relevant_ids


def test_a_passage_of_unknown_place_costs_and_finds_nothing() -> None:
    gold = sample("d#char=0,10")
    assert score("span_precision", gold, chunk("d", 0, 10), Document("y" * 30, {"doc_id": "d"})) == 10 / 40


def test_a_passage_without_text_is_as_long_as_its_span() -> None:
    gold = sample("d#char=0,10")
    assert score("span_precision", gold, Document("", {"doc_id": "d", "start": 0, "end": 20})) == 10 / 20


def test_a_document_may_be_named_by_its_uri() -> None:
    passage = Document("x" * 10, {"doc_id": "d", "start": 0, "end": 10}, uri="https://example.org/d")
    assert score("span_recall", sample("https://example.org/d#char=0,10"), passage) == 1.0
    assert score("span_precision", sample("https://example.org/d#char=0,10", "d#char=0,10"), passage) == 1.0


def test_precision_omega_looks_at_all_chunks_that_touch_the_gold() -> None:
    chunks = {"d": [(0, 50), (50, 100), (90, 150), (150, 200)], "e": [(0, 10)]}
    omega = PrecisionOmega(chunks)
    nothing = QueryOutcome("", [], 1.0)
    assert omega.score_all([sample("d#char=60,95")], [nothing]) == [35 / 100]
    assert omega.score_all([sample("d#char=190,220")], [nothing]) == [10 / (50 + 20)]
    assert omega.score_all([sample("d#char=60,90")], [nothing]) == [30 / 100]
    assert omega.score_all([sample("z#char=0,5")], [nothing]) == [0.0]


def test_precision_omega_takes_the_whole_ranking_for_the_chunks_there_are() -> None:
    ranking = [chunk("d", 0, 50), chunk("e", 0, 10), chunk("d", 90, 150), chunk("d", 50, 100)]
    cut = QueryOutcome("", ranking[:1], 1.0, ranking=ranking)
    assert PrecisionOmega().score_all([sample("d#char=60,95")], [cut]) == [35 / 100]


@pytest.mark.parametrize("kind", [SpanRecall, SpanPrecision, SpanIoU])
def test_a_cutoff_is_a_whole_number_of_at_least_one(kind: Any) -> None:
    with pytest.raises(ConfigurationError, match="k is a whole number of at least 1"):
        kind(0)
    with pytest.raises(ConfigurationError, match="chars is a whole number of at least 1"):
        kind(chars=1.5)


PARTS = st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(1, 15))


@settings(max_examples=150, deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=4), st.lists(PARTS, max_size=6), st.integers(1, 60))
def test_figures_agree_with_sets_of_characters(
    gold: list[tuple[str, int, int]], retrieved: list[tuple[str, int, int]], budget: int
) -> None:
    wanted = {(name, place) for name, start, size in gold for place in range(start, start + size)}
    paid = [(name, place) for name, start, size in retrieved for place in range(start, start + size)]
    asked = sample(*(f"{name}#char={start},{start + size}" for name, start, size in gold))
    ranking = [chunk(name, start, start + size) for name, start, size in retrieved]
    for cut, suffix in ((paid, ""), (paid[:budget], f"@{budget}chars")):
        shared = len(wanted & set(cut))
        assert score(f"span_recall{suffix}", asked, *ranking) == shared / len(wanted)
        assert score(f"span_precision{suffix}", asked, *ranking) == (shared / len(cut) if cut else 0.0)
        assert score(f"span_iou{suffix}", asked, *ranking) == shared / (len(cut) + len(wanted) - shared)


# ----- Chroma's study: 472 questions over five corpora


@pytest.fixture(scope="module")
def questions() -> list[EvalSample]:
    if not CHROMA.is_dir():
        pytest.skip("the study's data is not here")
    with (CHROMA / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        return [
            sample(*(f"{row['corpus_id']}#char={ref['start_index']},{ref['end_index']}" for ref in references))
            for row in csv.DictReader(file)
            if (references := json.loads(row["references"]))
        ]


def documents() -> Iterator[Document]:
    for path in sorted((CHROMA / "corpora").glob("*.md")):
        with path.open(encoding="utf-8", newline="") as file:
            yield Document(file.read(), id=path.stem)


def chunks_of(document: Document, size: int, overlap: int) -> list[tuple[int, int]]:
    """As the study cut: lengths are WordPiece tokens, two special ones with each piece."""
    count = token_counter("wordpiece").count
    separators = ["\n\n", "\n", ".", "?", "!", " ", ""]
    splitter = RecursiveCharacterTextSplitter(
        separators, chunk_size=size, chunk_overlap=overlap, length_function=lambda text: count(text) + 2
    )
    spans, place = [], 0
    for text in splitter.split_text(document.text):
        place = document.text.index(text, place)
        spans.append((place, place + len(text)))
    return spans


@pytest.mark.parametrize(("size", "overlap", "published"), [(200, 0, 31.2), (250, 0, 26.7), (250, 125, 21.9)])
def test_precision_omega_is_the_published_one(
    questions: list[EvalSample], size: int, overlap: int, published: float
) -> None:
    chunks = {document.id or "": chunks_of(document, size, overlap) for document in documents()}
    scores = PrecisionOmega(chunks).score_all(questions, [QueryOutcome("", [], 0.0)] * len(questions))
    assert len(scores) == 472
    assert 100 * fmean(value for value in scores if value is not None) == pytest.approx(published, abs=0.05)
