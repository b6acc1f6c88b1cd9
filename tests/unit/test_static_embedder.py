"""The static embedder: unit rows, zero for nothing, the same numbers in any batch, and vectors that mean something."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import numpy as np
import pytest
from pydantic import ValidationError

from fastrag_bench.component import identity_of
from fastrag_bench.contracts import Embedder
from fastrag_bench.embedders import static
from fastrag_bench.embedders.static import StaticEmbedder, StaticTable
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.tokenizers.wordpiece import WordPiece

DATA = files("fastrag_bench") / "data" / "static"

TEXTS = [
    "Photosynthesis turns sunlight into chemical energy.",
    "The central bank raised interest rates again!",
    "",
    "naïve café — “déjà vu”",
    "中文",
    "How do I reverse a list in Python?",
]

PARAPHRASES = [
    ("How can I terminate a running process?", "Stopping a program that is being executed", "The soup needs more salt"),
    ("The physician examined the patient", "A doctor looked at someone who was ill", "Rain is expected in the hills"),
    ("cheap flights to Europe", "low-cost airline tickets", "a proof of the prime number theorem"),
    ("sort an array", "arrange the elements of a list in order", "the history of the French monarchy"),
    ("The car would not start", "the vehicle's engine failed", "she painted a portrait of her mother"),
]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def test_it_is_an_embedder(embedder: StaticEmbedder) -> None:
    assert isinstance(embedder, Embedder)


@pytest.mark.parametrize("dimensions", [64, 128, 256])
def test_rows_are_float32_of_unit_length(dimensions: int) -> None:
    vectors = StaticEmbedder(dimensions=dimensions).embed_documents(TEXTS)

    assert vectors.shape == (6, dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 1, 0, 1, 1, 1], atol=1e-6)


def test_fewer_dimensions_are_the_leading_ones() -> None:
    full, part = (StaticEmbedder(dimensions=d).embed_query(TEXTS[0]) for d in (256, 64))

    np.testing.assert_allclose(full[:64] / np.linalg.norm(full[:64]), part, atol=1e-6)


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\u200b", "\U0001f600", "w" * 101])
def test_a_text_without_known_words_is_the_zero_vector(embedder: StaticEmbedder, text: str) -> None:
    assert not embedder.embed_query(text).any()


def test_no_texts_are_no_rows(embedder: StaticEmbedder) -> None:
    assert embedder.embed_documents([]).shape == (0, 256)


def test_a_row_does_not_depend_on_the_batch(embedder: StaticEmbedder) -> None:
    together = embedder.embed_documents(TEXTS)
    reversed_ = embedder.embed_documents(TEXTS[::-1])[::-1]
    alone = np.stack([embedder.embed_query(text) for text in TEXTS])

    assert (together == alone).all()
    assert (together == reversed_).all()


def test_a_row_does_not_depend_on_the_memo() -> None:
    vectors = np.random.default_rng(0).normal(size=(30522, 8)).astype(np.float32)
    tokenizer = WordPiece.from_file(str(DATA / "vocab.txt"))
    texts = [*TEXTS, *(" ".join(TEXTS[i:]) for i in range(5))]

    large, small = StaticTable(tokenizer, vectors), StaticTable(tokenizer, vectors, memo_words=3)

    assert (large.embed(texts) == small.embed(texts[::-1])[::-1]).all()


def test_a_long_text_is_the_mean_of_all_its_words(embedder: StaticEmbedder) -> None:
    page = "the quick brown fox jumps over the lazy dog. "

    np.testing.assert_allclose(embedder.embed_query(page * 2000), embedder.embed_query(page), atol=1e-4)


def test_many_words_make_the_memo_grow() -> None:
    vectors = np.random.default_rng(0).normal(size=(30522, 8)).astype(np.float32)
    table = StaticTable(WordPiece.from_file(str(DATA / "vocab.txt")), vectors)
    words = [f"{n}" for n in range(3000)]

    first = table.embed(words)

    assert (table.embed(words) == first).all()
    assert (StaticTable(WordPiece.from_file(str(DATA / "vocab.txt")), vectors).embed(words[-1:]) == first[-1]).all()


def test_threads_get_the_same_rows(embedder: StaticEmbedder) -> None:
    texts = [f"passage {n} about topic {n % 7} and word{n}" for n in range(400)]
    expected = embedder.embed_documents(texts)
    static._table.cache_clear()

    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(embedder.embed_query, texts))

    assert (np.stack(rows) == expected).all()


def test_case_and_accents_do_not_matter(embedder: StaticEmbedder) -> None:
    assert (embedder.embed_query("CRÈME BRÛLÉE") == embedder.embed_query("creme brulee")).all()


@pytest.mark.parametrize(("text", "paraphrase", "unrelated"), PARAPHRASES)
@pytest.mark.parametrize("dimensions", [64, 128, 256])
def test_a_paraphrase_is_nearer_than_an_unrelated_text(
    dimensions: int, text: str, paraphrase: str, unrelated: str
) -> None:
    query, near, far = StaticEmbedder(dimensions=dimensions).embed_documents([text, paraphrase, unrelated])

    assert query @ near > query @ far + 0.1


def test_other_dimensions_are_refused() -> None:
    with pytest.raises(ValidationError):
        StaticEmbedder(dimensions=100)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("table.npz", StaticEmbedder.weights_sha256), ("vocab.txt", StaticEmbedder.vocabulary_sha256)],
)
def test_the_files_are_those_of_the_notice_and_of_the_identity(name: str, expected: str) -> None:
    digest = hashlib.sha256((DATA / name).read_bytes()).hexdigest()

    assert digest == expected
    assert f"{digest}  {name}" in (DATA / "NOTICE").read_text(encoding="utf-8")
    assert digest in identity_of(StaticEmbedder())["fingerprint"]


def test_a_damaged_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StaticEmbedder, "weights_sha256", "0" * 64)
    static._token_vectors.cache_clear()

    with pytest.raises(ConfigurationError, match=r"table\.npz.*reinstall"):
        static._token_vectors()


def test_the_table_is_plain_numbers() -> None:
    with np.load(str(DATA / "table.npz"), allow_pickle=False) as stored:
        assert set(stored.files) == {"vectors", "scales"}
        assert stored["vectors"].dtype == np.int8
        assert stored["vectors"].shape == (30522, 256)
        assert stored["scales"].dtype == np.float16
        assert np.isfinite(stored["scales"]).all()
        assert not stored["scales"][100]  # [UNK] carries no meaning
