"""Rerankers: none, maximal marginal relevance, cross-encoder."""

from pathlib import Path

import numpy as np
import pytest

from fastrag_bench.component import identity_of
from fastrag_bench.contracts import Candidates, Ranking
from fastrag_bench.errors import ConfigurationError, MissingExtraError
from fastrag_bench.local_models import folder_digest, onnx_file, require_packages
from fastrag_bench.rerankers import cross_encoder
from fastrag_bench.rerankers.cross_encoder import CrossEncoderReranker
from fastrag_bench.rerankers.mmr import MMRReranker
from fastrag_bench.rerankers.none import NoReranker
from tests.real_models import real_model


def candidates(chunks: list[int], vectors: np.ndarray | None = None, query: np.ndarray | None = None) -> Candidates:
    ranking = Ranking(np.array(chunks, np.int64), np.linspace(1, 0.5, len(chunks)))
    return Candidates(ranking, [f"text {chunk}" for chunk in chunks], query, vectors)


def unit(seed: int, count: int, dimensions: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_no_reranking_returns_the_ranking_that_came_in() -> None:
    given = candidates([4, 2, 9])
    assert NoReranker().rerank("q", given) is given.ranking


# -- MMR --------------------------------------------------------------------------------------------------------------


def test_mmr_prefers_what_is_new_to_a_copy_of_what_is_there() -> None:
    """Chunk 8 repeats chunk 5; at .5 its redundancy of 1 costs more than its nearness gains."""
    vectors = np.array([[1, 0], [1, 0], [0.6, 0.8]], np.float32)
    result = MMRReranker(relevance_weight=0.5).rerank("q", candidates([5, 8, 2], vectors, np.array([0.8, 0.6])))
    assert result.chunks.tolist() == [2, 5, 8]
    assert result.scores.tolist() == pytest.approx([0.5 * 0.96, 0.5 * 0.8 - 0.5 * 0.6, 0.5 * 0.8 - 0.5 * 1.0])


def naive_mmr(vectors: np.ndarray, query: np.ndarray, weight: float) -> list[int]:
    """The definition, with loops."""
    left, chosen = list(range(len(vectors))), []
    while left:
        values = [
            weight * float(vectors[i] @ query)
            - (1 - weight) * max([0.0] + [float(vectors[i] @ vectors[j]) for j in chosen])
            for i in left
        ]
        chosen.append(left.pop(values.index(max(values))))
    return chosen


@pytest.mark.parametrize("seed", range(15))
def test_mmr_equals_the_definition_and_its_scores_fall(seed: int) -> None:
    vectors, query = unit(seed, 25, 6).astype(np.float64), unit(seed + 50, 1, 6)[0].astype(np.float64)
    weight = seed / 14
    result = MMRReranker(relevance_weight=weight).rerank("q", candidates(list(range(25)), vectors, query))
    assert (np.diff(result.scores) <= 1e-12).all()
    if seed:
        assert result.chunks.tolist() == naive_mmr(vectors, query, weight)


def test_mmr_does_not_depend_on_the_order_of_the_candidates() -> None:
    vectors, query = unit(3, 12, 4), unit(4, 1, 4)[0]
    vectors[6:] = vectors[:6]
    forward = MMRReranker().rerank("q", candidates(list(range(12)), vectors, query))
    backward = MMRReranker().rerank("q", candidates(list(range(11, -1, -1)), vectors[::-1], query))
    assert forward.chunks.tolist() == backward.chunks.tolist()
    assert forward.scores.tolist() == backward.scores.tolist()


def test_mmr_with_weight_one_orders_by_similarity() -> None:
    vectors, query = unit(5, 30, 8), unit(6, 1, 8)[0]
    result = MMRReranker(relevance_weight=1).rerank("q", candidates(list(range(30)), vectors, query))
    assert result.chunks.tolist() == np.argsort(-(vectors @ query)).tolist()


def test_mmr_of_nothing_is_nothing_and_without_vectors_an_error() -> None:
    assert len(MMRReranker().rerank("q", candidates([], np.empty((0, 3), np.float32), np.zeros(3)))) == 0
    with pytest.raises(ValueError, match="needs the vectors"):
        MMRReranker().rerank("q", candidates([1, 2]))


# -- cross-encoder ----------------------------------------------------------------------------------------------------


class FakeModel:
    """Scores a pair by the length of the passage, and remembers what it was asked."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str | None]] = []

    def run(self, text: str, second: str | None = None) -> np.ndarray:
        self.pairs.append((text, second))
        return np.array([float(len(second or ""))], np.float32)


def test_cross_encoder_orders_by_score_and_ties_by_position(monkeypatch: pytest.MonkeyPatch) -> None:
    model = FakeModel()
    monkeypatch.setattr(cross_encoder, "load_onnx", lambda *settings: model)
    given = Candidates(Ranking(np.array([7, 3, 5]), np.array([3.0, 2.0, 1.0])), ["aa", "bb", "cccc"])
    result = CrossEncoderReranker(model="folder").rerank("why", given)
    assert (result.chunks.tolist(), result.scores.tolist()) == ([5, 3, 7], [4.0, 2.0, 2.0])
    assert model.pairs == [("why", "aa"), ("why", "bb"), ("why", "cccc")]


def test_a_classifier_with_several_outputs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = FakeModel()
    monkeypatch.setattr(model, "run", lambda *texts: np.array([0.1, 0.9], np.float32))
    monkeypatch.setattr(cross_encoder, "load_onnx", lambda *settings: model)
    with pytest.raises(ConfigurationError, match="gives 2 numbers for a pair"):
        CrossEncoderReranker(model="folder").score_pairs("q", ["a"])


class FakeCrossEncoder:
    """Looks like sentence-transformers' CrossEncoder."""

    def predict(self, pairs: list[tuple[str, str]], **settings: object) -> np.ndarray:
        assert settings["batch_size"] == 2
        assert settings["activation_fn"]("logit") == "logit"  # type: ignore[operator]
        return np.array([len(text) for _, text in pairs], np.float32)


def test_transformers_backend_asks_for_raw_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_encoder, "_load_transformers", lambda *settings: FakeCrossEncoder())
    reranker = CrossEncoderReranker(model="some/name", backend="transformers", batch_size=2)
    assert reranker.score_pairs("q", ["abc", "d"]) == [3.0, 1.0]
    assert reranker.score_pairs("q", []) == []


def test_a_missing_extra_names_the_command() -> None:
    with pytest.raises(MissingExtraError, match=r'the thing needs an optional .* pip install "fastrag_bench\[onnx\]"'):
        require_packages("the thing", ("no_such_package_of_ours",), extra="onnx")
    require_packages("the thing", ("json",), extra="onnx")


def test_a_missing_folder_or_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere does not exist; `model` names a folder"):
        onnx_file(str(tmp_path / "nowhere"), "model.onnx")
    (tmp_path / "other.onnx").write_bytes(b"")
    with pytest.raises(ConfigurationError, match=r"model\.onnx does not exist.*there: other\.onnx"):
        onnx_file(str(tmp_path), "model.onnx")
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json does not exist"):
        onnx_file(str(tmp_path), "other.onnx")


def test_the_weights_are_part_of_the_identity(tmp_path: Path) -> None:
    assert folder_digest(str(tmp_path / "nowhere")) is None
    (tmp_path / "model.onnx").write_bytes(b"one")
    first = identity_of(CrossEncoderReranker(model=str(tmp_path)))
    (tmp_path / "model.onnx").write_bytes(b"other")
    second = identity_of(CrossEncoderReranker(model=str(tmp_path)))
    assert first != second
    assert second == identity_of(CrossEncoderReranker(model=str(tmp_path), threads=2, batch_size=1, device="cpu"))


def test_a_real_cross_encoder_ranks_right_near_and_unrelated() -> None:
    reranker = CrossEncoderReranker(model=str(real_model("reranker_en")))
    reranker.inspect_settings()
    texts = [
        "Basalt is a dark, fine-grained volcanic rock.",
        "Books may be kept for thirty days and can be renewed once.",
        "The library is open from nine to five on weekdays.",
    ]
    scores = reranker.score_pairs("How long may a library book be kept?", texts)
    assert scores[1] > 5 > scores[2] > -5 > scores[0]
    assert [reranker.score_pairs("How long may a library book be kept?", [text])[0] for text in texts] == scores
