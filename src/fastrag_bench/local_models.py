"""Models that are files: the identity of a model folder, and an ONNX model with its tokenizer."""

from __future__ import annotations

import hashlib
import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.errors import ConfigurationError, MissingExtraError

Signature = tuple[tuple[str, int, int], ...]


def require_packages(what: str, packages: tuple[str, ...], *, extra: str) -> None:
    """Raise MissingExtraError, naming the install command, unless all packages can be imported."""
    if any(importlib.util.find_spec(package) is None for package in packages):
        raise MissingExtraError(what, extra=extra)


def folder_digest(folder: str) -> str | None:
    """Hex digest of the names and bytes of all files in a model folder; None where there is no such folder.

    Read once for each state of the folder, told by names, sizes and times of change.
    """
    root = Path(folder).expanduser()
    if not root.is_dir():
        return None
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.name.startswith("."))
    stats = [(path.relative_to(root).as_posix(), path.stat()) for path in files]
    return _digest(root, tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats))


@lru_cache(maxsize=32)
def _digest(root: Path, signature: Signature) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name, size, _ in signature:
        digest.update(f"{name}\0{size}\0".encode())
        with open(root / name, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def onnx_file(folder: str, name: str) -> Path:
    """The model file of an ONNX folder, which has to hold `tokenizer.json` too.

    Args:
        folder: where the model lies.
        name: the file, relative to the folder.

    Raises:
        ConfigurationError: the folder, the file or the tokenizer is not there.
    """
    root = Path(folder).expanduser()
    for path in (root, root / name, root / "tokenizer.json"):
        if not path.exists():
            there = ", ".join(sorted(item.relative_to(root).as_posix() for item in root.rglob("*.onnx"))) or "none"
            raise ConfigurationError(
                f"{path} does not exist; `model` names a folder with tokenizer.json and `file` the model in it "
                f"(.onnx files there: {there})"
            )
    return root / name


class OnnxModel:
    """A transformer that reads one text, or one pair of texts, at a time.

    One at a time because an int8 model takes its activation scales from the whole batch, padding included: in a batch,
    a text's result would depend on its neighbours. It is no slower on a processor. Safe to share between threads.
    """

    def __init__(self, path: Path, *, max_tokens: int, threads: int) -> None:
        """Load the model at `path` and the tokenizer beside it or above it."""
        import onnxruntime
        import tokenizers

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._inputs = [item.name for item in self._session.get_inputs()]
        folder = next(parent for parent in path.parents if (parent / "tokenizer.json").exists())
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def run(self, text: str, second: str | None = None) -> NDArray[np.float32]:
        """The first output for a text or a pair, without the batch axis; cut to `max_tokens`, the longer text first."""
        encoding = self._tokenizer.encode(text, second)
        given = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        feed: dict[str, Any] = {name: np.array([given[name]], dtype=np.int64) for name in self._inputs}
        output: NDArray[np.float32] = np.asarray(self._session.run(None, feed)[0][0], dtype=np.float32)
        return output


@lru_cache(maxsize=3)
def load_onnx(folder: str, file: str, max_tokens: int, threads: int) -> OnnxModel:
    """The loaded model of these settings; the last three stay in memory."""
    return OnnxModel(onnx_file(folder, file), max_tokens=max_tokens, threads=threads)
