"""A small world in a folder, and real commands run in it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SRC = Path(__file__).resolve().parents[2] / "src"
DOCUMENTS = {
    "tides.md": "# Tides\n\nSpring tides come at new moon and full moon. Neap tides come at the quarters.\n",
    "bread.md": "# Bread\n\nA sourdough rises for twelve hours. A yeasted dough rises for two hours.\n",
    "chess.md": "# Chess\n\nA knight is worth three pawns. A rook is worth five pawns.\n",
}
QUESTIONS = [
    ("When do spring tides come?", "tides.md", "Spring tides come at new moon and full moon."),
    ("How long does a sourdough rise?", "bread.md", "A sourdough rises for twelve hours."),
    ("What is a knight worth?", "chess.md", "A knight is worth three pawns."),
    ("What is a rook worth?", "chess.md", "A rook is worth five pawns."),
]
PARTS = '''
import os
import time
from fastrag_bench.component import Component
from fastrag_bench.contracts import Absent, Answer
from fastrag_bench.types import Chunk


class Broken(Component):
    def chunk(self, document):
        raise RuntimeError("this chunker is broken")


class Deadly(Component):
    def chunk(self, document):
        os._exit(9)


class Picky(Component):
    """Fails on questions with a word; notes each call in a file."""
    word: str = "rook"

    def generate(self, query, passages):
        with open("calls.txt", "a") as file:
            file.write(query + "\\n")
        if self.word and self.word in query:
            raise ValueError("no rooks, api_key=sk-0123456789abcdef")
        return Answer(passages[0].text if passages else "")


class Slow(Component):
    """Takes its time."""
    seconds: float = 0.3

    def generate(self, query, passages):
        with open("calls.txt", "a") as file:
            file.write(query + "\\n")
        time.sleep(self.seconds)
        return Answer("slow")
'''
YAMLS = {
    "chunker/broken.yaml": "_target_: parts.Broken\n",
    "chunker/deadly.yaml": "_target_: parts.Deadly\n",
    "generator/picky.yaml": "_target_: parts.Picky\nword: rook\n",
    "generator/slow.yaml": "_target_: parts.Slow\nseconds: 0.3\n",
}


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class World:
    """A folder with documents, questions and parts of one's own; commands run in it."""

    folder: Path

    def run(self, *words: str, timeout: float = 120, before: str = "") -> Done:
        process = self.start(*words, before=before)
        out, err = process.communicate(timeout=timeout)
        return Done(process.returncode, out, err)

    def start(self, *words: str, before: str = "") -> subprocess.Popen[str]:
        """`python -m fastrag_bench` over this world's data, or a subcommand, in a process group of its own."""
        given = {word.split("=")[0] for word in words}
        data = [word for word in DATA if word.split("=")[0] not in given and "dataset" not in given]
        plain = bool(words) and words[0].isalpha()
        command = [sys.executable, "-m", "fastrag_bench", *(words if plain else ["--config-dir", "own", *words, *data])]
        shell = ["bash", "-c", f'{before}; exec "$@"', "bash"] if before else []
        return subprocess.Popen(
            [*shell, *command],
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def stop(self, process: subprocess.Popen[str], how: signal.Signals, *, after_calls: int) -> Done:
        """Send a signal to the whole group once the slow part has been asked so often."""
        deadline = time.monotonic() + 60
        while len(self.calls()) < after_calls and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        os.killpg(process.pid, how)
        out, err = process.communicate(timeout=30)
        return Done(process.returncode, out, err)

    def calls(self) -> list[str]:
        path = self.folder / "calls.txt"
        return path.read_text().splitlines() if path.is_file() else []

    def sweep(self, name: str = "s") -> Path:
        return self.folder / "outputs" / "sweeps" / name

    def read(self, *parts: str) -> Any:
        return json.loads(self.sweep().joinpath(*parts).read_text(encoding="utf-8"))

    def runs(self) -> dict[str, Path]:
        """The folder of each run of the sweep, by its name without the settings that all commands here share."""
        folders = {run["name"]: self.sweep() / run["folder"] for run in self.read("plan.json")["runs"]}
        return {",".join(part for part in name.split(",") if part not in DATA): folders[name] for name in folders}

    def manifest(self, run: str) -> Any:
        return json.loads((self.runs()[run] / "manifest.json").read_text(encoding="utf-8"))

    def result(self, run: str) -> Any:
        return json.loads((self.runs()[run] / "result.json").read_text(encoding="utf-8"))


DATA = ("dataset=files", "dataset.path=docs", "dataset.questions=questions.jsonl")


def environment() -> dict[str, str]:
    """This process's, with the source of the package ahead of any other."""
    known = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    path = os.pathsep.join([str(SRC), *(part for part in known if part != str(SRC))])
    return {**os.environ, "PYTHONPATH": path, "COLUMNS": "200"}


def make_world(folder: Path) -> World:
    """Write documents, questions with spans as gold, and parts."""
    for name, text in DOCUMENTS.items():
        _write(folder / "docs" / name, text)
    lines = []
    for question, document, quote in QUESTIONS:
        start = DOCUMENTS[document].index(quote)
        gold = f"{document}#char={start},{start + len(quote)}"
        lines.append(json.dumps({"question": question, "expected_answers": [quote], "relevant_ids": [gold]}))
    _write(folder / "questions.jsonl", "\n".join(lines) + "\n")
    _write(folder / "parts.py", PARTS)
    for name, text in YAMLS.items():
        _write(folder / "own" / name, text)
    return World(folder)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
