"""What a run is called and which folder it lives in: both follow from its overrides alone."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

DEFAULT = "default"
"""The name of a run in which nothing is overridden."""

WITHOUT_EFFECT = ("sweep", "resume", "dry_run", "on_error", "timeout_s", "store", "execution", "budget", "hydra")
"""Settings that leave every result as it is; they and all below them stay out of the name."""

SECRET = re.compile(r"(^|[._])(api_key|token|password|secret)$")

LONGEST_FOLDER = 120
"""Bytes of a folder name, the suffix that makes it unique included."""


def run_name(overrides: Sequence[str]) -> str:
    """The sorted overrides that change the result, joined by commas; of the same key the last one counts."""
    labels = dict(label for label in map(_label, overrides) if label is not None)
    return ",".join(sorted(labels.values())) or DEFAULT


def run_folders(names: Sequence[str]) -> list[str]:
    """A folder name for each of these run names, of which no two are equal: safe on every file system.

    A name is its own folder where it can be. Whatever cannot, was cut, or differs from another only by case gets the
    hash of the name appended.
    """
    folded = Counter(_slug(name).casefold() for name in names)
    return [run_folder(name, alone=folded[_slug(name).casefold()] == 1) for name in names]


def run_folder(name: str, *, alone: bool = True) -> str:
    """The folder of one name; `alone` is False when the slug of another name of the sweep is equal but for case."""
    slug = _slug(name)
    if slug == name and alone and len(slug) <= LONGEST_FOLDER:
        return slug
    suffix = "-" + hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return slug[: LONGEST_FOLDER - len(suffix)].rstrip(".-") + suffix


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._=,@+-]+", "-", name).strip(".-") or "run"


@lru_cache(maxsize=65536)
def _label(override: str) -> tuple[str, str] | None:
    """The key of an override and what the name says of it; None for what stays out of the name."""
    from hydra.core.override_parser.overrides_parser import OverridesParser

    parsed = OverridesParser.create().parse_override(override)
    key = parsed.get_key_element().lstrip("+")
    place = key.lstrip("~")
    if any(place == out or place.startswith((f"{out}.", f"{out}/", f"{out}@")) for out in WITHOUT_EFFECT):
        return None
    if SECRET.search(place):
        return None
    return place, key if parsed.is_delete() else f"{key}={_shown(parsed.value())}"


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ",".join(map(_shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_shown(item)}" for key, item in value.items()) + "}"
    text = str(value)
    return re.split(r"[/\\]", text.rstrip("/\\"))[-1] if re.search(r"[/\\]", text) and "${" not in text else text
