"""What of exchanges replicates, where the project shares them, and how they look in a teammate's store.

An exchange is what was said, so a version of it follows another only where it has grown. Never sent: vectors,
files, commands, commits and folders of the machine, what another installation exported, and what a teammate
said.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recortex.codec import convert
from recortex.domain.exchange import TEAM, Exchange
from recortex.domain.text import clean
from recortex.engines.exchanges.service import of_teammate
from recortex.engines.ingestion.output_redaction import record_redacted
from recortex.engines.privacy import redact_json
from recortex.errors import InvalidInputError
from recortex.hashes import sha256
from recortex.lean import msgspec
from recortex.sync.protocol import canonical

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.sync.bodies import Body

EXCHANGE = "exchange:"
"""What the record of an exchange begins with; its id follows."""
_FIELDS = (
    "session", "client", "opener", "first_turn", "last_turn", "root_turn", "part", "started_at", "ended_at",
    "asked", "message", "opening", "conclusion", "ending",
)  # fmt: skip
_HEX, _DIGITS = frozenset("0123456789abcdef"), 32
_SENT = frozenset({"person", "program", "agent", "document", "summary"})


def is_own(exchange: Exchange) -> bool:
    """Whether an exchange is of a session of this person."""
    return exchange.opener in _SENT and not exchange.session.startswith(TEAM)


def exchange_body(exchange: Exchange, root: Path) -> Body:
    """What of an exchange replicates: without secrets, and without the places of this machine.

    Args:
        exchange: of a session of this person.
        root: the project's folder; files below it are told by their path in it.
    """
    plain: Body = msgspec.to_builtins(record_redacted(exchange))
    body: Body = redact_json({name: plain[name] for name in _FIELDS})[0]
    return {k: _without_places(v, root) if isinstance(v, str) else v for k, v in body.items()}


def exchange_of(body: Body, id_: str, author: str, now: datetime) -> Exchange:
    """A teammate's exchange as this store keeps it.

    Raises:
        InvalidInputError: it is none, or of a kind that this program does not know.
    """
    known = {name: body[name] for name in _FIELDS if name in body}
    exchange = convert({**known, "id": id_}, Exchange)
    if exchange.opener not in _SENT or not (len(id_) == _DIGITS and _HEX.issuperset(id_)):
        raise InvalidInputError("It is no exchange that this program knows.")
    return of_teammate(exchange, clean(author), now)


def mark_of(body: Body) -> int:
    """A number that tells what an exchange says, by which it is seen that it has grown."""
    return int(sha256(canonical(body).encode()).hexdigest()[:13], 16) + 1


def _without_places(text: str, root: Path) -> str:
    for folder, instead in ((root, "."), (Path.home(), "~")):
        for spelt in {str(folder), folder.as_posix(), str(folder).replace("\\", "\\\\")}:
            if len(spelt) > 1:
                text = text.replace(spelt, instead)
    return text
