"""What the agent's commands teach."""

import pytest

from recortex.domain.exchange import ToolCall, Turn
from recortex.engines.extraction.agent_rules import (
    ToolUseRules,
    error_lines,
    main_part,
    passed,
    purpose_of,
    whole_form,
)


def run(command, output="ok", *, ok=True):
    return ToolCall(id="c", name="Bash", command=command, ok=ok, output=output)


def edit(path):
    return ToolCall(id="e", name="Edit", files=(path,), writes=True, ok=True)


def turn(index, *tools, text=""):
    return Turn(index=index, role="assistant", text=text, tools=tools, cwd="/repo")


def seen(*turns):
    practice = ToolUseRules()
    repairs = [found for one in turns for found in practice.observe(one)]
    return repairs, [found for found, _ in practice.habits()]


FAILURE = "RuntimeError: no secret key configured for Endpoint"


def test_a_failure_that_an_edit_repaired_is_told_with_its_error_and_file():
    repairs, _ = seen(
        turn(0, run("pytest tests/api 2>&1", FAILURE, ok=False)),
        turn(
            1,
            edit("/repo/config/base.toml"),
            text="The file `base.toml` for the tests doesn't set `secret_key`. Let me add it.",
        ),
        turn(2, run("pytest tests/api 2>&1 | tail -5", "3 passed")),
    )
    said = "`pytest tests/api` failed with 'RuntimeError: no secret key configured for Endpoint'"
    assert [one.text for one in repairs] == [f"{said}; fixed in `config/base.toml`."]
    assert repairs[0].kind == "incident"


def test_no_repair_without_an_edit_or_after_another_command():
    failing = run("pytest a", FAILURE, ok=False)
    assert seen(turn(0, failing), turn(1, run("pytest a", "3 passed")))[0] == []
    assert seen(turn(0, failing), turn(1, edit("/repo/x.toml")), turn(2, run("pytest b")))[0] == []


def test_an_error_is_repaired_by_what_made_its_command_pass():
    other = "ValueError: port must be a number, got None"
    turns = [
        turn(0, run("pytest", FAILURE, ok=False)),
        turn(1, edit("/repo/base.toml")),
        turn(2, run("pytest", other, ok=False)),
    ]
    assert seen(*turns)[0] == []
    (repair,) = seen(*turns, turn(3, edit("/repo/port.toml")), turn(4, run("pytest")))[0]
    assert repair.text == f"`pytest` failed with {other!r}; fixed in `port.toml`."


def test_an_error_that_is_printed_on_purpose_is_no_failure():
    printed = "Error: the quota of tenant 12 is used up\n4 passed"
    once = [turn(0, run("npm test", printed)), turn(1, edit("/repo/a.ts")), turn(2, run("npm test", "ok"))]
    assert seen(*once)[0] == []
    piped = [
        turn(0, run("npm test 2>&1 | tail -9", printed)),
        turn(1, edit("/repo/a.ts")),
        turn(2, run("npm test 2>&1 | tail -9", "4 passed")),
    ]
    assert seen(*piped)[0] == []


def test_of_a_failed_run_the_error_is_told_that_the_passing_one_does_not_print():
    printed = "Error: the quota of tenant {} is used up"
    repairs, _ = seen(
        turn(0, run("npm test", f"{printed.format(12)}\n{FAILURE}", ok=False)),
        turn(1, edit("/repo/a.ts")),
        turn(2, run("npm test", f"{printed.format(31)}\n5 passed")),
    )
    assert [one.quote for one in repairs] == [FAILURE]


def test_a_form_that_was_refused_is_told_with_the_form_that_works():
    repairs, _ = seen(
        turn(0, run("npm run tests", 'npm error Missing script: "tests"', ok=False)), turn(1, run("npm test"))
    )
    assert [(one.kind, one.commands) for one in repairs] == [("procedural", ("npm run tests", "npm test"))]


def test_what_recortex_itself_was_asked_is_not_practice():
    own = ToolCall(id="c", name="Bash", command="pytest", ok=True, injected=True)
    assert seen(turn(0, own, own, own)) == ([], [])


def test_a_command_that_worked_again_and_again_is_the_habit():
    _, habits = seen(
        turn(0, run("cd app && mise run test"), run("mise run test"), run("mise run test -- one.py"))
    )
    assert [(one.text, one.kind, one.commands) for one in habits] == [
        ("The test suite is run with `mise run test`.", "environment", ("mise run test",))
    ]


@pytest.mark.parametrize(
    ("command", "bare", "alone"),
    [
        ("cd a/b && npm test 2>&1 | tail -3", "npm test", True),
        ("pytest -q && git commit", "pytest -q", False),
        ("timeout 60 cargo test > out.txt", "cargo test", True),
    ],
)
def test_the_main_part_of_a_line(command, bare, alone):
    assert main_part(command) == (bare, alone)


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


def test_the_lines_that_say_what_went_wrong():
    output = "collecting\n\x1b[31mKeyError: the key 'a' is unknown here\x1b[0m\nat x"
    assert error_lines(output) == ("KeyError: the key 'a' is unknown here",)


def test_a_part_of_the_suite_is_not_told_as_the_whole():
    assert whole_form("go test ./cmd/app/...") is None
    assert whole_form("go test -race ./...") == "go test -race ./..."
