"""The passages as they were retrieved."""

from __future__ import annotations

from collections.abc import Sequence

from fastrag_bench.component import Component
from fastrag_bench.contracts import Absent
from fastrag_bench.types import Document


class NoContext(Component, Absent):
    """Hands on every passage, best first."""

    def build_context(self, query: str, passages: Sequence[Document]) -> list[Document]:
        """The passages in their order."""
        return list(passages)
