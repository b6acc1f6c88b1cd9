"""What a person should know of the gold ids before anything runs."""

from __future__ import annotations

import re
from collections import Counter

from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.types import Corpus

_SPAN = re.compile(r"(?s)(.*)#char=(\d+),(\d+)")


def gold_notes(questions: QADataset, corpus: Corpus | None) -> tuple[str, ...]:
    """Sentences on questions without gold ids and, where there is a corpus, on ids that name nothing in it.

    Questions marked `answerable: false` have none by intent and are not counted.
    """
    notes = []
    bare = [
        sample for sample in questions if not sample.relevant_ids and sample.metadata.get("answerable") is not False
    ]
    if bare:
        verb = "has" if len(bare) == 1 else "have"
        notes.append(
            f"{len(bare)} of {len(questions)} questions {verb} no gold id, so retrieval metrics leave them out, "
            f"e.g. {bare[0].question!r:.100}"
        )
    notes += _repeated(questions)
    if corpus is not None:
        notes += _dangling(questions, corpus)
    return tuple(notes)


def _repeated(questions: QADataset) -> list[str]:
    counts = Counter(sample.question for sample in questions)
    twice = [question for question, count in counts.items() if count > 1]
    if not twice:
        return []
    verb = "question is" if len(twice) == 1 else "questions are"
    return [f"{len(twice)} {verb} asked more than once, e.g. {twice[0]!r:.100}"]


def _dangling(questions: QADataset, corpus: Corpus) -> list[str]:
    ids = list(dict.fromkeys(identifier for sample in questions for identifier in sample.relevant_ids))
    unknown = [identifier for identifier in ids if not _names_document(identifier, corpus)]
    outside = [identifier for identifier in ids if _lies_outside(identifier, corpus)]
    notes = []
    if unknown:
        what = "gold id names" if len(unknown) == 1 else "gold ids name"
        notes.append(
            f"{len(unknown)} {what} no document, e.g. {unknown[0]!r:.100} (documents: {corpus[0].id!r:.60} ...)"
        )
    if outside:
        what = "gold span is" if len(outside) == 1 else "gold spans are"
        notes.append(f"{len(outside)} {what} not within the document, e.g. {outside[0]!r:.100}")
    return notes


def _names_document(identifier: str, corpus: Corpus) -> bool:
    span = _SPAN.fullmatch(identifier)
    return identifier in corpus.positions or (span is not None and span[1] in corpus.positions)


def _lies_outside(identifier: str, corpus: Corpus) -> bool:
    span = None if identifier in corpus.positions else _SPAN.fullmatch(identifier)
    document = corpus.get(span[1]) if span else None
    if span is None or document is None:
        return False
    start, end = int(span[2]), int(span[3])
    return not start < end <= len(document.text)
