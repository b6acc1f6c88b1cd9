"""Whatever is typed, a run and a sweep stay in their folders, and no two runs share one."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastrag_bench.sweep.expand import as_override
from fastrag_bench.sweep.naming import run_folder, run_folders, run_name
from fastrag_bench.sweep.sweep_name import checked_sweep_name

ANY = st.text(max_size=300)
NASTY = st.sampled_from(
    [
        "../../evil", "/etc/passwd", "..", ".", "", " ", "a\0b", "x" * 300, "ü" * 200, "CON", "con.txt", "nul", "COM1",
        "a.", "a ", "A", "a", "a\nb", "\u00e9", "e\u0301", "C:\\x", "~", "-", "k=1", "K=1", "s=a-0123abcd", "\ud800",
        "\u202e",
    ]
)  # fmt: skip
NAMES = st.one_of(ANY, NASTY, NASTY.map(lambda value: f"s={value}"), NASTY.map(lambda value: f"{value}=1"))
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


def is_safe(folder: str) -> bool:
    """One part of a path that every common file system can hold."""
    plain = re.fullmatch(r"[A-Za-z0-9_=,@+][A-Za-z0-9._=,@+-]*", folder) is not None
    return plain and len(folder) <= 120 and folder[-1] not in ". " and folder.split(".")[0].lower() not in DEVICES


@given(NAMES)
def test_a_folder_is_safe_on_every_file_system(name: str) -> None:
    assert is_safe(run_folder(name))
    assert is_safe(run_folder(name, alone=False))


@given(st.lists(NAMES, unique=True, max_size=40))
def test_no_two_names_share_a_folder_where_case_does_not_count(names: list[str]) -> None:
    folders = run_folders(names)
    assert len({unicodedata.normalize("NFC", folder).casefold() for folder in folders}) == len(names)


@given(st.lists(NAMES, unique=True, max_size=20), st.lists(NAMES, unique=True, max_size=20))
def test_a_later_command_s_new_names_take_no_folder_that_is_taken(first: list[str], second: list[str]) -> None:
    taken = dict(zip(first, run_folders(first), strict=True))
    new = [name for name in second if name not in taken]
    folders = run_folders(new, earlier=first)
    assert not {folder.casefold() for folder in folders} & {folder.casefold() for folder in taken.values()}


@given(st.lists(NAMES, unique=True, max_size=20), st.randoms(use_true_random=False))
def test_a_folder_does_not_depend_on_the_order_of_the_names(names: list[str], random: object) -> None:
    shuffled = list(names)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert dict(zip(names, run_folders(names), strict=True)) == dict(zip(shuffled, run_folders(shuffled), strict=True))


VALUES = st.one_of(
    ANY.filter(lambda text: "\0" not in text),
    st.integers(),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False),
)


@given(st.dictionaries(st.sampled_from(["k", "s", "chunker.size", "x.y"]), VALUES, max_size=4), st.randoms())
def test_a_name_does_not_depend_on_the_order_of_its_overrides(settings: dict[str, object], random: object) -> None:
    overrides = [as_override(key, value) for key, value in settings.items()]
    name = run_name(overrides)
    random.shuffle(overrides)  # type: ignore[attr-defined]
    assert run_name(overrides) == name


@given(ANY.filter(lambda text: "\0" not in text))
def test_a_name_has_no_line_break_and_no_control_character(text: str) -> None:
    name = run_name([as_override("s", text)])
    assert not any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in name)


@given(st.one_of(ANY, NASTY, NASTY.map(lambda part: f"mine/{part}")))
def test_a_sweep_s_name_is_refused_or_stays_below_its_folder(name: str) -> None:
    try:
        accepted = checked_sweep_name(name)
    except ValueError as error:
        assert "a sweep's name" in str(error)
        return
    parts = accepted.split("/")
    assert all(0 < len(part.encode("utf-8", "replace")) <= 120 and part not in (".", "..") for part in parts)
    assert not re.search(r"[\x00-\x1f<>:\"|?*\\]", accepted)
    assert all(part.split(".")[0].lower() not in DEVICES and part[-1] not in ". " for part in parts)
    assert unicodedata.is_normalized("NFC", accepted)


@pytest.mark.parametrize("name", ["mine", "2026/first try", "a.b", "größe", 5, 1.5, "x" * 120])
def test_ordinary_sweep_names_are_taken_as_they_are(name: object) -> None:
    assert checked_sweep_name(name) == str(name)
