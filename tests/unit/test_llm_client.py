"""The client against a server on loopback that does what servers do."""

from __future__ import annotations

import email.utils
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fastrag_bench.errors import BudgetReachedError, ConfigurationError, ModelError, UnusableReplyError
from fastrag_bench.llm import client as client_module
from fastrag_bench.llm.chat import ChatModel
from fastrag_bench.llm.client import RejectedError, client_of
from fastrag_bench.llm.limits import Gate, Ledger, Window
from fastrag_bench.llm.usage import Usage
from tests.llm_server import Reply, chat_body, serving

HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No waiting between attempts, and no client of an earlier test."""
    monkeypatch.setattr(client_module, "FIRST_PAUSE_S", 0.001)
    yield
    client_module.close_clients()


def model(url: str, **settings: Any) -> ChatModel:
    return ChatModel(base_url=url, model="tiny", **settings)


class Memory:
    """A call memory that counts."""

    def __init__(self) -> None:
        self.held: dict[bytes, tuple[float, bytes]] = {}
        self.puts = 0

    def get(self, key: bytes) -> tuple[float, bytes] | None:
        return self.held.get(key)

    def put(self, key: bytes, seconds: float, reply: bytes) -> None:
        self.puts += 1
        self.held.setdefault(key, (seconds, reply))


# Good replies


def test_a_reply_has_text_usage_and_what_the_server_called_the_model() -> None:
    with serving([Reply("naïve 漢字 🙂", model="tiny-2024-07-18")]) as server:
        reply = model(server.url, temperature=0.5, seed=7, stop=("END",), extra_body={"cache_prompt": False}).complete(
            HELLO
        )
    assert (reply.text, reply.model, reply.finish_reason) == ("naïve 漢字 🙂", "tiny-2024-07-18", "stop")
    assert reply.usage == Usage(10, 2, None)
    assert server.bodies == [
        {
            "model": "tiny",
            "messages": HELLO,
            "temperature": 0.5,
            "max_tokens": 512,
            "stop": ["END"],
            "seed": 7,
            "cache_prompt": False,
        }
    ]
    assert server.requests[0].path == "/v1/chat/completions"


def test_unknown_usage_is_unknown() -> None:
    odd = [None, {}, {"prompt_tokens": "many", "completion_tokens": -1}, [3]]
    for usage in odd:
        with serving([Reply(usage=usage)]) as server:
            reply = model(server.url).complete(HELLO)
        assert reply.usage == Usage(None, None, None)
        assert reply.cost_usd is None


def test_cached_tokens_are_read() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 64}}
    with serving([Reply(usage=usage)]) as server:
        assert model(server.url).complete(HELLO).usage == Usage(100, 0, 64)


def test_connections_are_kept() -> None:
    with serving() as server:
        for _ in range(5):
            model(server.url).complete(HELLO)
    assert (server.count, server.connections) == (5, 1)


def test_a_connection_the_server_has_ended_is_not_used_again() -> None:
    with serving([Reply(headers={"Connection": "close"})]) as server:
        replies = [model(server.url).complete(HELLO) for _ in range(3)]
    assert [reply.attempts for reply in replies] == [1, 1, 1]


def test_a_connection_the_server_has_ended_in_silence_is_noticed() -> None:
    with serving([Reply(drop="after")]) as server:
        chat = model(server.url)
        assert chat.complete(HELLO).attempts == 1
        time.sleep(0.1)
        assert chat.complete(HELLO).attempts == 1
    assert (server.count, server.connections) == (2, 2)


# Faults


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=429, body={"error": "slow down"}),
        Reply(status=429, headers={"Retry-After": "0.01"}),
        Reply(status=500, body=b"<html>oops</html>"),
        Reply(status=503),
        Reply(status=408),
        Reply(drop="before"),
        Reply(drop="inside"),
        Reply(body=b"not json"),
        Reply(body=b"\xff\xfe"),
        Reply(body={"choices": []}),
        Reply(body=["a list"]),
        Reply(body=b"[" * 100_000),
        Reply(wait_s=1.0),
    ],
    ids=lambda fault: f"{fault.status}{fault.drop}{str(fault.body)[:12]}",
)
def test_a_passing_fault_is_tried_again(fault: Reply) -> None:
    with serving([fault, fault, Reply("there")]) as server:
        reply = model(server.url, timeout_s=0.2).complete(HELLO)
    assert (reply.text, reply.attempts) == ("there", 3)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 501, 302])
def test_a_refused_request_is_sent_once(status: int) -> None:
    with (
        serving([Reply(status=status, body={"error": {"message": "context too long"}})]) as server,
        pytest.raises(RejectedError, match=f"replied {status} for model 'tiny'"),
    ):
        model(server.url).complete(HELLO)
    assert server.count == 1


def test_attempts_end() -> None:
    with (
        serving([Reply(status=500, body=b"no")]) as server,
        pytest.raises(ModelError, match=r"no usable reply in 3 attempts; the last: .*500"),
    ):
        model(server.url, attempts=3).complete(HELLO)
    assert server.count == 3


def test_a_used_up_quota_is_not_asked_again() -> None:
    with (
        serving([Reply(status=429, body={"error": {"code": "insufficient_quota"}})]) as server,
        pytest.raises(ModelError, match="insufficient_quota"),
    ):
        model(server.url).complete(HELLO)
    assert server.count == 1


def test_a_slow_drip_ends_at_the_timeout() -> None:
    with serving([Reply(stream=("a",) * 100, pause_s=0.05)]) as server:
        began = time.monotonic()
        with pytest.raises(ModelError, match=r"no whole reply within 0.3 s"):
            model(server.url, stream=True, timeout_s=0.3, attempts=1).complete(HELLO)
        assert time.monotonic() - began < 0.6


def test_all_attempts_end_at_the_deadline() -> None:
    with serving([Reply(wait_s=0.3)]) as server:
        began = time.monotonic()
        with pytest.raises(ModelError):
            model(server.url, timeout_s=0.2, deadline_s=0.5, attempts=50).complete(HELLO)
        assert time.monotonic() - began < 0.9


def test_retry_after_is_obeyed_by_all_calls() -> None:
    with serving([Reply(status=429, headers={"Retry-After": "0.4"}), Reply()]) as server:
        model(server.url).complete(HELLO)
    assert server.requests[1].at - server.requests[0].at >= 0.4


def test_other_calls_wait_too_when_the_server_asks_to_wait() -> None:
    with serving([Reply(status=429, headers={"Retry-After": "0.5"}), Reply()]) as server, ThreadPoolExecutor(2) as pool:
        chat = model(server.url)
        first = pool.submit(chat.complete, HELLO)
        time.sleep(0.15)
        chat.complete([{"role": "user", "content": "another"}])
        first.result()
    assert min(request.at for request in server.requests[1:]) - server.requests[0].at >= 0.45


def test_a_body_that_ends_early_is_no_reply_even_if_it_can_be_read() -> None:
    whole = json.dumps(chat_body(Reply("too early"))).encode()
    with serving([Reply(body=whole + b" " * len(whole), drop="inside"), Reply("whole")]) as server:
        assert model(server.url).complete(HELLO).text == "whole"


def test_retry_after_may_be_a_date_or_milliseconds() -> None:
    date = email.utils.formatdate(time.time() + 100, usegmt=True)
    assert 95 < (client_module._retry_after({"retry-after": date}) or 0) <= 100
    assert client_module._retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert client_module._retry_after({"retry-after": "soon"}) is None
    assert client_module._retry_after({}) is None


def test_a_wait_beyond_the_ceiling_fails_at_once() -> None:
    with (
        serving([Reply(status=429, headers={"Retry-After": "3600"})]) as server,
        pytest.raises(ModelError, match="asks to wait 3600 s, more than max_retry_after_s"),
    ):
        model(server.url).complete(HELLO)
    assert server.count == 1


def test_a_huge_reply_is_taken_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([Reply("x" * 5_000_000)]) as server:
        assert len(model(server.url).complete(HELLO).text) == 5_000_000
        monkeypatch.setattr("fastrag_bench.llm.transport.MAX_REPLY_BYTES", 1_000_000)
        with pytest.raises(ModelError, match="longer than 1000000 bytes"):
            model(server.url, attempts=1).complete(HELLO)


def test_nobody_there() -> None:
    with serving() as server:
        url = server.url
    with pytest.raises(ModelError, match="ConnectionRefusedError"):
        model(url, attempts=2).complete(HELLO)


def test_saying_nothing_is_an_error_and_not_an_empty_answer() -> None:
    cut = {"choices": [{"message": {"content": None}, "finish_reason": "length"}]}
    with serving([Reply(body=cut)]) as server, pytest.raises(UnusableReplyError, match="raise max_tokens"):
        model(server.url).complete(HELLO)
    refused = {"choices": [{"message": {"content": None, "refusal": "I will not"}}]}
    with serving([Reply(body=refused)]) as server, pytest.raises(UnusableReplyError, match="refused: I will not"):
        model(server.url).complete(HELLO)


# What a server does not take


def test_rejected_settings_are_left_out_and_said() -> None:
    def picky(request: Any, number: int) -> Reply:
        for name, better in (("max_tokens", "use 'max_completion_tokens'"), ("temperature", ""), ("seed", "")):
            if name in request.body:
                return Reply(status=400, body={"error": {"message": f"Unsupported parameter: '{name}' {better}"}})
        return Reply("fine")

    with serving(picky) as server:
        first, second = (model(server.url).complete([{"role": "user", "content": text}]) for text in "ab")
    assert first.changed == second.changed == ("max_tokens", "seed", "temperature")
    assert server.count == 5
    assert server.bodies[-1] == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "b"}],
        "max_completion_tokens": 512,
    }


# Streams


def test_a_stream_is_put_together_and_timed() -> None:
    with serving([Reply(stream=("Spring ", "tides"), pause_s=0.05)]) as server:
        reply = model(server.url, stream=True).complete(HELLO)
    assert (reply.text, reply.finish_reason, reply.usage) == ("Spring tides", "stop", Usage(10, 2))
    assert reply.first_token_s is not None
    assert 0.04 <= reply.first_token_s < reply.seconds
    assert server.bodies[0]["stream_options"] == {"include_usage": True}


def test_a_stream_that_breaks_off_is_asked_again() -> None:
    with serving([Reply(stream=("half",), drop="inside"), Reply(stream=("whole",))]) as server:
        reply = model(server.url, stream=True).complete(HELLO)
    assert (reply.text, reply.attempts) == ("whole", 2)


def test_a_server_that_does_not_stream_will_do() -> None:
    with serving([Reply("plain")]) as server:
        assert model(server.url, stream=True).complete(HELLO).text == "plain"


# Memory


def test_the_same_call_is_made_once_and_replayed_without_the_server() -> None:
    memory = Memory()
    with serving([Reply("first"), Reply("second")]) as server:
        asked = model(server.url).with_calls(memory).complete(HELLO)
    again = model(server.url).with_calls(memory).complete(HELLO)
    assert (asked.remembered, again.remembered, server.count) == (False, True, 1)
    assert asked.record() == again.record()
    assert again.text == "first"


@pytest.mark.parametrize(
    "other",
    [
        {"model": "big"},
        {"seed": 1},
        {"temperature": 0.1},
        {"max_tokens": 9},
        {"top_p": 0.5},
        {"stop": ("x",)},
        {"stream": True},
        {"extra_body": {"min_p": 0.1}},
        {"headers": {"X-Route": "b"}},
        {"base_url": "http://127.0.0.1:9/v1"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_whatever_can_change_a_reply_is_in_the_key(other: dict[str, Any]) -> None:
    memory = Memory()
    with serving() as server:
        first = model(server.url).with_calls(memory)
        first.complete(HELLO)
        second = ChatModel(**{**first.model_dump(), "attempts": 1, **other}).with_calls(memory)
        try:
            assert not second.complete(HELLO).remembered
        except ModelError:
            assert "base_url" in other


def test_what_cannot_change_a_reply_is_not_in_the_key() -> None:
    memory = Memory()
    with serving() as server:
        model(server.url).with_calls(memory).complete(HELLO)
        assert model(server.url, timeout_s=9, max_in_flight=1, attempts=1).with_calls(memory).complete(HELLO).remembered


def test_those_who_ask_the_same_at_once_wait_for_one_call() -> None:
    memory = Memory()
    with serving([Reply(wait_s=0.1)]) as server, ThreadPoolExecutor(8) as pool:
        chat = model(server.url).with_calls(memory)
        replies = list(pool.map(lambda _: chat.complete(HELLO), range(8)))
    assert (server.count, memory.puts) == (1, 1)
    assert sum(reply.remembered for reply in replies) == 7
    assert client_of(chat)._flights == {}


def test_a_failure_is_not_remembered() -> None:
    memory = Memory()
    with serving([Reply(status=400), Reply("fine")]) as server:
        chat = model(server.url).with_calls(memory)
        with pytest.raises(ModelError):
            chat.complete(HELLO)
        assert chat.complete(HELLO).text == "fine"


# Limits


def test_no_more_calls_in_flight_than_allowed() -> None:
    with serving([Reply(wait_s=0.02)]) as server, ThreadPoolExecutor(16) as pool:
        chat = model(server.url, max_in_flight=3)
        list(pool.map(lambda _: chat.complete(HELLO), range(16)))
    assert server.most_inside == 3


def test_the_gate_halves_once_for_calls_that_were_in_flight_together_and_opens_slowly() -> None:
    gate = Gate(8)
    with gate.slot() as one, gate.slot() as other:
        assert gate.too_many(one) == gate.too_many(other) == 1
    assert gate.allowed == 4
    gate.too_many(1)
    assert gate.allowed == 2
    gate.went_well()
    assert gate.allowed == 4
    gate.went_well()
    assert gate.allowed == 5
    for _ in range(20):
        gate.went_well()
    assert gate.allowed == 8
    for seen in range(2, 20):
        gate.too_many(seen)
    assert gate.allowed == 1


def test_a_window_never_holds_more_than_its_limit() -> None:
    now = [0.0]
    window = Window(3, seconds=60, clock=lambda: now[0])
    taken: list[float] = []
    while len(taken) < 10:
        pause, entry = window.take(1)
        if entry:
            taken.append(now[0])
            now[0] += 1
        else:
            now[0] += pause
    for start in taken:
        assert sum(start <= other < start + 60 for other in taken) <= 3
    assert taken[:4] == [0, 1, 2, 60]


def test_a_window_counts_what_was_really_used() -> None:
    window = Window(100, clock=lambda: 0.0)
    _, entry = window.take(90)
    assert window.take(50)[0] > 0
    window.correct(entry, 20)
    assert window.take(50)[0] == 0


def test_requests_per_minute_holds_for_attempts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "Window", lambda limit, clock: Window(limit, seconds=0.5, clock=clock))
    with serving([Reply(status=500), Reply()]) as server:
        chat = model(server.url, requests_per_minute=2)
        for _ in range(3):
            chat.complete(HELLO)
    times = [request.at for request in server.requests]
    assert len(times) == 4
    assert times[2] - times[0] >= 0.45


def test_a_budget_of_calls_stops_before_the_next() -> None:
    with serving() as server:
        chat = model(server.url, budget_calls=2)
        chat.complete(HELLO)
        chat.complete(HELLO)
        with pytest.raises(BudgetReachedError, match="budget_calls=2 is used up; raise it and run the same command"):
            chat.complete(HELLO)
    assert server.count == 2


def test_budgets_of_tokens_and_dollars_add_up() -> None:
    price = {"input": 1000, "output": 5000}
    with serving() as server:
        chat = model(server.url, budget_usd=0.03, price=price)
        assert chat.complete(HELLO).cost_usd == 0.02
        chat.complete(HELLO)
        with pytest.raises(BudgetReachedError, match="budget_usd"):
            chat.complete(HELLO)
        with pytest.raises(BudgetReachedError, match="budget_tokens"):
            for _ in range(9):
                model(server.url, budget_tokens=30).complete(HELLO)
    assert server.count == 5


def test_a_budget_counts_an_unknown_usage_as_expected_and_says_so() -> None:
    ledger = Ledger(calls=None, tokens=100, usd=None)
    ledger.open_call()
    ledger.close_call(Usage(), None, expected_tokens=40)
    assert (ledger.spent.tokens, ledger.spent.unknown) == (40, 1)


def test_a_budget_in_dollars_needs_a_price() -> None:
    with pytest.raises(ConfigurationError, match="no price is known for 'tiny'"):
        model("http://localhost/v1", budget_usd=1).inspect_settings()
    assert model("http://localhost/v1", budget_usd=1, price={"input": 1, "output": 1}).inspect_settings() is None


# Keys


SECRET = "sk-THIS-IS-THE-KEY-0123456789"


def test_the_key_is_sent_and_stands_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    monkeypatch.setenv("MY_TENANT", "tenant-secret-value")
    memory = Memory()

    def echo(request: Any, number: int) -> Reply:
        said = f"you sent {request.headers['Authorization']} and {request.headers['X-Tenant']}"
        return Reply(said) if number == 0 else Reply(status=401, body={"error": {"message": said}})

    with serving(echo) as server:
        chat = model(server.url, api_key_env="MY_KEY", header_env={"X-Tenant": "MY_TENANT"}).with_calls(memory)
        reply = chat.complete(HELLO)
        with pytest.raises(ModelError) as refused:
            chat.complete([{"role": "user", "content": "again"}])
    assert server.requests[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert server.requests[0].headers["X-Tenant"] == "tenant-secret-value"
    assert "environment variable MY_KEY" in str(refused.value)
    written = [reply.text, str(refused.value), repr(chat), str(memory.held), json.dumps(chat.model_dump())]
    for secret in (SECRET, "tenant-secret-value"):
        assert not any(secret in text for text in written)


def test_without_the_variable_no_key_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with serving() as server:
        model(server.url, api_key_env="MY_KEY").complete(HELLO)
    assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("api_key_env", SECRET),
        ("headers", {"Authorization": f"Bearer {SECRET}"}),
        ("headers", {"X-Other": SECRET}),
        ("base_url", f"https://user:{SECRET}@host/v1"),
    ],
)
def test_a_key_in_a_setting_is_refused_without_showing_it(setting: str, value: Any) -> None:
    from fastrag_bench.component import resolve

    node = {"_target_": "fastrag_bench.llm.chat.ChatModel", "base_url": "http://h/v1", "model": "m", setting: value}
    with pytest.raises(ConfigurationError) as error:
        resolve(node)
    assert SECRET not in str(error.value)
    assert "environment variable" in str(error.value)


def test_a_redirect_does_not_take_the_key_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    with serving() as other, serving([Reply(status=307, headers={"Location": other.url})]) as server:
        chat = model(server.url, api_key_env="MY_KEY")
        with pytest.raises(RejectedError, match="307"):
            chat.complete(HELLO)
    assert other.count == 0


def test_certificates_are_checked_unless_told_otherwise() -> None:
    import ssl

    from fastrag_bench.llm.transport import Transport

    options: Any = {"connect_timeout_s": 1, "keep": 1}
    checked = Transport("https://h/v1", verify=True, **options)._context
    assert checked is not None
    assert (checked.verify_mode, checked.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert ChatModel(base_url="https://h/v1", model="m").verify is True
    with pytest.raises(ConfigurationError, match="cannot read certificates"):
        Transport("https://h/v1", verify="no-such.pem", **options)


def test_threads_share_limits_and_budget() -> None:
    with serving() as server:
        chats = [model(server.url, budget_calls=10, temperature=number / 10) for number in range(4)]
        assert len({id(client_of(chat)) for chat in chats}) == 1
        errors: list[BaseException] = []

        def work(chat: ChatModel) -> None:
            try:
                for _ in range(5):
                    chat.complete(HELLO)
            except BudgetReachedError as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(chat,)) for chat in chats]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert server.count == 10
    assert errors
