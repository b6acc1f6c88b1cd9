"""What a run is called follows from its overrides alone, and so does its folder."""

from __future__ import annotations

import random
import re
import string

import pytest

from fastrag_bench.sweep.naming import run_folder, run_folders, run_name


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        ([], "default"),
        (["k=5", "chunker=recursive"], "chunker=recursive,k=5"),
        (["+x=1"], "x=1"),
        (["++x=1"], "x=1"),
        (["k=1", "k=2"], "k=2"),
        (["s='a b'"], "s=a b"),
        (['s="a,b"'], "s=a,b"),
        (["s='5'"], "s=5"),
        (["x=true"], "x=true"),
        (["x=null"], "x=null"),
        (["x=1e-3"], "x=0.001"),
        (["x=[1,'two',null]"], "x=[1,two,null]"),
        (["x={a:1,b:True}"], "x={a:1,b:true}"),
        (["~reranker"], "~reranker"),
        (["index@index.lexical=bm25"], "index@index.lexical=bm25"),
        (["seed=${k}"], "seed=${k}"),
    ],
)
def test_a_name_is_the_sorted_overrides(overrides: list[str], name: str) -> None:
    assert run_name(overrides) == name


@pytest.mark.parametrize(
    "override",
    [
        "sweep=mine",
        "resume=true",
        "dry_run=true",
        "on_error=stop",
        "timeout_s=3",
        "store=elsewhere",
        "execution=threads",
        "execution.n_jobs=4",
        "budget.usd=1",
        "hydra.verbose=true",
        "hydra/launcher=basic",
    ],
)
def test_what_changes_no_result_stays_out(override: str) -> None:
    assert run_name([override, "k=5"]) == "k=5"
    assert run_name([override]) == "default"


def test_a_part_s_own_setting_of_the_same_name_stays_in() -> None:
    assert run_name(["generator.timeout_s=3"]) == "generator.timeout_s=3"


@pytest.mark.parametrize("override", ["generator.api_key=abc", "api_key=abc", "llm.token=abc", "x.password=abc"])
def test_a_secret_is_never_in_a_name(override: str) -> None:
    assert run_name([override]) == "default"


@pytest.mark.parametrize(
    ("override", "name"),
    [
        ("dataset.path=/data/mine/q.jsonl", "dataset.path=q.jsonl"),
        ("dataset.path=docs/", "dataset.path=docs"),
        ("embedder.model=BAAI/bge-small-en", "embedder.model=bge-small-en"),
        (r"dataset.path='C:\data\q.jsonl'", "dataset.path=q.jsonl"),
        ("files=[a/b.txt,c/d.txt]", "files=[b.txt,d.txt]"),
    ],
)
def test_a_path_shows_its_last_part(override: str, name: str) -> None:
    assert run_name([override]) == name


def test_a_plain_name_is_its_own_folder() -> None:
    assert run_folder("chunker=recursive,k=5") == "chunker=recursive,k=5"


@pytest.mark.parametrize("name", ["s=a b", "s=a/b", 's="x"', "s=a:b", "s=[1,2]", "s=über", ".hidden", "s=end.", "s=\n"])
def test_what_is_not_safe_everywhere_is_replaced_and_hashed(name: str) -> None:
    folder = run_folder(name)
    assert re.fullmatch(r"[A-Za-z0-9=_][A-Za-z0-9._=,@+-]*-[0-9a-f]{8}", folder)


def test_different_names_with_the_same_slug_have_different_folders() -> None:
    assert len(set(run_folders(["s=a b", "s=a:b", "s=a-b"]))) == 3


def test_names_that_differ_by_case_only_have_folders_that_differ_by_more() -> None:
    folders = run_folders(["s=a", "s=A", "s=b"])
    assert len({folder.casefold() for folder in folders}) == 3
    assert folders[2] == "s=b"


def test_no_folder_is_longer_than_120_bytes() -> None:
    longest = run_folder("s=" + "x" * 118)
    assert longest == "s=" + "x" * 118
    cut = run_folder("s=" + "x" * 119)
    assert len(cut) == 120
    assert re.search(r"x-[0-9a-f]{8}$", cut)


def test_any_text_gives_a_folder_that_stays_inside_the_sweep() -> None:
    draw = random.Random(0)
    letters = string.printable + "äß漢字🙂\u0000"
    for _ in range(500):
        name = "".join(draw.choices(letters, k=draw.randrange(1, 200)))
        folder = run_folder(name)
        assert 0 < len(folder.encode()) <= 120
        assert "/" not in folder
        assert not folder.startswith(".")
        assert folder.isascii()
