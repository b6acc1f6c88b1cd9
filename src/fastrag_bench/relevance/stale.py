"""Evidence that was written for other documents: refused, or found again by its text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.relevance.align import QUOTES, Alignment, align
from fastrag_bench.relevance.gold import parse_span
from fastrag_bench.types import Corpus, EvalSample

HASHES = ("doc_hashes", "document_hashes")
"""Where the metadata says what each document was: `{document id: hash}`."""

SHORTEST = 8
"""Hex digits; a hash may be cut to as many."""


def text_hash(text: str) -> str:
    """SHA-256 of a document's text in UTF-8, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stale_documents(dataset: Iterable[EvalSample], corpus: Corpus) -> list[str]:
    """The ids of documents that are not what they were when the evidence was written, each once."""
    hashes: dict[str, str] = {}
    return list(dict.fromkeys(name for sample in dataset for name in _changed(sample, corpus, hashes)))


def _changed(sample: EvalSample, corpus: Corpus, hashes: dict[str, str]) -> Iterator[str]:
    for name, known in _hashes(sample).items():
        document = corpus.get(name)
        if document is not None and name not in hashes:
            hashes[name] = text_hash(document.text)
        if document is None or not hashes[name].startswith(known):
            yield name


def _hashes(sample: EvalSample) -> dict[str, str]:
    value: Any = next((sample.metadata[name] for name in HASHES if sample.metadata.get(name)), {})
    known = {str(name): str(text).lower().removeprefix("sha256:") for name, text in _items(value)}
    if all(len(text) >= SHORTEST for text in known.values()):
        return known
    raise ConfigurationError(
        f"doc_hashes of {sample.question!r:.60} hold at least {SHORTEST} hex digits of SHA-256 by document id"
    )


def _items(value: Any) -> Iterable[tuple[Any, Any]]:
    return value.items() if isinstance(value, Mapping) else [("", "")]


def refuse_stale(dataset: Sequence[EvalSample], corpus: Corpus, *, allow_stale: bool = False) -> Alignment | None:
    """Make sure that evidence belongs to these documents.

    Args:
        dataset: the questions; those whose metadata holds no `doc_hashes` are taken as they are.
        corpus: the documents.
        allow_stale: find the evidence of changed documents again by its quoted text instead of refusing it.

    Returns:
        None where nothing is stale; else the questions with their evidence found again.

    Raises:
        ConfigurationError: a document has changed or is gone, and `allow_stale` is not set.
    """
    changed = set(stale_documents(dataset, corpus))
    if not changed:
        return None
    if not allow_stale:
        raise ConfigurationError(
            f"{len(changed)} documents have changed since the evidence was written, e.g. {min(changed)!r}, so its "
            f"offsets may point anywhere; take the documents of that time, make the questions anew, or set "
            f"allow_stale=true to find the evidence again by its text"
        )
    return align([_bare(sample, changed) for sample in dataset], corpus)


def _bare(sample: EvalSample, changed: set[str]) -> EvalSample:
    """Without the ids of spans, where one of their documents has changed and their texts are known."""
    spans = [span for name in sample.relevant_ids if (span := parse_span(name)) is not None]
    if not any(span.document in changed for span in spans):
        return sample
    metadata = {key: value for key, value in sample.metadata.items() if key not in ("relevance_groups", *HASHES)}
    if not any(metadata.get(name) for name in QUOTES):
        raise ConfigurationError(
            f"the evidence of {sample.question!r:.60} is stale and its metadata quotes no text to find it again by"
        )
    return replace(sample, relevant_ids=[], metadata=metadata)
