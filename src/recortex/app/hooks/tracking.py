"""What is noted of a session: that it is alive, which files it touches, which commands fail and then work.

Of commands and files only names are noted; no output is looked at.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.naming import shown
from recortex.codebase.project import working_tree
from recortex.domain.session import Signal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.hooks.context import HookContext
    from recortex.domain.hook_event import HookEvent
    from recortex.domain.session import SignalName

SHOWN = 160
"""Characters of a command that are kept."""


def cited_files(context: HookContext, event: HookEvent) -> list[str]:
    """The touched files that some memory is about: nearly always none, and nothing more is opened then."""
    if not context.exists or not context.settings["hooks.files"] or event.own or not event.files:
        return []
    return context.sessions.cited(list(touched_files(event, context.root)))


def touched_files(event: HookEvent, root: Path) -> Iterator[str]:
    """The files of an event, relative to the checkout that the agent works in, as memories name them."""
    from recortex.codebase.files import relative

    base = Path(event.cwd).resolve() if event.cwd else root
    tree = working_tree(base) if base.is_dir() else root
    for file in event.files:
        yield shown(relative(str((base / file).resolve()), tree))


def note_signals(context: HookContext, event: HookEvent) -> None:
    """Note which files a tool touched, or that a command failed or works again."""
    if event.own or not context.exists:
        return
    signals = [*(_command(context, event) if event.command else _files(context, event))]
    if signals:
        context.note(signals)


def _files(context: HookContext, event: HookEvent) -> Iterator[Signal]:
    from recortex.engines.privacy import redact

    if event.ok is False:
        return
    name: SignalName = "written" if event.writes else "read"
    for path in dict.fromkeys(touched_files(event, context.root)):
        yield Signal(session=event.session, at=context.clock(), name=name, subject=redact(path).text)


def _command(context: HookContext, event: HookEvent) -> Iterator[Signal]:
    """A failure; and a success of what had failed. What works from the beginning teaches nothing."""
    if event.ok is None:
        return
    digest = hashlib.blake2b(event.command.encode(), digest_size=8).hexdigest()
    if event.ok and not context.sessions.has_failed(event.session, digest):
        return
    from recortex.engines.privacy import redact

    command = redact(event.command[: 2 * SHOWN]).text[:SHOWN]
    name: SignalName = "mended" if event.ok else "failed"
    yield Signal(session=event.session, at=context.clock(), name=name, subject=command, digest=digest)
