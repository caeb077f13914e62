"""Conventions kept as memories: new ones on request, known ones followed, reasons looked for."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.pattern_state import state_file
from recortex.code.counting import Counted, Share
from recortex.code.detecting import detect, plain
from recortex.code.findings import findings
from recortex.code.keeping import (
    EXPLAINING,
    MOST_KEPT,
    NOTED,
    OVERRIDE,
    Linked,
    Reason,
    comment_beside,
    draft_of,
    find_reason,
    followed,
    ids_of_convention,
    ids_of_library,
    is_kept,
    is_of,
    linked,
    reasons_in,
)
from recortex.codebase.git import read
from recortex.codebase.line_history import moves
from recortex.codebase.manifests import LARGEST, ecosystem_of, read_manifest
from recortex.deadlines import within
from recortex.domain.kinds import kind_of
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Status, Trust
from recortex.engines.code.project import Sources
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.engines.similarity import query_terms
from recortex.errors import RecortexError
from recortex.filesystem import replace_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from recortex.app.application import Application, StoreServices
    from recortex.code.facts import Codebase
    from recortex.domain.code import Convention, Detected, Finding, Manifest
    from recortex.domain.memory import Memory


_KINDS = tuple(
    map(kind_of, ("pattern_rationale", "decision", "decision_context", "tribal", "insight", "preference"))
)
_DOCUMENTS = (".md", ".mdx", ".rst", ".adoc")
MOST_DOCUMENTS = 300
_BEFORE, _AFTER = 8, 12
"""Lines around a definition in which its comments are."""
_STANDING = frozenset({Status.ACTIVE, Status.PROPOSED, Status.QUARANTINED})


class Keeping:
    """Keeps the conventions of a project in step with its code.

    Args:
        app: the opened application.
        services: the project's store.
        found: what was counted.
        status: of new memories; None: their origin decides.
    """

    def __init__(
        self, app: Application, services: StoreServices, found: Patterns, status: Status | None
    ) -> None:
        self._app, self._services, self._found, self._status = app, services, found, status
        self._now: datetime = app.clock()
        self.counts: Counter[str] = Counter()
        self.memories: list[Memory] = []
        self._documents: list[tuple[str, list[str]]] | None = None

    def run(self, most: int = MOST_KEPT) -> None:
        """Follow what is kept, then keep what is new: at most `most` now, and `MOST_KEPT` in a project."""
        known = self.known()
        now_kept = [self._follow(one) for one in known]
        standing = sum(one.status in _STANDING for one in now_kept)
        wanted = [one for one in self._found.conventions if not any(is_of(each, one) for each in known)]
        room = min(max(MOST_KEPT - standing, 0), most)
        drafts = [draft_of(one, self.reason(one), self._status, self._now) for one in wanted[:room]]
        self.counts["left"] = len(wanted) - len(drafts)
        for kept in self._services.ingestion.keep(drafts, now=self._now, actor=self._app.actor):
            self.counts["kept"] += kept.added
            self.memories.append(kept.memory)
        self._services.embedding.embed(self.memories)

    def known(self) -> list[Memory]:
        """Every memory of a convention, those that were put away included."""
        kinds = (kind_of("semantic"), kind_of("pattern_rationale"))
        found = self._services.store.memories.find(MemoryQuery(kinds=kinds, statuses=()))
        return [one for one in found if is_kept(one)]

    def _follow(self, memory: Memory) -> Memory:
        noted = memory.metadata[NOTED]
        counted = self._found.counted.conventions(every=True)
        one = next((each for each in counted if is_of(memory, each)), None)
        share = (
            Share(one.support, one.total, one.exceptions)
            if one
            else self._found.counted.share(
                noted["language"], noted["population"], noted["trait"], noted["values"]
            )
        )
        made = followed(
            memory,
            one,
            share,
            any(one.operation == "edit" for one in self._services.store.ledger.entries(memory.id)),
            self._now,
        )
        self.counts[made.became] += 1
        if made.became == "same":
            return memory
        reason = f"{share.support} of {share.total} have it now"
        changed = self._services.ingestion.change(
            memory,
            made.memory,
            now=self._now,
            actor=self._app.actor,
            operation="recount",
            reason=reason,
        )
        self.memories.append(changed)
        return changed

    def reason(self, one: Convention) -> Reason | None:
        """Why a convention is kept, where a memory, a comment beside it or a document says so."""
        return next(self._reasons(one), None)

    def _reasons(self, one: Convention) -> Iterator[Reason]:
        query = MemoryQuery(patterns=ids_of_convention(one), kinds=_KINDS)
        for memory in [each for each in self._services.store.memories.find(query) if not is_kept(each)]:
            if text := _explanation(memory) or find_reason(one, reasons_in(memory.text)):
                yield Reason(text, memory.id)
        ids = [id_ for id_, _ in self._services.store.search.candidates(query_terms(one.name))]
        for memory in [
            each
            for each in self._services.store.memories.get(ids)
            if each.kind in _KINDS
            and each.status is Status.ACTIVE
            and each.trust is not Trust.UNTRUSTED
            and not is_kept(each)
        ]:
            if text := find_reason(one, reasons_in(memory.text)):
                yield Reason(text, memory.id)
        yield from self._beside(one)
        for path, reasons in self._texts():
            if said := find_reason(one, reasons):
                yield Reason(said, "", path)

    def _beside(self, one: Convention) -> Iterator[Reason]:
        """Sentences of comments at the definition of what is shared, which name the convention."""
        names = {plain(value.partition("<")[0]) for value in one.values}
        for path, facts in self._found.sources.code.items():
            for symbol in facts.symbols:
                if symbol.plain in names and symbol.parent == -1:
                    first, last = max(symbol.first - _BEFORE - 1, 0), symbol.line + _AFTER
                    near = partial(comment_beside, self._text(path).splitlines()[first:last])
                    if said := find_reason(one, self._reasons_in(path, near)):
                        yield Reason(said, "", path, symbol.line)

    def _texts(self) -> Sequence[tuple[str, list[str]]]:
        """The documents of the project, with their sentences that give a reason."""
        if self._documents is None:
            paths = [one for one in self._found.sources.paths if one.lower().endswith(_DOCUMENTS)]
            self._documents = [
                (path, self._reasons_in(path, partial(self._text, path))) for path in paths[:MOST_DOCUMENTS]
            ]
        return self._documents

    def _reasons_in(self, path: str, text: Callable[[], str]) -> list[str]:
        """The sentences of a file that give a reason; of one that takes too long none, and it is noted."""
        if path in self._found.slow:
            return []
        try:
            with within(FILE_SECONDS):
                return reasons_in(text())
        except TimeoutError:
            self._found.slow[path] = TOOK_LONG
            return []

    def _text(self, path: str) -> str:
        data = read(self._app.tree, path)
        return data[:LARGEST].decode("utf-8", "replace") if data else ""


def _explanation(memory: Memory) -> str:
    """What a memory that was linked to a pattern as its explanation says of why it is so; else empty."""
    fields = ("rationale", "business_context", "technical_context") if memory.kind == EXPLAINING else ()
    return next((text for name in fields if (text := str(getattr(memory.content, name, "")))), "")


# -- the memories of libraries and conventions, looked up together for all that were found


def linked_memories(app: Application, found: Patterns) -> dict[str, Linked]:
    """What memories say of libraries and conventions, by name or id, where one does."""
    ids = {one.name: ids_of_library(one) for one in found.used}
    ids |= {one.id: ids_of_convention(one) for one in found.conventions}
    every = tuple(dict.fromkeys(each for several in ids.values() for each in several))
    memories = _about(app, every) if every else []
    now = app.clock()
    each = {key: linked(several, memories, now) for key, several in ids.items()} if memories else {}
    return {key: one for key, one in each.items() if one.anything}


def _about(app: Application, ids: tuple[str, ...]) -> list[Memory]:
    """Memories that are linked to a pattern or constraint; and all exceptions, which name one in a field."""
    queries = (
        MemoryQuery(patterns=ids, statuses=()),
        MemoryQuery(constraints=ids, statuses=()),
        MemoryQuery(kinds=(kind_of(OVERRIDE),), statuses=()),
    )
    found = {
        one.id: one
        for services in app.all_services()
        for query in queries
        for one in services.store.memories.find(query)
    }
    return [output_redacted(one) for one in found.values()]


# -- what the project is built with and how it is written, by the facts and manifests of its working tree


MOST_MANIFESTS = 500
"""Files that are read."""
SECONDS, FILE_SECONDS = 5.0, 2.0
"""After which the question for the project's files is given up, and the reading of one of them."""


TOOK_LONG = f"left out: reading it took longer than {FILE_SECONDS:.0f} s"


class Patterns(NamedTuple):
    """Libraries and practices that are used, conventions that are kept, and what is worth a look.

    Each has the weightiest first; findings stand in the order of their analyses.

    Attributes:
        counted: the project, counted: how what was found before stands now.
        sources: what all follows from.
        slow: files that were left out, since reading them took too long, and why.
    """

    used: tuple[Detected, ...]
    conventions: tuple[Convention, ...]
    findings: tuple[Finding, ...]
    counted: Counted
    sources: Sources
    slow: dict[str, str]


def patterns(known: Codebase) -> Patterns:
    """What a working tree is built with, and how it is written."""
    with moves(known.root, seconds=SECONDS) as files:
        paths = files.files()
    slow = dict(known.tree.slow)
    sources = Sources(known.project.files, tuple(_manifests(known, paths, slow)), paths)
    found = detect(sources)
    counted = Counted(sources, found)
    return Patterns(found.found, counted.conventions(), findings(found, sources), counted, sources, slow)


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
    for one in found.counted.conventions(every=True):
        said = f"{redact(one.statement).text} ({day})"
        told |= dict.fromkeys(ids_of_convention(one), said)
    with suppress(OSError, RecortexError):
        replace_text(state_file(app), json.dumps(told, ensure_ascii=False))
