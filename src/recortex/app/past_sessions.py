"""A past session as the calls of hooks that it made, read from its transcript."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.naming import of_info
from recortex.app.turn_places import TurnPlaces
from recortex.domain.hook_event import HookEvent
from recortex.errors import RecortexError
from recortex.formats.session_files import CLIENTS, SessionFile, find_sessions
from recortex.formats.transcripts import open_transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recortex.app.projects import Project
    from recortex.domain.transcript import ToolCall, Turn


MOST_PROMPT = 20_000
"""Characters of a prompt that the hook is given."""
_TICK = timedelta(microseconds=1)
_ASKING = {"prompt", "queued", "command", "argument"}
"""How a person says what a client calls the prompt hook for."""


class Step(NamedTuple):
    """An event of a session: when, on which branch, and where the transcript ended then, in bytes."""

    at: datetime
    event: HookEvent
    branch: str
    size: int = 0


@dataclass(slots=True)
class PastSession:
    """A session as its transcript tells it.

    Attributes:
        agent: whether a sub-agent worked in it, and no person.
        grows: whether its file is one of lines, so that its beginning can be read alone.
    """

    path: Path
    id: str
    client: str
    agent: bool
    timed: bool
    grows: bool
    steps: list[Step] = field(default_factory=list)


def past_session(file: SessionFile, known: set[str]) -> PastSession:
    """Read a transcript; messages that another file has too are left out, such as a resumed session's.

    Args:
        file: the transcript.
        known: ids of messages and sessions that were read; those of this one are added.
    """
    reader = open_transcript(file.path)
    reading = _Reading(datetime.fromtimestamp(file.modified, UTC), known)
    turns = reading.new(reader)
    first = next(turns, None)
    info = of_info(reader.info)
    blank = HookEvent(name="session-start", client=info.client, transcript=str(file.path))
    steps = _in_order(_steps(first, turns, blank, info.cwd, info.branch)) if first else []
    session = info.session_id
    while not reading.agent and f"session {session}" in known:
        session += "~"  # two files of one session: each is replayed by itself
    known.add(f"session {session}")
    return PastSession(
        file.path,
        session,
        reader.client,
        reading.agent,
        reading.timed,
        grows=reader.in_lines and not reading.agent,
        steps=[step._replace(event=replace(step.event, session=session)) for step in steps],
    )


@dataclass(slots=True)
class _Reading:
    """What is found out while a transcript is read.

    Attributes:
        at: when the last turn was; where a transcript has no times, when its file was written.
        known: ids of messages that were read.
        timed: whether any turn has a time.
        person: whether any turn is none of a sub-agent's.
    """

    at: datetime
    known: set[str]
    timed: bool = False
    person: bool = False
    any: bool = False

    @property
    def agent(self) -> bool:
        """Whether all turns are of a sub-agent."""
        return self.any and not self.person

    def new(self, turns: Iterable[Turn]) -> Iterator[tuple[datetime, Turn]]:
        """The turns that are not known, with their times, none before the one before."""
        for turn in turns:
            if turn.at is not None:
                self.at = max(self.at, turn.at) if self.timed else turn.at
            self.timed, self.any = self.timed or turn.at is not None, True
            self.person = self.person or not turn.sidechain
            if not (turn.uuid and turn.uuid in self.known):
                self.known.add(turn.uuid)
                yield self.at, turn


def _in_order(steps: Iterator[Step]) -> list[Step]:
    """The steps, each later than the one before."""
    found: list[Step] = []
    for step in steps:
        least = found[-1].at + _TICK if found else step.at
        found.append(step._replace(at=max(step.at, least)))
    return found


def _steps(
    first: tuple[datetime, Turn],
    turns: Iterable[tuple[datetime, Turn]],
    blank: HookEvent,
    cwd: str,
    branch: str,
) -> Iterator[Step]:
    """The calls of hooks that a session made, from its start to its end; of a sub-agent's these two."""
    before, turn = first
    cwd, branch = turn.cwd or cwd, turn.branch or branch
    yield Step(before, replace(blank, source="startup", cwd=cwd), branch)
    for place, (at, turn) in enumerate(chain([first], turns)):
        cwd, branch = turn.cwd or cwd, turn.branch or branch
        here = replace(blank, cwd=cwd)
        for event in () if turn.sidechain else _events(turn, here):
            if place and event.name in {"user-prompt-submit", "session-start"}:
                yield Step(before, replace(here, name="stop"), branch, turn.start)
            yield Step(at, event, branch)
        before = at
    yield Step(before, replace(blank, name="session-end", cwd=cwd, reason="other"), branch)


def _events(turn: Turn, blank: HookEvent) -> Iterator[HookEvent]:
    if turn.role == "summary":
        yield replace(blank, source="compact")
    elif turn.by_person and turn.form in _ASKING and turn.text.strip():
        yield replace(blank, name="user-prompt-submit", prompt=turn.text[:MOST_PROMPT])
    elif turn.role == "assistant":
        for call in turn.tools:
            if (call.files or call.command) and not call.injected:
                used = _tool_use(call, blank)
                yield from (replace(used, name="pre-tool-use"), replace(used, name="post-tool-use"))


def _tool_use(call: ToolCall, blank: HookEvent) -> HookEvent:
    event = replace(
        blank, tool=call.name, command=call.command, files=call.files, writes=call.writes, ok=call.ok
    )
    if not call.files or not blank.cwd or Path(blank.cwd).is_dir():
        return event
    # The checkout is not on this machine: its files are named as if it stood where the project does.
    files = (os.path.join(blank.cwd, one) for one in call.files)  # noqa: PTH118  paths of another machine
    return replace(event, cwd="", files=tuple(os.path.relpath(one, blank.cwd) for one in files))


# -- the sessions on this machine that belong to a project, whichever client left them


def is_ours(project: Project, session: SessionFile, named: Path | None = None) -> bool:
    """Whether something in a session was said in a project; its place or its turns say where.

    Args:
        project: the project.
        session: its file.
        named: the file or its folder, which a person named: it counts unless it was all said in other
            projects; of a folder, unless it was all said in the home folder.

    Raises:
        RecortexError: it is no transcript any more.
        OSError: it cannot be read.
    """
    if session.client == "specstory":  # looked for in this project alone
        return True
    places = TurnPlaces(project.root, project.home)
    try:
        own = places.has_own(session.path)
        if own is None and named and named != session.path:
            return not places.at_home(session.path)
    except (RecortexError, OSError):
        if not named:
            raise
        own = None  # the reading itself says what is wrong
    return own is not False if named else own is True


def own_sessions(
    project: Project, claude: Path | None, progress: Callable[[str, int, int], None]
) -> list[SessionFile]:
    """The sessions that clients left of a project, oldest first.

    Args:
        project: the project.
        claude: Claude Code's folder where it is not in the home folder.
        progress: called with the number of files and folders seen so far.

    Raises:
        RecortexError: one is no transcript any more.
        OSError: one cannot be read.
    """
    found = [
        session
        for client in CLIENTS
        for session in find_sessions(
            client,
            home=Path.home(),
            config=claude if client == "claude-code" else None,
            project=project.root,
            progress=progress,
        ).sessions
        if is_ours(project, session)
    ]
    return sorted(found, key=lambda one: (one.modified, str(one.path)))
