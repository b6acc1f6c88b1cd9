"""Every figure that trec_eval prints for its own test files and that this project has, topic by topic.

    python benchmarks/reproduce/trec_eval.py FOLDER

FOLDER is trec_eval's folder of tests: qrels, results and outputs.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from runner import arguments, command

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MEASURES = {
    **{f"recall_{k}": f"recall@{k}" for k in CUTS},
    **{f"P_{k}": f"precision@{k}" for k in CUTS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in CUTS},
    **{f"map_cut_{k}": f"map@{k}" for k in CUTS},
    **{f"success_{k}": f"success@{k}" for k in (1, 5, 10)},
    "map": "map",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    "Rprec": "r_precision",
}
PRINTED = 0.00005
"""Half of the last digit that both print."""


def main() -> int:
    given = arguments(str(__doc__))
    folder: Path = given.data.resolve()
    metrics = list(dict.fromkeys(MEASURES.values()))
    files = (str(folder / "qrels.test.gz"), str(folder / "results.test.gz"))
    text = command(given.work, "data", "evaluate", *files, "--per-topic", "--metrics", ",".join(metrics))
    ours = {
        (line.split()[1], name): float(value)
        for line in text.splitlines()[1:]
        for name, value in zip(metrics, line.split()[2:], strict=True)
    }
    differences = []
    for line in _text(folder / "out.test.aq").splitlines():
        measure, topic, value = line.split()
        if measure in MEASURES:
            differences.append((abs(ours[topic, MEASURES[measure]] - float(value)), measure, topic, value))
    wrong = [each for each in differences if each[0] > 2 * PRINTED]
    print(f"{len(differences)} figures of {len({topic for _, _, topic, _ in differences})} rows (topics and `all`)")
    print(f"largest difference {max(differences)[0]:.5f}, {len(wrong)} beyond the printed digits")
    for difference, measure, topic, value in wrong:
        print(f"  {measure} {topic}: trec_eval {value}, ours differs by {difference:.5f}")
    return 1 if wrong else 0


def _text(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
