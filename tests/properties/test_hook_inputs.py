"""Whatever a hook reads, it exits 0 and prints nothing or one answer."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hook_fuzz import EVENTS, Answer, sample

from choices import quick

PROGRAM = (sys.executable, "-m", "recortex", "hook")
HERE = Path(__file__).parent


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RECORTEX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RECORTEX_HOOKS_CAPTURE", "false")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(*words, stdin=b"", shell=""):
    command = ["sh", "-c", f'exec "$@" {shell}', "sh", *words] if shell else list(words)
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=600)
    return Answer(done.returncode, done.stdout, done.stderr, 0.0)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("count", [30, pytest.param(400, marks=pytest.mark.full)])
def test_many_bent_and_broken_inputs_give_nothing_or_an_answer(count):
    quiet = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    words = [sys.executable, str(HERE / "hook_fuzz.py"), "--count", str(count), "--seed", "7"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=1200, env=quiet)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "shell", quick(["<&- >&- 2>&-", ">/dev/full 2>/dev/full", "<&-", ">&-", "</dev/null"], 2)
)
def test_closed_and_full_streams_are_no_failure(shell, project):
    for event in ("session-start", "user-prompt-submit", "stop"):
        given = json.dumps(sample(event, str(project))).encode()
        assert answer(*PROGRAM, event, stdin=given, shell=shell).wrong == ""


@pytest.mark.full
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("event", ["user-prompt-submit", "stop"])
def test_fifty_megabytes_are_no_failure(event, project):
    given = json.dumps({**sample(event, str(project)), "prompt": "word " * 10_000_000}).encode()
    for stdin in (given, b"x" * 50_000_000, b"[" * 50_000_000):
        assert answer(*PROGRAM, event, stdin=stdin).wrong == ""


@pytest.mark.usefixtures("folder")
def test_words_that_are_no_event_are_no_failure(project):
    given = json.dumps(sample("stop", str(project))).encode()
    for words in ((), ("nothing-known",), ("stop", "more"), ("--help-me",), ("", ""), ("Stop\n",)):
        assert answer(*PROGRAM, *words, stdin=given).code == 0


@pytest.mark.usefixtures("folder")
def test_a_client_that_ends_while_it_is_answered_harms_nothing(project):
    for event in EVENTS:
        given = json.dumps(sample(event, str(project))).encode()
        with subprocess.Popen([*PROGRAM, event], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            assert running.stdin
            assert running.stdout
            running.stdout.close()
            try:
                with suppress(BrokenPipeError):  # a hook that had no time left is gone before it was told all
                    running.stdin.write(given[: len(given) // 2])
                    running.stdin.close()
                assert running.wait(600) == 0
            finally:
                running.kill()
