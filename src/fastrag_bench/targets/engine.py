"""The `engine` target: a class of the user's own that answers or retrieves, by import path."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated, Any

from pydantic import Field, PositiveInt

from fastrag_bench.benchmark.targets import ENGINE_METHODS, RETRIEVER_METHODS, Target, find_target
from fastrag_bench.component import Component, Json, is_cacheable, unknown_name
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.plan.keys import digest
from fastrag_bench.plan.stage import Computed, Row, RowFunction, RowStage, Stage
from fastrag_bench.plan.workspace import Workspace
from fastrag_bench.source import source_digest
from fastrag_bench.targets.contract import Failed
from fastrag_bench.targets.sources import question_id, question_items
from fastrag_bench.targets.uncached import keyed
from fastrag_bench.types import Document, EvalSample, QueryOutcome


class EngineTarget(Component):
    """An engine (`query`) or a retriever (`retrieve`), sync or async, made by calling a class or function."""

    path: Annotated[str, Field(min_length=1)]
    """Where it is: `my_package.my_module:MyEngine`; the current folder is looked in, too."""
    params: dict[str, Any] = Field(default_factory=dict)
    """What it is constructed with."""
    k: PositiveInt = 5
    """Passed as `k` (or `top_k`) to its constructor, or else to its call, if either has such a parameter."""

    def inspect_settings(self) -> None:
        """Import it and compare `params` with its signature."""
        factory = import_factory(self.path)
        known = _parameters(factory)
        for name in self.params if known is not None else ():
            if name not in (known or ()):
                message = unknown_name(name, list(known or ()), of=self.path)
                raise ConfigurationError(problems=[Problem(f"target.params.{name}", message)])

    def stages(self, data: BenchmarkData) -> EnginePipeline:
        """One stage: every question is asked."""
        return EnginePipeline(self, data.questions.samples)


@dataclass(frozen=True)
class EnginePipeline:
    """An `EngineTarget` over a list of questions."""

    target: EngineTarget
    samples: list[EvalSample]

    @cached_property
    def engine(self) -> Engine:
        """How it is made and called."""
        return Engine.of(self.target)

    @property
    def answers(self) -> bool:
        """Whether it answers."""
        return self.engine.target_kind == "engine"

    @cached_property
    def cached(self) -> bool:
        """Whether its code can be read."""
        return is_cacheable(self.engine.code)

    @cached_property
    def identity(self) -> str:
        """The stage; k only where it reaches the engine."""
        return digest([stage.key for stage in self.wanted])

    @cached_property
    def wanted(self) -> tuple[Stage, ...]:
        """Every question asked."""
        return (self.asked,)

    @cached_property
    def asked(self) -> RowStage:
        """The one stage."""
        return RowStage(AskOperation(self.engine, keyed(self.engine.identity)), question_items(self.samples))

    def outcomes(self, workspace: Workspace) -> list[QueryOutcome | Failed]:
        """What it returned, question by question."""
        rows = workspace.rows(self.asked)
        return [_outcome(rows.get(question_id(sample.question))) for sample in self.samples]

    def details(self, workspace: Workspace) -> list[str]:
        """The passages it returned, and its seconds."""
        rows = workspace.rows(self.asked)
        return [_detail(rows.get(question_id(sample.question))) for sample in self.samples]

    def chunk_spans(self, workspace: Workspace) -> None:
        """Not known."""
        return None

    def notes(self, workspace: Workspace) -> list[str]:
        """Whether what it returns can be told apart at all."""
        rows = [row for row in workspace.rows(self.asked).values() if row.ok]
        sources = [source for row in rows for source in row.value["sources"]]
        if rows and not sources:
            return [f"{self.target.path} returned no passages: retrieval metrics have nothing to judge"]
        if sources and not any(_names(source) for source in sources):
            return [
                f"no passage of {self.target.path} has an id, so none can match gold: return dicts with text and id"
            ]
        return []


@dataclass(frozen=True)
class Engine:
    """What is known of an engine before it is asked: arguments, where k goes, and its code."""

    path: str
    params: tuple[tuple[str, Any], ...]
    call_params: tuple[tuple[str, Any], ...]
    code: Json
    target_kind: str

    @classmethod
    def of(cls, target: EngineTarget) -> Engine:
        """Look at the class; what a function makes is made now, since nothing else tells what it is."""
        factory = import_factory(target.path)
        params, call_params = dict(target.params), {}
        names = _parameters(factory) or ()
        name = next((name for name in ("k", "top_k") if name in names and name not in params), None)
        if name is not None:
            params[name] = target.k
        made = factory if isinstance(factory, type) else _made(target.path, params)
        kind, call = _kind_and_call(made)
        if name is None:
            accepted = _parameters(call) or ()
            call_params = {name: target.k for name in ("k", "top_k") if name in accepted}
        code = {"source": source_digest(factory)}
        return cls(target.path, tuple(params.items()), tuple(call_params.items()), code, kind)

    @property
    def identity(self) -> Json:
        """Path, arguments and code."""
        return {"path": self.path, "params": dict(self.params), "call": dict(self.call_params), "code": self.code}

    def open(self) -> Target:
        """The engine, made once in this process for these arguments."""
        return find_target(_made(self.path, dict(self.params)))


@dataclass(frozen=True)
class AskOperation:
    """Question to what the engine returned."""

    engine: Engine
    identity: Json
    kind: str = "query"
    warm_up: bool = False
    concurrent: bool = True

    def open(self, inputs: Sequence[Any], calls: Any) -> RowFunction:
        """Make the engine."""
        target, extra = self.engine.open(), dict(self.engine.call_params)

        def ask(question: str, upstream: Sequence[Json]) -> Computed:
            reply = target.call(question, **extra)
            if inspect.isawaitable(reply):
                reply = _wait(reply)
            return Computed(_to_json(target.outcome(reply, 0.0)))

        return ask


def import_factory(path: str) -> Callable[..., Any]:
    """The class or function at `module:name` (or `module.name`); ConfigurationError where there is none."""
    module, _, name = path.partition(":") if ":" in path else path.rpartition(".")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module) if module else None
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        message = f"cannot import {path!r}: {error}; it is written package.module:Class"
        raise ConfigurationError(problems=[Problem("target.path", message)]) from None
    if not callable(found):
        raise ConfigurationError(problems=[Problem("target.path", f"{path!r} is no class or function")])
    factory: Callable[..., Any] = found
    return factory


_ENGINES: dict[tuple[str, str], Any] = {}
_MAKING = threading.Lock()


def _made(path: str, params: Mapping[str, Any]) -> Any:
    """What the factory makes of these arguments, made once in this process."""
    arguments = json.dumps(params, sort_keys=True, default=str)
    with _MAKING:
        if (path, arguments) not in _ENGINES:
            _ENGINES[path, arguments] = import_factory(path)(**params)
        return _ENGINES[path, arguments]


def _kind_and_call(thing: Any) -> tuple[str, Callable[..., Any]]:
    """Engine or retriever, and the method that is asked, of an object or of the class of one."""
    if not isinstance(thing, type):
        found = find_target(thing)
        return found.kind, found.call
    for kind, names in (("engine", ENGINE_METHODS), ("retriever", RETRIEVER_METHODS)):
        for name in names:
            if callable(method := getattr(thing, name, None)):
                return kind, method
    if "__call__" in vars(thing):
        return "engine", thing.__call__
    message = f"{thing.__name__} has none of {', '.join((*ENGINE_METHODS, *RETRIEVER_METHODS))}"
    raise ConfigurationError(problems=[Problem("target.path", message)])


def _parameters(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of the parameters, or None where anything is taken or nothing is known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return tuple(parameter.name for parameter in parameters)


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    """One event loop for all async engines, so that their connections live as long as the process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True, name="fastrag-engine-loop").start()
    return loop


async def _finish(awaitable: Any) -> Any:
    return await awaitable


def _wait(awaitable: Any) -> Any:
    return asyncio.run_coroutine_threadsafe(_finish(awaitable), _loop()).result()


def _to_json(outcome: QueryOutcome) -> Json:
    record = {
        "answer": outcome.answer,
        "sources": [_document_to_json(document) for document in outcome.sources],
        "input_tokens": outcome.input_tokens,
        "output_tokens": outcome.output_tokens,
        "context_tokens": outcome.context_tokens,
    }
    if outcome.ranking is not None:
        record["ranking"] = [_document_to_json(document) for document in outcome.ranking]
    found: Json = json.loads(json.dumps(record, default=str))
    return found


def _document_to_json(document: Document) -> Json:
    return {"text": document.text, "metadata": document.metadata, "id": document.id, "uri": document.uri}


def _documents(records: Sequence[Json]) -> list[Document]:
    return [Document(record["text"], record["metadata"], record["id"], record["uri"]) for record in records]


def _outcome(row: Row | None) -> QueryOutcome | Failed:
    if row is None or not row.ok:
        return Failed((row.error if row else None) or "this question was not asked")
    value = row.value
    return QueryOutcome(
        answer=value["answer"],
        sources=_documents(value["sources"]),
        latency_ms=1000 * row.seconds,
        input_tokens=value["input_tokens"],
        output_tokens=value["output_tokens"],
        ranking=_documents(value["ranking"]) if "ranking" in value else None,
        context_tokens=value["context_tokens"],
    )


def _detail(row: Row | None) -> str:
    if row is None or not row.ok:
        return "null"
    ranking = [[record["id"], record["metadata"].get("score")] for record in row.value["sources"]]
    return json.dumps({"ranking": ranking, "seconds": [["query", round(row.seconds, 9)]]})


def _names(source: Json) -> bool:
    known = ("doc_id", "document_id", "source", "uri", "id", "chunk_id")
    return bool(source["id"] or source["uri"] or any(source["metadata"].get(name) for name in known))
