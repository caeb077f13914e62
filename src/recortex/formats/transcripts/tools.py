"""Tool calls of any client: which argument is the command, which are files, which tools write."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from recortex.domain.injection import is_own_command, is_own_tool, strip_injected
from recortex.domain.transcript import ToolCall
from recortex.formats.transcripts.pieces import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

ARGUMENT_LIMIT = 2_000

_COMMANDS = ("command", "cmd", "script")
_FILES = (
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "target_file",
    "filename",
    "file",
    "path",
    "paths",
    "files",
)
# `path` of these is a folder that is searched
_SEARCHES = frozenset(
    ("grep", "glob", "ls", "list", "list_directory", "search_file_content", "grep_search", "find", "list_dir")
)
_WRITES = re.compile(
    r"(?:multi|notebook|file_?)?edit(?:_file|or)?$|write(?:_file)?$|create(?:_file)?$|replace$|apply_patch$|patch$|str_replace",
    re.IGNORECASE,
)
_READING_COMMANDS = frozenset(("view", "read"))  # of tools that read and write by a `command` argument
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.{1,1000})$", re.MULTILINE)
_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:?) (\d{1,5})\s*$", re.MULTILINE)
_WRAPPED_CALLS = frozenset(("tool_call", "call_mcp_tool"))  # tools that call a deferred tool by its name
_SHELL_PREFIX = 3  # ["bash", "-lc", "the command"]


def tool_call(call: str, name: str, arguments: Any) -> ToolCall:
    """A call as it was asked for. `arguments` is whatever the client recorded; JSON in a string is read."""
    given = _as_mapping(arguments)
    if name in _WRAPPED_CALLS and isinstance(given.get("name"), str):
        name, given = given["name"], _as_mapping(given.get("arguments"))
    command = _command(name, given)
    if is_own_tool(name) or is_own_command(command):
        return ToolCall(call, name, command=command, injected=True)
    return ToolCall(
        id=call,
        name=name,
        command=command,
        files=_files(name, given),
        writes=_WRITES.match(name) is not None and given.get("command") not in _READING_COMMANDS,
        arguments={str(key): _as_argument(value) for key, value in given.items()},
    )


def answered(call: ToolCall, ok: bool | None, output: str) -> ToolCall:
    """The call with what came of it; what Recortex itself answered is left out."""
    kept = "" if call.injected else shorten(strip_injected(output)[0])
    return ToolCall(
        call.id, call.name, call.command, call.files, call.writes, ok, kept, call.arguments, call.injected
    )


def exit_code_ok(output: str) -> bool | None:
    """Whether an output that begins with its exit code tells of success; None where it has none."""
    found = _EXIT_CODE.search(output, 0, 400)
    return None if found is None else int(found[1]) == 0


def plain(value: Any) -> str:
    """The text of a tool's output: a string, a list of text blocks, or an object with one of the usual fields."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(plain, value)))
    if isinstance(value, dict):
        for key in ("text", "output", "content", "error", "stdout"):
            if isinstance(value.get(key), str | list):
                return plain(value[key])
    return ""


def _as_mapping(arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, strict=False)
        except (ValueError, RecursionError):
            return {"input": arguments}
    return arguments if isinstance(arguments, dict) else {}


def _as_argument(value: Any) -> str:
    if isinstance(value, str):
        return shorten(value, ARGUMENT_LIMIT)
    try:
        return shorten(json.dumps(value, ensure_ascii=False), ARGUMENT_LIMIT)
    except (ValueError, RecursionError):
        return ""


def _command(name: str, given: Mapping[str, Any]) -> str:
    if _WRITES.match(name):
        return ""
    for key in _COMMANDS:
        value = given.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            words = [word for word in value if isinstance(word, str)]
            shell = len(words) == _SHELL_PREFIX and words[1] in {"-lc", "-c"}
            return words[-1] if shell else " ".join(words)
    return ""


def _files(name: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    if name.lower() in _SEARCHES:
        return ()
    found: dict[str, None] = {}
    for key in _FILES:
        value = given.get(key)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                found[item] = None
    patch = given.get("input") or given.get("patch") or given.get("patchText") or given.get("command")
    text = patch[-1] if isinstance(patch, list) and patch else patch
    if isinstance(text, str) and "*** " in text:
        found.update(dict.fromkeys(path.strip() for path in _PATCHED.findall(text)))
    return tuple(found)
