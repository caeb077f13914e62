"""Tool calls of any client: which argument is the command, which are files, which tools write."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from recortex.domain.injection import is_own_command, is_own_tool, strip_injected
from recortex.domain.transcript import ToolCall
from recortex.formats.tool_arguments import as_mapping, command_of, files_of, is_writing
from recortex.formats.transcripts.pieces import shorten

ARGUMENT_LIMIT = 2_000

_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:?) (\d{1,5})\s*$", re.MULTILINE)
_WRAPPED_CALLS = frozenset(("tool_call", "call_mcp_tool"))  # tools that call a deferred tool by its name


def tool_call(call: str, name: str, arguments: Any) -> ToolCall:
    """A call without its result. `arguments` may have any type; JSON in a string is parsed."""
    given = as_mapping(arguments)
    if name in _WRAPPED_CALLS and isinstance(given.get("name"), str):
        name, given = given["name"], as_mapping(given.get("arguments"))
    command = command_of(name, given)
    if is_own_tool(name) or is_own_command(command):
        return ToolCall(call, name, command=command, injected=True)
    return ToolCall(
        id=call,
        name=name,
        command=command,
        files=files_of(name, given),
        writes=is_writing(name, given),
        arguments={str(key): _as_argument(value) for key, value in given.items()},
    )


def answered(call: ToolCall, ok: bool | None, output: str) -> ToolCall:
    """The call with its result; the output of Recortex's own tools is left out."""
    return replace(call, ok=ok, output="" if call.injected else shorten(strip_injected(output)[0]))


def exit_code_ok(output: str) -> bool | None:
    """Whether the exit code at the beginning of an output is 0; None if it has none."""
    found = _EXIT_CODE.search(output, 0, 400)
    return None if found is None else int(found[1]) == 0


def plain(value: Any) -> str:
    """The text of a tool's output.

    A string, a list of text blocks, or an object with one of the usual fields.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(plain, value)))
    if isinstance(value, dict):
        for key in ("text", "output", "content", "error", "stdout"):
            if isinstance(value.get(key), str | list):
                return plain(value[key])
    return ""


def _as_argument(value: Any) -> str:
    if isinstance(value, str):
        return shorten(value, ARGUMENT_LIMIT)
    try:
        return shorten(json.dumps(value, ensure_ascii=False), ARGUMENT_LIMIT)
    except (ValueError, RecursionError):
        return ""
