"""A resolved configuration as typed, frozen values: the only form in which the rest of the code sees configuration."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from fastrag_bench.component import problems_of, unknown_name
from fastrag_bench.contracts import PARTS, DenseIndex, LexicalIndex
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.parts import REQUIRED, Parts, missing_values, replace_node
from fastrag_bench.sweep.shape import SweepShape
from fastrag_bench.sweep.sweep_name import checked_sweep_name

CONTRACTS: dict[str, type] = {**PARTS, "index.lexical": LexicalIndex, "index.dense": DenseIndex}
"""What each component of a run has to be, by its place in the configuration."""


AtLeastOne = Annotated[int, Field(strict=True, ge=1)]
AtLeastZero = Annotated[int, Field(strict=True, ge=0)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class IndexConfig(_Section):
    """The two indexes a retriever may search."""

    lexical: Any
    """A `LexicalIndex`."""
    dense: Any
    """A `DenseIndex`."""


class MetricsConfig(_Section):
    """What is measured."""

    names: tuple[str, ...] | None = None
    """The metrics, in place of those of the sets."""
    sets: dict[str, tuple[str, ...]] = {}
    """Lists of metrics by the name of their set."""
    primary: str = "recall@2000chars"
    """Decides which run is best; measured even where no set has it. `names` that leave it out decide by their first."""
    unit: Literal["auto", "document", "chunk"] = "auto"
    """What the gold ids name."""

    @property
    def metric_names(self) -> list[str]:
        """Every metric once, in the order given; of sets that have no `primary`, that one too, last."""
        if self.names:
            return list(dict.fromkeys(self.names))
        return list(dict.fromkeys([*(name for names in self.sets.values() for name in names), self.primary]))

    @property
    def deciding(self) -> str:
        """The metric that decides which run is best: `primary`, or the first of `names` that leave it out."""
        return self.primary if self.primary in self.metric_names else self.metric_names[0]

    @field_validator("names", "sets", "primary")
    @classmethod
    def _known(cls, value: Any) -> Any:
        for name in _names_in(value):
            _check_metric(name)
        return value


class ExecutionConfig(_Section):
    """Where the work runs."""

    name: Literal["serial", "threads", "processes"] = "serial"
    """In this process, in threads, or in worker processes."""
    n_jobs: AtLeastOne = 1
    """Threads or processes."""
    parallel_queries: bool = False
    """Ask several questions at once; then no latency is reported."""


class BudgetConfig(_Section):
    """When to stop although not everything is done."""

    seconds: Annotated[float, Field(gt=0)] | None = None
    """No stage is started after so many seconds of this command."""
    calls: AtLeastOne | None = None
    """Calls to each model server, attempts that failed included."""
    tokens: AtLeastOne | None = None
    """Tokens of each model server."""
    usd: Annotated[float, Field(gt=0)] | None = None
    """Dollars at each model server."""


class RunConfig(SweepShape, _Section):
    """One combination: its parts, built and checked, and its settings.

    `dataset` to `target` hold components; a part that appears both on its own and inside the target is one object.
    """

    dataset: Any
    """A `DatasetSource`."""
    chunker: Any
    """A `Chunker`."""
    embedder: Any
    """An `Embedder`."""
    index: IndexConfig
    retriever: Any
    """A `Retriever`."""
    query_transform: Any
    """A `QueryTransform`."""
    reranker: Any
    """A `Reranker`."""
    context: Any
    """A `ContextBuilder`."""
    generator: Any
    """A `Generator`."""
    target: Any
    """A `Target`: what is measured."""
    llm: Any
    """The model of the parts that ask one; read only through them."""
    prompt: Any
    """What a generator with a model tells it; read only through it."""
    metrics: MetricsConfig = MetricsConfig()
    execution: ExecutionConfig = ExecutionConfig()
    budget: BudgetConfig = BudgetConfig()

    k: AtLeastOne = 5
    """Chunks handed to the generator."""
    candidates: AtLeastOne = 100
    """Chunks that retrieval fetches and the reranker sees."""
    context_tokens: AtLeastOne | None = None
    """Tokens of the k chunks that a generator with a model is shown."""
    seed: AtLeastZero = 0
    """Of everything that draws at random."""
    max_concurrent: AtLeastOne = 1
    """Questions in flight at once."""
    timeout_s: Annotated[float, Field(gt=0)] | None = None
    """Seconds one question may take."""
    retries: AtLeastZero = 0
    """Further attempts at a question that failed."""
    require_relevance: bool = True
    """Refuse a metric that no question of the dataset can serve."""
    allow_no_match: bool = False
    """Finish cleanly even if no gold id ever matched a retrieved one."""
    sweep: str | None = None
    """The sweep's name: a path below `outputs/sweeps`."""
    resume: bool = False
    """Insist that the sweep is there already."""
    on_error: Literal["continue", "stop"] = "continue"
    """What to do after a combination has failed."""
    dry_run: bool = False
    """Check and show the plan, run nothing."""
    store: Annotated[str, Field(min_length=1)] = "outputs/store"
    """The folder of finished stages."""

    @field_validator("sweep", mode="before")
    @classmethod
    def _stays_inside(cls, value: Any) -> Any:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return checked_sweep_name(value) if number or isinstance(value, str) else value

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], *, inspect: bool = True) -> RunConfig:
        """Build and check a run from plain values, interpolations resolved.

        Args:
            mapping: what the composed configuration says, without Hydra's own node.
            inspect: also look at the machine, for a missing extra or folder.

        Raises:
            ConfigurationError: with one problem for each setting that is wrong, each at its dotted path and said once.
        """
        problems = [*_unknown_keys(cls, mapping), *missing_values(mapping)]
        given = {key: value for key, value in mapping.items() if key in cls.model_fields}
        parts = Parts(inspect)
        for path, contract in CONTRACTS.items():
            replace_node(given, path, partial(parts.build, contract=contract, path=path))
        if "target" in given:
            given["target"] = parts.build_target(given["target"])
        problems += parts.problems
        for name, fallback in SECTIONS.items():
            given[name] = _validated(type(fallback), given.get(name, {}), name, problems) or fallback
        config = _validated(cls, given, "", problems)
        problems += _cut_problem(mapping)
        if problems or not isinstance(config, RunConfig):
            raise ConfigurationError(problems=_once(problems))
        return config


SECTIONS: dict[str, _Section] = {
    "index": IndexConfig(lexical=None, dense=None),
    "metrics": MetricsConfig(),
    "execution": ExecutionConfig(),
    "budget": BudgetConfig(),
}
"""The nested sections, with what stands in for one that has problems while the rest is looked at."""


def _validated(model: type[_Section], values: Any, path: str, problems: list[Problem]) -> Any:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems.extend(problems_of(error, model, path))
        return None


@lru_cache(maxsize=1024)
def _check_metric(name: str) -> None:
    from fastrag_bench.metrics.names import metric

    metric(name)


def _names_in(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    return [name for names in value.values() for name in names] if isinstance(value, Mapping) else list(value)


def _unknown_keys(model: type[BaseModel], mapping: Mapping[str, Any]) -> list[Problem]:
    known = list(model.model_fields)
    return [Problem(str(key), unknown_name(str(key), known, of="a run")) for key in mapping if key not in known]


def _cut_problem(mapping: Mapping[str, Any]) -> list[Problem]:
    k, candidates = mapping.get("k"), mapping.get("candidates")
    if not (isinstance(k, int) and isinstance(candidates, int)) or k <= candidates:
        return []
    return [Problem("k", f"k={k} is more than candidates={candidates}; raise candidates or lower k")]


def _once(problems: list[Problem]) -> list[Problem]:
    """Each problem once, and one for each missing value.

    What is said of a part inside the target or another part is dropped where the part's own place says it.
    """
    told = {problem.path for problem in problems}
    said = [(f".{problem.path}", problem.message) for problem in problems if problem.path]
    missing = {problem.path for problem in problems if problem.message == REQUIRED}

    def repeats(one: Problem) -> bool:
        if one.path in missing and one.message != REQUIRED:
            return True
        if one.path.startswith("target.") and one.path.removeprefix("target.") in told:
            return True
        return any(one.path.endswith(path) and one.message == message for path, message in said)

    return list(dict.fromkeys(problem for problem in problems if not repeats(problem)))
