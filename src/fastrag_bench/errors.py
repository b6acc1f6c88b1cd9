"""Every error this package raises on purpose.

    FastragError
    +-- ConfigurationError (also ValueError)      the user's to fix; raised before any work
    |   +-- SchemaError                           a row or file has the wrong shape
    |   +-- DatasetNotFoundError (also FileNotFoundError)
    |   +-- NoQuestionError                       a dataset has nothing to ask
    |   +-- MissingExtraError (also ImportError)  names the install command
    +-- StoreError                                an artefact cannot be read or written
    +-- StageError                                a stage failed; carries the reason shown in the comparison
    +-- ModelError                                a model behind a server gave no usable reply
        +-- BudgetReachedError                    not asked: the budget of calls, tokens or dollars is used up
        +-- UnusableReplyError                    it replied, but not what was asked for

A message says what is wrong, where (override, or file and line), and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class FastragError(Exception):
    """Root of the tree."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a configuration: the dotted path of the setting, and what to do about it."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class ConfigurationError(FastragError, ValueError):
    """Something the user asked for cannot be done as asked."""

    exit_code = 2
    """What the command line ends with."""

    def __init__(self, message: str = "", *, problems: Sequence[Problem] = ()) -> None:
        self.problems = tuple(problems) or (Problem("", message),)
        super().__init__(message or "\n".join(str(problem) for problem in self.problems))


class SchemaError(ConfigurationError):
    """A record does not have the shape its reader promises to read."""


class DatasetNotFoundError(ConfigurationError, FileNotFoundError):
    """A dataset file or folder is not there."""


class NoQuestionError(ConfigurationError):
    """A dataset has no question, so there is nothing to measure."""

    exit_code = 3


class MissingExtraError(ConfigurationError, ImportError):
    """An optional dependency is needed and absent."""

    def __init__(self, what: str, *, extra: str) -> None:
        super().__init__(f'{what} needs an optional dependency: pip install "fastrag_bench[{extra}]"')


class StoreError(FastragError):
    """An artefact cannot be read or written; the message names its folder."""


class StageError(FastragError):
    """A stage failed, so nothing that depends on it has a value."""


class ModelError(FastragError):
    """A model behind a server gave no usable reply; the message has no key in it."""


class BudgetReachedError(ModelError):
    """A call was not made, for a budget is used up; what is done so far stands."""


class UnusableReplyError(ModelError):
    """A model replied, but refused, or not in the form that was asked for even after a second request."""
