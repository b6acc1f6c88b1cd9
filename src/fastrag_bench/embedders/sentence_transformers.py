"""Sentence vectors from any sentence-transformers model, in a folder or on the hub."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from fastrag_bench.component import Component, Json, NotIdentity
from fastrag_bench.contracts import Vectors
from fastrag_bench.local_models import folder_digest, require_packages


class SentenceTransformersEmbedder(Component):
    """Encodes with the model's own pooling and brings vectors to length one; a blank text is the zero vector."""

    libraries: ClassVar[tuple[str, ...]] = ("sentence-transformers", "transformers")

    model: str
    """A folder, or the name of a model on the hub."""

    revision: str = "main"
    """Commit or tag on the hub; pin a commit, for what `main` means can change unseen. A folder has none."""

    query_prefix: str = ""
    """Put before each question, as it is: `query: ` for e5."""

    passage_prefix: str = ""
    """Put before each passage, as it is: `passage: ` for e5."""

    max_tokens: Annotated[int, Field(ge=8)] | None = None
    """A longer text is cut; None = as the model says."""

    batch_size: Annotated[int, Field(ge=1), NotIdentity] = 32
    """Texts at once (moves components by less than 1e-5)."""

    device: Annotated[str | None, NotIdentity] = None
    """cpu, cuda, mps; None = the best there is."""

    def fingerprint(self) -> Json:
        """The digest of the model's folder; None for a model on the hub."""
        return folder_digest(self.model)

    def inspect_settings(self) -> None:
        """Raise MissingExtraError without the extra `transformers`."""
        require_packages("embedder sentence_transformers", ("sentence_transformers",), extra="transformers")

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """[n, d] of unit rows."""
        return self._embed(texts, self.passage_prefix)

    def embed_query(self, text: str) -> Vectors:
        """[d] of length one."""
        row: Vectors = self._embed([text], self.query_prefix)[0]
        return row

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        model = _load(self.model, self.revision, self.max_tokens, self.device)
        vectors: Vectors = model.encode(
            [prefix + text for text in texts] or [""],
            batch_size=self.batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        ).astype(np.float32)
        vectors = vectors[: len(texts)]
        vectors[np.array([not text.strip() for text in texts], dtype=bool)] = 0.0
        return vectors


@lru_cache(maxsize=2)
def _load(model: str, revision: str, max_tokens: int | None, device: str | None) -> Any:
    from sentence_transformers import SentenceTransformer

    loaded = SentenceTransformer(model, revision=revision, device=device)
    if max_tokens is not None:
        loaded.max_seq_length = max_tokens
    return loaded
