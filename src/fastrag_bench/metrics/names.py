"""From a name to its metric, and back: `metric("ndcg@10").name == "ndcg@10"`."""

from __future__ import annotations

import difflib
import re
from typing import Literal

from fastrag_bench.contracts import Metric
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.metrics.generation import AnswerMetric, Contains, ExactMatch, RougeL, TokenF1
from fastrag_bench.metrics.operational import ContextTokens, Cost, Latency, OperationalMetric, TotalTokens
from fastrag_bench.metrics.retrieval import MAP, MRR, NDCG, AllHops, HitRate, Precision, Recall, RetrievalMetric
from fastrag_bench.metrics.span import PrecisionOmega, SpanIoU, SpanMetric, SpanPrecision, SpanRecall

RANKED: dict[str, type[RetrievalMetric]] = {
    kind.stem: kind for kind in (Recall, Precision, NDCG, MRR, HitRate, MAP, AllHops)
}
SPANS: dict[str, type[SpanMetric]] = {kind.stem: kind for kind in (SpanRecall, SpanPrecision, SpanIoU)}
PLAIN: dict[str, type[AnswerMetric | OperationalMetric | PrecisionOmega]] = {
    kind.stem: kind
    for kind in (ExactMatch, TokenF1, RougeL, Contains, Latency, TotalTokens, Cost, ContextTokens, PrecisionOmega)
}
_NAME = re.compile(r"(\w+)(?:@(\d+)(chars)?)?\Z")


def metric(name: str, *, unit: Literal["auto", "document", "chunk"] = "auto") -> Metric:
    """The metric of a name: a measure, alone or with `@k`; recall also with `@Nchars`.

    Args:
        name: as in a table's header.
        unit: what the ranks of retrieval metrics are.

    Raises:
        ConfigurationError: no such metric, with the likeliest one.
    """
    found = _NAME.match(name)
    stem, number, chars = found.groups() if found else (name, None, None)
    k = int(number) if number is not None else None
    if stem == Recall.stem and chars:
        return Recall(chars=k, unit=unit)
    if stem in RANKED and not chars:
        return RANKED[stem](k, unit=unit)
    if stem in SPANS and not chars:
        return SPANS[stem](k)
    if stem in PLAIN and number is None:
        return PLAIN[stem]()
    raise ConfigurationError(problems=[Problem("metrics", _unknown(name, stem, number))])


def _unknown(name: str, stem: str, number: str | None) -> str:
    known = [*RANKED, *SPANS, *PLAIN]
    if stem in PLAIN:
        return f"{name!r}: {stem} takes no cutoff"
    if stem in known:
        return f"{name!r}: {stem} takes a cutoff in ranks, as {stem}@{number}"
    close = difflib.get_close_matches(stem.lower(), known, n=1, cutoff=0.5)
    suffix = f"@{number}" if number is not None and close and close[0] not in PLAIN else ""
    hint = f"; did you mean {close[0] + suffix!r}?" if close else ""
    return (
        f"no metric is called {name!r}{hint} (there is: {', '.join(known)}; with a cutoff as ndcg@10, recall@2000chars)"
    )
