"""Whatever is given, a person gets one clear line, a hint and the right exit code; never a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from places import store_folder

PATIENCE = 300  # seconds, for a machine that may be slow

BAD = [
    # (exit code, words)
    (2, ["recal", "x"]),
    (2, ["--nothing"]),
    (2, ["remember", ""]),
    (2, ["remember", "a", "b"]),
    (2, ["remember", "a text", "--kind", "wisdom"]),
    (2, ["remember", "a text", "--priority", "eleven"]),
    (2, ["remember", "a text", "--content", "{"]),
    (2, ["remember", "a text", "--valid-from", "yesterday"]),
    (2, ["remember", "a text", "--metadata", "@none.json"]),
    (2, ["remember_many", "[1]"]),
    (2, ["remember_many", '{"text": "a"}\n{"text": 3}']),
    (2, ["remember_many"]),  # standard input is empty
    (2, ["recall", "x", "--limit", "0"]),
    (2, ["recall", "x", "--kinds", "tribal,wisdom"]),
    (1, ["get", "00000000"]),
    (2, ["get"]),
    (1, ["sessions", "--session", "none"]),
    (1, ["forget", "00000000", "--yes"]),
    (1, ["link", "00000000", "11111111"]),
    (1, ["extract", "none.jsonl"]),
    (1, ["extract", "."]),
    (1, ["review", "approve", "00000000"]),
    (2, ["import", "abacus"]),
    (2, ["import", "claude-code", "none"]),
    (1, ["purge", "00000000", "--yes"]),
    (2, ["purge", "--yes"]),
    (2, ["backup", "a", "b", "c"]),
    (2, ["tour", "--nothing"]),
    (1, ["get", "x", "--url", "mysql://x"]),
    (2, ["status", "--project", "none"]),
]


@contextmanager
def ended(running):
    """Whatever happens, the process does not outlive the test."""
    try:
        yield
    finally:
        running.kill()
        running.wait()
        for pipe in (running.stdin, running.stdout, running.stderr):
            if pipe:
                pipe.close()


def check(ran):
    """One line for people, a hint after it, nothing else."""
    lines = ran.err.splitlines()
    assert "Traceback" not in ran.err
    assert not ran.out
    assert len(lines) == 2, ran.err
    assert lines[0].startswith("error: ")
    assert lines[1].startswith("hint: ")
    assert len(lines[0]) < 300


@pytest.mark.parametrize(
    ("code", "words"), BAD, ids=lambda value: " ".join(value) if isinstance(value, list) else str(value)
)
def test_bad_input_in_json(shared, code, words):
    ran = shared.run(*words, "--json")
    assert ran.error["code"] not in {"internal_error", "error"}
    assert ran.code == code, ran
    assert not ran.err


@pytest.mark.parametrize(
    "words",
    [["recal", "x"], ["get", "00000000"], ["recall", "x", "--limit", "0"], ["remember", "a", "--kind", "b"]],
)
def test_bad_input_for_people(shared, words):
    check(shared.run(*words))


def test_a_deletion_that_nobody_confirms_does_not_happen(shared):
    known = shared.remember("A memory that nobody wants to lose, because it is the only one.")
    for verb in ("forget", "purge"):
        ran = shared.run(verb, known, "--json")
        assert ran.code == 1
        assert ran.error["code"] == "not_confirmed"
        assert "--yes" in ran.error["hint"]
    check(shared.run("forget", known))
    assert shared.data("get", known)["status"] == "active"


def test_arguments_that_are_not_utf_8(shared):
    ran = shared.run("remember", b"caf\xe9")
    assert ran.code == 2
    check(ran)
    assert shared.run("remember", b"caf\xe9", "--json").error["code"] == "usage"


@pytest.mark.parametrize("verb", ["remember", "remember_many"])
def test_standard_input_that_is_not_utf_8(shared, verb):
    ran = shared.run(verb, "-", stdin=b'["caf\xe9"]')
    assert ran.code == 2
    check(ran)


def test_a_lone_surrogate_in_json(shared):
    ran = shared.run("remember_many", "-", "--json", stdin=rb'[{"text": "half of a pair: \ud83d"}]')
    assert ran.code in {0, 2}
    assert "Traceback" not in ran.err
    assert ran.answer["status"] in {"ok", "error"}


def test_a_store_that_cannot_be_made(project):
    # A file where the folder should be stops everybody, root too.
    project.home.mkdir()
    (project.home / "projects").write_text("in the way")
    ran = project.run("remember", "a text that cannot be kept")
    assert ran.code == 1
    check(ran)


def test_a_store_that_is_no_database(project):
    project.data("init")
    (store_folder(project.folder, project.home) / "cortex.db").write_bytes(b"this is not a database " * 400)
    ran = project.run("list")
    assert ran.code == 1
    check(ran)
    assert "recover" in ran.err


def test_the_reader_of_the_output_goes_away(shared):
    """As with `| head -0`: no traceback, no noise."""
    running = subprocess.Popen(
        [sys.executable, "-m", "recortex", "list"],
        cwd=shared.folder, env=shared.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with ended(running):
        running.stdout.close()
        assert running.wait(PATIENCE) in {0, 1}
        assert running.stderr.read() == b""


def test_a_folder_that_is_gone(shared, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd {gone} && rmdir {gone} && exec "$0" -m recortex list'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable], env=shared.environment, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert done.stderr.startswith(b"error: ")


@pytest.mark.parametrize(("redirection", "code"), [(">/dev/full", 1), (">&-", 0), ("2>&-", 0), ("<&-", 0)])
def test_streams_that_are_full_or_closed(shared, redirection, code):
    script = f'exec "$0" -m recortex list {redirection}'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable],
        cwd=shared.folder, env=shared.environment, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_standard_input_that_is_closed(shared):
    script = 'exec "$0" -m recortex remember - <&-'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable],
        cwd=shared.folder, env=shared.environment, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: Standard input is closed.")


def test_a_person_interrupts(shared):
    """Ctrl-C while it waits for standard input."""
    running = subprocess.Popen(
        [sys.executable, "-m", "recortex", "remember", "-"],
        cwd=shared.folder, env=shared.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    with ended(running):
        _wait_until_it_reads(running.pid)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    assert not out
    assert err.decode().splitlines()[0] == "error: Interrupted."


def _wait_until_it_reads(pid: int) -> None:
    """Until the process sleeps in a read of its standard input."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with open(f"/proc/{pid}/wchan", encoding="ascii") as file:  # noqa: PTH123  not a file on a disk
            if "pipe" in file.read():
                return
        time.sleep(0.01)
    raise AssertionError("it never waited for its input")
