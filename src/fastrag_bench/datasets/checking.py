"""What a person should know of a data set before measuring with it: counts, joins, and signs of mistakes."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection as Sized
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.records import PROSE_LENGTH
from fastrag_bench.datasets.sources.collection import Collection
from fastrag_bench.relevance.gold import parse_span
from fastrag_bench.types import Corpus, EvalSample

_WORD = re.compile(r"\w+")
REVERSED = 0.8
"""Where the best grade shares less than this part of the words that the lowest one shares, codes look reversed."""

FEWEST = 5
"""Judgements of a grade below which nothing is said of it."""


@dataclass(frozen=True)
class Report:
    """Counts by what they count, and findings in sentences; a data set without findings is fine."""

    counts: dict[str, int]
    findings: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{name:38} {count}" for name, count in self.counts.items()]
        lines += [f"! {finding}" for finding in self.findings] or ["no problem found"]
        return "\n".join(lines)


def check(data: BenchmarkData, collection: Collection | None = None) -> Report:
    """Look at loaded data and, for test collections, at their parts before they were joined."""
    samples = data.questions.samples
    ids = [name for sample in samples for name in dict.fromkeys(sample.relevant_ids)]
    counts = {
        "questions": len(samples),
        "documents": 0 if data.corpus is None else len(data.corpus),
        "questions with expected answers": sum(bool(sample.expected_answers) for sample in samples),
        "questions without gold": sum(not sample.relevant_ids for sample in samples),
        "gold ids": len(ids),
        "gold ids that are spans": sum(parse_span(name) is not None for name in ids),
    }
    if data.corpus is not None:
        counts["gold ids with a document"] = sum(document_of(name, data.corpus) is not None for name in ids)
    findings = [*data.notes, *_text_for_ids(ids), *_duplicates(samples, data.corpus), *_odd_text(samples)]
    if data.corpus is not None:
        findings += _padding(ids, data.corpus.positions, "gold ids", "document ids")
    if collection is not None:
        counts |= {"queries": len(collection.queries), "judged queries": len(collection.grades)}
        counts["queries that are not judged nor asked"] = len(collection.queries.keys() - collection.grades.keys())
        counts["judged queries with a text"] = len(collection.grades.keys() & collection.queries.keys())
        findings += [*_joins(collection), *_codes(collection)]
    return Report(counts, tuple(dict.fromkeys(findings)))


def document_of(identifier: str, corpus: Corpus) -> str | None:
    """The document that a gold id names, itself or by a span."""
    if identifier in corpus.positions:
        return identifier
    span = parse_span(identifier)
    return span.document if span is not None and span.document in corpus.positions else None


def _text_for_ids(ids: Sequence[str]) -> Iterator[str]:
    prose = [name for name in ids if " " in name and len(name) > PROSE_LENGTH and parse_span(name) is None]
    if prose:
        yield (
            f"{len(prose)} of {len(ids)} gold ids look like texts, e.g. {prose[0]!r:.80}; as ids they match nothing: "
            f"read the file with dataset=ragas, or map relevant_ids to another column"
        )


def _duplicates(samples: Sequence[EvalSample], corpus: Corpus | None) -> Iterator[str]:
    names = Counter(str(sample.metadata["id"]) for sample in samples if sample.metadata.get("id") is not None)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        yield f"{len(twice)} question ids come more than once, e.g. {twice[0]!r}"
    if corpus is None:
        return
    texts = Counter(document.text.strip() for document in corpus if document.text.strip())
    copies = sum(count - 1 for count in texts.values())
    if copies:
        example = next(text for text, count in texts.items() if count > 1)
        yield f"{copies} documents are copies of others, e.g. {example!r:.80}; gold names one of them, rankings may not"


def _odd_text(samples: Sequence[EvalSample]) -> Iterator[str]:
    for what, found in (
        ("hold a NUL character", [sample for sample in samples if "\0" in sample.question]),
        ("hold a replacement character (U+FFFD): a wrong encoding?", [s for s in samples if "\ufffd" in s.question]),
    ):
        if found:
            yield f"{len(found)} questions {what}, e.g. {found[0].question!r:.80}"


def normalised(identifier: str) -> str:
    """An id without case, blanks around it, leading zeros, a file's suffix and `.0`: ids that differ only in form."""
    bare = identifier.strip().casefold().removesuffix(".0")
    bare = re.sub(r"\.(md|txt|html?|pdf|json|xml)\Z", "", bare)
    return re.sub(r"(?<![0-9])0+(?=[0-9])", "", bare)


def _padding(ids: Sequence[str], known: Sized[str], what: str, others: str) -> Iterator[str]:
    unknown = [name for name in dict.fromkeys(ids) if name not in known]
    spans = {name: span.document for name in unknown if (span := parse_span(name)) is not None}
    unknown = [name for name in unknown if spans.get(name) not in known]
    forms: dict[str, str] = {}
    for name in known if unknown else ():
        forms.setdefault(normalised(name), name)
    alike = [(name, forms[form]) for name in unknown if (form := normalised(spans.get(name, name))) in forms]
    if alike:
        yield (
            f"{len(alike)} {what} differ from {others} only in padding, case or suffix, e.g. {alike[0][0]!r} and "
            f"{alike[0][1]!r}"
        )


def _joins(collection: Collection) -> Iterator[str]:
    queries, judged = list(collection.queries), list(collection.grades)
    common = collection.queries.keys() & collection.grades.keys()
    padded = list(_padding(judged, collection.queries, "judged query ids", "query ids"))
    yield from padded
    if not common and not padded and len(queries) == len(judged):
        yield (
            f"no judged query id is a query id, and there are {len(queries)} of both: do they join by position "
            f"({judged[0]!r} to {queries[0]!r}) and not by value? Renumber one of them"
        )


def _codes(collection: Collection) -> Iterator[str]:
    """Whether a higher grade really means more relevant: shared words tell."""
    grades = Counter(grade for each in collection.grades.values() for grade in each.values())
    if min(grades) < 0:
        yield f"{sum(count for grade, count in grades.items() if grade < 0)} judgements are below 0 and not relevant"
    shares = {
        grade: statistics.fmean(found) for grade, found in _shared_words(collection).items() if len(found) >= FEWEST
    }
    if len(shares) > 1 and shares[max(shares)] < REVERSED * shares[min(shares)]:
        yield (
            f"the relevance codes look reversed: documents of grade {max(shares)} share {shares[max(shares)]:.0%} of "
            f"the words of their query, those of grade {min(shares)} {shares[min(shares)]:.0%}; here higher is better"
        )
    elif max(grades) <= 0:
        yield "no judgement is above 0, so nothing is relevant"


def _shared_words(collection: Collection, most: int = 20_000) -> dict[int, list[float]]:
    found: dict[int, list[float]] = defaultdict(list)
    count = 0
    for name, judged in collection.grades.items():
        query = collection.queries.get(name)
        words = set(_WORD.findall(query.text.casefold())) if query is not None else set()
        for identifier, grade in judged.items() if words else ():
            document = collection.corpus.get(identifier)
            count += 1
            if document is not None and count <= most:
                text = set(_WORD.findall(document.text.casefold()))
                found[grade].append(len(words & text) / len(words))
    return found
