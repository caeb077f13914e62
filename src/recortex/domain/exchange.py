"""Sessions as transcripts tell them: what was said, and what a short answer chooses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from recortex.domain.text import lazy
from recortex.lean import NamedTuple, Value, field

Opener = Literal["person", "program", "agent", "document", "summary", "imported", "teammate"]
Ending = Literal["", "interrupted", "refused"]

MOST_ASKED, MOST_MESSAGE, MOST_CONCLUSION, MOST_WORK = 500, 2_000, 1_200, 1_500
"""Characters of the parts: together at most 4,096 in an exchange, with the opening of 240."""

SHOWN, LEAST_SHOWN = 900, 600
"""Tokens of an answer's exchanges together with what else it tells, and what they have at least."""

TEAM = "team:"
"""What the session of a teammate's exchange begins with; the session's own name and theirs follow."""


class Exchange(Value, frozen=True, kw_only=True):
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
        `teammate`: `message` is what a teammate said in a session of theirs, see `speaker`.
        first_turn, last_turn: positions in the session.
        started_at, ended_at: of the first and last turn, where the transcript says so.
        asked: the end of what the agent said before: a question, a proposal, a list of options.
        message: what was typed, whole; what was pasted by its kind, size and first line; an accepted plan by
            its size and title.
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
    def speaker(self) -> str:
        """Whose session it was, where that was a teammate's; else empty."""
        return self.session.split(":", 2)[2] if self.session.startswith(TEAM) else ""

    @property
    def outcome(self) -> str:
        """What came of it, as one text: the third part that is searched."""
        return "\n".join(filter(None, (self.opening, self.conclusion)))

    @property
    def came_of_it(self) -> str:
        """The same as it is shown: without the agent's first sentence where its last message begins so."""
        return self.conclusion if self.conclusion.startswith(self.opening) else self.outcome


class ExchangeQuery(Value, frozen=True, kw_only=True):
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


class SessionSummary(Value, frozen=True, kw_only=True):
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


class ExchangeHit(Value, frozen=True, kw_only=True):
    """A place of a past session that may answer a question, with the passage that does.

    Attributes:
        id: of the exchange, which can be opened whole.
        said_at: when it began, where the transcript says so.
        by: whose words it begins with, as `Exchange.opener`.
        speaker: whose session it was, where that was a teammate's; else empty.
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
    speaker: str = ""
    asked: str = ""
    message: str = ""
    outcome: str = ""
    score: float = 0.0
    weak: bool = False
    checked: Literal[False] = False
    later: str = ""
    tokens: int = 0


# -- what an agent's session says, whatever client wrote it: the values that every transcript reader yields


Role = Literal["user", "assistant", "summary", "plan"]
"""Whose words a turn has. A summary was made at a compaction; a plan is the agent's, and the person accepted
it."""
Form = Literal["prompt", "queued", "answer", "refusal", "note", "command", "argument"]
"""How a person said something: as a turn of their own; while the agent was at work; in answer to its
question; on refusing a tool call or a plan; as a note for the client's memory; behind a command's name;
within a sentence of a command's text, so that the sentence is not theirs."""

Author = Literal["person", "agent", "program", "repository", "harness"]
"""Who wrote what a client sent to the agent as a prompt: somebody who typed it; an agent (its parent, a peer,
itself for later); a program that ran the client; a file of the repository; the client itself."""


class ToolCall(Value, frozen=True):
    """One use of a tool by the agent, with what came of it.

    Attributes:
        name: the client's own name of the tool, such as `Bash` or `Edit`.
        command: the shell command, where the tool runs one.
        files: paths as the client gave them, read or written by the call.
        writes: whether the call changes its files.
        ok: True or False once the result is known; None where the transcript ends before it or does not say.
        output: the result's text, shortened to its head and tail (at most 4,000 characters).
        arguments: the call's arguments as text (JSON where they are not text), each shortened to 2,000
            characters.
        injected: the call went to Recortex itself; its output and arguments are left out, never learned
            again.
    """

    id: str
    name: str
    command: str = ""
    files: tuple[str, ...] = ()
    writes: bool = False
    ok: bool | None = None
    output: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    injected: bool = False


class Turn(Value, frozen=True):
    """One message of a session: what the person said, what the agent said, or a summary made at compaction.

    Tool results are not turns of their own: they complete the `tools` of the assistant's turn that asked.

    Attributes:
        index: position among the turns that the reader yields, from its `first_index` (0 unless told).
        text: the prose of the message, without tool calls, thinking, injected reminders or command echoes.
        uuid: the same whenever the same message is read, also from another file that copies the history; of
            the client's own ids where it has some.
        certain: False where the file shows only that it may have been said: what it teaches is proposed.
        author: of a `user` turn; only a person's is their word.
        injected: text that a client or Recortex put in, not typed by a person; kept apart so that it is never
            learned.
        sidechain: part of a sub-agent's work; a `user` turn is then the parent agent's instruction.
        start: byte offset of the turn's first line in its file (record number where a file is one JSON
            document).
        end: offset just past its last line, its tools' results included.
        interrupts: the person stopped the agent before saying this.
        form: how the person said it; `prompt` for every other role. In an answer, lines that begin with `>`
            are the agent's: its question, and what it said of the chosen option.
        asked: what an answer answers (the questions with their options) or a refusal refuses (the tool, with
            its command, file or plan); empty for other forms.
    """

    index: int
    role: Role
    text: str
    at: datetime | None = None
    uuid: str = ""
    tools: tuple[ToolCall, ...] = ()
    injected: str = ""
    cwd: str = ""
    branch: str = ""
    sidechain: bool = False
    start: int = 0
    end: int = 0
    interrupts: bool = False
    form: Form = "prompt"
    asked: str = ""
    author: Author = "person"
    certain: bool = True

    @property
    def by_person(self) -> bool:
        """Whether a person said it: the only turns that are their word."""
        return self.role == "user" and self.author == "person" and not self.sidechain


class SessionInfo(Value, frozen=True):
    """What is known of a session as a whole.

    Attributes:
        cwd: the folder in which it ran; where only the SHA-256 of its name is known, `digest` is that.
    """

    session_id: str
    client: str
    path: str
    version: str = ""
    cwd: str = ""
    branch: str = ""
    parent_session: str = ""
    started_at: datetime | None = None
    digest: str = ""


class ReadCounts(Value, frozen=True):
    """Where every line of a transcript went: `lines == used + sum(skipped.values()) + malformed + torn`.

    Attributes:
        lines: lines read (records, where a file is one JSON document).
        used: lines that became a turn or a part of one.
        skipped: lines that are no conversation, by type or reason.
        malformed: lines that are not JSON, or not of the shape that their type has.
        torn: 1 if the last line is still being written; it is read again next time.
    """

    lines: int = 0
    turns: int = 0
    used: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    malformed: int = 0
    torn: int = 0


# -- the option that a short answer chooses: "b" and "the second" mean what stood in the list before


_CHOICE = lazy(
    r"\A\s*(?:(?:ok(?:ay)?|yes|yep|sure|let'?s (?:do|go(?: with)?|take)|go (?:with|for)|"
    r"i(?:'d| would)? (?:prefer|like|choose|pick|want)|do|pick|choose|take|use)[,:]?\s+)?(?:the\s+)?"
    r"(?:(?:option|choice|variant|approach|plan|number|no\.?|#|opción|opção|方案|选项)\s*)?"
    r"[(\[\"']?(?P<label>[a-h]|\d{1,2})[)\].\"']?(?=[\s.,;:!?)\-–—]|$)",
    re.IGNORECASE,
)
_ORDINAL = lazy(
    r"\A\s*(?:the\s+)?(first|second|third|fourth|last)(?: one| option)?[ \t]{0,3}[.!]?\s*\Z", re.IGNORECASE
)
_ITEM = lazy(
    r"^[ \t>*\-•#]{0,20}(?:option|approach|variant|plan|choice)?[ \t]?[(\[]?\*{0,2}[ \t]?"
    r"(?P<label>[A-Ha-h]|\d{1,2})[ \t]?\*{0,2}[)\].:]\*{0,2}[ \t]{1,4}(?P<text>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_ORDINALS = ("first", "second", "third", "fourth")
_LONGEST_ANSWER, _LONGEST_OPTION = 120, 240
_FEWEST = 2


def chosen(answer: str, before: str) -> str:
    """The text of the option that an answer names; empty where it names none.

    Args:
        answer: what the person said.
        before: what the agent had said, with its list.
    """
    if len(answer) > _LONGEST_ANSWER:
        return ""
    options = [(found["label"].lower(), found["text"].strip(" *")) for found in _ITEM.finditer(before)]
    # One item alone leaves nothing to choose.
    if len(options) < _FEWEST:
        return ""
    if ordinal := _ORDINAL.match(answer):
        word = ordinal[1].lower()
        place = len(options) - 1 if word == "last" else _ORDINALS.index(word)
        return options[place][1][:_LONGEST_OPTION] if place < len(options) else ""
    label = _CHOICE.match(answer)
    named = [text for name, text in options if label and name == label["label"].lower()]
    # A list may be given twice: the last one stands nearest to the answer.
    return named[-1][:_LONGEST_OPTION] if named else ""
