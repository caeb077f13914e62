"""Making documents findable: ingest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.jobs.reembedding import SHARE, embed_chunks
from recortex.documents.ingesting import Ingesting, Problem, Renamed
from recortex.domain.vocabulary import Actor, AnyDomain, Domain, Scope
from recortex.errors import InvalidInputError, PersonNeededError
from recortex.operations.agents import limited
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.application import StoreServices


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

        def report(done: int) -> None:
            self._app.progress("embedding documents", done, max(waiting, done))

        embed_chunks(services, seconds=SHARE, progress=report)
