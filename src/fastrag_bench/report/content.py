"""What the page shows, as plain data: figures by run, and for a limited number of runs the chunks by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastrag_bench.comparison import Comparison
from fastrag_bench.comparison.analysis import Analysis
from fastrag_bench.comparison.matrix import keyed_scores
from fastrag_bench.comparison.stats import figure, higher_wins
from fastrag_bench.comparison.study import axes_of
from fastrag_bench.comparison.table import display_names
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.relevance.gold import parse_span
from fastrag_bench.report.diagnosis import STEPS, by_tag, diagnose, telling_questions
from fastrag_bench.report.folders import read_samples
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.sweep.manifest import SAMPLES

Content = dict[str, Any]
MOST_RUNS = 100
"""Runs whose questions can be looked into; the best ones by the primary metric."""
MOST_CHUNKS = 10
"""Chunks shown of a question."""
MOST_TEXT = 1_500_000
"""Characters of documents inside the page; beyond it chunks are shown by id."""
MOST_METRICS = 4
"""Metrics whose single scores are inside the page."""


def page_content(
    comparison: Comparison, places: Mapping[str, Path] | None = None, texts: Mapping[str, str] | None = None
) -> Content:
    """Collect everything for the page.

    Args:
        comparison: the runs.
        places: the folder of each run, where there is a `samples.jsonl`.
        texts: the documents by id, to show chunks and gold in them.
    """
    analysis = _analysis(comparison)
    metrics = comparison.metrics()
    shown = _looked_into(comparison, analysis)
    content: Content = {
        "header": comparison.header or f"{len(comparison.results)} runs",
        "answer": list(comparison.answer),
        "notes": list(comparison.notes),
        "primary": None if analysis is None else analysis.metric,
        "metrics": [[name, higher_wins(comparison.results, name, "mean", warn=False)] for name in metrics],
        "runs": _runs(comparison, analysis),
        "axes": _axes(comparison),
        "failures": [asdict(failure) for failure in comparison.failures],
        "steps": list(STEPS),
    }
    if analysis is not None:
        content |= _analysed(comparison, analysis)
    return content | _questions(comparison, shown, places or {}, texts or {})


def _analysis(comparison: Comparison) -> Analysis | None:
    try:
        return comparison.analysis() if comparison.study.primary else comparison.analysis(comparison.metrics()[0])
    except (ConfigurationError, IndexError):
        return None


def _runs(comparison: Comparison, analysis: Analysis | None) -> list[dict[str, Any]]:
    """Each run with its figures; the analysis tells interval, p and whether it is in the best group."""
    metrics = comparison.metrics()
    names = display_names(comparison.results)
    judged = {} if analysis is None else {name: place for place, name in enumerate(analysis.matrix.runs)}
    group = set() if analysis is None else set(analysis.standing.group)
    rows = []
    for name, result in zip(names, comparison.results, strict=True):
        row: dict[str, Any] = {
            "name": name,
            "settings": dict(comparison.study.settings_of(result.name)),
            "means": [_rounded(figure(result, metric, "mean")) for metric in metrics],
            "p95": [_rounded(figure(result, metric, "p95")) for metric in metrics],
            "status": list(vars(result.status).values()),
            "extra": {column: values.get(result.name) for column, values in comparison.extra.items()},
            "same": comparison.study.identical.get(result.name),
        }
        place = judged.get(comparison.study.identical.get(result.name, name), judged.get(name))
        if analysis is not None and place is not None:
            low, high = analysis.standing.intervals[place]
            row |= {"low": _rounded(low), "high": _rounded(high), "group": place in group}
            row["p"] = _rounded(analysis.standing.against_best[place])
        rows.append(row)
    return rows


def _axes(comparison: Comparison) -> dict[str, list[str]]:
    return {
        axis: list(levels)
        for axis, levels in axes_of(comparison.study, [result.name for result in comparison.results]).items()
    }


def _analysed(comparison: Comparison, analysis: Analysis) -> Content:
    telling = telling_questions(analysis.matrix)
    slices = by_tag(analysis.matrix, analysis.standing.best, comparison.study.tags)
    return {
        "effects": [asdict(effect) for effect in analysis.factors.effects],
        "interactions": [asdict(each) for each in analysis.factors.interactions[:10]],
        "unmatched": analysis.factors.unmatched,
        "missed": telling.missed_by_all,
        "only": telling.only_one,
        "slices": [asdict(each) for each in slices],
        "best": analysis.matrix.runs[analysis.standing.best],
    }


def _looked_into(comparison: Comparison, analysis: Analysis | None) -> list[int]:
    """The places of the runs whose questions are in the page."""
    places = list(range(len(comparison.results)))
    if analysis is None or len(places) <= MOST_RUNS:
        return places[:MOST_RUNS]
    sign = 1 if analysis.matrix.higher else -1
    return sorted(places, key=lambda place: -sign * _mean(comparison.results[place], analysis.metric))[:MOST_RUNS]


def _mean(result: BenchmarkResult, metric: str) -> float:
    value = figure(result, metric, "mean")
    return 0.0 if value is None else float(value)


def _questions(
    comparison: Comparison, shown: Sequence[int], places: Mapping[str, Path], texts: Mapping[str, str]
) -> Content:
    """Scores by question, and what was retrieved, as places in one list of chunks."""
    if not shown:
        return {"questions": [], "shown": []}
    first = comparison.results[shown[0]]
    asked = list(keyed_scores(first, ""))
    study = comparison.study
    metrics = _scored_metrics(comparison)
    chunks: dict[str, int] = {}
    scores, tops, funnels, steps, answers = [], [], [], [], []
    for place in shown:
        result = comparison.results[place]
        tables = [keyed_scores(result, metric) for metric in metrics]
        scores.append([[_thousandths(table.get(key)) for key in asked] for table in tables])
        rows = _rows(places.get(result.name))
        found = diagnose(list(rows.values()))
        by_question = dict(zip(rows, found.steps, strict=True))
        tops.append([_top(rows.get(question), chunks) for question, _ in asked])
        funnels.append(list(found.funnel.values()) if found.sees_candidates else None)
        steps.append([by_question.get(question) for question, _ in asked])
        answers.append([sample.answer for sample in result.samples])
    gold = [list(study.gold.get(question, ())) for question, _ in asked]
    return {
        "questions": [
            {"q": question, "gold": ids, "tags": _short_tags(study.tags.get(question, {}))}
            for (question, _), ids in zip(asked, gold, strict=True)
        ],
        "shown": list(shown),
        "scored": metrics,
        "scores": scores,
        "top": tops,
        "funnels": funnels,
        "stepOf": steps,
        "answers": answers if any(answer for each in answers for answer in each) else None,
        "chunks": list(chunks),
        "docs": _documents([*chunks, *(name for ids in gold for name in ids)], texts),
    }


def _scored_metrics(comparison: Comparison) -> list[str]:
    names = [name for name in comparison.metrics() if name not in ("latency_ms", "context_tokens", "total_tokens")]
    primary = comparison.study.primary
    return [*([primary] if primary in names else []), *(name for name in names if name != primary)][:MOST_METRICS]


def _rows(folder: Path | None) -> dict[str, dict[str, Any]]:
    """The rows of a run by question; none where there is no such file."""
    if folder is None or not (folder / SAMPLES).is_file():
        return {}
    return {row["question"]: row for row in read_samples(folder / SAMPLES)}


def _top(row: Mapping[str, Any] | None, chunks: dict[str, int]) -> list[int] | None:
    detail = (row or {}).get("detail") or {}
    if not detail.get("ranking"):
        return None
    most = min(int(detail.get("k") or MOST_CHUNKS), MOST_CHUNKS)
    return [chunks.setdefault(str(entry[0]), len(chunks)) for entry in detail["ranking"][:most]]


def _documents(ids: Sequence[str], texts: Mapping[str, str]) -> dict[str, str]:
    """The texts of the documents that the ids lie in, as many as fit."""
    found: dict[str, str] = {}
    size = 0
    for name in ids:
        span = parse_span(name)
        document = span.document if span is not None else name
        text = texts.get(document)
        if text is not None and document not in found and size + len(text) <= MOST_TEXT:
            found[document] = text
            size += len(text)
    return found


def _short_tags(tags: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: str(value)
        for name, value in tags.items()
        if isinstance(value, (str, int, bool)) and len(str(value)) <= 60
    }


def _rounded(value: float | int | None) -> float | None:
    return None if value is None else float(f"{float(value):.5g}")


def _thousandths(value: float | None) -> int | None:
    return None if value is None else round(1000 * value)
