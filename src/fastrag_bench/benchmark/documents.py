"""Passages in the shapes of other libraries become `Document`s, by their attributes; none of them is imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from fastrag_bench.types import Document

TEXT_NAMES = ("page_content", "text", "content", "passage", "body")
ID_NAMES = ("id", "id_", "node_id", "chunk_id", "doc_id", "_id")
METADATA_IDS = ("id", "chunk_id", "doc_id")
METADATA_URIS = ("uri", "source")


def as_documents(passages: Any) -> list[Document]:
    """The passages of a pipeline, best first, as documents that carry their rank; None is no passage.

    Read are `Document`, text, dicts, LangChain documents (also paired with a score), LlamaIndex nodes (also with
    a score), and objects that look like one of them.

    Raises:
        TypeError: something in the list has no text.
    """
    if passages is None:
        return []
    if isinstance(passages, (str, Mapping)) or not isinstance(passages, Iterable):
        passages = [passages]
    return [_ranked(passage, rank) for rank, passage in enumerate(passages, start=1)]


def _ranked(passage: Any, rank: int) -> Document:
    document = as_document(passage)
    if isinstance(passage, Document):
        return document
    document.metadata.setdefault("rank", rank)
    return document


def as_document(passage: Any) -> Document:
    """One passage; its id and uri are looked for in its metadata too, its score is put there."""
    if isinstance(passage, Document):
        return _identified(passage)
    if isinstance(passage, str):
        return Document(passage)
    if isinstance(passage, tuple) and len(passage) == 2 and isinstance(passage[1], (int, float)):
        return _scored(as_document(passage[0]), passage[1])
    node = _first(passage, ("node",))
    if node is not None and not isinstance(node, str):
        return _scored(as_document(node), _first(passage, ("score",)))
    return _scored(_document(passage), _first(passage, ("score",)))


def _document(passage: Any) -> Document:
    text = _text(passage)
    if not isinstance(text, str):
        raise TypeError(f"a passage of type {type(passage).__name__} has no text: {passage!r:.80}")
    metadata = _first(passage, ("metadata",))
    found = dict(metadata) if isinstance(metadata, Mapping) else {}
    identifier = _first(passage, ID_NAMES)
    uri = _first(passage, ("uri",))
    document = Document(text, found, None if identifier is None else str(identifier), None if uri is None else str(uri))
    return _identified(document)


def _text(passage: Any) -> Any:
    text = _first(passage, TEXT_NAMES)
    if text is None and callable(getattr(passage, "get_content", None)):
        return passage.get_content()
    return text


def _identified(document: Document) -> Document:
    if document.id is not None and document.uri is not None:
        return document
    identifier = document.id if document.id is not None else _known(document.metadata, METADATA_IDS)
    uri = document.uri if document.uri is not None else _known(document.metadata, METADATA_URIS)
    if (identifier, uri) == (document.id, document.uri):
        return document
    return replace(document, id=identifier, uri=uri)


def _known(metadata: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    found = next((metadata[name] for name in names if metadata.get(name) is not None), None)
    return None if found is None else str(found)


def _scored(document: Document, score: Any) -> Document:
    if score is None or isinstance(score, bool) or not hasattr(score, "__float__"):
        return document
    return replace(document, metadata={"score": float(score), **document.metadata})


def _first(thing: Any, names: tuple[str, ...]) -> Any:
    """The first of some fields that a dict or object has, and that is not None."""
    if isinstance(thing, Mapping):
        return next((thing[name] for name in names if thing.get(name) is not None), None)
    return next((value for name in names if (value := getattr(thing, name, None)) is not None), None)
