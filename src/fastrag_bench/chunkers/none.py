"""No chunking: a document is one chunk."""

from __future__ import annotations

from fastrag_bench.component import Component
from fastrag_bench.types import Chunk, Document


class WholeDocument(Component):
    """Makes of each document one chunk, from its first to its last character; a blank one has no chunk."""

    def chunk(self, document: Document) -> list[Chunk]:
        """One chunk, or none."""
        return [] if not document.text or document.text.isspace() else [Chunk(document, 0, len(document.text))]
