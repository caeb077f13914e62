"""A session of an agent, what it was given, and what happened in it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from recortex.domain.vocabulary import Scope
from recortex.lean import NamedTuple, Value

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
