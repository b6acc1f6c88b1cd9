"""Foreign layouts: what maps to what, each told on a small file made by hand, and none taken for another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dialects import recognise
from fastrag_bench.datasets.sources.autorag import AutoragDataset
from fastrag_bench.datasets.sources.beir import BeirDataset
from fastrag_bench.datasets.sources.chroma import ChromaDataset
from fastrag_bench.datasets.sources.deepeval import DeepEvalDataset
from fastrag_bench.datasets.sources.files import FilesDataset
from fastrag_bench.datasets.sources.hotpotqa import HotpotQADataset
from fastrag_bench.datasets.sources.llamaindex import LlamaIndexDataset
from fastrag_bench.datasets.sources.questions import QuestionsDataset
from fastrag_bench.datasets.sources.ragas import RagasDataset
from fastrag_bench.datasets.sources.squad import SquadDataset
from fastrag_bench.datasets.sources.trec import TrecDataset
from fastrag_bench.datasets.trec_files import read_qrels, read_run
from fastrag_bench.errors import ConfigurationError, DatasetNotFoundError, MissingExtraError, SchemaError
from fastrag_bench.types import EvalSample

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
here = pytest.mark.skipif(not SHARED.is_dir(), reason="the collections are not part of the project")


def put(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def gold_texts(data: BenchmarkData) -> list[list[str]]:
    """What the gold spans say."""
    assert data.corpus is not None
    found = []
    for sample in data.questions:
        texts = []
        for name in sample.relevant_ids:
            document, _, span = name.rpartition("#char=")
            start, end = map(int, span.split(","))
            held = data.corpus.get(document)
            assert held is not None
            texts.append(held.text[start:end])
        found.append(texts)
    return found


# BEIR


def beir(folder: Path, qrels: str) -> BeirDataset:
    put(folder, "corpus.jsonl", lines({"_id": "d1", "title": "T", "text": "one"}, {"_id": "d2", "text": "two"}))
    put(folder, "queries.jsonl", lines({"_id": "q1", "text": "first?"}, {"_id": "q2", "text": "second?"}))
    put(folder, "qrels/test.tsv", qrels)
    return BeirDataset(path=str(folder))


@pytest.mark.parametrize(
    "qrels",
    [
        "query-id\tcorpus-id\tscore\nq2\td1\t1\nq2\td2\t0\n",
        "q2\td1\t1\nq2\td2\t0\n",
        "q2\t0\td1\t1\nq2\t0\td2\t0\n",
        "q2 0 d1 1\r\nq2 0 d2 0\r\n",
        "# judged by hand\nq2 Q0 d1 1.0\nq2 Q0 d2 0\n",
    ],
)
def test_judgements_of_every_shape(tmp_path: Path, qrels: str) -> None:
    data = beir(tmp_path, qrels).load()
    assert data.questions.samples == [EvalSample("second?", relevant_ids=["d1"], metadata={"id": "q2"})]


def test_graded_judgements_and_judged_queries_without_a_text(tmp_path: Path) -> None:
    data = beir(tmp_path, "q1\td1\t2\nq1\td2\t1\nq9\td1\t1\n").load()
    assert data.questions[0].metadata["relevance_grades"] == {"d1": 2, "d2": 1}
    assert data.notes == ("1 judged queries have no text, e.g. 'q9'",)


def test_tables_of_other_formats(tmp_path: Path) -> None:
    put(tmp_path, "corpus.csv", "_id;title;text\nd1;T;one, or so\n007;;two\n")
    put(tmp_path, "queries.tsv", "_id\ttext\nq1\tfirst?\n")
    put(tmp_path, "qrels/test.tsv", "q1\t007\t1\n")
    data = BeirDataset(path=str(tmp_path)).load()
    assert data.corpus is not None
    assert [(document.id, document.text) for document in data.corpus] == [("007", "two"), ("d1", "T one, or so")]
    assert data.notes == ()


def test_splits_that_are_there_are_named(tmp_path: Path) -> None:
    beir(tmp_path, "q1\td1\t1\n")
    with pytest.raises(DatasetNotFoundError, match=r"dataset\.split= names one of test\.tsv"):
        BeirDataset(path=str(tmp_path), split="dev").load()


def test_a_query_id_that_comes_twice(tmp_path: Path) -> None:
    source = beir(tmp_path, "q1\td1\t1\n")
    put(tmp_path, "queries.jsonl", lines({"_id": "q1", "text": "a"}, {"_id": "q1", "text": "b"}))
    with pytest.raises(SchemaError, match=r"queries\.jsonl, line 2: the id 'q1' comes twice"):
        source.load()


# TREC

SGML = """<DOC>
<DOCNO> A-1 </DOCNO>
one &amp; <i>only</i>
</DOC>
<doc><docno>A-2</docno><title>Second
title</title><author>x</author><text>two</text></doc>
"""


@pytest.mark.parametrize(
    "topics",
    [
        "<top>\n<num> Number: 301\n<title> Topic: First\n thing\n\n<desc> Description:\nMore of it.\n</top>\n",
        "<TOP><NUM>301</NUM><TITLE>First thing</TITLE><DESC>More of it.</DESC></TOP>",
        '<?xml version="1.0"?><topics><topic number="301"><title>First thing</title>'
        "<description>More of it.</description></topic></topics>",
    ],
)
def test_topics_of_every_shape(tmp_path: Path, topics: str) -> None:
    settings = {
        "path": str(put(tmp_path, "docs/a.trec", SGML).parent),
        "topics": str(put(tmp_path, "topics.txt", topics)),
        "qrels": str(put(tmp_path, "qrels", "301 0 A-2 1\n301 0 A-1 0\n")),
    }
    data = TrecDataset(**settings).load()
    assert data.corpus is not None
    assert [(document.id, document.text) for document in data.corpus] == [
        ("A-1", "one & only"),
        ("A-2", "Second title\ntwo"),
    ]
    assert data.questions.samples == [
        EvalSample("First thing", [], ["A-2"], {"description": "More of it.", "id": "301"})
    ]
    assert TrecDataset(**settings, field="description").load().questions[0].question == "More of it."
    with pytest.raises(SchemaError, match="topic '301' has no narrative"):
        TrecDataset(**settings, field="narrative").load()


def test_topics_as_lines(tmp_path: Path) -> None:
    settings = {
        "path": str(put(tmp_path, "a.trec", SGML)),
        "topics": str(put(tmp_path, "topics.tsv", "301\tFirst thing\n302\tOther\n")),
        "qrels": str(put(tmp_path, "qrels", "301 0 A-2 1\n")),
    }
    assert [sample.question for sample in TrecDataset(**settings).load().questions] == ["First thing"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.trec", "<DOC>text</DOC>", "document 1: it has no <DOCNO>"),
        ("a.trec", "plain", "no <DOC>"),
        ("a.trec", SGML + SGML, "the id 'A-1' comes twice"),
        ("topics", "<top><title>x</top>", "topic 1: it has no number"),
        ("topics", "<top><num>1<title>x</top><top><num>1<title>y</top>", "the number '1' comes twice"),
        ("topics", "what is this", "line 1: no topic"),
        ("qrels", "301 0 A-2 x\n301 0 A-2 y\n", "line 2: expected query"),
    ],
)
def test_broken_files_of_trec_are_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    files = {"a.trec": SGML, "topics": "<top><num>301<title>x</top>", "qrels": "301 0 A-2 1\n", name: content}
    paths = {key: str(put(tmp_path, key, text)) for key, text in files.items()}
    with pytest.raises(SchemaError, match=message):
        TrecDataset(path=paths["a.trec"], topics=paths["topics"], qrels=paths["qrels"]).load()


def test_runs_stand_in_the_order_of_trec_eval(tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "run", "1 Q0 a 1 2.0 bm25\n1 Q0 b 2 2.0 bm25\n1 Q0 c 3 9 bm25\n2 Q0 a 1 -1e-3 bm25\n"))
    assert run.tag == "bm25"
    assert [document for document, _ in run.rankings["1"]] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 Q0 a 1 2.0\n", "line 1: expected question, Q0"),
        ("1 Q0 a 1 nan x\n", "line 1: expected question, Q0"),
        ("1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n", "line 2: document 'a' is ranked twice"),
        ("\n", "no ranking in it"),
    ],
)
def test_broken_runs_are_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        read_run(put(tmp_path, "run", content))


# SQuAD

PARAGRAPH = "Ada Lovelace\r\nwrote notes. Ada was first."
SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Ada",
            "paragraphs": [
                {
                    "context": PARAGRAPH,
                    "qas": [
                        {
                            "id": "1",
                            "question": "What did she write?",
                            "answers": [
                                {"text": "notes", "answer_start": 20},
                                {"text": "wrote notes", "answer_start": 14},
                            ],
                        },
                        {"id": "2", "question": "Who came last?", "answers": [], "is_impossible": True},
                        {"id": "3", "question": "Who?", "answers": [{"text": "Ada was", "answer_start": 0}]},
                    ],
                },
                {"context": "Nothing.", "qas": []},
            ],
        }
    ],
}


def test_squad_answers_are_spans_and_alternatives(tmp_path: Path) -> None:
    data = SquadDataset(path=str(put(tmp_path, "dev.json", SQUAD))).load()
    assert gold_texts(data) == [["notes", "wrote notes"], [], ["Ada was"]]
    assert data.questions[0].expected_answers == ["notes", "wrote notes"]
    assert data.questions[0].metadata["relevance_groups"] == [data.questions[0].relevant_ids]
    assert data.questions[1].metadata == {"id": "2", "answerable": False, "document": "Ada/1"}
    assert data.notes == ("1 answers do not stand at answer_start; their first place is taken",)


def test_flat_squad(tmp_path: Path) -> None:
    row = {
        "id": "1",
        "title": "Ada",
        "context": "Ada wrote notes.",
        "question": "What?",
        "answers": {"text": ["notes", "notes"], "answer_start": [10, 10]},
    }
    none = {**row, "id": "2", "answers": {"text": [], "answer_start": []}}
    data = SquadDataset(path=str(put(tmp_path, "dev.jsonl", lines(row, none)))).load()
    assert data.questions.samples == [
        EvalSample("What?", ["notes"], ["Ada/1#char=10,15"], {"id": "1"}),
        EvalSample("What?", [], [], {"id": "2", "answerable": False, "document": "Ada/1"}),
    ]


# HotpotQA

HOTPOT = {
    "_id": "x",
    "question": "Which?",
    "answer": "yes",
    "type": "comparison",
    "supporting_facts": [["A", 1], ["B", 0], ["B", 7]],
    "context": [["A", ["One.", " Two."]], ["B", ["Three."]]],
}


def test_hotpotqa_sentences_are_spans(tmp_path: Path) -> None:
    columns = {
        **HOTPOT,
        "supporting_facts": {"title": ["A", "B", "B"], "sent_id": [1, 0, 7]},
        "context": {"title": ["A", "B"], "sentences": [["One.", " Two."], ["Three."]]},
    }
    for row in (HOTPOT, columns):
        data = HotpotQADataset(path=str(put(tmp_path, "a.json", [row]))).load()
        assert gold_texts(data) == [["Two.", "Three."]]
        assert data.questions[0].metadata == {"id": "x", "type": "comparison"}
        assert data.notes == ("1 supporting sentences are not in the context and are no gold",)


def test_titles_of_different_texts_are_different_documents(tmp_path: Path) -> None:
    other = {**HOTPOT, "context": [["A", ["Else."]]], "supporting_facts": [["A", 0]]}
    data = HotpotQADataset(path=str(put(tmp_path, "a.json", [HOTPOT, other]))).load()
    assert data.corpus is not None
    assert [document.id for document in data.corpus] == ["A", "A (2)", "B"]
    assert gold_texts(data)[1] == ["Else."]


@here
def test_the_hotpotqa_sample() -> None:
    data = HotpotQADataset(path=str(SHARED / "qa_shapes" / "hotpotqa_distractor_sample.json")).load()
    assert len(data.questions) == 30
    assert data.notes[0] == "47 supporting sentences are not in the context and are no gold"  # the sample dropped them
    assert sum(bool(sample.relevant_ids) for sample in data.questions) == 14
    assert all(text and text == text.strip() for texts in gold_texts(data) for text in texts)


# Ragas

EVALUATION = {"question": "Who?", "answer": "I think Ada", "contexts": ["Ada wrote.", "Noise."]}


@pytest.mark.parametrize(
    ("row", "answers"),
    [
        ({**EVALUATION, "ground_truths": ["Ada", "A. L."]}, ["Ada", "A. L."]),
        ({**EVALUATION, "ground_truth": "Ada"}, ["Ada"]),
        (
            {
                "user_input": "Who?",
                "response": "I think Ada",
                "retrieved_contexts": ["Ada wrote.", "Noise."],
                "reference": "Ada",
            },
            ["Ada"],
        ),
    ],
)
def test_what_a_system_retrieved_is_no_evidence(tmp_path: Path, row: dict[str, Any], answers: list[str]) -> None:
    data = RagasDataset(path=str(put(tmp_path, "a.jsonl", lines(row)))).load()
    (sample,) = data.questions
    assert (sample.question, sample.expected_answers, sample.relevant_ids) == ("Who?", answers, [])
    assert sample.metadata["retrieved_contexts"] == ["Ada wrote.", "Noise."]
    assert data.corpus is not None
    assert [document.text for document in data.corpus] == ["Ada wrote.", "Noise."]


@pytest.mark.parametrize(
    "row",
    [
        {"user_input": "Who?", "reference_contexts": ["Ada wrote."], "reference": "Ada", "synthesizer_name": "x"},
        {"question": "Who?", "contexts": ["Ada wrote."], "ground_truth": "Ada", "evolution_type": "simple"},
        {
            "eval_sample": {"user_input": "Who?", "reference_contexts": ["Ada wrote."], "reference": "Ada"},
            "approval": 1,
        },
    ],
)
def test_what_a_test_set_was_made_from_is_evidence(tmp_path: Path, row: dict[str, Any]) -> None:
    path = put(tmp_path, "a.json", [row])
    (sample,) = RagasDataset(path=str(path)).load().questions
    assert (sample.expected_answers, sample.relevant_ids) == (["Ada"], ["context-1"])
    put(tmp_path, "docs/ada.md", "Once\nAda  wrote. Then not.")
    data = RagasDataset(path=str(path), documents=str(tmp_path / "docs")).load()
    assert gold_texts(data) == [["Ada  wrote."]]


def test_lists_in_ragas_tables(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "user_input,reference_contexts,reference\nWho?,\"['Ada wrote.', 'And more']\",Ada\n")
    assert RagasDataset(path=str(path)).load().questions[0].relevant_ids == ["context-1", "context-2"]


def test_several_turns_are_not_taken_for_one(tmp_path: Path) -> None:
    path = put(tmp_path, "a.jsonl", lines({"user_input": [{"role": "user", "content": "Hi"}]}))
    with pytest.raises(SchemaError, match="line 1: the question is not text"):
        RagasDataset(path=str(path)).load()


# AutoRAG


def autorag(folder: Path) -> Path:
    passages = [{"doc_id": name, "contents": text, "start_end_idx": [0, 3]} for name, text in (("a", "x"), ("b", "y"))]
    put(folder, "small_corpus.jsonl", lines(*passages))
    rows = [
        {"qid": "1", "query": "Both?", "retrieval_gt": [["a"], ["b"]], "generation_gt": ["yes"]},
        {"qid": "2", "query": "Either?", "retrieval_gt": [["a", "b"]], "generation_gt": ["yes", "maybe"]},
        {"qid": "3", "query": "None?", "retrieval_gt": [[]], "generation_gt": []},
    ]
    put(folder, "small_qa.jsonl", lines(*rows))
    return folder


def test_autorag_groups_are_needed_and_their_members_are_alternatives(tmp_path: Path) -> None:
    folder = autorag(tmp_path)
    data = AutoragDataset(path=str(folder)).load()
    assert data.questions.samples == [
        EvalSample("Both?", ["yes"], ["a", "b"], {"id": "1"}),
        EvalSample("Either?", ["yes", "maybe"], ["a", "b"], {"id": "2", "relevance_groups": [["a", "b"]]}),
        EvalSample("None?", [], [], {"id": "3"}),
    ]
    with pytest.raises(DatasetNotFoundError, match=r"name the passages with dataset\.corpus="):
        AutoragDataset(path=str(put(tmp_path, "other/small_qa.jsonl", lines({"query": "?"})))).load()


@here
@pytest.mark.parametrize(("name", "questions", "documents"), [("en", 10, 30), ("ko_gen", 20, 55)])
def test_the_pairs_of_autorag(name: str, questions: int, documents: int) -> None:
    pytest.importorskip("pyarrow")
    data = AutoragDataset(path=str(SHARED / "autorag" / f"{name}_qa.parquet")).load()
    assert data.corpus is not None
    assert (len(data.questions), len(data.corpus), data.notes) == (questions, documents, ())
    with pytest.raises(ConfigurationError, match="expected one file of questions"):
        AutoragDataset(path=str(SHARED / "autorag")).load()


# LlamaIndex and DeepEval


def test_llamaindex_examples_quote(tmp_path: Path) -> None:
    example = {
        "query": "Who?",
        "query_by": None,
        "reference_contexts": ["Ada wrote."],
        "reference_answer": "Ada",
        "reference_answer_by": {"model_name": "m"},
    }
    path = put(tmp_path, "rag_dataset.json", {"examples": [example]})
    for place in (path, path.parent):
        (sample,) = LlamaIndexDataset(path=str(place)).load().questions
        assert (sample.question, sample.expected_answers, sample.relevant_ids) == ("Who?", ["Ada"], ["context-1"])


def test_llamaindex_pairs_have_ids(tmp_path: Path) -> None:
    value = {
        "queries": {"q": "Who?"},
        "corpus": {"n1": "Ada", "n2": "Bob"},
        "relevant_docs": {"q": ["n1"]},
        "mode": "text",
    }
    data = LlamaIndexDataset(path=str(put(tmp_path, "a.json", value))).load()
    assert data.questions.samples == [EvalSample("Who?", [], ["n1"], {"id": "q"})]
    assert data.corpus is not None
    assert len(data.corpus) == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", [{"input": "Who?", "expected_output": "Ada", "context": ["Ada wrote.", "So she did."]}]),
        ("a.json", {"goldens": [{"input": "Who?", "expectedOutput": "Ada", "context": ["Ada wrote.", "So she did."]}]}),
        ("a.csv", "input,expected_output,actual_output,context\nWho?,Ada,,Ada wrote.|So she did.\n"),
    ],
)
def test_deepeval_goldens(tmp_path: Path, name: str, content: Any) -> None:
    (sample,) = DeepEvalDataset(path=str(put(tmp_path, name, content))).load().questions
    assert (sample.question, sample.expected_answers) == ("Who?", ["Ada"])
    assert sample.metadata["reference_contexts"] == ["Ada wrote.", "So she did."]
    assert sample.relevant_ids == ["context-1", "context-2"]


# Chroma


def chroma(folder: Path) -> ChromaDataset:
    (folder / "corpora").mkdir()
    (folder / "corpora" / "sea.md").write_bytes("Tide é one.\r\nTide two.".encode())
    references = json.dumps(
        [
            {"content": "Tide two.", "start_index": 13, "end_index": 22},
            {"content": "é one", "start_index": 0, "end_index": 5},
            {"content": "nowhere", "start_index": 0, "end_index": 7},
        ]
    ).replace('"', '""')
    put(folder, "questions_df.csv", f'question,references,corpus_id\nWhich?,"{references}",sea\n')
    return ChromaDataset(path=str(folder))


def test_chroma_references_are_spans(tmp_path: Path) -> None:
    data = chroma(tmp_path).load()
    assert gold_texts(data) == [["Tide two.", "é one"]]
    assert data.notes == (
        "1 references do not stand at start_index; their first place is taken",
        "1 references are not in their corpus and are no gold, e.g. 'nowhere'",
    )


@here
def test_the_questions_of_the_study() -> None:
    data = ChromaDataset(path=str(SHARED / "chroma_chunking")).load()
    assert data.corpus is not None
    assert (len(data.questions), len(data.corpus), data.notes) == (472, 5, ())
    assert sum(len(sample.relevant_ids) for sample in data.questions) == 790
    assert all(
        texts == sample.metadata["reference_contexts"]
        for texts, sample in zip(gold_texts(data), data.questions, strict=True)
    )


@here
def test_vaswani_is_the_same_from_both_layouts() -> None:
    folder = SHARED / "vaswani"
    trec = TrecDataset(
        path=str(folder / "doc-text.trec.gz"), topics=str(folder / "query-text.trec"), qrels=str(folder / "qrels")
    ).load()
    assert trec.corpus is not None
    assert (len(trec.corpus), len(trec.questions)) == (11429, 93)
    assert sum(len(sample.relevant_ids) for sample in trec.questions) == 2083
    converted = BeirDataset(path=str(folder / "beir")).load()
    assert [sample.relevant_ids for sample in trec.questions] == [sample.relevant_ids for sample in converted.questions]


@here
def test_qrels_with_comments_are_read() -> None:
    folder = SHARED / "trec_eval_tests"
    commented, plain = read_qrels(folder / "qrels.test.with-comments.gz"), read_qrels(folder / "qrels.test.gz")
    assert [len(grades) for grades in commented.values()] == [len(grades) for grades in plain.values()]
    assert "CR#93E-1860" in commented["301"]


# PDF


def pdf(folder: Path, *pages: str) -> Path:
    """A file of one line of text a page, written by hand after the PDF reference."""
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(len(pages)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>"]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        font = "<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources{font}/Contents {4 + 2 * number} 0 R>>"
        )
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    body, places = "%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj{text}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    tail = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF"
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "a.pdf"
    path.write_text(body + tail, encoding="ascii")
    return path


def test_pages_of_a_pdf_file_are_known_by_their_offsets(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    pdf(tmp_path / "docs", "First page", "", "Third page")
    questions = put(tmp_path, "q.jsonl", lines({"question": "Which?", "relevant_ids": ["a.pdf"]}))
    data = FilesDataset(path=str(tmp_path / "docs"), questions=str(questions)).load()
    assert data.corpus is not None
    document = data.corpus[0]
    assert (document.id, document.text) == ("a.pdf", "First page\n\n\n\nThird page")
    assert document.metadata == {"page_starts": [0, 12, 14]}
    assert data.notes == ()
    pdf(tmp_path / "docs", "")
    with pytest.raises(ConfigurationError, match="no text in its 1 pages"):
        FilesDataset(path=str(tmp_path / "docs"), questions=str(questions)).load()


def test_without_the_extra_pdf_files_are_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastrag_bench.datasets.sources.documents.can_read_pdf", lambda: False)
    pdf(tmp_path / "docs", "First page")
    questions = put(tmp_path, "q.jsonl", lines({"question": "Which?", "relevant_ids": ["b.md"]}))
    source = FilesDataset(path=str(tmp_path / "docs"), questions=str(questions))
    with pytest.raises(MissingExtraError, match=r'pip install "fastrag_bench\[pdf\]"'):
        source.load()
    put(tmp_path, "docs/b.md", "text")
    assert source.load().notes[1] == 'reading .pdf files needs pip install "fastrag_bench[pdf]"'


# One layout is not taken for another


def every_layout(folder: Path) -> dict[str, tuple[Path, Any]]:
    """Name -> a file or folder of it, and the class that reads it."""
    beir(folder / "beir", "q1\td1\t1\n")
    (folder / "chroma").mkdir()
    chroma(folder / "chroma")
    ragas = {"user_input": "Who?", "reference_contexts": ["x"], "reference": "y"}
    examples = {"examples": [{"query": "Who?", "reference_contexts": ["x"], "reference_answer": "y"}]}
    return {
        "beir": (folder / "beir", BeirDataset),
        "trec": (put(folder, "trec/a.trec", SGML).parent, TrecDataset),
        "squad": (put(folder, "squad.json", SQUAD), SquadDataset),
        "hotpotqa": (put(folder, "hotpotqa.json", [HOTPOT]), HotpotQADataset),
        "ragas": (put(folder, "ragas.jsonl", lines(ragas)), RagasDataset),
        "autorag": (autorag(folder / "autorag"), AutoragDataset),
        "llamaindex": (put(folder, "llamaindex.json", examples), LlamaIndexDataset),
        "deepeval": (put(folder, "deepeval.json", [{"input": "Who?", "expected_output": "y"}]), DeepEvalDataset),
        "chroma": (folder / "chroma", ChromaDataset),
    }


def test_every_layout_is_recognised_and_refused_by_all_others(tmp_path: Path) -> None:
    layouts = every_layout(tmp_path)
    for name, (path, _) in layouts.items():
        assert recognise(path) == name
        for other, (_, kind) in layouts.items():
            if other != name:
                more = {"topics": "t", "qrels": "q"} if other == "trec" else {}
                with pytest.raises(ConfigurationError, match=f"is in the layout '{name}'.*say dataset={name} "):
                    kind(path=str(path), **more).load()


def test_questions_in_a_foreign_layout_say_which(tmp_path: Path) -> None:
    layouts = every_layout(tmp_path)
    for name in ("squad", "llamaindex", "deepeval"):
        with pytest.raises(SchemaError, match=f"It looks like {name}: dataset={name} dataset.path="):
            QuestionsDataset(path=str(layouts[name][0])).load()
    with pytest.raises(ConfigurationError, match="is in the layout 'beir'"):
        FilesDataset(path=str(layouts["beir"][0]), questions="q.json").load()


@pytest.mark.parametrize(
    ("name", "content", "layout"),
    [
        ("a.txt", "1 0 d1 1\n", "qrels"),
        ("a.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n", "qrels"),
        ("a.txt", "1 Q0 d1 1 0.5 tag\n", "run"),
        ("a.xml", '<?xml version="1.0"?>\n<topics><topic number="1">', "trec"),
        ("a.json", '{"samples": []}', "questions"),
        ("a.csv", "question,answer\na,b\n", "questions"),
        ("a.csv", "a,b\nc,d\n", None),
        ("a.json", "broken", None),
        ("a.bin", "nothing", None),
    ],
)
def test_files_that_are_no_dataset_of_their_own_are_told_too(
    tmp_path: Path, name: str, content: str, layout: Any
) -> None:
    assert recognise(put(tmp_path, name, content)) == layout


@here
def test_shapes_that_real_programs_write_load() -> None:
    pytest.importorskip("pyarrow")
    folder = SHARED / "qa_shapes"
    assert len(QuestionsDataset(path=str(folder / "ragas_hf_doc_qa_eval.csv")).load().questions) == 66
    for name, count in (("dial_ground_truth", 3), ("dial_test_ground_truth", 5)):
        assert len(QuestionsDataset(path=str(folder / f"{name}.parquet")).load().questions) == count
