"""The given schema of test sets, and each quirk of other implementations that ours must not have."""

from __future__ import annotations

import copy
import json
import math
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastrag_bench.errors import ConfigurationError, SchemaError
from fastrag_bench.testset import (
    AIMessage,
    CostCallbackHandler,
    EvaluationDataset,
    HumanMessage,
    KnowledgeGraph,
    MultiTurnSample,
    Node,
    NodeType,
    Persona,
    PersonaList,
    QueryLength,
    QueryStyle,
    Relationship,
    SingleTurnSample,
    Testset,
    TestsetPacket,
    TestsetSample,
    TokenUsage,
    ToolCall,
    ToolMessage,
    UsageRecorder,
)

ROW = {"user_input": "Why?", "reference": "Because.", "synthesizer_name": "s"}
TURNS = {"user_input": [{"content": "Hi", "type": "human"}], "synthesizer_name": "s"}


def single(**fields: Any) -> TestsetSample:
    return TestsetSample(eval_sample=SingleTurnSample(**fields), synthesizer_name="s")


# --- samples and messages (A1) ---


def test_a_sample_shows_only_the_fields_it_has() -> None:
    sample = SingleTurnSample(user_input="Why?", reference_context_ids=["a", 7])
    assert sample.to_dict() == {"user_input": "Why?", "reference_context_ids": ["a", 7]}
    assert sample.get_features() == ["user_input", "reference_context_ids"]
    assert sample.to_string() == "user_input\n\tWhy?\n\nreference_context_ids\n\t['a', 7]\n"


def test_unknown_fields_of_a_sample_are_ignored() -> None:
    assert SingleTurnSample.model_validate({"user_input": "Why?", "note": 1}).to_dict() == {"user_input": "Why?"}


def test_a_role_stands_for_a_type_and_an_item_with_neither_is_refused() -> None:
    sample = MultiTurnSample.model_validate(
        {"user_input": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]}
    )
    assert [type(message) for message in sample.user_input] == [HumanMessage, AIMessage]
    with pytest.raises(ConfigurationError, match="needs a type"):
        Testset.from_list([{"user_input": [{"content": "Hi"}], "synthesizer_name": "s"}])


def test_a_tool_speaks_only_after_an_assistant_that_called_one() -> None:
    call = AIMessage(content="", tool_calls=[ToolCall(name="add", args={"a": 1})])
    fine = MultiTurnSample(
        user_input=[HumanMessage(content="1+1?"), call, ToolMessage(content="2"), ToolMessage(content="!")]
    )
    assert fine.pretty_repr() == "Human: 1+1?\nTools:\n  add: {'a': 1}\nToolOutput: 2\nToolOutput: !"
    assert fine.to_messages()[0] == {"content": "1+1?", "type": "human"}
    for wrong in (
        [HumanMessage(content="x"), ToolMessage(content="2")],
        [AIMessage(content="x"), ToolMessage(content="2")],
        [call, HumanMessage(content="x"), ToolMessage(content="2")],
    ):
        with pytest.raises(ValueError, match="is a tool's"):
            MultiTurnSample(user_input=wrong)


def test_a_test_set_iterates_has_a_length_an_index_and_slices() -> None:
    testset = Testset([single(user_input=text) for text in "abc"])
    assert [sample.eval_sample.user_input for sample in testset] == ["a", "b", "c"]
    assert (len(testset), testset[1].question, len(testset[1:])) == (3, "b", 2)
    assert testset == Testset(testset.samples) and uuid.UUID(testset.run_id).version == 4
    assert "run_id" not in repr(testset) and "cost_cb" not in repr(testset)


def test_a_packet_says_when_in_utc(tmp_path: Path) -> None:
    packet = TestsetPacket(samples_original=[single(user_input="a")], run_id="r")
    assert packet.created_at.endswith("+00:00")
    packet.save(tmp_path / "p.json")
    assert TestsetPacket.model_validate_json((tmp_path / "p.json").read_text()) == packet


# --- Testset's methods, row by row (A2) ---


def test_to_evaluation_dataset_keeps_the_inner_samples_and_refuses_a_mix() -> None:
    dataset = Testset([single(user_input="a"), single(user_input="b")]).to_evaluation_dataset()
    assert [sample.user_input for sample in dataset] == ["a", "b"]
    with pytest.raises(ValueError, match="take one kind"):
        Testset.from_list([ROW, TURNS]).to_evaluation_dataset()


def test_to_list_has_the_order_of_the_fields_and_leaves_none_out() -> None:
    sample = single(reference="Because.", user_input="Why?", persona_name=None)
    assert list(Testset([sample]).to_list()[0].items()) == [
        ("user_input", "Why?"),
        ("reference", "Because."),
        ("synthesizer_name", "s"),
    ]


def test_from_list_leaves_its_input_alone_so_that_it_can_be_read_twice() -> None:
    data = [dict(ROW), copy.deepcopy(TURNS)]
    before = copy.deepcopy(data)
    assert Testset.from_list(data) == Testset.from_list(data)
    assert data == before


def test_a_row_without_synthesizer_name_is_named() -> None:
    with pytest.raises(SchemaError, match=r"row 2: no synthesizer_name; the columns are user_input") as caught:
        Testset.from_list([ROW, {"user_input": "x"}])
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, ConfigurationError)


@pytest.mark.parametrize("row", [{"synthesizer_name": "s"}, {"user_input": None, "synthesizer_name": "s"}])
def test_a_sample_without_a_question_is_a_single_turn_and_survives(row: dict[str, Any]) -> None:
    testset = Testset.from_list([row])
    assert testset[0].eval_sample == SingleTurnSample()
    assert Testset.from_list(testset.to_list()) == testset


def test_fields_of_a_conversation_without_messages_are_refused() -> None:
    with pytest.raises(SchemaError, match="reference_topics belong to a conversation"):
        Testset.from_list([{"reference_topics": ["x"], "synthesizer_name": "s"}])


TEXTS = st.text(max_size=20)
SINGLE = st.fixed_dictionaries(
    {},
    optional={
        "user_input": TEXTS,
        "reference": TEXTS,
        "reference_contexts": st.lists(TEXTS, max_size=3),
        "reference_context_ids": st.lists(st.one_of(TEXTS, st.integers(0, 10**9)), max_size=3),
        "rubrics": st.dictionaries(TEXTS, TEXTS, max_size=2),
        "query_style": TEXTS,
    },
).map(lambda fields: SingleTurnSample(**fields))
MULTI = st.lists(
    st.one_of(st.builds(HumanMessage, content=TEXTS), st.builds(AIMessage, content=TEXTS)), max_size=3
).map(lambda turns: MultiTurnSample(user_input=turns))
SAMPLES = st.builds(
    TestsetSample,
    eval_sample=st.one_of(SINGLE, MULTI),
    synthesizer_name=TEXTS,
    metadata=st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(), st.none()), max_size=2),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(SAMPLES, max_size=4).map(Testset))
def test_list_round_trips_are_identities(testset: Testset) -> None:
    assert Testset.from_list(testset.to_list()) == testset
    assert Testset.from_list(json.loads(json.dumps(testset.to_list()))) == testset


def plain_text(text: str) -> bool:
    return bool(text.strip()) and text.isprintable()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=12), min_size=1))
def test_files_give_back_what_was_written(tmp_path_factory: pytest.TempPathFactory, questions: list[str]) -> None:
    folder = tmp_path_factory.mktemp("files")
    testset = Testset([single(user_input=text, reference_contexts=[text, "b"]) for text in questions])
    for write, read, name in (
        (testset.to_jsonl, Testset.from_jsonl, "a.jsonl"),
        (testset.to_csv, Testset.from_csv, "a.csv"),
    ):
        write(folder / name)
        assert read(folder / name) == testset


def test_tokens_and_cost_need_somebody_who_counted() -> None:
    for call in (Testset([]).total_tokens, Testset([]).total_cost):
        with pytest.raises(ValueError, match="token_usage_parser"):
            call()


def test_tokens_are_zero_for_no_call_one_usage_for_one_model_and_a_list_for_several() -> None:
    counter = CostCallbackHandler(lambda usage: usage)
    testset = Testset([], cost_cb=counter)
    assert testset.total_tokens() == TokenUsage(0, 0)
    counter.on_llm_end(TokenUsage(10, 2, "a"))
    counter.on_llm_end(TokenUsage(1, 1, "a"))
    assert testset.total_tokens() == TokenUsage(11, 3, "a")
    counter.on_llm_end(TokenUsage(5, 5, "b"))
    assert testset.total_tokens() == [TokenUsage(11, 3, "a"), TokenUsage(5, 5, "b")]


def test_cost_is_money_at_the_prices_given_or_an_error_never_a_silent_zero() -> None:
    counter = CostCallbackHandler(usage_data=[])
    testset = Testset([], cost_cb=counter)
    assert testset.total_cost() == 0.0
    counter.usage_data.append(TokenUsage(100, 10, "a"))
    assert testset.total_cost(0.5, 2.0) == 70.0
    assert testset.total_cost(0.5) == 55.0
    assert testset.total_cost(cost_per_output_token=2.0) == 20.0
    with pytest.raises(ValueError, match="price is needed"):
        testset.total_cost()
    counter.usage_data.append(TokenUsage(1, 1, "b"))
    with pytest.raises(ValueError, match="per_model_costs"):
        testset.total_cost(0.5)
    assert testset.total_cost(per_model_costs={"a": (1, 1), "b": (2, 3)}) == 115.0
    with pytest.raises(ValueError, match="no price for 'b'"):
        testset.total_cost(per_model_costs={"a": (1, 1)})


def annotated(path: Path, *items: dict[str, Any], mark: bytes = b"") -> Path:
    path.write_bytes(mark + json.dumps(list(items), ensure_ascii=False).encode())
    return path


def item(status: str | None, question: str = "Größe?") -> dict[str, Any]:
    found = {"eval_sample": {"user_input": question}, "synthesizer_name": "s", "reviewer": "me"}
    return found if status is None else {**found, "approval_status": status}


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_from_annotated_keeps_the_approved(tmp_path: Path, mark: bytes) -> None:
    path = annotated(tmp_path / "a.json", item("approved"), item("rejected"), item("pending"), mark=mark)
    assert [sample.question for sample in Testset.from_annotated(path)] == ["Größe?"]


def test_from_annotated_warns_of_other_spellings(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="'Approved', which is not 'approved'"):
        assert len(Testset.from_annotated(annotated(tmp_path / "a.json", item("Approved")))) == 0


def test_from_annotated_refuses_a_missing_status_and_an_empty_sample(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="item 1: no approval_status"):
        Testset.from_annotated(annotated(tmp_path / "a.json", item("approved"), item(None)))
    empty = {**item("approved"), "eval_sample": {"questoin": "x"}}
    with pytest.raises(SchemaError, match="item 0: the sample is empty"):
        Testset.from_annotated(annotated(tmp_path / "b.json", empty))


def test_a_csv_has_the_columns_of_all_rows_and_lists_as_json(tmp_path: Path) -> None:
    rows = [ROW, {**ROW, "persona_name": "P", "reference_contexts": ["a", 'b"c']}]
    Testset.from_list(rows).to_csv(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text("utf-8").splitlines()
    assert lines[0] == "user_input,reference,synthesizer_name,reference_contexts,persona_name"
    assert lines[2] == 'Why?,Because.,s,"[""a"", ""b\\""c""]",P'
    assert Testset.from_csv(tmp_path / "a.csv").to_list()[1]["reference_contexts"] == ["a", 'b"c']


def test_an_empty_csv_has_a_header(tmp_path: Path) -> None:
    Testset([]).to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("user_input,reference_contexts,")
    assert len(Testset.from_csv(tmp_path / "a.csv")) == 0


def test_lists_as_python_prints_them_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('user_input,reference_contexts,synthesizer_name\nWhy?,"[\'a\', ""b\'s""]",s\n')
    assert Testset.from_csv(tmp_path / "a.csv")[0].eval_sample.to_dict()["reference_contexts"] == ["a", "b's"]


def test_a_formula_is_not_run_by_a_spreadsheet_and_comes_back_as_it_was(tmp_path: Path) -> None:
    testset = Testset([single(user_input="=cmd|' /C calc'!A0"), single(user_input="'=quoted")])
    testset.to_csv(tmp_path / "a.csv")
    assert "\n'=cmd" in (tmp_path / "a.csv").read_text()
    assert Testset.from_csv(tmp_path / "a.csv") == testset


def test_jsonl_is_utf8_one_object_a_line_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(ROW).encode() + b"\r\n\r\n" + json.dumps(TURNS).encode())
    testset = Testset.from_jsonl(path)
    assert [type(sample.eval_sample) for sample in testset] == [SingleTurnSample, MultiTurnSample]
    Testset([single(user_input="é")]).to_jsonl(path)
    assert path.read_bytes() == '{"user_input": "é", "synthesizer_name": "s"}\n'.encode()


class Frame:
    """What is used of a data frame."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        self.rows = list(rows)

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return self.rows


def test_missing_values_of_a_frame_are_absent_and_list_cells_are_read() -> None:
    row = {**ROW, "reference": math.nan, "reference_contexts": "['a', 'b']", "rubrics": None}
    assert Testset.from_pandas(Frame(row)).to_list() == [
        {"user_input": "Why?", "reference_contexts": ["a", "b"], "synthesizer_name": "s"}
    ]


def test_from_dict_is_from_list() -> None:
    assert Testset.from_dict([ROW]) == Testset.from_list([ROW])


def test_an_empty_set_has_no_features_and_a_repr() -> None:
    assert Testset([]).features() == [] and "samples=[]" in repr(Testset([]))
    assert EvaluationDataset([]).features() == [] and not EvaluationDataset([]).is_multi_turn()


def test_rows_of_old_test_sets_are_read() -> None:
    old = {"question": "Why?", "contexts": ["c"], "ground_truth": "g", "evolution_type": "simple", "episode_done": True}
    assert Testset.from_list([old]).to_list() == [
        {"user_input": "Why?", "reference_contexts": ["c"], "reference": "g", "synthesizer_name": "simple"}
    ]


# --- cost types, enums, personas (A3, A4) ---


def test_token_usage_adds_up_within_one_model() -> None:
    assert TokenUsage(1, 2, "a") + TokenUsage(3, 4, "a") == TokenUsage(4, 6, "a")
    assert TokenUsage(1, 2, "a") != TokenUsage(1, 2, "b")
    with pytest.raises(ValueError, match="do not add up"):
        TokenUsage(1, 2, "a") + TokenUsage(1, 2)


def test_replies_without_usage_are_unknown_calls() -> None:
    recorder = UsageRecorder()
    recorder.record({"prompt_tokens": 5, "completion_tokens": 1}, model="m", stage="samples")
    recorder.record(None, model="m", stage="graph")
    recorder.record({"prompt_tokens": None}, model="m", stage="graph")
    assert (recorder.total_tokens(), recorder.unknown_calls) == (TokenUsage(5, 1, "m"), 2)
    assert recorder.stages == {"samples": [TokenUsage(5, 1, "m")]}


def test_enums_are_found_by_name_and_by_value() -> None:
    assert [length.value for length in QueryLength] == ["long", "medium", "short"]
    assert [style.name for style in QueryStyle] == ["MISSPELLED", "PERFECT_GRAMMAR", "POOR_GRAMMAR", "WEB_SEARCH_LIKE"]
    assert QueryStyle("WEB_SEARCH_LIKE") is QueryStyle("Web search like queries") is QueryStyle.WEB_SEARCH_LIKE
    assert QueryLength("SHORT") is QueryLength("short") is QueryLength.of("How many words are in this question then?")
    assert QueryLength.of("w " * 9) is QueryLength.MEDIUM and QueryLength.of("w " * 21) is QueryLength.LONG


def test_personas_are_found_whatever_the_case_and_strangers_are_counted() -> None:
    people = PersonaList(personas=[Persona(name="Night Nurse", role_description="r")])
    assert people["night  nurse"].role_description == "r"
    assert people.chosen(["NightNurse", "Nobody"]) == ([people.personas[0]], 1)
    with pytest.raises(KeyError):
        people["Nobody"]


# --- graph (A5, A7) ---


def graph_of(*pairs: str) -> KnowledgeGraph:
    nodes = {name: Node(type=NodeType.CHUNK, properties={"name": name}) for name in sorted({*"".join(pairs)})}
    edges = [Relationship(type="next", source=nodes[a], target=nodes[b], properties={"Score": 1}) for a, b in pairs]
    return KnowledgeGraph(list(nodes.values()), edges)


def names(groups: list[set[Node]]) -> list[str]:
    return ["".join(sorted(node.get_property("name") for node in group)) for group in groups]


def test_properties_do_not_depend_on_case() -> None:
    node = Node(properties={"Page_Content": "x"})
    assert node.get_property("PAGE_CONTENT") == "x"
    with pytest.raises(ValueError, match="there already"):
        node.add_property("page_content", "y")


def test_a_graph_is_read_as_it_was_written(tmp_path: Path) -> None:
    graph = graph_of("ab", "bc")
    graph.save(tmp_path / "g.json")
    loaded = KnowledgeGraph.load(tmp_path / "g.json")
    assert loaded.to_json() == graph.to_json()
    assert loaded.relationships[0].source is loaded.nodes[0]
    row = json.loads((tmp_path / "g.json").read_text())["relationships"][0]
    assert row["source"] == str(graph.nodes[0].id) and row["properties"] == {"score": 1}


def test_edges_of_old_files_that_repeat_their_nodes_are_read(tmp_path: Path) -> None:
    graph = graph_of("ab")
    data = json.loads(graph.to_json())
    by_id = {node["id"]: node for node in data["nodes"]}
    for edge in data["relationships"]:
        edge.update({end: by_id[edge[end]] for end in ("source", "target")})
    (tmp_path / "g.json").write_text(json.dumps(data))
    assert KnowledgeGraph.load(tmp_path / "g.json").to_json() == graph.to_json()


def test_a_file_that_is_no_graph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "g.json").write_text('{"nodes": []}')
    with pytest.raises(SchemaError, match="not a knowledge graph"):
        KnowledgeGraph.load(tmp_path / "g.json")


def test_a_node_is_added_once_and_removed_with_its_edges() -> None:
    graph = graph_of("ab", "bc")
    with pytest.raises(ValueError, match="there already"):
        graph.add(graph.nodes[0])
    assert graph.get_node_by_id(str(graph.nodes[2].id)) is graph.nodes[2]
    smaller = graph.remove_node(graph.nodes[0], inplace=False)
    assert smaller is not None and (len(smaller.nodes), len(smaller.relationships)) == (2, 1)
    assert graph.remove_node(graph.nodes[1]) is None
    assert (len(graph.nodes), len(graph.relationships)) == (2, 0)


def test_pairs_and_clusters() -> None:
    graph = graph_of("ab", "bc", "de", "ed")
    assert [(a.get_property("name"), b.get_property("name")) for a, _, b in graph.find_two_nodes_single_rel()] == [
        ("a", "b"),
        ("b", "c"),
        ("d", "e"),
    ]
    assert names(graph.find_indirect_clusters(depth_limit=2)) == ["abc", "de"]
    assert names(graph.find_indirect_clusters(depth_limit=1)) == ["ab", "bc", "de"]
    assert len(graph.find_n_indirect_clusters(1, depth_limit=2)) == 1
    assert graph.find_indirect_clusters(lambda edge: edge.type == "other") == []
