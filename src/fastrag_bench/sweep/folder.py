"""A folder of one's own for each sweep and each run that has no name."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from omegaconf import DictConfig, open_dict


def claim_folder(config: DictConfig, mode: str) -> None:
    """Make the folder of an unnamed sweep or run; where it is there already, take `-2`, `-3`, ... behind its name.

    Two commands that start in the same second get one each: only one of them can make a folder. A folder that was
    named, by `sweep=` or as `hydra.<mode>.dir`, is left as it is.

    Args:
        config: what Hydra composed for the command; its `hydra.<mode>.dir` becomes the folder claimed.
        mode: `sweep` or `run`.
    """
    given = any(str(text).startswith(f"hydra.{mode}.dir=") for text in config.hydra.overrides.hydra)
    if given or config.get("dry_run") or (mode == "sweep" and config.get("sweep") is not None):
        return
    wanted = Path(config.hydra[mode].dir)
    wanted.parent.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        try:
            os.mkdir(folder)
        except FileExistsError:
            continue
        with open_dict(config):
            config.hydra[mode].dir = str(folder)
            if number > 1:
                config.hydra.overrides.hydra.append(f"hydra.{mode}.dir='{folder}'")
        return
