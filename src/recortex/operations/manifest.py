"""What `manifest.json` says of every operation, read without importing one, so that programs start quickly.

`scripts/build_docs.py` writes that file from the facade; a test fails when it is stale.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recortex.operations.base import Operations

_FILE = f"{__file__.rpartition('.')[0]}.json"


@cache
def groups() -> list[dict[str, Any]]:
    """The groups in the order of the facade, each with its title, class and operations."""
    # Importing pathlib takes longer than all of this.
    with open(_FILE, encoding="utf-8") as file:  # noqa: PTH123
        found: list[dict[str, Any]] = json.load(file)
    return found


def operations() -> list[dict[str, Any]]:
    """Every operation: its name and summary, whether agents see it by default, and its tool if it is one."""
    return [one for group in groups() for one in group["operations"]]


def group_of(name: str) -> type[Operations] | None:
    """The class that declares an operation, imported without the others.

    None if there is no such operation.
    """
    for group in groups():
        if any(one["name"] == name for one in group["operations"]):
            declaring: type[Operations] = getattr(import_module(group["module"]), group["class"])
            return declaring
    return None


def tools(which: str) -> list[dict[str, Any]]:
    """The tools of a set as the protocol describes them: of the core operations, or of all with `full`."""
    if which == "full":
        return [
            one["tool"] if one["core"] else _brief(one["tool"], one["told"])
            for one in operations()
            if one["tool"]
        ]
    return [_brief(one["tool"], one["told"]) for one in operations() if one["tool"] and one["core"]]


def _brief(tool: dict[str, Any], told: list[str]) -> dict[str, Any]:
    """A tool with the arguments that agents are told of: each session pays for what it lists."""
    schema = tool["inputSchema"]
    known = {
        name: one
        for name, one in schema["properties"].items()
        if not told or name in (*told, "budget", "confirm")
    }
    return {**tool, "inputSchema": {**schema, "properties": known}}
