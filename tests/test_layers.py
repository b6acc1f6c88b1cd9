"""Who may import whom, read from the source; and how long files and functions may become."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "fastrag_bench"
LAYERS = {
    0: ["errors", "types"],
    1: ["contracts", "component", "source", "files", "error_text"],
    2: ["datasets", "relevance", "results", "result_files", "tokenizers", "sentences", "local_models", "llm"],
    3: ["chunkers", "embedders", "indexes", "retrievers", "rerankers", "generators", "query_transforms", "contexts"],
    4: ["targets", "data_commands"],
    5: ["config", "sweep", "report", "cli", "__main__"],
}
BRICKS = {*LAYERS[3], "metrics", "benchmark", "comparison", "plan", "testset"}
LAYERS[3] = sorted(BRICKS)
LAYER_OF = {name: layer for layer, names in LAYERS.items() for name in names}
HYDRA = {"hydra", "omegaconf"}
RETRIEVAL_WORDS = ("chunk", "embed", "retriev", "rerank", "question", "passage", "corpus", "document")


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Each imported module, and whether that happens at the top of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = [
        inner
        for node in tree.body
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    ]
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node in tree.body) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or "", node in tree.body


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_below(path: Path) -> None:
    part = part_of(path)
    if part == "__init__":
        return
    layer = LAYER_OF[part]
    for name, _ in imports(path):
        if not name.startswith("fastrag_bench."):
            continue
        other = name.split(".")[1]
        assert LAYER_OF[other] <= layer, f"{path.name} imports {name}, which lies above it"
        if part in BRICKS and other in BRICKS:
            assert other == part or (part, other) in {("benchmark", "engines")}, (
                f"{path.name} imports its neighbour {name}"
            )
        if part == "targets":
            assert other not in BRICKS - {"plan", "benchmark"}, f"{path.name} imports the brick {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_top_layer_sees_hydra(path: Path) -> None:
    seen = {name.split(".")[0] for name, _ in imports(path)} & HYDRA
    assert not seen or part_of(path) in LAYERS[5]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_heavy_is_imported_at_the_top_of_a_file(path: Path) -> None:
    heavy = {
        "bm25s",
        "joblib",
        "rich",
        "Stemmer",
        "onnxruntime",
        "tokenizers",
        "torch",
        "sentence_transformers",
        "pandas",
    }
    assert not {name.split(".")[0] for name, at_top in imports(path) if at_top} & heavy


def test_plan_knows_no_word_of_retrieval() -> None:
    for path in (PACKAGE / "plan").glob("*.py"):
        names = {
            node.id for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Name)
        }
        found = [name for name in names for word in RETRIEVAL_WORDS if word in name.lower()]
        assert not found, f"{path.name}: {found}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_stay_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, f"{path.name} has {text.count(chr(10))} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{path.name}: {node.name} has {length} lines"


def test_exceptions_are_swallowed_in_few_places() -> None:
    places = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name) and node.type.id == "Exception"
    }
    assert places <= ALLOWED, places - ALLOWED


ALLOWED = {
    "plan/executors.py",  # one stage
    "plan/asking.py",  # one question of a sweep
    "benchmark/calls.py",  # one question of a benchmark
    "benchmark/scoring.py",  # one outcome, one metric score
    "benchmark/stored.py",  # one metric over all outcomes, then one by one
    "benchmark/run.py",  # one metric's own summary
    "tokenizers/lengths.py",  # whatever a foreign tokenizer file makes its library raise
    "error_text.py",  # an error whose own text raises
}
