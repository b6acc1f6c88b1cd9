"""What a plan will probably cost, from what stages of the same kind and component have cost before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fastrag_bench.plan.keys import Json
from fastrag_bench.plan.stage import RowStage, Stage
from fastrag_bench.plan.store import MANIFEST, Store
from fastrag_bench.plan.workspace import Workspace


@dataclass(frozen=True)
class Prediction:
    """Seconds of the stages that have a record, and the kinds of those that have none."""

    seconds: float
    known: int
    unknown: tuple[str, ...]


def predict(stages: Iterable[Stage], workspace: Workspace) -> Prediction:
    """Predict the stages: a value stage by the mean of its likes, a row stage by their mean row times its open rows."""
    costs = recorded_costs(workspace.store)
    seconds, known, unknown = 0.0, 0, []
    for stage in stages:
        cost = costs.get((stage.kind, component_of(stage.operation.identity)))
        if cost is None:
            unknown.append(stage.kind)
            continue
        known += 1
        seconds += cost * (len(workspace.missing(stage)) if isinstance(stage, RowStage) else 1)
    return Prediction(seconds, known, tuple(dict.fromkeys(unknown)))


def recorded_costs(store: Store) -> dict[tuple[str, str], float]:
    """Mean seconds by kind and component: of a value, or of one row."""
    found: dict[tuple[str, str], list[float]] = {}
    for path in store.root.glob(f"*/*/{MANIFEST}"):
        record = _read(path)
        if record.get("seconds") is not None and record.get("kind"):
            per = max(int(record.get("rows", 1)), 1)
            key = (str(record["kind"]), component_of(record.get("identity")))
            found.setdefault(key, []).append(float(record["seconds"]) / per)
    return {key: sum(values) / len(values) for key, values in found.items()}


def component_of(identity: Json) -> str:
    """The class that does the work, as the identity names it first; else what the identity says."""
    if isinstance(identity, dict):
        if "class" in identity:
            return str(identity["class"])
        for value in identity.values():
            if isinstance(value, dict) and (name := component_of(value)):
                return name
        return str(identity.get("search", ""))
    return ""


def _read(path: Any) -> dict[str, Any]:
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
