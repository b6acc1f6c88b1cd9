"""Looking after a store: what is listed, what is found damaged, what may go, and what a plan will cost."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from fastrag_bench.plan.execute import execute
from fastrag_bench.plan.housekeeping import damages, entries, remove, unneeded
from fastrag_bench.plan.plan import Plan
from fastrag_bench.plan.predict import component_of, predict
from fastrag_bench.plan.store import Store
from fastrag_bench.plan.workspace import Workspace
from tests.spec.plan_fakes import RowStage, ValueStage, add, pick, source


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def filled(store: Store) -> tuple[ValueStage, RowStage]:
    first = add(source([1, 2, 3]), 1)
    second = pick(first, "0", "1")
    execute(Plan([(second,)]), Workspace(store))
    return first, second


def test_entries_are_listed_by_kind_and_key(store: Store) -> None:
    first, second = filled(store)
    assert [(entry.kind, entry.key) for entry in entries(store)] == [("add", first.key), ("pick", second.key)]
    assert all(entry.size > 0 for entry in entries(store))


def test_a_sound_store_has_no_damages(store: Store) -> None:
    filled(store)
    assert list(damages(store)) == []


def test_damaged_values_rows_and_manifests_are_told_and_left_alone(store: Store) -> None:
    first, second = filled(store)
    value = store.folder("add", first.key) / "numbers.json"
    value.write_bytes(value.read_bytes().replace(b"2", b"7"))
    (rows,) = store.folder("pick", second.key).glob("rows-*")
    rows.write_bytes(rows.read_bytes()[:-4])
    assert list(damages(store)) == [
        f"add/{first.key}: a file differs from its checksum",
        f"pick/{second.key}: 1 damaged rows",
    ]
    assert value.is_file() and rows.is_file()


def test_only_what_no_result_names_may_go(store: Store) -> None:
    first, second = filled(store)
    (entry,) = unneeded(store, {second.key})
    assert entry.key == first.key
    remove(entry, store)
    assert [held.key for held in entries(store)] == [second.key]
    assert unneeded(store, {second.key}) == []


def test_leftovers_go_after_a_day(store: Store) -> None:
    filled(store)
    keys = {entry.key for entry in entries(store)}
    left = store.root / "add" / ".tmp-k-1-a"
    left.mkdir()
    assert unneeded(store, keys) == []
    yesterday = time.time() - 90_000
    os.utime(left, (yesterday, yesterday))
    assert [entry.folder for entry in unneeded(store, keys)] == [left]


def test_prediction_takes_the_mean_of_its_likes(store: Store) -> None:
    filled(store)
    workspace = Workspace(store)
    known = predict([pick(source([9]), "0")], workspace)
    assert (known.known, known.unknown) == (1, ())
    assert 0 <= known.seconds < 1
    assert predict([add(source([9]), 5)], workspace).known == 1


def test_the_component_is_the_first_class_an_identity_names() -> None:
    assert component_of({"class": "a.B", "fields": {}}) == "a.B"
    assert component_of({"k": 5, "parts": {"generator": {"class": "a.G"}, "context": None}}) == "a.G"
    assert component_of({"search": "lexical", "candidates": 9}) == "lexical"
