"""What the project is built with and how it is written, by the facts and manifests of its working tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.files import read
from recortex.codebase.manifests import ecosystem_of, read_manifest
from recortex.codebase.moves import moves
from recortex.engines.code.analyses import cycles, environment, import_graph, that_run, unguarded_routes
from recortex.engines.code.conventions.counting import Counted
from recortex.engines.code.detection.detecting import detect
from recortex.engines.code.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.code import Codebase
    from recortex.domain.code_patterns import Convention, Detected, Finding, Manifest
    from recortex.engines.code.detection.detecting import Detection

MOST_MANIFESTS, MOST_FINDINGS = 500, 5
"""Files that are read, and findings of one analysis that are told."""
SECONDS = 5.0
"""After which the question for the project's files is given up."""


class Patterns(NamedTuple):
    """Libraries and practices that are used, conventions that are kept, and what is worth a look.

    Each has the weightiest first; findings stand in the order of their analyses.

    Attributes:
        counted: the project, counted: how what was found before stands now.
        sources: what all follows from.
    """

    used: tuple[Detected, ...]
    conventions: tuple[Convention, ...]
    findings: tuple[Finding, ...]
    counted: Counted
    sources: Sources


def patterns(known: Codebase) -> Patterns:
    """What a working tree is built with, and how it is written."""
    with moves(known.root, seconds=SECONDS) as files:
        paths = files.files()
    sources = Sources(known.project.files, tuple(_manifests(known, paths)), paths)
    found = detect(sources)
    counted = Counted(sources, found)
    return Patterns(found.found, counted.conventions(), findings(found, sources), counted, sources)


def findings(found: Detection, sources: Sources) -> tuple[Finding, ...]:
    """What is worth a look: the first of each query whose findings mostly are (`bench/detection.py`)."""
    each = (
        unguarded_routes(found, sources),
        cycles(that_run(sources, import_graph(sources))),
        environment(sources),
    )
    return tuple(one for query in each for one in query[:MOST_FINDINGS])


def _manifests(known: Codebase, paths: Sequence[str]) -> Iterator[Manifest]:
    named = [path for path in paths if ecosystem_of(path)]
    for path in named[:MOST_MANIFESTS]:
        data = read(known.root, path)
        made = read_manifest(path, data.decode("utf-8", "replace")) if data is not None else None
        if made is not None:
            yield made
