"""Retrieval metrics. Without a cutoff they judge what was handed on (`sources`), with one the whole ranking."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

from fastrag_bench.contracts import Metric
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.metrics.arrays import Floats, Hits
from fastrag_bench.metrics.cutoff import checked_cutoff, name_with_cutoff
from fastrag_bench.metrics.judging import Batch, batch_of
from fastrag_bench.types import EvalSample, QueryOutcome


class RetrievalMetric(Metric):
    """A metric over the ranks at which evidence stands.

    A sample without gold scores None; one with gold and an empty ranking scores 0. No score exceeds 1.

    Args:
        k: the cutoff, at least 1; None judges all that was handed on.
        unit: what ranks are. `auto` decides for each question from its gold and its passages.

    Raises:
        ConfigurationError: k is not a whole number of at least 1.
    """

    needs_relevant_ids: ClassVar[bool] = True
    stem: ClassVar[str]

    def __init__(self, k: int | None = None, *, unit: Literal["auto", "document", "chunk"] = "auto") -> None:
        if unit not in ("auto", "document", "chunk"):
            raise ConfigurationError(f"{self.stem}: unit is auto, document or chunk, not {unit!r}")
        self.k, _, _ = checked_cutoff(self.stem, k)
        self.unit = unit

    @property
    def name(self) -> str:
        """As `ndcg@10`, or `ndcg` without a cutoff."""
        return name_with_cutoff(self.stem, self.k)

    async def score(self, sample: EvalSample, outcome: QueryOutcome) -> float | None:
        """The figure of one question."""
        return self.score_all([sample], [outcome])[0]

    def score_all(self, samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome]) -> list[float | None]:
        """The figures of many questions; each is what `score` returns for it, to the bit."""
        batch = batch_of(samples, outcomes, None if self.unit == "auto" else self.unit)
        figures = self._figures(batch).tolist()
        return [figure if known else None for figure, known in zip(figures, batch.measurable, strict=True)]

    @abstractmethod
    def _figures(self, batch: Batch) -> Floats: ...

    def _credited(self, batch: Batch) -> Hits:
        return batch.handed_credits if self.k is None else batch.ranked_credits

    def _found(self, batch: Batch) -> Hits:
        return batch.handed_finds if self.k is None else batch.ranked_finds

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name, self.unit))

    def __repr__(self) -> str:
        return self.name


class Recall(RetrievalMetric):
    """Found evidence / all evidence (trec_eval's recall).

    Args:
        k: as for all.
        chars: judge the first so many characters of the ranking instead, the last passage cut at the budget, overlap
            paid twice: the fair figure between chunkers, named `recall@2000chars`.
        tokens: the same with a budget in tokens (word pieces), named `recall@500tokens`.
        unit: as for all.
    """

    stem: ClassVar[str] = "recall"

    def __init__(
        self,
        k: int | None = None,
        *,
        chars: int | None = None,
        tokens: int | None = None,
        unit: Literal["auto", "document", "chunk"] = "auto",
    ) -> None:
        super().__init__(k, unit=unit)
        _, self.chars, self.tokens = checked_cutoff(self.stem, k, chars, tokens)

    @property
    def name(self) -> str:
        """As `recall@5`, `recall@2000chars`, `recall@500tokens`, or `recall`."""
        return name_with_cutoff(self.stem, self.k, self.chars, self.tokens)

    def _figures(self, batch: Batch) -> Floats:
        if self.chars is not None:
            return batch.recall_at_chars(self.chars)
        if self.tokens is not None:
            return batch.recall_at_tokens(self.tokens)
        return self._found(batch).recall(self.k)


class AllHops(RetrievalMetric):
    """1 where all evidence of a question is found: what a multi-hop question needs."""

    stem: ClassVar[str] = "all_hops"

    def _figures(self, batch: Batch) -> Floats:
        return self._found(batch).all_found(self.k)


class Precision(RetrievalMetric):
    """Relevant passages / k, also where fewer came back; without k / those that came back (trec_eval's P)."""

    stem: ClassVar[str] = "precision"

    def _figures(self, batch: Batch) -> Floats:
        return self._credited(batch).precision(self.k)


class NDCG(RetrievalMetric):
    """Discounted cumulative gain, linear, over that of the ideal ranking of ALL evidence, cut at k (trec_eval's ndcg).

    A passage gains only by evidence that no earlier one was credited with.
    """

    stem: ClassVar[str] = "ndcg"

    def _figures(self, batch: Batch) -> Floats:
        return self._credited(batch).ndcg(self.k)


class MRR(RetrievalMetric):
    """1 / rank of the first relevant passage, 0 without one (trec_eval's recip_rank)."""

    stem: ClassVar[str] = "mrr"

    def _figures(self, batch: Batch) -> Floats:
        return self._credited(batch).reciprocal_rank(self.k)


class HitRate(RetrievalMetric):
    """1 where at least one passage is relevant (trec_eval's success)."""

    stem: ClassVar[str] = "hit"

    def _figures(self, batch: Batch) -> Floats:
        return self._credited(batch).hit(self.k)


class Success(HitRate):
    """The same as `hit`, under trec_eval's name for it."""

    stem: ClassVar[str] = "success"


class RPrecision(RetrievalMetric):
    """Relevant passages in the first R / R, R being the pieces of evidence of the question (trec_eval's Rprec).

    It judges the whole ranking and takes no cutoff: R is one.
    """

    stem: ClassVar[str] = "r_precision"

    def __init__(self, *, unit: Literal["auto", "document", "chunk"] = "auto") -> None:
        super().__init__(None, unit=unit)

    def _figures(self, batch: Batch) -> Floats:
        return batch.ranked_credits.r_precision()


class MAP(RetrievalMetric):
    """Average precision over all evidence (trec_eval's map and map_cut); its mean over questions is MAP."""

    stem: ClassVar[str] = "map"

    def _figures(self, batch: Batch) -> Floats:
        return self._credited(batch).average_precision(self.k)
