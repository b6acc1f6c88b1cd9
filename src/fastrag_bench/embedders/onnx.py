"""Sentence vectors from an ONNX model in a local folder, without torch and without a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from fastrag_bench.component import Component, Json, NotIdentity
from fastrag_bench.contracts import Vectors
from fastrag_bench.local_models import OnnxModel, folder_digest, load_onnx, onnx_file, require_packages


class OnnxEmbedder(Component):
    """Pools the token vectors of a transformer and brings them to length one; a blank text is the zero vector."""

    libraries: ClassVar[tuple[str, ...]] = ("onnxruntime", "tokenizers")

    model: str
    """A folder with `tokenizer.json` and the model file."""

    file: str = "model.onnx"
    """The model in the folder, such as `onnx/model.onnx`."""

    pooling: Literal["mean", "cls"] = "mean"
    """The mean over all tokens, or the first token; the model's card says which it was trained for (bge: `cls`)."""

    query_prefix: str = ""
    """Put before each question, as it is: `query: ` for e5."""

    passage_prefix: str = ""
    """Put before each passage, as it is: `passage: ` for e5."""

    max_tokens: Annotated[int, Field(ge=8)] = 512
    """A longer text is cut."""

    threads: Annotated[int, Field(ge=1), NotIdentity] = 1
    """Processor threads for one text."""

    def fingerprint(self) -> Json:
        """The digest of the model's folder."""
        return folder_digest(self.model)

    def inspect_settings(self) -> None:
        """Raise MissingExtraError without the extra `onnx`, ConfigurationError without the folder."""
        require_packages("embedder onnx", ("onnxruntime", "tokenizers"), extra="onnx")
        onnx_file(self.model, self.file)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """[n, d] of unit rows, each computed alone."""
        model = load_onnx(self.model, self.file, self.max_tokens, self.threads)
        rows = [self._embed(model, self.passage_prefix, text) for text in texts]
        return np.stack(rows) if rows else self._embed(model, "", "")[None][:0]

    def embed_query(self, text: str) -> Vectors:
        """[d] of length one."""
        model = load_onnx(self.model, self.file, self.max_tokens, self.threads)
        return self._embed(model, self.query_prefix, text)

    def _embed(self, model: OnnxModel, prefix: str, text: str) -> Vectors:
        blank = not text.strip()
        tokens = model.run(prefix + text)
        pooled = tokens if tokens.ndim == 1 else tokens[0] if self.pooling == "cls" else tokens.mean(axis=0)
        length = float(np.linalg.norm(pooled))
        return np.zeros_like(pooled) if blank or length == 0.0 else pooled / np.float32(length)
