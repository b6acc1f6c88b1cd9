"""The command line: `python -m fastrag_bench`, also installed as `fastrag-bench`.

A first word that names a subcommand, `--help` and `--version` are answered here; everything else is Hydra's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from fastrag_bench.sweep.help import help_text

MODE_FLAGS = ("-m", "--multirun", "-r", "--run")


def main() -> None:
    """Run the command in `sys.argv` and exit with its code; the README has the table of codes."""
    words = sys.argv[1:]
    if words and words[0] in SUBCOMMANDS:
        raise SystemExit(SUBCOMMANDS[words[0]](words[1:]))
    if words and words[0].isidentifier():
        sys.stderr.write(f"no such command: {words[0]} (there is: {', '.join(SUBCOMMANDS)}); a setting is NAME=VALUE\n")
        raise SystemExit(2)
    if "--version" in words:
        sys.stdout.write(f"fastrag_bench {_version()}\n")
    elif "-h" in words or "--help" in words:
        sys.stdout.write(help_text(conf_dir(), own_dir=_config_dir(words)))
    else:
        from fastrag_bench.sweep.application import run_application

        sys.path.append(str(Path.cwd()))  # a user's own parts; `python -m` has it, an installed command has not
        raise SystemExit(run_application(mode_first(words), conf_dir()))


def conf_dir() -> Path:
    """The shipped configuration: beside this module once installed, at the top of the repository before."""
    here = Path(__file__).resolve().parent
    return next(folder for folder in (here / "conf", here.parents[1] / "conf") if (folder / "config.yaml").is_file())


def mode_first(words: Sequence[str]) -> list[str]:
    """The same words, those that choose the mode first: Hydra 1.3 refuses them between overrides."""
    return [*(word for word in words if word in MODE_FLAGS), *(word for word in words if word not in MODE_FLAGS)]


def _reporting(name: str) -> Callable[[Sequence[str]], int]:
    """A subcommand of `report.commands`, imported when it is called."""

    def command(words: Sequence[str]) -> int:
        from importlib import import_module

        run: Callable[[Sequence[str]], int] = getattr(import_module("fastrag_bench.report.commands"), name)
        return run(words)

    return command


def status(words: Sequence[str]) -> int:
    """How far a sweep is."""
    from fastrag_bench.sweep.housekeeping import status as run

    return run(words)


def store(words: Sequence[str]) -> int:
    """List, check or clean the store."""
    from fastrag_bench.sweep.housekeeping import store as run

    return run(words)


def data(words: Sequence[str]) -> int:
    """Check, convert, evaluate and export data."""
    from fastrag_bench.data_commands import data as run

    return run(words)


SUBCOMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    **{name: _reporting(name) for name in ("compare", "diff", "report")},
    "status": status,
    "store": store,
    "data": data,
}


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("fastrag_bench")
    except PackageNotFoundError:
        return "(not installed)"


def _config_dir(words: Sequence[str]) -> Path | None:
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in ("--config-dir", "-cd"):
            return Path(following)
        if word.startswith("--config-dir="):
            return Path(word.partition("=")[2])
    return None
