"""What an agent is given never comes back as something learned, by any way in, over many rounds."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from claude_sessions import claude_lines
from recortex.app.hooks import Request, put_request
from recortex.app.jobs.capture import LastMessage, fulfil_requests
from recortex.app.wiring import hook_context
from recortex.formats.hook_events import HookEvent

WORDS = [
    "the",
    "cache",
    "worker",
    "retries",
    "parcels",
    "never",
    "`sync_all`",
    "before",
    "migrations",
    "because",
    "Redis",
    "drops",
    "always",
    "use",
    "uv",
    "port",
    "8080",
]
texts = st.lists(st.sampled_from(WORDS), min_size=6, max_size=16).map(" ".join)
kinds = st.sampled_from(["decision", "tribal", "preference", "procedural"])
doors = st.sampled_from(["person", "agent", "tool", "summary"])


def lines(door: str, text: str, session: str, cwd: Path) -> list[dict[str, Any]]:
    """A transcript in which what was given stands where that door puts it."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": text}
    said: dict[str, tuple[str, Any]] = {
        "person": ("user", f"{text}\nwhat does {session} say?"),  # nothing that is said again
        "agent": ("assistant", [{"type": "text", "text": f"{text}\nDone."}]),
        "tool": ("user", [result]),
        "summary": ("user", f"This session is being continued from a previous conversation.\n{text}"),
    }
    use = ("assistant", [{"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "x"}}])
    turns = [("user", "go on"), *([use] if door == "tool" else []), said[door]]
    return list(claude_lines(cwd, *turns, session=session, at="2026-03-01T11:00:00Z"))


@example(
    [("the the the cache worker retries", "decision"), ("the the the cache retries worker", "decision")],
    ["person"] * 3,
)
@given(st.lists(st.tuples(texts, kinds), min_size=1, max_size=4), st.lists(doors, min_size=3, max_size=6))
def test_the_store_does_not_grow_from_what_it_gave(
    fresh_cortex, known: list[tuple[str, str]], rounds: list[str]
):
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        # Near-copies among what was known are merged after any session, whatever was given in it.
        patch.setenv("RECORTEX_CONSOLIDATION_AUTOMATIC", "no")
        cortex = stack.enter_context(fresh_cortex())
        cortex.remember_many([{"text": text, "kind": kind} for text, kind in known])
        folder = Path(cortex.address).parent
        loop = hook_context(folder, app=cortex._app)
        before = [(memory.id, memory.evidence) for memory in cortex.list(statuses=()).memories]
        for number, door in enumerate(rounds):
            session = f"s{number}"
            brief = cortex.attend(
                HookEvent(name="session-start", session=session, cwd=str(folder), source="startup")
            )
            asked = HookEvent(
                name="user-prompt-submit", session=f"p{number}", cwd=str(folder), prompt=known[0][0]
            )
            assert brief
            transcript = folder / f"{session}.jsonl"
            given_ = lines(door, f"{brief}\n{cortex.attend(asked)}", session, folder)
            transcript.write_text("".join(json.dumps(line) + "\n" for line in given_))
            put_request(loop.queue, Request(session=session, transcript=str(transcript), final=True))
            fulfil_requests(loop, LastMessage())
        after = [(memory.id, memory.evidence) for memory in cortex.list(statuses=()).memories]
        assert sorted(after) == sorted(before)
