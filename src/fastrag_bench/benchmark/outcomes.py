"""What a pipeline returned, in the shape of whatever library, as a `QueryOutcome`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastrag_bench.benchmark.documents import as_documents
from fastrag_bench.types import QueryOutcome

ANSWERS = ("answer", "response", "result", "output", "output_text", "text", "content")
SOURCES = ("sources", "source_documents", "source_nodes", "documents", "contexts", "context", "retrieved_contexts")
USAGE = ("usage", "usage_metadata")
INPUT_TOKENS = ("input_tokens", "prompt_tokens")
OUTPUT_TOKENS = ("output_tokens", "completion_tokens")


def engine_outcome(value: Any, latency_ms: float) -> QueryOutcome:
    """The outcome of an engine.

    Read are a `QueryOutcome` (a latency of its own stands), text, `(answer, sources)`, and dicts or objects with an
    answer and sources under one of their usual names.

    Raises:
        TypeError: nothing in it is an answer.
    """
    if isinstance(value, QueryOutcome):
        return _completed(value, latency_ms)
    if isinstance(value, str):
        return QueryOutcome(value, [], latency_ms)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return QueryOutcome(value[0], as_documents(value[1]), latency_ms)
    if isinstance(value, (list, tuple)) or not any(_has(value, name) for name in ANSWERS):
        raise TypeError(
            f"an engine returns an answer with its sources, not {type(value).__name__} {value!r:.80}; "
            "a retriever is wrapped with as_retriever"
        )
    usage = _get(value, USAGE) or {}
    return QueryOutcome(
        answer=_answer(value),
        sources=as_documents(_get(value, SOURCES)),
        latency_ms=latency_ms,
        input_tokens=_tokens(value, usage, INPUT_TOKENS),
        output_tokens=_tokens(value, usage, OUTPUT_TOKENS),
    )


def retriever_outcome(value: Any, latency_ms: float) -> QueryOutcome:
    """The outcome of a bare retriever: no answer and no tokens."""
    if isinstance(value, QueryOutcome):
        outcome = _completed(value, latency_ms)
        return replace(outcome, answer="", input_tokens=None, output_tokens=None)
    if isinstance(value, Mapping) and _get(value, SOURCES) is not None:
        value = _get(value, SOURCES)
    return QueryOutcome("", as_documents(value), latency_ms)


def _completed(outcome: QueryOutcome, latency_ms: float) -> QueryOutcome:
    return replace(
        outcome,
        sources=as_documents(outcome.sources),
        ranking=None if outcome.ranking is None else as_documents(outcome.ranking),
        latency_ms=outcome.latency_ms if outcome.latency_ms > 0 else latency_ms,
    )


def _answer(value: Any) -> str:
    answer = _get(value, ANSWERS)
    if answer is None:
        return ""
    if not isinstance(answer, str):
        raise TypeError(f"the answer is text, not {type(answer).__name__} {answer!r:.80}")
    return answer


def _tokens(value: Any, usage: Any, names: tuple[str, ...]) -> int | None:
    count = _get(value, names)
    count = _get(usage, names) if count is None else count
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None


def _has(value: Any, name: str) -> bool:
    return name in value if isinstance(value, Mapping) else hasattr(value, name)


def _get(value: Any, names: tuple[str, ...]) -> Any:
    if isinstance(value, Mapping):
        return next((value[name] for name in names if value.get(name) is not None), None)
    return next((found for name in names if (found := getattr(value, name, None)) is not None), None)
