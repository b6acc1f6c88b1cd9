"""No answer, for benchmarks of retrieval alone."""

from __future__ import annotations

from collections.abc import Sequence

from fastrag_bench.component import Component
from fastrag_bench.contracts import Absent, Answer
from fastrag_bench.types import Document


class NoGenerator(Component, Absent):
    """Answers nothing; metrics that need an answer have nothing to judge."""

    def generate(self, query: str, passages: Sequence[Document]) -> Answer:
        """The empty answer."""
        return Answer("")
