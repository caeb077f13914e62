"""The agent's command line as a model: what it is told; it can neither recurse, hang, flood nor linger."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from choices import quick
from recortex.domain.model_call import Answer, Unavailable
from recortex.llm.client import ModelSettings, build_model

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
    from recortex.domain.model_call import Request

    folder = tmp_path / "deaf"
    folder.mkdir()
    (folder / "claude").write_text(f"#!{sys.executable}\nprint({json.dumps(RESULT)!r})\n")
    (folder / "claude").chmod(0o700)
    settings = ModelSettings(provider="agent", timeout=300, daily_usd=1, environment={"PATH": str(folder)})
    request = Request(purpose="extract", system="s", prompt="x" * 200_000, schema={}, items="things")
    assert isinstance(build_model(settings, "", store.model_calls, clock).ask(request), Answer)
