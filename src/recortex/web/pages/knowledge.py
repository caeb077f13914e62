"""Decisions and why, the map of memories, documents, what is known of code, and past sessions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from starlette.responses import Response

from recortex.codec import dumps
from recortex.errors import RecortexError
from recortex.operations.base import MAX_LIMIT, OpenedMemory
from recortex.operations.searching import OpenedChunk
from recortex.web.answers import vendored
from recortex.web.guard import POLICY
from recortex.web.pages.view import Gone, Page, Shown

if TYPE_CHECKING:
    from recortex.cortex import Cortex
    from recortex.operations.inspecting import SessionReceipts
    from recortex.web.pages.view import View


_LISTED = 50
_DRAWN = 400
"""Memories on the map."""
_SHARED = range(2, 60)
"""How many memories a file joins: what nearly all of them are about joins nothing."""
_DECISIONS = ("decision",)
_PICTURES = {"svg": "image/svg+xml", "mermaid": "text/plain", "dot": "text/plain"}


def decisions(view: View) -> Shown:
    """Decisions that hold, or held at a time; and why something is as it is."""
    about = view.text("about")
    return Shown(
        "decisions.html",
        {
            "about": about,
            "why": view.cortex.why(about) if about else None,
            "found": view.cortex.list(
                kinds=_DECISIONS,
                valid_at=view.at("valid_at"),
                limit=_LISTED,
                offset=view.number("offset"),
            ),
            "offset": view.number("offset"),
            "page_size": _LISTED,
        },
    )


def picture(view: View) -> Response:
    """The chain of what led to something, as a picture or as text to take along."""
    form = view.place["form"]
    kind = _PICTURES.get(form, "")
    if not kind:
        return Response("There is no such picture.", 404, media_type="text/plain")
    drawn = view.cortex.why(view.text("about"), format=cast("Any", form)).picture
    # A picture's own style, which the page's policy would not let it have.
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return Response(drawn, media_type=kind, headers={"content-security-policy": policy})


def map_(_: View) -> Shown:
    """Clusters of memories on one canvas."""
    policy = POLICY.format(styles="".join(f" '{one}'" for one in vendored()["force-graph"]["styles"]))
    return Shown("map.html", {"drawn": _DRAWN}, {"content-security-policy": policy})


def map_data(view: View) -> Response:
    """The memories of the map and their relations."""
    return Response(view.kept("map", _map), media_type="application/json")


def _map(cortex: Cortex) -> bytes:
    """Memories with what joins them: their relations, and the files that several of them are about."""
    found = {one.id: one for one in cortex.list(order="importance", limit=MAX_LIMIT).memories}
    links = [(one.source_id, one.target_id) for one in cortex.relations_among(list(found))]
    about = Counter(link.path for one in found.values() for link in one.files)
    links += [
        (one.id, link.path) for one in found.values() for link in one.files if about[link.path] in _SHARED
    ]
    joined = Counter(end for ends in links for end in ends)
    # the sort is stable: of those that are joined alike, the important ones stay first
    shown = [found[id_] for id_ in sorted(found, key=lambda id_: -joined[id_])[:_DRAWN] if joined[id_]]
    shown = shown or list(found.values())[:_DRAWN]
    nodes = [
        {"id": one.id, "kind": one.kind, "name": one.summary or one.text[:120], "weight": one.priority}
        for one in shown
    ]
    drawn = {one.id for one in shown}
    files = {end for ends in links if ends[0] in drawn for end in ends[1:] if end in about}
    nodes += [{"id": path, "kind": "file", "name": path, "weight": 8} for path in sorted(files)]
    drawn |= files
    ends = [{"source": one, "target": other} for one, other in links if one in drawn and other in drawn]
    return dumps({"nodes": nodes, "links": ends})


def documents(view: View) -> Shown:
    """Documents that were read in, and a search in them."""
    question = view.text("q")
    found = view.cortex.recall(question, among="documents", limit=20) if question else None
    known = view.cortex.documents_known()
    return Shown("documents.html", {"question": question, "found": found, "known": known})


def code(view: View) -> Shown:
    """What is known of a file or a symbol."""
    about = view.text("about")
    return Shown(
        "code.html",
        {
            "about": about,
            "why": view.cortex.why(about) if about else None,
            "status": None if about else view.cortex.code().status,
        },
    )


# -- past sessions: a timeline, one with its exchanges and what was given in it, and one record whole


_SESSIONS_LISTED = 25


def sessions(view: View) -> Shown:
    """Sessions, latest first, or those in which something was said."""
    offset = view.number("offset")
    found = view.cortex.sessions(
        view.text("q"),
        branch=view.text("branch"),
        since=view.at("since"),
        until=view.at("until"),
        limit=_SESSIONS_LISTED,
        offset=offset,
    )
    return Shown("sessions.html", {"found": found, "offset": offset, "page_size": _SESSIONS_LISTED})


def session(view: View) -> Shown:
    """One session: what was asked and answered, what was given when, what was learned."""
    id_, offset = view.place["id"], view.number("offset")
    found = view.cortex.sessions(session=id_, limit=_SESSIONS_LISTED, offset=offset)
    return Shown(
        "session.html",
        {
            "found": found,
            "one": found.sessions[0],
            "receipts": _receipts(view, found.sessions[0].session),
            "offset": offset,
            "page_size": _SESSIONS_LISTED,
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


# -- where they lie


PAGES = (
    Page("GET", "/decisions", "decisions", decisions),
    Page("GET", "/pictures/{form}", "picture", picture),
    Page("GET", "/map", "map", map_),
    Page("GET", "/map.json", "map_data", map_data),
    Page("GET", "/documents", "documents", documents),
    Page("GET", "/code", "code", code),
    Page("GET", "/sessions", "sessions", sessions),
    Page("GET", "/sessions/{id}", "session", session),
    Page("GET", "/records/{id}", "record", record),
)
