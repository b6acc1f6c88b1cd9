"""Where sentences end, and what `sentence_spans` promises for any text."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastrag_bench.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # stops
        ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
        ("What?! No... Yes.", ["What?!", "No...", "Yes."]),
        ("Wait... what? Fine.", ["Wait... what?", "Fine."]),
        ("how are you? fine", ["how are you?", "fine"]),
        ("all lower case. as in old files. end", ["all lower case.", "as in old files.", "end"]),
        ("A file.txt is at example.com today. Good.", ["A file.txt is at example.com today.", "Good."]),
        # quotes and brackets belong to the sentence they close
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ('"Go!" he cried. "Really?" he asked.', ['"Go!" he cried.', '"Really?" he asked.']),
        ("It ended. (See below.) Next.", ["It ended.", "(See below.)", "Next."]),
        ("It is known.[12] Others differ.[3][4] So.", ["It is known.[12]", "Others differ.[3][4]", "So."]),
        # abbreviations, initials, numbers
        ("Dr. Smith met Mrs. Jones. They spoke.", ["Dr. Smith met Mrs. Jones.", "They spoke."]),
        ("See e.g. Smith et al. 2020. It holds.", ["See e.g. Smith et al. 2020.", "It holds."]),
        ("Cats, dogs, etc. are pets. Cats, etc. The end.", ["Cats, dogs, etc. are pets.", "Cats, etc.", "The end."]),
        ("On Jan. 5 it rained. It is 3.50 euros.", ["On Jan. 5 it rained.", "It is 3.50 euros."]),
        ("See Fig. 3 and No. 5. I said no. Then I left.", ["See Fig. 3 and No. 5.", "I said no.", "Then I left."]),
        ("The U.S. Army is big. He left the U.S. He flew.", ["The U.S. Army is big.", "He left the U.S.", "He flew."]),
        ("J. R. Smith came. So did I. He sat.", ["J. R. Smith came.", "So did I.", "He sat."]),
        ("It ended in 1999. Then came 2000.", ["It ended in 1999.", "Then came 2000."]),
        # other scripts
        ("这是第一句。这是第二句！真的吗？是的。", ["这是第一句。", "这是第二句！", "真的吗？", "是的。"]),
        ("「そうです。」彼は言った。", ["「そうです。」", "彼は言った。"]),
        ("यह एक है। यह दो है।", ["यह एक है।", "यह दो है।"]),
        ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟", "نعم."]),
        # layout
        ("A line\nthat goes on. Next", ["A line\nthat goes on.", "Next"]),
        ("A title\n\nA paragraph\r\n\r\nAnother", ["A title", "A paragraph", "Another"]),
        (
            "Buy:\n- milk\n- 2. bread\n* eggs\n1. one\n2) two",
            ["Buy:", "- milk", "- 2. bread", "* eggs", "1. one", "2) two"],
        ),
        ("1. Introduction\nWe begin.", ["1. Introduction\nWe begin."]),
        ("# Title\nText\n## Sub\nMore", ["# Title", "Text", "## Sub", "More"]),
        ("Title\n=====\nText", ["Title\n=====", "Text"]),
        ("Text\n| a | b |\n|---|---|\n| 1 | 2 |", ["Text", "| a | b |", "|---|---|", "| 1 | 2 |"]),
        ("Run:\n```sh\nls -l\n```\nDone", ["Run:", "```sh", "ls -l", "```", "Done"]),
        # little or nothing
        ("", []),
        (" \n\t ", []),
        ("word", ["word"]),
        ("  word  ", ["word"]),
        ("...", ["..."]),
        ("😀 😀. 😀", ["😀 😀.", "😀"]),
    ],
)
def test_ends(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


# fmt: off
PIECES = [
    "word", "A", "Dr", "etc", "3", ".", "!", "?", "…", "。", " ", "\n", "\r\n", "\n\n", '"', "(", "[1]", "# ", "- ",
    "|", "```", "===", "---", "字", "é", "\u00a0", "\x85", "1. ", "U.S.",
]
# fmt: on
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


@given(TEXTS)
@example("\n# \n")
@example("===")
@example("# a\n===\nb")
@settings(max_examples=300, deadline=None)
def test_spans_are_ordered_disjoint_stripped_and_lose_nothing(text: str) -> None:
    reached = 0
    for start, end in sentence_spans(text):
        assert reached <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert not text[reached:start].strip()
        reached = end
    assert not text[reached:].strip()


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_the_same_text_has_the_same_sentences(text: str) -> None:
    assert sentence_spans(text) == sentence_spans(text)


HOSTILE = [
    ".",
    ".)",
    "\n",
    "\n ",
    "a",
    " ",
    "。",
    "- ",
    "\n- ",
    "[1",
    ".\n",
    '."',
    ". (",
    "\n# ",
    "\n---",
    "`",
    ".[1",
    "A. ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_text_costs_more_than_linear_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    began = time.process_time()
    sentence_spans(text)
    assert time.process_time() - began < 3  # measured: under .2; a quadratic scan takes minutes
