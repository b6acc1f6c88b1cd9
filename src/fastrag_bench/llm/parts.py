"""What parts that ask a chat model have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Self

from fastrag_bench.component import Component, part
from fastrag_bench.contracts import CallMemory
from fastrag_bench.llm.chat import Chat
from fastrag_bench.llm.usage import Usage


class AsksModel(Component):
    """A part with a chat model in it, which shares the memory of calls with all parts that ask the same model."""

    llm: Annotated[Any, part(Chat)]
    """The model: the group `llm`."""

    def cost_of(self, calls: Sequence[dict[str, Any]]) -> float | None:
        """Dollars of calls as `Reply.record` wrote them down, at the prices of now."""
        names = ("input_tokens", "output_tokens", "cached_input_tokens")
        costs = [self.llm.cost(Usage(*(call.get(name) for name in names))) for call in calls]
        return None if None in costs else math.fsum(costs)

    @property
    def calls_identity(self) -> Any:
        """The model's."""
        return self.llm.calls_identity

    def with_calls(self, calls: CallMemory) -> Self:
        """A copy whose model asks this memory first."""
        return self.model_copy(update={"llm": self.llm.with_calls(calls)})
