"""`KnowledgeGraph`: documents and passages as nodes, and what joins them."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError, field_serializer, field_validator

from fastrag_bench.datasets.reading import ReadOptions, check_file, read_text
from fastrag_bench.errors import SchemaError
from fastrag_bench.files import dump_json, write_atomic


class NodeType(str, Enum):  # noqa: UP042 - given so
    """What a node is."""

    UNKNOWN = ""
    DOCUMENT = "document"
    CHUNK = "chunk"


class _Properties(BaseModel):
    """Something with properties whose names do not depend on case."""

    id: uuid.UUID = Field(default_factory=uuid.uuid4)
    properties: dict[str, Any] = Field(default_factory=dict)

    @field_validator("properties")
    @classmethod
    def _lower(cls, value: dict[str, Any]) -> dict[str, Any]:
        return {name.lower(): item for name, item in value.items()}

    def get_property(self, name: str) -> Any:
        """The property, or None."""
        return self.properties.get(name.lower())

    def add_property(self, name: str, value: Any) -> None:
        """Add a property; raises ValueError where it is there already."""
        if name.lower() in self.properties:
            raise ValueError(f"the property {name!r} is there already")
        self.properties[name.lower()] = value

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.id == other.id


class Node(_Properties):
    """A document or a passage; equal by id."""

    type: NodeType = NodeType.UNKNOWN

    def __repr__(self) -> str:
        return f"Node(id={str(self.id)[:8]}, type={self.type.value!r}, properties={list(self.properties)})"

    __str__ = __repr__
    __hash__ = _Properties.__hash__


class Relationship(_Properties):
    """An edge; equal by id, written with the ids of its nodes."""

    type: str
    source: Node
    target: Node
    bidirectional: bool = False

    @field_serializer("source", "target")
    def _as_id(self, node: Node) -> str:
        return str(node.id)

    def __repr__(self) -> str:
        arrow = "<->" if self.bidirectional else "->"
        return f"Relationship({str(self.source.id)[:8]} {arrow} {str(self.target.id)[:8]}, type={self.type!r})"

    __str__ = __repr__
    __hash__ = _Properties.__hash__


@dataclass
class KnowledgeGraph:
    """Nodes and edges, in the order they were added."""

    nodes: list[Node] = field(default_factory=list)
    relationships: list[Relationship] = field(default_factory=list)

    def add(self, item: Node | Relationship) -> None:
        """Add a node or an edge; raises ValueError for anything else, and for a node that is there already."""
        if isinstance(item, Node):
            if self.get_node_by_id(item.id) is not None:
                raise ValueError(f"the node {item.id} is there already")
            self.nodes.append(item)
        elif isinstance(item, Relationship):
            self.relationships.append(item)
        else:
            raise ValueError(f"a graph holds nodes and relationships, not {type(item).__name__}")

    def get_node_by_id(self, node_id: uuid.UUID | str) -> Node | None:
        """The node, or None."""
        wanted = str(node_id)
        return next((node for node in self.nodes if str(node.id) == wanted), None)

    def remove_node(self, node: Node, inplace: bool = True) -> KnowledgeGraph | None:
        """Remove a node and its edges, here or in a copy that is returned; raises ValueError where it is not there."""
        if node not in self.nodes:
            raise ValueError(f"the node {node.id} is not in the graph")
        nodes = [one for one in self.nodes if one != node]
        edges = [edge for edge in self.relationships if node not in (edge.source, edge.target)]
        if not inplace:
            return KnowledgeGraph(nodes, edges)
        self.nodes, self.relationships = nodes, edges
        return None

    def find_two_nodes_single_rel(
        self, relationship_condition: Callable[[Relationship], bool] = lambda _: True
    ) -> list[tuple[Node, Relationship, Node]]:
        """(source, edge, target) of each edge that meets the condition, in order, no pair twice."""
        found: dict[tuple[frozenset[uuid.UUID], str], tuple[Node, Relationship, Node]] = {}
        for edge in self.relationships:
            if relationship_condition(edge) and edge.source != edge.target:
                key = (frozenset({edge.source.id, edge.target.id}), edge.type)
                found.setdefault(key, (edge.source, edge, edge.target))
        return list(found.values())

    def find_indirect_clusters(
        self, relationship_condition: Callable[[Relationship], bool] = lambda _: True, depth_limit: int = 3
    ) -> list[set[Node]]:
        """The sets of nodes along each path of up to `depth_limit` edges; no set twice, none within another."""
        from fastrag_bench.testset.graph_paths import clusters

        return clusters(self, relationship_condition, depth_limit)

    def find_n_indirect_clusters(
        self,
        n: int,
        relationship_condition: Callable[[Relationship], bool] = lambda _: True,
        depth_limit: int = 3,
    ) -> list[set[Node]]:
        """The first `n` clusters, from starting nodes spread over the graph."""
        from fastrag_bench.testset.graph_paths import clusters

        return clusters(self, relationship_condition, depth_limit, at_most=n)

    def to_json(self) -> str:
        """The graph as other tools read it: edges name their nodes by id."""
        nodes = [_row(node) for node in self.nodes]
        edges = [_row(edge) for edge in self.relationships]
        return f'{{\n "nodes": [{_lines(nodes)}],\n "relationships": [{_lines(edges)}]\n}}\n'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON in one step."""
        write_atomic(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> KnowledgeGraph:
        """Read a graph whose edges name their nodes by id or, as older files do, repeat them.

        Raises:
            SchemaError: it is no graph, or an edge names a node that is not there.
        """
        where = Path(path)
        check_file(where)
        try:
            data = json.loads(read_text(where, ReadOptions()))
            graph = cls([Node.model_validate(row) for row in data["nodes"]])
            known = {str(node.id): node for node in graph.nodes}
            graph.relationships = [_edge(row, known) for row in data["relationships"]]
        except (KeyError, TypeError, ValidationError, json.JSONDecodeError) as error:
            raise SchemaError(f"{path}: not a knowledge graph: {type(error).__name__}: {error}"[:300]) from None
        return graph

    def __repr__(self) -> str:
        return f"KnowledgeGraph(nodes: {len(self.nodes)}, relationships: {len(self.relationships)})"

    __str__ = __repr__


def _row(item: Node | Relationship) -> str:
    row = item.model_dump(mode="json")
    return dump_json({name: row[name] for name in sorted(row, key=_FIELD_ORDER.index)})


_FIELD_ORDER = ["id", "properties", "type", "source", "target", "bidirectional"]


def _lines(rows: Iterable[str]) -> str:
    return ",".join(f"\n  {row}" for row in rows) + "\n "


def _edge(row: dict[str, Any], known: dict[str, Node]) -> Relationship:
    ends = {name: row[name]["id"] if isinstance(row[name], dict) else row[name] for name in ("source", "target")}
    rest = {name: value for name, value in row.items() if name not in ends}
    return Relationship(**rest, source=known[str(ends["source"])], target=known[str(ends["target"])])
