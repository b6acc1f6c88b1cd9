"""Secrets are written nowhere; what only looks like one is left alone."""

from __future__ import annotations

import pytest

from fastrag_bench.component import Component, identity_of
from fastrag_bench.error_text import is_secret
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.naming import run_name
from fastrag_bench.sweep.refusal import report
from fastrag_bench.sweep.secret_values import hide, hide_override


@pytest.mark.parametrize(
    "key",
    ["api_key", "llm.api_key", "x.openai_api_key", "token", "hf_token", "PASSWORD", "db.passwd", "client_secret",
     "secrets", "headers.Authorization", "X-Api-Key", "aws_secret_access_key", "credentials"],
)  # fmt: skip
def test_what_is_secret(key: str) -> None:
    assert is_secret(key)
    assert run_name([f"+{key}=abcdef"]) == "default"


@pytest.mark.parametrize("key", ["k", "max_tokens", "tokenizer", "token_budget", "key", "keys", "metrics.names"])
def test_what_is_not(key: str) -> None:
    assert not is_secret(key)


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("llm.api_key=abc", "llm.api_key=***"),
        ("+llm.api_key='a,b'", "+llm.api_key=***"),
        ("++token=1", "++token=***"),
        ("llm.api_key=null", "llm.api_key=null"),
        ("llm.api_key=${oc.env:KEY}", "llm.api_key=${oc.env:KEY}"),
        ("llm={model:x,api_key:abc,k:3}", "llm={model:x,api_key:***,k:3}"),
        ("llm={model:x,api_key:'a,b}'}", "llm={model:x,api_key:***}"),
        ("llm.url=https://me:pass1234@host/x", "llm.url=https://***@host/x"),
        ("prompt.text=sk-0123456789abcdef", "prompt.text=***"),
        ("k=5", "k=5"),
        ("~llm", "~llm"),
    ],
)
def test_an_override_is_told_without_its_secret(override: str, told: str) -> None:
    assert hide_override(override) == told


def test_a_configuration_is_told_without_secrets_at_any_depth() -> None:
    config = {"llm": {"api_key": "abc", "headers": [{"authorization": "Bearer xyz"}], "max_tokens": 5}, "k": 5}
    assert hide(config) == {
        "llm": {"api_key": "***", "headers": [{"authorization": "***"}], "max_tokens": 5},
        "k": 5,
    }


def test_a_configuration_without_secrets_is_the_same_object() -> None:
    config = {"llm": {"api_key": None, "token": "${oc.env:TOKEN}"}, "k": [1, 2]}
    assert hide(config) is config


def test_a_mapping_in_a_name_shows_no_secret() -> None:
    assert run_name(["llm={model:x,api_key:abc}"]) == "llm={model:x,api_key:***}"


def test_an_error_does_not_repeat_a_secret() -> None:
    problem = Problem("llm.api_key=hunter22", "expected a number (got 'hunter22')")
    assert report(ConfigurationError(problems=[problem])) == (
        "Nothing was run. llm.api_key=***: expected a number (got ***)"
    )


class Asking(Component):
    api_key: str = ""
    headers: dict[str, str] = {}  # noqa: RUF012 - a model's default is copied
    eos_token: str = "</s>"


def test_no_secret_is_in_an_identity_and_what_may_be_a_mark_in_a_text_counts() -> None:
    first = Asking(api_key="abc", headers={"authorization": "abc", "x": "1"})
    other = Asking(api_key="xyz", headers={"authorization": "xyz", "x": "1"})
    assert identity_of(first) == identity_of(other)
    assert "abc" not in str(identity_of(first)["fields"])
    assert identity_of(first)["fields"]["headers"] == {"x": "1"}
    assert identity_of(Asking()) != identity_of(Asking(eos_token="<end>"))
    assert "hf_123" not in str(identity_of(Asking(eos_token="hf_123")))
