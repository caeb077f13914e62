"""The prompts, which are files in `prompts/`, and the schema of the answers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template
from typing import Any

_FOLDER = Path(__file__).parent / "prompts"


@cache
def template(name: str) -> Template:
    """The prompt of `prompts/NAME.md`; `$words` in it are filled in by the caller."""
    return Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def list_schema(name: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with one list, of objects with these properties, all of them required."""
    item = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": item}},
        "required": [name],
        "additionalProperties": False,
    }
