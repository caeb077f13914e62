"""Making documents findable: ingest."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app import projects
from recortex.app.jobs.reembedding import SHARE, embed_chunks
from recortex.codebase.git import relative
from recortex.codebase.record_files import find, place
from recortex.deadlines import within
from recortex.documents.making import Source, content_hash, make
from recortex.documents.reading import FORMS
from recortex.domain.vocabulary import Actor, AnyDomain, Domain, Scope
from recortex.engines.privacy.table import rules_in_use
from recortex.errors import FormatError, InvalidInputError, PersonNeededError, UntrustedFileError
from recortex.filesystem import read_regular
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.application import Application, StoreServices
    from recortex.codebase.record_files import Place
    from recortex.documents.making import Made
    from recortex.domain.search import Document


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
        if self._app.limited and not all((folder / one).resolve().is_relative_to(root) for one in paths):
            raise PersonNeededError("An agent ingests documents of the project only.")
        return paths, folder

    def _embed(self, services: StoreServices) -> None:
        waiting = services.store.chunk_vectors.count_waiting()

        def report(done: int) -> None:
            self._app.progress("embedding documents", done, max(waiting, done))

        embed_chunks(services, seconds=SHARE, progress=report)


# -- ingests documents: finds them, reads what changed, and follows what was renamed or deleted


BATCH = 500
"""Chunks, about, that are kept in one transaction: a kill repeats as many."""

SECONDS = 30.0
"""For one document; what takes longer is left out, and told. One of 8 MB takes some 20."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A file that was not ingested, or not as it should be, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A document that has another path now."""

    before: str
    path: str


@dataclass(slots=True)
class Progress:
    """What an ingestion found and did so far; paths are from the project's root."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    renamed: list[Renamed] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    chunks: int = 0
    tokens: int = 0
    redacted: int = 0
    problems: list[Problem] = field(default_factory=list)
    unread: int = 0


class Ingesting:
    """One ingestion into the project's store.

    Args:
        app: the opened application.
        services: of the store.
        domain: of all that is ingested; None: as it was set before, else guessed.
        dry_run: only look.
    """

    def __init__(
        self, app: Application, services: StoreServices, *, domain: Domain | None, dry_run: bool
    ) -> None:
        self._app, self._services = app, services
        self._domain, self._dry_run = domain, dry_run
        self._most = app.settings["documents.most_mb"] << 20
        self._known = {one.path: one for one in services.store.documents.all()}
        self._waiting: list[Made] = []
        self._hashes: dict[str, str] = {}
        self._seen: set[str] = set()
        self._unfit: set[str] = set()  # no document any more: binary, too large
        self._unreadable: list[Path] = []  # folders of which nothing is known now
        self.done = Progress()

    @property
    def sources(self) -> list[str]:
        """Where the documents that are known came from."""
        return list(dict.fromkeys(one.source for one in self._known.values()))

    def ingest(self, places: Sequence[str], folder: Path) -> Progress:
        """Read what is new or changed at these paths and patterns, and remove what is gone."""
        wanted = [place(one, folder) for one in places]
        files = [(path, one) for one in wanted for path in self._find(one)]
        for number, (path, origin) in enumerate(files, 1):
            self._take(path, origin)
            if number % 20 == 0 or number == len(files):
                self._app.progress("reading documents", number, len(files))
        gone = [one for one in self._known.values() if self._is_gone(one, wanted)]
        self._keep(gone)
        self._tell(gone)
        return self.done

    def remove(self, places: Sequence[str], folder: Path) -> Progress:
        """Forget the documents at these paths and patterns; their files stay."""
        wanted = [place(one, folder) for one in places]
        gone = [one for one in self._known.values() if any(spot.covers(self._at(one)) for spot in wanted)]
        self._keep(gone)
        self._tell(gone)
        return self.done

    def _find(self, wanted: Place) -> Iterator[Path]:
        root = self._app.root
        if wanted.path.is_relative_to(root) and not wanted.path.resolve().is_relative_to(root.resolve()):
            self._problem(wanted.written, "a link that leads out of the project; name the place itself")
            self._unreadable.append(wanted.path)
            self.done.unread += 1
            return
        try:
            found = find(wanted, FORMS)
        except OSError as error:
            if not any(wanted.covers(self._at(one)) for one in self._known.values()):
                why = "is not there" if isinstance(error, FileNotFoundError) else error.strerror
                self._problem(wanted.written, why or str(error))
                self.done.unread += 1
            if not isinstance(error, FileNotFoundError):
                self._unreadable.append(wanted.path)
            return
        self._unreadable += found.unreadable
        for path, why in found.passed_over:
            self._problem(str(path), why)
        if not found.files and not any(wanted.covers(self._at(one)) for one in self._known.values()):
            self._problem(wanted.written, "no document is there")
            self.done.unread += 1
        yield from found.files

    def _take(self, path: Path, origin: Place) -> None:
        """Read a file if it changed."""
        name = self._name(path)
        if name in self._seen:
            return
        try:
            data = read_regular(path, self._most)
            modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except UntrustedFileError as error:
            self._problem(name, error.message.removeprefix(str(path)).partition(":")[0].strip())
            self._unfit.add(name)
            return
        except (OSError, ValueError, OverflowError) as error:
            self._problem(name, f"it cannot be read: {getattr(error, 'strerror', '') or error}")
            self._seen.add(name)  # it may be readable again: what is known of it stays
            return
        if why := _unfit_name(name):
            self._problem(projects.shown(name), why)
            return
        self._read(Source(name, data, self._name(Path(origin.written)), modified, self._domain))

    def _read(self, source: Source) -> None:
        known = self._known.get(source.path)
        if known and source.domain is None and known.set_domain:
            source = source._replace(domain=known.domain)
        same = known and (known.hash, known.rules) == (content_hash(source.data), rules_in_use())
        if same and known and (source.domain is None or (known.set_domain and known.domain is source.domain)):
            self.done.unchanged += 1
            self._seen.add(source.path)
            return
        try:
            with within(SECONDS):
                made = make(source, self._app.clock(), self._services.count_tokens)
        except TimeoutError:
            self._problem(source.path, f"left out: reading it took longer than {SECONDS:.0f} s")
            self._seen.add(source.path)  # what is known of it stays
            return
        except FormatError as error:
            self._problem(source.path, error.message.rstrip("."))
            self._unfit.add(source.path)
            return
        self._seen.add(source.path)
        done = self.done
        (done.changed if made.document.path in self._known else done.added).append(made.document.path)
        done.chunks += made.document.chunks
        done.tokens += made.document.tokens
        done.redacted += made.redacted
        for note in made.notes:
            self._problem(made.document.path, note)
        self._hashes[made.document.path] = made.document.hash
        self._waiting.append(made)
        if sum(one.document.chunks for one in self._waiting) >= BATCH:
            self._keep()

    def _keep(self, gone: Sequence[Document] = ()) -> None:
        """Keep what was read; then remove what is gone: a chunk with the same text has taken it over."""
        waiting, self._waiting = self._waiting, []
        if self._dry_run or not (waiting or gone):
            return
        documents = self._services.store.documents
        with self._services.store.transaction():
            for one in waiting:
                documents.put(one.document, one.chunks)
            documents.delete([one.path for one in gone])

    def _tell(self, gone: Sequence[Document]) -> None:
        """Tell what is gone; where a new document has the same bytes, it was renamed."""
        done, new = self.done, {self._hashes[path]: path for path in self.done.added}
        for one in gone:
            if path := new.pop(one.hash, ""):
                done.renamed.append(Renamed(before=one.path, path=path))
                done.added.remove(path)
            else:
                done.removed.append(one.path)

    def _is_gone(self, document: Document, wanted: Sequence[Place]) -> bool:
        """Whether a document lies at one of the places and is not found there any more.

        One that came from elsewhere, such as a file that git ignores and that was named itself, stays while
        its file is there.
        """
        path = self._at(document)
        if document.path in self._seen or not any(one.covers(path) for one in wanted):
            return False
        if any(path.is_relative_to(folder) for folder in self._unreadable):
            return False
        if document.path in self._unfit or not os.path.lexists(path):
            return True
        came = place(document.source, self._app.root).path
        return came != path and any(came.is_relative_to(one.path) for one in wanted)

    def _name(self, path: Path) -> str:
        return relative(str(path), self._app.root)

    def _at(self, document: Document) -> Path:
        return Path(os.path.normpath(self._app.root / document.path))

    def _problem(self, path: str, why: str) -> None:
        name = self._name(Path(path)) if path.startswith("/") else path
        # a name that is not UTF-8 has signs that no output takes
        self.done.problems.append(Problem(path=name.encode("utf-8", "replace").decode(), why=why))


def _unfit_name(name: str) -> str:
    """Why a document cannot be kept under its name; empty where it can."""
    if projects.shown(name) != name:
        return "its name holds a secret"
    try:
        name.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    return ""


# -- what the files of other memories say is findable too


def keep_files(app: Application, services: StoreServices, paths: Sequence[str], *, embed: bool) -> None:
    """Keep files that memories were made of as documents: `why` finds a decision record by its parts."""
    Ingesting(app, services, domain=None, dry_run=False).ingest(
        [str(app.root / one) for one in paths], app.root
    )
    if embed:
        embed_chunks(
            services,
            seconds=SHARE if app.actor is Actor.AGENT else 0.0,
            progress=lambda done: app.progress("embedding documents", done, done),
        )
