"""HyDE: search with a passage that a model made up as an answer (Gao et al. 2022, arXiv:2212.10496)."""

from __future__ import annotations

from fastrag_bench.llm.parts import AsksModel
from fastrag_bench.llm.prompts import fenced


class HydeTransform(AsksModel):
    """Searches made-up passages in place of the question; where they are wrong in fact, they are near in words."""

    instruction: str = (
        "Write a short passage of a reference text that answers the question between the tags. "
        "Write the passage only, as if it were copied from the text."
    )
    """What the model is told; the question follows it, fenced."""

    keep_question: bool = True
    """Search the question, too, and fuse the rankings."""

    def transform(self, query: str) -> list[str]:
        """The question, unless left out, and the passage; the question alone where the model said nothing."""
        content = f"{self.instruction}\n\n{fenced('question', query)}"
        passage = " ".join(self.llm.complete([{"role": "user", "content": content}]).text.split())
        if not passage:
            return [query]
        return [query, passage] if self.keep_question else [passage]
