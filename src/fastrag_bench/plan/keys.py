"""Keys: a digest of canonical JSON. Two things have one key exactly when their canonical JSON is the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

Json = Any


def canonical(value: Json) -> bytes:
    """JSON with sorted keys, no blanks and no NaN; ASCII, so that every string has bytes.

    Raises:
        ValueError: for NaN and infinities, which have no JSON.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def digest(value: Json) -> str:
    """blake2b-128 of the canonical JSON, 32 hex digits."""
    return hashlib.blake2b(canonical(value), digest_size=16).hexdigest()


def digest_bytes(content: bytes) -> str:
    """blake2b-128 of bytes, 32 hex digits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def short_digest(content: bytes) -> str:
    """blake2b-64 of bytes, 16 hex digits: enough to notice damage, not to name things."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()
