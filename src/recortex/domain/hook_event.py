"""What an agent's client tells a hook, whatever client it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recortex.domain.injection import is_put_in

EventName = Literal[
    "session-start",
    "user-prompt-submit",
    "pre-tool-use",
    "post-tool-use",
    "pre-compact",
    "stop",
    "subagent-stop",
    "session-end",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEvent:
    """One call of a hook.

    Attributes:
        name: our name of the event; `event` is the client's, which an answer has to repeat.
        session: the client's id of the session.
        cwd: where the agent stands now; `project` is the folder it was started in, where the client says so.
        source: why a session starts: startup, resume, clear, compact, fork.
        reason: why it ends.
        tool: the client's name of the tool that is used.
        command: the shell command that it runs.
        files: paths that it reads or, when `writes`, changes.
        replaced: the texts in them that it replaces, or what stands around.
        ok: whether it worked; None where the event does not tell.
        own: the tool is Recortex itself.
        message: the last thing that the agent said.
        agent: id of the sub-agent that the event happened in; `agent_type` is empty for the client's own
            helpers.
        agent_transcript: the sub-agent's transcript.
        process: of the client on this machine; 0: unknown.
        ending: the client says that the turn ends, and that no hook made it go on before.
    """

    name: EventName
    event: str = ""
    client: str = ""
    session: str = ""
    transcript: str = ""
    cwd: str = ""
    project: str = ""
    source: str = ""
    reason: str = ""
    prompt: str = ""
    tool: str = ""
    command: str = ""
    files: tuple[str, ...] = ()
    writes: bool = False
    replaced: tuple[str, ...] = ()
    ok: bool | None = None
    own: bool = False
    message: str = ""
    agent: str = ""
    agent_type: str = ""
    agent_transcript: str = ""
    process: int = 0
    ending: bool = False

    @property
    def asks(self) -> bool:
        """Whether a prompt may be answered: no client put it there, and it is no command of ours."""
        prompt = self.prompt.strip()
        return bool(prompt) and not self.agent and not prompt.startswith(NOT_ASKED) and not is_put_in(prompt)

    @property
    def void(self) -> bool:
        """Whether there is nothing to do, whatever is known."""
        return not self.session or (self.name == "user-prompt-submit" and not self.asks)


NOT_ASKED = ("/recortex",)
"""How prompts begin that are our own commands."""
