"""How an exchange begins and ended: with an accepted plan; refused, interrupted, with a commit."""

import pytest

from recortex.domain.exchange import Exchange, SessionInfo, ToolCall, Turn
from recortex.engines.exchanges import SessionBuilder

INFO = SessionInfo(session_id="s", client="claude-code", path="/t.jsonl")


def built(*turns: Turn) -> list[Exchange]:
    """The exchanges of these turns."""
    builder = SessionBuilder(INFO, str)
    for turn in turns:
        builder.take(turn)
    return list(builder.changed.values())


def committed(output: str, command: str = "git commit -am x", *, ok: bool | None = True) -> str:
    """The commit of an exchange in which a command printed that."""
    call = ToolCall(id="1", name="Bash", command=command, output=output, ok=ok)
    return built(Turn(0, "user", "Commit it."), Turn(1, "assistant", "Done.", tools=(call,)))[0].commit


def test_an_interruption_counts_where_nothing_was_typed_then() -> None:
    (only,) = built(
        Turn(0, "user", "Add a cache."), Turn(1, "assistant", "I add."), Turn(2, "user", "", interrupts=True)
    )
    assert only.ending == "interrupted"


@pytest.mark.parametrize(
    ("output", "commit"),
    [
        ("[main 1a2b3c4] Retry\n 1 file changed", "1a2b3c4"),
        ("warning: LF will be replaced\n[fix/clock (root-commit) 1a2b3c4d] Retry", "1a2b3c4d"),
        ("[detached HEAD 1a2b3c4] Retry", "1a2b3c4"),
        ("[main 1a2b3c4] One\n[main 5d6e7f8] Two", "5d6e7f8"),
        (f"[main {'a' * 40}] Retry", "a" * 12),
        ("[entire] Pushing entire/checkpoints/v1", ""),
        ("nothing to commit", ""),
    ],
)
def test_the_last_commit_is_read_from_what_git_printed(output: str, commit: str) -> None:
    assert committed(output) == commit


def test_a_commit_stays_where_a_later_command_of_the_line_failed() -> None:
    assert committed("[main 1a2b3c4] Retry\nrejected", "git commit -am x && git push", ok=False) == "1a2b3c4"


@pytest.mark.parametrize("order", ["Implement the following plan:\n\n", "PLEASE IMPLEMENT THIS PLAN:\n", ""])
def test_an_accepted_plan_is_told_by_its_title_and_not_as_pasted(order: str) -> None:
    begun, text = built(Turn(0, "plan", f"{order}# Heat the oven\n\nFirst the door is closed."))
    assert begun.message.startswith("[accepted plan, ")
    assert begun.message.endswith(": Heat the oven]")
    assert (text.opener, "the door is closed" in text.conclusion) == ("document", True)
