"""The agent's sessions. Imported by hooks: nothing heavier than the driver may be imported here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from recortex.domain.session import GivenMemory, Outcome, Receipt, Session, Signal
from recortex.domain.text import to_micros, word_of_file
from recortex.storage.database import RECEIPTS, SESSIONS, SIGNALS, Records, read, stored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.domain.session import Channel, Use


class SessionRecords(Records):
    """Sessions, what was given in them, what was seen of them."""

    topic = "sessions"

    def put(self, session: Session) -> None:
        """Keep a session, or bring it up to date."""
        self._named("put", stored(session, SESSIONS.names))

    def get(self, session_id: str) -> Session | None:
        """The session with that id."""
        rows = self._rows("get", session_id)
        return read(Session, SESSIONS.names, rows[0]) if rows else None

    def ids_beginning(self, prefix: str) -> list[str]:
        """At most three ids that begin so."""
        return self._column("beginning", prefix, prefix + "\U0010ffff")

    def recent(self, limit: int) -> list[Session]:
        """The sessions that were seen last, latest first."""
        return [read(Session, SESSIONS.names, row) for row in self._rows("recent", limit)]

    def cited(self, paths: Sequence[str]) -> list[str]:
        """Those files that some memory is about, or that an exchange decided something about, each once."""
        return self._column("cited", json.dumps([(path, word_of_file(path)) for path in paths]))

    def unknown_transcripts(self, transcripts: Sequence[tuple[str, float]]) -> list[str]:
        """Those transcripts (path, seconds of the last change) younger than the store and unknown to it."""
        return self._column("unknown_transcripts", json.dumps(transcripts))

    def captured(self, session_id: str, at: datetime, *, size: int, told: str) -> None:
        """Note that a session was learned from, up to a size of its transcript."""
        self._rows("captured", session_id, to_micros(at), size, told)

    def give(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        """Keep those whose memory was not given before in the same context of the session.

        Returns the kept ones.
        """
        with self._database.transaction():
            return [one for one in receipts if self._named("give", stored(one, RECEIPTS.names))]

    def give_again(self, receipts: Sequence[Receipt]) -> None:
        """Bring receipts up to date whose memory was given again, since it changed or somebody asked."""
        with self._database.transaction():
            for one in receipts:
                given = (one.session, one.context, one.memory)
                self._rows("give_again", *given, to_micros(one.at), one.score, one.tokens)

    def move_receipts(self, memory: str, successor: str) -> list[tuple[str, int]]:
        """Let receipts of a memory be its successor's, but where that was given in the same context."""
        with self._database.transaction():
            return [(session, context) for session, context in self._rows("move_receipts", memory, successor)]

    def return_receipts(self, successor: str, memory: str, given: Sequence[tuple[str, int]]) -> None:
        """Let receipts be those of a memory again, by session and context."""
        with self._database.transaction():
            for session, context in given:
                self._rows("return_receipt", successor, memory, session, context)

    def receipts(self, session_id: str) -> list[Receipt]:
        """What was given in a session, in order."""
        return [read(Receipt, RECEIPTS.names, row) for row in self._rows("receipts", session_id)]

    def receipts_of(self, memory: str, limit: int) -> list[Receipt]:
        """When a memory was given, latest first."""
        return [read(Receipt, RECEIPTS.names, row) for row in self._rows("receipts_of", memory, limit)]

    def outcomes(self, memories: Sequence[str], channels: Sequence[Channel]) -> dict[str, Outcome]:
        """What became of those memories that were given on one of these channels, or used on any."""
        rows = self._rows("outcomes", json.dumps(list(memories)), json.dumps(list(channels)))
        return {memory: Outcome(given, used) for memory, given, used in rows}

    def used_lately(self, limit: int) -> list[str]:
        """Memories that were used after they were given, the latest first."""
        return self._column("used_lately", limit)

    def mark_used(self, receipt: Receipt, at: datetime, use: Use) -> bool:
        """Note the first use of what was given; False where one was noted before."""
        given = (receipt.session, receipt.context, receipt.memory)
        return bool(self._rows("mark_used", *given, to_micros(at), use))

    def note(self, signals: Sequence[Signal]) -> None:
        """Keep what was seen."""
        with self._database.transaction():
            self._each("note", [stored(one, SIGNALS.written) for one in signals])

    def signals(self, session_id: str) -> list[Signal]:
        """What was seen in a session, in order."""
        return [read(Signal, SIGNALS.written, row) for row in self._rows("signals", session_id)]

    def has_failed(self, session_id: str, digest: str) -> bool:
        """Whether a command failed in a session and was not seen to work since."""
        return bool(self._rows("failed", session_id, digest))

    def remembered_since(self, at: datetime) -> bool:
        """Whether an agent or a person remembered anything since a time, new or known before."""
        return bool(self._rows("remembered_since", to_micros(at)))

    def find_between(self, since: datetime, until: datetime) -> list[Session]:
        """The sessions that were last seen within a time."""
        return [read(Session, SESSIONS.names, row) for row in self._between("seen", since, until)]

    def given(self, since: datetime, until: datetime) -> list[GivenMemory]:
        """What was given within a time, by memory and channel."""
        rows = self._between("given", since, until)
        return [GivenMemory(memory, channel, *map(int, sums)) for memory, channel, *sums in rows]

    def asked(self, since: datetime, until: datetime) -> list[tuple[str, str]]:
        """Subject and digest of each question within a time, in order."""
        return [(subject, digest) for subject, digest in self._between("asked", since, until)]

    def repeats_saved(self, since: datetime, until: datetime) -> int:
        """Tokens of warnings that later accesses to their file did not bring again."""
        return int(self._between("repeats_saved", since, until)[0][0])

    def _between(self, query: str, since: datetime, until: datetime) -> Sequence[tuple[Any, ...]]:
        return self._rows(query, to_micros(since), to_micros(until))

    def forget_before(self, at: datetime) -> int:
        """Remove what is noted of sessions that were last seen before.

        Returns how many, a thousand at most.
        """
        with self._database.transaction():
            old = self._column("old", to_micros(at))
            ids = json.dumps(old)
            for part in ("forget_receipts", "forget_signals", "forget_sessions"):
                self._rows(part, ids)
        return len(old)

    def forget_text(self, text: str) -> None:
        """Remove every signal that holds a text, for a purge."""
        self._rows("forget_text", text)
