"""Tables as programs write them: delimiters, encodings, printed lists, spreadsheets, parquet."""

import csv
import json
from pathlib import Path

import pytest

from fastrag_bench.datasets import ColumnMapping, EvalSample, QADataset
from fastrag_bench.datasets.list_text import NotAList, parse_printed
from fastrag_bench.errors import ConfigurationError, MissingExtraError, SchemaError

ADA = EvalSample("Who wrote it, and when?", ["Ada"], ["d1", "007"])


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


# Delimiters


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_fits(tmp_path, delimiter, suffix):
    path = tmp_path / f"a.{suffix}"
    with path.open("w", newline="") as file:
        rows = [["question", "answer", "relevant_ids"], ["Who wrote it, and when?", "Ada", '["d1", "007"]']]
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert QADataset.load(path).samples == [ADA]
    assert QADataset.load(path, delimiter=delimiter).samples == [ADA]


def test_commas_in_questions_do_not_make_a_table_of_semicolons_one_of_commas(write):
    path = write("a.csv", "question;note, if any\nWho, then?;a, b\nWhat?;c\n")
    assert QADataset.load(path).samples == [
        EvalSample("Who, then?", metadata={"note, if any": "a, b"}),
        EvalSample("What?", metadata={"note, if any": "c"}),
    ]


def test_one_column_needs_no_delimiter(write):
    assert [sample.question for sample in QADataset.load(write("a.csv", "question\nWho; what?\n"))] == ["Who; what?"]


def test_a_table_that_could_be_read_in_two_ways_is_not_guessed_at(write):
    path = write("a.csv", "text;note|page\na;b|c\n")
    with pytest.raises(SchemaError, match="parted by a semicolon or a bar; say which with delimiter="):
        QADataset.load(path, ColumnMapping(question="text"))
    with pytest.raises(ConfigurationError, match="delimiter is one character"):
        QADataset.load(path, delimiter="||")


# Encodings


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.yaml"])
def test_a_byte_order_mark_says_the_encoding(write, name, encoding):
    content = {
        "a.csv": "question,answer\nné?,ü\n",
        "a.jsonl": '{"question": "né?", "answer": "ü"}\n',
        "a.json": '[{"question": "né?", "answer": "ü"}]',
        "a.yaml": "- {question: né?, answer: ü}\n",
    }[name]
    assert QADataset.load(write(name, content.encode(encoding))).samples == [EvalSample("né?", ["ü"])]


def test_utf8_that_is_asked_for_may_have_a_mark_too(write):
    path = write("a.csv", "\ufeffquestion\nné?\n")
    assert QADataset.load(path, encoding="UTF8")[0].question == "né?"


@pytest.mark.parametrize(("encoding", "asked"), [("utf-16-le", "utf-16-le"), ("utf-16-be", "utf-16-be")])
def test_utf16_without_a_mark_is_recognised_and_not_guessed(write, encoding, asked):
    path = write("a.csv", "question\nné?\n".encode(encoding))
    with pytest.raises(ConfigurationError, match=f'Pass encoding="{asked}"'):
        QADataset.load(path)
    assert QADataset.load(path, encoding=asked)[0].question == "né?"


def test_a_wrong_unit_of_utf16_is_named_with_its_line(write):
    text = "question\nné?\n".encode("utf-16")
    with pytest.raises(ConfigurationError, match=r"line 2: byte 0x"):
        QADataset.load(write("a.json", '[\n"a\x20'.encode("utf-16") + b"\x00\xd8"))
    with pytest.raises(ConfigurationError, match=r"line 3: byte 0x"):
        QADataset.load(write("a.csv", text + b"a\x00\x00\xd8a\x00"))


# Lists printed by programs


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("['a'\n 'b']", ["a", "b"]),
        ("['a' \"b's\"]", ["a", "b's"]),
        ("[2 5]", [2, 5]),
        ("[ 2.  5.5]", [2.0, 5.5]),
        ("[007 12]", ["007", 12]),
        ("[]", []),
        ("['a']", ["a"]),
        ("['a', 'b',]", ["a", "b"]),
        ("[array(['a'], dtype=object) array(['b', 'c'], dtype=object)]", [["a"], ["b", "c"]]),
        ("array(['a', 'b'], dtype='<U1')", ["a", "b"]),
        ("[np.str_('a'), np.int64(3)]", ["a", 3]),
        ("[list(['a'])]", None),
        ("['a', None, nan]", ["a", None, None]),
        ("['it\\'s' 'tab\\there']", ["it's", "tab\there"]),
        ("[['a' 'b']\n ['c' 'd']]", [["a", "b"], ["c", "d"]]),
        ("['a' ... 'z']", None),
        ("['a' 'b', 'c']", None),
        ("['a'] b", None),
        ("[a b]", None),
    ],
)
def test_a_printed_list_is_read_or_refused(text, value):
    if value is None:
        with pytest.raises(NotAList):
            parse_printed(text)
    else:
        assert parse_printed(text) == value


def test_numpy_lists_in_cells_keep_their_items_apart(tmp_path):
    path = tmp_path / "a.csv"
    with path.open("w", newline="") as file:
        rows = [["question", "answer", "relevant_ids"], ["a", "['x'\n 'y']", "[2 5]"], ["b", "x", "[007 'b']"]]
        csv.writer(file).writerows(rows)
    assert QADataset.load(path).samples == [
        EvalSample("a", ["x", "y"], ["2", "5"]),
        EvalSample("b", ["x"], ["007", "b"]),
    ]


def test_words_that_other_programs_take_for_values_stay_what_the_file_says(write):
    rows = [[word, word, word] for word in ("NA", "None", "null", "007", "true", "1.0", "nan")]
    text = "\n".join([",".join(row) for row in [["question", "answer", "relevant_ids"], *rows]])
    assert QADataset.load(write("a.csv", text)).samples == [EvalSample(row[0], [row[0]], [row[0]]) for row in rows]


# Spreadsheets and parquet


def workbook(path: Path, **sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_spreadsheet_has_texts_and_numbers(tmp_path):
    rows = [["question", "answer", "relevant_ids", "page\nno."], ["a", "x", "[2 5]", 3], [], ["b", 1.5, 7, None]]
    path = workbook(tmp_path / "a.xlsx", data=rows, notes=[])
    assert QADataset.load(path).samples == [
        EvalSample("a", ["x"], ["2", "5"], {"page no.": 3}),
        EvalSample("b", ["1.5"], ["7"], {"page no.": None}),
    ]


def test_of_several_sheets_one_is_named(tmp_path):
    path = workbook(tmp_path / "a.xlsx", one=[["question"], ["a"]], two=[["question"], ["b"]])
    with pytest.raises(ConfigurationError, match=r"name one with sheet= \(there is: 'one', 'two'\)"):
        QADataset.load(path)
    assert QADataset.load(path, sheet="two")[0].question == "b"
    with pytest.raises(ConfigurationError, match="no sheet is called 'three'"):
        QADataset.load(path, sheet="three")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["question", "question"], ["a", "b"]], "names the column 'question' twice"),
        ([["question"], ["a", "b"]], "row 2: a cell to the right of the header"),
        ([["question", "answer"], ["a", "#N/A"]], "row 2: a cell holds the error #N/A"),
    ],
)
def test_a_sheet_that_does_not_fit_is_said_with_its_row(tmp_path, rows, message):
    with pytest.raises(SchemaError, match=message):
        QADataset.load(workbook(tmp_path / "a.xlsx", data=rows))


def test_what_is_no_spreadsheet_is_said(write):
    pytest.importorskip("openpyxl")
    with pytest.raises(ConfigurationError, match="not an Excel file"):
        QADataset.load(write("a.xlsx", b"question"))


def test_without_the_extra_the_install_command_is_named(write, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r'pip install "fastrag_bench\[xlsx\]"'):
        QADataset.load(write("a.xlsx", b""))


def test_the_same_data_is_equal_whatever_holds_it(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [
        {"question": "Who?", "expected_answers": ["Ada", "A. L."], "relevant_ids": ["d1", "007"], "note": "NA"},
        {"question": "Wie heißt, es?", "expected_answers": ["1.0"], "relevant_ids": ["true"], "note": "a|b\nc"},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        cells = [[json.dumps(value) if isinstance(value, list) else value for value in row.values()] for row in rows]
        csv.writer(file).writerows([list(rows[0]), *cells])
    workbook(tmp_path / "a.xlsx", data=[list(rows[0]), *cells])
    loaded = [QADataset.load(tmp_path / f"a.{suffix}") for suffix in ("jsonl", "csv", "parquet", "xlsx")]
    assert all(dataset == loaded[0] for dataset in loaded)
    assert len({dataset.fingerprint() for dataset in loaded}) == 1


def test_parquet_columns_of_one_name_are_refused(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table([["a"], ["b"]], names=["question", "question"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(ConfigurationError, match="two columns are called 'question'"):
        QADataset.load(tmp_path / "a.parquet")
