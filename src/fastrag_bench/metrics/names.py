"""From a name to its metric, and back: `metric("ndcg@10").name == "ndcg@10"`."""

from __future__ import annotations

import difflib
import re
from typing import Literal

from fastrag_bench.contracts import Metric
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.metrics.generation import AnswerMetric, Contains, ExactMatch, RougeL, TokenF1
from fastrag_bench.metrics.operational import ContextTokens, Cost, Latency, OperationalMetric, TotalTokens
from fastrag_bench.metrics.retrieval import (
    MAP,
    MRR,
    NDCG,
    AllHops,
    HitRate,
    Precision,
    Recall,
    RetrievalMetric,
    RPrecision,
    Success,
)
from fastrag_bench.metrics.span import OverlapMetric, PrecisionOmega, SpanIoU, SpanIoUSet, SpanPrecision, SpanRecall

RANKED: dict[str, type[RetrievalMetric]] = {
    kind.stem: kind for kind in (Recall, Precision, NDCG, MRR, HitRate, Success, MAP, AllHops)
}
SPANS: dict[str, type[OverlapMetric]] = {kind.stem: kind for kind in (SpanRecall, SpanPrecision, SpanIoU, SpanIoUSet)}
PLAIN: dict[str, type[AnswerMetric | OperationalMetric | PrecisionOmega]] = {
    kind.stem: kind
    for kind in (ExactMatch, TokenF1, RougeL, Contains, Latency, TotalTokens, Cost, ContextTokens, PrecisionOmega)
}
BUDGETED = (Recall.stem, *SPANS)
"""Those that take `@Nchars` and `@Ntokens`."""

_NAME = re.compile(r"([a-z][a-z0-9_]*)(?:@([0-9]+)(chars|tokens)?)?\Z")


def metric(name: str, *, unit: Literal["auto", "document", "chunk"] = "auto") -> Metric:
    """The metric of a name: a measure, alone or with `@k`; some also with `@Nchars` and `@Ntokens` (`BUDGETED`).

    Args:
        name: as in a table's header.
        unit: what the ranks of retrieval metrics are.

    Raises:
        ConfigurationError: no such metric, with the likeliest one.
    """
    try:
        found = _made(name, unit)
    except ConfigurationError as error:
        raise ConfigurationError(problems=[Problem("metrics", f"{name!r}: {error}")]) from None
    if found is None or found.name != name:
        raise ConfigurationError(problems=[Problem("metrics", _unknown(name))])
    return found


def _made(name: str, unit: Literal["auto", "document", "chunk"]) -> Metric | None:
    parts = _NAME.match(name)
    if parts is None:
        return None
    stem, number, budget = parts.groups()
    k = None if number is None else int(number)
    if budget:
        return _budgeted(stem, {budget: int(number)}, unit)
    if stem == RPrecision.stem and k is None:
        return RPrecision(unit=unit)
    if stem in RANKED:
        return RANKED[stem](k, unit=unit)
    if stem in SPANS:
        return SPANS[stem](k)
    return PLAIN[stem]() if stem in PLAIN else None


def _budgeted(stem: str, budget: dict[str, int], unit: Literal["auto", "document", "chunk"]) -> Metric | None:
    if stem == Recall.stem:
        return Recall(unit=unit, **budget)
    return SPANS[stem](**budget) if stem in SPANS else None


def _unknown(name: str) -> str:
    known = [*RANKED, RPrecision.stem, *SPANS, *PLAIN]
    stem, at, cutoff = name.partition("@")
    if stem in PLAIN or stem == RPrecision.stem:
        return f"{name!r}: {stem} takes no cutoff"
    if stem in known and cutoff.endswith(("chars", "tokens")) and stem not in BUDGETED:
        budgeted = ", ".join(BUDGETED)
        return f"{name!r}: {stem} takes a cutoff in ranks, as {stem}@10; one in characters or tokens take {budgeted}"
    if stem in known:
        return f"{name!r}: a cutoff is a whole number of at least 1, as in {stem}@10"
    close = difflib.get_close_matches(stem.lower(), known, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0] + (at + cutoff if close[0] not in PLAIN else '')!r}?" if close else ""
    return (
        f"no metric is called {name!r}{hint} (there is: {', '.join(known)}; with a cutoff as ndcg@10, recall@2000chars)"
    )
