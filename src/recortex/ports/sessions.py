"""What the session loop needs from a place where sessions are noted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.domain.session import Receipt, Session, Signal, Use


class Sessions(Protocol):
    """Sessions with what was given in them and seen of them; writes are their own short transactions."""

    def put(self, session: Session) -> None:
        """Keep a session, or bring it up to date."""

    def get(self, session_id: str) -> Session | None:
        """The session with that id."""

    def ids_beginning(self, prefix: str) -> list[str]:
        """At most three ids that begin so."""

    def recent(self, limit: int) -> list[Session]:
        """The sessions that were seen last, latest first."""

    def cited(self, paths: Sequence[str]) -> list[str]:
        """Those files that some memory is about, each once."""

    def unheard(self, transcripts: Sequence[tuple[str, float]]) -> list[str]:
        """Those transcripts (path, time of the last change in seconds) younger than the store that it knows nothing of."""

    def captured(self, session_id: str, at: datetime, *, size: int, told: str) -> None:
        """Note that a session was learned from, up to a size of its transcript."""

    def give(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        """Keep those whose memory was not given before in the same context of the session; returns the kept ones."""

    def receipts(self, session_id: str) -> list[Receipt]:
        """What was given in a session, in order."""

    def mark_used(self, receipt: Receipt, at: datetime, use: Use) -> bool:
        """Note the first use of what was given; False where one was noted before."""

    def note(self, signals: Sequence[Signal]) -> None:
        """Keep what was seen."""

    def has_failed(self, session_id: str, digest: str) -> bool:
        """Whether a command failed in a session and was not seen to work since."""

    def signals(self, session_id: str) -> list[Signal]:
        """What was seen in a session, in order."""

    def forget_text(self, text: str) -> None:
        """Remove every signal that holds a text, for a purge."""

    def forget_before(self, at: datetime) -> int:
        """Remove what is noted of sessions that were last seen before; returns how many."""
