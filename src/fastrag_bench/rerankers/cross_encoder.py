"""A cross-encoder: a transformer that reads question and passage together and gives one score."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from fastrag_bench.component import Component, Json, NotIdentity, library_version
from fastrag_bench.contracts import Candidates, Ranking
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.local_models import folder_digest, load_onnx, onnx_file, require_packages

LIBRARIES = {"onnx": ("onnxruntime", "tokenizers"), "transformers": ("sentence-transformers", "transformers")}


class CrossEncoderReranker(Component):
    """Orders the candidates by the model's raw score (the logit, not a probability), equal scores by position."""

    needs_vectors: ClassVar[bool] = False

    model: str
    """`onnx`: a folder. `transformers`: a folder or the name of a model on the hub."""

    backend: Literal["onnx", "transformers"] = "onnx"
    """`onnx` needs the extra `onnx`, `transformers` the extra `transformers` (torch)."""

    file: str = "model.onnx"
    """`onnx` only: the model in the folder, such as `onnx/model.onnx`."""

    revision: str = "main"
    """`transformers` only: commit or tag on the hub; pin a commit, for what `main` means can change unseen."""

    max_tokens: Annotated[int, Field(ge=8)] = 512
    """Question and passage together; the longer of the two is cut."""

    threads: Annotated[int, Field(ge=1), NotIdentity] = 1
    """`onnx` only: processor threads for one pair."""

    batch_size: Annotated[int, Field(ge=1), NotIdentity] = 32
    """`transformers` only: pairs at once (moves scores by less than 1e-5); `onnx` takes one pair at a time."""

    device: Annotated[str | None, NotIdentity] = None
    """`transformers` only: cpu, cuda, mps; None = the best there is."""

    def fingerprint(self) -> Json:
        """The digest of the model's folder and the versions of the libraries that run it."""
        versions = {name: library_version(name) for name in LIBRARIES[self.backend]}
        return {"files": folder_digest(self.model), "libraries": versions}

    def inspect_settings(self) -> None:
        """Raise MissingExtraError without the extra, ConfigurationError without the ONNX folder."""
        packages = tuple(name.replace("-", "_") for name in LIBRARIES[self.backend])
        require_packages(f"reranker cross_encoder with backend={self.backend}", packages, extra=self.backend)
        if self.backend == "onnx":
            onnx_file(self.model, self.file)

    def rerank(self, query: str, candidates: Candidates) -> Ranking:
        """The same chunks by falling score."""
        scores = np.array(self.score_pairs(query, candidates.texts), dtype=np.float64)
        return Ranking.best(candidates.ranking.chunks, scores, len(scores))

    def score_pairs(self, query: str, texts: Sequence[str]) -> list[float]:
        """The logit of each pair."""
        if self.backend == "onnx":
            model = load_onnx(self.model, self.file, self.max_tokens, self.threads)
            return [self._single(model.run(query, text)) for text in texts]
        if not texts:
            return []
        encoder = _load_transformers(self.model, self.revision, self.max_tokens, self.device)
        pairs = [(query, text) for text in texts]
        logits = encoder.predict(
            pairs, batch_size=self.batch_size, activation_fn=_identity, convert_to_numpy=True, show_progress_bar=False
        )
        return [self._single(logit) for logit in logits]

    def _single(self, logits: Any) -> float:
        values = np.ravel(logits)
        if len(values) != 1:
            raise ConfigurationError(
                f"{self.model} gives {len(values)} numbers for a pair; a cross-encoder for ranking gives one"
            )
        return float(values[0])


def _identity(logits: Any) -> Any:
    return logits


@lru_cache(maxsize=2)
def _load_transformers(model: str, revision: str, max_tokens: int, device: str | None) -> Any:
    from sentence_transformers import CrossEncoder

    return CrossEncoder(model, revision=revision, max_length=max_tokens, device=device)
