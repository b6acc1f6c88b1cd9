"""What a pipeline costs: time, tokens, money. Lower is better; what is not known is None, never zero."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from fastrag_bench.contracts import Metric
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.types import EvalSample, QueryOutcome


class OperationalMetric(Metric):
    """Reads one figure off the outcome."""

    higher_is_better: ClassVar[bool] = False
    stem: ClassVar[str]

    @property
    def name(self) -> str:
        """The column."""
        return self.stem

    async def score(self, sample: EvalSample, outcome: QueryOutcome) -> float | None:
        """The figure of one question."""
        return self.read(outcome)

    def score_all(self, samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome]) -> list[float | None]:
        """The figures of many questions."""
        return [self.read(outcome) for outcome in outcomes]

    @abstractmethod
    def read(self, outcome: QueryOutcome) -> float | None:
        """The figure, or None where it is not known."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return self.name


class Latency(OperationalMetric):
    """Milliseconds that the pipeline took for the question."""

    stem: ClassVar[str] = "latency_ms"

    def read(self, outcome: QueryOutcome) -> float | None:
        """As the outcome says."""
        return outcome.latency_ms


class TotalTokens(OperationalMetric):
    """Tokens a model read and wrote; None unless both are known."""

    stem: ClassVar[str] = "total_tokens"

    def read(self, outcome: QueryOutcome) -> float | None:
        """The sum."""
        if outcome.input_tokens is None or outcome.output_tokens is None:
            return None
        return float(outcome.input_tokens + outcome.output_tokens)


class ContextTokens(OperationalMetric):
    """Tokens of the passages handed on to the generator: what a larger k costs."""

    stem: ClassVar[str] = "context_tokens"

    def read(self, outcome: QueryOutcome) -> float | None:
        """As the outcome says."""
        return None if outcome.context_tokens is None else float(outcome.context_tokens)


class Cost(OperationalMetric):
    """US dollars for the tokens of a question; None without prices or token counts.

    Args:
        input_per_million: dollars for a million tokens read.
        output_per_million: dollars for a million tokens written.
    """

    stem: ClassVar[str] = "cost_usd"

    def __init__(self, input_per_million: float | None = None, output_per_million: float | None = None) -> None:
        for price in (input_per_million, output_per_million):
            if price is not None and not price >= 0:
                raise ConfigurationError(f"cost_usd: a price is dollars for a million tokens, not {price!r}")
        self.input_per_million = input_per_million
        self.output_per_million = output_per_million

    def read(self, outcome: QueryOutcome) -> float | None:
        """Prices times tokens; without prices of its own, what the outcome says."""
        if self.input_per_million is None and self.output_per_million is None:
            return outcome.cost_usd
        if self.input_per_million is None or self.output_per_million is None:
            return None
        if outcome.input_tokens is None or outcome.output_tokens is None:
            return None
        read = outcome.input_tokens * self.input_per_million
        return (read + outcome.output_tokens * self.output_per_million) / 1_000_000
