"""Cutoffs of metrics: `@5` is ranks, `@2000chars` a budget of text."""

from __future__ import annotations

from fastrag_bench.errors import ConfigurationError


def checked_cutoff(stem: str, k: int | None, chars: int | None = None) -> tuple[int | None, int | None]:
    """Both, if at most one is given and it is a whole number of at least 1.

    Raises:
        ConfigurationError: otherwise.
    """
    for what, value in (("k", k), ("chars", chars)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise ConfigurationError(f"{stem}: {what} is a whole number of at least 1 or None, not {value!r}")
    if k is not None and chars is not None:
        raise ConfigurationError(f"{stem}: cut at k={k} passages or at chars={chars} characters, not at both")
    return k, chars


def name_with_cutoff(stem: str, k: int | None, chars: int | None = None) -> str:
    """As `recall`, `recall@5`, `recall@2000chars`."""
    if chars is not None:
        return f"{stem}@{chars}chars"
    return stem if k is None else f"{stem}@{k}"
