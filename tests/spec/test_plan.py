"""What a plan, its store and its execution promise, one invariant a test."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from fastrag_bench.plan.execute import Execution, Policy, execute
from fastrag_bench.plan.plan import Plan
from fastrag_bench.plan.stage import RowStage, Stage
from fastrag_bench.plan.store import MANIFEST, Store
from fastrag_bench.plan.workspace import Workspace

from .plan_fakes import CALLS, Pick, add, after, items, pick, source


@pytest.fixture(autouse=True)
def _fresh_counts() -> None:
    CALLS.clear()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


def run(root: Path, *pipelines: tuple[Stage, ...], **options: object) -> tuple[Execution, Workspace]:
    workspace = Workspace(Store(root))
    return execute(Plan(pipelines), workspace, Policy(**options)), workspace  # type: ignore[arg-type]


def values(workspace: Workspace, stage: RowStage) -> dict[str, object]:
    return {item: row.value for item, row in workspace.rows(stage).items()}


@pytest.mark.parametrize("mode", ["serial", "threads", "processes"])
def test_plan_equals_the_naive_loop(root: Path, mode: str) -> None:
    grid = [(a, b) for a in (1, 2) for b in (10, 20, 30)]
    pipelines = [pick(add(add(source([1, 2, 3]), a), b), "0", "2") for a, b in grid]
    _, workspace = run(root, *[(stage,) for stage in pipelines], mode=mode, n_jobs=2)
    for (a, b), stage in zip(grid, pipelines, strict=True):
        assert values(workspace, stage) == {"id-0": 1 + a + b, "id-2": 3 + a + b}


def test_a_shared_prefix_runs_once(root: Path) -> None:
    run(root, *[(pick(add(add(source([1, 2, 3]), 1), b), "0"),) for b in (10, 20, 30)])
    assert CALLS["add 1"] == 1
    assert [CALLS[f"add {b}"] for b in (10, 20, 30)] == [1, 1, 1]


def test_equal_stages_of_several_pipelines_are_counted_once(root: Path) -> None:
    pipelines = [(pick(add(add(source([1]), 1), b), "0"),) for b in (10, 20)]
    workspace = Workspace(Store(root))
    summary = Plan(pipelines).summary(workspace)
    assert (summary.asked, summary.distinct, summary.stored) == (6, 5, 0)
    execute(Plan(pipelines), workspace)
    assert Plan(pipelines).summary(Workspace(Store(root))).stored == 5


def test_a_hit_never_runs_upstream(root: Path) -> None:
    first = pick(add(add(source([1, 2, 3]), 1), 10), "0")
    run(root, (first,))
    for name in ("add",):
        for folder in (root / name).iterdir():
            (folder / MANIFEST).unlink()
    CALLS.clear()
    _, workspace = run(root, (pick(add(add(source([1, 2, 3]), 1), 10), "0"),))
    assert CALLS == {}
    assert values(workspace, first) == {"id-0": 12}


def test_added_items_cost_only_themselves(root: Path) -> None:
    run(root, (pick(source([5, 6, 7]), "0", "1"),))
    CALLS.clear()
    stage = pick(source([5, 6, 7]), "0", "1", "2")
    _, workspace = run(root, (stage,))
    assert CALLS == {"pick 2": 1}
    assert values(workspace, stage) == {"id-0": 5, "id-1": 6, "id-2": 7}


def test_two_pipelines_with_other_items_share_the_rows_they_have_in_common(root: Path) -> None:
    one, two = pick(source([5, 6, 7]), "0", "1"), pick(source([5, 6, 7]), "1", "2")
    _, workspace = run(root, (one,), (two,))
    assert CALLS == {"pick 0": 1, "pick 1": 1, "pick 2": 1}
    assert values(Workspace(workspace.store), two) == {"id-1": 6, "id-2": 7}


def test_a_failed_row_is_asked_again_and_no_other(root: Path) -> None:
    execution, workspace = run(root, (pick(source([5, 6]), "0", "1", operation=Pick(failing={"1"})),))
    stage = pick(source([5, 6]), "0", "1")
    assert workspace.rows(stage)["id-1"].error == "ValueError: no 1"
    assert [report.failed for report in execution.reports.values()] == [1]
    CALLS.clear()
    _, workspace = run(root, (stage,))
    assert CALLS == {"pick 1": 1}
    assert values(workspace, stage) == {"id-0": 5, "id-1": 6}


def test_a_failed_row_fails_the_rows_built_on_it_and_is_never_a_value(root: Path) -> None:
    first = pick(source([5, 6]), "0", "1", operation=Pick(failing={"0"}))
    second = after(first, Pick("next"))
    _, workspace = run(root, (second,))
    rows = workspace.rows(second)
    assert (rows["id-0"].value, rows["id-0"].error) == (None, "ValueError: no 0")
    assert rows["id-1"].value == 6
    assert CALLS["next 0"] == 0


def test_an_answer_on_a_recomputed_retrieval_is_not_reused(root: Path) -> None:
    drift = iter([0, 100])
    first = pick(source([5]), "0", operation=Pick("search", offset=lambda: next(drift)))
    run(root, (after(first, Pick("answer")),))
    for path in root.glob("search/*/rows-*"):
        path.unlink()
    fresh = pick(source([5]), "0", operation=Pick("search", offset=lambda: next(drift)))
    answer = after(fresh, Pick("answer"))
    _, workspace = run(root, (fresh, answer))
    assert values(workspace, fresh) == {"id-0": 105}
    assert values(workspace, answer) == {"id-0": 105}
    assert CALLS["answer 0"] == 2


def test_a_value_on_a_recomputed_input_is_not_reused(root: Path) -> None:
    first, second = add(source([1]), 1), add(add(source([1]), 1), 10)
    run(root, (second,))
    folder = Store(root).folder("add", first.key)
    record = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(record | {"digest": "0" * 32}))
    CALLS.clear()
    run(root, (pick(add(add(source([1]), 1), 10), "0"),))
    assert CALLS["add 10"] == 1


def test_a_half_written_artefact_is_absent(root: Path) -> None:
    stage = add(source([1]), 1)
    half = root / "add" / stage.key
    half.mkdir(parents=True)
    (half / "numbers.json").write_text("[")
    execution, workspace = run(root, (stage,))
    assert execution.failures == {}
    assert workspace.value(stage) == [2]


@pytest.mark.parametrize("damage", [b"[3]", b"", b"[2]\n\n\n"])
def test_a_damaged_artefact_is_set_aside_and_computed_again(
    root: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    stage = add(source([1]), 1)
    run(root, (stage,))
    (root / "add" / stage.key / "numbers.json").write_bytes(damage)
    workspace = Workspace(Store(root))
    assert workspace.value(stage) == [2]
    assert "damaged" in caplog.text
    assert len(list((root / "damaged").iterdir())) == 1


def test_an_artefact_deleted_in_mid_run_is_computed_again(root: Path) -> None:
    first = add(source([1, 2]), 1)
    _, workspace = run(root, (first,))
    for path in (root / "add" / first.key).iterdir():
        path.unlink()
    workspace.forget(first)
    assert workspace.value(add(first, 10)) == [12, 13]


@pytest.mark.parametrize("damage", ["torn", "flipped"])
def test_a_damaged_row_does_not_exist(root: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    run(root, (pick(source([5, 6]), "0", "1"),))
    (path,) = root.glob("pick/*/rows-*")
    content = path.read_bytes()
    path.write_bytes(content[:-9] if damage == "torn" else content.replace(b'"value":6', b'"value":7'))
    CALLS.clear()
    stage = pick(source([5, 6]), "0", "1")
    _, workspace = run(root, (stage,))
    assert CALLS == {"pick 1": 1}
    assert values(workspace, stage) == {"id-0": 5, "id-1": 6}
    assert "damaged" in caplog.text


def test_two_writers_one_result(root: Path) -> None:
    store, barrier = Store(root), threading.Barrier(2)
    found = []

    def write_late(number: int) -> None:
        def write(folder: Path) -> float:
            (folder / "numbers.json").write_text(str(number))
            barrier.wait(timeout=10)
            return float(number)

        artefact = store.add("add", "k" * 32, write=write, identity=None, input_keys=(), input_digests=())
        found.append((artefact.digest, (artefact.folder / "numbers.json").read_text()))

    threads = [threading.Thread(target=write_late, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert found[0] == found[1]
    assert [path.name for path in (root / "add").iterdir()] == ["k" * 32]


def test_two_sweeps_at_once_compute_each_stage_once(root: Path) -> None:
    pipelines = [(pick(add(source([1, 2, 3]), amount), "0", "1"),) for amount in range(6)]
    threads = [threading.Thread(target=run, args=(root, *pipelines)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert [CALLS[f"add {amount}"] for amount in range(6)] == [1] * 6
    assert CALLS["pick 0"] == 6


@pytest.mark.parametrize("mode", ["serial", "threads", "processes"])
def test_a_failure_stops_only_its_dependents(root: Path, mode: str) -> None:
    broken = add(source([1]), 1, fails=True)
    lost, good = pick(add(broken, 2), "0"), pick(add(source([1]), 3), "0")
    execution, workspace = run(root, (lost,), (good,), mode=mode, n_jobs=2)
    assert values(workspace, good) == {"id-0": 4}
    assert execution.failures[broken.key].reason == "add: RuntimeError: cannot add"
    assert "plan_fakes.py" in execution.failures[broken.key].traceback
    failure = execution.failure_of(lost.key)
    assert failure is not None and failure.reason == "add: RuntimeError: cannot add"


def test_stop_on_error_starts_nothing_more(root: Path) -> None:
    broken = pick(add(source([1]), 1, fails=True), "0")
    later = pick(add(source([1]), 3), "0")
    execution, _ = run(root, (broken,), (later,), stop_on_error=True)
    assert CALLS == {"add 1": 1}
    failure = execution.failure_of(later.key)
    assert failure is not None and "on_error=stop" in failure.reason


def test_a_stage_that_kills_its_worker_takes_only_itself(root: Path) -> None:
    deadly = pick(source([1, 2]), "0", operation=Pick("deadly", offset=_die))
    good = [pick(add(source([1]), amount), "0") for amount in range(4)]
    execution, workspace = run(root, (deadly,), *[(stage,) for stage in good], mode="processes", n_jobs=2)
    assert "died" in execution.failures[deadly.key].reason
    assert [values(workspace, stage) for stage in good] == [{"id-0": 1 + amount} for amount in range(4)]


class TwoArguments(Exception):
    """Cannot be made again from its pickle."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)


def _raise_unpicklable() -> int:
    raise TwoArguments("no way", "back")


@pytest.mark.parametrize("mode", ["serial", "threads", "processes"])
def test_an_error_that_cannot_be_pickled_is_a_failed_row(root: Path, mode: str) -> None:
    stage = pick(source([1]), "0", operation=Pick("odd", offset=_raise_unpicklable))
    good = pick(source([5]), "0")
    _, workspace = run(root, (stage,), (good,), mode=mode, n_jobs=2)
    assert workspace.rows(stage)["id-0"].error == "TwoArguments: no way"
    assert values(workspace, good) == {"id-0": 5}


def _threads_of_a_worker() -> int:
    import os

    return int(os.environ["OMP_NUM_THREADS"])


def test_workers_share_the_processors(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    stage = pick(source([0]), "0", operation=Pick("threads", offset=_threads_of_a_worker))
    _, workspace = run(root, (stage,), mode="processes", n_jobs=2)
    assert workspace.rows(stage)["id-0"].value >= 1


def _die() -> int:
    import os

    os._exit(7)


def test_rows_of_one_item_do_not_depend_on_the_others(root: Path) -> None:
    assert pick(source([1, 2]), "0").key == pick(source([1, 2]), "0", "1").key
    assert pick(source([1, 2]), "0").key != pick(source([1, 3]), "0").key
    assert items("0") == {"id-0": "0"}
