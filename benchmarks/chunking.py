"""Chunking speed: ours against langchain-text-splitters, in turn in one run, in CPU time of one thread.

    python benchmarks/chunking.py [FOLDER]     FOLDER: measure its .md, .rst and .txt files too

Both make the same chunks (a test compares them); ours have their places in the document, the other's `split_text` has
none and `create_documents` with `add_start_index` searches for them. Numbers are megabytes of text (a character is one
byte here) a second, medians of the rounds; trust the ratios.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from fastrag_bench.chunkers.fixed import FixedChunker
from fastrag_bench.chunkers.markdown import MarkdownChunker
from fastrag_bench.chunkers.recursive import RecursiveChunker
from fastrag_bench.chunkers.sentence import SentenceChunker
from fastrag_bench.tokenizers.lengths import VOCABULARY, length_function
from fastrag_bench.tokenizers.wordpiece import WordPiece
from fastrag_bench.types import Document

ROUNDS = 5
MEGABYTE = 1_000_000


def words(generator: random.Random, count: int) -> list[str]:
    """Words of a vocabulary of 20,000, with the frequencies of Zipf's law."""
    vocabulary = ["".join(generator.choices("etaoinshrdlucmfwyp", k=generator.randint(2, 11))) for _ in range(20_000)]
    return generator.choices(vocabulary, [1 / rank for rank in range(1, 20_001)], k=count)


def prose(*, wrapped: bool, documents: int = 20) -> list[str]:
    """Documents of 50 to 250 paragraphs of about 600 characters, each one line or lines of 14 words."""
    generator = random.Random(7)
    supply = iter(words(generator, 400_000))
    texts = []
    for _ in range(documents):
        paragraphs = []
        for _ in range(generator.randint(50, 250)):
            line = [next(supply, "end") for _ in range(generator.randint(20, 160))]
            rows = [" ".join(line[i : i + 14]) for i in range(0, len(line), 14)]
            paragraphs.append(("\n" if wrapped else " ").join(rows) + ".")
        texts.append("\n\n".join(paragraphs))
    return texts


def default_documents() -> list[str]:
    """The documents of the default dataset, repeated to about a megabyte; empty where they are not installed."""
    folder = files("fastrag_bench") / "data" / "default" / "documents"
    texts = (
        [entry.read_text(encoding="utf-8") for entry in sorted(folder.iterdir(), key=str)] if folder.is_dir() else []
    )
    return texts * max(1, MEGABYTE // max(1, sum(map(len, texts))))


def median_seconds(contestants: dict[str, Callable[[], object]]) -> dict[str, float]:
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, run in contestants.items():
            began = time.process_time()
            run()
            seconds[name].append(time.process_time() - began)
    return {name: statistics.median(values) for name, values in seconds.items()}


def compare(title: str, texts: list[str], *, size: int, overlap: int, unit: str) -> None:
    from langchain_text_splitters import RecursiveCharacterTextSplitter as Other

    documents = [Document(text, id=str(number)) for number, text in enumerate(texts)]
    ours = RecursiveChunker(size=size, overlap=overlap, unit=unit)
    settings = {"chunk_size": size, "chunk_overlap": overlap}
    contestants: dict[str, Callable[[], object]] = {"ours": lambda: [ours.chunk(document) for document in documents]}
    if unit == "characters":
        plain, placed = Other(**settings), Other(**settings, add_start_index=True)
        contestants["theirs"] = lambda: [plain.split_text(text) for text in texts]
        contestants["theirs + start_index"] = lambda: [placed.create_documents([text]) for text in texts]
    else:
        memo = Other(**settings, length_function=length_function("tokens"))
        encode = Other(**settings, length_function=WordPiece.from_file(VOCABULARY).count)
        contestants["theirs, our word memo"] = lambda: [memo.split_text(text) for text in texts]
        contestants["theirs, encode each part"] = lambda: [encode.split_text(text) for text in texts]
    report(f"{title}, {size}/{overlap} {unit}", texts, median_seconds(contestants))


def report(title: str, texts: list[str], seconds: dict[str, float]) -> None:
    megabytes = sum(map(len, texts)) / MEGABYTE
    for name, value in seconds.items():
        print(f"{title:44} {name:26} {megabytes / value:8.1f} MB/s {value / seconds['ours']:6.1f} x ours")


def others(title: str, texts: list[str]) -> None:
    documents = [Document(text, id=str(number)) for number, text in enumerate(texts)]
    megabytes = sum(map(len, texts)) / MEGABYTE
    chunkers = [FixedChunker(), SentenceChunker(), MarkdownChunker(), FixedChunker(size=256, overlap=32, unit="tokens")]
    runs = {
        f"{type(chunker).__name__} {chunker.size} {chunker.unit}": lambda chunker=chunker: [
            chunker.chunk(document) for document in documents
        ]
        for chunker in chunkers
    }
    for name, value in median_seconds(runs).items():
        print(f"{title:44} {name:26} {megabytes / value:8.1f} MB/s")


def main(folders: list[str]) -> None:
    corpora = {"one-line paragraphs": prose(wrapped=False), "wrapped paragraphs": prose(wrapped=True)}
    corpora["default documents"] = default_documents()
    for folder in folders:
        paths = sorted(path for path in Path(folder).rglob("*") if path.suffix in {".md", ".rst", ".txt"})
        corpora[Path(folder).name] = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    for title, texts in corpora.items():
        if texts:
            for size, overlap in ((1000, 0), (1000, 200), (800, 100)):
                compare(title, texts, size=size, overlap=overlap, unit="characters")
            compare(title, texts, size=256, overlap=32, unit="tokens")
            others(title, texts)


if __name__ == "__main__":
    main(sys.argv[1:])
