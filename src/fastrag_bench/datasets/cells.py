"""One cell of a record as a list of answers or of ids, in every common notation."""

from __future__ import annotations

import ast
import io
import json
import math
import tokenize
import warnings
from collections.abc import Mapping
from typing import Any

from fastrag_bench.datasets.list_text import NotAList, parse_printed
from fastrag_bench.errors import SchemaError


def as_answers(value: Any, where: str) -> list[str]:
    """Text, a list, a number, or SQuAD's `{"text": [...]}`; missing values are no answer."""
    value = native(value)
    if is_missing(value):
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, (bool, int, float)):
        return [json.dumps(value)] if isinstance(value, bool) else [str(value)]
    if isinstance(value, Mapping) and "text" in value:
        return as_answers(value["text"], where)
    if isinstance(value, (list, tuple)):
        return [answer for item in value for answer in as_answers(item, where)]
    raise SchemaError(f"{where}: expected answers are text or a list of texts, not {_short(value)}")


def as_ids(value: Any, where: str) -> list[str]:
    """Text, a number, a list of them, or `{id: grade}` where a grade above 0 counts; each id once, in order."""
    return list(dict.fromkeys(_ids(native(value), where)))


def _ids(value: Any, where: str) -> list[str]:
    if is_missing(value):
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, int) and not isinstance(value, bool):
        return [str(value)]
    if isinstance(value, float):
        return [str(int(value)) if value.is_integer() else str(value)]
    if isinstance(value, Mapping):
        return [identifier for identifier, grade in grades_of(value, where).items() if grade > 0]
    if isinstance(value, (list, tuple)):
        return [identifier for item in value for identifier in _ids(native(item), where)]
    raise SchemaError(f"{where}: relevant ids are text, numbers or a list of them, not {_short(value)}")


def grades_of(value: Mapping[Any, Any], where: str) -> dict[str, float]:
    """Graded relevance as in a qrels file, `{id: grade}`."""
    grades: dict[str, float] = {}
    for identifier, grade in value.items():
        number = native(grade)
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
            raise SchemaError(f"{where}: the grade of {str(identifier)!r} is a number, not {_short(grade)}")
        grades[str(identifier)] = number
    return grades


def is_list(cell: str) -> bool:
    """Whether a text cell is meant to hold a list."""
    return cell.lstrip().startswith(("[", "array(["))


def parse_list(cell: str, where: str) -> Any:
    """A text cell that starts with a bracket: JSON, else as Python, pandas or numpy print it.

    Raises:
        SchemaError: it is none of these.
    """
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        pass
    reason = ""
    if is_list(cell):
        try:
            return parse_printed(cell)
        except (NotAList, RecursionError) as error:
            reason = f" ({error})" if isinstance(error, NotAList) else ""
    if not _has_glued_texts(cell):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                return ast.literal_eval(cell)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            pass
    raise SchemaError(
        f"{where}: {cell[:60]!r} starts like a list and is none{reason}; write JSON, such as {json.dumps([cell[:20]])}"
    )


def _has_glued_texts(cell: str) -> bool:
    """Whether texts stand side by side, which Python would make one."""
    last = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(cell).readline):
            if token.type in (tokenize.NL, tokenize.NEWLINE):
                continue
            if token.type == last == tokenize.STRING:
                return True
            last = token.type
    except (tokenize.TokenError, SyntaxError, RecursionError):
        return False
    return False


def native(value: Any) -> Any:
    """A numpy or pandas value as the plain value it holds."""
    if type(value).__name__ in {"NAType", "NaTType"}:
        return None
    return value.tolist() if hasattr(value, "tolist") else value


def is_missing(value: Any) -> bool:
    """None, NaN, an infinity, or blank text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _short(value: Any) -> str:
    return f"{type(value).__name__} {value!r:.60}"
