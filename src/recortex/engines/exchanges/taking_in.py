"""Exchanges that come into a store by another installation's export."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from recortex.domain.cleaning import clean
from recortex.domain.exchange import MOST_ASKED, MOST_CONCLUSION, MOST_MESSAGE, MOST_WORK
from recortex.domain.injection import strip_injected
from recortex.engines.privacy import redact

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.domain.exchange import Exchange

FOREIGN = "imported:"
"""What the session of an exchange begins with that another installation exported."""
_OPENING, _PLACE, _COMMAND, _ENTRIES = 240, 200, 160, 12
_LAST_TURN = 2**31 - 1


def foreign(exchange: Exchange, now: datetime) -> Exchange:
    """An exchange that somebody else wrote, as it may be kept here.

    It is nobody's word here, and waits: it is opened by its id or session, and answers no question.
    Its id and session are none that a session of this machine can have, so that it neither takes the place of
    an exchange nor is gone on with. It is redacted, cleaned of markup, and not longer than ours.
    """
    cut = _with_texts(exchange)
    first = min(max(exchange.first_turn, 0), _LAST_TURN)
    digest = blake2b(f"{FOREIGN}{exchange.id}".encode("utf-8", "replace"), digest_size=16).hexdigest()
    return replace(
        cut,
        id=digest,
        session=f"{FOREIGN}{cut.session}"[:_PLACE],
        opener="imported",
        first_turn=first,
        last_turn=min(max(exchange.last_turn, first), _LAST_TURN),
        root_turn=min(max(exchange.root_turn, 0), first),
        part=min(max(exchange.part, 0), _LAST_TURN),
        started_at=exchange.started_at and min(exchange.started_at, now),
        ended_at=exchange.ended_at and min(exchange.ended_at, now),
    )


def _harmless(text: str, most: int) -> str:
    return redact(clean(strip_injected(text)[0])).text[:most]


def _listed(texts: tuple[str, ...], most: int) -> tuple[str, ...]:
    return tuple(_harmless(text, most) for text in texts[:_ENTRIES])


def _with_texts(exchange: Exchange) -> Exchange:
    """An exchange with harmless texts, each no longer than one of ours."""
    most = MOST_WORK if exchange.part else MOST_CONCLUSION
    return replace(
        exchange,
        session=_harmless(exchange.session, _PLACE),
        client=_harmless(exchange.client, _PLACE),
        asked=_harmless(exchange.asked, MOST_ASKED),
        message=_harmless(exchange.message, MOST_MESSAGE),
        opening=_harmless(exchange.opening, _OPENING),
        conclusion=_harmless(exchange.conclusion, most),
        files=_listed(exchange.files, _PLACE),
        failed=_listed(exchange.failed, _COMMAND),
        passed=_listed(exchange.passed, _COMMAND),
        commit=_harmless(exchange.commit, _PLACE),
        branch=_harmless(exchange.branch, _PLACE),
        folder=_harmless(exchange.folder, _PLACE),
    )
