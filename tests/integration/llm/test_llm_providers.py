"""Language models: protocols, budget, failures, and the agent itself as a model."""

import json
import logging
import os
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from local_provider import KEY, PROVIDERS, enveloped

from choices import quick
from recortex.domain.maintenance import Answer, Limit, ModelCall, Unavailable
from recortex.llm import ModelSettings, build_model

# -- Each protocol asks as its documentation says, and its answer is read with what it cost.
ANSWER = '{"things": ["one", "two"]}'


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_answer_is_read_and_paid(name, provider, model_at, store, question, clock):
    provider.says(name, ANSWER)
    answer = model_at(name).ask(question)
    assert isinstance(answer, Answer)
    assert answer.items == ("one", "two")
    (call,) = store.model_calls.recent(5)
    assert call == answer.call
    assert (call.input_tokens, call.output_tokens, call.outcome, call.session) == (120, 30, "ok", "s1")
    prices = {"anthropic": 27, "openai": 27, "gemini": 111, "ollama": 0}
    assert call.micro_usd == prices[name]
    assert store.model_calls.total_today(clock()).tokens == 150


def test_anthropic_is_asked_for_a_json_schema(provider, model_at, question):
    provider.says("anthropic", ANSWER)
    model_at("anthropic").ask(question)
    (seen,) = provider.seen
    assert seen.path == "/v1/messages"
    assert seen.headers["x-api-key"] == KEY
    assert seen.headers["anthropic-version"] == "2023-06-01"
    assert seen.body["output_config"]["format"] == {"type": "json_schema", "schema": question.schema}
    assert seen.body["messages"] == [{"role": "user", "content": "What is there?"}]
    assert seen.body["max_tokens"] == question.max_output
    assert "temperature" not in seen.body


def test_openai_is_asked_for_a_strict_json_schema(provider, model_at, question):
    provider.says("openai", ANSWER)
    model_at("openai", url=provider.url + "/v1/").ask(question)
    (seen,) = provider.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    wanted = seen.body["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["strict"] is True
    assert wanted["json_schema"]["schema"] == question.schema
    assert [message["role"] for message in seen.body["messages"]] == ["system", "user"]


def test_gemini_is_asked_for_a_response_schema(provider, model_at, question):
    provider.says("gemini", ANSWER)
    model_at("gemini", model="gemini-2.5-flash").ask(question)
    (seen,) = provider.seen
    assert seen.path == "/v1beta/models/gemini-2.5-flash:generateContent"
    assert seen.headers["x-goog-api-key"] == KEY
    config = seen.body["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert "additionalProperties" not in json.dumps(config["responseSchema"])
    assert config["responseSchema"]["required"] == ["things"]


def test_ollama_is_asked_for_a_format_and_given_room(provider, model_at, question):
    provider.says("ollama", ANSWER)
    model_at("ollama").ask(question)
    (seen,) = provider.seen
    assert seen.path == "/api/chat"
    assert seen.body["format"] == question.schema
    assert seen.body["stream"] is False
    assert seen.body["options"]["num_ctx"] >= question.max_output + 100


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_cut_answer_is_no_answer(name, provider, model_at, question, store):
    said = enveloped(name, '{"things": ["one"]}')
    if name == "anthropic":
        said["stop_reason"] = "max_tokens"
    elif name == "openai":
        said["choices"][0]["finish_reason"] = "length"
    elif name == "gemini":
        said["candidates"][0]["finishReason"] = "MAX_TOKENS"
    else:
        said["done_reason"] = "length"
    provider.sends(json.dumps(said).encode())
    result = model_at(name).ask(question)
    assert isinstance(result, Unavailable)
    assert result.reason == "truncated"
    assert store.model_calls.recent(1)[0].outcome == "unusable"
    assert store.model_calls.recent(1)[0].input_tokens == 120


def test_a_model_may_decline(provider, model_at, question):
    refusal = {"choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]}
    provider.sends(json.dumps(refusal).encode())
    assert model_at("openai").ask(question).reason == "declined"
    provider.sends(b'{"promptFeedback": {"blockReason": "SAFETY"}}')
    assert model_at("gemini").ask(question).reason == "declined"


def test_a_claimed_usage_cannot_empty_the_ledger(provider, model_at, question, store, clock):
    said = enveloped("openai", ANSWER)
    said["usage"] = {"prompt_tokens": -5_000_000, "completion_tokens": 2**60}
    provider.sends(json.dumps(said).encode())
    model_at("openai").ask(question)
    assert store.model_calls.total_today(clock()).tokens == 10_000_000


def test_without_usage_the_answer_is_estimated_not_free(provider, model_at, question):
    provider.sends(json.dumps({"choices": [{"message": {"content": ANSWER}}]}).encode())
    answer = model_at("openai").ask(question)
    assert isinstance(answer, Answer)
    assert answer.call.input_tokens > 0
    assert answer.call.output_tokens == len(ANSWER) / 2


def test_json_in_a_code_fence_is_still_json(provider, model_at, question):
    provider.says("ollama", f"```json\n{ANSWER}\n```")
    assert model_at("ollama").ask(question).items == ("one", "two")


def test_the_http_library_is_loaded_by_a_call_alone():
    code = "import sys, recortex.llm, recortex.engines.prompting.service; print('httpx2' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


# -- Whatever a provider does, there is a typed result in bounded time, and the ledger knows of it.
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
        (b"", "not_json"), (b"<html><body>Sign in</body></html>", "not_json"),
        (b'{"content": [', "not_json"), (b"\xff\xfe\x00", "not_json"), (b"[" * 100_000, "not_json"),
        (b"[]", "wrong_form"), (b"{}", "wrong_form"), (b'{"content": "text"}', "wrong_form"),
        (b'{"content": [{"type": "text", "text": 7}]}', "wrong_form"),
        (b'{"content": []}', "not_json"),
        (json.dumps(enveloped("anthropic", "I cannot")).encode(), "not_json"),
        (json.dumps(enveloped("anthropic", "[1, 2]")).encode(), "wrong_form"),
        (json.dumps(enveloped("anthropic", '{"things": 3}')).encode(), "wrong_form"),
        (json.dumps(enveloped("anthropic", '{"other": []}')).encode(), "wrong_form"),
    ],
)  # fmt: skip
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
    from recortex.llm import ModelSettings, build_model

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
    from recortex.domain.maintenance import Request

    provider.sends(GOOD)
    request = Request(purpose="extract", system="s", prompt="broken \ud800 text", schema={}, items="things")
    assert isinstance(model_at().ask(request), Answer)


# -- The day's budget is a hard stop, also for several processes at once, and starts anew with the UTC day.
def call(at, **values):
    return ModelCall(
        **{"at": at, "provider": "openai", "model": "m", "purpose": "extract", "input_tokens": 10, **values}
    )


def test_nothing_is_sent_beyond_the_tokens_of_a_day(provider, model_at, question, store, clock):
    provider.sends(GOOD)
    model = model_at(daily_tokens=9_000)
    assert isinstance(model.ask(question), Answer)
    clock.pass_(minutes=1)
    assert isinstance(model.ask(question), Answer)
    for _ in range(4):
        model.ask(question)
    refused = model.ask(question)
    assert isinstance(refused, Unavailable)
    assert (refused.reason, refused.call.outcome) == ("budget", "refused")
    spent = store.model_calls.total_today(clock())
    assert spent.tokens <= 9_000
    assert spent.refused >= 1
    asked = len(provider.seen)
    model.ask(question)
    assert len(provider.seen) == asked


def test_nothing_is_sent_beyond_the_money_of_a_day(provider, model_at, question, store, clock):
    provider.sends(GOOD)
    model = model_at(model="claude-haiku-4-5", daily_usd=0.0412)
    assert isinstance(model.ask(question), Answer)
    assert (
        model.ask(question).reason == "budget"
    )  # $0.0410 for the worst case beside the $0.0003 that are spent
    assert store.model_calls.total_today(clock()).micro_usd == 270


def test_no_money_at_all_still_allows_what_is_free(provider, model_at, question):
    provider.says("ollama", '{"things": []}')
    assert isinstance(model_at("ollama", daily_usd=0).ask(question), Answer)
    assert model_at("anthropic", daily_usd=0).ask(question).reason == "budget"


def test_a_new_day_has_a_new_budget(store):
    evening = datetime(2026, 3, 1, 23, 59, 59, tzinfo=UTC)
    limit = Limit(tokens=15, micro_usd=0)
    assert store.model_calls.reserve(call(evening), limit) is not None
    assert store.model_calls.reserve(call(evening), limit) is None
    assert store.model_calls.reserve(call(evening + timedelta(seconds=1)), limit) is not None


PROCESS = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from recortex.domain.maintenance import Limit, ModelCall
from recortex.storage.sqlite.store import SqliteStore
at = datetime(2026, 3, 1, 12, tzinfo=UTC)
path = Path(sys.argv[1])
store = SqliteStore(path, backups=path.parent / "b", clock=lambda: at, vectors=False)
call = ModelCall(at=at, provider="openai", model="m", purpose="extract", input_tokens=7, micro_usd=3)
print(sum(store.model_calls.reserve(call, Limit(tokens=100, micro_usd=1000)) is not None for _ in range(10)))
store.close()
"""


def test_processes_at_once_do_not_overshoot(store):
    started = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(store.path)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    try:
        granted = [int(process.communicate()[0]) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
            process.stdout.close()
    assert sum(granted) == 14  # 14 times 7 is the most that fits into 100
    spent = store.model_calls.total_today(datetime(2026, 3, 1, 12, tzinfo=UTC))
    assert (spent.calls, spent.tokens, spent.refused) == (40, 98, 26)


def test_an_unknown_model_is_priced_by_the_settings_or_said_to_be_unpriced(model_at, provider, question):
    provider.says("openai", '{"things": []}')
    unknown = model_at("openai", model="house-model")
    assert "llm.price_input" in unknown.notices[0]
    assert unknown.ask(question).call.micro_usd == 0
    told = model_at("openai", model="house-model", price_input=2.0, price_output=8.0)
    assert told.notices == ()
    assert told.ask(question).call.micro_usd == 120 * 2 + 30 * 8


def test_without_a_key_nothing_is_asked_of_a_service_that_wants_one(store, clock, question):
    for name in ("anthropic", "openai", "gemini"):
        model = build_model(ModelSettings(provider=name), "", store.model_calls, clock)
        assert model.ask(question).reason == "not_configured"
    assert store.model_calls.recent(5) == []


@pytest.mark.parametrize("provider_name", ["", "unheard-of"])
def test_no_provider_no_model(provider_name, store, clock):
    assert build_model(ModelSettings(provider=provider_name), "", store.model_calls, clock) is None


def test_the_day_is_that_of_utc(store):
    here = datetime(2026, 3, 2, 1, 0, tzinfo=timezone(timedelta(hours=3)))
    store.model_calls.reserve(call(here), Limit(tokens=15, micro_usd=0))
    assert store.model_calls.total_today(datetime(2026, 3, 1, 5, 0, tzinfo=UTC)).calls == 1
    assert store.model_calls.total_today(datetime(2026, 3, 2, 5, 0, tzinfo=UTC)).calls == 0


def test_a_local_server_needs_no_key(provider, store, clock, question):
    provider.says("openai", '{"things": []}')
    model = build_model(ModelSettings(provider="openai", url=provider.url), "", store.model_calls, clock)
    assert isinstance(model.ask(question), Answer)
    assert "authorization" not in provider.seen[0].headers


# -- The agent's command line as a model: what it is told; it can neither recurse, hang, flood nor linger.
RESULT = {
    "type": "result", "subtype": "success", "is_error": False, "result": "", "total_cost_usd": 0.0021,
    "structured_output": {"things": ["one"]},
    "usage": {"input_tokens": 10, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 0,
              "output_tokens": 40},
}  # fmt: skip


@pytest.fixture
def program(tmp_path):
    """Makes a stand-in for the agent's program; it notes how it was called."""
    folder = tmp_path / "bin with blank"
    folder.mkdir()

    def make(body: str) -> dict[str, str]:
        path = folder / "claude"
        note = (
            "json.dump([sys.argv[1:], dict(os.environ), os.getcwd(), os.listdir(), said], "
            f"open({str(tmp_path / 'note')!r}, 'w'))"
        )
        path.write_text(
            f"#!{sys.executable}\nimport json, os, sys, time, subprocess\n"
            f"said = sys.stdin.read()\n{note}\n{body}\n"
        )
        path.chmod(0o700)
        return {
            "PATH": str(folder),
            "HOME": str(tmp_path),
            "CLAUDECODE": "1",
            "CLAUDE_PROJECT_DIR": "/elsewhere",
        }

    return make


@pytest.fixture
def ask(store, clock, question):
    def asked(environment, **values):
        settings = ModelSettings(
            **{"provider": "agent", "timeout": 300, "environment": environment, **values}
        )
        return build_model(settings, "", store.model_calls, clock).ask(question)

    return asked


def test_it_is_asked_without_tools_in_an_empty_folder(program, ask, tmp_path, store):
    answer = ask(program(f"print({json.dumps(RESULT)!r})"))
    assert isinstance(answer, Answer)
    assert answer.items == ("one",)
    arguments, environment, folder, files, said = json.loads((tmp_path / "note").read_text())
    assert said == "What is there?"
    assert "What is there?" not in arguments
    assert arguments[:3] == ["-p", "--output-format", "json"]
    assert arguments[arguments.index("--tools") + 1] == ""
    assert json.loads(arguments[arguments.index("--settings") + 1]) == {"disableAllHooks": True}
    assert {"--strict-mcp-config", "--no-session-persistence", "--disable-slash-commands"} <= set(arguments)
    assert environment["RECORTEX_INSIDE"] == "1"
    assert not {"CLAUDECODE", "CLAUDE_PROJECT_DIR"} & set(environment)
    assert files == []
    assert not Path(folder).exists()
    call = store.model_calls.recent(1)[0]
    assert (call.input_tokens, call.output_tokens, call.micro_usd, call.outcome) == (210, 40, 2_100, "ok")


def test_an_older_one_answers_in_words(program, ask):
    said = {key: value for key, value in RESULT.items() if key != "structured_output"} | {
        "result": '{"things": ["two"]}'
    }
    assert ask(program(f"print({json.dumps(said)!r})")).items == ("two",)


def test_within_itself_it_is_not_asked(program, ask, tmp_path):
    result = ask(program("print('{}')"), inside=True)
    assert isinstance(result, Unavailable)
    assert result.reason == "inside"
    assert not (tmp_path / "note").exists()


def test_where_there_is_none(ask, tmp_path, store):
    result = ask({"PATH": str(tmp_path)})
    assert result.reason == "not_configured"
    assert store.model_calls.recent(1)[0].micro_usd == 0


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("sys.exit(1)", "program"),
        ("sys.stderr.write('x' * 10**6); sys.exit(3)", "program"),
        (f"print({json.dumps(RESULT | {'is_error': True})!r}); sys.exit(1)", "program"),
        ("print('hello')", "not_json"),
        ("pass", "not_json"),
        ("print('[]')", "wrong_form"),
        ('print(\'{"type": "result", "result": 5}\')', "wrong_form"),
        ("os.close(1); time.sleep(0.1)", "not_json"),
        ("sys.stdout.write('x' * 50_000_000)", "too_large"),
    ],
)
def test_whatever_it_says_there_is_a_reason(body, why, program, ask, store):
    result = ask(program(body))
    assert isinstance(result, Unavailable)
    assert result.reason == why
    assert store.model_calls.recent(1)[0].outcome == "failed"


@pytest.mark.parametrize(
    "body",
    quick(["subprocess.run(['sleep', '600'])", "time.sleep(600)", "subprocess.Popen(['/bin/sleep', '600'])"]),
)
def test_one_that_hangs_is_ended_with_all_that_it_started(body, program, ask, tmp_path):
    noted = tmp_path / "pid"
    environment = program(f"open({str(noted)!r}, 'w').write(str(os.getpid()))\n{body}")
    for timeout in (1, 4, 16, 64):  # a busy machine needs longer to get it there
        result = ask(environment | {"PATH": environment["PATH"] + ":/bin:/usr/bin"}, timeout=timeout)
        assert result.reason == "timeout"
        if noted.exists() and noted.read_text():
            break
    group = int(noted.read_text())
    until = time.monotonic() + 300
    while alive(group) and time.monotonic() < until:  # the ended ones are collected by whoever adopts them
        time.sleep(0.05)
    assert not alive(group)


def alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_one_that_does_not_listen(tmp_path, store, clock):
    from recortex.domain.maintenance import Request

    folder = tmp_path / "deaf"
    folder.mkdir()
    (folder / "claude").write_text(f"#!{sys.executable}\nprint({json.dumps(RESULT)!r})\n")
    (folder / "claude").chmod(0o700)
    settings = ModelSettings(provider="agent", timeout=300, daily_usd=1, environment={"PATH": str(folder)})
    request = Request(purpose="extract", system="s", prompt="x" * 200_000, schema={}, items="things")
    assert isinstance(build_model(settings, "", store.model_calls, clock).ask(request), Answer)
