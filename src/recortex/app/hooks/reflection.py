"""Asks the agent once, in a long session that remembered nothing, what of it is worth remembering.

Only with the setting `hooks.reflect`: the question makes the client go on for a turn, which costs tokens. It
is asked when a turn ends by itself, never after a hook made it go on: nothing is asked again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.session import Signal

if TYPE_CHECKING:
    from recortex.app.hooks.context import HookContext
    from recortex.domain.hook_event import HookEvent
    from recortex.domain.session import SignalName

LONG = 8
"""Prompts of a long session: of 606 labelled sessions, those with as many are 22 % and hold 168 of the 305
facts that a later session would ask for, four times as many each as shorter ones (`bench/gold`)."""
CLIENTS = frozenset(("", "claude-code"))
"""Clients that go on when a hook says so at the end of a turn; a hook of the plug-in names none."""
QUESTION = (
    "The person's setting `hooks.reflect` asks this once in a long session in which nothing was remembered."
    " Durable facts of this session that a later one cannot see from the code are kept with `remember`: the"
    " cause of a failure, a correction, decision or standing wish of the person, a dead end. One call for"
    " each, at most five, each one self-contained sentence with its names and its reason. Where there is"
    " none, nothing is to be remembered: one line that says so is enough."
)


def note_prompt(context: HookContext, event: HookEvent) -> None:
    """Note that the person gave a prompt, where prompts are counted."""
    if context.settings["hooks.reflect"]:
        _note(context, event, "prompted")


def question(context: HookContext, event: HookEvent) -> str:
    """The question, where a session is long, nothing was remembered since it began, and it was not asked."""
    if not (event.ending and context.settings["hooks.reflect"]) or event.client not in CLIENTS or event.agent:
        return ""
    seen = [one.name for one in context.sessions.signals(event.session)]
    session = context.sessions.get(event.session)
    if session is None or seen.count("prompted") < LONG or "reflected" in seen:
        return ""
    _note(context, event, "reflected")
    return "" if context.sessions.remembered_since(session.started_at) else QUESTION


def _note(context: HookContext, event: HookEvent, name: SignalName) -> None:
    context.note([Signal(session=event.session, at=context.clock(), name=name, subject="")])
