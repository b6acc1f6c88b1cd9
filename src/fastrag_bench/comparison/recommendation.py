"""The answer in two or three plain sentences, each with its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastrag_bench.comparison.analysis import Analysis
from fastrag_bench.comparison.factors import Effect
from fastrag_bench.comparison.study import ABSENT, axes_of
from fastrag_bench.results import BenchmarkResult

COSTS = ("cost_usd", "total_tokens", "context_tokens", "latency_ms")
"""What a run costs, the most telling first."""
SIZE_AXES = ("k", "size", "candidates")
"""Axes on which more is easily better and always dearer."""


@dataclass(frozen=True)
class Recommendation:
    """What to take, and the sentences that say so."""

    take: str | None
    """The run; None when nothing can be said."""

    settings: Mapping[str, str]
    """Of its settings, those that are recommended; an axis that nothing here can decide is left out."""

    cheapest: str | None
    """Of the runs not distinguishable from it, the one that costs least; None where none costs less."""

    sentences: Sequence[str]


def recommend(analysis: Analysis) -> Recommendation:
    """Two or three sentences: what to take, what is as good and cheaper, which settings matter.

    A setting that the metric follows by construction, or a size, is recommended only with a cost or an answer metric
    beside it.
    """
    if len(analysis.results) < 2:
        return Recommendation(None, {}, None, [])
    group = analysis.standing.group
    if len(group) == len(analysis.results):
        return _nothing(analysis)
    take = _cheapest_equal(analysis)
    settings = _recommended(analysis, take)
    cheapest = _cheapest(analysis, [place for place in group if place != take], take)
    sentences = [_first(analysis, take, settings), _second(analysis, take, cheapest), _third(analysis)]
    return Recommendation(
        analysis.matrix.runs[take],
        settings,
        None if cheapest is None else analysis.matrix.runs[cheapest],
        [sentence for sentence in sentences if sentence],
    )


def _nothing(analysis: Analysis) -> Recommendation:
    """No run can be told from the best: the cheapest is as good as any."""
    standing = analysis.standing
    cheapest = _cheapest(analysis, standing.group, None)
    questions = f"{standing.questions} questions in {standing.clusters} clusters"
    first = (
        f"Nothing can be said about {analysis.metric}: none of the {len(analysis.results)} pipelines can be told from "
        f"the best ({_figure(analysis, standing.best)}) on {questions}."
    )
    second = ""
    if cheapest is not None:
        cost = _cost_metric(analysis, standing.group)
        second = f"The cheapest is {_named(analysis, cheapest)} ({_cost_text(analysis, cheapest, cost)})."
    return Recommendation(None, {}, None, [part for part in (first, second, _third(analysis)) if part])


def _first(analysis: Analysis, take: int, settings: Mapping[str, str]) -> str:
    standing, optimism = analysis.standing, analysis.optimism
    name = ",".join(f"{axis}={level}" for axis, level in settings.items()) or analysis.matrix.runs[take]
    shrunk = f", {number(optimism.shrunk)} with its luck taken off" if optimism is not None else ""
    left = [axis for axis in _axes(analysis) if axis not in settings]
    open_axes = f"; {', '.join(left)} cannot be decided by it" if left else ""
    return (
        f"Take {name}: {analysis.metric} {_figure(analysis, take)}{shrunk}, on {standing.questions} questions in "
        f"{standing.clusters} clusters{open_axes}."
    )


def _second(analysis: Analysis, take: int, cheapest: int | None) -> str:
    others = [place for place in analysis.standing.group if place != take]
    if not others:
        gaps = [each for each in analysis.standing.differences if each.second != analysis.matrix.runs[take]]
        nearest = min(gaps, key=lambda each: abs(each.mean))
        return (
            f"It differs from every other pipeline beyond chance; the nearest is {_short(analysis, nearest.second)} "
            f"({nearest.mean:+.3f} [{nearest.low:+.3f}, {nearest.high:+.3f}])."
        )
    count = f"{len(others)} other{'s are' if len(others) > 1 else ' is'} not distinguishable from it"
    if cheapest is None:
        cost = _cost_metric(analysis, analysis.standing.group)
        return f"{count}" + (f", none of them cheaper ({cost})." if cost else ".")
    cost = _cost_metric(analysis, analysis.standing.group)
    return (
        f"{count}, the cheapest of them is {_named(analysis, cheapest)} "
        f"({number(analysis.matrix.means[cheapest])}; {_cost_text(analysis, cheapest, cost)} against "
        f"{_amount(_cost(analysis.results[take], cost))})."
    )


def _third(analysis: Analysis) -> str:
    """Which settings matter."""
    pays, silent = [], []
    for axis in analysis.factors.axes:
        effects = analysis.factors.of(axis)
        if any(effect.constructed for effect in effects):
            silent.append(f"{axis} moves it by construction")
            continue
        seen = [effect for effect in effects if effect.seen and effect.mean]
        if seen:
            pays.append(_effect_text(max(seen, key=lambda effect: abs(effect.mean)), higher=analysis.matrix.higher))
        else:
            silent.append(f"{axis}: no difference seen")
    crossing = next((each for each in analysis.factors.interactions if each.adjusted_p <= 0.05), None)
    if crossing is not None:
        silent.append(f"{crossing.axes[0]} x {crossing.axes[1]} interact")
    leaning = [f"{axis}: {why}" for axis, why in analysis.study.leans.items() if axis in analysis.factors.axes]
    text = "; ".join([*pays, *silent])
    if not text:
        return ""
    return f"Settings: {text}." + "".join(f" The ruler leans on {each}." for each in leaning)


def _effect_text(effect: Effect, *, higher: bool) -> str:
    up = (effect.mean > 0) == higher
    better, worse = (effect.high_level, effect.low_level) if up else (effect.low_level, effect.high_level)
    mean, low, high = (effect.mean, effect.low, effect.high) if up else (-effect.mean, -effect.high, -effect.low)
    contexts = f"{effect.contexts} context{'' if effect.contexts == 1 else 's'}"
    return (
        f"{effect.axis} matters ({_level(better)} over {_level(worse)} {mean:+.3f} [{low:+.3f}, {high:+.3f}] "
        f"over {contexts})"
    )


def _level(level: str) -> str:
    return "the default" if level == ABSENT else level


def _axes(analysis: Analysis) -> list[str]:
    return list(axes_of(analysis.study, analysis.matrix.runs))


def _recommended(analysis: Analysis, take: int) -> dict[str, str]:
    """The settings of a run that its figures speak for."""
    own = analysis.study.settings_of(analysis.matrix.runs[take])
    weighed = _has_answer_metric(analysis) or _cost_metric(analysis, range(len(analysis.results))) is not None
    return {
        axis: own[axis]
        for axis in _axes(analysis)
        if axis in own
        and analysis.metric not in analysis.study.follows.get(axis, ())
        and (weighed or not _is_size(axis))
    }


def _is_size(axis: str) -> bool:
    return axis.rpartition(".")[2] in SIZE_AXES


def _has_answer_metric(analysis: Analysis) -> bool:
    answers = {"exact_match", "token_f1", "rouge_l", "contains", "faithfulness", "answer_correctness"}
    return any(name.partition("@")[0] in answers for name in analysis.results[0].summary)


def _cheapest_equal(analysis: Analysis) -> int:
    """Of the runs with exactly the best run's scores, the one that costs least."""
    matrix, best = analysis.matrix, analysis.standing.best
    same = [
        place
        for place in range(len(matrix.runs))
        if (matrix.scores[place] == matrix.scores[best]).all() and (matrix.known[place] == matrix.known[best]).all()
    ]
    cost = _cost_metric(analysis, same)
    return best if cost is None else min(same, key=lambda place: (_cost(analysis.results[place], cost), place != best))


def _cheapest(analysis: Analysis, places: Sequence[int], take: int | None) -> int | None:
    cost = _cost_metric(analysis, places if take is None else [*places, take])
    if cost is None or not places:
        return None
    found = min(places, key=lambda place: _cost(analysis.results[place], cost))
    if take is not None and _cost(analysis.results[found], cost) >= _cost(analysis.results[take], cost):
        return None
    return found


def _cost_metric(analysis: Analysis, places: Sequence[int]) -> str | None:
    """The first cost that all of these runs have, and in which they differ."""
    for name in COSTS:
        values = {
            result.summary[name].mean
            for result in (analysis.results[place] for place in places)
            if name in result.summary and result.summary[name].count
        }
        whole = all(
            name in analysis.results[place].summary and analysis.results[place].summary[name].count for place in places
        )
        if whole and len(values) > 1 and name != analysis.metric:
            return name
    return None


def _cost(result: BenchmarkResult, metric: str | None) -> float:
    return result.summary[metric].mean if metric is not None and metric in result.summary else 0.0


def _cost_text(analysis: Analysis, place: int, cost: str | None) -> str:
    return f"{cost} {_amount(_cost(analysis.results[place], cost))}"


def _amount(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _figure(analysis: Analysis, place: int) -> str:
    low, high = analysis.standing.intervals[place]
    return f"{number(analysis.standing.means[place])} [{number(low)}, {number(high)}]"


def number(value: float) -> str:
    """Three decimals below 10, three figures above."""
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"


def _named(analysis: Analysis, place: int) -> str:
    return _short(analysis, analysis.matrix.runs[place])


def _short(analysis: Analysis, run: str) -> str:
    """A run by the settings in which the runs differ, or by its name."""
    own = analysis.study.settings_of(run)
    return ",".join(f"{axis}={own[axis]}" for axis in _axes(analysis) if axis in own) or run
