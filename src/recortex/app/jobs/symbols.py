"""Code is read after a session where the extra is installed, and memories are linked to its symbols."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from recortex.app.jobs.work import Outcome
from recortex.app.symbols import can_parse, link, link_callers, open_code
from recortex.domain.code_facts import CALLABLE

if TYPE_CHECKING:
    from recortex.app.jobs.work import Work
    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.domain.memory import Memory

BATCH = 200
"""Memories that are linked in one transaction."""


def follow_symbols(work: Work) -> Outcome:
    """Read what changed in the code, and link the memories that were not linked as they are."""
    if why := _obstacle(work):
        return Outcome({}, why, "skipped")
    code = open_code(work.services.facts, work.services.root, make=True)
    if code is None:
        return Outcome({}, "the facts of code cannot be kept", "skipped")
    with closing(code):
        code.refresh()
        return _linked(work, code)


def _linked(work: Work, code: CurrentCode) -> Outcome:
    store, linked = work.services.store, 0
    constraining: list[Memory] = []
    while ids := store.symbols.unlinked(BATCH):
        memories = store.memories.get(ids)
        found = link(work.services, memories, code)
        linked += sum(bool(links) for links in found.values())
        constraining += [
            one for one in memories if any(each.kind in CALLABLE for each in found.get(one.id, ()))
        ]
        if work.left() <= 0:
            break
    link_callers(work.services, constraining, code)
    left = bool(store.symbols.unlinked(1))
    note = "the rest follows next time" if left else ""
    return Outcome({"linked": linked}, note, "partly" if left else "done")


def _obstacle(work: Work) -> str:
    """Why code is not read here: a folder that is no repository may be anything, such as a home folder."""
    project = work.services.location.project
    if not can_parse():
        return "the extra `code` is not installed"
    if project is None or work.services.facts is None or not project.root.is_dir():
        return "there is no working tree here"
    if project.checkout.git is None and not work.services.facts.is_file():
        return "the project is no git repository"
    return ""
