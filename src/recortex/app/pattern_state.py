"""How patterns stand, as counted last: a small file, so that a memory's pattern can be told of at no cost.

It is written whenever patterns are counted, and lies beside the facts of the code. What it says is redacted.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from recortex.app.code import STATE
from recortex.errors import RecortexError
from recortex.filesystem import read_own, replace_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from pathlib import Path

    from recortex.app.application import Application
    from recortex.app.kept_patterns import Patterns
    from recortex.domain.memory import Memory

LARGEST = 1024 * 1024
"""Bytes of the file that are read."""


def state_file(app: Application) -> Path:
    """Where it is."""
    return app.project.facts.with_suffix(STATE)


def note_state(app: Application, found: Patterns, now: datetime) -> None:
    """Write down how libraries and conventions stand; where that fails, nothing is told later."""
    from recortex.engines.keeping import ids_of_convention, ids_of_library
    from recortex.engines.privacy import redact

    day = now.date().isoformat()
    told: dict[str, str] = {}
    for library in found.used:
        said = f"{library.name} is used: {library.imports} imports, {library.uses} uses ({day})"
        told |= dict.fromkeys(ids_of_library(library), said)
    for one in found.counted.conventions(every=True):
        said = f"{redact(one.statement).text} ({day})"
        told |= dict.fromkeys(ids_of_convention(one), said)
    with suppress(OSError, RecortexError):
        replace_text(state_file(app), json.dumps(told, ensure_ascii=False))


def states_of(app: Application, memories: Iterable[Memory]) -> Mapping[str, tuple[str, ...]]:
    """How the patterns that memories are linked to stand, by the memory's id; those of others are left out.

    The file is read only where a memory is linked to a pattern.
    """
    about = [one for one in memories if one.patterns]
    known = _read(state_file(app)) if about else {}
    found = {one.id: tuple(dict.fromkeys(_states(one, known))) for one in about}
    return {id_: told for id_, told in found.items() if told}


def _states(memory: Memory, known: Mapping[str, str]) -> Iterable[str]:
    for link in memory.patterns:
        said = known.get(link.id) or known.get(link.name)
        if isinstance(said, str):
            yield f"pattern now: {said}"


def _read(path: Path) -> Mapping[str, str]:
    try:
        found = json.loads(read_own(path, LARGEST))
    except (OSError, ValueError, RecursionError, RecortexError):
        return {}
    return found if isinstance(found, dict) else {}
