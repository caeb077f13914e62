"""What each client sends becomes the same event; what does not fit becomes nothing."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.session import EventName, HookEvent
from recortex.formats.hook_events import EVENTS, parse

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    "session_id", "transcript_path", "cwd", "hook_event_name", "prompt", "tool_name", "tool_input",
    "tool_response", "last_assistant_message", "prompt_response", "agent_id", "agent_type", "source",
    "reason", "error",
)  # fmt: skip


def event(name: EventName, client: str = "", **given: Any) -> HookEvent:
    found = parse(name, json.dumps({"session_id": "s", **given}).encode(), client=client)
    assert found is not None
    return found


def test_a_failed_command_of_claude_code_did_not_work():
    given = {"tool_name": "Bash", "tool_input": {"command": "make"}, "hook_event_name": "PostToolUseFailure"}
    found = event("post-tool-use", **given, error="Exit code 2")
    assert (found.command, found.ok) == ("make", False)


def test_a_written_file_is_known_as_written():
    found = event(
        "post-tool-use",
        tool_name="Write",
        tool_input={"file_path": "/a/b.py"},
        tool_response={"type": "create"},
    )
    assert (found.files, found.writes, found.ok) == (("/a/b.py",), True, True)


def test_codex_is_known_by_its_turn_and_its_answer_is_text():
    found = event(
        "post-tool-use", turn_id="t", tool_name="Bash", tool_input={"command": "ls"}, tool_response="a\n"
    )
    assert (found.client, found.command, found.ok) == ("codex", "ls", True)


@pytest.mark.parametrize(("code", "ok"), [("0", True), ("3", False)])
def test_the_exit_code_that_gemini_and_qwen_write_into_the_answer_is_read(code: str, ok: bool):
    answer = {"llmContent": f"Output: x\nExit Code: {code}\nProcess Group PGID: 1", "returnDisplay": "x"}
    found = event(
        "post-tool-use", "gemini", tool_name="run_shell_command", tool_input={"command": "x"},
        tool_response=answer,
    )  # fmt: skip
    assert found.ok is ok


def test_the_last_message_of_gemini_has_another_name():
    assert event("stop", "gemini", prompt_response="done").message == "done"


def test_our_own_tools_and_commands_are_known():
    assert event(
        "pre-tool-use", tool_name="mcp__plugin_recortex_recortex__remember", tool_input={"text": "x"}
    ).own
    assert event("post-tool-use", tool_name="Bash", tool_input={"command": "recortex recall x"}).own
    assert not event("post-tool-use", tool_name="Bash", tool_input={"command": "make"}).own


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b'{"session_id": 1e999']
)
def test_what_is_no_object_is_no_event(raw: bytes):
    assert parse("stop", raw) is None


@given(st.sampled_from(EVENTS), st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=8), json_values))
def test_any_object_becomes_an_event_of_plain_values(name: EventName, given: dict[str, Any]):
    found = parse(name, json.dumps(given).encode())
    assert found is not None
    for field in HookEvent.__dataclass_fields__:
        value = getattr(found, field)
        assert isinstance(value, str | int | float | bool | tuple) or value is None
        "".join([value] if isinstance(value, str) else value if isinstance(value, tuple) else []).encode()
