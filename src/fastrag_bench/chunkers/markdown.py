"""The sections of a Markdown document, each with its heading path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from fastrag_bench.chunkers.headings import Heading, headings
from fastrag_bench.chunkers.packing import chunks_at
from fastrag_bench.chunkers.recursive import SEPARATORS
from fastrag_bench.chunkers.sizing import SizedChunker
from fastrag_bench.chunkers.splitting import Rule, recursive_spans
from fastrag_bench.types import Chunk, Document


class MarkdownChunker(SizedChunker):
    """A section, from its heading to the next one, is a chunk; one of more than `size` is split as by `recursive`.

    The heading path (`Guide > Install > Linux`) is the `context` of each of its chunks and does not count in `size`.
    A heading without a text of its own goes with the next section. Without headings this is `recursive`. No chunk has
    more than `size`, save a single character of more tokens.
    """

    deepest: Annotated[int, Field(ge=1, le=6)] = 6
    """The deepest heading level that begins a section."""

    def chunk(self, document: Document) -> list[Chunk]:
        """Chunks in order of start."""
        rule = Rule(SEPARATORS, self.limit, self.overlap, self.length)
        chunks: list[Chunk] = []
        for section in _sections(document.text, self.deepest):
            spans = [(section.start, section.end)]
            if rule.length(document.text[section.start : section.end].strip()) > rule.size:
                spans = recursive_spans(document.text, section.start, section.end, rule)
            chunks.extend(chunks_at(document, spans, context=section.path))
        return chunks


@dataclass(frozen=True, slots=True)
class _Section:
    start: int
    end: int
    path: str


def _sections(text: str, deepest: int) -> Iterator[_Section]:
    marks = [heading for heading in headings(text) if heading.level <= deepest]
    if not marks or text[: marks[0].start].strip():
        yield _Section(0, marks[0].start if marks else len(text), "")
    above: list[Heading] = []
    start = None
    ends = [mark.start for mark in marks[1:]] + [len(text)] * bool(marks)
    for heading, end in zip(marks, ends, strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        start = heading.start if start is None else start
        if end == len(text) or text[heading.end : end].strip():
            yield _Section(start, end, " > ".join(mark.title for mark in above if mark.title))
            start = None
