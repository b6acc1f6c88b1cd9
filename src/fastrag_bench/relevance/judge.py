"""Judge one ranking against the gold of its question: at which rank, and after how much text, each group is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastrag_bench.relevance.evidence import Evidence, Standing, evidence_of
from fastrag_bench.relevance.gold import Gold
from fastrag_bench.relevance.place import UNKNOWN, Names, names_of, span_of
from fastrag_bench.relevance.unit import Unit, unit_of_question
from fastrag_bench.types import Document


@dataclass(frozen=True, slots=True)
class Judged:
    """Where evidence stands in a ranking. Ranks and positions are 1-based, 0 means never.

    Positions count passages; ranks count units, which are documents (each at its first passage) or passages.
    """

    gains: tuple[float, ...]
    """The grade of each group."""
    credit_rank: tuple[int, ...]
    """For each group, the rank of the first passage that is relevant to it on its own."""
    credit_position: tuple[int, ...]
    """The position of that passage."""
    found_rank: tuple[int, ...]
    """For each group, the rank by which the passages together cover it."""
    found_position: tuple[int, ...]
    """The position by which they do."""
    found_chars: tuple[int, ...]
    """The characters of text by which they do, overlaps paid twice."""
    relevant_rank: tuple[int, ...]
    """The ranks of all relevant units."""
    relevant_position: tuple[int, ...]
    """The position at which each of them first shows itself relevant."""
    units: Sequence[int]
    """How many units stand in the first p passages, for p = 0, 1, ... up to all."""


def judge(gold: Gold, ranking: Sequence[Document], unit: Unit | None = None) -> Judged:
    """Judge a ranking, best first.

    A span is found when the union of the retrieved text covers at least half of it; a single chunk is relevant to it
    when they share at least half of the shorter of the two. A literal id is found when it names a passage or its
    document, after half of that passage's text. With unit None, what ranks are is decided from this question's gold and
    passages.
    """
    names = [names_of(passage) for passage in ranking]
    chosen = unit or unit_of_question(gold, names)
    ranks, units = _ranks(names, chosen)
    evidence = evidence_of(gold, chosen)
    relevant = _walk(evidence, ranking, names, ranks, chosen)
    return Judged(
        gains=tuple(each.gain for each in evidence),
        credit_rank=tuple(each.credit.rank for each in evidence),
        credit_position=tuple(each.credit.position for each in evidence),
        found_rank=tuple(each.found.rank for each in evidence),
        found_position=tuple(each.found.position for each in evidence),
        found_chars=tuple(each.found.chars for each in evidence),
        relevant_rank=tuple(standing.rank for standing in relevant),
        relevant_position=tuple(standing.position for standing in relevant),
        units=units,
    )


def _walk(
    evidence: Sequence[Evidence], ranking: Sequence[Document], names: Sequence[Names], ranks: Sequence[int], unit: Unit
) -> list[Standing]:
    """Show every passage to the evidence that it may touch; the standings of the relevant units, each once."""
    table: dict[str | None, list[Evidence]] = {}
    for each in evidence:
        for name in each.names:
            table.setdefault(name, []).append(each)
    relevant: dict[object, Standing] = {}
    chars = 0
    for index, (passage, (own, document, uri)) in enumerate(zip(ranking, names, strict=True)):
        if own in table or document in table or uri in table:
            standing = Standing(ranks[index], index + 1, chars)
            touched = {id(each): each for name in names[index] for each in table.get(name, ())}
            if any([each.see(passage, names[index], standing) for each in touched.values()]):
                relevant.setdefault(_unit_of(passage, names[index], index, unit), standing)
        chars += len(passage.text)
    return list(relevant.values())


def _ranks(names: Sequence[Names], unit: Unit) -> tuple[Sequence[int], Sequence[int]]:
    """The rank of each passage, and how many units there are in each prefix."""
    if unit == "chunk":
        return range(1, len(names) + 1), range(len(names) + 1)
    seen: dict[object, int] = {}
    ranks, units = [], [0]
    for index, each in enumerate(names):
        ranks.append(seen.setdefault(_document_of(each, index), len(seen) + 1))
        units.append(len(seen))
    return ranks, units


def _document_of(names: Names, index: int) -> str | int:
    """Equal for passages of one document; a passage without any id is a document of its own."""
    own, document, uri = names
    if document is not None:
        return document
    return next((name for name in (uri, own) if name is not None), index)


def _unit_of(passage: Document, names: Names, index: int, unit: Unit) -> object:
    """Equal for passages that are one unit; chunks that only have their document's id are told apart by their place."""
    if unit == "document":
        return _document_of(names, index)
    own, document, _ = names
    if (own is None or own == document) and (span := span_of(passage)) != UNKNOWN:
        return document, span
    return index if own is None else own
