"""`Comparison`: several results as one table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from fastrag_bench.comparison.choosing import best_run, pareto_front
from fastrag_bench.comparison.formats import csv_table, json_text, markdown_table
from fastrag_bench.comparison.html import html_page
from fastrag_bench.comparison.loading import load_results
from fastrag_bench.comparison.paired import PairedDifference, paired_difference
from fastrag_bench.comparison.stats import check_stat
from fastrag_bench.comparison.table import (
    Failure,
    Table,
    Value,
    build_table,
    display_names,
    metric_names,
    warn_about_pairs,
)
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
    """

    def __init__(
        self,
        results: Iterable[BenchmarkResult],
        *,
        failures: Iterable[Failure] = (),
        notes: Iterable[str] = (),
        extra: Mapping[str, Mapping[str, Value]] | None = None,
    ) -> None:
        self.results = list(results)
        self.failures = list(failures)
        self.notes = list(notes)
        self.extra = dict(extra or {})
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
        return markdown_table(self.table(stat, counts=counts, mark_best=mark_best), self.notes)

    def to_csv(self, stat: str = "mean", *, counts: bool = True) -> str:
        """The table as CSV in full precision; text that a spreadsheet would run as a formula is disarmed."""
        return csv_table(self.table(stat, counts=counts))

    def to_json(self) -> str:
        """Every statistic of every run, the failures and the notes."""
        names = display_names(self.results)
        return json_text(self.results, names, failures=self.failures, notes=self.notes, extra=self.extra)

    def to_html(self, stat: str = "mean", *, counts: bool = True) -> str:
        """One page that works offline: the table with the best values marked, failures, notes, every statistic."""
        table = self.table(stat, counts=counts, mark_best=True)
        return html_page(table, self.results, failures=self.failures, notes=self.notes)

    def table(self, stat: str = "mean", *, counts: bool = False, mark_best: bool = False) -> Table:
        """The table itself, as header, rows and the places of the best values, for other ways of showing it."""
        check_stat(stat, self.results)
        return build_table(
            self.results, stat, failures=self.failures, extra=self.extra, counts=counts, mark_best=mark_best
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
            self._find(first), self._find(second), metric, resamples=resamples, seed=seed, confidence=confidence
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
        """Write the table of means in one step, making parent folders: Markdown, or CSV, JSON or HTML by the suffix."""
        suffix = Path(path).suffix.lower()
        writers = {".csv": self.to_csv, ".json": self.to_json, ".html": self.to_html, ".htm": self.to_html}
        write_atomic(path, writers.get(suffix, self.to_markdown)())

    def __len__(self) -> int:
        return len(self.results)
