"""What the agent's commands teach."""

import pytest

from recortex.domain.exchange import ToolCall, Turn
from recortex.engines.extraction.extractor import Habits, main_part, passed, purpose_of, whole_form


def run(command, output="ok", *, ok=True):
    return ToolCall(id="c", name="Bash", command=command, ok=ok, output=output)


def turn(index, *tools, text=""):
    return Turn(index=index, role="assistant", text=text, tools=tools, cwd="/repo")


def seen(*turns):
    habits = Habits()
    for one in turns:
        habits.observe(one)
    return [found for found, _ in habits.found()]


def test_what_recortex_itself_was_asked_is_not_practice():
    own = ToolCall(id="c", name="Bash", command="pytest", ok=True, injected=True)
    assert seen(turn(0, own, own, own)) == []


def test_a_command_that_worked_again_and_again_is_the_habit():
    habits = seen(
        turn(0, run("cd app && mise run test"), run("mise run test"), run("mise run test -- one.py"))
    )
    assert [(one.text, one.kind, one.commands) for one in habits] == [
        ("The test suite is run with `mise run test`.", "environment", ("mise run test",))
    ]


@pytest.mark.parametrize(
    ("command", "bare"),
    [
        ("cd a/b && npm test 2>&1 | tail -3", "npm test"),
        ("pytest -q && git commit", "pytest -q"),
        ("timeout 60 cargo test > out.txt", "cargo test"),
    ],
)
def test_the_main_part_of_a_line(command, bare):
    assert main_part(command) == bare


def test_purposes_and_whole_forms():
    assert purpose_of("uv run pytest -q")[0] == "test"
    assert purpose_of("golangci-lint run ./...")[0] == "lint"
    assert purpose_of("git status") is None
    assert whole_form("go test ./...") == "go test ./..."
    assert whole_form("pytest tests/test_a.py") is None
    assert whole_form("pytest -k name") is None


@pytest.mark.parametrize(
    ("command", "output", "ok", "expected"),
    [
        ("pytest", "1 error printed, Error: on purpose", True, True),
        ("pytest && git add .", "Error: on purpose", True, True),
        ("pytest | tail -1", "3 passed", True, True),
        ("pytest | tail -1", "2 failed, 3 passed", True, None),
        ("pytest; echo done", "2 failed, 3 passed", True, None),
        ("pytest | grep FAIL", "", False, None),
        ("pytest | tail -3", "2 failed, 3 passed", False, False),
        ("pytest", "", False, False),
        ("pytest", "2 failed", None, None),
    ],
)
def test_a_command_passed_or_failed_by_its_status(command, output, ok, expected):
    assert passed(run(command, output, ok=ok)) is expected


def test_a_part_of_the_suite_is_not_told_as_the_whole():
    assert whole_form("go test ./cmd/app/...") is None
    assert whole_form("go test -race ./...") == "go test -race ./..."
