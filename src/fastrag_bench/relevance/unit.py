"""What the ranks of a ranking are: documents, each at its first chunk, or chunks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.relevance.gold import Gold, parse_span
from fastrag_bench.relevance.place import Names
from fastrag_bench.types import EvalSample

Unit = Literal["document", "chunk"]


def decide_unit(samples: Sequence[EvalSample], corpus_ids: Collection[str] | None = None) -> Unit:
    """The unit of a whole dataset, decided once and before any chunker, from its ids and the corpus.

    An id with `#char=` that names no document, or one that is no document but begins with one (`doc.md#3`), names a
    chunk. All other ids name documents.

    Raises:
        ConfigurationError: some ids name documents and some chunks.
    """
    known = frozenset(corpus_ids or ())
    examples: dict[Unit, str] = {}
    for sample in samples:
        for name in sample.relevant_ids:
            examples.setdefault(_unit_of_id(name, known), name)
    if len(examples) == 2:
        message = (
            f"gold ids name documents ({examples['document']!r}) and chunks ({examples['chunk']!r}); "
            "say what ranks are: metrics.unit=chunk or metrics.unit=document"
        )
        raise ConfigurationError(problems=[Problem("metrics.unit", message)])
    return next(iter(examples), "document")


def _unit_of_id(name: str, known: frozenset[str]) -> Unit:
    if name in known:
        return "document"
    return "chunk" if parse_span(name) is not None or (known and name.rpartition("#")[0] in known) else "document"


def unit_of_question(gold: Gold, names: Sequence[Names]) -> Unit:
    """The unit where a metric stands alone: chunk for spans, and for own ids of passages that name another document."""
    ids = set(gold.ids)
    if any(parse_span(name) is not None for name in ids):
        return "chunk"
    return "chunk" if any(own in ids and document not in (None, own) for own, document, _ in names) else "document"
