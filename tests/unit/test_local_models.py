"""The ONNX runner: what it asks of the runtime and the tokenizer, shown by stand-ins for both libraries."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fastrag_bench import local_models
from fastrag_bench.local_models import OnnxModel, load_onnx


class FakeTokenizer:
    """Ids are the lengths of the texts; remembers its settings."""

    def __init__(self) -> None:
        self.settings: list[object] = []

    def no_padding(self) -> None:
        self.settings.append("no padding")

    def enable_truncation(self, length: int) -> None:
        self.settings.append(length)

    def encode(self, text: str, pair: str | None) -> SimpleNamespace:
        ids = [len(text)] if pair is None else [len(text), len(pair)]
        return SimpleNamespace(ids=ids, attention_mask=[1] * len(ids), type_ids=list(range(len(ids))))


class FakeSession:
    """A model with two of the three usual inputs, which answers with the ids it was given."""

    def __init__(self, path: str, options: Any, providers: list[str]) -> None:
        self.path, self.options, self.providers = path, options, providers
        self.fed: list[dict[str, np.ndarray]] = []

    def get_inputs(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name="input_ids"), SimpleNamespace(name="token_type_ids")]

    def run(self, outputs: None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.fed.append(feed)
        return [feed["input_ids"].astype(np.float64)]


class FakeOptions:
    """Collects what is set."""

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}

    def add_session_config_entry(self, name: str, value: str) -> None:
        self.entries[name] = value


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    runtime = SimpleNamespace(SessionOptions=FakeOptions, InferenceSession=FakeSession)
    tokenizers = SimpleNamespace(Tokenizer=SimpleNamespace(from_file=lambda path: FakeTokenizer()))
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    monkeypatch.setitem(sys.modules, "tokenizers", tokenizers)
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    return tmp_path


def test_a_text_or_a_pair_is_a_batch_of_one_with_the_inputs_the_model_has(folder: Path) -> None:
    model = OnnxModel(folder / "onnx" / "model.onnx", max_tokens=16, threads=1)
    assert model.run("four").tolist() == [4.0]
    output = model.run("four", "second")
    assert (output.tolist(), output.dtype) == ([4.0, 6.0], np.float32)
    fed: dict[str, np.ndarray] = model._session.fed[-1]
    assert {name: array.tolist() for name, array in fed.items()} == {"input_ids": [[4, 6]], "token_type_ids": [[0, 1]]}
    assert {array.dtype for array in fed.values()} == {np.dtype(np.int64)}


def test_threads_do_not_spin_and_texts_are_cut_but_never_padded(folder: Path) -> None:
    model = OnnxModel(folder / "onnx" / "model.onnx", max_tokens=16, threads=2)
    assert model._tokenizer.settings == ["no padding", 16]
    assert model._session.options.intra_op_num_threads == 2
    assert model._session.options.entries == {"session.intra_op.allow_spinning": "0"}
    assert model._session.providers == ["CPUExecutionProvider"]


def test_a_model_is_loaded_once_for_its_settings(folder: Path) -> None:
    local_models.load_onnx.cache_clear()
    first = load_onnx(str(folder), "onnx/model.onnx", 16, 1)
    assert load_onnx(str(folder), "onnx/model.onnx", 16, 1) is first
    assert load_onnx(str(folder), "onnx/model.onnx", 32, 1) is not first
    local_models.load_onnx.cache_clear()
