"""The agent's sessions. Imported by hooks: nothing heavier than the driver may be imported here."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recortex.domain.session import Receipt, Session, Signal
from recortex.domain.time import from_micros, to_micros
from recortex.domain.vocabulary import Scope
from recortex.errors import CorruptStoreError
from recortex.storage.tables import SESSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.session import Use
    from recortex.storage.database import Database


class SessionRecords:
    """Sessions, what was given in them, what was seen of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sql = database.queries("sessions")

    def put(self, session: Session) -> None:
        """Keep a session, or bring it up to date."""
        self._database.rows(
            self._sql["put"], {name: _plain(getattr(session, name)) for name in SESSIONS.names}
        )

    def get(self, session_id: str) -> Session | None:
        """The session with that id."""
        rows = self._database.rows(self._sql["get"], (session_id,))
        return _session(rows[0]) if rows else None

    def ids_beginning(self, prefix: str) -> list[str]:
        """At most three ids that begin so."""
        rows = self._database.rows(self._sql["beginning"], (prefix, prefix + "\U0010ffff"))
        return [row[0] for row in rows]

    def recent(self, limit: int) -> list[Session]:
        """The sessions that were seen last, latest first."""
        return [_session(row) for row in self._database.rows(self._sql["recent"], (limit,))]

    def cited(self, paths: Sequence[str]) -> list[str]:
        """Those files that some memory is about, each once."""
        return [row[0] for row in self._database.rows(self._sql["cited"], (json.dumps(paths),))]

    def unheard(self, transcripts: Sequence[tuple[str, float]]) -> list[str]:
        """Those transcripts (path, seconds of the last change) younger than the store and unknown to it."""
        rows = self._database.rows(self._sql["unheard"], (json.dumps(transcripts),))
        return [row[0] for row in rows]

    def captured(self, session_id: str, at: datetime, *, size: int, told: str) -> None:
        """Note that a session was learned from, up to a size of its transcript."""
        self._database.rows(self._sql["captured"], (session_id, to_micros(at), size, told))

    def give(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        """Keep those whose memory was not given before in the same context of the session.

        Returns the kept ones.
        """
        with self._database.transaction():
            return [one for one in receipts if self._database.rows(self._sql["give"], _given(one))]

    def receipts(self, session_id: str) -> list[Receipt]:
        """What was given in a session, in order."""
        return [receipt_of(row) for row in self._database.rows(self._sql["receipts"], (session_id,))]

    def mark_used(self, receipt: Receipt, at: datetime, use: Use) -> bool:
        """Note the first use of what was given; False where one was noted before."""
        values = (receipt.session, receipt.context, receipt.memory, to_micros(at), use)
        return bool(self._database.rows(self._sql["mark_used"], values))

    def note(self, signals: Sequence[Signal]) -> None:
        """Keep what was seen."""
        rows = [(one.session, to_micros(one.at), one.name, one.subject, one.digest) for one in signals]
        with self._database.transaction():
            self._database.run_many(self._sql["note"], rows)

    def signals(self, session_id: str) -> list[Signal]:
        """What was seen in a session, in order."""
        rows = self._database.rows(self._sql["signals"], (session_id,))
        return [
            Signal(session=session, at=from_micros(at), name=name, subject=subject, digest=digest)
            for session, at, name, subject, digest in rows
        ]

    def has_failed(self, session_id: str, digest: str) -> bool:
        """Whether a command failed in a session and was not seen to work since."""
        return bool(self._database.rows(self._sql["failed"], (session_id, digest)))

    def forget_before(self, at: datetime) -> int:
        """Remove what is noted of sessions that were last seen before.

        Returns how many, a thousand at most.
        """
        with self._database.transaction():
            old = [row[0] for row in self._database.rows(self._sql["old"], (to_micros(at),))]
            ids = json.dumps(old)
            for part in ("forget_receipts", "forget_signals", "forget_sessions"):
                self._database.rows(self._sql[part], (ids,))
        return len(old)

    def forget_text(self, text: str) -> None:
        """Remove every signal that holds a text, for a purge."""
        self._database.rows(self._sql["forget_text"], (text,))


_GIVEN = ("session", "context", "memory", "scope", "channel", "subject", "at", "score", "tokens")
_INSTANTS = frozenset({"started_at", "seen_at", "ended_at", "captured_at"})


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_micros(value)
    return value.value if isinstance(value, Scope) else value


def _session(row: Sequence[Any]) -> Session:
    return Session(**{name: _read(name, value) for name, value in zip(SESSIONS.names, row, strict=True)})


def _read(name: str, value: Any) -> Any:
    return from_micros(value) if name in _INSTANTS and value is not None else value


def _given(one: Receipt) -> tuple[Any, ...]:
    return tuple(_plain(getattr(one, name)) for name in _GIVEN)


def receipt_of(row: Sequence[Any]) -> Receipt:
    """The receipt of a row as stored.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    session, context, memory, scope, channel, at, subject, score, tokens, used_at, used_as = row
    used = None if used_at is None else from_micros(used_at)
    if scope not in set(Scope):
        raise CorruptStoreError("A receipt is not as it was written: its scope is none.")
    return Receipt(
        session=session,
        context=context,
        memory=memory,
        scope=Scope(scope),
        channel=channel,
        at=from_micros(at),
        subject=subject,
        score=score,
        tokens=tokens,
        used_at=used,
        used_as=used_as,
    )
