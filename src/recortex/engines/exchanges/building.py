"""Exchanges out of the turns of a session, read at once or in passes.

What is kept between two passes is the exchange that may still grow, as it is stored, so that both ways of
reading give the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from recortex.domain.exchange import MOST_ASKED, MOST_CONCLUSION, MOST_MESSAGE, MOST_WORK, Exchange
from recortex.domain.expressions import lazy
from recortex.domain.options import chosen
from recortex.domain.transcript import SessionInfo
from recortex.engines.exchanges.messages import Part, message_of, parts
from recortex.engines.exchanges.reports import reports
from recortex.engines.exchanges.shortening import (
    LEFT_OUT,
    ending,
    first_sentence,
    pieces,
    prose,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.domain.exchange import Ending, Opener
    from recortex.domain.transcript import ToolCall, Turn

_ID_BYTES = 16
_LEAST_WORK = 80
"""Characters of what the agent says between two uses of tools; shorter ones say "Let me look"."""
_MOST_FILES, _MOST_COMMANDS, _LONGEST_COMMAND = 12, 4, 160
_COMMITTED = lazy(
    r"^\[(?:[^\s\[\]]{1,200}|detached HEAD)(?: \(root-commit\))? ([0-9a-f]{7,12})[0-9a-f]*\] ", re.MULTILINE
)
"""What `git commit` prints of the commit that it made."""


@dataclass(slots=True)
class SessionBuilder:
    """Takes the turns of one session in order.

    Attributes:
        info: of the session.
        redact: takes secrets out of a text; it is given whole messages, before anything is cut.
        current: the exchange that the last turn belongs to; None before the first.
        work: the last stretch of work within it.
        changed: by id what has come or grown since the builder was made, oldest first.
    """

    info: SessionInfo
    redact: Callable[[str], str]
    current: Exchange | None = None
    work: Exchange | None = None
    changed: dict[str, Exchange] = field(default_factory=dict)

    def take(self, turn: Turn) -> None:
        """Go on with a turn."""
        if turn.sidechain:
            return
        if turn.role == "assistant":
            self._agent(turn)
        elif turn.role == "user" and not turn.by_person:
            self._program(turn)
        elif turn.role == "user":
            self._person(turn, parts(self.redact(turn.text)))
        elif turn.role == "plan":
            self._person(turn, [Part("document", self.redact(turn.text))])
        elif self.current is None:
            self._summary(turn)

    def ends(self, how: Ending) -> None:
        """Say how the person ended what the agent was doing."""
        if self.current:
            self._keep(replace(self.current, ending=how))

    def _person(self, turn: Turn, found: list[Part]) -> None:
        if turn.form == "refusal" or turn.interrupts:
            self.ends("refused" if turn.form == "refusal" else "interrupted")
        said, before = message_of(found), self.current
        if not said:
            return
        answers = prose(self.redact(turn.asked)) if turn.asked else before.conclusion if before else ""
        option = chosen(said, answers)
        message = f"{said} → {option}" if option else said
        message = shortened(message, MOST_MESSAGE * 3 // 4, MOST_MESSAGE // 4)
        self._open(turn, "person", ending(answers, MOST_ASKED), message)
        for document in (part.text for part in found if part.kind == "document"):
            self._add_pieces(document, turn, "document")

    def _program(self, turn: Turn) -> None:
        """What was sent to the agent in the person's place."""
        before = self.current.conclusion if self.current else ""
        message = shortened(
            message_of(parts(self.redact(turn.text))), MOST_MESSAGE * 3 // 4, MOST_MESSAGE // 4
        )
        if message:
            self._open(turn, "program", ending(before, MOST_ASKED), message)

    def _summary(self, turn: Turn) -> None:
        """A session that begins with what a client kept of one that was not read."""
        self._open(turn, "summary", "", "")
        self._add_pieces(self.redact(turn.text), turn, "summary")

    def _agent(self, turn: Turn) -> None:
        current = self.current or self._open(turn, "agent", "", "")
        if said := prose(self.redact(turn.text)):
            if len(current.conclusion) >= _LEAST_WORK and LEFT_OUT not in current.conclusion:
                self._add_work(current.conclusion, turn, "agent")
            if len(said) > MOST_CONCLUSION:
                self._add_pieces(said, turn, "agent")
            current = replace(
                current,
                opening=current.opening or first_sentence(current.conclusion),
                conclusion=shortened(said, MOST_CONCLUSION // 2, MOST_CONCLUSION // 2),
            )
        for report in reports(turn, self.redact):
            self._add_work(report, turn, "agent")
        current = _with_tools(current, turn.tools, self.redact)
        self._keep(replace(current, last_turn=turn.index, ended_at=turn.at or current.ended_at))

    def _open(self, turn: Turn, opener: Opener, asked: str, message: str) -> Exchange:
        self.work = None
        opened = Exchange(
            id="",
            session=self.info.session_id,
            client=self.info.client,
            opener=opener,
            first_turn=turn.index,
            last_turn=turn.index,
            root_turn=turn.index,
            started_at=turn.at,
            ended_at=turn.at,
            asked=asked,
            message=message,
            branch=turn.branch or self.info.branch,
            folder=turn.cwd or self.info.cwd,
        )
        return self._keep(replace(opened, id=_identity(opened, turn.uuid)))

    def _keep(self, exchange: Exchange) -> Exchange:
        self.current = self.changed[exchange.id] = exchange
        return exchange

    def _add_pieces(self, text: str, turn: Turn, opener: Opener) -> None:
        for piece in pieces(prose(text), MOST_WORK):
            self._add_work(piece, turn, opener)

    def _add_work(self, said: str, turn: Turn, opener: Opener) -> None:
        """Add what was said to the stretch of work, or begin the next one."""
        work, current = self.work, self.current
        if current is None:
            return
        if work and work.opener == opener and len(work.conclusion) + len(said) < MOST_WORK:
            grown = replace(work, conclusion=f"{work.conclusion}\n{said}")
        else:
            part = work.part + 1 if work else 1
            grown = Exchange(
                id=_digest(current.id, str(part)),
                session=current.session,
                client=current.client,
                opener=opener,
                part=part,
                first_turn=turn.index,
                last_turn=turn.index,
                root_turn=current.first_turn,
                started_at=turn.at,
                asked=shortened(current.message or current.asked, MOST_ASKED // 3, 0),
                conclusion=said,
                branch=current.branch,
                folder=current.folder,
            )
        self.work = self.changed[grown.id] = replace(grown, last_turn=turn.index, ended_at=turn.at)


def _identity(opened: Exchange, turn: str) -> str:
    """What copies of a session share: the turn's id, and what was said in it, since a turn may answer twice.

    A turn without an id is known by when it was said, or by its place.
    """
    at = opened.started_at.isoformat() if opened.started_at else f"{opened.session} {opened.first_turn}"
    return _digest(turn or at, opened.asked if not turn else "", opened.message)


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=_ID_BYTES).hexdigest()


def _with_tools(exchange: Exchange, tools: Iterable[ToolCall], redact: Callable[[str], str]) -> Exchange:
    files = dict.fromkeys(exchange.files)
    failed, passed = dict.fromkeys(exchange.failed), dict.fromkeys(exchange.passed)
    commit = exchange.commit
    for tool in tools:
        if tool.writes:
            files |= dict.fromkeys(map(redact, tool.files))
        if tool.command and tool.ok is not None and not tool.injected:
            command = shortened(redact(" ".join(tool.command.split())), _LONGEST_COMMAND, 0)
            failed.pop(command, None)
            passed.pop(command, None)
            (passed if tool.ok else failed)[command] = None
        if "commit" in tool.command and (made := _COMMITTED.findall(tool.output)):
            commit = made[-1]
    return replace(
        exchange,
        files=tuple(files)[:_MOST_FILES],
        failed=tuple(failed)[-_MOST_COMMANDS:],
        passed=tuple(passed)[-_MOST_COMMANDS:],
        commit=commit,
    )
