"""Gold ids for questions that only quote their evidence, and chunk ids for tools that need them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.relevance.evidence import enough
from fastrag_bench.relevance.gold import gold_of, parse_span
from fastrag_bench.relevance.locate import Located, Locator
from fastrag_bench.relevance.place import names_of, span_of
from fastrag_bench.types import Chunk, Document, EvalSample

QUOTES = ("reference_contexts", "quotes", "contexts", "context")
"""Where the texts are looked for in a question's metadata, the first that is there."""

_HOP = re.compile(r"\s*<\d+-hop>\s*")


@dataclass(frozen=True)
class Alignment:
    """Questions with gold ids, and what became of each quoted text."""

    samples: list[EvalSample]
    exact: int
    whitespace: int
    """Found apart from blank space."""
    near: int
    """Found where at least 90 % of the words agree."""
    unlocated: tuple[str, ...]
    """The texts that are nowhere in the documents."""
    left_out: int
    """Questions of which no text was found: they have no gold id, so retrieval metrics leave them out."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know, in sentences."""
        total = self.exact + self.whitespace + self.near + len(self.unlocated)
        found = []
        if self.unlocated:
            found.append(
                f"{len(self.unlocated)} of {total} quoted texts are not in the documents and count neither as found "
                f"nor as missed ({self.left_out} questions have no other), e.g. {self.unlocated[0]!r:.100}"
            )
        if self.near:
            found.append(f"{self.near} of {total} quoted texts are in the documents with small differences")
        return tuple(found)


def align(dataset: Iterable[EvalSample], corpus: Sequence[Document], *, quotes: str | None = None) -> Alignment:
    """Give questions `doc#char=S,E` ids by finding their quoted texts in the documents.

    Each text becomes a group; where it stands in several places they are alternatives. Markers such as `<1-hop>` are
    cut off. A question that has gold ids, or no texts, stays as it is.

    Args:
        dataset: the questions.
        corpus: the documents.
        quotes: the field of the metadata that holds the texts; None takes the first of `reference_contexts`, `quotes`,
            `contexts` and `context`.

    Raises:
        ConfigurationError: the field holds something else than texts.
    """
    locator = Locator(list(corpus))
    found: dict[str, Located | None] = {}
    counts: Counter[str] = Counter()
    unlocated: list[str] = []
    samples, left_out = [], 0
    for sample in dataset:
        texts = [] if sample.relevant_ids else _quotes(sample, quotes)
        for text in texts:
            if text not in found:
                found[text] = locator.find(text)
            counts[_how(found[text])] += 1
        missing = [text for text in texts if found[text] is None]
        unlocated += missing
        left_out += bool(texts) and len(missing) == len(texts)
        samples.append(_with_places(sample, [place for text in texts if (place := found[text])], len(missing)))
    return Alignment(samples, counts["exact"], counts["whitespace"], counts["near"], tuple(unlocated), left_out)


def _how(located: Located | None) -> str:
    return "nowhere" if located is None else located.how


def _quotes(sample: EvalSample, name: str | None) -> list[str]:
    names = QUOTES if name is None else (name,)
    value: Any = next((sample.metadata[each] for each in names if sample.metadata.get(each)), [])
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise ConfigurationError(f"the quoted texts of {sample.question!r:.60} are no list of texts: {value!r:.80}")
    return [bare for text in texts if (bare := _HOP.sub("", text, count=1).strip())]


def _with_places(sample: EvalSample, located: Sequence[Located], missing: int) -> EvalSample:
    groups = [[span_id(*span_fields) for span_fields in map(_fields, place.spans)] for place in located]
    metadata: dict[str, Any] = dict(sample.metadata)
    if missing:
        metadata["unlocated"] = missing
    if any(len(group) > 1 for group in groups):
        metadata["relevance_groups"] = groups
    if not groups:
        return replace(sample, metadata=metadata)
    ids = list(dict.fromkeys(name for group in groups for name in group))
    return replace(sample, relevant_ids=ids, metadata=metadata)


def _fields(span: Any) -> tuple[str, int, int]:
    return span.document, span.start, span.end


def span_id(document: str, start: int, end: int) -> str:
    """`doc#char=S,E`."""
    return f"{document}#char={start},{end}"


@dataclass(frozen=True)
class Frozen:
    """Questions whose gold ids are those of chunks."""

    samples: list[EvalSample]
    lost: int
    """Pieces of evidence that no chunk is relevant to; they are left out."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know."""
        return (f"{self.lost} pieces of evidence are in no chunk and were left out",) if self.lost else ()


def freeze(dataset: Iterable[EvalSample], chunks: Iterable[Chunk | Document]) -> Frozen:
    """Write the ids of the chunks of one index in place of spans, for tools that need them.

    A chunk is relevant to a span when they share at least half of the shorter of the two, as for ranks of chunks; the
    chunks relevant to one piece of evidence are alternatives. Ids that name a chunk or its document stand for them.

    Args:
        dataset: the questions.
        chunks: all chunks of the index, each with an id and a place.
    """
    table: dict[str, list[tuple[str, int, int]]] = {}
    for identifier, names, start, end in map(_placed, chunks):
        for name in names:
            table.setdefault(name, []).append((identifier, start, end))
    samples, lost = [], 0
    for sample in dataset:
        groups = [
            list(dict.fromkeys(identifier for name in group for identifier in _chunks_of(name, table)))
            for group in gold_of(sample).groups
        ]
        lost += sum(not group for group in groups)
        kept = [group for group in groups if group]
        metadata = {key: value for key, value in sample.metadata.items() if key != "relevance_grades"}
        ids = list(dict.fromkeys(identifier for group in kept for identifier in group))
        samples.append(replace(sample, relevant_ids=ids, metadata={**metadata, "relevance_groups": kept}))
    return Frozen(samples, lost)


def _placed(chunk: Chunk | Document) -> tuple[str, set[str], int, int]:
    if isinstance(chunk, Chunk):
        return chunk.id, {chunk.id, str(chunk.document.id)}, chunk.start, chunk.end
    own, document, uri = names_of(chunk)
    if own is None:
        raise ConfigurationError(f"a chunk without an id cannot be named: {chunk.text!r:.60}")
    return own, {name for name in (own, document, uri) if name is not None}, *span_of(chunk)


def _chunks_of(name: str, table: dict[str, list[tuple[str, int, int]]]) -> list[str]:
    if name in table:
        return [identifier for identifier, _, _ in table[name]]
    span = parse_span(name)
    if span is None:
        return []
    found = []
    for identifier, start, end in table.get(span.document, ()):
        shared = min(end, span.end) - max(start, span.start)
        if start >= 0 and shared > 0 and shared >= enough(min(len(span), end - start)):
            found.append(identifier)
    return found
