"""`Comparison`: several results as one table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastrag_bench.comparison.analysis import Analysis, analyse
from fastrag_bench.comparison.choosing import best_run, pareto_front
from fastrag_bench.comparison.exports import columns, latex_table, pandas_frame, parquet_bytes, sample_columns
from fastrag_bench.comparison.formats import csv_table, json_text, markdown_table
from fastrag_bench.comparison.html import html_fragment, html_page
from fastrag_bench.comparison.loading import load_results
from fastrag_bench.comparison.paired import PairedDifference, paired_difference
from fastrag_bench.comparison.recommendation import Recommendation, recommend
from fastrag_bench.comparison.records import analysis_record
from fastrag_bench.comparison.stats import STATS, check_stat, figure, higher_wins
from fastrag_bench.comparison.study import Study
from fastrag_bench.comparison.table import (
    Failure,
    Table,
    Value,
    build_table,
    display_names,
    metric_names,
    warn_about_pairs,
)
from fastrag_bench.comparison.tradeoffs import front, parse_constraint
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.files import write_atomic
from fastrag_bench.results import BenchmarkResult


class Comparison:
    """Results side by side, in the order given.

    Figures leave out the questions that errored. A run that failed on the hard questions would look better for it, so
    the counts by status stand in every table as soon as some question errored or is incomplete, and `best` passes over
    runs with errors.

    Args:
        results: the runs; two of one name are kept and told apart by when they began, with a warning.
        failures: runs that have no result; each is a row with its reason.
        notes: sentences for below the table.
        extra: more columns, `{column: {run name: value}}`.
        study: gold, tags and settings, where they are known; its primary metric gets an analysis and an answer.
        header: a line above the table.
    """

    def __init__(
        self,
        results: Iterable[BenchmarkResult],
        *,
        failures: Iterable[Failure] = (),
        notes: Iterable[str] = (),
        extra: Mapping[str, Mapping[str, Value]] | None = None,
        study: Study | None = None,
        header: str = "",
    ) -> None:
        self.results = list(results)
        self.failures = list(failures)
        self.notes = list(notes)
        self.extra = dict(extra or {})
        self.study = study or Study()
        self.header = header
        self._analyses: dict[tuple[str, int], Analysis] = {}
        wrong = next((result for result in self.results if not isinstance(result, BenchmarkResult)), None)
        if wrong is not None:
            raise ConfigurationError(f"a comparison is of BenchmarkResult objects, not {type(wrong).__name__}")
        warn_about_pairs(self.results)

    @classmethod
    def of(cls, results: Iterable[BenchmarkResult]) -> Comparison:
        """Compare some results; none at all gives a table of headers."""
        return cls(results)

    @classmethod
    def load(cls, pattern: str | os.PathLike[str]) -> Comparison:
        """Compare the result files that match a pattern such as `results/*.json`, sorted by path.

        Raises:
            ConfigurationError: nothing matches, or one of the files is no result.
        """
        return cls(load_results(pattern))

    def metrics(self) -> list[str]:
        """The union of the runs' metrics, in order of first appearance."""
        return metric_names(self.results)

    def to_markdown(self, stat: str = "mean", *, counts: bool = False, mark_best: bool = False) -> str:
        """A Markdown table of one statistic, four decimals, an em dash where nothing was measured.

        Args:
            stat: mean, median, std, min, max, count, missing, p5 to p99, or a percentile of a metric's own.
            counts: show how many questions ended how, even if all were successful.
            mark_best: the best values of each metric in bold.

        Raises:
            ConfigurationError: no such statistic.
        """
        table = self._merged(stat, counts=counts, mark_best=mark_best)
        return markdown_table(table, self.notes, header=self.header, answer=self.answer)

    def to_csv(self, stat: str = "mean", *, counts: bool = True) -> str:
        """The table as CSV in full precision; text that a spreadsheet would run as a formula is disarmed."""
        extra = dict(self.extra)
        if self.study.identical:
            extra["identical_to"] = self.study.identical
        table = build_table(self.results, stat, failures=self.failures, extra=extra, counts=counts)
        check_stat(stat, self.results)
        return csv_table(table)

    def to_json(self) -> str:
        """Every statistic of every run, the failures, the notes, and the analysis of the primary metric."""
        names = display_names(self.results)
        more: dict[str, Any] = {"header": self.header, "identical_to": dict(self.study.identical)}
        if self._decided is not None:
            more["recommendation"] = asdict(recommend(self._decided))
            more["analysis"] = analysis_record(self._decided)
        return json_text(self.results, names, failures=self.failures, notes=self.notes, extra=self.extra, more=more)

    def to_html(self, stat: str = "mean", *, counts: bool = True) -> str:
        """One page that works offline: the table with the best values marked, failures, notes, every statistic."""
        table = self.table(stat, counts=counts, mark_best=True)
        return html_page(table, self.results, failures=self.failures, notes=self.notes)

    def to_latex(self, stat: str = "mean", *, caption: str = "") -> str:
        """A booktabs table: best values bold, a dagger on what cannot be told from the best by the primary metric."""
        decided = self._decided
        equal = [] if decided is None else [decided.matrix.runs[place] for place in decided.standing.group[1:]]
        table = build_table(self.results, stat, failures=self.failures, extra=self.extra, mark_best=True)
        return latex_table(table, equal=equal, metric=self.study.primary, caption=caption)

    def to_pandas(self, stat: str = "mean", *, samples: bool = False) -> Any:
        """A data frame with a row for each run, or for each run and question.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        return pandas_frame(self._columns(stat, samples=samples))

    def to_parquet(self, stat: str = "mean", *, samples: bool = False) -> bytes:
        """The same as a Parquet file.

        Raises:
            MissingExtraError: pyarrow is not installed.
        """
        return parquet_bytes(self._columns(stat, samples=samples))

    def _columns(self, stat: str, *, samples: bool) -> dict[str, list[Value]]:
        check_stat(stat, self.results)
        if samples:
            return sample_columns(self.results, display_names(self.results), self.metrics())
        return columns(build_table(self.results, stat, failures=self.failures, extra=self.extra, counts=True))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return html_fragment(self.table(mark_best=True), notes=[*self.answer, *self.notes])

    def front(self, figures: Sequence[str], *, limits: Sequence[str] = ()) -> list[BenchmarkResult]:
        """The runs that no other beats in all figures at once, of those that keep every limit.

        Args:
            figures: `METRIC` or `METRIC.STAT`, such as `latency_ms.p95`, or a column of the caller's own.
            limits: such as `latency_ms.p95<=200`.

        Raises:
            ConfigurationError: a figure that no run has, or a limit that cannot be read.
        """
        kept = self.within(limits)
        named = [self._figure_name(text) for text in figures]
        rows = [[self._value(result, metric, stat) for metric, stat in named] for result in kept]
        ups = [
            metric not in self.extra and higher_wins(self.results, metric, stat, warn=False) for metric, stat in named
        ]
        return [kept[place] for place in front(rows, ups)]

    def within(self, limits: Sequence[str]) -> list[BenchmarkResult]:
        """The runs that keep every limit; a figure that is not known keeps none."""
        read = [parse_constraint(text, self._stats()) for text in limits]
        for each in read:
            self._figure_name(each.metric)
        return [
            result
            for result in self.results
            if all(each.holds(self._value(result, each.metric, each.stat)) for each in read)
        ]

    def lexicographic(self, order: Sequence[str]) -> BenchmarkResult:
        """The best by the first metric; among those that cannot be told from it, by the next; and so on.

        The last figure decides by its value alone; figures that are not scores of questions always do.
        """
        kept = list(self.results)
        for text in order:
            metric, stat = self._figure_name(text)
            up = metric not in self.extra and higher_wins(self.results, metric, stat, warn=False)
            values = {id(each): self._value(each, metric, stat) for each in kept}
            known = [value for value in values.values() if value is not None]
            if not known:
                continue
            top = max(known) if up else min(known)
            if stat == "mean" and metric not in self.extra and text != order[-1] and len(kept) > 1:
                found = analyse(kept, metric, higher=up, study=self.study)
                kept = [found.results[place] for place in found.standing.group]
            else:
                kept = [each for each in kept if values[id(each)] == top]
        if not kept:
            raise ConfigurationError("there is no run to choose from")
        return kept[0]

    def _stats(self) -> list[str]:
        own = {key for result in self.results for summary in result.summary.values() for key in summary.percentiles}
        return [*STATS, *sorted(own - set(STATS))]

    def _figure_name(self, text: str) -> tuple[str, str]:
        metric, dot, stat = text.rpartition(".")
        name, stat = (metric, stat) if dot and stat in self._stats() else (text, "mean")
        if name not in self.metrics() and name not in self.extra:
            known = ", ".join([*self.metrics(), *self.extra]) or "none"
            raise ConfigurationError(f"no run has the figure {name!r}; there is: {known}")
        return name, stat

    def _value(self, result: BenchmarkResult, metric: str, stat: str) -> float | None:
        if metric in self.extra:
            value = self.extra[metric].get(result.name)
            return float(value) if isinstance(value, (int, float)) else None
        return figure(result, metric, stat)

    def table(self, stat: str = "mean", *, counts: bool = False, mark_best: bool = False) -> Table:
        """The table itself, as header, rows and the places of the best values, for other ways of showing it."""
        check_stat(stat, self.results)
        return self._merged(stat, counts=counts, mark_best=mark_best)

    def _merged(self, stat: str, *, counts: bool, mark_best: bool) -> Table:
        """Pipelines that are the same have one row with all their names."""
        check_stat(stat, self.results)
        there = {result.name for result in self.results}
        first = {name: other for name, other in self.study.identical.items() if name in there and other in there}
        also: dict[str, list[str]] = {}
        for name, other in first.items():
            also.setdefault(other, []).append(name)
        rows = [result for result in self.results if result.name not in first]
        return build_table(
            rows, stat, failures=self.failures, extra=self.extra, counts=counts, mark_best=mark_best, also=also
        )

    def analysis(self, metric: str | None = None, *, seed: int = 0) -> Analysis:
        """Who is best by a metric, how sure that is, what each setting is worth (see `analysis.analyse`).

        Args:
            metric: the primary one if not named; any other is exploratory: nothing corrects for looking at many.
            seed: the same seed gives the same figures.

        Raises:
            ConfigurationError: no run has a score of the metric, or none is named and none is primary.
        """
        name = metric or self.study.primary
        if name is None:
            raise ConfigurationError(f"which metric? There is: {', '.join(self.metrics()) or 'none'}")
        if (name, seed) not in self._analyses:
            higher = higher_wins(self.results, name, "mean", warn=False)
            names = display_names(self.results)
            self._analyses[name, seed] = analyse(
                self.results, name, higher=higher, study=self.study, names=names, seed=seed
            )
        return self._analyses[name, seed]

    def recommendation(self, metric: str | None = None) -> Recommendation:
        """What to take, in two or three sentences with their evidence."""
        return recommend(self.analysis(metric))

    @property
    def _decided(self) -> Analysis | None:
        """The analysis of the primary metric, where there is something to decide."""
        primary = self.study.primary
        measured = [
            each
            for each in self.results
            if primary is not None and primary in each.summary and each.summary[primary].count
        ]
        return self.analysis() if len(measured) > 1 else None

    @property
    def answer(self) -> list[str]:
        """The recommendation's sentences, then what to know before believing them; none without a primary metric."""
        decided = self._decided
        return (
            [] if decided is None else [*recommend(decided).sentences, *(f"Note: {each}." for each in decided.warnings)]
        )

    def best(self, metric: str, stat: str = "mean", *, allow_errors: bool = False) -> BenchmarkResult:
        """The run with the best figure; the direction is the one stored in the results, the first of equals wins.

        A run with errored questions is passed over, with a warning if its figure is better, since the figure leaves
        those questions out; only if every run has errors, or with `allow_errors`, can it win, with a warning.

        Raises:
            ConfigurationError: no run has the metric or a score of it, no such statistic, or the runs disagree whether
                higher is better.
        """
        return best_run(self.results, metric, stat, allow_errors=allow_errors)

    def pareto_front(
        self, quality: str, latency: str = "latency_ms", *, stat: str = "mean", latency_stat: str = "mean"
    ) -> list[BenchmarkResult]:
        """The runs that no other run beats in quality without being slower, fastest first; none with errors.

        Raises:
            ConfigurationError: no run has both metrics.
        """
        return pareto_front(self.results, quality, latency, stat, latency_stat)

    def paired_bootstrap(
        self,
        metric: str,
        first: str | int | BenchmarkResult,
        second: str | int | BenchmarkResult,
        *,
        resamples: int = 10_000,
        seed: int = 0,
        confidence: float = 0.95,
    ) -> PairedDifference:
        """How much two runs differ on the questions both have a score for, and how sure that is.

        Args:
            metric: what to compare.
            first: a run, by name, position or itself.
            second: the run that is taken from it.
            resamples: how often the questions are drawn again.
            seed: the same seed gives the same figures.
            confidence: of the interval.

        Raises:
            ConfigurationError: no such run, or no shared question with a score.
        """
        return paired_difference(
            self._find(first),
            self._find(second),
            metric,
            resamples=resamples,
            seed=seed,
            confidence=confidence,
            gold=self.study.gold,
        )

    def _find(self, run: str | int | BenchmarkResult) -> BenchmarkResult:
        if isinstance(run, BenchmarkResult):
            return run
        names = display_names(self.results)
        if isinstance(run, int) and -len(names) <= run < len(names):
            return self.results[run]
        found = [result for name, result in zip(names, self.results, strict=True) if run in (name, result.name)]
        if len(found) == 1:
            return found[0]
        what = "several runs are" if found else "no run is"
        raise ConfigurationError(f"{what} called {run!r}; there is: {', '.join(map(repr, names)) or 'none'}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table of means in one step, making parent folders: Markdown, or what the suffix
        says: csv, json, html, tex, parquet.
        """
        suffix = Path(path).suffix.lower()
        writers: dict[str, Callable[[], str | bytes]] = {
            ".csv": self.to_csv,
            ".json": self.to_json,
            ".html": self.to_html,
            ".htm": self.to_html,
            ".tex": self.to_latex,
            ".parquet": self.to_parquet,
        }
        write_atomic(path, writers.get(suffix, self.to_markdown)())

    def __len__(self) -> int:
        return len(self.results)
