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

_SECRET_NAME = re.compile(
    r"(?i)(^|[._-])(x-)?(api[_-]?key|(secret|access|private)[_-]?key|token|passw(or)?d|passphrase|secrets?|credentials?"
    r"|authorization)$"
)
"""Of a setting's dotted key. `max_tokens` and `tokenizer` are none."""
_SOME_TOKEN = re.compile(r"(?i)(?<!access)(?<!auth)(?<!api)(?<!bearer)(?<!refresh)(?<!session)[_-]token$")
"""May be a credential, and may be a mark in a text such as `eos_token`."""


def error_text(error: BaseException) -> str:
    """`Type: message`, at most 2,000 characters; what looks like a key, a token or a password is masked."""
    kind = type(error)
    text = "".join(traceback.format_exception_only(error)).strip()
    text = mask_secrets(text.removeprefix(f"{kind.__module__}."))
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def mask_secrets(text: str) -> str:
    """The text with `***` for what looks like a secret."""
    return _NAMED.sub(r"\1***", _SECRETS.sub("***", text))


def is_credential(key: str) -> bool:
    """Whether a setting with this name can only be a secret, so that no result depends on it; `hf_token` may be one."""
    return is_secret(key) and _SOME_TOKEN.search(key) is None


def is_secret(key: str) -> bool:
    """Whether a setting with this name holds a secret."""
    return _SECRET_NAME.search(key) is not None
