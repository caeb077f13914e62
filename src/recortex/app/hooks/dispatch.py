"""Which moment of a session does what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.hooks.context import for_summary, note_prompt, question
from recortex.app.naming import of_event
from recortex.lean import lazy_module

if TYPE_CHECKING:
    from recortex.app.hooks import reminders, session_end, session_start
    from recortex.app.hooks.context import HookContext
    from recortex.domain.session import HookEvent
else:
    reminders = lazy_module("recortex.app.hooks.reminders")
    session_end = lazy_module("recortex.app.hooks.session_end")
    session_start = lazy_module("recortex.app.hooks.session_start")


def handle(context: HookContext, event: HookEvent) -> str:
    """Do what the moment asks for; returns the marked text for the agent, mostly empty.

    Raises:
        RecortexError: the store or a setting cannot be used.
        OSError: a file cannot.
    """
    # Session start decides by itself whether a project without a store is told anything.
    if event.void or (context.homeless and event.name != "session-start"):
        return ""
    event = of_event(event)
    match event.name:
        case "session-start":
            brief = session_start.open_session(context, event)
            # A compacted session goes on with this event, and is asked here what of it is worth keeping.
            return "\n\n".join(filter(None, (brief, question(context, event))))
        case "user-prompt-submit":
            note_prompt(context, event)
            return reminders.for_prompt(context, event)
        case "pre-tool-use":
            # Called before each use of a tool: one query tells that nothing is known, and the rest is not
            # loaded.
            paths = session_end.cited_files(context, event)
            if paths:
                return reminders.for_files(context, event, paths)
        case "post-tool-use":
            session_end.note_signals(context, event)
        case "subagent-stop":
            session_end.close_agent(context, event)
        case "pre-compact" | "stop" | "session-end":
            session_end.close(context, event)
            return (for_summary if event.name == "pre-compact" else question)(context, event)
    return ""
