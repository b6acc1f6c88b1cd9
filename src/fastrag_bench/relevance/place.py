"""Where a returned passage comes from, read from its metadata in the notations of several libraries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from fastrag_bench.relevance.gold import parse_span
from fastrag_bench.types import Document

DOCUMENT_NAMES = ("doc_id", "document_id", "source", "uri")
OWN_NAMES = ("id", "chunk_id")
URI_NAMES = ("uri", "source")
SPAN_NAMES = (("start", "end"), ("char_start", "char_end"), ("start_index", None), ("start_char_idx", "end_char_idx"))

Names = tuple[str | None, str | None, str | None]
"""A passage's own id, the id of its document, and its URI."""

UNKNOWN = (-1, -1)


@dataclass(frozen=True, slots=True)
class Place:
    """A passage's own id, its document's id, its URI, and its characters there (-1 where they are not known)."""

    own: str | None
    document: str | None
    uri: str | None
    start: int
    end: int


def place_of(passage: Document) -> Place:
    """All that a passage says about where it lies."""
    return Place(*names_of(passage), *span_of(passage))


def names_of(passage: Document) -> Names:
    """The literal ids that name a passage or its document; of several notations the first that is there.

    A passage whose own id is `doc#char=S,E` and that names no document lies in `doc`.
    """
    metadata = passage.metadata
    own = passage.id
    if own is None:
        own = _first(metadata, OWN_NAMES)
    document = metadata.get("doc_id")
    if not document or document.__class__ is not str:
        document = _first(metadata, DOCUMENT_NAMES)
    uri = passage.uri
    if uri is None:
        uri = _first(metadata, URI_NAMES)
    if document is None and uri is None and own is not None and (span := parse_span(own)) is not None:
        document = span.document
    return own, document, uri


def span_of(passage: Document) -> tuple[int, int]:
    """The characters [start, end) of a passage in its document, or (-1, -1); of several notations the first."""
    metadata = passage.metadata
    start, end = metadata.get("start"), metadata.get("end")
    if start.__class__ is not int or end.__class__ is not int:
        start, end = next(_spans(passage), UNKNOWN)
    return (start, end) if 0 <= start < end else UNKNOWN


def _spans(passage: Document) -> Iterator[tuple[int, int]]:
    metadata = passage.metadata
    for first, last in SPAN_NAMES:
        start: Any = metadata.get(first)
        if _is_offset(start):
            end: Any = start + len(passage.text) if last is None else metadata.get(last)
            if _is_offset(end):
                yield int(start), int(end)
    own = parse_span(passage.id) if passage.id is not None else None
    if own is not None:
        yield own.start, own.end


def _is_offset(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0


def _first(metadata: Mapping[str, Any], names: Iterable[str]) -> str | None:
    for name in names:
        value = metadata.get(name)
        if value is not None and value != "":
            return str(value)
    return None
