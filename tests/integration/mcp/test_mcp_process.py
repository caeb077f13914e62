import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import patient_recortex
import ready_recortex
from places import store_folder

INITIALIZE = {
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a-client", "version": "1"},
    },
}
LIST = {"id": 1, "method": "tools/list"}
WAIT = 300


def started_anew(project):
    """The words that start a server in an interpreter of its own, as a client does."""
    return [sys.executable, "-m", "recortex", "mcp", "--project", str(project)]


def call(number, tool, **arguments):
    return {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def lines(*messages):
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)


@pytest.fixture
def start(command, environment, tmp_path):
    processes = []

    def begin(*arguments, command=command, **more):
        process = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
            env={**os.environ, **environment, **more},
        )  # fmt: skip
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            with suppress(BrokenPipeError):  # it did not live to read what was said
                pipe.close()


def ask(process, message):
    process.stdin.write(lines(message))
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def test_what_is_piped_in_is_answered_before_the_end(start, project):
    process = start(command=[*patient_recortex.command(), "mcp", "--project", str(project)])
    out, err = process.communicate(
        lines(
            INITIALIZE,
            LIST,
            call(2, "remember", text="Deploys go through the blue queue."),
            call(3, "status"),
        ),
        timeout=WAIT,
    )
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    assert set(answers) == {0, 1, 2, 3}
    assert not answers[2]["result"]["isError"]
    assert "Traceback" not in err
    assert process.returncode == 0


@pytest.mark.parametrize("said", ["", lines(INITIALIZE), lines(INITIALIZE, LIST), "nonsense\n", "\n\n"])
def test_the_end_of_input_ends_the_server(start, said):
    process = start()
    _, err = process.communicate(said, timeout=WAIT)
    assert process.returncode == 0
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("SIGINT", (INITIALIZE,)),
        ("SIGTERM", (INITIALIZE, LIST, call(2, "status"))),
        pytest.param("SIGTERM", (INITIALIZE,), marks=pytest.mark.full),
        pytest.param("SIGINT", (INITIALIZE, LIST, call(2, "status")), marks=pytest.mark.full),
    ],
)
def test_a_signal_ends_the_server(start, project, name, after):
    process = start(command=started_anew(project))
    for message in after:
        ask(process, message)
    process.send_signal(getattr(signal, name))
    assert process.wait(WAIT) == 130
    assert "Traceback" not in process.stderr.read()


def test_a_client_that_stops_listening_ends_the_server(start):
    process = start()
    ask(process, INITIALIZE)
    process.stdout.close()
    process.stdout = process.stderr
    process.stdin.write(lines(LIST, call(2, "status")))
    process.stdin.close()
    process.stdin = process.stderr
    assert process.wait(WAIT) == 0
    assert "Traceback" not in process.stderr.read()


def test_the_project_is_named_by_the_client(start, project, environment):
    process = start(command=ready_recortex.command("mcp"), CLAUDE_PROJECT_DIR=str(project))
    said = lines(INITIALIZE, LIST, call(2, "remember", text="The staging host is rebuilt on Mondays."))
    out, _ = process.communicate(said, timeout=WAIT)
    assert len(out.splitlines()) == 3
    assert (store_folder(project, Path(environment["RECORTEX_HOME"])) / "cortex.db").is_file()


@pytest.mark.parametrize(
    "options",
    [("--tools", "some"), ("--project", "not/there"), ("--project", "a\nb"), ("more",), ("--other",)],
)
def test_wrong_options_are_wrong_usage(start, tmp_path, options):
    process = start(*options)
    out, err = process.communicate("", timeout=WAIT)
    assert process.returncode == 2
    assert out == ""
    assert options[0] in err
    assert not (tmp_path / "not").exists()


STRAY = """
import os, sys
from recortex.mcp.greeting import Wire

wire = Wire.claim()
print("stray")
os.system("echo from a child; cat")
wire.send(repr([*wire.lines()]).encode())
"""


def test_nothing_else_in_the_process_reaches_the_client_or_takes_its_lines(start):
    process = start(command=[sys.executable, "-c", STRAY])
    out, err = process.communicate("one\ntwo\n", timeout=WAIT)
    assert out == "[b'one', b'two']\n"
    assert "from a child" in err


METHOD = '"method":"tools/call"'


@pytest.mark.parametrize(
    "form",
    [
        f'"jsonrpc":"2.0","id":ID,{METHOD},"params":{{"x":"LONG"}}',
        f'{METHOD},"params":{{"x":"LONG"}},"jsonrpc":"2.0","id":ID',
        pytest.param(f'"params":{{"x":"LONG"}},"id":ID,{METHOD}', marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("id_", ["7", pytest.param('"seven"', marks=pytest.mark.full)])
def test_a_message_that_is_too_long_is_refused_and_the_next_is_answered(start, form, id_):
    process = start()
    said = (
        lines(INITIALIZE) + f"{{{form.replace('ID', id_).replace('LONG', 'a' * (17 << 20))}}}\n" + lines(LIST)
    )
    out, err = process.communicate(said, timeout=WAIT)
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    refused = answers.pop(json.loads(id_))["error"]
    assert "longer than 16 MB" in refused["message"]
    assert set(answers) == {0, 1}
    assert "Traceback" not in err


@pytest.mark.full
def test_the_end_of_input_ends_the_server_whatever_is_at_work(start):
    process = start("--tools", "full")
    many = [{"text": f"The kiln {number} is fired on day {number}."} for number in range(500)]
    calls = [call(number, "remember_many", memories=many) for number in range(2, 60)]
    process.stdin.write(lines(INITIALIZE, LIST, *calls))
    process.stdin.close()
    process.stdin = process.stderr
    process.stdout.read()
    process.wait(60)  # all of it takes minutes
