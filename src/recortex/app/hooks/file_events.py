"""Which files of the project an event is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.naming import shown
from recortex.codebase.files import relative
from recortex.codebase.project import working_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.hooks.context import HookContext
    from recortex.domain.hook_event import HookEvent


def touched(event: HookEvent, root: Path) -> Iterator[str]:
    """The files of an event, relative to the checkout that the agent works in, as memories name them."""
    base = Path(event.cwd).resolve() if event.cwd else root
    tree = working_tree(base) if base.is_dir() else root
    for file in event.files:
        yield shown(relative(str((base / file).resolve()), tree))


def concerned(context: HookContext, event: HookEvent) -> list[str]:
    """The touched files that some memory is about: nearly always none, and then nothing more has to be opened."""
    if not context.exists or not context.settings["hooks.files"] or event.own or not event.files:
        return []
    return context.sessions.cited(list(touched(event, context.root)))
