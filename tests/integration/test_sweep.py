"""The main job with real processes: what a sweep computes, writes and prints."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from .command import World, make_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


GRID = ("chunker=recursive,fixed", "retriever=bm25,dense,hybrid", "k=1,2,3,4", "reranker=none,mmr", "generator=none")


def test_a_grid_runs_exactly_the_distinct_stages_and_then_none(world: World) -> None:
    """2 chunkers x 3 retrievers x 4 k x 2 rerankers.

    Distinct: chunk 2, embed 2, index 2 + 2, embed_query 1, retrieve 2 + 2, fuse 2, rerank 2 x 3; k is no stage.
    """
    first = world.run("-m", "sweep=s", *GRID)
    assert first.code == 0, first.err
    plan = world.read("plan.json")
    assert len(plan["runs"]) == 48
    assert plan["summary"]["distinct"] == 21
    folders = [path for path in (world.folder / "outputs" / "store").glob("*/*") if path.is_dir()]
    assert len([path for path in folders if not path.parent.name.startswith(".")]) == 21
    again = world.run("-m", "sweep=s", *GRID)
    assert "21 distinct, 21 stored" in again.out


def test_added_values_compute_only_what_is_new(world: World) -> None:
    world.run("-m", "sweep=s", "generator=picky", "generator.word=''", "k=1,2")
    asked = len(world.calls())
    done = world.run("-m", "sweep=s", "generator=picky", "generator.word=''", "k=1,2,3")
    assert done.code == 0, done.err
    assert len(world.calls()) == asked + 4


def test_every_run_has_its_files(world: World) -> None:
    done = world.run("-m", "sweep=s", "chunker=recursive,fixed", "k=1,2", "metrics=[retrieval,answer,operational]")
    assert done.code == 0, done.err
    (run, folder) = next(iter(world.runs().items()))
    assert run.startswith("chunker=recursive,k=1")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["status"] == "ok"
    assert manifest["config"]["chunker"]["size"] == 800
    assert manifest["dataset"]["questions"] == 4
    assert {stage["kind"] for stage in manifest["stages"]} >= {
        "chunk",
        "embed",
        "index",
        "retrieve",
        "fuse",
        "generate",
    }
    result = json.loads((folder / "result.json").read_text())
    assert "chunker" not in json.dumps({key: value for key, value in result.items() if key != "name"})
    lines = [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]
    assert [line["question"] for line in lines] == [sample["question"] for sample in result["samples"]]
    assert lines[0]["gold"] == ["tides.md#char=9,53"]
    assert lines[0]["detail"]["ranking"][0][0].startswith("tides.md#char=")
    assert lines[0]["scores"]["recall"] == 1.0
    assert {kind for kind, _ in lines[0]["detail"]["seconds"]} >= {"retrieve", "generate"}
    assert (folder / ".hydra" / "overrides.yaml").is_file()


def test_the_comparison_is_written_in_four_formats_and_says_the_same(world: World) -> None:
    world.run("-m", "sweep=s", "chunker=recursive,fixed", "k=1,2")
    with open(world.sweep() / "comparison.csv", newline="", encoding="utf-8") as file:
        rows = {row["run"]: row for row in csv.DictReader(file)}
    written = world.read("comparison.json")
    for run, folder in world.runs().items():
        result = json.loads((folder / "result.json").read_text())
        assert float(rows[result["name"]]["ndcg"]) == result["summary"]["ndcg"]["mean"], run
    assert json.dumps(written).count('"ndcg"') >= 4
    markdown = (world.sweep() / "comparison.md").read_text()
    assert markdown.count("| chunker=") == 4
    assert (world.sweep() / "comparison.html").read_text().lower().startswith("<!doctype html>")


def test_a_changed_document_changes_the_result_and_is_not_mixed_with_the_old(world: World) -> None:
    world.run("-m", "sweep=s", "chunker=recursive,fixed")
    (world.folder / "docs" / "chess.md").write_text("# Chess\n")
    done = world.run("-m", "sweep=s", "chunker=recursive,none")
    assert "another dataset version" in done.out
    assert set(world.runs()) == {"chunker=recursive", "chunker=none"}
    assert world.result("chunker=recursive")["summary"]["recall"]["mean"] == 0.5


def test_identical_pipelines_are_said_and_no_tie(world: World) -> None:
    done = world.run("-m", "sweep=s", "retriever=bm25", "embedder.dimensions=64,128")
    assert done.code == 0, done.err
    assert "the same pipeline under 2 names" in done.out
    identical = [world.manifest(run)["identical_to"] for run in world.runs()]
    assert identical[0] is None and identical[1] is not None


def test_results_are_the_same_in_threads_and_processes(world: World) -> None:
    axes = ("chunker=recursive,fixed", "retriever=bm25,hybrid", "metrics=[retrieval,answer]")
    scores = []
    for mode in ("serial", "threads", "processes"):
        done = world.run("-m", f"sweep={mode}", *axes, f"execution={mode}", f"store=outputs/store-{mode}")
        assert done.code == 0, done.err
        folder = world.sweep(mode)
        plan = json.loads((folder / "plan.json").read_text())
        results = [json.loads((folder / run["folder"] / "result.json").read_text()) for run in plan["runs"]]
        scores.append([[sample["scores"] for sample in result["samples"]] for result in results])
    assert scores[0] == scores[1] == scores[2]


def test_an_engine_of_ones_own(world: World) -> None:
    (world.folder / "mine.py").write_text(
        "class Engine:\n"
        "    def __init__(self, top_k=1):\n"
        "        self.top_k = top_k\n"
        "    async def query(self, question):\n"
        "        passages = [{'text': 'x', 'id': name} for name in ('bread.md', 'chess.md', 'tides.md')]\n"
        "        return {'answer': 'yes', 'sources': passages[: self.top_k]}\n"
        "class Retriever:\n"
        "    def retrieve(self, question):\n"
        "        return [{'text': 'x', 'metadata': {'doc_id': 'chess.md'}}]\n"
    )
    done = world.run("-m", "sweep=s", "target=engine", "target.path=mine:Engine", "k=1,3", "metrics.unit=document")
    assert done.code == 0, done.err
    names = list(world.runs())
    assert [world.result(name)["summary"]["recall"]["mean"] for name in names] == [0.25, 1.0]
    done = world.run("-m", "sweep=r", "target=engine", "target.path=mine:Retriever", "k=1,3", "metrics.unit=document")
    assert "the same pipeline under 2 names" in done.out
    refused = world.run("-m", "target=engine", "target.path=mine:Retriever,mine:Absent", "metrics=[answer]")
    assert refused.code == 2
    assert "mine:Absent" in refused.err
