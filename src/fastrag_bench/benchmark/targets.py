"""What can be benchmarked: engines that answer, and bare retrievers. Both are known by their methods alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from fastrag_bench.benchmark.outcomes import engine_outcome, retriever_outcome
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.types import QueryOutcome

ENGINE_METHODS = ("aquery", "query", "ask")
RETRIEVER_METHODS = ("aretrieve", "retrieve", "aget_relevant_documents", "get_relevant_documents")
AMBIGUOUS_METHODS = ("ainvoke", "invoke")


@dataclass(frozen=True)
class Target:
    """One way to ask a question."""

    kind: Literal["engine", "retriever"]
    call: Callable[[str], Any]
    is_async: bool

    def outcome(self, value: Any, latency_ms: float) -> QueryOutcome:
        """What `call` returned, as an outcome; raises TypeError when it is none."""
        return (engine_outcome if self.kind == "engine" else retriever_outcome)(value, latency_ms)


def as_engine(target: Any) -> Target:
    """Say that a target answers questions: it has `aquery`, `query`, `ask`, `ainvoke` or `invoke`, or is a function."""
    return _target(target, "engine", (*ENGINE_METHODS, *AMBIGUOUS_METHODS))


def as_retriever(target: Any) -> Target:
    """Say that a target only retrieves: it has `aretrieve`, `retrieve`, `get_relevant_documents` or `invoke`, or is a
    function that returns passages.
    """
    return _target(target, "retriever", (*RETRIEVER_METHODS, *AMBIGUOUS_METHODS))


def find_target(target: Any) -> Target:
    """Know a target by its methods; one that both answers and retrieves is an engine.

    Raises:
        ConfigurationError: it has none of them, or only `invoke`, which says nothing about what comes back.
    """
    if isinstance(target, Target):
        return target
    if isinstance(target, type):
        raise ConfigurationError(f"the target is the class {target.__name__}; pass an instance of it")
    for kind, methods in (("engine", ENGINE_METHODS), ("retriever", RETRIEVER_METHODS)):
        if _method(target, methods) is not None:
            return _target(target, kind, methods)
    if _method(target, AMBIGUOUS_METHODS) is not None:
        raise ConfigurationError(
            f"{_name(target)} has only invoke, which could answer or retrieve; wrap it with as_engine or as_retriever"
        )
    return _target(target, "engine", ())


def _target(target: Any, kind: Any, methods: tuple[str, ...]) -> Target:
    if isinstance(target, Target):
        return Target(kind, target.call, target.is_async)
    method = _method(target, methods)
    if method is None and callable(target) and not isinstance(target, type):
        method = target
    if method is None:
        raise ConfigurationError(
            f"{_name(target)} cannot be benchmarked: an engine has one of {', '.join(ENGINE_METHODS)} or is a "
            f"function, a retriever has one of {', '.join(RETRIEVER_METHODS)}"
        )
    called = method if inspect.isroutine(method) else getattr(method, "__call__", method)  # noqa: B004
    return Target(kind, method, inspect.iscoroutinefunction(method) or inspect.iscoroutinefunction(called))


def _method(target: Any, names: tuple[str, ...]) -> Callable[[str], Any] | None:
    return next((found for name in names if callable(found := getattr(target, name, None))), None)


def _name(target: Any) -> str:
    return f"a {type(target).__name__}"
