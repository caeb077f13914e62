"""Turns what clients send to hooks into one kind of event.

The input is untrusted: every field is checked and shortened here. Claude Code, Codex and Qwen Code use the
same event names; Gemini CLI has its own for the same events.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from recortex.domain.expressions import lazy
from recortex.domain.hook_event import EventName, HookEvent
from recortex.domain.injection import is_own_command, is_own_tool
from recortex.domain.names import known_as
from recortex.formats.tool_arguments import as_mapping, command_of, files_of, is_writing, replaced_in

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: tuple[EventName, ...] = get_args(EventName)
_FAILURE = "PostToolUseFailure"
_EXIT_CODE = lazy(r"^Exit Code: (\d{1,5})$", re.MULTILINE)
LONGEST_TEXT = 64_000
"""Characters of a prompt or message that are read; the rest is in the transcript."""
_LONGEST_WORD = 4_096
_MOST_FILES = 50


def parse(
    name: EventName, raw: bytes, *, client: str = "", project: str = "", process: int = 0
) -> HookEvent | None:
    """Parse a hook's standard input; None if it is not a JSON object.

    Args:
        name: the event that the hook was called for.
        raw: all of standard input.
        client: the agent's client, if the hook was told.
        project: the folder in which the agent was started, if the environment says so.
        process: the client's process id.
    """
    try:
        given: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    # Only Codex names the turn, and its transcripts so. Claude Code and Qwen Code are read alike.
    of_codex = "turn_id" in given or "/rollout-" in _word(given, "transcript_path").replace("\\", "/")
    client = client or ("codex" if of_codex else "")
    return replace(_event(name, given), client=client, project=project, process=process)


def _event(name: EventName, given: Mapping[str, Any]) -> HookEvent:
    tool = _word(given, "tool_name")
    arguments = as_mapping(given.get("tool_input"))
    command = command_of(tool, arguments)
    return HookEvent(
        name=name,
        event=_word(given, "hook_event_name") or name.title().replace("-", ""),
        session=known_as(_word(given, "session_id")),
        transcript=_word(given, "transcript_path"),
        cwd=_word(given, "cwd"),
        source=_word(given, "source"),
        reason=_word(given, "reason"),
        prompt=_text(given, "prompt"),
        tool=tool,
        command=_plain(command)[:LONGEST_TEXT],
        files=tuple(
            _plain(file)
            for file in files_of(tool, arguments)[:_MOST_FILES]
            if len(file) <= _LONGEST_WORD and "\0" not in file
        ),
        writes=is_writing(tool, arguments),
        replaced=tuple(_plain(text) for text in replaced_in(arguments)),
        ok=_worked(given),
        own=is_own_tool(tool) or is_own_command(command),
        message=_text(given, "last_assistant_message") or _text(given, "prompt_response"),
        agent=_word(given, "agent_id"),
        agent_type=_word(given, "agent_type"),
        agent_transcript=_word(given, "agent_transcript_path"),
        ending=given.get("stop_hook_active") is False,
    )


def _worked(given: Mapping[str, Any]) -> bool | None:
    """Whether a tool call succeeded; None if the client does not say."""
    if given.get("hook_event_name") == _FAILURE or _word(given, "error"):
        return False
    answer = given.get("tool_response")
    if answer is None:
        return None
    if isinstance(answer, dict):
        code = answer.get("exit_code", answer.get("exitCode"))
        said = answer.get("llmContent")
        if isinstance(said, str):
            found = _EXIT_CODE.search(said[-_LONGEST_WORD:])
            code = int(found[1]) if found else code
        return (code == 0 if isinstance(code, int) else True) and not (
            answer.get("is_error") or answer.get("error") or answer.get("interrupted")
        )
    return True


def _word(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    return (
        _plain(value) if isinstance(value, str) and len(value) <= _LONGEST_WORD and "\0" not in value else ""
    )


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    return _plain(value[:LONGEST_TEXT]) if isinstance(value, str) else ""


def _plain(text: str) -> str:
    """The text without NUL and lone surrogates, which cannot be written to a file."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
