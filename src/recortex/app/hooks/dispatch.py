"""Which moment of a session does what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.hooks.context import for_summary, note_prompt, question
from recortex.app.naming import of_event

if TYPE_CHECKING:
    from recortex.app.hooks.context import HookContext
    from recortex.domain.session import HookEvent


def handle(context: HookContext, event: HookEvent) -> str:
    """Do what the moment asks for; returns the marked text for the agent, mostly empty.

    Raises:
        RecortexError: the store or a setting cannot be used.
        OSError: a file cannot.
    """
    if event.void or (context.homeless and event.name != "session-start"):
        return ""
    event = of_event(event)
    match event.name:
        case "session-start":
            from recortex.app.hooks.session_start import open_session

            brief = open_session(context, event)
            return "\n\n".join(filter(None, (brief, question(context, event))))
        case "user-prompt-submit":
            from recortex.app.hooks.reminders import for_prompt

            note_prompt(context, event)
            return for_prompt(context, event)
        case "pre-tool-use":
            from recortex.app.hooks.session_end import cited_files

            paths = cited_files(context, event)
            if paths:
                from recortex.app.hooks.reminders import for_files

                return for_files(context, event, paths)
        case "post-tool-use":
            from recortex.app.hooks.session_end import note_signals

            note_signals(context, event)
        case "subagent-stop":
            from recortex.app.hooks.session_end import close_agent

            close_agent(context, event)
        case "pre-compact" | "stop" | "session-end":
            from recortex.app.hooks.session_end import close

            close(context, event)
            return (for_summary if event.name == "pre-compact" else question)(context, event)
    return ""
