"""Documents: ingest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recortex.app.ingesting import Ingesting, Problem, Renamed
from recortex.app.jobs.reembedding import SHARE, embed_chunks
from recortex.domain.code_patterns import Convention
from recortex.domain.memory import Memory
from recortex.domain.spelled import AnyDomain
from recortex.domain.vocabulary import Actor, Domain, Scope
from recortex.errors import InvalidInputError, PersonNeededError
from recortex.operations.agents import limited
from recortex.operations.base import Operations, bounded, problems_of
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices


MOST_PATHS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of the documents at some paths.

    Attributes:
        added, changed, removed: their paths, from the project's root.
        renamed: documents that are elsewhere now, with the same text.
        unchanged: how many were known and are as they were.
        chunks, tokens: of what was added or changed; tokens count what overlaps twice.
        redacted: how many secrets were taken out.
        problems: files that were left out, or could not be read as they should be, with the reason.
        documents, all_chunks: how many the store has now.
        without_vectors: chunks that wait for their vector; they are found by their words.
        seconds: that reading and keeping took, without vectors.
        vector_seconds: that making vectors took; what was not done by then follows after a session.
        unread: named paths where there is no document; the command then ends with status 1.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    chunks: int = 0
    tokens: int = 0
    redacted: int = 0
    problems: tuple[Problem, ...] = ()
    documents: int = 0
    all_chunks: int = 0
    without_vectors: int = 0
    seconds: float = 0.0
    vector_seconds: float = 0.0
    dry_run: bool = False
    unread: int = 0


class DocumentOperations(Operations):
    """ingest."""

    @operation(idempotent=True)
    def ingest(
        self,
        paths: Sequence[str] = (),
        *,
        domain: AnyDomain | None = None,
        embed: bool = True,
        remove: bool = False,
        dry_run: bool = False,
    ) -> Ingested:
        """Read Markdown, text, reStructuredText and notebooks for recall and frame; only what changed.

        Args:
            paths: files, folders or patterns; by default those of before.
            domain: area of the software; by default guessed.
            embed: make the vectors now.
            remove: forget these documents; the files stay.
            dry_run: only show what would change.
        """
        began = time.monotonic()
        services = self._app.services(Scope.PROJECT)
        ingesting = Ingesting(self._app, services, domain=Domain(domain) if domain else None, dry_run=dry_run)
        wanted, folder = self._wanted(paths, ingesting)
        done = ingesting.remove(wanted, folder) if remove else ingesting.ingest(wanted, folder)
        seconds = round(time.monotonic() - began, 3)
        if embed and not (dry_run or remove):
            self._embed(services)
        vector_seconds = round(time.monotonic() - began - seconds, 3)
        documents, chunks = services.store.documents.count()
        return Ingested(
            added=tuple(done.added),
            changed=tuple(done.changed),
            renamed=tuple(done.renamed),
            removed=tuple(done.removed),
            unchanged=done.unchanged,
            chunks=done.chunks,
            tokens=done.tokens,
            redacted=done.redacted,
            problems=tuple(done.problems),
            documents=documents,
            all_chunks=chunks,
            without_vectors=services.store.chunk_vectors.count_waiting(),
            seconds=seconds,
            vector_seconds=vector_seconds,
            dry_run=dry_run,
            unread=done.unread,
        )

    def _wanted(self, paths: Sequence[str], ingesting: Ingesting) -> tuple[Sequence[str], Path]:
        """The paths, and the folder that they are seen from.

        Raises:
            InvalidInputError: there are none, or too many.
            PersonNeededError: an agent names one outside of the project.
        """
        if not paths:
            if not ingesting.sources:
                raise InvalidInputError(
                    "No document was ingested yet.", hint="Name files or folders: recortex ingest docs"
                )
            return ingesting.sources, self._app.root
        if len(paths) > MOST_PATHS or any("\0" in path or not path.strip() for path in paths):
            raise InvalidInputError(
                f"At most {MOST_PATHS:,} paths can be given, none of them empty.", hint="Give a folder."
            )
        folder = self._app.root if self._app.actor is Actor.AGENT else Path.cwd()
        root = self._app.root.resolve()
        if limited(self._app) and not all((folder / one).resolve().is_relative_to(root) for one in paths):
            raise PersonNeededError("An agent ingests documents of the project only.")
        return paths, folder

    def _embed(self, services: StoreServices) -> None:
        waiting = services.store.chunk_vectors.count_waiting()

        def told(done: int) -> None:
            self._app.progress("embedding documents", done, max(waiting, done))

        embed_chunks(services, seconds=SHARE, progress=told)


# -- conventions of the code as memories: conventions


ConventionAction = Literal["list", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conventions:
    """Conventions that are kept as memories, and those that could be.

    Attributes:
        memories: of conventions; after `keep` those that were added or changed.
        counts: after `keep`, how many were kept, updated, weakened, ended, restored, are the same, or were
            left since a project has at most so many.
        others: conventions that no memory has, the most informative first.
        problems: files that were left out since reading them took too long.
    """

    action: ConventionAction
    memories: tuple[Memory, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    others: tuple[Convention, ...] = ()
    problems: tuple[str, ...] = ()


class ConventionOperations(Operations):
    """conventions."""

    @operation(person=True)
    def conventions(
        self, action: ConventionAction = "list", *, limit: int = 20, every: bool = False
    ) -> Conventions:
        """Remember how the code is written: its most informative conventions, with their exceptions.

        They follow the code: numbers and exceptions are updated, and a convention that no longer holds is put
        away. If nobody wrote down why, `recortex review approve ID --reason WHY` adds the reason.

        Args:
            action: list the conventions that are kept and those that could be; or keep the latter.
            limit: maximum number of new conventions to list or keep.
            every: also list conventions of a sort that is seldom worth knowing; these are never kept.
        """
        from recortex.app.code import codebase
        from recortex.app.kept_patterns import Keeping, patterns
        from recortex.app.pattern_state import note_state
        from recortex.domain.vocabulary import Scope, Status
        from recortex.engines.ingestion.output_redaction import all_output_redacted
        from recortex.engines.keeping.standing import is_of

        most = bounded(limit)
        found = patterns(codebase(self._app))
        note_state(self._app, found, self._app.clock())
        keeping = Keeping(self._app, self._app.services(Scope.PROJECT), found, Status.ACTIVE)
        if action == "keep":
            keeping.run(most)
        known = keeping.known()
        told = found.counted.conventions(every=True) if every else found.conventions
        others = [one for one in told if not any(is_of(each, one) for each in known)]
        shown = keeping.memories if action == "keep" else known
        return Conventions(
            action=action,
            memories=all_output_redacted(shown),
            counts=dict(+keeping.counts),
            others=tuple(others[:most]),
            problems=problems_of(found.slow),
        )
