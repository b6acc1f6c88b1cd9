"""The text of `--help`, made from the configuration files and their comments without importing Hydra."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

USAGE = """\
fastrag_bench: which settings of a RAG pipeline are best here, by how much, and what do they cost.

Usage: python -m fastrag_bench [-m] [GROUP=OPTION ...] [SETTING=VALUE ...]

Examples:
  python -m fastrag_bench                                         one run with the defaults: offline, in seconds
  python -m fastrag_bench -m chunker=recursive,semantic k=5,10    a sweep: four runs and their comparison
  python -m fastrag_bench -m retriever=bm25,hybrid sweep=mine dataset=files dataset.path=docs dataset.questions=q.jsonl
                                                                  your own data; the sweep lies in outputs/sweeps/mine
  python -m fastrag_bench -m chunker.size=400,800 chunker.overlap=50,100 'pairs=[chunker.size,chunker.overlap]'
                                                                  two runs: size and overlap change together
  python -m fastrag_bench -m chunker=recursive,semantic k=5,10 'exclude=[{chunker: semantic, k: 10}]'
                                                                  three runs; sample=2 would draw two of them
  python -m fastrag_bench -m combinations=mine.csv seed='range(0,5)'
                                                                  each line of a file (its first: chunker,k), five times
  python -m fastrag_bench -m experiment=quick,chunking            the sweeps of two files of conf/experiment
"""

FLAGS = """\
Flags:
  -m, --multirun       run every combination of values separated by commas
  --config-dir DIR     a folder of your own configuration, with the same groups
  --cfg job            print the composed configuration and stop; --info defaults-tree shows where it comes from
  --hydra-help         what Hydra itself can do
  --version
Other commands: compare DIR ... (each has its own --help)
"""


def help_text(conf: Path, *, own_dir: Path | None = None) -> str:
    """Groups with their options, settings with their defaults, examples and flags.

    Args:
        conf: the folder with `config.yaml`.
        own_dir: a user's folder, whose options are listed too.
    """
    lines = (conf / "config.yaml").read_text(encoding="utf-8").splitlines()
    groups = [_group(name, default, about, conf, own_dir) for name, default, about in _defaults(lines)]
    settings = [f"  {name + '=' + default:<36}{about}" for name, default, about in _settings(lines)]
    title = "Settings, with their defaults; each part has its own, such as chunker.size=256 (--cfg job shows all):"
    return "\n".join([USAGE, "Groups (GROUP=OPTION, * is the default):", *groups, "", title, *settings, "", FLAGS])


def _defaults(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    for line in lines:
        if found := re.match(r"  - (?!override )([\w@.]+): (.+?)\s+# (.*)", line):
            yield found[1], found[2], found[3]


def _settings(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    section = ""
    for line in lines:
        if found := re.match(r"(\w+):\s*$", line):
            section = found[1]
        elif found := re.match(r"(  )?(\w+): (.+?)\s+# (.*)", line):
            yield f"{section}.{found[2]}" if found[1] else found[2], found[3], found[4]


def _group(name: str, default: str, about: str, conf: Path, own_dir: Path | None) -> str:
    folder = name.partition("@")[0]
    chosen = re.findall(r"\w+", default)
    names = {file.stem for root in (conf, own_dir) if root for file in (root / folder).glob("*.yaml")}
    options = ", ".join(f"{option}*" if option in chosen else option for option in sorted(names))
    return (
        textwrap.fill(f"  {name:<21}{about}", 118)
        + "\n"
        + textwrap.fill(options, 118, initial_indent=" " * 23, subsequent_indent=" " * 23)
    )
