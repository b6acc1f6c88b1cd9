"""What may be written down of an error: its kind and message, short, without secrets and without a traceback."""

from __future__ import annotations

import re
import traceback

MAX_LENGTH = 2000

_SECRETS = re.compile(
    r"""
    \b(?:sk|pk|rk)-[\w-]{8,}                              # keys of model providers
    | \b(?:gh[pousr]_|github_pat_|hf_|glpat-|xox[abprs]-|gsk_|AIza|AKIA|ASIA)[\w-]{8,}
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)                     # user:password in an address
    | \beyJ[\w-]{8,}\.[\w-]+\.[\w-]*                      # JSON web tokens
    """,
    re.VERBOSE,
)
_NAMED = re.compile(
    r"""(?ix)
    ( \b(?:[\w-]*(?:api[_-]?key|secret|passw(?:or)?d|token)|authorization|x-api-key)["']? \s*[:=]\s* ["']?
      (?:(?:bearer|basic)\s+)? | \bbearer\s+ )
    [^\s"',;&)}\]]{4,}
    """
)


def error_text(error: BaseException) -> str:
    """`Type: message`, at most 2,000 characters; what looks like a key, a token or a password is masked."""
    kind = type(error)
    text = "".join(traceback.format_exception_only(error)).strip()
    text = mask_secrets(text.removeprefix(f"{kind.__module__}."))
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def mask_secrets(text: str) -> str:
    """The text with `***` for what looks like a secret."""
    return _NAMED.sub(r"\1***", _SECRETS.sub("***", text))
