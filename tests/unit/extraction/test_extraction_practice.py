"""What the agent's commands teach."""

import pytest

from recortex.domain.transcript import ToolCall, Turn
from recortex.engines.extraction.shell import error_line, failed, main_part, purpose_of, whole_form
from recortex.engines.extraction.tool_use_rules import ToolUseRules


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


def test_a_failure_that_an_edit_repaired_is_told_with_error_cause_and_file():
    repairs, _ = seen(
        turn(0, run("pytest tests/api 2>&1 | tail -5", FAILURE)),
        turn(
            1,
            edit("/repo/config/base.toml"),
            text="The file `base.toml` for the tests doesn't set `secret_key`. Let me add it.",
        ),
        turn(2, run("pytest tests/api 2>&1 | tail -5", "3 passed")),
    )
    assert [one.text for one in repairs] == [
        (
            "`pytest tests/api` failed with 'RuntimeError: no secret key configured for Endpoint'. "
            "Cause: The file `base.toml` for the tests doesn't set `secret_key`. Fixed in `config/base.toml`."
        )
    ]
    assert repairs[0].kind == "incident"


def test_no_repair_without_an_edit_or_after_another_command():
    assert seen(turn(0, run("pytest", FAILURE)), turn(1, run("pytest", "3 passed")))[0] == []
    assert (
        seen(turn(0, run("pytest a", FAILURE)), turn(1, edit("/repo/x.toml")), turn(2, run("pytest b")))[0]
        == []
    )


def test_another_error_of_the_same_command_ends_the_first():
    repairs, _ = seen(
        turn(0, run("pytest", FAILURE)),
        turn(1, edit("/repo/base.toml")),
        turn(2, run("pytest", "ValueError: port must be a number, got None")),
    )
    assert ["no secret key" in one.text for one in repairs] == [True]


def test_a_form_that_was_refused_is_told_with_the_form_that_works():
    repairs, _ = seen(
        turn(0, run("npm run tests", 'npm error Missing script: "tests"', ok=False)),
        turn(1, run("npm test")),
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


def test_a_pipe_does_not_hide_a_failure():
    assert failed(run("pytest | tail -1", "2 failed, 3 passed"))
    assert not failed(run("pytest | tail -1", "0 failed, 3 passed"))
    assert error_line("collecting\n\x1b[31mKeyError: the key 'a' is unknown here\x1b[0m\nat x") == (
        "KeyError: the key 'a' is unknown here"
    )
