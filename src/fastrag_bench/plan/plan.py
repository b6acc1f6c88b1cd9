"""A plan: the stages of all pipelines, equal ones merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from fastrag_bench.plan.stage import Node, RowStage, Source, Stage, ValueStage, parents
from fastrag_bench.plan.workspace import Workspace


@dataclass(frozen=True)
class PlanSummary:
    """How much work a plan is: stages asked for by all pipelines, distinct ones, and those that need nothing more."""

    asked: int
    distinct: int
    stored: int


class Plan:
    """Distinct stages by key, each after what it is computed from.

    Args:
        targets: for each pipeline, the stages whose rows or values are wanted.
    """

    def __init__(self, targets: Iterable[Iterable[Stage]]) -> None:
        self.nodes: dict[str, Node] = {}
        self.asked = 0
        self.wanted: dict[str, None] = {}
        for wanted in targets:
            chain: dict[str, Node] = {}
            for stage in wanted:
                self.wanted[stage.key] = None
                for node in walk(stage):
                    chain.setdefault(node.key, node)
            self.asked += sum(not isinstance(node, Source) for node in chain.values())
            for key, node in chain.items():
                self.nodes[key] = _merged(self.nodes.get(key), node)
        self._relink()

    @cached_property
    def stages(self) -> dict[str, Stage]:
        """The distinct stages, without the sources."""
        return {key: node for key, node in self.nodes.items() if not isinstance(node, Source)}

    def needed(self, workspace: Workspace) -> list[Stage]:
        """The stages that have to run, each after what it is computed from; a complete stage needs nothing upstream.

        A complete stage below one that runs is looked at again after it, since its input may turn out another.
        """
        found: set[str] = set()
        seen: set[str] = set()
        for key in self.wanted:
            _need(self.stages[key], workspace, found, seen)
        for key, node in self.nodes.items():
            if any(parent.key in found for parent in parents(node)):
                found.add(key)
        return [stage for key, stage in self.stages.items() if key in found]

    def summary(self, workspace: Workspace) -> PlanSummary:
        """Count the stages; `stored` are those with a current value, or with all their rows."""
        stored = sum(complete(stage, workspace) for stage in self.stages.values())
        return PlanSummary(self.asked, len(self.stages), stored)

    def _relink(self) -> None:
        """Make the merged nodes refer to each other, so that items added by one pipeline reach every upstream stage."""
        for key, node in self.nodes.items():
            if isinstance(node, RowStage):
                above = tuple(self.nodes[stage.key] for stage in node.upstream)
                self.nodes[key] = replace(node, upstream=above)  # type: ignore[arg-type]


def walk(node: Node) -> Iterator[Node]:
    """A node and everything it is computed from, inputs first; a node may come several times."""
    for parent in parents(node):
        yield from walk(parent)
    yield node


def complete(stage: Stage, workspace: Workspace) -> bool:
    """Whether a stage needs nothing more."""
    return workspace.stored(stage) if isinstance(stage, ValueStage) else not workspace.missing(stage)


def _merged(held: Node | None, node: Node) -> Node:
    if held is None or not isinstance(held, RowStage) or not isinstance(node, RowStage):
        return node if held is None else held
    if held.items == node.items:
        return held
    return replace(held, items={**held.items, **node.items})


def _need(stage: Stage, workspace: Workspace, found: set[str], seen: set[str]) -> None:
    if stage.key in seen:
        return
    seen.add(stage.key)
    if complete(stage, workspace):
        return
    found.add(stage.key)
    for node in stage.inputs:
        _need_value(node, workspace, found, seen)
    for upstream in stage.upstream if isinstance(stage, RowStage) else ():
        _need(upstream, workspace, found, seen)


def _need_value(node: Node, workspace: Workspace, found: set[str], seen: set[str]) -> None:
    """A value that has to be read: it must exist, and so must what reading it needs."""
    if isinstance(node, Source):
        return
    _need(node, workspace, found, seen)
    if isinstance(node, ValueStage) and node.operation.reads_inputs:
        for source in node.inputs:
            _need_value(source, workspace, found, seen)
