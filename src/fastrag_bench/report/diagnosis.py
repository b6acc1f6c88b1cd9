"""Where the misses of a run happen, and which questions no run or only one run gets right: from `samples.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from fastrag_bench.comparison.clusters import document_of
from fastrag_bench.comparison.matrix import ScoreMatrix
from fastrag_bench.comparison.resampling import cluster_sums, intervals
from fastrag_bench.relevance.gold import Span, gold_of, parse_span
from fastrag_bench.types import EvalSample

STEPS = ("found", "cut by k", "lost by the reranker", "not among the candidates", "not chunked whole", "not answered")
"""A question has one: that of the piece of its gold that got least far. `found` is handed on, and answered if asked."""
FOUND, CUT, LOST, ABSENT, SPLIT, UNANSWERED = range(len(STEPS))
ANSWER_METRICS = ("contains", "exact_match")

span_of_id = lru_cache(maxsize=200_000)(parse_span)


@dataclass(frozen=True)
class Diagnosis:
    """One run's questions, each at the step of `STEPS` where it ended; None for one without gold or with an error."""

    steps: Sequence[int | None]
    sees_candidates: bool
    """Whether the run's file holds rankings; without them nothing can be said."""

    @property
    def funnel(self) -> dict[str, int]:
        """How many questions ended at each step."""
        return {name: sum(step == place for step in self.steps) for place, name in enumerate(STEPS)}


def diagnose(rows: Sequence[Mapping[str, Any]]) -> Diagnosis:
    """Follow the gold of each question through a run.

    A span counts as reached where the chunks down to there cover half of it, as recall counts it. Whether a span lies
    whole in one chunk is told from all chunks that any ranking of the run shows.
    """
    details = [row.get("detail") or {} for row in rows]
    seen: dict[str, list[Span]] = {}
    for name in {name for detail in details for name in _names(detail.get("ranking"))}:
        span = span_of_id(name)
        if span is not None:
            seen.setdefault(span.document, []).append(span)
    steps = [_step(row, detail, seen) for row, detail in zip(rows, details, strict=True)]
    return Diagnosis(steps, any(detail.get("ranking") for detail in details))


def _names(ranking: Iterable[Sequence[Any]] | None) -> list[str]:
    return [str(entry[0]) for entry in ranking or ()]


def _step(row: Mapping[str, Any], detail: Mapping[str, Any], seen: Mapping[str, Sequence[Span]]) -> int | None:
    if row.get("status") == "errored" or not row.get("gold") or detail.get("ranking") is None:
        return None
    gold = gold_of(EvalSample(str(row["question"]), [], list(row["gold"]), dict(row.get("tags") or {})))
    ranking, before = _names(detail["ranking"]), _names(detail.get("before_reranking"))
    k = int(detail.get("k") or len(ranking))
    worst = max((_lost_at(group, ranking, before, k, seen) for group in gold.groups), default=FOUND)
    return UNANSWERED if worst == FOUND and _wrong(row) else worst


def _lost_at(
    group: Sequence[str], ranking: Sequence[str], before: Sequence[str], k: int, seen: Mapping[str, Sequence[Span]]
) -> int:
    after = _reached(group, ranking)
    if after and after <= k:
        return FOUND
    if not any(_whole(name, seen) for name in group):
        return SPLIT
    earlier = _reached(group, before)
    if earlier and earlier <= k:
        return LOST
    return CUT if after or earlier else ABSENT


def _reached(group: Sequence[str], ranking: Sequence[str]) -> int:
    """The rank by which one of some alternatives is found, 0 for never."""
    found = [rank for rank in (_rank(name, ranking) for name in group) if rank]
    return min(found, default=0)


def _rank(gold: str, ranking: Sequence[str]) -> int:
    wanted = span_of_id(gold)
    if wanted is None:
        hits = (place for place, name in enumerate(ranking, start=1) if gold in (name, document_of(name)))
        return next(hits, 0)
    covered: set[int] = set()
    for place, name in enumerate(ranking, start=1):
        chunk = span_of_id(name)
        if chunk is not None and chunk.document == wanted.document:
            covered.update(range(max(chunk.start, wanted.start), min(chunk.end, wanted.end)))
            if 2 * len(covered) >= len(wanted):
                return place
        elif name == wanted.document:
            return place
    return 0


def _whole(gold: str, seen: Mapping[str, Sequence[Span]]) -> bool:
    """Whether some chunk holds all of a span; true where no chunk that touches it was ever seen."""
    wanted = span_of_id(gold)
    if wanted is None:
        return True
    near = [each for each in seen.get(wanted.document, ()) if each.start < wanted.end and wanted.start < each.end]
    return not near or any(each.start <= wanted.start and wanted.end <= each.end for each in near)


def _wrong(row: Mapping[str, Any]) -> bool:
    scores = row.get("scores") or {}
    asked = [scores[name] for name in ANSWER_METRICS if scores.get(name) is not None]
    return bool(asked) and row.get("answer") is not None and max(asked) == 0


@dataclass(frozen=True)
class Questions:
    """Questions that say more about the data, or about one run, than about the rest."""

    missed_by_all: list[str]
    """No run scores anything: perhaps the gold is wrong."""

    only_one: dict[str, str]
    """For a question that a single run scores on, that run."""


def telling_questions(matrix: ScoreMatrix) -> Questions:
    """Of a metric where 0 is the worst; nothing is said of one where lower is better."""
    if not matrix.higher:
        return Questions([], {})
    hit = (matrix.scores > 0) & matrix.known
    counts = hit.sum(axis=0)
    missed = [key[0] for key, count in zip(matrix.questions, counts, strict=True) if count == 0]
    only = {
        key[0]: matrix.runs[int(hit[:, place].argmax())]
        for place, key in enumerate(matrix.questions)
        if counts[place] == 1 and len(matrix.runs) > 2
    }
    return Questions(missed, only)


@dataclass(frozen=True)
class Slice:
    """One run on the questions of one tag."""

    tag: str
    value: str
    questions: int
    mean: float
    low: float
    high: float


def by_tag(matrix: ScoreMatrix, run: int, tags: Mapping[str, Mapping[str, Any]], *, seed: int = 0) -> list[Slice]:
    """A run's mean for each value of each short tag (2 to 30 values), with intervals; its question's length, too."""
    found = []
    for tag in dict.fromkeys(name for question, _ in matrix.questions for name in (*tags.get(question, ()), "length")):
        values = [_tag(question, tag, tags) for question, _ in matrix.questions]
        levels = sorted({value for value in values if value is not None})
        if not 2 <= len(levels) <= 30:
            continue
        for level in levels:
            part = matrix.keep([run]).on(np.array([value == level for value in values]))
            data = cluster_sums(part.scores, part.known, part.labels)
            ends = intervals(data, resamples=2_000, seed=seed, confidence=0.95)[0]
            found.append(Slice(tag, level, int(part.known.sum()), float(part.means[0]), float(ends[0]), float(ends[1])))
    return found


def _tag(question: str, tag: str, tags: Mapping[str, Mapping[str, Any]]) -> str | None:
    if tag == "length":
        words = len(question.split())
        return "1-5 words" if words <= 5 else "6-12 words" if words <= 12 else "13 words or more"
    value = tags.get(question, {}).get(tag)
    return str(value) if isinstance(value, (str, int, bool)) and len(str(value)) <= 40 else None
