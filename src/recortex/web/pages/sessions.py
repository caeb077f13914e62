"""Past sessions: a timeline, one with its exchanges and what was given in it, and one record whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.errors import RecortexError
from recortex.operations.base import OpenedMemory
from recortex.operations.searching import OpenedChunk
from recortex.web.pages.view import Gone, Page, Shown

if TYPE_CHECKING:
    from recortex.operations.inspecting import SessionReceipts
    from recortex.web.pages.view import View

_LISTED = 25


def sessions(view: View) -> Shown:
    """Sessions, latest first, or those in which something was said."""
    offset = view.number("offset")
    found = view.cortex.sessions(
        view.text("q"),
        branch=view.text("branch"),
        since=view.at("since"),
        until=view.at("until"),
        limit=_LISTED,
        offset=offset,
    )
    return Shown("sessions.html", {"found": found, "offset": offset, "page_size": _LISTED})


def session(view: View) -> Shown:
    """One session: what was asked and answered, what was given when, what was learned."""
    id_, offset = view.place["id"], view.number("offset")
    found = view.cortex.sessions(session=id_, limit=_LISTED, offset=offset)
    return Shown(
        "session.html",
        {
            "found": found,
            "one": found.sessions[0],
            "receipts": _receipts(view, found.sessions[0].session),
            "offset": offset,
            "page_size": _LISTED,
        },
    )


def _receipts(view: View, session: str) -> SessionReceipts | None:
    """What hooks gave in a session; of imported ones nothing is known."""
    try:
        return view.cortex.inspect(session=session).receipts
    except RecortexError:
        return None


def record(view: View) -> Shown | Gone:
    """What was said, or a part of a document, whole and with what stands around it."""
    found = view.cortex.get(view.place["id"], around=2)
    if isinstance(found, OpenedMemory):
        return Gone(view.url(f"memories/{found.id}"))
    if isinstance(found, OpenedChunk):
        return Shown("chunk.html", {"found": found})
    return Shown("exchange.html", {"found": found})


PAGES = (
    Page("GET", "/sessions", "sessions", sessions),
    Page("GET", "/sessions/{id}", "session", session),
    Page("GET", "/records/{id}", "record", record),
)
