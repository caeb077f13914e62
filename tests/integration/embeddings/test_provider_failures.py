"""Whatever a provider does: right vectors or, in bounded time, an error that names neither key nor text."""

import json
import logging
import socket
import time
from email.utils import formatdate

import numpy as np
import pytest
from local_embedding import KEY, NAMES, enveloped, unit_of

from local_server import send
from recortex.embeddings.providers import FIRST_PAUSE, TRIES, TRIES_TO_CONNECT
from recortex.errors import DimensionMismatchError, EmbeddingError, RateLimitedError, TextRefusedError
from recortex.transport import PostError

TEXTS = ["The cache is read once.", "Never deploy on Fridays."]
GOOD = unit_of(TEXTS).tolist()


def failure(embedder, **arguments):
    with pytest.raises(EmbeddingError) as raised:
        embedder.embed(TEXTS, **arguments)
    said = f"{raised.value.message} {raised.value.hint}"
    assert KEY not in said
    assert not any(text in said for text in TEXTS)
    return raised.value


def works(embedder):
    return np.allclose(embedder.embed(TEXTS), unit_of(TEXTS), atol=1e-6)


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
    server.sends(json.dumps({"error": {"message": f"{KEY} {TEXTS[0]}"}}).encode(), status=status)
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
    assert not any(text in caplog.text for text in TEXTS)
    assert KEY not in repr(embedder.__dict__)


def test_very_large_and_very_small_numbers_still_have_a_direction(server, embedder_at):
    server.sends(json.dumps(enveloped("openai", [[1e300, 1e300], [1e-300, 0.0]])).encode())
    found = embedder_at().embed(TEXTS)
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
