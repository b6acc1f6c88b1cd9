import os
from datetime import date
from pathlib import Path

import pytest

from fastrag_bench.error_text import error_text
from fastrag_bench.files import dump_json, write_atomic


def test_a_file_is_replaced_in_one_step_and_keeps_its_line_ends(tmp_path):
    path = tmp_path / "deep" / "a.txt"
    write_atomic(path, "one\nté\n")
    write_atomic(path, b"two\n", sync=False)
    assert path.read_bytes() == b"two\n"
    assert os.listdir(path.parent) == ["a.txt"]


def test_new_files_have_the_usual_mode(tmp_path):
    before = os.umask(0o022)
    try:
        write_atomic(tmp_path / "a.txt", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644


def test_a_long_name_is_written(tmp_path):
    write_atomic(tmp_path / ("a" * 250), "x")
    assert os.listdir(tmp_path) == ["a" * 250]


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomic(tmp_path / "link", "x")
    assert (tmp_path / "real").read_text() == "x"
    assert (tmp_path / "link").is_symlink()


def test_json_has_no_nan_and_says_dates_and_paths():
    value = {"a": float("nan"), "b": [float("inf"), 1.5], "c": date(2024, 5, 1), "d": Path("x/y"), "e": {2, 1}, 3: "é"}
    assert dump_json(value) == '{"a": null, "b": [null, 1.5], "c": "2024-05-01", "d": "x/y", "e": [1, 2], "3": "é"}'


def test_json_refuses_what_is_not_data():
    with pytest.raises(TypeError, match="a object cannot be written"):
        dump_json({"a": object()})


def test_canonical_json_is_sorted_and_tight():
    assert dump_json({"b": 1, "a": [1, 2]}, sort_keys=True) == '{"a":[1,2],"b":1}'


def test_an_error_is_its_kind_and_message():
    assert error_text(ValueError("bad")) == "ValueError: bad"
    assert error_text(TimeoutError()) == "TimeoutError"
    assert error_text(KeyError("x")) == "KeyError: 'x'"
    assert len(error_text(ValueError("x" * 5000))) == 2000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("key sk-abcdefgh12345678 refused", "key *** refused"),
        ("Authorization: Bearer abc.def.ghi", "Authorization: Bearer ***"),
        ("api_key=1234567890 in url", "api_key=*** in url"),
        ('{"api_key": "1234567890"}', '{"api_key": "***"}'),
        ("https://ada:secret@example.org/x", "https://***@example.org/x"),
        ("hf_abcdefghijkl", "***"),
        ("max_tokens=512 is too many tokens: 9000", "max_tokens=512 is too many tokens: 9000"),
    ],
)
def test_secrets_are_masked(text, shown):
    assert error_text(ValueError(text)) == f"ValueError: {shown}"


def test_an_error_that_cannot_be_shown_is_shown_all_the_same():
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError

    assert "Odd" in error_text(Odd())
