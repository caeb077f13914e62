"""Providers of vectors: how they are asked, how they fail, and a store that uses them."""

import json
import logging
import math
import socket
import subprocess
import sys
import time
from email.utils import formatdate
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from local_embedding import KEY, NAMES, WIDTH, enveloped, texts_of, unit_of

from local_server import send
from recortex import Cortex
from recortex.app.jobs.reembedding import reembed
from recortex.domain.vocabulary import Scope
from recortex.embeddings import providers
from recortex.embeddings.providers import FIRST_PAUSE, PROVIDERS, TRIES, TRIES_TO_CONNECT, batches
from recortex.engines.ingestion import BATCH
from recortex.errors import DimensionMismatchError, EmbeddingError, RateLimitedError, TextRefusedError
from recortex.transport import PostError

# -- Each provider is asked as documented, in batches, with dimensions and purposes, and answers in order.
TEXTS = [f"The {word} is read once." for word in ("cache", "index", "parser", "queue")]
PATHS = {
    "openai": "/embeddings", "voyage": "/embeddings", "mistral": "/embeddings",
    "gemini": "/v1beta/models/small:batchEmbedContents", "ollama": "/api/embed",
}  # fmt: skip
ASKED_FOR = {
    "openai": {"query": None, "passage": None},
    "voyage": {"query": "query", "passage": "document"},
    "mistral": {"query": None, "passage": None},
    "gemini": {"query": "RETRIEVAL_QUERY", "passage": "RETRIEVAL_DOCUMENT"},
    "ollama": {"query": None, "passage": None},
}
SHORTENED = {
    "openai": "dimensions",
    "voyage": "output_dimension",
    "mistral": "output_dimension",
    "gemini": "outputDimensionality",
}


def first_of(name, body):
    return body["requests"][0] if name == "gemini" else body


@pytest.mark.parametrize("name", NAMES)
def test_where_it_posts_with_which_key_and_model(name, server, embedder_at):
    server.speaks(name)
    embedder_at(name).embed(TEXTS)
    assert server.last.path == PATHS[name]
    header, value = ("x-goog-api-key", KEY) if name == "gemini" else ("authorization", f"Bearer {KEY}")
    assert server.last.headers[header] == value
    assert first_of(name, server.last.body)["model"].removeprefix("models/") == "small"
    assert texts_of(name, server.last.body) == TEXTS
    assert KEY not in json.dumps(server.last.body) + server.last.path


@pytest.mark.parametrize("purpose", ["query", "passage"])
@pytest.mark.parametrize("name", NAMES)
def test_a_query_and_a_passage_are_told_apart_where_the_protocol_can(name, purpose, server, embedder_at):
    server.speaks(name)
    embedder_at(name).embed(TEXTS, purpose=purpose)
    asked = first_of(name, server.last.body)
    assert asked.get("input_type", asked.get("taskType")) == ASKED_FOR[name][purpose]


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_dimensions_is_asked_for_where_it_can_be(name, server, embedder_at):
    server.speaks(name)
    embedder_at(name).embed(TEXTS)
    assert SHORTENED.get(name, "dimensions") not in first_of(name, server.last.body)
    assert PROVIDERS[name].shortens is (name in SHORTENED)
    if name in SHORTENED:
        embedder_at(name, dimensions=WIDTH).embed(TEXTS)
        assert first_of(name, server.last.body)[SHORTENED[name]] == WIDTH


@pytest.mark.parametrize("name", SHORTENED)
def test_a_provider_that_does_not_shorten_is_found_out(name, server, embedder_at):
    server.speaks(name, WIDTH)
    with pytest.raises(DimensionMismatchError, match=f"{WIDTH} to {WIDTH} dimensions instead of 4"):
        embedder_at(name, dimensions=4).embed(TEXTS)


@pytest.mark.parametrize("name", NAMES)
def test_texts_go_in_batches_that_the_provider_takes(name, server, embedder_at):
    server.speaks(name)
    row = PROVIDERS[name]
    texts = [f"text {number}" for number in range(2 * row.texts + 1)]
    assert np.allclose(embedder_at(name).embed(texts), unit_of(texts), atol=1e-6)
    assert [len(texts_of(name, seen.body)) for seen in server.seen] == [row.texts, row.texts, 1]


@pytest.mark.parametrize("name", NAMES)
def test_long_texts_are_cut_and_fill_a_request_by_bytes(name):
    row = PROVIDERS[name]
    sent = list(batches(["ä" * row.longest] * 40 + ["end"], row))
    assert {len(text.encode()) for batch in sent for text in batch} == {row.longest // 2 * 2, 3}
    assert all(sum(len(text.encode()) for text in batch) <= row.bytes for batch in sent)
    assert len(sent) >= math.ceil(40 * row.longest / row.bytes)
    assert sum(map(len, sent)) == 41


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_are_sent_as_something_a_provider_takes(name, server, embedder_at):
    server.speaks(name)
    found = embedder_at(name).embed(["", " \n", "broken \ud800", "\x00"])
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert texts_of(name, server.last.body)[:3] == [".", ".", "broken ?"]


@pytest.mark.parametrize("name", NAMES)
def test_no_text_asks_nobody(name, server, embedder_at):
    embedder = embedder_at(name, model="", dimensions=256)
    row = PROVIDERS[name]
    assert embedder.embed([]).shape == (0, 256 if row.shortens else row.dimensions)
    assert server.seen == []


@pytest.mark.parametrize("name", ["openai", "voyage", "mistral"])
def test_an_answer_in_another_order_is_put_right(name, server, embedder_at):
    said = enveloped(name, unit_of(TEXTS).tolist())
    said["data"].reverse()
    server.sends(json.dumps(said).encode())
    assert np.allclose(embedder_at(name).embed(TEXTS), unit_of(TEXTS), atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_the_name_tells_provider_model_and_dimensions(name, embedder_at):
    row = PROVIDERS[name]
    assert embedder_at(name, model="").name == f"{name}/{row.model}@{row.dimensions}"
    width = 256 if row.shortens else row.dimensions
    assert embedder_at(name, model="", dimensions=256).name == f"{name}/{row.model}@{width}"
    assert embedder_at(name, model="other").name == f"{name}/other"


def test_the_http_library_is_loaded_by_a_call_alone():
    code = """
import sys
import recortex.embeddings.providers
from recortex.embeddings.building import build_embedders
from recortex.embeddings.providers import EmbedderSettings
(made,) = build_embedders(EmbedderSettings(embedder="voyage"), key="", clean=str)
print(made.name, {"httpx2", "numpy", "keyring", "onnxruntime"} & set(sys.modules))
"""
    assert (
        subprocess.check_output([sys.executable, "-c", code], text=True).strip()
        == "voyage/voyage-code-3@1024 set()"
    )


# -- Whatever a provider does: right vectors or, in bounded time, an error that names neither key nor text.
FAILING = ["The cache is read once.", "Never deploy on Fridays."]
GOOD = unit_of(FAILING).tolist()


def failure(embedder, **arguments):
    with pytest.raises(EmbeddingError) as raised:
        embedder.embed(FAILING, **arguments)
    said = f"{raised.value.message} {raised.value.hint}"
    assert KEY not in said
    assert not any(text in said for text in FAILING)
    return raised.value


def works(embedder):
    return np.allclose(embedder.embed(FAILING), unit_of(FAILING), atol=1e-6)


def test_a_closed_door(embedder_at):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]  # held, so that nobody else listens there
        error = failure(embedder_at(url=f"http://127.0.0.1:{port}"))
    assert error.message == "openai: The provider could not be reached."


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_busy_provider_may_recover(status, server, embedder_at):
    server.fails_first(TRIES - 1, lambda handler: send(handler, b"busy", status=status))
    assert works(embedder_at())
    assert len(server.seen) == TRIES


@pytest.mark.parametrize("skew", [0, -86_400])
def test_a_wait_until_a_date_is_kept_by_the_servers_own_clock(skew, server, embedder_at):
    times = []

    def busy(handler):
        times.append(time.monotonic())
        its_now = time.time() + skew
        handler.date_time_string = lambda *_: formatdate(its_now, usegmt=True)
        send(handler, b"", status=429, headers={"retry-after": formatdate(its_now + 1, usegmt=True)})

    server.fails_first(1, busy)
    assert works(embedder_at())
    assert time.monotonic() - times[0] >= 1


@pytest.mark.parametrize(
    "date", ["Fri, 31 Dec 1999 23:59:59 GMT", "soon", "-5", "Fri, 99 Dec 1999 99:99:99 GMT"]
)
def test_a_date_that_is_past_or_none_is_no_wait(date, server, embedder_at):
    server.fails_first(1, lambda handler: send(handler, b"", status=503, headers={"retry-after": date}))
    assert works(embedder_at())


def test_a_date_beyond_the_time_is_not_waited_for(server, embedder_at):
    until = formatdate(time.time() + 3_600, usegmt=True)
    server.sends(b"", status=429, headers={"retry-after": until})
    assert "requests_per_minute" in failure(embedder_at()).hint
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("status", "word"),
    [(400, "HTTP 400"), (401, "the key"), (403, "the key"), (404, "no model"), (413, "HTTP 413")],
)
def test_a_refusal_is_final(status, word, server, embedder_at):
    server.sends(json.dumps({"error": {"message": f"{KEY} {FAILING[0]}"}}).encode(), status=status)
    assert word in failure(embedder_at()).message
    assert len(server.seen) == 1


def test_a_wrong_key_is_told_from_a_text_that_is_refused(server, embedder_at):
    """Gemini's API answers 400 to a wrong key; a store would ask for each of its texts alone otherwise."""
    said = {
        "code": 400,
        "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
    }
    server.sends(json.dumps({"error": said}).encode(), status=400)
    embedder = embedder_at("gemini")
    error = failure(embedder)
    assert error.message == "gemini does not accept the key (HTTP 400)."
    assert "SOME_API_KEY" in error.hint
    assert not isinstance(error, TextRefusedError)
    failure(embedder)
    assert len(server.seen) == 1
    assert isinstance(failure(embedder_at("openai")), TextRefusedError)


def test_an_endless_refusal_ends_too(server, embedder_at):
    def act(handler):
        handler.send_response(400)
        handler.send_header("content-length", str(10**9))
        handler.end_headers()
        while not server.stopped.wait(0.001):
            handler.wfile.write(b"no " * 1_000)

    server.act = act
    assert "HTTP 400" in failure(embedder_at("gemini")).message


def test_a_connection_that_breaks_off_is_tried_again(server, embedder_at):
    whole = json.dumps(enveloped("openai", GOOD)).encode()

    def tear(handler):
        handler.send_response(200)
        handler.send_header("content-length", str(len(whole)))
        handler.end_headers()
        handler.wfile.write(whole[:40])
        handler.close_connection = True

    server.fails_first(1, tear)
    assert works(embedder_at())
    server.act = tear
    assert "ended before the answer did" in failure(embedder_at()).message
    assert len(server.seen) == 2 + TRIES_TO_CONNECT


def test_no_redirect_is_followed(server, embedder_at):
    server.sends(b"", status=307, headers={"location": server.url + "/elsewhere"})
    assert "redirects are not followed" in failure(embedder_at()).message
    assert [seen.path for seen in server.seen] == ["/embeddings"]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>Sign in</html>", b'{"data": [', b"\xff\xfe\x00", b"[" * 100_000, b"[]", b"{}", b"null",
        b'{"data": null}', b'{"data": "text"}', b'{"data": [{"index": 0}]}',
        b'{"data": [{"embedding": "text", "index": 0}]}',
        b'{"data": [{"embedding": [1, "2"], "index": 0}, {"embedding": [1, 2], "index": 1}]}',
        b'{"data": [{"embedding": [1, null], "index": 0}, {"embedding": [1, 2], "index": 1}]}',
        b'{"data": [{"embedding": [NaN, 1], "index": 0}, {"embedding": [1, 2], "index": 1}]}',
        b'{"data": [{"embedding": [Infinity, 1], "index": 0}, {"embedding": [1, 2], "index": 1}]}',
        b'{"data": [{"embedding": [1, 2], "index": "0"}, {"embedding": [1, 2], "index": 1}]}',
    ],
)  # fmt: skip
def test_an_answer_of_another_form(body, server, embedder_at):
    server.sends(body)
    assert failure(embedder_at()).message == "The answer of openai does not follow its protocol."
    assert len(server.seen) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_or_too_many_vectors(name, count, server, embedder_at):
    server.sends(json.dumps(enveloped(name, [[1.0, 2.0]] * count)).encode())
    assert f"holds {count} vectors for 2 texts" in failure(embedder_at(name)).message


@pytest.mark.parametrize("places", [[0, 0], [1, 2], [-1, 0], [0, None]])
def test_places_that_do_not_fit(places, server, embedder_at):
    said = enveloped("openai", GOOD)
    for one, place in zip(said["data"], places, strict=True):
        one["index"] = place
    server.sends(json.dumps(said).encode())
    assert "which vector is whose" in failure(embedder_at()).message


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("row", "word"), [([0.0] * 8, "zero"), ([1e999] + [0.0] * 7, "finite"), ([-1e999] + [0.0] * 7, "finite")]
)
def test_vectors_without_a_direction(name, row, word, server, embedder_at):
    said = json.dumps(enveloped(name, [row, GOOD[0]])).replace("Infinity", "1e999")
    server.sends(said.encode())
    message = failure(embedder_at(name)).message
    assert word in message or "does not follow its protocol" in message


def test_a_model_of_unknown_length_must_keep_to_its_first(server, embedder_at):
    server.speaks("openai")
    embedder = embedder_at()
    assert works(embedder)
    assert embedder.dimensions == 8
    server.speaks("openai", width=9)
    assert "instead of 8" in failure(embedder).message


def test_a_server_that_never_ends_is_left(server, embedder_at):
    server.act = lambda _: server.stopped.wait(600)
    for timeout in (0.6, 4, 16, 64):  # a busy machine needs longer until the request is read
        assert "in time" in failure(embedder_at(timeout=timeout)).message
        if server.seen:
            break
    assert len(server.seen) == 1


def test_a_compressed_answer_is_not_unpacked(server, embedder_at):
    server.sends(json.dumps(enveloped("openai", GOOD)).encode(), headers={"content-encoding": "gzip"})
    assert "compressed" in failure(embedder_at()).message


def test_a_server_that_speaks_no_tls_gets_nothing(server, embedder_at):
    failure(embedder_at(url=server.url.replace("http://", "https://")))
    assert server.seen == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "url",
    ["http://example.test", "ftp://127.0.0.1", "https://user:pass@example.test", "127.0.0.1:80", "http://["],
)
def test_an_address_that_will_not_do(name, url, embedder_at):
    error = failure(embedder_at(name, url=url))
    assert "embedding.url" in error.message
    assert "pass@" not in error.message


def test_a_provider_rests_for_as_long_as_it_asks(server, embedder_at, monkeypatch):
    monkeypatch.setattr("recortex.embeddings.providers.REST", 0.0)
    server.sends(b"", status=429, headers={"retry-after": "3600"})
    embedder = embedder_at()
    failure(embedder)
    server.speaks("openai")
    failure(embedder)
    assert len(server.seen) == 1
    later = time.monotonic() + 3601
    monkeypatch.setattr("recortex.embeddings.providers.time.monotonic", lambda: later)
    embedder._check_rest()  # after that hour
    assert embedder._asked_rest == 0.0
    monkeypatch.undo()
    assert works(embedder)


@pytest.mark.usefixtures("long_minute")
def test_no_more_requests_in_a_minute_than_are_set(server, embedder_at):
    server.speaks("openai")
    embedder = embedder_at(requests_per_minute=2)
    assert works(embedder)
    assert works(embedder)
    assert "2 requests to openai were sent in this minute" in failure(embedder).message
    assert len(server.seen) == 2
    embedder._rate._taken.clear()  # a minute later
    assert works(embedder)


@pytest.mark.usefixtures("long_minute")
def test_a_full_minute_is_told_before_anything_is_sent(server, embedder_at):
    server.speaks("ollama")
    texts = [f"Fact {number}." for number in range(50)]  # two requests
    embedder = embedder_at("ollama", requests_per_minute=3)
    embedder.embed(texts)
    with pytest.raises(RateLimitedError):
        embedder.embed(texts)
    assert len(server.seen) == 2
    narrow = embedder_at("ollama", requests_per_minute=1)
    with pytest.raises(EmbeddingError) as raised:  # whoever waited for it would send the first one for ever
        narrow.embed(texts)
    assert not isinstance(raised.value, RateLimitedError)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_of_the_environment_is_not_used(name, server, embedder_at, monkeypatch):
    monkeypatch.setenv(name, "http://127.0.0.1:1")
    server.speaks("openai")
    assert works(embedder_at())


def test_the_key_and_the_texts_are_in_no_log(server, embedder_at, caplog):
    caplog.set_level(logging.DEBUG)
    server.speaks("openai")
    assert works(embedder_at())
    server.sends(b"", status=401)
    embedder = embedder_at()
    failure(embedder)
    assert KEY not in caplog.text
    assert not any(text in caplog.text for text in FAILING)
    assert KEY not in repr(embedder.__dict__)


def test_very_large_and_very_small_numbers_still_have_a_direction(server, embedder_at):
    server.sends(json.dumps(enveloped("openai", [[1e300, 1e300], [1e-300, 0.0]])).encode())
    found = embedder_at().embed(FAILING)
    assert np.allclose(found, [[0.5**0.5, 0.5**0.5], [1, 0]])


@pytest.mark.parametrize("vectors", [[[1.0, 2.0], [1.0]], [[], []], [[1.0], []]])
def test_vectors_of_several_lengths(vectors, server, embedder_at):
    server.sends(json.dumps(enveloped("openai", vectors)).encode())
    assert isinstance(failure(embedder_at()), DimensionMismatchError)


@pytest.mark.parametrize(("number", "least", "most"), [(1, 0.25, 0.5), (2, 0.5, 1.0), (3, 1.0, 2.0)])
def test_pauses_double_and_leave_half_to_chance(number, least, most, embedder_at):
    embedder = embedder_at()
    embedder._pause = FIRST_PAUSE
    busy = PostError("status", "Busy.", retry=True)
    pauses = [embedder._pause_before(number, busy) for _ in range(50)]
    assert least <= min(pauses) < max(pauses) <= most
    assert embedder._pause_before(TRIES, busy) is None
    assert embedder._pause_before(number, PostError("status", "No.")) is None
    assert embedder._pause_before(number, PostError("status", "Wait.", retry=True, pause=7.0)) == 7.0


# -- Memories and questions through a provider, from the settings to the answer.
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
