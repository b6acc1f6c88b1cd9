"""Documents from files: text, Markdown, HTML, PDF, or JSON lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.reading import ReadOptions
from fastrag_bench.datasets.records import Record
from fastrag_bench.datasets.sources.html import html_to_text
from fastrag_bench.datasets.sources.pdf import can_read_pdf, read_pdf
from fastrag_bench.errors import ConfigurationError, DatasetNotFoundError, MissingExtraError, SchemaError
from fastrag_bench.types import Corpus, Document

TEXT_SUFFIXES = (".md", ".markdown", ".txt")
HTML_SUFFIXES = (".html", ".htm")
PDF_SUFFIX = ".pdf"
SUFFIXES = (*TEXT_SUFFIXES, *HTML_SUFFIXES, PDF_SUFFIX)
IDS = ("id", "_id", "doc_id")


def document_text(raw: str) -> str:
    """The text that offsets count in: no byte order mark, every line ends with a line feed."""
    return raw.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def text_offset(raw: str, offset: int) -> int:
    """Where an offset into the raw text lies in its `document_text`."""
    return offset if "\r" not in raw and not raw.startswith("\ufeff") else len(document_text(raw[:offset]))


def read_document(path: Path, identifier: str) -> Document:
    """A document from a PDF file, or from a text, Markdown or HTML file, which has to be UTF-8.

    Raises:
        ConfigurationError: the file cannot be read, or is not UTF-8.
        MissingExtraError: a PDF file without the extra.
    """
    if path.suffix.lower() == PDF_SUFFIX:
        return read_pdf(path, identifier)
    try:
        text = document_text(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ConfigurationError(f"{path}: byte {error.start} (0x{byte:02x}) is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    return Document(html_to_text(text) if path.suffix.lower() in HTML_SUFFIXES else text, id=identifier)


def read_folder(folder: Path, *, apart_from: Path | None = None) -> tuple[Corpus, tuple[str, ...]]:
    """All documents below a folder, and notes on the files that are none.

    A document's id is its path relative to the folder, with forward slashes. What begins with a dot is passed over.

    Raises:
        DatasetNotFoundError: there is no such folder.
        ConfigurationError: no document in it, or one that cannot be read.
    """
    if not folder.is_dir():
        raise DatasetNotFoundError(f"{folder}: there is no such folder (looked in {folder.resolve().parent})")
    files = [path for path in sorted(folder.rglob("*")) if _is_visible_file(path, folder) and path != apart_from]
    readable = SUFFIXES if can_read_pdf() else SUFFIXES[:-1]
    chosen = [path for path in files if path.suffix.lower() in readable]
    if not chosen and any(path.suffix.lower() == PDF_SUFFIX for path in files):
        raise MissingExtraError(f"Reading the PDF files in {folder}", extra="pdf")
    if not chosen:
        raise ConfigurationError(f"{folder}: no document in it; files that count end in {_suffixes()}")
    corpus = Corpus(read_document(path, path.relative_to(folder).as_posix()) for path in chosen)
    left = sorted({path.suffix.lower() or path.name for path in files} - set(readable))
    count = len(files) - len(chosen)
    notes = [f"{count} of {len(files)} files are no documents and were left out ({', '.join(left)})"] if count else []
    if PDF_SUFFIX in left:
        notes.append('reading .pdf files needs pip install "fastrag_bench[pdf]"')
    return corpus, (*notes, *blank_notes(corpus))


def read_documents(path: Path) -> tuple[Corpus, tuple[str, ...]]:
    """Documents of a folder or a `.jsonl` file, and notes on them; raises as these do."""
    return read_jsonl_documents(path) if ".jsonl" in path.suffixes else read_folder(path)


def read_jsonl_documents(path: Path) -> tuple[Corpus, tuple[str, ...]]:
    """Documents from JSON lines `{"id": ..., "text": ...}`; other fields become metadata.

    Raises:
        DatasetNotFoundError: there is no such file.
        ConfigurationError: a line without id or text, or an id that comes twice; it names the line.
    """
    records = read_records(path, ReadOptions(list_separator=None))
    corpus = corpus_of(records, [_document(record) for record in records], path)
    return corpus, blank_notes(corpus)


def corpus_of(records: Sequence[Record], documents: Sequence[Document], path: Path) -> Corpus:
    """The corpus of documents read from `records`.

    Raises:
        ConfigurationError: an id comes twice, or there is no document.
    """
    first: dict[str, str] = {}
    for record, document in zip(records, documents, strict=True):
        if str(document.id) in first:
            raise SchemaError(f"{record.where}: the id {document.id!r} comes twice, first in {first[str(document.id)]}")
        first[str(document.id)] = record.where
    if not documents:
        raise ConfigurationError(f"{path}: no document in it")
    return Corpus(documents)


def identifier_of(record: Record, names: Sequence[str] = IDS) -> str:
    """The id of a record, a text or a whole number; raises SchemaError where there is none."""
    for name in names:
        value = record.values.get(name)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value):
            return str(value)
    raise SchemaError(f"{record.where}: no id; it is a text or a whole number under {' or '.join(names)}")


def text_of(record: Record, name: str = "text") -> str:
    """A field that has to be text; raises SchemaError where it is not."""
    value = record.values.get(name)
    if isinstance(value, str):
        return value
    raise SchemaError(f"{record.where}: {name!r} has to be text; the fields are {', '.join(map(repr, record.values))}")


def blank_notes(corpus: Corpus) -> tuple[str, ...]:
    """A note on documents without any text."""
    blank = [str(document.id) for document in corpus if not document.text.strip()]
    return (f"{len(blank)} of {len(corpus)} documents are blank, e.g. {blank[0]!r}",) if blank else ()


def _document(record: Record) -> Document:
    identifier = identifier_of(record)
    taken = {"text", next(name for name in IDS if str(record.values.get(name, "")) == identifier)}
    metadata: dict[str, Any] = {name: value for name, value in record.values.items() if name not in taken}
    return Document(document_text(text_of(record)), metadata, id=identifier)


def _is_visible_file(path: Path, folder: Path) -> bool:
    inside = path.relative_to(folder)
    hidden = any(part.startswith(".") for part in inside.parts)
    return path.is_file() and not hidden and not any(_is_ours(folder / parent) for parent in inside.parents)


@lru_cache(maxsize=256)
def _is_ours(folder: Path) -> bool:
    """Whether a folder is this program's own `outputs`: what it wrote about documents is no document."""
    return folder.name == "outputs" and any((folder / name).is_dir() for name in ("store", "sweeps", "runs"))


def _suffixes() -> str:
    return " ".join(SUFFIXES)
