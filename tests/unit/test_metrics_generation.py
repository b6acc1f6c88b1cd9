"""Answer metrics: SQuAD's rules by hand, rouge-score's values on ASCII, and texts in every script."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from fastrag_bench.metrics import Contains, ExactMatch, RougeL, TokenF1
from fastrag_bench.metrics.names import metric
from fastrag_bench.metrics.text import squad_words, words
from fastrag_bench.types import EvalSample, QueryOutcome

ALL = (ExactMatch(), TokenF1(), RougeL(), Contains())


def score(name: str, answer: str, *expected: str) -> float | None:
    sample = EvalSample("q", expected_answers=list(expected))
    return asyncio.run(metric(name).score(sample, QueryOutcome(answer, [], 1.0)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Eiffel Tower!", ["eiffel", "tower"]),
        ("an  apple,\ta day", ["apple", "day"]),
        ("U.S. 1,000", ["us", "1000"]),
        ("state-of-the-art", ["stateoftheart"]),
        ("The", ["the"]),
        ("A!", ["a"]),
        ("+", ["+"]),
        ("", []),
        ("  \n", []),
        ("Straße", ["strasse"]),
        ("Ｆｕｌｌ ｗｉｄｔｈ", ["full", "width"]),
        ("«Émile» – l’été", ["émile", "lété"]),
        ("e\u0301te\u0301", ["été"]),
        ("東京、大阪。", ["東", "京", "大", "阪"]),
        ("iPhone は東京", ["iphone", "は", "東", "京"]),
        ("القاهرة؟", ["القاهرة"]),
        ("서울, 부산", ["서울", "부산"]),
    ],
)
def test_words_of_an_answer_after_squads_rules(text: str, expected: list[str]) -> None:
    assert squad_words(text) == expected


def test_exact_match() -> None:
    assert score("exact_match", "the Eiffel tower.", "Eiffel Tower") == 1.0
    assert score("exact_match", "Eiffel", "Eiffel Tower") == 0.0
    assert score("exact_match", "the", "a") == 0.0
    assert score("exact_match", "", "Paris") == 0.0


def test_token_f1() -> None:
    assert score("token_f1", "in Paris, France", "Paris") == 2 * (1 / 3) * 1 / (1 / 3 + 1)
    assert score("token_f1", "Paris Paris", "Paris") == 2 * (1 / 2) * 1 / (1 / 2 + 1)
    assert score("token_f1", "London", "Paris") == 0.0
    assert score("token_f1", "", "Paris") == 0.0


def test_contains_goes_by_whole_words_in_order() -> None:
    assert score("contains", "It is the Eiffel Tower, in Paris.", "Eiffel tower") == 1.0
    assert score("contains", "It is the tower of Eiffel", "Eiffel tower") == 0.0
    assert score("contains", "category", "cat") == 0.0
    assert score("contains", "私は東京に住む", "東京") == 1.0
    assert score("contains", "", "Paris") == 0.0


def test_rouge_l_by_hand() -> None:
    assert score("rouge_l", "the cat sat on the mat", "the cat lay on a mat") == 2 * (4 / 6) * (4 / 6) / (4 / 6 + 4 / 6)
    assert score("rouge_l", "東京都", "東京") == 2 * (2 / 3) * 1 / (2 / 3 + 1)


@pytest.mark.parametrize("name", ["exact_match", "token_f1", "rouge_l", "contains"])
def test_the_best_of_several_expected_answers_counts_and_none_is_none(name: str) -> None:
    assert score(name, "Bram Stoker", "Mary Shelley", "Bram Stoker") == 1.0
    assert score(name, "Bram Stoker") is None
    assert metric(name).needs_answer and metric(name).higher_is_better


@pytest.mark.parametrize(
    "text",
    [
        "The quick brown fox",
        "the",
        "?!",
        "42",
        "C++",
        "東京は日本の首都です。",
        "กรุงเทพมหานครเป็นเมืองหลวงของไทย",
        "القاهرة عاصمة مصر",
        "دِمَشْق",
        "दिल्ली भारत की राजधानी है",
        "서울은 대한민국의 수도이다",
        "Αθήνα",
        "İstanbul'un ışığı",
        "🍕🍕",
        "ភ្នំពេញ",
        "∑ ∞",
    ],
)
def test_identical_text_scores_one_in_any_script(text: str) -> None:
    assert [each.compare(text, text) for each in ALL] == [1.0, 1.0, 1.0, 1.0]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=20))
def test_any_text_is_equal_to_itself_and_to_its_other_case(text: str) -> None:
    assert [each.compare(text, text) for each in ALL] == [1.0, 1.0, 1.0, 1.0]
    assert ExactMatch().compare(text, text.casefold()) == 1.0


@settings(max_examples=200, deadline=None)
@given(st.text("ab cd東京.,", max_size=12), st.text("ab cd東京.,", max_size=12))
def test_scores_are_between_zero_and_one(answer: str, expected: str) -> None:
    assert all(0.0 <= each.compare(answer, expected) <= 1.0 for each in ALL)


def test_rouge_l_is_that_of_rouge_score_on_ascii() -> None:
    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    generator = np.random.default_rng(3)
    vocabulary = ["The", "cat", "sat", "don't", "U.S.", "42", "x_y", "mat.", "--", "e-mail", "(a)", "\tb\n"]
    for _ in range(300):
        answer, expected = (" ".join(generator.choice(vocabulary, generator.integers(0, 14))) for _ in range(2))
        if words(answer) or words(expected):
            assert RougeL().compare(answer, expected) == scorer.score(expected, answer)["rougeL"].fmeasure


def test_a_very_long_answer_is_scored_in_no_time() -> None:
    answer, expected = "one two three four " * 2_000, "two four " * 2_000
    assert RougeL().compare(answer, expected) == pytest.approx(2 * (1 / 2) * 1 / (1 / 2 + 1))
