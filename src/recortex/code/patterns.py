"""What a project is built with and how it is written, and a note of it for the memories of a pattern."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.pattern_state import state_file
from recortex.code.counting import conventions_of, ids_of
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
    from datetime import datetime

    from recortex.app.application import Application
    from recortex.code.facts import Codebase
    from recortex.domain.code import Convention, Detected, Manifest


# -- what the project is built with and how it is written, by the facts and manifests of its working tree


MOST_MANIFESTS = 500
"""Files that are read."""
SECONDS, FILE_SECONDS = 5.0, 2.0
"""After which the question for the project's files is given up, and the reading of one of them."""


TOOK_LONG = f"left out: reading it took longer than {FILE_SECONDS:.0f} s"


class Patterns(NamedTuple):
    """Libraries and practices that are used, and conventions, the weightiest first.

    Attributes:
        slow: files that were left out, since reading them took too long, and why.
    """

    used: tuple[Detected, ...]
    conventions: tuple[Convention, ...]
    slow: dict[str, str]


def patterns(known: Codebase) -> Patterns:
    """What a working tree is built with, and how it is written."""
    with moves(known.root, seconds=SECONDS) as files:
        paths = files.files()
    slow = dict(known.tree.slow)
    sources = Sources(known.project.files, tuple(_manifests(known, paths, slow)), paths)
    found = detect(sources)
    return Patterns(found.found, conventions_of(sources, found), slow)


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


def note_state(app: Application, found: Patterns, now: datetime) -> None:
    """Write down how libraries and conventions stand; where that fails, nothing is told later."""
    from recortex.engines.privacy import redact

    day = now.date().isoformat()
    told: dict[str, str] = {}
    for library in found.used:
        said = f"{library.name} is used: {library.imports} imports, {library.uses} uses ({day})"
        told |= dict.fromkeys(ids_of_library(library), said)
    for one in found.conventions:
        said = f"{redact(one.statement).text} ({day})"
        told |= dict.fromkeys(ids_of_convention(one), said)
    with suppress(OSError, RecortexError):
        replace_text(state_file(app), json.dumps(told, ensure_ascii=False))


def ids_of_library(one: Detected) -> tuple[str, ...]:
    """The ids and names that a memory may know a library by."""
    lowered = one.name.lower()
    forms = (one.name, lowered, lowered.replace(" ", "-"), lowered.replace(".", ""), lowered.replace(" ", ""))
    return tuple(dict.fromkeys(forms))


def ids_of_convention(one: Convention) -> tuple[str, ...]:
    """The ids and names that a memory may know a convention by."""
    return tuple(dict.fromkeys((*ids_of(one), one.name, one.name[:200])))
