"""What a project is built with, and a note of how that stands for the memories about it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from recortex.app.pattern_state import state_file
from recortex.code.detecting import detect
from recortex.codebase.git import read
from recortex.codebase.line_history import moves
from recortex.codebase.manifests import ecosystem_of, read_manifest
from recortex.deadlines import within
from recortex.engines.code.project import Sources
from recortex.errors import RecortexError
from recortex.filesystem import replace_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.application import Application
    from recortex.code.facts import Codebase
    from recortex.domain.code import Detected, Manifest


MOST_MANIFESTS = 500
"""Files that are read."""
SECONDS, FILE_SECONDS = 5.0, 2.0
"""After which the question for the project's files is given up, and the reading of one of them."""


TOOK_LONG = f"left out: reading it took longer than {FILE_SECONDS:.0f} s"


def patterns(known: Codebase) -> tuple[tuple[Detected, ...], dict[str, str]]:
    """What a working tree is built with; and files that were left out since reading them took too long."""
    with moves(known.root, seconds=SECONDS) as files:
        paths = files.files()
    slow = dict(known.tree.slow)
    found = detect(Sources(known.project.files, tuple(_manifests(known, paths, slow)), paths))
    return found, slow


def _manifests(known: Codebase, paths: Sequence[str], slow: dict[str, str]) -> Iterator[Manifest]:
    named = [path for path in paths if ecosystem_of(path)]
    for path in named[:MOST_MANIFESTS]:
        data = read(known.root, path)
        try:
            with within(FILE_SECONDS):
                made = read_manifest(path, data.decode("utf-8", "replace")) if data is not None else None
        except TimeoutError:
            slow[path] = TOOK_LONG
            continue
        if made is not None:
            yield made


def note_state(app: Application, used: Sequence[Detected]) -> None:
    """Write down how libraries stand; where that fails, nothing is told later."""
    day = app.clock().date().isoformat()
    told = {
        name: f"{one.name} is used: {one.imports} imports, {one.uses} uses ({day})"
        for one in used
        for name in ids_of_library(one)
    }
    with suppress(OSError, RecortexError):
        replace_text(state_file(app), json.dumps(told, ensure_ascii=False))


def ids_of_library(one: Detected) -> tuple[str, ...]:
    """The ids and names that a memory may know a library by."""
    lowered = one.name.lower()
    forms = (one.name, lowered, lowered.replace(" ", "-"), lowered.replace(".", ""), lowered.replace(" ", ""))
    return tuple(dict.fromkeys(forms))
