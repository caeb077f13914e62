"""What memory is worth on past sessions: replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.replay import Given, GivenOften, ReplayedSession, ReplayFigures
from recortex.errors import InvalidInputError
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.formats.session_files import SessionFile

MOST_SHOWN = 20
"""Memories that were given most often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What memory would have given past sessions.

    Attributes:
        total: of all sessions; `thirds` of the first, second and last third of them.
        sessions: each in order of their beginnings, those without a prompt too.
        most_given: the memories that came most often.
        sample: some of what was given, as many as were asked for.
        agents: transcripts of sub-agents, which are learned from and given nothing.
        untimed: sessions whose transcripts have no times, so that no use can be seen.
        problems: what could not be read, with the reason.
    """

    total: ReplayFigures
    thirds: tuple[ReplayFigures, ...] = ()
    sessions: tuple[ReplayedSession, ...] = ()
    most_given: tuple[GivenOften, ...] = ()
    sample: tuple[Given, ...] = ()
    agents: int = 0
    untimed: int = 0
    problems: tuple[str, ...] = ()


class ReplayOperations(Operations):
    """replay."""

    @operation(read_only=True, person=True)
    def replay(
        self,
        paths: Sequence[str] = (),
        *,
        limit: int = 0,
        meaning: bool = False,
        sample: int = 0,
        seed: int = 0,
    ) -> Replay:
        """Show what memory would have given past sessions, in order, each knowing only those before it.

        The sessions are learned from anew in a store of their own, which is deleted at the end: nothing that
        is kept is read or changed. A use is counted where the session shows it: words quoted, a file
        touched, a command run.

        Args:
            paths: transcripts, or folders of them; without any, the sessions that clients left of this
                project.
            limit: only the latest so many sessions; 0 means all.
            meaning: make vectors as well and answer by them, as where a server runs; takes up to twice as
                long.
            sample: show so many examples of what was given, drawn at random.
            seed: draws other examples.
        """
        from recortex.app.replay import replay
        from recortex.engines.sessions import replaying

        if limit < 0 or sample < 0:
            raise InvalidInputError("A limit and a sample cannot be below 0.")
        files, problems = self._past_sessions(paths)
        found = replay(self._app, files, limit=limit, meaning=meaning)
        return Replay(
            total=replaying.figures(found.sessions),
            thirds=replaying.thirds(found.sessions),
            sessions=found.sessions,
            most_given=replaying.most_given(found.sessions, MOST_SHOWN),
            sample=replaying.sample(found.sessions, sample, seed),
            agents=found.agents,
            untimed=sum(not one.timed for one in found.sessions),
            problems=(*problems, *found.unread),
        )

    def _past_sessions(self, paths: Sequence[str]) -> tuple[list[SessionFile], list[str]]:
        """The transcripts to replay, and what is none."""
        from recortex.app.own_sessions import own_sessions
        from recortex.formats.session_files import find_sessions

        if not paths:
            return own_sessions(self._app.project, self._app.settings.claude_folder, self._app.progress), []
        found = [find_sessions(None, Path(path), progress=self._app.progress) for path in paths]
        problems = [f"{place}: not a transcript" for one in found for place in one.unknown]
        problems += [f"{place}: cannot be read" for one in found for place in one.unreadable]
        sessions = {session.path.resolve(): session for one in found for session in one.sessions}
        return list(sessions.values()), problems
