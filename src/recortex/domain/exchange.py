"""An exchange: what was said at one place of a session, with what it answers and what came of it.

A record of what was said, never an instruction. Nobody has checked it, unlike a memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Literal, NamedTuple

Opener = Literal["person", "program", "agent", "document", "summary", "imported"]
Ending = Literal["", "interrupted", "refused"]

MOST_ASKED, MOST_MESSAGE, MOST_CONCLUSION, MOST_WORK = 500, 2_000, 1_200, 1_500
"""Characters of the parts: together at most 4,096 in an exchange, with the opening of 240."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A message of the person with what came before and after it, or a stretch of the agent's own work.

    Attributes:
        id: 32 hexadecimal digits, the same whenever the same is read, also from a copy of the session.
        session: where it was first read.
        opener: `person`: `message` is what they said. `program`: it is what a program, another agent or a
            command of the repository sent in their place. `agent`: a stretch of work between two messages of
            the person, told by what the agent said in it; `message` is empty and `asked` the request.
            `document`: a plan, review or other text that the person pasted or accepted, told the same way.
            `summary`: what a client kept of a session that it compacted.
            `imported`: another installation exported it; who spoke there is not known.
        first_turn, last_turn: positions in the session.
        started_at, ended_at: of the first and last turn, where the transcript says so.
        asked: the end of what the agent said before: a question, a proposal, a list of options.
        message: what was typed, whole; what was pasted by its kind, size and first line.
        opening: the agent's first sentence, where it said more than one message.
        conclusion: the beginning and end of the last that the agent said.
        files: edited, as the client gave them; the first twelve.
        failed, passed: commands, the last of each; a command that failed and passed later is passed.
        commit: the last one that the agent made, abbreviated.
        ending: whether the person stopped the agent or refused what it was about to do.
        part: 0 for the exchange itself; stretches of work within it are numbered from 1.
        root_turn: the first turn of the exchange that a stretch of work belongs to; else `first_turn`.
        branch, folder: where the session worked.
    """

    id: str
    session: str
    client: str
    opener: Opener
    first_turn: int
    last_turn: int
    root_turn: int
    started_at: datetime | None = None
    ended_at: datetime | None = None
    asked: str = ""
    message: str = ""
    opening: str = ""
    conclusion: str = ""
    files: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    commit: str = ""
    ending: Ending = ""
    part: int = 0
    branch: str = ""
    folder: str = ""

    def holds(self, session: str, turn: int | None) -> bool:
        """Whether a turn of a session lies in it."""
        return self.session == session and turn is not None and self.first_turn <= turn <= self.last_turn

    @property
    def outcome(self) -> str:
        """What came of it, as one text: the third part that is searched."""
        return "\n".join(filter(None, (self.opening, self.conclusion)))

    @property
    def came_of_it(self) -> str:
        """The same as it is shown: without the agent's first sentence where its last message begins so."""
        return self.conclusion if self.conclusion.startswith(self.opening) else self.outcome


def word_of_file(path: str) -> str:
    """The word that an exchange is found by which decided something about a file of the project.

    It ends with a digit, so that no index takes it for an inflected word.
    """
    return f"file{int.from_bytes(blake2b(path.encode('utf-8', 'replace'), digest_size=8).digest())}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeQuery:
    """Which exchanges are asked for; those that pass all conditions.

    Attributes:
        session: its id; empty: any.
        branch, folder: where it worked; empty: any.
        since, until: when it ended; the second is exclusive.
        work: whether stretches of work are given too.
        commits: the last commit that was made there; each may be given in several lengths.
        limit, offset: of the exchanges or sessions, latest first.
    """

    session: str = ""
    branch: str = ""
    folder: str = ""
    since: datetime | None = None
    until: datetime | None = None
    work: bool = True
    commits: tuple[str, ...] = ()
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """A past session by its exchanges.

    Attributes:
        exchanges: how many messages of the person.
        asked: the first message.
        concluded: how the last exchange ended.
        files: edited in it, each once.
    """

    session: str
    client: str
    started_at: datetime | None
    ended_at: datetime | None
    exchanges: int
    asked: str
    concluded: str
    branch: str = ""
    folder: str = ""
    files: tuple[str, ...] = ()


class ExchangeFacts(NamedTuple):
    """What is scored of an exchange, read without its texts.

    Attributes:
        ended_at: microseconds since 1970 UTC; None where the transcript does not say.
        answered, outcome: vectors, as int8 values, of the message with what it answers, and of what came of
            it; None where there is none.
    """

    key: int
    session: str
    opener: str
    part: int
    root_turn: int
    ended_at: int | None
    answered: bytes | None = None
    outcome: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeHit:
    """A place of a past session that may answer a question, with the passage that does.

    Attributes:
        id: of the exchange, which can be opened whole.
        said_at: when it began, where the transcript says so.
        by: whose words it begins with, as `Exchange.opener`.
        session, turn, client: where it was said.
        asked, message, outcome: the sentences that answer best: of what it answers, of what was said, of what
            came of it; empty: none of that part.
        score: the probability that it answers, 0 to 1.
        weak: that is low: it may be about something else.
        checked: always False: it is a record of what was said, and nobody has checked it.
        later: the id of a later exchange among the hits that speaks of the same thing; else empty.
        tokens: what showing it takes, cl100k_base.
    """

    id: str
    said_at: datetime | None
    by: Opener
    session: str
    turn: int
    client: str
    asked: str = ""
    message: str = ""
    outcome: str = ""
    score: float = 0.0
    weak: bool = False
    checked: Literal[False] = False
    later: str = ""
    tokens: int = 0
