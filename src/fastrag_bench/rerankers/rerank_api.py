"""A reranker behind `/rerank`, as Cohere, vLLM, llama.cpp, Jina and LiteLLM have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, PositiveInt

from fastrag_bench.component import NotIdentity
from fastrag_bench.contracts import Candidates, Ranking
from fastrag_bench.errors import UnusableReplyError
from fastrag_bench.llm.client import client_of
from fastrag_bench.llm.endpoint import Endpoint


class ApiReranker(Endpoint):
    """Orders the candidates by the server's `relevance_score`, which may be a logit or a probability."""

    needs_vectors: ClassVar[bool] = False

    path: str = "/rerank"
    """After the base URL."""

    batch_size: Annotated[PositiveInt, NotIdentity] = 100
    """Passages in one call."""

    extra_body: dict[str, Any] = Field(default={})
    """Further members of the request, as the server names them."""

    def rerank(self, query: str, candidates: Candidates) -> Ranking:
        """The same chunks by falling score."""
        scores = np.array(self.score_pairs(query, candidates.texts), dtype=np.float64)
        return Ranking.best(candidates.ranking.chunks, scores, len(scores))

    def score_pairs(self, query: str, texts: Sequence[str]) -> list[float]:
        """The score of each text; UnusableReplyError where the reply leaves one out or has one that is no number."""
        starts = range(0, len(texts), self.batch_size)
        return [score for start in starts for score in self._batch(query, texts[start : start + self.batch_size])]

    def _batch(self, query: str, texts: Sequence[str]) -> list[float]:
        body = {"model": self.model, "query": query, "documents": list(texts), "top_n": len(texts), **self.extra_body}
        reply = client_of(self).post(self, self.path, body).reply
        results = reply.get("results") if isinstance(reply, dict) else None
        found: dict[int, float] = {}
        for result in results if isinstance(results, list) else ():
            place, score = result.get("index"), result.get("relevance_score")
            if not isinstance(score, (int, float)) or not math.isfinite(score):
                raise UnusableReplyError(f"{self.model!r} gave {score!r} as the score of passage {place}")
            found[place] = float(score)
        if sorted(found) != list(range(len(texts))):
            raise UnusableReplyError(f"{self.model!r} scored {len(found)} passages of {len(texts)}, or other ones")
        return [found[place] for place in range(len(texts))]
