"""Records of agents' sessions: what was given in them and what was seen of their work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from recortex.domain.session import Channel, GivenMemory, Outcome, Receipt, Session, Signal, Use


class Receipts(Protocol):
    """What was given to agents."""

    def give(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        """Keep the receipts whose memory was not given before in the same context of the session.

        Returns:
            Those that were kept.
        """

    def give_again(self, receipts: Sequence[Receipt]) -> None:
        """Bring receipts up to date whose memory was given again, since it changed or somebody asked."""

    def receipts(self, session_id: str) -> list[Receipt]:
        """What was given in a session, in order."""

    def outcomes(self, memories: Sequence[str], channels: Sequence[Channel]) -> Mapping[str, Outcome]:
        """What became of those memories that were given on one of these channels, or used on any."""

    def mark_used(self, receipt: Receipt, at: datetime, use: Use) -> bool:
        """Record the first use of what was given; False where one was recorded before."""


class Signals(Protocol):
    """What was seen of agents' work."""

    def note(self, signals: Sequence[Signal]) -> None:
        """Keep signals."""

    def has_failed(self, session_id: str, digest: str) -> bool:
        """Whether a command failed in a session and was not seen to work since."""

    def remembered_since(self, at: datetime) -> bool:
        """Whether an agent or a person remembered anything since a time; rules do not count."""

    def signals(self, session_id: str) -> list[Signal]:
        """What was seen in a session, in order."""

    def forget_text(self, text: str) -> None:
        """Delete every signal that holds a text, for a purge."""

    def cited(self, paths: Sequence[str]) -> list[str]:
        """Those of the files that some memory is about, each once."""


class Sessions(Receipts, Signals, Protocol):
    """Sessions with their receipts and signals. Each write is a short transaction of its own."""

    def put(self, session: Session) -> None:
        """Keep a session, or bring it up to date."""

    def get(self, session_id: str) -> Session | None:
        """The session with that id."""

    def ids_beginning(self, prefix: str) -> list[str]:
        """At most three session ids that begin with the prefix."""

    def recent(self, limit: int) -> list[Session]:
        """The sessions that were seen last, latest first."""

    def unknown_transcripts(self, transcripts: Sequence[tuple[str, float]]) -> list[str]:
        """Those transcripts that are younger than the store and belong to no known session.

        Args:
            transcripts: paths with the time of their last change, in seconds since 1970.
        """

    def captured(self, session_id: str, at: datetime, *, size: int, told: str) -> None:
        """Record that a session was learned from, up to a size of its transcript in bytes."""

    def seen(self, since: datetime, until: datetime) -> list[Session]:
        """The sessions that were last seen within a time, `until` excluded."""

    def given(self, since: datetime, until: datetime) -> list[GivenMemory]:
        """What was given within a time, by memory and channel."""

    def asked(self, since: datetime, until: datetime) -> list[tuple[str, str]]:
        """Subject and digest of each question within a time, in order."""

    def repeats_saved(self, since: datetime, until: datetime) -> int:
        """Tokens of warnings given within a time that later accesses to their file did not bring again."""

    def forget_before(self, at: datetime) -> int:
        """Delete sessions last seen before a time, with what belongs to them; returns how many."""
