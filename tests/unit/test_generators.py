"""Generators that need no model, and the slots that do nothing."""

import pytest

from fastrag_bench.contexts.none import NoContext
from fastrag_bench.contracts import Answer
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.generators.extractive import ExtractiveGenerator
from fastrag_bench.generators.none import NoGenerator
from fastrag_bench.query_transforms.none import NoQueryTransform
from fastrag_bench.types import Document

LIBRARY = Document(
    "# Loans\n\nBooks may be kept for thirty days. The library opens at nine. Films are lent for 7 days.\n\n"
    "## Fines\n\n- A late book costs 20 cents a day.\n- A lost card costs 5 euros.\n"
)
ROCKS = Document("Basalt is a dark rock. It cools quickly, so its crystals are small.")


def answer(query: str, *passages: Document, **settings: object) -> str:
    return ExtractiveGenerator.model_validate(settings).generate(query, passages).text


def test_the_slots_that_do_nothing() -> None:
    assert NoGenerator().generate("q", [ROCKS]) == Answer("")
    assert NoQueryTransform().transform("why?") == ["why?"]
    assert NoContext().build_context("q", [LIBRARY, ROCKS]) == [LIBRARY, ROCKS]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("When does the library open?", "The library opens at nine."),
        ("What does a lost card cost?", "A lost card costs 5 euros."),
        ("Which colour is basalt?", "Basalt is a dark rock."),
        ("Why are crystals small?", "It cools quickly, so its crystals are small."),
    ],
)
def test_the_sentence_with_the_rarest_shared_words_is_quoted(query: str, expected: str) -> None:
    assert answer(query, LIBRARY, ROCKS) == expected


def test_nothing_shared_is_no_answer() -> None:
    assert answer("Who was Napoleon?", LIBRARY, ROCKS) == ""
    assert answer("Who was Napoleon?") == ""
    assert answer("", ROCKS) == ""


def test_tokens_are_not_known() -> None:
    assert ExtractiveGenerator().generate("dark rock", [ROCKS]) == Answer("Basalt is a dark rock.", None, None)


def test_a_heading_helps_its_sentences_and_is_not_quoted() -> None:
    passage = Document("## Introsort\n\nDavid Musser proposed a hybrid in 1997.\n\n## Timsort\n\nIt merges runs.")
    assert answer("What is introsort?", passage) == "David Musser proposed a hybrid in 1997."


def test_a_table_row_is_quoted_without_its_bars() -> None:
    passage = Document("| Directive | Meaning |\n|---|---|\n| no-store | never kept |\n| max-age | seconds |\n")
    assert answer("What does no-store mean?", passage) == "no-store | never kept"


def test_a_question_for_a_quantity_prefers_a_sentence_with_a_number() -> None:
    passage = Document("The wave is a famous wave of the river. The wave reaches 40 km/h on the river.")
    assert answer("How fast is the river wave?", passage, number_bonus=0) == "The wave is a famous wave of the river."
    assert answer("How fast is the river wave?", passage) == "The wave reaches 40 km/h on the river."


def test_a_better_passage_wins_a_tie_and_rank_decay_decides_how_far() -> None:
    first, second = Document("Tea is brewed hot."), Document("Green tea is brewed for two minutes. Milk spoils tea.")
    assert answer("green tea", first, second) == "Green tea is brewed for two minutes."
    assert answer("green tea", first, second, rank_decay=0.01) == "Tea is brewed hot."


def test_several_sentences_stand_in_their_order_and_repeats_come_once() -> None:
    overlap = Document("The library opens at nine. Films are lent for 7 days.")
    found = answer("library films books", LIBRARY, overlap, sentences=3)
    assert found == "Books may be kept for thirty days. The library opens at nine. Films are lent for 7 days."


def test_the_longest_answer() -> None:
    assert answer("library films lent", LIBRARY, sentences=2, max_chars=30) == "Films are lent for 7 days."
    both = "The library opens at nine. Films are lent for 7 days."
    assert answer("library films lent", LIBRARY, sentences=2, max_chars=len(both)) == both
    assert answer("library", LIBRARY, max_chars=17) == "The library opens"
    assert answer("长江", Document("长江全长约6300公里。"), max_chars=4) == "长江全长"


@pytest.mark.parametrize(
    ("query", "passage", "expected"),
    [
        ("长江有多长？", "长江是中国第一大河。长江全长约6300公里。黄河较短。", "长江全长约6300公里。"),
        (
            "富士山の高さは？",
            "富士山は火山である。富士山の高さは3776メートルです。",
            "富士山の高さは3776メートルです。",
        ),
        ("대출 기간은 며칠인가요?", "도서관은 아홉 시에 엽니다. 대출 기간은 30일입니다.", "대출 기간은 30일입니다."),
    ],
)
def test_chinese_japanese_and_korean(query: str, passage: str, expected: str) -> None:
    assert answer(query, Document(passage), stemmer="none", stop_words="none") == expected


def test_an_unknown_stemmer_is_named() -> None:
    with pytest.raises(ConfigurationError, match="no stemmer 'x'"):
        ExtractiveGenerator(stemmer="x").inspect_settings()
