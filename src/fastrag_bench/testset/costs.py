"""What a model's calls cost: tokens by model, and money at prices per token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

NO_COUNTING = (
    "this test set was not made with cost counting: give the generator a token_usage_parser, or read usage_data "
    "from the recorder of the client"
)


@dataclass(frozen=True)
class TokenUsage:
    """Tokens sent to and received from one model; equal only with the same model."""

    input_tokens: int
    output_tokens: int
    model: str = ""

    def __add__(self, other: TokenUsage) -> TokenUsage:
        if self.model != other.model:
            raise ValueError(f"tokens of {self.model!r} and {other.model!r} do not add up; their prices differ")
        return TokenUsage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens, self.model)

    def cost(self, cost_per_input_token: float, cost_per_output_token: float | None = None) -> float:
        """Money at prices per token; without a price for output that of input is used."""
        output = cost_per_input_token if cost_per_output_token is None else cost_per_output_token
        return self.input_tokens * cost_per_input_token + self.output_tokens * output

    def is_same_model(self, other: TokenUsage) -> bool:
        """Whether both are of one model."""
        return self.model == other.model


@runtime_checkable
class CostCallback(Protocol):
    """What a test set needs of whoever counted."""

    def total_tokens(self) -> TokenUsage | list[TokenUsage]:
        """One usage for one model, a list for several."""

    def total_cost(
        self,
        cost_per_input_token: float | None = None,
        cost_per_output_token: float | None = None,
        per_model_costs: Mapping[str, tuple[float, float]] | None = None,
    ) -> float:
        """Money at prices per token."""


@dataclass
class CostCallbackHandler:
    """Counts the results of a foreign client; `token_usage_parser` reads the tokens of one result."""

    token_usage_parser: Callable[[Any], TokenUsage] | None = None
    usage_data: list[TokenUsage] = field(default_factory=list)
    """One entry a call."""

    def on_llm_end(self, response: Any, **_: Any) -> None:
        """Count one result.

        Raises:
            ValueError: there is no parser.
        """
        if self.token_usage_parser is None:
            raise ValueError("tokens of a result are read by token_usage_parser, and there is none")
        self.usage_data.append(self.token_usage_parser(response))

    def total_tokens(self) -> TokenUsage | list[TokenUsage]:
        """One usage for one model, a list for several in the order they were first used, zeros for no call."""
        totals = self._by_model()
        return totals[0] if len(totals) == 1 else totals or TokenUsage(0, 0)

    def total_cost(
        self,
        cost_per_input_token: float | None = None,
        cost_per_output_token: float | None = None,
        per_model_costs: Mapping[str, tuple[float, float]] | None = None,
    ) -> float:
        """Money for all calls; 0.0 where there was none.

        Args:
            cost_per_input_token: for one model. Left out beside an output price, input counts as free.
            cost_per_output_token: the input price where left out.
            per_model_costs: for several models, `{model: (input price, output price)}`.

        Raises:
            ValueError: no price, a model without one, or several models and prices that name none.
        """
        totals = self._by_model()
        if not totals:
            return 0.0
        if per_model_costs is not None:
            missing = [usage.model for usage in totals if usage.model not in per_model_costs]
            if missing:
                raise ValueError(f"per_model_costs has no price for {', '.join(map(repr, missing))}")
            return sum(usage.cost(*per_model_costs[usage.model]) for usage in totals)
        if cost_per_input_token is None and cost_per_output_token is None:
            raise ValueError("a price is needed: cost_per_input_token, or per_model_costs for several models")
        if len(totals) > 1:
            models = ", ".join(repr(usage.model) for usage in totals)
            raise ValueError(f"the calls went to several models ({models}); give per_model_costs")
        return totals[0].cost(cost_per_input_token or 0.0, cost_per_output_token)

    def _by_model(self) -> list[TokenUsage]:
        totals: dict[str, TokenUsage] = {}
        for usage in self.usage_data:
            totals[usage.model] = totals[usage.model] + usage if usage.model in totals else usage
        return list(totals.values())


@dataclass
class UsageRecorder(CostCallbackHandler):
    """Counts our own client's calls, by stage; calls whose reply names no usage are counted as unknown, not as free."""

    stages: dict[str, list[TokenUsage]] = field(default_factory=dict)
    """Of `graph`, `scenarios` and `samples`."""

    unknown_calls: int = 0

    def record(self, usage: Mapping[str, Any] | None, *, model: str, stage: str) -> None:
        """Count a reply's `usage` object (`prompt_tokens`, `completion_tokens`)."""
        counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")] if usage else []
        if not counts or not all(isinstance(count, int) and count >= 0 for count in counts):
            self.unknown_calls += 1
            return
        spent = TokenUsage(int(counts[0] or 0), int(counts[1] or 0), model)
        self.usage_data.append(spent)
        self.stages.setdefault(stage, []).append(spent)
