"""What a run is called and which folder it lives in: both follow from its overrides alone."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from fastrag_bench.error_text import is_secret
from fastrag_bench.sweep.secret_values import hide_text
from fastrag_bench.sweep.sweep_name import RESERVED

DEFAULT = "default"
"""The name of a run in which nothing is overridden."""

SHAPE = ("pairs", "combinations", "exclude", "sample")

WITHOUT_EFFECT = (
    "sweep",
    "resume",
    "dry_run",
    "on_error",
    "timeout_s",
    "store",
    "execution",
    "budget",
    *SHAPE,
    "hydra",
)
"""Settings that leave every result as it is; they and all below them stay out of the name."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Shown as escapes, so that a name stays on its line and moves no cursor."""

SUFFIX = re.compile(r"-[0-9a-f]{8}$")
"""What tells folders apart whose names have the same slug."""

LONGEST_FOLDER = 120
"""Bytes of a folder name, the suffix that makes it unique included."""


def run_name(overrides: Sequence[str]) -> str:
    """The sorted overrides that change the result, joined by commas; of the same key the last one counts."""
    labels = dict(label for label in map(_label, overrides) if label is not None)
    return ",".join(sorted(labels.values())) or DEFAULT


def repeat_names(jobs: Sequence[Sequence[str]]) -> dict[Sequence[str], str]:
    """For each of these jobs that differs from another in nothing but its seed, the name that they share."""
    alike: dict[str, list[Sequence[str]]] = {}
    for job in jobs:
        rest = [text for text in job if text.lstrip("+").partition("=")[0] != "seed"]
        if len(rest) < len(job):
            alike.setdefault(run_name(rest), []).append(job)
    return {job: name for name, repeats in alike.items() if len(repeats) > 1 for job in repeats}


def run_folders(names: Sequence[str], earlier: Sequence[str] = ()) -> list[str]:
    """A folder name for each of these run names, of which no two are equal: safe on every file system.

    `earlier` are names of the same sweep that have their folders already.

    A name is its own folder where it can be. Whatever cannot, was cut, or differs from another only by case gets the
    hash of the name appended.
    """
    folded = Counter(_slug(name).casefold() for name in {*names, *earlier})
    return [run_folder(name, alone=folded[_slug(name).casefold()] == 1) for name in names]


def run_folder(name: str, *, alone: bool = True) -> str:
    """The folder of one name; `alone` is False when the slug of another name of the sweep is equal but for case."""
    slug = _slug(name)
    if slug == name and alone and len(slug) <= LONGEST_FOLDER and not SUFFIX.search(slug):
        return slug
    suffix = "-" + hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return slug[: LONGEST_FOLDER - len(suffix)].rstrip(".-") + suffix


def _slug(name: str) -> str:
    slug = re.sub(r"[^A-Za-z0-9._=,@+-]+", "-", name).strip(".-") or "run"
    return f"run-{slug}" if RESERVED.match(slug) else slug


@lru_cache(maxsize=65536)
def _label(override: str) -> tuple[str, str] | None:
    """The key of an override and what the name says of it; None for what stays out of the name."""
    from fastrag_bench.sweep.compose import parse_override

    parsed = parse_override(override)
    key = parsed.get_key_element().lstrip("+")
    place = key.lstrip("~")
    if any(place == out or place.startswith((f"{out}.", f"{out}/", f"{out}@")) for out in WITHOUT_EFFECT):
        return None
    if is_secret(place):
        return None
    return place, key if parsed.is_delete() else f"{key}={shown(parsed.value())}"


def shown(value: Any) -> str:
    """A value as a name shows it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ",".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return (
            "{"
            + ",".join(f"{key}:{'***' if is_secret(str(key)) else shown(item)}" for key, item in value.items())
            + "}"
        )
    text = CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), hide_text(str(value)))
    return re.split(r"[/\\]", text.rstrip("/\\"))[-1] if re.search(r"[/\\]", text) and "${" not in text else text
