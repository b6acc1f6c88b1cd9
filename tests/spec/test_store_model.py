"""A store against a model: whatever is run, killed, edited, damaged or cleaned in between, values are a loop's."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from fastrag_bench.plan.execute import execute
from fastrag_bench.plan.housekeeping import damages, remove, unneeded
from fastrag_bench.plan.plan import Plan
from fastrag_bench.plan.stage import RowStage
from fastrag_bench.plan.store import Store
from fastrag_bench.plan.workspace import Workspace

from .plan_fakes import Pick, add, after, pick, source

NAMES = ("0", "1", "2", "3")


class Killed(BaseException):
    """Stands for whatever ends a process in the middle of a row."""


class StoreMachine(RuleBasedStateMachine):
    """numbers -> add -> pick one for each item -> next; each step may be cut short."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.store = Store(self.folder / "store")
        self.numbers = [1, 2, 3, 4]
        self.amount = 1
        self.items: list[str] = ["0"]
        self.failing: set[str] = set()
        self.rows_left: int | None = None
        self.seen: dict[str, int] = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def stages(self) -> tuple[RowStage, RowStage]:
        first = Pick("pick", failing=self.failing, offset=self.count_down)
        picked = pick(add(source(self.numbers), self.amount), *self.items, operation=first)
        return picked, after(picked, Pick("next"))

    def count_down(self) -> int:
        if self.rows_left is not None:
            if self.rows_left == 0:
                raise Killed
            self.rows_left -= 1
        return 0

    def run_now(self) -> None:
        with Workspace(self.store) as workspace:
            execute(Plan([self.stages()]), workspace)
            last = self.stages()[1]
            self.seen = {name: row.value for name, row in workspace.rows(last).items() if row.ok}
            errors = {name for name, row in workspace.rows(last).items() if not row.ok}
        wanted = {
            f"id-{name}": self.numbers[int(name)] + self.amount for name in self.items if name not in self.failing
        }
        assert {name: self.seen.get(name) for name in wanted} == wanted
        assert errors <= {f"id-{name}" for name in self.failing}

    @rule()
    def run_to_the_end(self) -> None:
        self.rows_left = None
        self.run_now()

    @rule(rows=st.integers(0, 3))
    def run_and_be_killed(self, rows: int) -> None:
        self.rows_left = rows
        with contextlib.suppress(Killed):
            self.run_now()
        self.rows_left = None

    @rule(name=st.sampled_from(NAMES))
    def ask_one_more(self, name: str) -> None:
        if name not in self.items:
            self.items.append(name)

    @rule(numbers=st.lists(st.integers(0, 5), min_size=4, max_size=4))
    def edit_the_data(self, numbers: list[int]) -> None:
        self.numbers = numbers

    @rule(amount=st.integers(0, 2))
    def change_a_setting(self, amount: int) -> None:
        self.amount = amount

    @rule(name=st.sampled_from(NAMES), fails=st.booleans())
    def break_or_mend_an_item(self, name: str, fails: bool) -> None:
        self.failing = self.failing | {name} if fails else self.failing - {name}

    @rule(number=st.integers(0, 10**6), place=st.integers(0, 10**6), how=st.sampled_from(("delete", "cut", "flip")))
    def damage_a_file(self, number: int, place: int, how: str) -> None:
        files = [path for path in sorted(self.store.root.rglob("*")) if path.is_file() and ".locks" not in path.parts]
        if not files:
            return
        path = files[number % len(files)]
        content = bytearray(path.read_bytes())
        if how == "delete":
            path.unlink()
        elif content:
            place %= len(content)
            content[place] ^= 1
            path.write_bytes(content[:place] if how == "cut" else content)

    @rule(keep=st.booleans())
    def clean(self, keep: bool) -> None:
        keys = {stage.key for stage in self.stages()} if keep else set()
        for entry in unneeded(self.store, keys):
            remove(entry, self.store)
        list(damages(self.store))

    @invariant()
    def nothing_half_written_is_believed(self) -> None:
        for entry in getattr(self, "seen", {}):
            assert entry.startswith("id-")


StoreMachine.TestCase.settings = settings(
    max_examples=60, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
TestStoreMachine = StoreMachine.TestCase
