"""Embedders over models that the user has: ONNX and sentence-transformers."""

from pathlib import Path

import numpy as np
import pytest

from fastrag_bench.component import identity_of
from fastrag_bench.embedders import onnx, sentence_transformers
from fastrag_bench.embedders.onnx import OnnxEmbedder
from fastrag_bench.embedders.sentence_transformers import SentenceTransformersEmbedder
from tests.real_models import real_model


class FakeOnnx:
    """Two token vectors a text: (its length, 0) and (0, 4)."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def run(self, text: str, second: str | None = None) -> np.ndarray:
        self.texts.append(text)
        return np.array([[len(text), 0], [0, 4]], np.float32)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeOnnx:
    model = FakeOnnx()
    monkeypatch.setattr(onnx, "load_onnx", lambda *settings: model)
    return model


def test_mean_pooling_takes_all_tokens_and_gives_length_one(fake: FakeOnnx) -> None:
    vectors = OnnxEmbedder(model="folder").embed_documents(["abc", "abcd"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == pytest.approx(np.array([[0.6, 0.8], [0.5**0.5, 0.5**0.5]]), abs=1e-6)


def test_cls_pooling_takes_the_first_token(fake: FakeOnnx) -> None:
    assert OnnxEmbedder(model="folder", pooling="cls").embed_query("abc").tolist() == [1.0, 0.0]


def test_prefixes_go_before_questions_and_passages(fake: FakeOnnx) -> None:
    embedder = OnnxEmbedder(model="folder", query_prefix="query: ", passage_prefix="passage: ")
    embedder.embed_documents(["one", "two"])
    embedder.embed_query("three")
    assert fake.texts == ["passage: one", "passage: two", "query: three"]


def test_a_blank_text_is_the_zero_vector_and_no_text_no_row(fake: FakeOnnx) -> None:
    embedder = OnnxEmbedder(model="folder", passage_prefix="passage: ")
    assert embedder.embed_documents([" \n", ""]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert embedder.embed_documents([]).shape == (0, 2)


class FakeSentenceTransformer:
    """Looks like sentence-transformers' model: (length of the text, 1), not yet of length one."""

    def encode(self, texts: list[str], **settings: object) -> np.ndarray:
        assert settings["normalize_embeddings"] is True
        rows = np.array([[len(text), 1.0] for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_sentence_transformers_get_prefixes_and_blank_texts_are_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_transformers, "_load", lambda *settings: FakeSentenceTransformer())
    embedder = SentenceTransformersEmbedder(model="some/name", query_prefix="q:", passage_prefix="pp:")
    vectors = embedder.embed_documents(["", "a"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == pytest.approx(np.array([[0, 0], np.array([4, 1]) / 17**0.5]), abs=1e-6)
    assert embedder.embed_query("b").tolist() == pytest.approx(np.array([3, 1]) / 10**0.5, abs=1e-6)
    assert embedder.embed_documents([]).shape == (0, 2)


def test_what_runs_it_is_not_part_of_the_identity(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(b"1")
    plain = identity_of(SentenceTransformersEmbedder(model=str(tmp_path)))
    assert plain == identity_of(SentenceTransformersEmbedder(model=str(tmp_path), batch_size=1, device="cpu"))
    assert plain["fingerprint"] is not None
    assert identity_of(OnnxEmbedder(model="x")) == identity_of(OnnxEmbedder(model="x", threads=4))


def test_a_real_onnx_model_puts_the_answer_nearest() -> None:
    embedder = OnnxEmbedder(model=str(real_model("bge_small_en")), pooling="cls")
    embedder.inspect_settings()
    texts = ["Books may be kept for thirty days.", "The library is open on weekdays.", "Basalt is a rock.", ""]
    vectors = embedder.embed_documents(texts)
    assert vectors.shape == (4, 384)
    assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([1, 1, 1, 0], abs=1e-6)
    similar = vectors @ embedder.embed_query("How long may a library book be kept?")
    assert similar.argsort().tolist() == [3, 2, 1, 0]
    assert embedder.embed_documents(texts[2:3])[0].tolist() == vectors[2].tolist()
