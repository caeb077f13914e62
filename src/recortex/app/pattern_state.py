"""How patterns stand, as counted last: a small file, so that a memory's pattern can be told of at no cost.

It is written whenever patterns are counted, and lies beside the facts of the code. What it says is redacted.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recortex.errors import RecortexError
from recortex.filesystem import read_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from recortex.app.application import Application
    from recortex.domain.memory import Memory

STATE = ".patterns.json"
"""What ends the file's name."""
LARGEST = 1024 * 1024
"""Bytes of the file that are read."""


def state_file(app: Application) -> Path:
    """Where it is."""
    return app.project.facts.with_suffix(STATE)


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


def forget_code(app: Application) -> None:
    """Delete the facts of the project: they are made anew when they are asked for."""
    from recortex.codebase.record_files import forget

    forget(app.project.facts)
    forget(app.project.facts.with_suffix(STATE))
