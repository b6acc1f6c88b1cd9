import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastrag_bench.datasets import ColumnMapping, EvalSample, QADataset
from fastrag_bench.errors import ConfigurationError

SHAPES = Path(__file__).resolve().parents[3] / "shared" / "data"


def numbered(n):
    return QADataset([EvalSample(f"question {i}", [f"answer {i}"], [f"d{i}"], {"id": i}) for i in range(n)])


def test_a_dataset_is_a_sequence_whose_slices_are_datasets():
    dataset = numbered(5)
    assert len(dataset) == 5
    assert dataset[1].question == "question 1"
    assert dataset[1:3] == QADataset(dataset.samples[1:3])
    assert [sample.metadata["id"] for sample in dataset] == [0, 1, 2, 3, 4]


def test_a_dataset_keeps_its_own_list():
    samples = [EvalSample("a")]
    dataset = QADataset(samples)
    samples.append(EvalSample("b"))
    assert len(dataset) == 1


def test_dicts_are_not_samples():
    with pytest.raises(ConfigurationError, match=r"QADataset.from_records takes dicts"):
        QADataset([{"question": "a"}])


def test_filter_keeps_the_order():
    assert [s.metadata["id"] for s in numbered(6).filter(lambda s: s.metadata["id"] % 2 == 0)] == [0, 2, 4]


def test_a_split_parts_the_samples_and_keeps_their_order():
    dataset = numbered(20)
    first, second = dataset.split(seed=1, fraction=0.25)
    assert (len(first), len(second)) == (5, 15)
    ids = [sample.metadata["id"] for sample in first]
    assert ids == sorted(ids)
    assert sorted(ids + [sample.metadata["id"] for sample in second]) == list(range(20))


def test_a_split_depends_on_the_seed_and_not_on_the_order():
    dataset = numbered(20)
    again = QADataset(dataset.samples[::-1])
    questions = [{s.question for s in part[0]} for part in (dataset.split(1), again.split(1), dataset.split(2))]
    assert questions[0] == questions[1] != questions[2]


def test_a_fraction_lies_between_zero_and_one():
    with pytest.raises(ConfigurationError, match="fraction"):
        numbered(2).split(fraction=1.5)


def test_the_fingerprint_sees_every_field_and_the_order():
    base = EvalSample("a", ["x"], ["d"], {"k": 1})
    others = [
        [EvalSample("b", ["x"], ["d"], {"k": 1})],
        [EvalSample("a", ["y"], ["d"], {"k": 1})],
        [EvalSample("a", ["x"], ["e"], {"k": 1})],
        [EvalSample("a", ["x"], ["d"], {"k": 2})],
        [base, base],
        [],
    ]
    fingerprints = {QADataset(samples).fingerprint() for samples in [[base], *others]}
    assert len(fingerprints) == 7
    assert QADataset([base, others[0][0]]).fingerprint() != QADataset([others[0][0], base]).fingerprint()


def test_the_fingerprint_is_equal_in_every_process():
    code = (
        "from fastrag_bench.datasets import *;"
        "print(QADataset([EvalSample('né', ['x'], ['d'], {'b': 1, 'a': {2, 1}})]).fingerprint())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_the_fingerprint_is_pinned():
    # sha256 over a heading and the hex sha256 of the canonical JSON of each sample, computed with coreutils
    sample = EvalSample("a", ["x"], ["d"], {"k": 1})
    assert QADataset([sample]).fingerprint() == "e53136287ce03e7dadf60c294f16de7cd7e2c4f5526c2281df352f051fbdd704"


def test_metadata_that_is_not_data_has_no_fingerprint():
    with pytest.raises(ConfigurationError, match="metadata that is not data"):
        QADataset([EvalSample("a", metadata={"x": object()})]).fingerprint()


def test_save_makes_folders_and_writes_utf8_with_line_feeds(tmp_path):
    path = tmp_path / "new" / "folder" / "a.json"
    QADataset([EvalSample("né", ["ü"], [], {"x": float("nan")}), EvalSample("b")]).save(path)
    assert path.read_bytes().decode() == (
        '{"samples": [\n'
        '{"question": "né", "expected_answers": ["ü"], "relevant_ids": [], "metadata": {"x": null}},\n'
        '{"question": "b", "expected_answers": [], "relevant_ids": [], "metadata": {}}\n'
        "]}\n"
    )
    assert os.listdir(path.parent) == ["a.json"]


def test_save_refuses_what_could_not_be_loaded(tmp_path):
    with pytest.raises(ConfigurationError, match=r"name it a.json"):
        numbered(1).save(tmp_path / "a.csv")
    with pytest.raises(ConfigurationError, match="sample 2 has no question"):
        QADataset([EvalSample("a"), EvalSample(" ")]).save(tmp_path / "a.json")
    with pytest.raises(ConfigurationError, match="sample 1"):
        QADataset([EvalSample("a", metadata={"x": object()})]).save(tmp_path / "a.json")
    assert os.listdir(tmp_path) == []


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    numbered(1).save(path)

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="No space"):
        numbered(2).save(path)
    assert os.listdir(tmp_path) == ["a.json"]
    assert len(json.loads(path.read_text())["samples"]) == 1


TEXT = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
SAMPLES = st.builds(
    EvalSample,
    question=TEXT.filter(str.strip),
    expected_answers=st.lists(TEXT, max_size=3),
    relevant_ids=st.lists(TEXT, max_size=3),
    metadata=st.dictionaries(TEXT, JSON, max_size=3),
)


@given(samples=st.lists(SAMPLES, max_size=4))
def test_loading_what_was_saved_gives_an_equal_dataset(tmp_path_factory, samples):
    path = tmp_path_factory.mktemp("round") / "a.json"
    dataset = QADataset(samples)
    dataset.save(path)
    assert QADataset.load(path) == dataset
    assert QADataset.load(path).fingerprint() == dataset.fingerprint()


def test_a_lone_surrogate_survives_saving(tmp_path):
    dataset = QADataset([EvalSample("\ud800 \u2028 \x00", ["\udfff"])])
    dataset.save(tmp_path / "a.json")
    assert QADataset.load(tmp_path / "a.json") == dataset


@pytest.mark.skipif(not SHAPES.is_dir(), reason="the example files lie beside the project")
@pytest.mark.parametrize(
    ("name", "count", "columns", "first"),
    [
        ("qa_shapes/ragas_hf_doc_qa_eval.csv", 66, None, ["x86_64-unknown-linux-musl"]),
        ("qa_shapes/nvidia10k_eval_result.csv", 21, None, None),
        ("qa_shapes/openrageval_bom_long_format.csv", 16, ColumnMapping(expected_answers="generated_answer"), None),
        ("qa_shapes/hotpotqa_distractor_sample.json", 30, None, None),
    ],
)
def test_files_of_real_users_load(name, count, columns, first):
    dataset = QADataset.load(SHAPES / name, columns)
    assert len(dataset) == count
    assert all(sample.question.strip() for sample in dataset)
    if first is not None:
        assert dataset[0].expected_answers == first
