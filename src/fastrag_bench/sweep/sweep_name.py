"""What a sweep may be called: its name becomes a path below `outputs/sweeps`."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")
"""Names that Windows keeps for devices, whatever follows the dot."""

UNSAFE = re.compile(r"[\x00-\x1f\x7f<>:\"|?*\\]")
LONGEST_PART = 120
LONGEST = 400


def checked_sweep_name(name: Any) -> str:
    """The name of a sweep as text, letters with marks composed (NFC) so that what looks alike is alike.

    Raises:
        ValueError: it could leave `outputs/sweeps`, or some file system cannot hold it.
    """
    text = unicodedata.normalize("NFC", str(name))
    parts = text.split("/")
    if any(part in ("", ".", "..") for part in parts) or text.startswith("~"):
        raise ValueError("a sweep's name is a path below outputs/sweeps, without '..'")
    if UNSAFE.search(text) or any(part != part.strip() or part.endswith(".") for part in parts):
        raise ValueError("a sweep's name has no line breaks, none of <>:\"|?*\\, and no space or dot at the end")
    if any(map(RESERVED.match, parts)):
        raise ValueError("a sweep's name is none that Windows keeps for devices, such as CON or NUL")
    if len(text.encode("utf-8", "replace")) > LONGEST or any(
        len(part.encode("utf-8", "replace")) > LONGEST_PART for part in parts
    ):
        raise ValueError(f"a sweep's name has at most {LONGEST_PART} bytes between slashes, {LONGEST} in all")
    return text
