"""Sweeps whose parts ask a model: real commands against a server on loopback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.integration.command import World, make_world
from tests.llm_server import LlmServer, Reply, Request, serving

KEY = "sk-loopback-0123456789abcdef"
RETRIEVAL = "metrics=[retrieval,operational]"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return make_world(tmp_path)


def model(server: LlmServer) -> tuple[str, ...]:
    return ("llm=openai", f"llm.base_url={server.url}", "llm.model=tiny")


def answering(request: Request, number: int) -> Reply:
    return Reply(f"Answer to {request.body['messages'][-1]['content'][-200:]} [1].", wait_s=0.01)


def test_prompts_are_an_axis_a_budget_stops_and_every_answer_is_paid_once(world: World) -> None:
    with serving(answering) as server:
        words = ("-m", "generator=extractive,chat", "prompt=short,cited", RETRIEVAL, "k=2", "sweep=s", *model(server))
        stopped = world.run(*words, "budget.calls=6")
        assert (stopped.code, server.count) == (1, 6), stopped.err
        assert "budget_calls=6 is used up" in stopped.out + stopped.err
        assert (world.sweep() / "comparison.md").is_file()
        statuses = [json.loads(path.read_text())["status"] for path in world.sweep().glob("*/manifest.json")]
        assert sorted(statuses) == ["failed", "ok", "ok", "ok"]

        done = world.run(*words)
        assert (done.code, server.count) == (0, 8), done.err
        assert "the same pipeline under 2 names" in done.out
    store = world.folder / "outputs" / "store"
    assert len(list((store / "generate").iterdir())) == 3
    assert len(list((store / "chunk").iterdir())) == len(list((store / "fuse").iterdir())) == 1

    shutil.rmtree(store / "generate")
    shutil.rmtree(world.sweep())
    replayed = world.run(*words)
    assert (replayed.code, server.count) == (0, 8), replayed.err


def test_one_failing_question_and_the_key_in_no_file_and_no_output(world: World) -> None:
    def picky(request: Request, number: int) -> Reply:
        asks = request.body["messages"][-1]["content"].split("<question>")[1]
        said = request.headers["Authorization"]
        return Reply(status=400, body={"error": f"no rooks for {said}"}) if "rook" in asks else Reply(said, wait_s=0.3)

    with serving(picky) as server:
        axes = (
            "generator=chat",
            "seed=0,1",
            "max_concurrent=4",
            "metrics.names=[recall@2000chars,cost_usd,total_tokens]",
        )
        price = "llm.price={input: 1000, output: 5000}"
        words = ("-m", *axes, "sweep=s", *model(server), price)
        done = world.run(*words)
    assert (done.code, server.count) == (0, 8), done.err
    assert 3 <= server.most_inside <= 4
    assert sorted(body["seed"] for body in server.bodies) == [0] * 4 + [1] * 4
    run = next(iter(world.runs().values()))
    samples = [json.loads(line) for line in (run / "samples.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(sample["status"] for sample in samples) == ["errored", "successful", "successful", "successful"]
    assert sum("replied 400 for model 'tiny'" in json.dumps(sample) for sample in samples) == 1
    assert [sample["scores"]["total_tokens"] for sample in samples].count(12) == 3
    assert [sample["scores"]["cost_usd"] for sample in samples].count(0.02) == 3
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in done.out + done.err
    for path in world.folder.rglob("*"):
        assert not (path.is_file() and KEY.encode() in path.read_bytes()), path


def test_transforms_embedder_and_rerankers_with_a_model(world: World) -> None:
    def everything(request: Request, number: int) -> Reply:
        if request.path == "/v1/embeddings":
            texts = request.body["input"]
            items = [{"index": place, "embedding": [float(len(text)), 1.0]} for place, text in enumerate(texts)]
            return Reply(body={"data": items, "usage": {"prompt_tokens": 3, "total_tokens": 3}})
        if request.path == "/v1/rerank":
            results = [{"index": place, "relevance_score": 1.0} for place in range(request.body["top_n"])]
            return Reply(body={"results": results})
        text = request.body["messages"][0]["content"]
        return Reply('{"score": 5}' if "Grade" in text else '{"queries": ["a tide", "a loaf"]}')

    with serving(everything) as server:
        served = ("embedder=openai", f"embedder.base_url={server.url}", "embedder.model=e")
        axes = ("query_transform=none,hyde,multi_query,step_back", "reranker=none,llm", "candidates=5")
        first = world.run("-m", *axes, "generator=none", *served, "sweep=s", *model(server))
        assert first.code == 0, first.err
        assert len(list(world.sweep().glob("*/result.json"))) == 8
        served = ("reranker=rerank_api", f"reranker.base_url={server.url}", "reranker.model=r")
        second = world.run("-m", "generator=none", *served, "sweep=t")
        assert second.code == 0, second.err


def test_a_part_without_a_model_is_refused_before_any_work(world: World) -> None:
    done = world.run("-m", "generator=chat,extractive", "sweep=s")
    assert done.code == 2
    assert "llm=openai llm.model=NAME" in done.err
    assert not (world.folder / "outputs" / "store").exists()
