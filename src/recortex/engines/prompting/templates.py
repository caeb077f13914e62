"""The prompts, which are files beside this module."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

_FOLDER = Path(__file__).parent / "prompts"


@cache
def template(name: str) -> Template:
    """The prompt of `prompts/NAME.md`; `$words` in it are filled in by the caller."""
    return Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))
