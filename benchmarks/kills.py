"""Kill sweeps two hundred times at seeded random moments; each must end as if it had never been killed.

    python benchmarks/kills.py [KILLS]

SIGKILL, SIGINT and SIGTERM to the whole process group, half of the kills with one process and half with two workers.
Prints a line after each comparison; ends with an error at the first difference.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.integration.command import make_world
from tests.integration.kills import rounds


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    compared = 0
    for mode, workers, seed in (("serial", 1, 11), ("processes", 2, 12)):
        with tempfile.TemporaryDirectory() as folder:
            world = make_world(Path(folder))
            compared += rounds(world, kills=kills // 2, mode=mode, workers=workers, seed=seed, say=print)
    print(f"{kills // 2 * 2} kills, {compared} finished sweeps compared, all equal to an uninterrupted one")


if __name__ == "__main__":
    main()
