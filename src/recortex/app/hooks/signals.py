"""What is noted of the agent's work: which files it touched, which commands failed and then worked. No output is looked at."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from recortex.domain.session import Signal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.hooks.context import HookContext
    from recortex.domain.hook_event import HookEvent
    from recortex.domain.session import SignalName

SHOWN = 160
"""Characters of a command that are kept."""


def watch(context: HookContext, event: HookEvent) -> None:
    """Note the signals of a tool's use."""
    if event.own or not context.exists:
        return
    signals = [*_files(context, event), *_command(context, event)]
    if signals:
        context.sessions.note(signals)


def _files(context: HookContext, event: HookEvent) -> Iterator[Signal]:
    from recortex.app.hooks.file_events import touched

    if event.ok is False or event.command:
        return
    name: SignalName = "written" if event.writes else "read"
    from recortex.engines.privacy import redact

    for path in dict.fromkeys(touched(event, context.root)):
        yield Signal(session=event.session, at=context.clock(), name=name, subject=redact(path).text)


def _command(context: HookContext, event: HookEvent) -> Iterator[Signal]:
    """A failure; and a success of what had failed. What works from the beginning teaches nothing."""
    if not event.command or event.ok is None:
        return
    digest = hashlib.blake2b(event.command.encode(), digest_size=8).hexdigest()
    if event.ok and not context.sessions.has_failed(event.session, digest):
        return
    from recortex.engines.privacy import redact

    yield Signal(
        session=event.session, at=context.clock(), name="mended" if event.ok else "failed",
        subject=redact(event.command[: 2 * SHOWN]).text[:SHOWN], digest=digest,
    )  # fmt: skip
