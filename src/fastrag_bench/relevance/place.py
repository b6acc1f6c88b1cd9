"""Where a returned passage comes from, read from its metadata in the notations of several libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastrag_bench.types import Document

DOCUMENT_NAMES = ("doc_id", "document_id", "source", "uri")
OWN_NAMES = ("id", "chunk_id")
SPAN_NAMES = (("start", "end"), ("char_start", "char_end"), ("start_char_idx", "end_char_idx"))


@dataclass(frozen=True, slots=True)
class Place:
    """A passage's own id, the names of its document, and its characters there (-1 where they are not known)."""

    own: str | None
    documents: tuple[str, ...]
    start: int
    end: int

    @property
    def document(self) -> str | None:
        """The name under which passages of one document are one: the first there is, else the passage's own id."""
        return self.documents[0] if self.documents else self.own

    @property
    def names(self) -> tuple[str, ...]:
        """Every literal id that names this passage or its document."""
        return self.documents if self.own is None else (self.own, *self.documents)


def place_of(passage: Document) -> Place:
    """The place of a passage; `start_index` with the length of the text counts as a span, too."""
    metadata = passage.metadata
    own = passage.id if passage.id is not None else _first(metadata, OWN_NAMES)
    documents = [str(metadata[name]) for name in DOCUMENT_NAMES if metadata.get(name) is not None]
    if passage.uri is not None:
        documents.append(passage.uri)
    start, end = _span(passage)
    return Place(own, tuple(dict.fromkeys(documents)), start, end)


def _span(passage: Document) -> tuple[int, int]:
    metadata = passage.metadata
    for first, last in SPAN_NAMES[:2]:
        if _is_offset(metadata.get(first)) and _is_offset(metadata.get(last)):
            return int(metadata[first]), int(metadata[last])
    if _is_offset(metadata.get("start_index")):
        return int(metadata["start_index"]), int(metadata["start_index"]) + len(passage.text)
    first, last = SPAN_NAMES[2]
    if _is_offset(metadata.get(first)) and _is_offset(metadata.get(last)):
        return int(metadata[first]), int(metadata[last])
    return -1, -1


def _is_offset(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _first(metadata: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((str(metadata[name]) for name in names if metadata.get(name) is not None), None)
