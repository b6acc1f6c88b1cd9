"""Dataset sources: where documents and questions come from, and what is said of what does not fit."""

import gzip
import json
from pathlib import Path

import pytest

from fastrag_bench.datasets.sources.beir import BeirDataset
from fastrag_bench.datasets.sources.files import FilesDataset
from fastrag_bench.datasets.sources.html import html_to_text
from fastrag_bench.datasets.sources.questions import QuestionsDataset
from fastrag_bench.errors import ConfigurationError, DatasetNotFoundError, SchemaError
from fastrag_bench.types import EvalSample


def write(folder: Path, **files: str | bytes) -> Path:
    """Files by name, `__` for a dot and `___` for a slash."""
    for name, content in files.items():
        path = folder / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def lines(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


QUESTIONS = lines({"question": "How long?", "expected_answers": ["thirty days"], "relevant_ids": ["loans.md"]})


def files_dataset(folder: Path, **settings: object) -> FilesDataset:
    given = {"path": str(folder / "docs"), "questions": str(folder / "questions.jsonl"), **settings}
    return FilesDataset.model_validate(given)


# -- files ------------------------------------------------------------------------------------------------------------


def test_a_folder_gives_documents_named_by_their_relative_path(tmp_path: Path) -> None:
    write(
        tmp_path,
        docs___loans__md="Thirty days.",
        docs___sub___b__TXT="B",
        docs___sub___page__html="<p>Hi</p>",
        docs_____hidden__md="no",
        docs_____git___x__md="no",
        questions__jsonl=QUESTIONS,
    )
    data = files_dataset(tmp_path).load()
    assert data.name == "docs"
    assert data.corpus is not None
    assert [(document.id, document.text) for document in data.corpus] == [
        ("loans.md", "Thirty days."),
        ("sub/b.TXT", "B"),
        ("sub/page.html", "Hi"),
    ]
    assert list(data.questions) == [EvalSample("How long?", ["thirty days"], ["loans.md"])]
    assert data.notes == ()


def test_text_has_no_byte_order_mark_and_only_line_feeds(tmp_path: Path) -> None:
    write(tmp_path, docs___loans__md=b"\xef\xbb\xbfone\r\ntwo\rthree\n", questions__jsonl=QUESTIONS)
    corpus = files_dataset(tmp_path).load().corpus
    assert corpus is not None
    assert corpus[0].text == "one\ntwo\nthree\n"


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    write(tmp_path, docs___loans__md=b"caf\xe9", questions__jsonl=QUESTIONS)
    with pytest.raises(ConfigurationError, match=r"loans\.md: byte 3 \(0xe9\) is not UTF-8; save it as UTF-8"):
        files_dataset(tmp_path).load()


def test_other_files_and_blank_documents_are_noted(tmp_path: Path) -> None:
    write(
        tmp_path,
        docs___loans__md="x",
        docs___empty__txt=" \n",
        docs___a__docx="",
        docs___b__PNG="",
        docs___questions__jsonl=QUESTIONS,
    )
    data = files_dataset(tmp_path, questions=str(tmp_path / "docs" / "questions.jsonl")).load()
    assert data.notes == (
        "2 of 4 files are no documents and were left out (.docx, .png)",
        "1 of 2 documents are blank, e.g. 'empty.txt'",
    )


def test_gold_that_does_not_fit_is_noted(tmp_path: Path) -> None:
    write(
        tmp_path,
        docs___loans__md="0123456789",
        questions__jsonl=lines(
            {"question": "a", "relevant_ids": ["loans.md#char=0,10", "nowhere.md", "nowhere.md#char=1,2"]},
            {"question": "b", "relevant_ids": ["loans.md#char=5,11", "nowhere.md"]},
            {"question": "c"},
            {"question": "d", "metadata": {"answerable": False}},
        ),
    )
    assert files_dataset(tmp_path).load().notes == (
        "1 of 4 questions has no gold id, so retrieval metrics leave them out, e.g. 'c'",
        "2 gold ids name no document, e.g. 'nowhere.md' (documents: 'loans.md' ...)",
        "1 gold span is not within the document, e.g. 'loans.md#char=5,11'",
    )


def test_documents_as_json_lines(tmp_path: Path) -> None:
    rows = lines({"_id": "b", "text": "B\r\n", "title": "T"}, {"id": 1, "text": "one", "lang": "en"})
    write(tmp_path, docs__jsonl=rows, questions__jsonl=lines({"question": "q", "relevant_ids": ["1"]}))
    data = files_dataset(tmp_path, path=str(tmp_path / "docs.jsonl")).load()
    assert data.corpus is not None
    assert [(document.id, document.text, document.metadata) for document in data.corpus] == [
        ("1", "one", {"lang": "en"}),
        ("b", "B\n", {"title": "T"}),
    ]
    assert (data.name, data.notes) == ("docs", ())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"text": "x"}], "line 1: no id; it is a text or a whole number under id or _id or doc_id"),
        ([{"id": "a", "body": "x"}], "line 1: 'text' has to be text; the fields are 'id', 'body'"),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "line 2: the id 'a' comes twice, first in .*line 1"),
    ],
)
def test_a_wrong_document_line_is_named(rows: list[dict[str, object]], message: str, tmp_path: Path) -> None:
    write(tmp_path, docs__jsonl=lines(*rows), questions__jsonl=QUESTIONS)
    with pytest.raises(SchemaError, match=message):
        files_dataset(tmp_path, path=str(tmp_path / "docs.jsonl")).load()


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    write(tmp_path, questions__jsonl=QUESTIONS, docs2___a__docx="", single__md="x", none__jsonl="")
    with pytest.raises(DatasetNotFoundError, match="docs: there is no such folder"):
        files_dataset(tmp_path).load()
    with pytest.raises(ConfigurationError, match=r"docs2: no document in it; files that count end in \.md"):
        files_dataset(tmp_path, path=str(tmp_path / "docs2")).load()
    with pytest.raises(ConfigurationError, match=r"single\.md: documents are a folder or a \.jsonl file"):
        files_dataset(tmp_path, path=str(tmp_path / "single.md")).load()
    with pytest.raises(ConfigurationError, match=r"none\.jsonl: no document in it"):
        files_dataset(tmp_path, path=str(tmp_path / "none.jsonl")).load()
    with pytest.raises(DatasetNotFoundError, match=r"missing\.jsonl"):
        write(tmp_path, docs___a__md="x")
        files_dataset(tmp_path, questions=str(tmp_path / "missing.jsonl")).load()


# -- questions --------------------------------------------------------------------------------------------------------


def test_questions_without_documents_and_with_their_own_columns(tmp_path: Path) -> None:
    write(tmp_path, mine__csv="user_query,gold\nHow long?,30 days\nWhy?,because\n")
    settings = {"question": "user_query", "expected_answers": "gold"}
    source = QuestionsDataset.model_validate({"path": str(tmp_path / "mine.csv"), "columns": settings, "limit": 1})
    data = source.load()
    assert list(data.questions) == [EvalSample("How long?", ["30 days"])]
    assert (data.name, data.corpus) == ("mine", None)
    assert data.notes == ("1 of 1 questions has no gold id, so retrieval metrics leave them out, e.g. 'How long?'",)


def test_a_misspelt_column_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="Extra inputs are not permitted"):
        QuestionsDataset.model_validate({"questions": "x", "columns": {"questoin": "y"}})


# -- BEIR -------------------------------------------------------------------------------------------------------------

CORPUS = lines({"_id": "d2", "title": "", "text": "two"}, {"_id": "d1", "title": "One", "text": "uno"})
QUERIES = lines(
    {"_id": "q2", "text": "second", "metadata": {"year": 1}},
    {"_id": "q1", "text": "first"},
    {"_id": "q3", "text": "third"},
)
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td2\t2\nq2\td1\t1\n"


def beir(folder: Path, **files: str | bytes) -> Path:
    standard = {"corpus__jsonl": CORPUS, "queries__jsonl": QUERIES, "qrels___test__tsv": QRELS}
    return write(folder, **{**standard, **files})


def test_beir_layout(tmp_path: Path) -> None:
    data = BeirDataset(path=str(beir(tmp_path / "mini"))).load()
    assert data.corpus is not None
    assert [(document.id, document.text) for document in data.corpus] == [("d1", "One uno"), ("d2", "two")]
    assert list(data.questions) == [
        EvalSample("second", [], ["d2", "d1"], {"year": 1, "id": "q2", "relevance_grades": {"d2": 2, "d1": 1}}),
        EvalSample("first", [], ["d1"], {"id": "q1"}),
    ]
    assert (data.name, data.notes) == ("mini", ())


def test_beir_packed_another_split_without_header_and_with_four_columns(tmp_path: Path) -> None:
    folder = beir(tmp_path, qrels___dev__tsv="q3\t0\td1\t1\nq3\t0\tnowhere\t1\nq9\t0\td1\t1\n")
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/dev.tsv"):
        path = folder / name
        (folder / f"{name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    data = BeirDataset(path=str(folder), split="dev").load()
    assert [(sample.question, sample.relevant_ids) for sample in data.questions] == [("third", ["d1", "nowhere"])]
    assert data.notes == (
        "1 judged queries have no text, e.g. 'q9'",
        "1 gold id names no document, e.g. 'nowhere' (documents: 'd1' ...)",
    )


def test_a_query_judged_without_any_relevant_document_is_asked_and_noted(tmp_path: Path) -> None:
    data = BeirDataset(path=str(beir(tmp_path, qrels___test__tsv="q1\td1\t0\n"))).load()
    assert [(sample.question, sample.relevant_ids) for sample in data.questions] == [("first", [])]
    assert data.notes[0].startswith("1 of 1 questions has no gold id")


def test_a_broken_beir_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"corpus\.jsonl: there is no such file, packed or not"):
        BeirDataset(path=str(tmp_path)).load()
    folder = beir(tmp_path)
    with pytest.raises(DatasetNotFoundError, match=r"dev\.tsv: there is no such file"):
        BeirDataset(path=str(folder), split="dev").load()
    for content, message in {
        "q1\td1\t1\nq1 d2 1\n": r"test\.tsv, line 2: expected query, document and a whole number",
        "q1\td1\t1\nq1\td1\t0\n": r"line 2: document 'd1' has two grades for query 'q1'",
        "query-id\tcorpus-id\tscore\n": r"test\.tsv: no judgement in it",
    }.items():
        with pytest.raises(SchemaError, match=message):
            BeirDataset(path=str(beir(tmp_path, qrels___test__tsv=content))).load()


# -- HTML -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One  <b>two</b>\nthree</p><p>four", "One two three\n\nfour"),
        ("<html><head><title>T</title><style>p{}</style></head><body>A<script>x<1</script>B</body>", "AB"),
        ("<ul><li>one<li>two</ul>after", "one\ntwo\n\nafter"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("a<br>b<br/>c &amp; &eacute; &#8364;", "a\nb\nc & é €"),
        ("<pre>  x\n    y</pre><p>z", "x\n    y\n\nz"),
        ("<h1>Title</h1>\n\n<div><div>text</div></div>", "Title\n\ntext"),
        ("a <!-- no --> b", "a b"),
        ("<div><p>never closed <i>at all", "never closed at all"),
        ("2 < 3 and </unknown> x", "2 < 3 and x"),
        ("", ""),
    ],
)
def test_html_becomes_what_a_reader_sees(html: str, text: str) -> None:
    assert html_to_text(html) == text
