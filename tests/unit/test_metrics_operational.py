"""What a pipeline costs; what is not known is None, never zero."""

from __future__ import annotations

import asyncio

import pytest

from fastrag_bench.contracts import Metric
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.metrics import ContextTokens, Cost, Latency, TotalTokens
from fastrag_bench.types import EvalSample, QueryOutcome

KNOWN = QueryOutcome("", [], 12.5, input_tokens=1_000, output_tokens=200, context_tokens=900)
UNKNOWN = QueryOutcome("", [], 12.5, input_tokens=1_000)


def scores(metric: Metric) -> list[float | None]:
    return [asyncio.run(metric.score(EvalSample("q"), outcome)) for outcome in (KNOWN, UNKNOWN)]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (Latency(), [12.5, 12.5]),
        (TotalTokens(), [1_200.0, None]),
        (ContextTokens(), [900.0, None]),
        (Cost(2.5, 10), [0.0045, None]),
        (Cost(0, 0), [0.0, None]),
        (Cost(), [None, None]),
    ],
)
def test_figures_are_read_off_the_outcome_and_lower_is_better(metric: Metric, expected: list[float | None]) -> None:
    assert scores(metric) == expected
    assert not metric.higher_is_better and not metric.needs_answer and not metric.needs_relevant_ids


@pytest.mark.parametrize("price", [-1, float("nan")])
def test_a_price_is_not_below_zero(price: float) -> None:
    with pytest.raises(ConfigurationError, match="cost_usd: a price is dollars for a million tokens"):
        Cost(price, 1)
