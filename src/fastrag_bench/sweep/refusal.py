"""How a command ends before any work, and how it ends when it is interrupted."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from fastrag_bench.error_text import is_secret, mask_secrets
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.secret_values import hide_overrides

EXIT_REFUSED = 2
EXIT_NOTHING = 3
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


SHOW_TRACEBACK = os.environ.get("HYDRA_FULL_ERROR") == "1"
"""As the user set it: the command line sets it for Hydra later on."""


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM; handled as Ctrl-C is."""


def exit_code_of(stop: KeyboardInterrupt) -> int:
    """130 after Ctrl-C, 143 after SIGTERM."""
    return EXIT_TERMINATED if isinstance(stop, Terminated) else EXIT_INTERRUPTED


def refuse(error: BaseException) -> NoReturn:
    """Say what is wrong and exit with the error's code, mostly 2; HYDRA_FULL_ERROR=1 shows where it was raised."""
    if SHOW_TRACEBACK:
        traceback.print_exception(error)
    sys.stderr.write(f"{report(error)}\n")
    raise SystemExit(getattr(error, "exit_code", EXIT_REFUSED))


@contextmanager
def refusing() -> Iterator[None]:
    """Turn a ConfigurationError into a message and its exit code."""
    try:
        yield
    except ConfigurationError as error:
        refuse(error)


def report(error: BaseException) -> str:
    """All problems of an error, one a line."""
    if not isinstance(error, ConfigurationError):
        return mask_secrets(str(error).strip())
    lines = [_told(problem) for problem in error.problems]
    if len(lines) == 1:
        return f"Nothing was run. {lines[0]}"
    return "\n".join([f"Nothing was run. {len(lines)} problems:", *(f"  {line}" for line in lines)])


def _told(problem: Problem) -> str:
    """A problem as one line, without secrets: what was got as the value of one is not repeated."""
    place = hide_overrides(problem.path)
    message = problem.message
    if is_secret(problem.path.partition("=")[0]) or place != problem.path:
        message = re.sub(r"\(got .*\)$", "(got ***)", message, flags=re.DOTALL)
    return str(Problem(place, mask_secrets(message)))
