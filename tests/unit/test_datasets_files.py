import bz2
import csv
import gzip
import json
import sys

import pytest

from fastrag_bench.datasets import ColumnMapping, EvalSample, QADataset
from fastrag_bench.errors import ConfigurationError, DatasetNotFoundError, MissingExtraError, SchemaError

ADA = EvalSample("Who wrote it?", ["Ada"], ["d1"])


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


# Every format, the same sample


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '[{"question": "Who wrote it?", "answer": "Ada", "relevant_ids": ["d1"]}]'),
        ("a.json", '{"samples": [{"question": "Who wrote it?", "answer": "Ada", "relevant_ids": ["d1"]}]}'),
        ("a.JSON", '\ufeff[{"question": "Who wrote it?", "answer": "Ada", "relevant_ids": ["d1"]}]'),
        ("a.jsonl", '\n{"question": "Who wrote it?", "answer": "Ada", "relevant_ids": ["d1"]}\r\n \n'),
        ("a.csv", "question,answer,relevant_ids\r\nWho wrote it?,Ada,d1\r\n"),
        ("a.csv", "\ufeffquestion,answer,relevant_ids\nWho wrote it?,Ada,d1\n\n"),
        ("a.tsv", "question\tanswer\trelevant_ids\nWho wrote it?\tAda\td1\n"),
        ("a.yaml", "samples:\n- question: Who wrote it?\n  answer: Ada\n  relevant_ids: [d1]\n"),
        ("a.yml", "- {question: Who wrote it?, answer: Ada, relevant_ids: d1}\n"),
        ("a.jsonl.gz", gzip.compress(b'{"question": "Who wrote it?", "answer": "Ada", "relevant_ids": "d1"}')),
        ("a.csv.bz2", bz2.compress(b"question,answer,relevant_ids\nWho wrote it?,Ada,d1\n")),
    ],
)
def test_a_suffix_names_the_reader(write, name, content):
    assert QADataset.load(write(name, content)).samples == [ADA]


@pytest.mark.parametrize("name", ["a.txt", "a", "a.parquet.gz", "a.gz", "a.json.zip"])
def test_an_unknown_suffix_lists_what_is_read(write, name):
    with pytest.raises(ConfigurationError, match=r"these are: .json .jsonl .csv .tsv .yaml .yml .parquet"):
        QADataset.load(write(name, "[]"))


def test_a_missing_file_is_two_kinds_of_error(tmp_path):
    with pytest.raises(DatasetNotFoundError, match="there is no such file"):
        QADataset.load(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError):
        QADataset.load(tmp_path / "none.csv")
    with pytest.raises(ConfigurationError):
        QADataset.load(tmp_path / "none.jsonl")


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "a.json").mkdir()
    with pytest.raises(ConfigurationError, match="is a folder"):
        QADataset.load(tmp_path / "a.json")


def test_damage_in_a_packed_file_is_said(write):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        QADataset.load(write("a.json.gz", b"no gzip"))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        QADataset.load(write("b.json.gz", gzip.compress(b"[" * 5000)[:-9]))


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.yaml"])
def test_a_file_of_nothing_is_an_empty_dataset_or_not_json(write, name):
    path = write(name, "")
    if name == "a.json":
        with pytest.raises(SchemaError, match="not JSON"):
            QADataset.load(path)
    else:
        assert len(QADataset.load(path)) == 0


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.yaml"])
def test_limit_takes_the_first_samples(write, name):
    content = {
        "a.json": '[{"question": "a"}, {"question": "b"}, {"question": "c"}]',
        "a.jsonl": '{"question": "a"}\n{"question": "b"}\nnot read at all',
        "a.csv": 'question,x\na,1\nb,2\n"broken',
        "a.yaml": "[{question: a}, {question: b}, {question: c}]",
    }[name]
    path = write(name, content)
    assert [sample.question for sample in QADataset.load(path, limit=2)] == ["a", "b"]
    assert len(QADataset.load(path, limit=0)) == 0
    with pytest.raises(ConfigurationError, match="limit"):
        QADataset.load(path, limit=-1)


# Encodings


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.yaml"])
def test_a_byte_that_is_not_utf8_is_named_with_its_line(write, name):
    content = {
        "a.json": '[{"question": "a"},\n{"question": "né"}]',
        "a.jsonl": '{"question": "a"}\n{"question": "né"}\n',
        "a.csv": "question\nné\n",
        "a.yaml": "- question: a\n- question: né\n",
    }[name]
    path = write(name, content.encode("latin-1"))
    with pytest.raises(ConfigurationError, match=r"line 2: byte 0xe9 is not utf-8"):
        QADataset.load(path)
    assert QADataset.load(path, encoding="latin-1")[-1].question == "né"


def test_utf16_is_read_when_asked_for(write):
    path = write("a.csv", "question,answer\nné,ü\n".encode("utf-16"))
    assert QADataset.load(path, encoding="utf-16").samples == [EvalSample("né", ["ü"])]
    path = write("a.jsonl", '{"question": "né"}\n{"question": "ü"}\n'.encode("utf-16"))
    assert [sample.question for sample in QADataset.load(path, encoding="utf-16")] == ["né", "ü"]


def test_an_unknown_encoding_is_said(write):
    with pytest.raises(ConfigurationError, match="encoding 'latein' is not known"):
        QADataset.load(write("a.csv", "question\na\n"), encoding="latein")


def test_line_separators_of_unicode_do_not_end_a_json_line(write):
    path = write("a.jsonl", '{"question": "a\u2028b\x85c"}\n')
    assert QADataset.load(path)[0].question == "a\u2028b\x85c"


# JSON


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"data": []}', 'expected a list of records or {"samples"'),
        ("3", "expected a list of records"),
        ('{"samples": {"a": 1}}', "expected a list of records"),
        ('[{"question": "a"}, 3]', "record 2: expected an object"),
        ('[{"question": "a",\n "question": "b"}]', "the key 'question' is given twice"),
        ('[{"question": "a"},\n x]', "line 2: not JSON"),
        ("[" * 200_000, "nested too deeply"),
        ('[{"question": "a", "n": ' + "9" * 5000 + "}]", "integer"),
    ],
)
def test_json_that_is_not_a_dataset_is_said_with_its_place(write, content, message):
    with pytest.raises(SchemaError) as error:
        QADataset.load(write("a.json", content))
    assert message in str(error.value)
    assert "a.json" in str(error.value)


def test_not_a_number_is_a_missing_value(write):
    path = write("a.json", '[{"question": "a", "answer": NaN, "ids": 1e999, "relevant_id": -Infinity}]')
    assert QADataset.load(path).samples == [EvalSample("a", metadata={"ids": None})]


def test_a_broken_line_is_named(write):
    with pytest.raises(SchemaError, match=r"a.jsonl, line 3: not JSON"):
        QADataset.load(write("a.jsonl", '{"question": "a"}\n\n{"question": \n'))
    with pytest.raises(SchemaError, match=r"a.jsonl, line 1: expected an object"):
        QADataset.load(write("a.jsonl", "[1]\n"))
    with pytest.raises(SchemaError, match=r"a.jsonl, line 2: the question is missing"):
        QADataset.load(write("a.jsonl", '{"question": "a"}\n{"answer": "x"}\n'))


# CSV


@pytest.mark.parametrize(
    ("cell", "ids"),
    [
        ("d1", ["d1"]),
        ("d1|d2| d3 ", ["d1", "d2", "d3"]),
        ("a.pdf#char=10,20|b", ["a.pdf#char=10,20", "b"]),
        ('["d1", "d2"]', ["d1", "d2"]),
        ("['d1', 'd2']", ["d1", "d2"]),
        ("[1, 2]", ["1", "2"]),
        ("1.0", ["1.0"]),
        ('{"d1": 1, "d2": 0}', ["d1"]),
        ("{6F9619FF-8B86}", ["{6F9619FF-8B86}"]),
        ("[]", []),
        ("", []),
    ],
)
def test_lists_of_ids_in_a_cell(tmp_path, cell, ids):
    path = tmp_path / "a.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["question", "relevant_ids"], ["a", cell]])
    assert QADataset.load(path)[0].relevant_ids == ids


def test_the_separator_of_ids_is_an_option(write):
    path = write("a.csv", "question,relevant_ids\na,d1;d2|d3\n")
    assert QADataset.load(path, list_separator=";")[0].relevant_ids == ["d1", "d2|d3"]
    assert QADataset.load(path, list_separator=None)[0].relevant_ids == ["d1;d2|d3"]


@pytest.mark.parametrize(
    ("cell", "answers"),
    [
        ("Paris, France; or|Lutetia", ["Paris, France; or|Lutetia"]),
        ('["Paris", "Lutetia"]', ["Paris", "Lutetia"]),
        ("['Paris', \"L'Île\"]", ["Paris", "L'Île"]),
        ("3.0", ["3.0"]),
    ],
)
def test_a_plain_answer_cell_is_one_answer(tmp_path, cell, answers):
    path = tmp_path / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["question", "answer"], ["a", cell]])
    assert QADataset.load(path)[0].expected_answers == answers


@pytest.mark.parametrize(
    "cell", ["[see note] Paris", "[" * 10_000, "['Paris' 'Lutetia', 'Rome']", "[__import__('os')]"]
)
def test_a_cell_that_only_starts_like_a_list_is_an_error(tmp_path, cell):
    path = tmp_path / "a.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["question", "answer"], ["a", cell]])
    with pytest.raises(SchemaError, match=r"a.csv, line 2"):
        QADataset.load(path)


def test_metadata_in_a_cell_is_json(write):
    path = write("a.csv", 'question,page,metadata\na,3,"{""page"": 4, ""x"": [1]}"\nb,5,\n')
    assert [sample.metadata for sample in QADataset.load(path)] == [{"page": 4, "x": [1]}, {"page": "5"}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("question,answer\na,b\nc,d,e\n", "line 3: 3 cells under 2 columns"),
        ('question,answer\na,"b"c\n', "line 2: "),
        ('question,answer\na,"b\nc\n', "line 3: "),
        ("question,answer,answer\na,b,c\n", "the header names the column 'answer' twice"),
        ("question,answer\na,b\n,c\n", "line 3: the question is missing"),
    ],
)
def test_a_table_that_does_not_fit_its_header_is_an_error_with_its_line(write, content, message):
    with pytest.raises(SchemaError) as error:
        QADataset.load(write("a.csv", content))
    assert message in str(error.value)


def test_cells_may_hold_line_breaks_and_short_rows_are_filled(write):
    path = write("a.csv", 'question,answer,\r\n"a\r\nb",x,\r\nc\r\n')
    with pytest.warns(UserWarning, match=r"line 4: fewer cells than the 3 columns"):
        samples = QADataset.load(path).samples
    assert samples == [
        EvalSample("a\r\nb", ["x"], metadata={"column_3": ""}),
        EvalSample("c", metadata={"column_3": None}),
    ]


def test_a_cell_of_a_million_characters_is_read_and_the_process_keeps_its_limit(write):
    before = csv.field_size_limit()
    path = write("a.csv", f"question,answer\na,{'x' * 1_000_000}\n")
    assert len(QADataset.load(path)[0].expected_answers[0]) == 1_000_000
    assert csv.field_size_limit() == before
    with pytest.raises(ConfigurationError, match="line 2: a line or cell of more than"):
        QADataset.load(path, max_cell=1000)
    assert csv.field_size_limit() == before


def test_hostile_characters_survive(write):
    path = write("a.csv", "question,answer\na\x00b,=cmd|' /C calc'!A0\n")
    assert QADataset.load(path).samples == [EvalSample("a\x00b", ["=cmd|' /C calc'!A0"])]


# Sizes


def test_sizes_are_limited_and_can_be_raised(write):
    path = write("a.json", '[{"question": "' + "x" * 2000 + '"}]')
    with pytest.raises(ConfigurationError, match="raise max_bytes"):
        QADataset.load(path, max_bytes=1000)
    assert len(QADataset.load(path, max_bytes=3000)) == 1
    packed = write("a.json.gz", gzip.compress(b"[" + b" " * 3_000_000 + b"]"))
    with pytest.raises(ConfigurationError, match="raise max_bytes"):
        QADataset.load(packed, max_bytes=1_000_000)
    line = write("a.jsonl", '{"question": "' + "x" * 2000 + '"}')
    with pytest.raises(ConfigurationError, match="line 1: a line or cell of more than"):
        QADataset.load(line, max_cell=1000)


# YAML


def test_yaml_words_and_numbers_are_what_people_mean(write):
    path = write(
        "a.yaml",
        "- question: Is it so?\n  answer: no\n  relevant_ids: [007, 12, 2024-01-01, 12:30:45, 1.0, 1_000]\n  n: .nan\n",
    )
    assert QADataset.load(path).samples == [
        EvalSample("Is it so?", ["no"], ["007", "12", "2024-01-01", "12:30:45", "1", "1_000"], {"n": None})
    ]


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BOMB, "line 1: anchors and aliases are not read"),
        ("[" * 100_000, "nest"),
        ("[" * 60, "nested more than 50 levels"),
        ("- {question: a, question: b}", "line 1: the key 'question' is given twice"),
        ("- question: [a\n- b: }", "not YAML"),
        ("- !!python/object/apply:os.system [ls]", "not YAML"),
        ("- question: !!timestamp x", "not YAML"),
        ("question: a", "expected a list of records"),
        ("- a\n- b", "record 1: expected an object"),
        ("- question: a\n---\n- question: b", "not YAML"),
    ],
)
def test_yaml_that_is_not_a_dataset_is_said(write, content, message):
    with pytest.raises(SchemaError) as error:
        QADataset.load(write("a.yaml", content))
    assert message in str(error.value)
    assert "a.yaml" in str(error.value)


# The extra


def test_without_the_extra_the_install_command_is_named(write, monkeypatch):
    for name in ("pyarrow", "datasets"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r'pip install "fastrag_bench\[datasets\]"'):
        QADataset.load(write("a.parquet", b""))
    with pytest.raises(ImportError, match=r'pip install "fastrag_bench\[datasets\]"'):
        QADataset.from_huggingface("someone/something")


def test_parquet_lists_and_structs_are_converted(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.Table.from_pylist(
        [
            {"query": "a", "relevant_ids": [1.0, 2.0], "answers": {"text": ["x"]}, "score": float("nan")},
            {"query": "b", "relevant_ids": None, "answers": None, "score": 0.5},
        ]
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    assert QADataset.load(tmp_path / "a.parquet").samples == [
        EvalSample("a", ["x"], ["1", "2"], {"score": None}),
        EvalSample("b", metadata={"score": 0.5}),
    ]
    assert len(QADataset.load(tmp_path / "a.parquet", limit=1)) == 1
    (tmp_path / "b.parquet").write_bytes(b"no parquet")
    with pytest.raises(ConfigurationError, match="not a Parquet file"):
        QADataset.load(tmp_path / "b.parquet")


def test_a_folder_of_a_hugging_face_dataset_is_read_offline(tmp_path):
    datasets = pytest.importorskip("datasets")
    split = datasets.Dataset.from_list([{"question": "a", "gold": ["d1"]}, {"question": "b", "gold": ["d2"]}])
    datasets.DatasetDict(train=split, test=split).save_to_disk(str(tmp_path / "two"))
    with pytest.raises(ConfigurationError, match=r"several splits; name one with split=.*'train', 'test'"):
        QADataset.from_huggingface(str(tmp_path / "two"))
    found = QADataset.from_huggingface(
        str(tmp_path / "two"), split="test", columns=ColumnMapping(relevant_ids="gold"), limit=1
    )
    assert found.samples == [EvalSample("a", [], ["d1"])]
    with pytest.raises(ConfigurationError, match="no split 'dev'"):
        QADataset.from_huggingface(str(tmp_path / "two"), split="dev")


# Files as people have them


def test_a_json_file_written_by_python_is_read(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"question": "\ud800?", "answer": "né"}]))
    assert QADataset.load(path).samples == [EvalSample("\ud800?", ["né"])]
