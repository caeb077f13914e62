"""Reads the arguments of any client's tool calls: the command, the files, and whether the tool writes.

Hooks import this module, so it must load fast.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMMANDS = ("command", "cmd", "script")
_REPLACED = ("old_string", "oldString", "old_str", "oldText", "old_text")
_MOST_REPLACED, _LONGEST_REPLACED = 20, 2_000
_HUNK = lazy(r"(?:^[ -].{0,400}\n?){1,40}", re.MULTILINE)
_FILE_ARGUMENTS = "file_path filePath absolute_path notebook_path target_file filename file path paths files"
_FILES = tuple(_FILE_ARGUMENTS.split())
# `path` of these tools is a folder to search.
_SEARCH_TOOLS = "grep glob ls list list_directory search_file_content grep_search find list_dir"
_SEARCHES = frozenset(_SEARCH_TOOLS.split())
_WRITES = lazy(
    r"(?:multi|notebook|file_?)?edit(?:_file|or)?$|write(?:_file)?$|create(?:_file)?$|replace$"
    r"|apply_patch$|patch$|str_replace",
    re.IGNORECASE,
)
_READING_COMMANDS = frozenset(("view", "read"))  # of tools that read and write by a `command` argument
_PATCHED = lazy(r"^\*\*\* (?:Update|Add|Delete) File: (.{1,1000})$", re.MULTILINE)
_SHELL_PREFIX = 3  # ["bash", "-lc", "the command"]


def as_mapping(arguments: Any) -> Mapping[str, Any]:
    """The arguments as an object. JSON in a string is parsed; any other string becomes the field `input`."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, strict=False)
        except (ValueError, RecursionError):
            return {"input": arguments}
    return arguments if isinstance(arguments, dict) else {}


def is_writing(name: str, given: Mapping[str, Any]) -> bool:
    """Whether the call changes its files."""
    return _WRITES.match(name) is not None and given.get("command") not in _READING_COMMANDS


def command_of(name: str, given: Mapping[str, Any]) -> str:
    """The shell command that the tool runs; empty if it runs none."""
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


def replaced_in(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts that an edit replaces, cut at 2,000 characters; of a patch, lines that it takes or leaves."""
    several = given.get("edits")
    edits = (
        [given, *(one for one in several if isinstance(one, dict))] if isinstance(several, list) else [given]
    )
    found = [text for one in edits for name in _REPLACED if isinstance(text := one.get(name), str) and text]
    if patch := _patch(given):
        hunks = (one[0].splitlines() for one in _HUNK.finditer(patch[: _MOST_REPLACED * _LONGEST_REPLACED]))
        found += ["\n".join(line[1:] for line in lines) for lines in hunks]
    return tuple(one[:_LONGEST_REPLACED] for one in found[:_MOST_REPLACED])


def _patch(given: Mapping[str, Any]) -> str:
    """The text of a patch in the arguments; empty where there is none."""
    patch = given.get("input") or given.get("patch") or given.get("patchText") or given.get("command")
    text = patch[-1] if isinstance(patch, list) and patch else patch
    return text if isinstance(text, str) and "*** " in text else ""


def files_of(name: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that it reads or writes, as the client named them."""
    if name.lower() in _SEARCHES:
        return ()
    found: dict[str, None] = {}
    for key in _FILES:
        value = given.get(key)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                found[item] = None
    found.update(dict.fromkeys(path.strip() for path in _PATCHED.findall(_patch(given))))
    return tuple(found)
