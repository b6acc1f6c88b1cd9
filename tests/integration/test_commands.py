"""`dry_run`, `status`, `store` and the budget, with real processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import World, make_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_a_dry_run_shows_the_tree_and_what_it_will_cost(world: World) -> None:
    first = world.run("-m", "sweep=s", "retriever=bm25", "k=1,2", "dry_run=true")
    assert "chunk RecursiveChunker [to compute]" in first.out
    assert "4 of 4 questions to ask" in first.out
    assert "no record yet of chunk, index, retrieve, generate" in first.out
    assert not (world.folder / "outputs" / "sweeps").exists()
    world.run("-m", "sweep=s", "retriever=bm25", "k=1,2")
    again = world.run("-m", "sweep=s", "retriever=bm25", "k=1,2,3", "dry_run=true")
    assert "chunk RecursiveChunker [stored]" in again.out
    assert "generate ExtractiveGenerator k=3 [4 of 4 questions to ask]" in again.out
    assert "for 1 stages" in again.out


def test_the_budget_stops_between_stages_with_a_valid_comparison(world: World) -> None:
    words = ("-m", "sweep=s", "generator=slow", "generator.seconds=0.5", "k=1,2,3")
    done = world.run(*words, "budget.seconds=1.5")
    assert done.code == 1, done.err
    states = [world.manifest(run)["status"] for run in world.runs()]
    assert states[0] == "ok" and states[-1] == "missing"
    assert "budget.seconds=1.5 is used up" in (world.sweep() / "comparison.md").read_text()
    assert world.run("status", "outputs/sweeps/s").code == 1
    assert world.run(*words).code == 0
    status = world.run("status", "outputs/sweeps/s")
    assert (status.code, status.out.splitlines()[-1]) == (0, "3 runs: 3 ok")


def test_gc_removes_what_no_result_needs_and_only_when_told(world: World) -> None:
    world.run("-m", "sweep=s", "retriever=bm25", "k=1,2")
    world.run("-m", "sweep=other", "retriever=bm25", "k=3,4")
    kept = world.run("store", "gc")
    assert "0 stages are needed by no result" in kept.out
    for path in sorted(world.sweep("other").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert "2 stages are needed by no result" in world.run("store", "gc").out
    assert "removed 2 stages" in world.run("store", "gc", "--yes").out
    assert "everything is sound" in world.run("store", "verify").out
    again = world.run("-m", "sweep=s", "retriever=bm25", "k=1,2")
    assert "5 distinct, 5 stored" in again.out


def test_a_damaged_store_is_told_by_verify_and_healed_by_the_next_run(world: World) -> None:
    world.run("-m", "sweep=s", "retriever=bm25", "k=1,2")
    expected = {run: world.result(run)["summary"]["ndcg"] for run in world.runs()}
    (spans,) = (world.folder / "outputs" / "store").glob("chunk/*/spans.npy")
    content = bytearray(spans.read_bytes())
    content[-8] ^= 1
    spans.write_bytes(content)
    verify = world.run("store", "verify")
    assert verify.code == 1 and "a file differs from its checksum" in verify.out
    done = world.run("-m", "sweep=s", "retriever=bm25,hybrid", "k=1,2")
    assert done.code == 0, done.err
    assert {run: world.result(run)["summary"]["ndcg"] for run in world.runs() if "bm25" in run} == expected
    assert world.run("store", "verify").code == 0


def test_two_sweeps_at_once_on_one_store_end_complete_and_equal(world: World) -> None:
    words = ("generator=slow", "generator.seconds=0.1", "k=1,2")
    one, two = world.start("-m", "sweep=s", *words), world.start("-m", "sweep=t", *words)
    codes = [process.wait(timeout=120) for process in (one, two)]
    assert codes == [0, 0]
    for process in (one, two):
        process.communicate()
    assert len(world.calls()) == 8
    for run, folder in world.runs().items():
        other = world.sweep("t") / folder.name
        assert (folder / "samples.jsonl").read_text() == (other / "samples.jsonl").read_text(), run


@pytest.mark.parametrize("kind", ["embed_query", "retrieve", "fuse", "generate"])
@pytest.mark.parametrize("how", ["empty", "delete", "garbage"])
def test_lost_rows_of_any_stage_are_computed_again(world: World, kind: str, how: str) -> None:
    words = ("-m", "sweep=s", "k=1,2", "metrics=[retrieval,answer]")
    world.run(*words)
    expected = {run: world.result(run)["summary"] for run in world.runs()}
    for path in (world.folder / "outputs" / "store").glob(f"{kind}/*/rows-*"):
        path.unlink() if how == "delete" else path.write_text("" if how == "empty" else "garbage\n")
    done = world.run(*words)
    assert done.code == 0, done.out
    assert {run: world.result(run)["summary"] for run in world.runs()} == expected


@pytest.mark.parametrize("content", ["", "garbage", "{}"])
def test_a_damaged_plan_file_does_not_stand_in_the_way(world: World, content: str) -> None:
    words = ("-m", "sweep=s", "retriever=bm25", "k=1,2")
    world.run(*words)
    (world.sweep() / "plan.json").write_text(content)
    assert world.run(*words).code == 0
    assert len(world.runs()) == 2
