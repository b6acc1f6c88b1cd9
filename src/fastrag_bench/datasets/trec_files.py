"""The text files of TREC: judgements (qrels), rankings (runs), documents and topics."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fastrag_bench.datasets.reading import ReadOptions, read_lines, read_text
from fastrag_bench.errors import SchemaError
from fastrag_bench.types import Document

Grades = dict[str, dict[str, int]]
"""Question id -> document id -> grade, in the order of the file."""

Fields = dict[str, str]
"""A topic's texts: title, description, narrative."""

_DOC = re.compile(r"<doc\b[^>]*>(.*?)</doc\s*>", re.DOTALL | re.IGNORECASE)
_DOCNO = re.compile(r"<(docno|docid|id)\b[^>]*>\s*(.*?)\s*</\1\s*>", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<(title|headline|head|hl)\b[^>]*>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
_TEXT = re.compile(r"<(text|body|abstract)\b[^>]*>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[/!?]?[A-Za-z][^<>]*>")
_TOP = re.compile(r"<top\b[^>]*>(.*?)(?=<top\b|</top\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TOPIC = re.compile(r"<topic\b([^>]*)>(.*?)</topic\s*>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<num\b[^>]*>\s*(?:Number\s*:)?\s*([^\s<]+)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\b(?:number|id|num)\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE)
_FIELDS = {"title": "title|query", "description": "desc|description|question", "narrative": "narr|narrative"}
_LABELS = re.compile(r"\s*(?:Topic|Description|Narrative)\s*:\s*", re.IGNORECASE)


def read_qrels(path: Path) -> Grades:
    """Judgements of three columns (question, document, grade) or four (question, anything, document, grade).

    Columns are parted by tabs, or by blanks where the first line has no tab. A first line whose last cell is no number
    is the header; lines that begin with `#` are comments.

    Raises:
        SchemaError: a line of another shape, a document with two grades, or no judgement at all.
    """
    grades: Grades = {}
    for where, question, document, grade in _judgements(path):
        if grades.setdefault(question, {}).setdefault(document, grade) != grade:
            raise SchemaError(f"{where}: document {document!r} has two grades for query {question!r}")
    if not grades:
        raise SchemaError(f"{path}: no judgement in it")
    return grades


def _judgements(path: Path) -> Iterator[tuple[str, str, str, int]]:
    first, delimiter = True, None
    for number, line in read_lines(path, ReadOptions()):
        text = line.rstrip("\r\n")
        if not text.strip() or text.startswith("#"):
            continue
        if first:
            delimiter = "\t" if "\t" in text else None
        cells = text.split(delimiter)
        is_header, first = first and grade_of(cells[-1]) is None, False
        if is_header:
            continue
        where = f"{path}, line {number}"
        grade = grade_of(cells[-1])
        if len(cells) not in (3, 4) or grade is None:
            raise SchemaError(
                f"{where}: expected query, document and a whole number, tab separated, or the four columns of TREC, "
                f"not {line!r:.80}"
            )
        yield where, cells[0], cells[-2], grade


def grade_of(cell: str) -> int | None:
    """A whole number, also as `1.0`; None for anything else."""
    text = cell.strip().removesuffix(".0")
    return int(text) if text.removeprefix("-").isdecimal() and text.isascii() else None


@dataclass(frozen=True)
class TrecRun:
    """Rankings by question id, best first, in trec_eval's order."""

    tag: str
    rankings: dict[str, list[tuple[str, float]]]


def read_run(path: Path) -> TrecRun:
    """A run file: question, Q0, document, rank, score, tag, parted by blanks.

    As trec_eval does, documents are ordered by score (in single precision) and equal scores by document id, both
    descending; the column of ranks is not looked at.

    Raises:
        SchemaError: a line of another shape, a document twice for one question, or no line at all.
    """
    scored: dict[str, dict[str, float]] = {}
    tag = ""
    for number, line in read_lines(path, ReadOptions()):
        cells = line.split()
        if not cells or line.startswith("#"):
            continue
        where = f"{path}, line {number}"
        score = _score(cells[4]) if len(cells) == 6 else None
        if score is None:
            raise SchemaError(f"{where}: expected question, Q0, document, rank, score and tag, not {line!r:.80}")
        documents = scored.setdefault(cells[0], {})
        if cells[2] in documents:
            raise SchemaError(f"{where}: document {cells[2]!r} is ranked twice for question {cells[0]!r}")
        documents[cells[2]] = score
        tag = tag or cells[5]
    if not scored:
        raise SchemaError(f"{path}: no ranking in it")
    return TrecRun(tag, {question: _ordered(documents) for question, documents in scored.items()})


def _score(cell: str) -> float | None:
    try:
        score = float(cell)
    except ValueError:
        return None
    return score if math.isfinite(score) else None


def _ordered(documents: dict[str, float]) -> list[tuple[str, float]]:
    rounded = np.array(list(documents.values()), dtype=np.float32).tolist()
    return sorted(zip(documents, rounded, strict=True), key=lambda entry: (entry[1], entry[0]), reverse=True)


def read_documents(path: Path, encoding: str | None) -> list[tuple[str, Document]]:
    """(place, document) for each `<DOC>` of an SGML or XML file, which needs no root element.

    The text is that of the title and the text elements where there are any, else all but the number.

    Raises:
        SchemaError: there is no document, or one without a number.
    """
    text = read_text(path, ReadOptions(encoding=encoding, max_bytes=4 << 30)).replace("\r\n", "\n").replace("\r", "\n")
    found = []
    for count, match in enumerate(_DOC.finditer(text), start=1):
        number = _DOCNO.search(match[1])
        if number is None or not number[2]:
            raise SchemaError(f"{path}, document {count}: it has no <DOCNO>")
        title, body = _document_texts(match[1].replace(number[0], ""))
        metadata = {"title": title} if title else {}
        found.append((f"{path}, document {count}", Document(f"{title}\n{body}".strip(), metadata, id=number[2])))
    if not found:
        raise SchemaError(f"{path}: no <DOC> ... </DOC> in it")
    return found


def _document_texts(raw: str) -> tuple[str, str]:
    texts = [match[2] for match in _TEXT.finditer(raw)]
    if not texts:
        return "", _plain(raw)
    title = _TITLE.search(raw)
    return ("" if title is None else " ".join(_plain(title[2]).split())), "\n".join(map(_plain, texts))


def _plain(raw: str) -> str:
    return html.unescape(_TAG.sub("", raw)).strip()


def read_topics(path: Path, encoding: str | None) -> dict[str, Fields]:
    """Topics by number, from `<top>` blocks (closed or not), `<topic number="...">`, or `number TAB text` lines.

    Raises:
        SchemaError: no topic, one without a number, or a number that comes twice.
    """
    text = read_text(path, ReadOptions(encoding=encoding)).replace("\r\n", "\n")
    topics: dict[str, Fields] = {}
    for count, (number, fields) in enumerate(_topics(text, path), start=1):
        where = f"{path}, topic {count}"
        if not number or not fields:
            raise SchemaError(f"{where}: it has no number or no text")
        if number in topics:
            raise SchemaError(f"{where}: the number {number!r} comes twice")
        topics[number] = fields
    if not topics:
        raise SchemaError(f'{path}: no topic in it; topics are <top> or <topic number="..."> or number TAB text')
    return topics


def _topics(text: str, path: Path) -> Iterator[tuple[str, Fields]]:
    if _TOP.search(text):
        for match in _TOP.finditer(text):
            number = _NUMBER.search(match[1])
            yield number[1] if number else "", _fields(match[1])
    elif _TOPIC.search(text):
        for match in _TOPIC.finditer(text):
            number = _ATTRIBUTE.search(match[1]) or _NUMBER.search(match[2])
            fields = _fields(match[2])
            yield number[1] if number else "", fields or ({"title": bare} if (bare := _one_line(match[2])) else {})
    else:
        for place, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                key, tab, title = line.partition("\t")
                if not tab:
                    raise SchemaError(f"{path}, line {place}: no topic: {line!r:.80}")
                yield key.strip(), ({"title": title.strip()} if title.strip() else {})


def _fields(raw: str) -> Fields:
    found = {}
    for name, tags in _FIELDS.items():
        match = re.search(rf"<(?:{tags})\b[^>]*>(.*?)(?=<[A-Za-z/]|\Z)", raw, re.DOTALL | re.IGNORECASE)
        if match and (text := _one_line(_LABELS.sub("", match[1], count=1))):
            found[name] = text
    return found


def _one_line(raw: str) -> str:
    return " ".join(_plain(raw).split())
