"""`fastrag-bench data`: look at data, convert it, evaluate run files, and hand results to other tools."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastrag_bench.errors import ConfigurationError

WIDTH = 12


def data(words: Sequence[str]) -> int:
    """Run one of the commands; returns the exit code: 0 good, 1 something found, 2 cannot be done as asked."""
    given = _parser().parse_args(words)
    try:
        code: int = given.run(given)
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return code


def _parser() -> argparse.ArgumentParser:
    from fastrag_bench.datasets.exporting import FORMATS
    from fastrag_bench.datasets.opening import SOURCES
    from fastrag_bench.datasets.trec_runs import METRICS
    from fastrag_bench.datasets.writing import LAYOUTS

    parser = argparse.ArgumentParser(prog="fastrag-bench data", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="what is in a data set, how its ids join, and what looks wrong")
    convert = commands.add_parser("convert", help="write a data set in another layout")
    for command in (check, convert):
        command.add_argument("path", type=Path, help="a file or folder of any layout")
        command.add_argument("--from", dest="dialect", choices=SOURCES, help="its layout, where it cannot be told")
        command.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of it, such as split=dev"
        )
    check.set_defaults(run=_check)
    convert.add_argument("out", type=Path, help="a new folder")
    convert.add_argument("--to", required=True, choices=LAYOUTS, help="the layout to write")
    convert.set_defaults(run=_convert)

    evaluate = commands.add_parser("evaluate", help="figures of run files made elsewhere, as trec_eval has them")
    evaluate.add_argument("qrels", type=Path, help="judgements: topic, anything, document, grade")
    evaluate.add_argument("runs", type=Path, nargs="+", help="run files: topic, Q0, document, rank, score, tag")
    evaluate.add_argument("--metrics", default=",".join(METRICS), help="with commas between them (%(default)s)")
    evaluate.add_argument("--per-topic", action="store_true", help="a line for each topic too")
    evaluate.set_defaults(run=_evaluate)

    export = commands.add_parser("export", help="the questions of finished runs in the files of other tools")
    export.add_argument("folder", type=Path, help="of a sweep or a run")
    export.add_argument("--format", required=True, choices=FORMATS, help="of the files")
    export.add_argument("--out", type=Path, help="where they go (FOLDER/export)")
    export.add_argument("--unit", choices=("document", "chunk"), default="document", help="what TREC runs rank")
    export.set_defaults(run=_export)
    return parser


def _source(given: argparse.Namespace) -> Any:
    from fastrag_bench.datasets.opening import open_source

    settings = dict(word.partition("=")[::2] for word in given.set)
    return open_source(given.path, given.dialect, settings)


def _check(given: argparse.Namespace) -> int:
    from fastrag_bench.datasets.checking import check

    source = _source(given)
    collection = source.collection() if hasattr(source, "collection") else None
    found = check(source.load() if collection is None else collection.data(source.limit), collection)
    sys.stdout.write(f"{given.path}: {type(source).__name__}\n{found}\n")
    return 1 if found.findings else 0


def _convert(given: argparse.Namespace) -> int:
    from fastrag_bench.datasets.writing import write_data

    loaded = _source(given).load()
    written = write_data(loaded, given.out, given.to)
    documents = 0 if loaded.corpus is None else len(loaded.corpus)
    sys.stdout.write(f"{len(loaded.questions)} questions, {documents} documents\n")
    for note in (*loaded.notes, *written.notes):
        sys.stdout.write(f"! {note}\n")
    sys.stdout.write(f"read it with: {written.settings}\n")
    return 0


def _evaluate(given: argparse.Namespace) -> int:
    from fastrag_bench.datasets.trec_runs import results_of_runs

    metrics = given.metrics.split(",")
    sys.stdout.write(f"{'run':24} {'topic':10} {' '.join(f'{name:>{WIDTH}}' for name in metrics)}\n")
    for result in results_of_runs(given.qrels, given.runs, metrics=metrics):
        for sample in result.samples if given.per_topic else ():
            _line(result.name, sample.question, [sample.scores[name] for name in metrics])
        _line(result.name, "all", [result.summary[name].mean for name in metrics])
    return 0


def _line(run: str, topic: str, values: Sequence[float | None]) -> None:
    cells = ("—" if value is None else f"{value:.4f}" for value in values)
    sys.stdout.write(f"{run:24} {topic:10} {' '.join(f'{cell:>{WIDTH}}' for cell in cells)}\n")


def _export(given: argparse.Namespace) -> int:
    from fastrag_bench.datasets.exporting import export

    for path in export(given.folder, given.out or given.folder / "export", given.format, unit=given.unit):
        sys.stdout.write(f"{path}\n")
    return 0
