"""Whatever a provider does, there is a typed result in bounded time, and the ledger knows of it."""

import json
import logging
import socket

import pytest
from local_provider import KEY, enveloped

from recortex.domain.model_call import Answer, Unavailable

GOOD = json.dumps(enveloped("anthropic", '{"things": []}')).encode()


def reason(result):
    assert isinstance(result, Unavailable)
    assert KEY not in repr(result)
    return result.reason


def test_a_closed_door(model_at, question, store, provider):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]  # held, so that nobody else listens there
        assert reason(model_at(url=f"http://127.0.0.1:{port}").ask(question)) == "connection"
    calls = store.model_calls.recent(10)
    assert [(call.outcome, call.micro_usd, call.input_tokens) for call in calls] == [("failed", 0, 0)] * 3
    assert provider.seen == []


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_provider_is_asked_three_times(status, provider, model_at, question, store):
    provider.sends(b"busy", status=status)
    assert reason(model_at().ask(question)) == "status"
    assert len(provider.seen) == 3
    assert len(store.model_calls.recent(10)) == 3


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "not_json"),
        (b"<html><body>Sign in</body></html>", "not_json"),
        (b'{"content": [', "not_json"),
        (b"\xff\xfe\x00", "not_json"),
        (b"[" * 100_000, "not_json"),
        (b"[]", "wrong_form"),
        (b"{}", "wrong_form"),
        (b'{"content": "text"}', "wrong_form"),
        (b'{"content": [{"type": "text", "text": 7}]}', "wrong_form"),
        (b'{"content": []}', "not_json"),
        (json.dumps(enveloped("anthropic", "I cannot")).encode(), "not_json"),
        (json.dumps(enveloped("anthropic", "[1, 2]")).encode(), "wrong_form"),
        (json.dumps(enveloped("anthropic", '{"things": 3}')).encode(), "wrong_form"),
        (json.dumps(enveloped("anthropic", '{"other": []}')).encode(), "wrong_form"),
    ],
)
def test_an_answer_of_another_form(body, why, provider, model_at, question):
    provider.sends(body)
    assert reason(model_at().ask(question)) == why
    assert len(provider.seen) == 1


def test_fifty_megabytes_are_not_read(provider, model_at, question, store):
    sent = []

    def act(handler):
        handler.send_response(200)
        handler.send_header("content-length", str(50_000_000))
        handler.end_headers()
        for _ in range(50):
            handler.wfile.write(b" " * 1_000_000)
            sent.append(1)

    provider.act = act
    assert reason(model_at().ask(question)) == "too_large"
    assert len(sent) < 45
    assert store.model_calls.recent(1)[0].micro_usd > 0


def drip_headers(provider):
    def act(handler):
        handler.connection.sendall(b"HTTP/1.1 200 OK\r\nx-slow: ")
        while not provider.stopped.wait(0.05):
            handler.connection.sendall(b"a")

    return act


def drip_body(provider):
    def act(handler):
        handler.send_response(200)
        handler.send_header("content-length", "100000")
        handler.end_headers()
        while not provider.stopped.wait(0.05):
            handler.wfile.write(b" ")

    return act


def silence(provider):
    return lambda _: provider.stopped.wait(600)


@pytest.mark.parametrize("way", [drip_headers, drip_body, silence])
def test_a_server_that_never_ends_is_left(way, provider, model_at, question, store):
    provider.act = way(provider)
    assert reason(model_at(timeout=0.6).ask(question)) == "timeout"
    call = store.model_calls.recent(1)[0]
    assert (call.outcome, call.output_tokens) == ("failed", question.max_output)


def test_a_key_that_no_header_holds(provider, store, clock, question):
    from recortex.llm.client import ModelSettings, build_model

    for key in ("sk-\nx", "schlüssel-☃"):
        model = build_model(
            ModelSettings(provider="anthropic", url=provider.url), key, store.model_calls, clock
        )
        result = model.ask(question)
        assert result.reason == "not_configured"
        assert key not in repr(result)


def test_the_key_is_in_no_log_and_not_in_the_store(provider, model_at, question, store, caplog):
    caplog.set_level(logging.DEBUG)
    provider.sends(b"", status=401)
    model = model_at()
    model.ask(question)
    provider.sends(GOOD)
    model.ask(question)
    assert KEY not in caplog.text
    assert KEY not in repr(model.__dict__.get("_settings"))
    store.close()
    assert all(
        KEY.encode() not in path.read_bytes() for path in store.path.parent.iterdir() if path.is_file()
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_a_refusal_is_final_and_free(status, provider, model_at, question, store):
    provider.sends(json.dumps({"error": {"message": KEY}}).encode(), status=status)
    result = model_at().ask(question)
    assert reason(result) == "status"
    assert str(status) in result.detail
    assert len(provider.seen) == 1
    assert store.model_calls.recent(1)[0].micro_usd == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://example.test", "ftp://127.0.0.1", "https://user:pass@example.test", "127.0.0.1:80",
        "http://[", "https://a/?q=1",
    ],
)  # fmt: skip
def test_an_address_that_will_not_do(url, model_at, question, store):
    assert reason(model_at(url=url).ask(question)) == "not_configured"
    assert store.model_calls.recent(1) == []


def test_a_lone_surrogate_can_be_asked_about(provider, model_at):
    from recortex.domain.model_call import Request

    provider.sends(GOOD)
    request = Request(purpose="extract", system="s", prompt="broken \ud800 text", schema={}, items="things")
    assert isinstance(model_at().ask(request), Answer)
