"""What does it cost to run a finished sweep again? 1,000 trivial combinations, first and second time.

    python benchmarks/rerun.py [COMBINATIONS]

Each combination asks a trivial engine twenty questions. CPU seconds of the whole command, user and system, children
included; the second run has to compute no stage and to leave every result file as it is.
"""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ENGINE = """
class Engine:
    def __init__(self, k=1):
        self.number = k

    def query(self, question):
        return {"answer": str(self.number), "sources": [{"text": "x", "id": "tcp.md"}]}
"""


def run(folder: Path, combinations: int) -> tuple[float, str]:
    """CPU seconds and output of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["target=engine", "target.path=trivial:Engine"]
    words += [f"k=range(1,{combinations + 1})", f"candidates={combinations}"]
    words += ["dataset.limit=20", "metrics.names=[latency_ms,contains]", "sweep=s"]
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "fastrag_bench", "-m", *words]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def digest(folder: Path) -> str:
    """One digest of all result files."""
    state = hashlib.sha256()
    for path in sorted(folder.rglob("result.json")):
        state.update(path.read_bytes())
    return state.hexdigest()


def main() -> None:
    combinations = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "trivial.py").write_text(ENGINE, encoding="utf-8")
        first, _ = run(folder, combinations)
        results = digest(folder)
        again, told = run(folder, combinations)
        assert digest(folder) == results, "a result file was written again"
        assert f"{combinations} distinct, {combinations} stored" in told
    print(f"first {1000 * first / combinations:.1f} ms a combination, again {1000 * again / combinations:.1f}")
    print(f"again / first: {again / first:.2f}")


if __name__ == "__main__":
    main()
