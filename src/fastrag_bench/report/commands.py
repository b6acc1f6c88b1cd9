"""The subcommands `compare`, `diff` and `report`."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from fastrag_bench.comparison import Comparison, PairedDifference
from fastrag_bench.comparison.corrections import holm, resamples_for
from fastrag_bench.comparison.holdout import holdout
from fastrag_bench.comparison.paired import differences_to
from fastrag_bench.comparison.stats import higher_wins
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.files import write_atomic
from fastrag_bench.report.content import page_content
from fastrag_bench.report.gate import Check, exit_code, junit_xml
from fastrag_bench.report.page import html_report
from fastrag_bench.report.sources import Gathered, gather
from fastrag_bench.report.texts import document_texts
from fastrag_bench.sweep.display import say, show_table


def compare(words: Sequence[str]) -> int:
    """Compare the runs of sweeps and files; a single sweep's folder alone rebuilds its own comparison."""
    arguments = _parser().parse_args(words)
    folders = [Path(source) for source in arguments.source]
    plain = not any(value for name, value in vars(arguments).items() if name not in ("source", "stat"))
    if plain and arguments.stat == "mean" and len(folders) == 1 and folders[0].is_dir() and _is_sweep(folders[0]):
        from fastrag_bench.sweep.compare import build_comparison

        return build_comparison(folders[0])
    return _answered(lambda: _compare(arguments))


def _is_sweep(folder: Path) -> bool:
    return not any(folder.glob("*.json")) or (folder / "plan.json").is_file() or any(folder.glob("*/manifest.json"))


def _answered(action: Callable[[], int]) -> int:
    """What a person did wrong is said in one line, exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return action()
    except ConfigurationError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fastrag-bench compare",
        description="Compare runs: the table of one sweep again, or runs of several sweeps and files side by side.",
    )
    parser.add_argument("source", nargs="+", help="a sweep's folder, a run's folder, a result file, or a pattern")
    parser.add_argument("--metric", help="what decides (default: the sweeps' primary metric)")
    parser.add_argument("--stat", default="mean", help="mean, median, p95, ...: the statistic of the table")
    parser.add_argument("--baseline", metavar="RUN", help="show every run's difference to this one")
    parser.add_argument("--limit", action="append", default=[], metavar="FIGURE<=N", help="such as latency_ms.p95<=200")
    parser.add_argument("--front", metavar="FIGURES", help="runs that no other beats in all of these, with commas")
    parser.add_argument("--holdout", type=float, metavar="SHARE", help="choose on the rest, check on this share")
    parser.add_argument("--holm", action="store_true", help="adjust the p against the baseline by Holm's method")
    parser.add_argument(
        "--paired-t", action="store_true", help="p by a cluster-robust paired t test, not by sign flips"
    )
    parser.add_argument(
        "--margin", type=float, help="gate: exit 4 if a run is worse than the baseline by more, 5 if unclear"
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="the gate's verdicts as JUnit XML")
    parser.add_argument("--html", type=Path, metavar="FILE", help="one page with everything, to open from disk")
    parser.add_argument("--save", type=Path, metavar="FILE", help="the table: .md .csv .json .tex .parquet")
    return parser


def _compare(arguments: argparse.Namespace) -> int:
    found = gather(arguments.source)
    comparison = found.comparison
    if arguments.metric:
        if arguments.metric not in comparison.metrics():
            raise ConfigurationError(
                f"no run has the metric {arguments.metric!r}; there is: {', '.join(comparison.metrics())}"
            )
        comparison.study = replace(comparison.study, primary=arguments.metric)
    if arguments.margin is not None or arguments.junit:
        return _gate(comparison, arguments)
    if arguments.stat == "mean" and sys.stdout.isatty():
        say(comparison.header)
        show_table(comparison, first=comparison.study.primary)
        for sentence in comparison.answer:
            say(sentence)
    else:
        say(comparison.to_markdown(arguments.stat, mark_best=True))
    if arguments.baseline:
        _show_differences(_against(comparison, arguments), arguments)
    _show_choices(comparison, arguments)
    _write(found, arguments)
    return 0


def _against(comparison: Comparison, arguments: argparse.Namespace) -> list[PairedDifference]:
    """Every run minus the baseline, over the questions both have."""
    analysis = comparison.analysis()
    first = _place(analysis.matrix.runs, arguments.baseline)
    others = [place for place in range(len(analysis.matrix.runs)) if place != first]
    if not others:
        raise ConfigurationError("there is no other run to compare with the baseline")
    resamples = resamples_for(len(others)) if arguments.holm else 10_000
    found = [
        _turned(each)
        for each in differences_to(analysis.matrix, first, others, resamples=resamples, seed=0, confidence=0.95)
    ]
    p_values = [each.t_p if arguments.paired_t else each.p_value for each in found]
    adjusted = holm(p_values) if arguments.holm else p_values
    return [replace(each, adjusted_p=p) for each, p in zip(found, adjusted, strict=True)]


def _place(runs: Sequence[str], name: str | None) -> int:
    found = [place for place, run in enumerate(runs) if run == name]
    if len(found) == 1:
        return found[0]
    close = [run for run in runs if name and name in run]
    if len(close) == 1:
        return runs.index(close[0])
    what = f"no single run is called {name!r}" if name else "which run is the baseline (--baseline RUN)?"
    raise ConfigurationError(f"{what} There is: {'; '.join(close or runs)}")


def _turned(found: PairedDifference) -> PairedDifference:
    """The same with the runs the other way round."""
    return replace(
        found,
        first=found.second,
        second=found.first,
        mean=-found.mean,
        low=-found.high,
        high=-found.low,
        first_higher=found.first_lower,
        first_lower=found.first_higher,
        effect=None if found.effect is None else -found.effect,
        only_first=found.only_second,
        only_second=found.only_first,
    )


def _show_differences(found: Sequence[PairedDifference], arguments: argparse.Namespace) -> None:
    test = "cluster-robust t" if arguments.paired_t else "sign flips"
    say(f"\n{found[0].metric}, each run minus {found[0].second} ({test}{', Holm' if arguments.holm else ''}):")
    for each in sorted(found, key=lambda each: -each.mean):
        pairs = f", {each.shared} shared questions" if each.only_first or each.only_second else ""
        say(
            f"  {each.mean:+.4f} [{each.low:+.4f}, {each.high:+.4f}] p={each.adjusted_p:.4f} "
            f"won {each.first_higher} tied {each.equal} lost {each.first_lower}{pairs}  {each.first}"
        )


def _show_choices(comparison: Comparison, arguments: argparse.Namespace) -> None:
    if arguments.limit:
        kept = comparison.within(arguments.limit)
        say(f"\nwithin {', '.join(arguments.limit)}: {len(kept)} of {len(comparison.results)} runs")
        if kept and comparison.study.primary:
            best = Comparison(kept, study=comparison.study).best(comparison.study.primary)
            say(f"best of them by {comparison.study.primary}: {best.name}")
    if arguments.front:
        front = comparison.front(arguments.front.split(","), limits=arguments.limit)
        say(f"\nfront over {arguments.front}: {'; '.join(result.name for result in front) or 'no run'}")
    if arguments.holdout:
        _show_holdout(comparison, arguments.holdout)


def _show_holdout(comparison: Comparison, share: float) -> None:
    """Choose on the other questions; say what the choice is worth on those kept back."""
    matrix = comparison.analysis().matrix
    kept = holdout(matrix, share)
    rest = matrix.on(~kept).means
    best = int(rest.argmax() if matrix.higher else rest.argmin())
    held = matrix.on(kept)
    say(
        f"\nhold-out: {matrix.runs[best]} is best on {int((~kept).sum())} questions ({rest[best]:.4f}); "
        f"on the {len(held.questions)} kept back it has {held.means[best]:.4f}"
    )


def _gate(comparison: Comparison, arguments: argparse.Namespace) -> int:
    margin = arguments.margin or 0.0
    if margin < 0:
        raise ConfigurationError(f"--margin is how much worse is still fine, at least 0, not {margin:g}")
    found = _against(comparison, arguments)
    up = higher_wins(comparison.results, found[0].metric, "mean", warn=False)
    checks = [
        Check(each if up else replace(each, mean=-each.mean, low=-each.high, high=-each.low), margin) for each in found
    ]
    for check in checks:
        say(str(check))
    for failure in comparison.failures:
        say(f"undecided: {failure.name}: {failure.reason}")
    if arguments.junit:
        write_atomic(arguments.junit, junit_xml(checks))
    return exit_code(checks) or (5 if comparison.failures else 0)


def _write(found: Gathered, arguments: argparse.Namespace) -> None:
    if arguments.save:
        found.comparison.save(arguments.save)
        say(f"written: {arguments.save}")
    if arguments.html:
        write_page(found, arguments.html)
        say(f"written: {arguments.html}")


def write_page(found: Gathered, path: Path) -> None:
    """Write the one page with everything."""
    texts = document_texts(found.manifests)
    write_atomic(path, html_report(page_content(found.comparison, found.places, texts), title=path.stem))


def report(words: Sequence[str]) -> int:
    """Write the page with everything about some runs."""
    parser = argparse.ArgumentParser(prog="fastrag-bench report", description="One page about runs, to open from disk.")
    parser.add_argument("source", nargs="+", help="a sweep's folder, a run's folder, a result file, or a pattern")
    parser.add_argument("--html", type=Path, default=Path("report.html"), metavar="FILE")
    arguments = parser.parse_args(words)

    def write() -> int:
        write_page(gather(arguments.source), arguments.html)
        say(f"written: {arguments.html}")
        return 0

    return _answered(write)


def diff(words: Sequence[str]) -> int:
    """Say how two runs differ, metric by metric, and on which questions most."""
    parser = argparse.ArgumentParser(prog="fastrag-bench diff", description="How two runs differ: B minus A.")
    parser.add_argument("a", help="a run's folder or result file")
    parser.add_argument("b", help="the other")
    parser.add_argument("--metric", help="for the questions shown (default: the first that differs)")
    parser.add_argument("--questions", type=int, default=10, help="how many of the most different to show")
    arguments = parser.parse_args(words)
    return _answered(lambda: _diff(arguments))


def _diff(arguments: argparse.Namespace) -> int:
    comparison = gather([arguments.a, arguments.b]).comparison
    if len(comparison.results) != 2:
        raise ConfigurationError(f"diff is of two runs, not of {len(comparison.results)}; for more there is `compare`")
    a, b = comparison.results
    say(f"A: {a.name}\nB: {b.name}\n")
    shared = [metric for metric in comparison.metrics() if metric in a.summary and metric in b.summary]
    changed: list[str] = []
    for metric in shared:
        try:
            found = comparison.paired_bootstrap(metric, b, a)
        except ConfigurationError:
            continue
        changed += [metric] if found.mean or found.first_higher else []
        say(
            f"{metric:20} B - A {found.mean:+.4f} [{found.low:+.4f}, {found.high:+.4f}] p={found.p_value:.4f} "
            f"B higher {found.first_higher}, equal {found.equal}, lower {found.first_lower}"
        )
    shown = arguments.metric or next((name for name in changed if name != "latency_ms"), None)
    if shown is not None:
        _show_questions(comparison, shown, arguments.questions)
    return 0


def _show_questions(comparison: Comparison, metric: str, most: int) -> None:
    matrix = comparison.analysis(metric).matrix
    if len(matrix.runs) < 2:
        return
    both = np.asarray(matrix.known.all(axis=0)).tolist()
    gaps = [
        (float(matrix.scores[1, place] - matrix.scores[0, place]), matrix.questions[place][0])
        for place in range(len(matrix.questions))
        if both[place] and matrix.scores[0, place] != matrix.scores[1, place]
    ]
    if gaps:
        say(f"\nwhere {metric} differs most:")
    for gap, question in sorted(gaps, key=lambda pair: -abs(pair[0]))[:most]:
        say(f"  {gap:+.4f}  {question}")
