"""Walks through a knowledge graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastrag_bench.testset.graph import KnowledgeGraph, Node, Relationship

MOST_PATHS = 10_000
"""Paths looked at in all; the walk stops there, so that a dense graph ends too."""


def clusters(
    graph: KnowledgeGraph, condition: Callable[[Relationship], bool], depth: int, *, at_most: int | None = None
) -> list[set[Node]]:
    """The maximal sets of nodes along paths of up to `depth` edges, in the order of their starting nodes."""
    if depth < 1 or (at_most is not None and at_most < 1):
        raise ValueError("depth_limit and n are at least 1")
    onward = _neighbours(graph, condition)
    starts = _spread([node for node in graph.nodes if onward.get(node)], at_most)
    found: dict[frozenset[Node], None] = {}
    for left, start in enumerate(starts):
        if at_most is not None and len(found) >= at_most:
            break
        for count, path in enumerate(_paths(start, onward, depth)):
            if count * max(1, left) > MOST_PATHS:
                break
            found.setdefault(frozenset(path))
    maximal = [group for group in found if not any(group < other for other in found)]
    return [set(group) for group in maximal[:at_most]]


def _neighbours(graph: KnowledgeGraph, condition: Callable[[Relationship], bool]) -> dict[Node, list[Node]]:
    onward: dict[Node, list[Node]] = {}
    for edge in graph.relationships:
        if condition(edge) and edge.source != edge.target:
            onward.setdefault(edge.source, []).append(edge.target)
            if edge.bidirectional:
                onward.setdefault(edge.target, []).append(edge.source)
    return onward


def _spread(nodes: list[Node], count: int | None) -> list[Node]:
    """All nodes, those first that lie evenly apart."""
    if count is None or not nodes:
        return nodes
    step = max(1, len(nodes) // count)
    return nodes[::step] + [node for place, node in enumerate(nodes) if place % step]


def _paths(start: Node, onward: dict[Node, list[Node]], depth: int) -> Iterator[tuple[Node, ...]]:
    stack: list[tuple[Node, ...]] = [(start,)]
    while stack:
        path = stack.pop()
        further = [node for node in onward.get(path[-1], ()) if node not in path] if len(path) <= depth else []
        if not further and len(path) > 1:
            yield path
        stack.extend((*path, node) for node in reversed(further))
