"""The dataset inside the package: every span is its quote, and there is enough of everything."""

from collections import Counter
from importlib.resources import files
from pathlib import Path

from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.sources.default import DefaultDataset

KINDS = {"definition", "howto", "keyword", "multihop", "number", "paraphrase", "unanswerable"}


def load() -> BenchmarkData:
    return DefaultDataset().load()


def test_every_span_is_its_quote() -> None:
    data = load()
    assert data.corpus is not None
    for sample in data.questions:
        spans = [identifier.split("#char=") for identifier in sample.relevant_ids]
        texts = [data.corpus.get(name).text[slice(*map(int, span.split(",")))] for name, span in spans]
        assert texts == sample.metadata.get("quotes", [])


def test_it_is_large_enough_and_small_enough() -> None:
    data = load()
    assert data.corpus is not None
    assert 38 <= len(data.corpus) <= 50
    assert len(data.questions) >= 150
    assert all(450 <= len(document.text.split()) <= 1500 for document in data.corpus)
    folder = Path(str(files("fastrag_bench") / "data" / "default"))
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 1_000_000


def test_ids_and_questions_are_unique_and_nothing_is_noted() -> None:
    data = load()
    assert len({sample.metadata["id"] for sample in data.questions}) == len(data.questions)
    assert len({sample.question.casefold() for sample in data.questions}) == len(data.questions)
    assert data.notes == ()
    assert data.name == "default"


def test_every_kind_has_its_shape() -> None:
    questions = list(load().questions)
    counts = Counter(sample.metadata["kind"] for sample in questions)
    assert set(counts) == KINDS
    assert min(counts.values()) >= 10
    for sample in questions:
        expected = {"unanswerable": 0, "multihop": 2}.get(sample.metadata["kind"], 1)
        assert len(sample.relevant_ids) == expected
        assert bool(sample.expected_answers) == bool(expected)
        assert sample.metadata.get("answerable", True) is bool(expected)


def test_every_document_is_asked_about() -> None:
    data = load()
    assert data.corpus is not None
    asked = {identifier.split("#")[0] for sample in data.questions for identifier in sample.relevant_ids}
    assert asked == set(data.corpus.positions)


def test_the_limit_takes_the_first() -> None:
    assert list(DefaultDataset(limit=3).load().questions) == list(load().questions)[:3]
