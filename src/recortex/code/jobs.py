"""The job `symbols`: after a session what changed in the code is read, and memories are linked to it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING

from recortex.app.application import open_code
from recortex.app.citations import link, link_callers
from recortex.app.jobs import Job, Outcome
from recortex.app.jobs.reembedding import SHARE
from recortex.app.projects import holds_secret, shown
from recortex.codebase.line_history import past

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.app.jobs import Work
    from recortex.codebase.current_code import CurrentCode
    from recortex.codebase.line_history import Past
    from recortex.domain.code import FileFacts
    from recortex.domain.memory import Memory, SymbolLink
    from recortex.engines.code.freshness import Found


SYMBOLS_NAME = "symbols"
WAITED, COMMITTED = timedelta(days=1), timedelta(hours=1)
"""A memory that waited longer for its links is linked to the code as it was so long after it was written."""
_NAMED = 3
"""Files that the job could not read in time, by name."""
SYMBOLS_BATCH, MOST_CALLING = 200, 5_000
"""Memories that are linked in one transaction, and whose functions' calls are followed."""


def follow_symbols(work: Work) -> Outcome:
    """Read what changed in the code, and link the memories that were not linked as they are."""
    if why := _symbols_obstacle(work):
        return Outcome({}, why, "skipped")
    code = open_code(work.services.facts, work.services.root, make=True)
    if code is None:
        return Outcome({}, "the facts of code cannot be kept", "skipped")
    with closing(code), past(work.services.root) as known:
        slow = code.refresh()
        from recortex.app.predicted import keep_neighbours
        from recortex.engines.code.project import Project

        if work.services.facts:
            keep_neighbours(
                work.services.facts, code.root, code.paths, lambda: Project(code.all_facts()), work.now
            )
        done = _linked(work, code, _Then(known, work.now))
        left_out = "; ".join(f"{shown(path)}: {why}" for path, why in [*slow.items()][:_NAMED])
        return replace(done, note="; ".join(filter(None, (done.note, left_out))))


class _Then:
    """Symbols as they were when a memory was written, of memories that waited long for their links.

    What a session changes is mostly committed soon after; so much later the code is what the memory means.
    """

    def __init__(self, known: Past, now: datetime) -> None:
        self._past, self._now = known, now
        self._facts: dict[tuple[str, str], tuple[bytes, FileFacts | None]] = {}

    def __call__(self, memory: Memory, found: Found) -> SymbolLink | None:
        """The link to a symbol as it was; None where it is to be taken as it is."""
        if self._now - memory.updated_at < WAITED:
            return None
        commit = self._past.at(memory.updated_at + COMMITTED)
        if commit in {"", self._past.commit}:
            return None
        from recortex.engines.code.freshness import link_of

        key, facts = self._read(commit, found.path)
        same = next((one for one in facts.symbols if one.name == found.symbol.name), None) if facts else None
        return link_of(found.path, facts, same, commit=commit, key=key) if facts and same else None

    def _read(self, commit: str, path: str) -> tuple[bytes, FileFacts | None]:
        from recortex.codebase.extraction import read_facts
        from recortex.codebase.grammars import key_of

        if (commit, path) not in self._facts:
            data = self._past.read(commit, path)
            facts = (key_of(path, data), read_facts(path, data)) if data is not None else (b"", None)
            self._facts[commit, path] = facts
        return self._facts[commit, path]


def _linked(work: Work, code: CurrentCode, then: _Then) -> Outcome:
    store, looked, linked = work.services.store, 0, 0
    while ids := store.symbols.unlinked(SYMBOLS_BATCH):
        found = link(work.services, store.memories.get(ids), code, then)
        looked, linked = looked + len(ids), linked + sum(bool(links) for links in found.values())
        if work.left() <= 0:
            return Outcome({"linked": linked}, "the rest follows next time", "partly")
    done = store.maintenance.all().get(SYMBOLS_NAME)
    if looked or done is None or done.outcome.get("code") != code.state:
        link_callers(work.services, store.memories.get(store.symbols.linked(MOST_CALLING)), code)
        store.maintenance.note(SYMBOLS_NAME, work.now, {"code": code.state})
    return Outcome({"linked": linked})


def _symbols_obstacle(work: Work) -> str:
    """Why code is not read here: a folder that is no repository may be anything, such as a home folder."""
    project = work.services.location.project
    # Looked for without being imported: loading grammars takes longer than the question.
    if find_spec("tree_sitter") is None:
        return "the extra `code` is not installed"
    if project is None or work.services.facts is None or not project.root.is_dir():
        return "there is no working tree here"
    if holds_secret(str(project.root)):
        return "the name of a folder holds a secret"
    if project.checkout.git is None and not work.services.facts.is_file():
        return "the project is no git repository"
    return ""


SYMBOLS = Job("symbols", follow_symbols, seconds=SHARE, counts=("linked",))
JOBS = (SYMBOLS,)
