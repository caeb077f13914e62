"""What a memory can be, as lists and as a command to copy."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.cli.terminal import Terminal
    from recortex.operations.kinds import KindShown, KindsShown

_COLUMN = 20


def kinds(value: KindsShown, terminal: Terminal) -> str:
    """Every kind on a line, or one with its fields and an example."""
    if len(value.kinds) == 1 and value.kinds[0].fields:
        return "\n".join(_whole(value.kinds[0], terminal))
    lines = (_row(one.kind, one.about, terminal) for one in value.kinds)
    return "\n".join([*lines, "", "`recortex kinds KIND` shows the fields of one, with an example."])


def _whole(one: KindShown, terminal: Terminal) -> Iterator[str]:
    fades = f"half-life {one.half_life_days:g} days" if one.half_life_days else "never fades"
    yield terminal.wrap(f"{one.kind}: {one.about} ({fades})")
    yield ""
    for field in one.fields:
        yield _row(field.name, field.takes + (" (what a plain text fills)" if field.main else ""), terminal)
    said = json.dumps(one.example["content"], ensure_ascii=False)
    yield ""
    yield "Any of the fields will do; with all of them:"
    # Not wrapped: it is to be copied.
    yield f"recortex remember --kind {one.kind} --content {shlex.quote(said)}"


def _row(name: str, said: str, terminal: Terminal) -> str:
    return terminal.wrap(said, indent=_COLUMN + 2, first=f"{name:<{_COLUMN}}  ")
