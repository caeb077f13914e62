"""What to watch out for, and what else is worth knowing: warnings, suggest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from recortex.app.citations import cited_by
from recortex.app.pattern_state import states_of
from recortex.codebase.files import relative
from recortex.domain.advice import Suggestion, Suggestions, Warned, Warnings
from recortex.domain.citation import freshness_of, told_of
from recortex.domain.hit import ANSWERING
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.kinds.base import shorten
from recortex.domain.query import MemoryQuery
from recortex.domain.time import to_micros
from recortex.domain.vocabulary import Status
from recortex.engines.ingestion.output_redaction import all_output_redacted, output_redacted
from recortex.errors import InvalidInputError
from recortex.operations.base import Operations, bounded
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.advice import Reason
    from recortex.domain.citation import Citation
    from recortex.domain.memory import Memory

MOST_FILES = 50
LOOKED_AT = 200
"""Memories about the files that are looked at."""


class AdviceOperations(Operations):
    """warnings, suggest."""

    @operation(read_only=True)
    def warnings(self, files: Sequence[str] = (), *, focus: str = "", limit: int = 10) -> Warnings:
        """Tell what to watch out for: gotchas, incidents, smells, corrections, exceptions; the gravest first.

        Args:
            files: that are going to be touched, or folders ending in a slash.
            focus: what is being worked on, in plain words.
            limit: at most so many.
        """
        from recortex.engines.advice.severity import WARNING_KINDS, ordered

        bounded(limit)
        paths = self._paths(files, focus)
        told = list(self._about(MemoryQuery(files=paths, kinds=WARNING_KINDS)) if paths else [])
        told += self._excepted(paths)
        if focus:
            only = MemoryQuery(kinds=WARNING_KINDS, valid_at=self._app.clock())
            told += self._on_focus(focus, only, limit)
        cited = cited_by(self._app.all_services(), told, tree=self._app.tree)
        kept = ordered([self._warned(one, paths, cited[one.id]) for one in told])
        return Warnings(warnings=tuple(kept[:limit]), more=max(len(kept) - limit, 0))

    @operation(read_only=True)
    def suggest(self, files: Sequence[str] = (), *, focus: str = "", limit: int = 8) -> Suggestions:
        """Suggest what else is worth knowing: ways to follow, what is related, what should be checked.

        Args:
            files: that are worked on, or folders ending in a slash.
            focus: what is being worked on, in plain words.
            limit: at most so many.
        """
        bounded(limit)
        paths = self._paths(files, focus)
        known = self._about(MemoryQuery(files=paths, kinds=ANSWERING)) if paths else []
        only = MemoryQuery(kinds=ANSWERING, valid_at=self._app.clock())
        known += self._on_focus(focus or " ".join(paths), only, limit)
        waiting = MemoryQuery(files=paths, statuses=(Status.PROPOSED, Status.QUARANTINED), limit=limit)
        found = [
            *self._to_check(known),
            *(_suggested(one, "follow", "how it is done here") for one in known if _shows_how(one)),
            *(_suggested(one, "related", "bears on what is worked on") for one in known),
            *self._documents(focus or " ".join(paths)),
            *self._related(known),
            *(
                _suggested(one, "waiting", "waits for review")
                for one in (self._found(waiting) if paths else ())
            ),
        ]
        once: dict[str, Suggestion] = {}
        for one in found:
            once.setdefault(one.id, one)
        return Suggestions(suggestions=tuple(once.values())[:limit])

    def _documents(self, focus: str) -> Iterator[Suggestion]:
        """The parts of documents that bear on the work, as `context` tells them."""
        from recortex.app.knowledge import Knowledge

        for one in Knowledge(self._app, focus, (), ()).written():
            place = f"{one.path}:{one.first_line}"
            told = " > ".join(one.headings) or shorten(one.text)
            yield Suggestion(id=one.id, kind="document", reason="related", text=told, because=f"in {place}")

    def _paths(self, files: Sequence[str], focus: str) -> tuple[str, ...]:
        """The files as memories cite them.

        Raises:
            InvalidInputError: there are too many, or neither files nor focus.
        """
        if not (files or focus.strip()):
            raise InvalidInputError("Which files, or what work?", hint="Name files, or give --focus.")
        if len(files) > MOST_FILES:
            raise InvalidInputError(f"At most {MOST_FILES} files can be given.")
        return tuple(relative(path, self._app.root) + "/" * path.endswith("/") for path in files)

    def _found(self, query: MemoryQuery) -> Sequence[Memory]:
        found = (one for services in self._app.all_services() for one in services.store.memories.find(query))
        return all_output_redacted(list(found))

    def _about(self, query: MemoryQuery) -> list[Memory]:
        """What is known of files, true now."""
        from dataclasses import replace

        return self._undisputed(
            self._found(replace(query, valid_at=self._app.clock(), order="importance", limit=LOOKED_AT))
        )

    def _excepted(self, paths: Sequence[str]) -> list[Memory]:
        """Approved exceptions that hold for some of the files."""
        from recortex.engines.generation.exceptions import holds_for

        every = self._about(MemoryQuery(kinds=(Kind("constraint_override"),))) if paths else []
        return [one for one in every if any(holds_for(one, path) for path in paths)]

    def _undisputed(self, memories: Sequence[Memory]) -> list[Memory]:
        """The memories without those that a later one contradicts."""
        from recortex.engines.retrieval.disputes import disputes

        ids, now = [one.id for one in memories], self._app.clock()
        pairs = [pair for services in self._app.all_services() for pair in services.contradicting(ids, now)]
        against = disputes(pairs)
        return [one for one in memories if one.id not in against]

    def _on_focus(self, focus: str, only: MemoryQuery, limit: int) -> list[Memory]:
        """What answers the focus, above the floor."""
        return [
            output_redacted(hit.memory)
            for services in self._app.all_services()
            for hit in services.retrieval.recall(focus, limit=limit, now=self._app.clock(), only=only).hits
            if not hit.disputed
        ]

    def _warned(self, memory: Memory, paths: Sequence[str], cited: Sequence[Citation]) -> Warned:
        from recortex.engines.advice.severity import advice, severity
        from recortex.engines.generation.exceptions import holds_for

        files = [link.path for link in memory.files]
        return Warned(
            id=memory.id,
            kind=memory.kind,
            severity=severity(memory),
            text=memory.text,
            advice=advice(memory),
            about=tuple(
                path for path in paths if holds_for(memory, path) or any(_is_in(one, path) for one in files)
            ),
            freshness=freshness_of(cited),
            pattern_state=states_of(self._app, [memory]).get(memory.id, ()),
        )

    def _to_check(self, known: Sequence[Memory]) -> Iterator[Suggestion]:
        """What may not hold any more: its code changed, or nobody has confirmed it for long."""
        now = self._app.clock()
        cited = cited_by(self._app.all_services(), known, "renames", tree=self._app.tree)
        for memory in known:
            state = freshness_of(cited[memory.id])
            if state in {"changed", "gone"}:
                because = f"the code that it cites is {state}: {told_of(cited[memory.id])}"
                yield _suggested(memory, "check", because)
            elif _overdue(memory, now):
                yield _suggested(memory, "check", "nobody has confirmed it for long")

    def _related(self, known: Sequence[Memory]) -> Iterator[Suggestion]:
        """What is linked to what is known."""
        ids = {one.id for one in known}
        for services in self._app.all_services():
            links = {
                other: relation.type.words
                for relation in services.store.relations.of(list(ids))
                if not relation.doubted
                for other in (relation.source_id, relation.target_id)
                if other not in ids
            }
            memories = [
                one for one in services.store.memories.get(list(links)) if one.status is Status.ACTIVE
            ]
            for memory in self._undisputed(all_output_redacted(memories)):
                yield _suggested(memory, "related", f"{links[memory.id]}: linked to what is known here")


def _is_in(cited: str, path: str) -> bool:
    """Whether a cited file is the one that was named, or lies in the folder that was."""
    return cited == path or (path.endswith("/") and cited.startswith(path))


def _shows_how(memory: Memory) -> bool:
    return KINDS[memory.kind].category == "pattern" and memory.kind != "preference"


def _overdue(memory: Memory, now: datetime) -> bool:
    """Whether its kind asks for a check that nobody has made in time."""
    last = max(memory.validated_at or memory.recorded_at, memory.recorded_at)
    return to_micros(now) > to_micros(last + timedelta(days=KINDS[memory.kind].revalidate_days))


def _suggested(memory: Memory, reason: Reason, because: str) -> Suggestion:
    return Suggestion(
        id=memory.id, kind=memory.kind, reason=reason, text=memory.summary or memory.text, because=because
    )
