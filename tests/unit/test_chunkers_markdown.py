"""Sections by heading, and what is a heading."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from fastrag_bench.chunkers.headings import headings
from fastrag_bench.chunkers.markdown import MarkdownChunker
from fastrag_bench.types import Document
from tests.unit.chunking import TEXTS

GUIDE = """Before all.

# Guide

Welcome.

## Install

### Linux
Use the package.

### Windows ##

Use the installer.

Reference
=========
Text.

Options
-------
More text.
"""


def parts(text: str, **settings: int) -> list[tuple[str, str]]:
    settings = {"size": 200, "overlap": 0, **settings}
    return [(chunk.context, chunk.text) for chunk in MarkdownChunker(**settings).chunk(Document(text, id="d"))]


def test_each_section_is_a_chunk_with_its_heading_path() -> None:
    assert parts(GUIDE) == [
        ("", "Before all."),
        ("Guide", "# Guide\n\nWelcome."),
        ("Guide > Install > Linux", "## Install\n\n### Linux\nUse the package."),
        ("Guide > Install > Windows", "### Windows ##\n\nUse the installer."),
        ("Reference", "Reference\n=========\nText."),
        ("Reference > Options", "Options\n-------\nMore text."),
    ]


def test_deeper_headings_stay_inside_their_section() -> None:
    assert [context for context, _ in parts(GUIDE, deepest=1)] == ["", "Guide", "Reference"]


def test_a_long_section_is_split_and_each_part_keeps_the_path() -> None:
    text = "# A\n\n" + "word " * 30 + "\n\n# B\nshort"
    chunks = parts(text, size=80)
    assert [context for context, _ in chunks] == ["A", "A", "A", "B"]
    assert chunks[0] == ("A", "# A")
    assert chunks[1] == ("A", " ".join(["word"] * 16))


def test_overlap_does_not_cross_a_heading() -> None:
    chunks = MarkdownChunker(size=40, overlap=20).chunk(Document("# A\n" + "word " * 30 + "\n# B\n" + "term " * 30))
    assert all("word" not in chunk.text or "term" not in chunk.text for chunk in chunks)


def test_without_headings_it_is_recursive() -> None:
    assert parts("one two three", size=8) == [("", "one two"), ("", "three")]


def test_a_last_heading_without_text_is_kept() -> None:
    assert parts("# A\ntext\n# B\n") == [("A", "# A\ntext"), ("B", "# B")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two\n###### Six", [(1, "One"), (2, "Two"), (6, "Six")]),
        ("   # Indented\r\n## Closed ##\r\n", [(1, "Indented"), (2, "Closed")]),
        ("# C#\n## F# ##\n#\n# #", [(1, "C#"), (2, "F#"), (1, ""), (1, "")]),
        ("Over\n====\n\nUnder\n-\n", [(1, "Over"), (2, "Under")]),
        ("Two\nlines\n===\n", [(1, "Two lines")]),
        ("# One\nTwo\n---\n", [(1, "One"), (2, "Two")]),
        ("---\ntitle: x\ntags: y\n---\n# Real\n", [(1, "Real")]),
    ],
)
def test_headings(text: str, expected: list[tuple[int, str]]) -> None:
    assert [(heading.level, heading.title) for heading in headings(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "#Not\n",
        "####### seven\n",
        "    # code\n",
        "\t# code\n",
        "text # not\n",
        "```\n# code\n```\n",
        "~~~py\n# code\n```\n# code\n~~~\n",
        "````\n```\n# code\n````\n",
        "```\n# never closed\n",
        "```\n# code\n``` not closed\n# code\n",
        "text\n\n---\n\ntext",
        "- item\n---\n",
        "> quoted\n---\n",
        "| a |\n---\n",
        "---\n\n===\n",
        "one\ntwo\nthree\nfour\n---\n",
    ],
)
def test_not_headings(text: str) -> None:
    assert headings(text) == []


def test_a_heading_behind_a_closed_fence_counts() -> None:
    assert [heading.title for heading in headings("```\n# no\n```\n# yes\n")] == ["yes"]
    assert [heading.title for heading in headings("``` a`b ```\n# yes\n")] == ["yes"]


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_headings_are_ordered_and_disjoint(text: str) -> None:
    reached = 0
    for heading in headings(text):
        assert reached <= heading.start < heading.end <= len(text)
        reached = heading.end
