"""The text of PDF files; needs the extra `pdf`."""

from __future__ import annotations

import importlib
import importlib.util
import re
from itertools import accumulate
from pathlib import Path
from typing import Any

from fastrag_bench.errors import ConfigurationError, MissingExtraError
from fastrag_bench.types import Document

PAGE_BREAK = "\n\n"


def can_read_pdf() -> bool:
    """Whether the extra is installed."""
    return importlib.util.find_spec("pypdf") is not None


def read_pdf(path: Path, identifier: str) -> Document:
    """A document of all pages, a blank line between them.

    `metadata["page_starts"]` has the offset at which each page begins, so that page numbers follow from offsets. A page
    without text, such as a scan, is empty: nothing is recognised from images.

    Raises:
        MissingExtraError: pypdf is not installed.
        ConfigurationError: not a PDF file, encrypted, or without any text.
    """
    try:
        pypdf: Any = importlib.import_module("pypdf")
    except ImportError:
        raise MissingExtraError(f"Reading {path.name}", extra="pdf") from None
    try:
        pages = [_clean(page.extract_text()) for page in pypdf.PdfReader(path).pages]
    except (pypdf.errors.PyPdfError, OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path}: not a PDF file that can be read: {type(error).__name__}: {error}") from None
    if not any(pages):
        raise ConfigurationError(f"{path}: no text in its {len(pages)} pages (scanned?); run text recognition first")
    starts = accumulate((len(page) + len(PAGE_BREAK) for page in pages[:-1]), initial=0)
    return Document(PAGE_BREAK.join(pages), {"page_starts": list(starts)}, id=identifier)


def _clean(text: str) -> str:
    return re.sub(r"[ \t]+\n", "\n", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
