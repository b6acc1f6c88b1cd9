"""Cutoffs of metrics: `@5` is ranks, `@2000chars` a budget of text."""

from __future__ import annotations

from fastrag_bench.errors import ConfigurationError


def checked_cutoff(
    stem: str, k: int | None, chars: int | None = None, tokens: int | None = None
) -> tuple[int | None, int | None, int | None]:
    """The cutoffs, of which at most one is given, as a whole number of at least 1.

    Raises:
        ConfigurationError: otherwise.
    """
    given = [(what, value) for what, value in (("k", k), ("chars", chars), ("tokens", tokens)) if value is not None]
    for what, value in given:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ConfigurationError(f"{stem}: {what} is a whole number of at least 1 or None, not {value!r}")
    if len(given) > 1:
        what = " or at ".join(f"{what}={value} {_UNITS[what]}" for what, value in given)
        raise ConfigurationError(f"{stem}: cut at {what}, not at both")
    return k, chars, tokens


_UNITS = {"k": "passages", "chars": "characters", "tokens": "tokens"}


def name_with_cutoff(stem: str, k: int | None, chars: int | None = None, tokens: int | None = None) -> str:
    """As `recall`, `recall@5`, `recall@2000chars`, `recall@500tokens`."""
    if chars is not None:
        return f"{stem}@{chars}chars"
    if tokens is not None:
        return f"{stem}@{tokens}tokens"
    return stem if k is None else f"{stem}@{k}"
