"""Memories and questions through a provider, from the settings to the answer."""

import json
import time
from functools import partial
from types import SimpleNamespace

import pytest
from local_embedding import KEY, texts_of

from local_server import send
from recortex import Cortex
from recortex.app.jobs.reembedding import reembed
from recortex.domain.vocabulary import Scope
from recortex.embeddings import providers
from recortex.engines.ingestion.normalisation import BATCH


@pytest.fixture
def cortex(server, tmp_path, monkeypatch):
    server.speaks("voyage", 32)
    for name, value in {
        "EMBEDDER": "voyage", "EMBEDDING_URL": server.url, "EMBEDDING_MODEL": "small",
        "EMBEDDING_DIMENSIONS": "32",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"RECORTEX_{name}", value)
    monkeypatch.setenv("VOYAGE_API_KEY", KEY)
    with Cortex.open(url=f"sqlite:///{tmp_path}/memory.db") as opened:
        yield opened


def purposes(server):
    return [seen.body["input_type"] for seen in server.seen]


def test_a_secret_in_a_question_does_not_leave(cortex, server):
    cortex.remember("The parser reads the cache once.")
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    cortex.recall(f"Why does the parser refuse the token {secret}?")
    sent = json.dumps([texts_of("voyage", seen.body) for seen in server.seen])
    assert purposes(server)[-1] == "query"
    assert secret not in sent


def test_a_text_that_is_refused_keeps_no_other_from_its_vector(cortex, server):
    """A text that is too long for the provider is found by its words, its neighbours by meaning too."""

    def act(handler):
        if any("Poison" in text for text in server.last.body["input"]):
            send(handler, b"too long", status=400)
        else:
            server.answer("voyage", handler, 32)

    server.act = act
    facts = [f"The parser number {number} reads the cache." for number in range(9)]
    facts[4] = "Poison is what no provider takes."
    cortex.remember_many([{"text": text, "kind": "insight"} for text in facts], link=False)
    (store,) = cortex.status().stores
    assert (store.memories, store.without_vector) == (9, 1)
    assert len(server.seen) < 9
    found = cortex.recall("Which poison does no provider take?", recipe="keyword", floor=False)
    assert found.hits[0].memory.summary == facts[4]


@pytest.mark.full
def test_a_provider_that_refuses_every_text_is_left_after_a_batch(cortex, server):
    server.sends(b"no such parameter", status=400)
    cortex.remember_many(
        [{"text": f"Fact {number} is number {number}.", "kind": "insight"} for number in range(120)],
        link=False,
    )
    (store,) = cortex.status().stores
    assert (store.memories, store.without_vector) == (120, 120)
    assert len(server.seen) < 2 * BATCH


@pytest.mark.usefixtures("long_minute")
def test_a_reembedding_waits_for_the_next_minute_and_a_short_one_leaves_it(server, tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/memory.db"
    passed = []

    def now():
        return sum(passed)

    monkeypatch.setattr("recortex.embeddings.providers.RateLimit", partial(providers.RateLimit, now=now))
    monkeypatch.setattr("recortex.app.jobs.reembedding.PATIENCE", providers.MINUTE)
    waiting = SimpleNamespace(monotonic=time.monotonic, sleep=passed.append)
    monkeypatch.setattr("recortex.app.jobs.reembedding.time", waiting)
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    facts = [{"text": f"Fact {number} is number {number}.", "kind": "insight"} for number in range(3 * BATCH)]
    with Cortex.open(url=url) as cortex:
        cortex.remember_many(facts, link=False)
    server.speaks("voyage", 32)
    for name, value in {
        "EMBEDDER": "voyage", "EMBEDDING_URL": server.url, "EMBEDDING_MODEL": "small",
        "EMBEDDING_DIMENSIONS": "32", "EMBEDDING_REQUESTS_PER_MINUTE": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"RECORTEX_{name}", value)
    with Cortex.open(url=url) as cortex:
        services = cortex._app.services(Scope.PROJECT)
        short = reembed(services, now=cortex._app.clock, seconds=300.0)
        assert (short.done, "in this minute" in short.stopped) == (BATCH, True)
        done = cortex.reembed()
        assert (done.done, done.left, done.stopped) == (2 * BATCH, 0, "")
        assert now() == 2 * providers.MINUTE
    assert len(server.seen) == 3


def test_a_provider_that_is_away_leaves_vectors_as_they_are(cortex, server, monkeypatch):
    monkeypatch.setattr("recortex.embeddings.providers.REST", 0.0)
    cortex.remember("The parser reads the cache once.")
    server.act = lambda handler: send(handler, b"", status=403)
    cortex.remember("The index is built at night.")
    found = cortex.recall("When is the index built at night?")
    assert [hit.memory.summary for hit in found.hits] == ["The index is built at night."]
    assert "HTTP 403" in found.degraded[0]
    (store,) = cortex.status().stores
    assert store.without_vector == 1
    server.speaks("voyage", 32)
    done = cortex.backfill()
    assert (done.done, done.left, done.embedder) == (1, 0, "voyage/small@32")


def test_doctor_says_who_reads_the_texts(cortex, server):
    (finding,) = [one for one in cortex.doctor().findings if one.check == "embedding"]
    assert finding.level == "ok"
    assert finding.message == f"voyage/small@32 makes vectors; texts are sent to {server.url}."
    assert all(KEY not in json.dumps(str(one)) for one in cortex.doctor().settings)
