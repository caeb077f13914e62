"""What is done at each moment of a session, and what the agent is told then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.naming import of_event
from recortex.app.session.touching import concerned

if TYPE_CHECKING:
    from recortex.app.session.loop import Loop
    from recortex.domain.hook_event import HookEvent


def handle(loop: Loop, event: HookEvent) -> str:
    """Do what the moment asks for; returns the marked text for the agent, mostly empty.

    Raises:
        RecortexError: the store or a setting cannot be used.
        OSError: a file cannot.
    """
    if event.void or (loop.homeless and event.name != "session-start"):
        return ""
    event = of_event(event)
    match event.name:
        case "session-start":
            from recortex.app.session.opening import open_session

            return open_session(loop, event)
        case "user-prompt-submit":
            from recortex.app.session.reminding import for_prompt

            return for_prompt(loop, event)
        case "pre-tool-use":
            paths = concerned(loop, event)
            if not paths:
                return ""
            from recortex.app.session.reminding import for_files

            return for_files(loop, event, paths)
        case "post-tool-use":
            from recortex.app.session.watching import watch

            watch(loop, event)
        case "subagent-stop":
            from recortex.app.session.closing import close_agent

            close_agent(loop, event)
        case "pre-compact" | "stop" | "session-end":
            from recortex.app.session.closing import close

            close(loop, event)
    return ""
