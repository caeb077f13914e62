"""An agent's session: what its client tells a hook, whatever client it is, and until when it is running."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from recortex.domain.injection import is_init, is_put_in
from recortex.domain.vocabulary import Scope
from recortex.lean import NamedTuple, Value

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from _typeshed import SupportsGetItem


Channel = Literal["surface", "prompt", "file", "asked"]
Use = Literal["", "quoted", "file", "command"]
SignalName = Literal[
    "read", "written", "failed", "mended", "prompted", "decided", "reflected", "asked", "unattended"
]


class Session(Value, frozen=True, kw_only=True):
    """One session of an agent.

    Attributes:
        id: the client's own.
        transcript: its file, as the client names it; empty where it does not.
        process: the client's process on this machine; 0: unknown.
        parent: the session that a sub-agent works for.
        ended_at: when its end was seen; None where it never was.
        context: counts compactions: what was given before one is gone from what the agent sees.
        captured_at: when it was last learned from.
        captured_size: bytes of the transcript then.
        told: hash of the last message that was taken from the client's report, before the transcript had it.
    """

    id: str
    started_at: datetime
    seen_at: datetime
    client: str = ""
    cwd: str = ""
    branch: str = ""
    transcript: str = ""
    process: int = 0
    parent: str = ""
    ended_at: datetime | None = None
    end_reason: str = ""
    context: int = 0
    captured_at: datetime | None = None
    captured_size: int = 0
    told: str = ""


class Receipt(Value, frozen=True, kw_only=True):
    """A memory that the agent was given in a session, and what it did with it.

    Attributes:
        context: the session's context that it was given in.
        memory: its id; `scope` says in which store it is. With a file it may be the id of an exchange.
        channel: with the brief, for a prompt, when a file was touched, or because the agent asked.
        subject: the touched file.
        score: its rank on the surface, or its score for the prompt; 0 to 1.
        tokens: what it cost, in cl100k_base tokens of the memory's line; of an exchange's line about.
        used_at: when a use was seen; `used_as` says how: its words were quoted, its file touched, its command
            run.
    """

    session: str
    context: int
    memory: str
    scope: Scope
    channel: Channel
    at: datetime
    subject: str = ""
    score: float = 0.0
    tokens: int = 0
    used_at: datetime | None = None
    used_as: Use = ""


class GivenMemory(NamedTuple):
    """What was given of one memory in one way, over many sessions.

    Attributes:
        times: in how many contexts of sessions; `times_used` of them used it.
        tokens: in all, in cl100k_base; `tokens_used` of those that were used.
    """

    memory: str
    channel: Channel
    times: int
    times_used: int
    tokens: int
    tokens_used: int


class Outcome(NamedTuple):
    """In how many sessions a memory was given, and in how many of them it was used."""

    given: int = 0
    used: int = 0


class Signal(Value, frozen=True, kw_only=True):
    """Something that happened in a session.

    A file was read or written, a command failed or works again, the agent asked what is known; with
    `hooks.reflect` also: the person gave a prompt or decided something, and the agent was asked what to
    remember. Of clients whose transcripts do not say so: a program gave the prompt.

    Attributes:
        subject: the file relative to the project, or the command without its secrets, never what was printed;
            of a question the intent of the task.
        digest: of the whole command, by which its success after a failure is known; of a question the
            milliseconds that its answer took, and the tokens that were not given again; of a program's prompt
            the POSIX time at which it had started the client.
    """

    session: str
    at: datetime
    name: SignalName
    subject: str
    digest: str = ""


# -- what an agent's client tells a hook, whatever client it is


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


class HookEvent(Value, frozen=True, kw_only=True):
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
        unattended_since: POSIX time at which a program started the client, of which the transcript does not
            say that; 0: a person types, or the transcript says who does.
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
    unattended_since: float = 0.0

    @property
    def asks(self) -> bool:
        """Whether a prompt may be answered: no client put it there, and it is no command of ours."""
        prompt = self.prompt.strip()
        if not prompt or self.agent or prompt.startswith(NOT_ASKED):
            return False
        return not is_put_in(prompt) and not is_init(prompt)

    @property
    def void(self) -> bool:
        """Whether there is nothing to do, whatever is known."""
        # Copilot CLI sends what an agent orders another, and the end of that, as if a person had asked.
        of_agent = bool(self.agent) and self.name in {"user-prompt-submit", "stop"}
        return not self.session or of_agent or (self.name == "user-prompt-submit" and not self.asks)


UNMARKED = {"gemini": ("gemini",), "qwen": ("qwen", "cli.js")}
"""Clients whose transcripts do not say that no person was there, and what their programs are called."""
NOT_ASKED = ("/recortex",)
"""How prompts begin that are our own commands."""

# -- until when a session counts as running, and how much it may be given unasked


class SessionLimits(NamedTuple):
    """The limits of a session.

    As the settings have them, they only stop what went wrong: of 243 sessions of six published histories the
    longest took 11 days, and of 111 that were replayed none was given more than 660 tokens.

    Attributes:
        idle_hours: without a sign for so long, it is over, whatever has its process's number now.
        most_days: after its start it is over too.
        most_tokens: that are given unasked in one context; 0: any number.
    """

    idle_hours: int
    most_days: int
    most_tokens: int


def session_limits(settings: SupportsGetItem[str, Any]) -> SessionLimits:
    """The limits that a project's settings give its sessions."""
    return SessionLimits(*(settings[f"sessions.{name}"] for name in SessionLimits._fields))


def over(session: Session, now: datetime, limits: SessionLimits) -> bool:
    """Whether a session ended, or was not seen for long, or runs for too long."""
    idle, age = now - session.seen_at, now - session.started_at
    return (
        session.ended_at is not None
        or idle > timedelta(hours=limits.idle_hours)
        or age > timedelta(days=limits.most_days)
    )


def room(given: Iterable[Receipt], limits: SessionLimits) -> float:
    """Tokens that may still be given unasked.

    Args:
        given: the receipts of the session's present context.
        limits: of the session.
    """
    if not limits.most_tokens:
        return float("inf")
    return max(0, limits.most_tokens - sum(one.tokens for one in given if one.channel != "asked"))


# -- how much use a memory was in a project, by what became of it each time it was given


USUAL = 0.2
"""The share of sessions in which a memory that is given is used, as expected before anything is known."""
KNOWN = 3
"""Sessions that this expectation counts for."""
UNUSED, MOST_UNUSED = 3, 9
"""Sessions in which a memory may be given without use before it is given no more; each use allows as many
again, up to the most."""


def usefulness(outcome: Outcome) -> float:
    """How much likelier a memory is to be used than one that was never given: 1 for such a one.

    The mean of a Beta posterior by the expected share; never given and unused is below 1, used above.
    """
    return (outcome.used / USUAL + KNOWN) / (outcome.given + KNOWN)


def is_exhausted(outcome: Outcome, unused: int = UNUSED) -> bool:
    """Whether a memory was given so often without use that it is given no more unless it is asked for."""
    return outcome.given - outcome.used >= min(unused * (1 + outcome.used), MOST_UNUSED)


def risen(chance: float, outcome: Outcome) -> float:
    """A probability that a memory helps, with what became of it before: 0 for one that is spent."""
    if is_exhausted(outcome):
        return 0.0
    # The factor is applied to the odds, so that the result stays a probability.
    odds = chance * usefulness(outcome)
    return odds / (odds + 1.0 - chance) if chance < 1.0 else 1.0
