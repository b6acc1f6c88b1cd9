"""What counts as found: forms of gold ids, where a passage lies, and what the ranks of a ranking are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.relevance import Judged, Span, decide_unit, gold_of, judge, parse_span, place_of
from fastrag_bench.relevance.intervals import merged, total, uncovered
from fastrag_bench.types import Document, EvalSample


def sample(*ids: str, **metadata: Any) -> EvalSample:
    return EvalSample("q", relevant_ids=list(ids), metadata=metadata)


def chunk(document: str, start: int, end: int) -> Document:
    """A passage as the sweep returns it."""
    place = {"doc_id": document, "start": start, "end": end, "score": 1.0, "rank": 1}
    return Document("x" * (end - start), place, id=f"{document}#char={start},{end}")


def judged(gold: EvalSample, *ranking: Document, unit: Any = None) -> Judged:
    return judge(gold_of(gold), list(ranking), unit)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a.md#char=3,9", Span("a.md", 3, 9)),
        ("a#b#char=0,1", Span("a#b", 0, 1)),
        ("a\nb#char=0,1", Span("a\nb", 0, 1)),
        ("a.md#char=9,3", None),
        ("a.md#char=3,3", None),
        ("a.md#char=3", None),
        ("a.md#char=3,9 ", None),
        ("a.md#char=-1,9", None),
        ("a.md#char=٣,٩", None),
        ("a.md#section", None),
        ("#char=3,9", None),
        ("", None),
    ],
)
def test_an_id_is_a_span_only_with_two_ascending_integers_behind_char(text: str, span: Span | None) -> None:
    assert parse_span(text) == span


def test_ids_outside_of_groups_stand_alone() -> None:
    gold = gold_of(sample("a", "b", "c", "a", relevance_groups=[["b", "c"]]))
    assert gold.groups == (("b", "c"), ("a",))
    assert gold.gains == (1.0, 1.0)


def test_groups_name_only_relevant_ids_and_each_once() -> None:
    gold = gold_of(sample("a", "b", relevance_groups=[["b", "zzz"], ["b", "a"], ["zzz"]]))
    assert gold.groups == (("b",), ("a",))


def test_a_grade_below_one_is_not_relevant_and_a_group_has_its_best_grade() -> None:
    grades = {"a": 0.5, "b": 2, "c": 3, "not among the ids": 9}
    gold = gold_of(sample("a", "b", "c", "d", relevance_groups=[["b", "c"]], relevance_grades=grades))
    assert gold.groups == (("b", "c"), ("d",))
    assert gold.gains == (3.0, 1.0)


@pytest.mark.parametrize("grades", [{"a": "many"}, {"a": float("nan")}, {"a": float("inf")}, ["a"], {"a": None}])
def test_grades_that_are_no_numbers_are_refused(grades: Any) -> None:
    with pytest.raises(ConfigurationError, match="relevance_grades of 'q' is not an object of finite numbers by id"):
        gold_of(sample("a", relevance_grades=grades))


@pytest.mark.parametrize("groups", [["a"], "a", {"a": 1}])
def test_groups_that_are_no_lists_are_refused(groups: Any) -> None:
    with pytest.raises(ConfigurationError, match="relevance_groups of 'q' is not a list of lists of ids"):
        gold_of(sample("a", relevance_groups=groups))


@pytest.mark.parametrize(
    ("metadata", "span"),
    [
        ({"start": 1, "end": 4, "char_start": 7, "char_end": 9}, (1, 4)),
        ({"char_start": 7, "char_end": 9, "start_index": 0}, (7, 9)),
        ({"start_index": 5, "start_char_idx": 1, "end_char_idx": 2}, (5, 8)),
        ({"start_char_idx": 1, "end_char_idx": 2}, (1, 2)),
        ({"start": np.int64(1), "end": np.int64(4)}, (1, 4)),
        ({"start": 1}, (-1, -1)),
        ({"start": "1", "end": "4"}, (-1, -1)),
        ({"start": True, "end": 4}, (-1, -1)),
        ({"start_index": -1}, (-1, -1)),
        ({"start": 4, "end": 4}, (-1, -1)),
        ({}, (-1, -1)),
    ],
)
def test_a_passage_lies_where_the_first_known_notation_says(metadata: dict[str, Any], span: tuple[int, int]) -> None:
    place = place_of(Document("abc", metadata))
    assert (place.start, place.end) == span


@pytest.mark.parametrize(
    ("passage", "own", "document", "uri"),
    [
        (Document("", {"doc_id": "d", "document_id": "e", "source": "s", "uri": "u"}, id="c"), "c", "d", "u"),
        (Document("", {"document_id": "e", "source": "s"}), None, "e", "s"),
        (Document("", {"source": "s", "id": "m", "chunk_id": "n"}), "m", "s", "s"),
        (Document("", {"chunk_id": 7, "doc_id": 3}), "7", "3", None),
        (Document("", {"doc_id": "", "source": None}, uri="file:///a"), None, None, "file:///a"),
        (Document("", id="a.md#char=2,5"), "a.md#char=2,5", "a.md", None),
        (Document(""), None, None, None),
    ],
)
def test_names_come_from_attributes_then_metadata(
    passage: Document, own: str | None, document: str | None, uri: str | None
) -> None:
    place = place_of(passage)
    assert (place.own, place.document, place.uri) == (own, document, uri)


def test_an_id_that_says_where_the_passage_lies_is_believed_last() -> None:
    assert place_of(Document("abc", id="a.md#char=2,5")).start == 2
    assert place_of(Document("abc", {"start": 0, "end": 3}, id="a.md#char=2,5")).start == 0


@pytest.mark.parametrize(
    ("ids", "corpus", "unit"),
    [
        (["a.md", "b.md"], None, "document"),
        (["a.md#char=0,5"], None, "chunk"),
        (["a.md#char=0,5"], ["a.md"], "chunk"),
        (["a.md#char=0,5"], ["a.md#char=0,5"], "document"),
        (["a.md#3"], ["a.md"], "chunk"),
        (["a.md#3"], ["a.md#3"], "document"),
        (["a.md#3"], None, "document"),
        ([], None, "document"),
    ],
)
def test_the_unit_follows_from_the_ids_and_the_corpus(ids: list[str], corpus: list[str] | None, unit: str) -> None:
    assert decide_unit([sample(*ids), sample()], corpus) == unit


def test_a_mix_of_documents_and_chunks_has_no_unit() -> None:
    with pytest.raises(ConfigurationError, match=r"metrics\.unit=chunk or metrics\.unit=document") as caught:
        decide_unit([sample("a.md"), sample("b.md#char=0,5")])
    assert caught.value.problems[0].path == "metrics.unit"


def test_a_literal_id_names_a_chunk_a_document_or_its_uri() -> None:
    passage = Document("text", {"doc_id": "d"}, id="c", uri="https://example.org/d")
    for name in ("c", "d", "https://example.org/d"):
        assert judged(sample(name), passage).found_rank == (1,)
    assert judged(sample("D"), passage).found_rank == (0,)


def test_an_id_equal_to_the_chunks_own_wins_over_its_reading_as_a_span() -> None:
    odd = Document("text", {"doc_id": "other", "start": 90, "end": 94}, id="d#char=0,9")
    assert judged(sample("d#char=0,9"), odd).credit_rank == (1,)


def test_a_span_is_found_when_half_of_it_is_covered_by_the_union() -> None:
    gold = sample("d#char=0,100")
    assert judged(gold, chunk("d", 0, 49)).found_rank == (0,)
    assert judged(gold, chunk("d", 0, 50)).found_rank == (1,)
    assert judged(gold, chunk("d", 0, 30), chunk("e", 0, 100), chunk("d", 80, 120)).found_rank == (3,)
    assert judged(gold, chunk("d", 0, 30), chunk("d", 0, 30), chunk("d", 10, 49)).found_rank == (0,)


def test_a_chunk_is_relevant_when_it_shares_half_of_the_shorter_of_the_two() -> None:
    gold = sample("d#char=0,100")
    assert judged(gold, chunk("d", 90, 110)).relevant_rank == (1,)
    assert judged(gold, chunk("d", 91, 111)).relevant_rank == ()
    assert judged(gold, chunk("d", 50, 1000)).relevant_rank == (1,)
    assert judged(gold, chunk("d", 51, 1000)).relevant_rank == ()
    assert judged(sample("d#char=0,1"), chunk("d", 0, 900)).relevant_rank == (1,)
    assert judged(sample("d#char=0,1"), chunk("d", 1, 900)).relevant_rank == ()


def test_small_chunks_of_a_long_span_are_relevant_before_the_span_is_found() -> None:
    found = judged(sample("d#char=0,100"), chunk("d", 0, 25), chunk("d", 25, 60))
    assert (found.credit_rank, found.found_rank, found.relevant_rank) == ((1,), (2,), (1, 2))


def test_a_span_is_found_at_the_very_character() -> None:
    gold = sample("d#char=100,200")
    assert judged(gold, chunk("d", 0, 400)).found_chars == (150,)
    assert judged(gold, chunk("e", 0, 70), chunk("d", 180, 300), chunk("d", 50, 300)).found_chars == (70 + 120 + 80,)
    assert judged(sample("d"), chunk("e", 0, 70), chunk("d", 0, 41)).found_chars == (70 + 21,)


def test_one_match_is_enough_for_its_group() -> None:
    gold = sample("a#char=0,10", "b#char=0,10", "c", relevance_groups=[["a#char=0,10", "b#char=0,10"]])
    found = judged(gold, chunk("b", 0, 10), chunk("a", 0, 10))
    assert (found.credit_rank, found.found_rank) == ((1, 0), (1, 0))
    assert found.relevant_rank == (1, 2)


def test_documents_are_ranked_at_their_first_chunk() -> None:
    ranking = [chunk("a", 0, 5), chunk("a", 5, 9), chunk("b", 0, 5), chunk("a", 9, 12), chunk("c", 0, 5)]
    found = judged(sample("c", "a"), *ranking)
    assert found.units == [0, 1, 1, 2, 2, 3]
    assert (found.credit_rank, found.credit_position) == ((3, 1), (5, 1))
    assert found.relevant_rank == (1, 3)


def test_where_ranks_are_documents_spans_of_one_document_are_one_piece_of_evidence() -> None:
    gold = sample("a#char=0,5", "a#char=50,55", "b", relevance_grades={"a#char=50,55": 3})
    found = judged(gold, chunk("a", 7, 9), unit="document")
    assert (found.gains, found.credit_rank) == ((3.0, 1.0), (1, 0))


def test_where_a_metric_stands_alone_own_ids_and_spans_make_ranks_chunks() -> None:
    passages = [Document("x", {"doc_id": "d"}, id="c1"), Document("x", {"doc_id": "d"}, id="c2")]
    assert judged(sample("c2"), *passages).credit_rank == (2,)
    assert judged(sample("d"), *passages).units == [0, 1, 1]
    assert judged(sample("c2"), Document("x", id="c1"), Document("x", id="c2")).credit_rank == (2,)


def test_equal_ids_are_one_relevant_chunk_but_take_a_rank_each() -> None:
    passages = [Document("x", {"doc_id": "d"}, id=name) for name in ("c1", "c1", "c2")]
    found = judged(sample("c1", "c2"), *passages, unit="chunk")
    assert (found.relevant_rank, found.units[-1]) == ((1, 3), 3)


def test_chunks_with_only_their_documents_id_are_told_apart_by_their_place() -> None:
    passages = [Document("x" * 9, {"doc_id": "d", "start": at, "end": at + 9}, id="d") for at in (0, 9, 0)]
    assert judged(sample("d#char=0,18"), *passages).relevant_rank == (1, 2)


def test_a_passage_of_unknown_place_never_matches_a_span() -> None:
    assert judged(sample("d#char=0,5"), Document("x" * 5, {"doc_id": "d"})).found_rank == (0,)


def test_an_empty_ranking_finds_nothing() -> None:
    found = judged(sample("a", "b#char=0,4"))
    assert (found.found_rank, found.relevant_rank, list(found.units)) == ((0, 0), (), [0])


def test_intervals() -> None:
    assert merged([(5, 9), (0, 3), (3, 4), (8, 12), (7, 7)]) == [(0, 4), (5, 12)]
    assert uncovered((0, 10), [(2, 4), (6, 20)]) == [(0, 2), (4, 6)]
    assert uncovered((3, 5), [(0, 3), (5, 9)]) == [(3, 5)]
    assert total([(0, 4), (5, 12)]) == 11


def test_intervals_agree_with_sets_of_characters() -> None:
    generator = np.random.default_rng(5)
    for _ in range(300):
        parts = [
            (int(start), int(start + size)) for start, size in generator.integers(0, 12, (generator.integers(0, 6), 2))
        ]
        characters = {place for start, end in parts for place in range(start, end)}
        low, high = 3, 15
        assert total(merged(parts)) == len(characters)
        assert total(uncovered((low, high), merged(parts))) == len(set(range(low, high)) - characters)
