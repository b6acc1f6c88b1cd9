import pytest

from fastrag_bench.datasets import ColumnMapping, EvalSample, QADataset
from fastrag_bench.errors import ConfigurationError, SchemaError


def one(record, **columns):
    return QADataset.from_records([record], ColumnMapping(**columns)).samples[0]


@pytest.mark.parametrize("name", ["question", "query", "user_input", "prompt", " Question "])
def test_a_question_has_four_names(name):
    assert one({name: "Who?"}).question == "Who?"


@pytest.mark.parametrize(
    "name",
    [
        "expected_answers",
        "expected_answer",
        "ground_truth",
        "ground_truths",
        "reference",
        "reference_answer",
        "answers",
        "answer",
    ],
)
def test_expected_answers_have_eight_names(name):
    assert one({"question": "Who?", name: "Ada"}).expected_answers == ["Ada"]


@pytest.mark.parametrize("beside", ["ground_truth", "reference", "response", "contexts", "retrieved_contexts"])
def test_answer_beside_what_an_evaluation_set_has_is_the_systems_output(beside):
    sample = one({"question": "Who?", "answer": "Bob said Bob", beside: "x"})
    assert sample.metadata["answer"] == "Bob said Bob"
    assert "Bob said Bob" not in sample.expected_answers


@pytest.mark.parametrize(
    "name",
    [
        "relevant_ids",
        "relevant_id",
        "relevant_doc_ids",
        "relevant_document_ids",
        "gold_ids",
        "gold_doc_ids",
        "reference_context_ids",
        "contexts",
    ],
)
def test_relevant_ids_have_eight_names(name):
    assert one({"question": "Who?", name: ["d1", "d2"]}).relevant_ids == ["d1", "d2"]


@pytest.mark.parametrize("name", ["user_query", "reference_contexts", "retrieved_context_ids"])
def test_names_that_are_no_alias_go_to_metadata(name):
    assert one({"question": "Who?", name: "x"}).metadata == {name: "x"}


def test_names_are_judged_over_all_records_not_the_first():
    with pytest.raises(ConfigurationError, match="'question' and 'query' could each be question"):
        QADataset.from_records([{"question": "a"}, {"query": "b"}])


def test_an_explicit_name_overrides_its_own_field_only():
    sample = one({"user_query": "Who?", "gold": "Ada", "contexts": ["d1"]}, question="user_query")
    assert sample == EvalSample("Who?", [], ["d1"], {"gold": "Ada"})


def test_an_explicit_name_settles_two_aliases():
    assert one({"question": "a", "query": "b"}, question="query") == EvalSample("b", metadata={"question": "a"})


def test_a_column_named_for_one_field_is_not_detected_for_another():
    assert one({"question": "a", "reference": "d1"}, relevant_ids="reference") == EvalSample("a", [], ["d1"])


def test_an_empty_name_means_there_is_no_such_column():
    sample = one({"question": "a", "contexts": ["some text"]}, relevant_ids="")
    assert sample == EvalSample("a", metadata={"contexts": ["some text"]})


def test_a_named_column_that_is_absent_is_an_error_that_lists_the_columns():
    with pytest.raises(ConfigurationError, match=r"no column 'q'. The columns are: 'question', 'answer'"):
        QADataset.from_records([{"question": "a", "answer": "b"}], ColumnMapping(question="q"))


def test_no_question_column_is_an_error_that_lists_the_columns():
    with pytest.raises(ConfigurationError, match=r"no column holds the question.*'user_query'"):
        QADataset.from_records([{"user_query": "a"}])


@pytest.mark.parametrize("question", [None, "", "  ", float("nan"), 3, ["a"]])
def test_a_record_without_a_question_is_named_by_its_number(question):
    with pytest.raises(SchemaError, match="record 2: the question is"):
        QADataset.from_records([{"question": "a"}, {"question": question}])


def test_a_record_that_is_no_object_is_named_by_its_number():
    with pytest.raises(SchemaError, match="record 2: expected an object"):
        QADataset.from_records([{"question": "a"}, ["b"]])


def test_columns_must_be_a_mapping_object():
    with pytest.raises(ConfigurationError, match="columns is a ColumnMapping"):
        QADataset.from_records([{"question": "a"}], {"question": "a"})
    with pytest.raises(ConfigurationError, match="question is a column name"):
        ColumnMapping(question=3)


def test_other_columns_go_to_metadata_and_the_metadata_of_a_record_wins():
    sample = one({"question": "a", "id": 7, "page": 3, "metadata": {"id": "q7"}})
    assert sample.metadata == {"id": "q7", "page": 3}


def test_metadata_that_is_no_object_is_a_column_like_any_other():
    assert one({"question": "a", "metadata": "page 3"}).metadata == {"metadata": "page 3"}


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("Paris", ["Paris"]),
        (["Paris", None, "", "Lutetia"], ["Paris", "Lutetia"]),
        ({"text": ["Paris", "Lutetia"], "answer_start": [1, 9]}, ["Paris", "Lutetia"]),
        (42, ["42"]),
        (2.5, ["2.5"]),
        (True, ["true"]),
        (None, []),
        (float("nan"), []),
        ("", []),
    ],
)
def test_answers_in_every_common_shape(value, answers):
    assert one({"question": "a", "answers": value}).expected_answers == answers


def test_answers_that_are_neither_text_nor_list_are_refused():
    with pytest.raises(SchemaError, match="record 1: expected answers are text"):
        one({"question": "a", "answers": {"value": "Paris"}})


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ("d1", ["d1"]),
        ("d1|d2, d3", ["d1|d2, d3"]),
        (["d2", "d1", "d2"], ["d2", "d1"]),
        (17, ["17"]),
        (17.0, ["17"]),
        ([1, 2.0, "3.0"], ["1", "2", "3.0"]),
        ([["d1"], ["d2"]], ["d1", "d2"]),
        (None, []),
        (float("nan"), []),
    ],
)
def test_ids_in_every_common_shape(value, ids):
    assert one({"question": "a", "relevant_ids": value}).relevant_ids == ids


def test_graded_ids_keep_their_grades():
    sample = one({"question": "a", "relevant_ids": {"d1": 2, "d2": 0, "d3": 1}})
    assert sample == EvalSample("a", [], ["d1", "d3"], {"relevance_grades": {"d1": 2, "d2": 0, "d3": 1}})


@pytest.mark.parametrize("value", [True, {"d1": "high"}, [{"id": "d1"}, b"x"]])
def test_ids_of_another_kind_are_refused(value):
    with pytest.raises(SchemaError, match="record 1"):
        one({"question": "a", "relevant_ids": value})


def test_numpy_values_are_read_as_the_values_they_hold():
    numpy = pytest.importorskip("numpy")
    row = {"question": "a", "relevant_ids": numpy.array([3, 4]), "answers": numpy.array(["x"], dtype=object)}
    assert one(row) == EvalSample("a", ["x"], ["3", "4"])


def test_texts_where_ids_belong_load_with_a_warning():
    prose = "The capital of France is Paris, which lies on the Seine and has two million people."
    with pytest.warns(UserWarning, match="'contexts' look like texts, not ids"):
        dataset = QADataset.from_records([{"question": "a", "contexts": [prose, prose + "!"]}])
    assert len(dataset[0].relevant_ids) == 2


def test_texts_in_a_column_the_user_named_are_the_users_choice():
    prose = "The capital of France is Paris, which lies on the Seine and has two million people."
    assert one({"question": "a", "contexts": [prose]}, relevant_ids="contexts").relevant_ids == [prose]


def test_records_stay_untouched():
    record = {"question": "a", "metadata": {"x": 1}, "contexts": {"d": 1}}
    one(record)
    assert record == {"question": "a", "metadata": {"x": 1}, "contexts": {"d": 1}}
