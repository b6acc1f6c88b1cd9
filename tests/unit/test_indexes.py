"""Indexes: exact search and BM25, with the tie rule of `Ranking` (score descending, then position)."""

import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from fastrag_bench.contracts import Ranking
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.indexes.bm25 import Bm25Index, Bm25Searcher
from fastrag_bench.indexes.exact import ExactIndex
from fastrag_bench.indexes.selection import select
from fastrag_bench.tokenizers.terms import words

VARIANTS = ["lucene", "robertson", "atire", "bm25l", "bm25+"]
TEXTS = ["red apple", "red red car", "blue car", "", "green pear and a red pear", "apple apple"]


def listed(ranking: Ranking) -> list[int]:
    return ranking.chunks.tolist()


def unit_vectors(seed: int, count: int, dimensions: int, distinct: int) -> np.ndarray:
    """`count` unit rows, drawn with repeats from `distinct` different ones."""
    random = np.random.default_rng(seed)
    base = random.normal(size=(distinct, dimensions))
    base /= np.linalg.norm(base, axis=1, keepdims=True)
    return base[random.integers(distinct, size=count)].astype(np.float32)


# -- exact ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_exact_search_equals_sorting_everything_in_double_precision(seed: int, tmp_path: Path) -> None:
    count, dimensions = 50 + 97 * seed, 5 + 31 * seed
    vectors = unit_vectors(seed, count, dimensions, distinct=max(2, count // (1 + seed % 7)))
    query = unit_vectors(seed + 100, 1, dimensions, 1)[0]
    scores = (vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    order = np.lexsort((np.arange(count), -scores))
    searcher = ExactIndex().open_vectors(vectors, tmp_path)
    for n in (1, 2, 10, count - 1, count, count + 5):
        found = searcher.search(query, n)
        assert listed(found) == order[:n].tolist()
        assert found.scores.tolist() == scores[order[:n]].tolist()


def test_equal_vectors_tie_wherever_they_stand_and_the_cut_keeps_the_first(tmp_path: Path) -> None:
    row = unit_vectors(1, 1, 333, 1)[0]
    vectors = np.tile(row, (1001, 1))
    vectors[7] = 0
    found = ExactIndex().open_vectors(vectors, tmp_path).search(row, 10)
    assert listed(found) == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10]
    assert len(set(found.scores.tolist())) == 1


def test_a_query_without_known_words_scores_zero_everywhere(tmp_path: Path) -> None:
    searcher = ExactIndex().open_vectors(unit_vectors(2, 9000, 8, 9000), tmp_path)
    found = searcher.search(np.zeros(8, np.float32), 3)
    assert (listed(found), found.scores.tolist()) == ([0, 1, 2], [0.0, 0.0, 0.0])


def test_exact_index_writes_nothing_and_searches_a_memory_map(tmp_path: Path) -> None:
    vectors = np.eye(4, dtype=np.float32)
    np.save(tmp_path / "vectors.npy", vectors)
    folder = tmp_path / "index"
    folder.mkdir()
    ExactIndex().build_vectors(vectors, folder)
    assert list(folder.iterdir()) == []
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    found = ExactIndex().open_vectors(mapped, folder).search(np.array([0, 0.6, 0.8, 0], np.float32), 2)
    assert listed(found) == [2, 1]
    assert found.scores.tolist() == pytest.approx([0.8, 0.6])


def test_exact_search_of_nothing_finds_nothing(tmp_path: Path) -> None:
    assert listed(ExactIndex().open_vectors(np.empty((0, 3), np.float32), tmp_path).search(np.ones(3), 5)) == []
    assert listed(ExactIndex().open_vectors(np.eye(3, dtype=np.float32), tmp_path).search(np.ones(3), 0)) == []


@pytest.mark.parametrize("seed", range(20))
def test_selecting_equals_a_full_sort(seed: int) -> None:
    random = np.random.default_rng(seed)
    chunks = random.permutation(1000)[:200]
    scores = random.integers(6, size=200).astype(np.float64)
    for n in (0, 1, 17, 199, 200, 300):
        best = Ranking.best(chunks, scores, n)
        assert listed(select(chunks, scores, n)) == listed(best)


# -- BM25 -------------------------------------------------------------------------------------------------------------


def plain(**settings: object) -> Bm25Index:
    return Bm25Index.model_validate({"stemmer": "none", "stop_words": "none", **settings})


def opened(index: Bm25Index, texts: list[str], folder: Path) -> Bm25Searcher:
    folder.mkdir(exist_ok=True)
    index.build(texts, folder)
    return index.open(folder)


def test_lucene_scores_worked_out_by_hand(tmp_path: Path) -> None:
    """N = 3, two texts have `red`, mean length 7/3: ln(1.6) x 1 / 2.3393 and ln(1.6) x 2 / 3.8214."""
    found = opened(plain(), ["red apple", "red red car", "blue car"], tmp_path).search("red", 10)
    assert listed(found) == [1, 0]
    assert found.scores.tolist() == pytest.approx([0.245983, 0.200918], abs=1e-6)


def reference(variant: str, texts: list[str], query: str, k1: float, b: float, delta: float) -> dict[int, float]:
    """Kamphuis et al. 2020, table 1, chunk by chunk."""
    documents = [Counter(words(text)) for text in texts]
    lengths = [sum(document.values()) for document in documents]
    mean, total = sum(lengths) / len(texts), len(texts)
    scores: dict[int, float] = {}
    for place, document in enumerate(documents):
        terms = [term for term in words(query) if any(term in other for other in documents)]
        if not any(term in document for term in terms):
            continue
        scores[place] = 0.0
        for term in terms:
            df = sum(term in other for other in documents)
            tf, norm = document[term], 1 - b + b * lengths[place] / mean
            idf = {
                "lucene": math.log(1 + (total - df + 0.5) / (df + 0.5)),
                "robertson": max(0.0, math.log((total - df + 0.5) / (df + 0.5))),
                "atire": math.log(total / df),
                "bm25l": math.log((total + 1) / (df + 0.5)),
                "bm25+": math.log((total + 1) / df),
            }[variant]
            if variant == "bm25l":
                weight = (k1 + 1) * (tf / norm + delta) / (k1 + tf / norm + delta)
            elif variant == "bm25+":
                weight = (k1 + 1) * tf / (k1 * norm + tf) + delta
            else:
                weight = tf / (k1 * norm + tf) * (k1 + 1 if variant == "atire" else 1)
            scores[place] += idf * weight
    return scores


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("query", ["red", "red car pear", "car car unknown", "apple blue"])
def test_every_variant_follows_its_formula(variant: str, query: str, tmp_path: Path) -> None:
    index = plain(variant=variant, k1=1.2, b=0.6, delta=0.7)
    found = opened(index, TEXTS, tmp_path).search(query, 10)
    expected = reference(variant, TEXTS, query, 1.2, 0.6, 0.7)
    assert dict(zip(listed(found), found.scores.tolist(), strict=True)) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_chunks_that_share_a_term_are_found(variant: str, tmp_path: Path) -> None:
    searcher = opened(plain(variant=variant), TEXTS, tmp_path)
    assert sorted(listed(searcher.search("car", 10))) == [1, 2]
    assert listed(searcher.search("unheard of", 10)) == []
    assert listed(searcher.search("", 10)) == []


@pytest.mark.parametrize("n", [1, 2, 7, 39, 40, 50])
def test_equal_texts_tie_and_the_cut_keeps_the_first(n: int, tmp_path: Path) -> None:
    texts = ["tea with milk", "coffee"] * 40
    found = opened(plain(), texts, tmp_path).search("milk tea", n)
    assert listed(found) == list(range(0, 80, 2))[:n]
    assert len(set(found.scores.tolist())) == 1


def test_stems_and_stop_words_apply_to_both_sides(tmp_path: Path) -> None:
    searcher = opened(Bm25Index(), ["The cats were running", "A dog sleeps"], tmp_path)
    assert listed(searcher.search("does a cat run", 5)) == [0]
    assert listed(searcher.search("the", 5)) == []


def test_chinese_japanese_and_thai_are_found_inside_a_sentence(tmp_path: Path) -> None:
    texts = ["長江は中国で最も長い川です。", "黄河是中国第二长河。", "แมวนอนบนโซฟา"]
    searcher = opened(Bm25Index(), texts, tmp_path)
    assert listed(searcher.search("最も長い川", 5)) == [0]
    assert listed(searcher.search("黄河", 5)) == [1]
    assert listed(searcher.search("โซฟา", 5)) == [2]


def test_texts_without_any_word_build_an_index_that_finds_nothing(tmp_path: Path) -> None:
    for name, texts in {"none": [], "blank": ["", " . "]}.items():
        assert listed(opened(plain(), texts, tmp_path / name).search("tea", 5)) == []


def test_files_are_arrays_without_pickle_and_json(tmp_path: Path) -> None:
    plain(variant="bm25+").build(TEXTS, tmp_path)
    names = {"absent.npy", "data.npy", "indices.npy", "indptr.npy", "vocabulary.json"}
    assert {path.name for path in tmp_path.iterdir()} == names
    arrays = {path.name: np.load(path, allow_pickle=False) for path in tmp_path.glob("*.npy")}
    assert arrays["indptr.npy"][-1] == len(arrays["data.npy"])
    content = json.loads((tmp_path / "vocabulary.json").read_text(encoding="utf-8"))
    assert content["chunks"] == len(TEXTS)
    assert content["terms"] == ["red", "apple", "car", "blue", "green", "pear", "and"]


def test_the_files_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from fastrag_bench.indexes.bm25 import Bm25Index; "
        "Bm25Index().build([f'word{i} alpha beta{i % 3}' for i in range(50)], Path(sys.argv[1]))"
    )
    contents = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        subprocess.run([sys.executable, "-c", code, str(folder)], check=True, env=environment)
        contents.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert contents[0] == contents[1]


def test_wrong_settings_are_refused() -> None:
    for wrong in ({"k1": -1}, {"b": 1.5}, {"k1": float("inf")}, {"variant": "okapi"}, {"stop_words": "xx"}):
        with pytest.raises(ValueError, match="1 validation error"):
            plain(**wrong)
    with pytest.raises(ConfigurationError, match="no stemmer 'engish'"):
        plain(stemmer="engish").inspect_settings()
