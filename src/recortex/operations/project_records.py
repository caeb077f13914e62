"""Learning from what a project wrote down itself: its decision records, and the messages of its commits."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.brief import forget_briefs
from recortex.domain.vocabulary import Actor, Scope
from recortex.engines.ingestion.normalisation import normalise
from recortex.errors import InvalidInputError, PersonNeededError
from recortex.operations.agents import WAITING, limited
from recortex.operations.base import bounded, embed_all
from recortex.operations.exporting import Imported, WouldKeep

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.app.application import Application
    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import Memory
    from recortex.engines.ingestion.draft import Draft

MOST_COMMITS = 5_000
"""Commits that are read, unless said otherwise."""
_MOST_EVER = 100_000


def import_records(app: Application, path: str, *, embed: bool, dry_run: bool) -> Imported:
    """Keep memories of the project's decision records in step with their files.

    Raises:
        InvalidInputError: no records are there, or they lie outside of the project.
    """
    from recortex.app.decision_import import DecisionImport
    from recortex.codebase.record_files import record_folders

    places = [_inside(app, path)] if path else record_folders(app.root)
    if not places:
        raise InvalidInputError(
            "No folder of decision records was found in this project.",
            hint="Name it: recortex import adr docs/decisions",
        )
    services = app.services(Scope.PROJECT)
    reading = DecisionImport(app, services, held=limited(app), dry_run=dry_run)
    done = reading.run(places)
    if not dry_run:
        forget_briefs(list(app.locations.values()))
        _keep_as_documents(app, services, reading.paths, embed=embed)
        if embed:
            embed_all(app, services.store.memories.get([one.id for one in done.memories]))
    memories = services.store.memories.get([one.id for one in done.memories])
    return Imported(
        format="adr",
        files=done.looked_at,
        unchanged=done.unchanged,
        added=done.added,
        merged=done.merged,
        changed=done.changed,
        ended=done.ended,
        renamed=done.renamed,
        relations=done.relations,
        skipped=dict(done.skipped.most_common()),
        problems=tuple(done.problems),
        dry_run=dry_run,
        proposed=sum(one.status in WAITING for one in memories),
        by_kind=_kinds(done.drafts, memories),
        found=_found(services, done.drafts, app.clock()) if dry_run else (),
    )


def _keep_as_documents(
    app: Application, services: StoreServices, paths: Sequence[str], *, embed: bool
) -> None:
    """Keep the files of records as documents too: `why` finds a record by its parts."""
    from recortex.app.ingesting import Ingesting
    from recortex.app.jobs.reembedding import SHARE, embed_chunks

    Ingesting(app, services, domain=None, dry_run=False).ingest(
        [str(app.root / one) for one in paths], app.root
    )
    if embed:
        embed_chunks(
            services,
            seconds=SHARE if app.actor is Actor.AGENT else 0.0,
            progress=lambda done: app.progress("embedding documents", done, done),
        )


def import_commits(
    app: Application,
    path: str,
    *,
    since: datetime | None,
    limit: int,
    afresh: bool,
    embed: bool,
    dry_run: bool,
) -> Imported:
    """Learn from the messages of the project's commits, from where the last import ended.

    Raises:
        InvalidInputError: there is no history, or the path lies in another repository.
    """
    from recortex.app.commit_import import CommitImport

    if path:
        _inside(app, path)
    services = app.services(Scope.PROJECT)
    reading = CommitImport(app, services, held=limited(app), dry_run=dry_run)
    done = reading.run(since=since, limit=bounded(limit, most=_MOST_EVER), afresh=afresh)
    if not dry_run:
        forget_briefs(list(app.locations.values()))
        if embed:
            embed_all(app, services.store.memories.get([one.id for one in done.memories]))
    memories = services.store.memories.get([one.id for one in done.memories])
    return Imported(
        format="git",
        commits=done.read,
        unchanged=done.unchanged,
        added=done.added,
        merged=done.merged,
        ended=done.ended,
        changed=done.replaced,
        relations=done.relations,
        skipped=dict(done.skipped.most_common()),
        problems=(*done.problems, *([f"only the last {limit:,} commits were read"] if done.cut else [])),
        dry_run=dry_run,
        proposed=sum(one.status in WAITING for one in memories),
        by_kind=_kinds(done.drafts, memories),
        found=_found(services, done.drafts, app.clock()) if dry_run else (),
    )


def _kinds(drafts: Sequence[Draft], memories: Sequence[Memory]) -> dict[str, int]:
    return dict(Counter(one.kind for one in (memories or drafts)).most_common())


def _found(services: StoreServices, drafts: Sequence[Draft], now: datetime) -> tuple[WouldKeep, ...]:
    """What drafts would become, without secrets."""
    made = (normalise(one, id_="", now=now, count=services.count_tokens).memory for one in drafts)
    return tuple(
        WouldKeep(
            kind=one.kind, status=one.status, of=one.source.path or one.source.commit, summary=one.summary
        )
        for one in made
    )


def _inside(app: Application, path: str) -> Path:
    """A place in the project, as the person or the agent names it.

    Raises:
        InvalidInputError: it is not there, or no part of the project.
        PersonNeededError: an agent names a place outside of it.
    """
    if "\0" in path:
        raise InvalidInputError("A path cannot have a NUL character.", hint="Give another path.")
    folder = app.root if app.actor is Actor.AGENT else Path.cwd()
    place, root = Path(os.path.normpath(folder / Path(path).expanduser())), app.root.resolve()
    if not place.resolve().is_relative_to(root):
        if limited(app):
            raise PersonNeededError("An agent imports what is in the project only.")
        raise InvalidInputError(
            f"{path} is not in the project {app.root}.", hint="Work in the project that it belongs to."
        )
    if not place.exists():
        raise InvalidInputError(f"{path} is not there.", hint="Give a folder or file of the project.")
    return app.root / place.resolve().relative_to(root)
