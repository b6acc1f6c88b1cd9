"""A dry run: what would be computed, from what, and how long that will probably take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastrag_bench.plan.plan import Plan, complete
from fastrag_bench.plan.predict import Prediction, component_of, predict
from fastrag_bench.plan.stage import RowStage, Source, Stage, parents
from fastrag_bench.plan.workspace import Workspace
from fastrag_bench.sweep.display import say
from fastrag_bench.sweep.runs import Run

LONGEST_TREE = 60


def show_outlook(runs: Sequence[Run], plan: Plan, workspace: Workspace) -> None:
    """Print pipelines, the tree of stages, and the time they will probably take."""
    pipelines = len({run.identity for run in runs})
    if pipelines < len(runs):
        say(f"{pipelines} different pipelines: {len(runs) - pipelines} combinations are the same as another one")
    lines = list(tree_lines(plan, workspace))
    for line in lines[:LONGEST_TREE]:
        say(line)
    if len(lines) > LONGEST_TREE:
        say(f"... and {len(lines) - LONGEST_TREE} more stages")
    say(prediction_line(predict(plan.needed(workspace), workspace)))
    say("nothing was run (dry_run=true)")


def tree_lines(plan: Plan, workspace: Workspace) -> Iterator[str]:
    """Each stage below the last thing it is computed from."""
    children: dict[str, list[Stage]] = {}
    for stage in plan.stages.values():
        above = parents(stage)
        children.setdefault(above[-1].key if above else "", []).append(stage)
    for node in plan.nodes.values():
        if isinstance(node, Source):
            yield f"{node.kind} [given]"
            yield from _below(node.key, children, workspace, "")
    yield from _below("", children, workspace, "")


def _below(key: str, children: dict[str, list[Stage]], workspace: Workspace, indent: str) -> Iterator[str]:
    stages = children.get(key, [])
    for number, stage in enumerate(stages):
        last = number == len(stages) - 1
        yield f"{indent}{'└─' if last else '├─'} {_told(stage, workspace)}"
        yield from _below(stage.key, children, workspace, indent + ("   " if last else "│  "))


def _told(stage: Stage, workspace: Workspace) -> str:
    identity = stage.operation.identity
    cut = f" k={identity['k']}" if isinstance(identity, dict) and "k" in identity else ""
    name = component_of(identity).rpartition(".")[2] + cut
    if complete(stage, workspace):
        state = "stored"
    elif isinstance(stage, RowStage):
        state = f"{len(workspace.missing(stage))} of {len(stage.items)} questions to ask"
    else:
        state = "to compute"
    return f"{stage.kind} {name} [{state}]" if name else f"{stage.kind} [{state}]"


def prediction_line(prediction: Prediction) -> str:
    """In words."""
    if not prediction.known and not prediction.unknown:
        return "predicted: nothing to compute"
    unknown = f"; no record yet of {', '.join(prediction.unknown)}" if prediction.unknown else ""
    return f"predicted: about {_duration(prediction.seconds)} for {prediction.known} stages{unknown}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
