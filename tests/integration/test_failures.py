"""The failure table, row by row, with real processes: what goes wrong, where it shows, and the exit code."""

from __future__ import annotations

import json
import signal
import tempfile
from pathlib import Path

import pytest

from .command import World, make_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def statuses(world: World) -> dict[str, str]:
    return {run: world.manifest(run)["status"] for run in world.runs()}


def test_one_question_that_fails_is_counted_and_is_no_zero(world: World) -> None:
    done = world.run("-m", "sweep=s", "generator=picky,extractive", "metrics=[retrieval,answer]")
    assert done.code == 0, done.err
    result = world.result("generator=picky,metrics=[retrieval,answer]")
    assert result["status"] == {"successful": 3, "errored": 1, "incomplete": 0}
    assert result["samples"][3]["status"] == "errored"
    assert set(result["samples"][3]["scores"].values()) == {None}
    assert result["samples"][3]["error"] == "ValueError: no rooks, api_key=***"
    assert result["summary"]["recall"]["count"] == 3
    assert "errored" in done.out


def test_a_question_that_times_out_is_errored(world: World) -> None:
    done = world.run("-m", "sweep=s", "generator=slow", "generator.seconds=5", "timeout_s=0.2", "k=1,2")
    assert done.code == 3, done.err
    reason = "all 4 questions failed; the first: TimeoutError: no answer within timeout_s=0.2"
    assert world.manifest("generator.seconds=5,generator=slow,k=1")["reason"] == reason
    assert reason in done.out


def test_a_stage_that_fails_costs_only_its_combinations(world: World) -> None:
    done = world.run("-m", "sweep=s", "chunker=broken,recursive", "k=1,2")
    assert done.code == 1, done.err
    assert statuses(world) == {
        "chunker=broken,k=1": "failed",
        "chunker=broken,k=2": "failed",
        "chunker=recursive,k=1": "ok",
        "chunker=recursive,k=2": "ok",
    }
    folder = world.runs()["chunker=broken,k=1"]
    assert "this chunker is broken" in (folder / "traceback.txt").read_text()
    assert not (folder / "result.json").exists()
    assert "RuntimeError: this chunker is broken" in (world.sweep() / "comparison.md").read_text()
    assert "chunker=recursive" in (world.sweep() / "comparison.md").read_text()


def test_a_worker_that_dies_takes_only_its_stage(world: World) -> None:
    done = world.run("-m", "sweep=s", "chunker=deadly,recursive,fixed", "execution=processes")
    assert done.code == 1, done.err
    assert statuses(world) == {"chunker=deadly": "failed", "chunker=recursive": "ok", "chunker=fixed": "ok"}
    assert "died" in world.manifest("chunker=deadly")["reason"]


def test_gold_that_never_matches_is_said(world: World) -> None:
    lines = [json.dumps({"question": "What is a rook worth?", "relevant_ids": ["other.md"]})]
    (world.folder / "questions.jsonl").write_text("\n".join(lines))
    done = world.run("-m", "sweep=s", "k=1,2")
    assert done.code == 1, done.err
    assert "no gold id ever matched" in done.out
    assert world.run("-m", "sweep=s", "k=1,2", "allow_no_match=true").code == 0


def test_on_error_stop_stops_and_says_what_is_missing(world: World) -> None:
    done = world.run("-m", "sweep=s", "chunker=broken,recursive", "on_error=stop")
    assert done.code in (1, 3), done.err
    assert statuses(world) == {"chunker=broken": "failed", "chunker=recursive": "missing"}
    assert "on_error=stop" in (world.sweep() / "comparison.md").read_text()


def test_every_combination_failing_is_3_with_the_first_cause(world: World) -> None:
    done = world.run("-m", "sweep=s", "chunker=broken", "k=1,2")
    assert done.code == 3, done.err
    assert "this chunker is broken" in done.out


def test_no_question_at_all_is_3(world: World) -> None:
    (world.folder / "questions.jsonl").write_text("\n")
    done = world.run("-m", "sweep=s", "k=1,2")
    assert done.code == 3, done.out
    assert "no question" in done.err


def test_a_comparison_that_cannot_be_built_is_3(world: World) -> None:
    assert world.run("-m", "sweep=s", "k=1,2").code == 0
    (world.runs()["k=1"] / "result.json").write_text("{")
    done = world.run("compare", "outputs/sweeps/s")
    assert done.code == 3
    assert "result.json" in done.err


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_what_is_finished_and_the_same_command_continues(
    world: World, how: signal.Signals, code: int
) -> None:
    command = ("-m", "sweep=s", "generator=extractive,slow")
    done = world.stop(world.start(*command), how, after_calls=2)
    assert done.code == code, done.err
    assert statuses(world) == {"generator=extractive": "ok", "generator=slow": "missing"}
    assert "generator=extractive" in (world.sweep() / "comparison.md").read_text()
    again = world.run(*command)
    assert again.code == 0, again.err
    assert statuses(world) == {"generator=extractive": "ok", "generator=slow": "ok"}
    assert len(world.calls()) <= len(set(world.calls())) + 1


def test_kill_9_leaves_nothing_half_written_and_the_same_command_continues(world: World) -> None:
    command = ("-m", "sweep=s", "generator=extractive,slow")
    world.stop(world.start(*command), signal.SIGKILL, after_calls=2)
    asked = len(world.calls())
    assert world.run(*command).code == 0
    assert asked <= len(world.calls()) <= 5
    assert statuses(world) == {"generator=extractive": "ok", "generator=slow": "ok"}


def test_a_second_run_of_the_same_command_computes_nothing(world: World) -> None:
    command = ("-m", "sweep=s", "generator=picky", "generator.word=''", "k=1,2")
    first = world.run(*command)
    assert first.code == 0, first.err
    asked = len(world.calls())
    assert asked == 8
    again = world.run(*command)
    assert "10 distinct, 10 stored" in again.out
    assert len(world.calls()) == asked


def test_an_unwritable_store_is_refused_before_any_work(world: World) -> None:
    (world.folder / "file").write_text("not a folder")
    done = world.run("-m", "sweep=s", "k=1,2", "store=file/store")
    assert done.code == 2
    assert "store=" in done.err


def test_a_dry_run_writes_nothing(world: World) -> None:
    done = world.run("-m", "sweep=s", "k=1,2", "dry_run=true")
    assert done.code == 0, done.err
    assert "2 combinations" in done.out
    assert not (world.sweep() / "plan.json").exists()


@pytest.mark.parametrize("blocks", [1, 4, 16])
def test_a_full_disk_leaves_nothing_half_written_and_the_same_command_continues(world: World, blocks: int) -> None:
    """A limit on the size of files, in kB, stands for the disk: writes fail in the middle."""
    words = ("-m", "sweep=s", "chunker=recursive,fixed", "k=1,2")
    full = world.run(*words, before=f"ulimit -f {blocks}")
    assert full.code in (1, 3), full.out
    assert "Traceback" not in full.err
    assert "File too large" in full.err
    done = world.run(*words)
    assert done.code == 0, done.err
    assert set(statuses(world).values()) == {"ok"}


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a second file system")
def test_the_store_may_lie_on_another_file_system(world: World) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        done = world.run("-m", "sweep=s", "k=1,2", f"store={folder}")
        assert done.code == 0, done.err
        assert "stored" in world.run("-m", "sweep=s", "k=1,2", f"store={folder}").out
