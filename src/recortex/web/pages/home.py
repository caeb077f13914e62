"""The pages that a person begins with, and those of what the project is known by."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from starlette.responses import Response

from recortex.app.access import Right
from recortex.codec import dumps
from recortex.domain.kinds import KINDS
from recortex.domain.vocabulary import Status
from recortex.errors import RecortexError
from recortex.lean import replace
from recortex.operations.base import MAX_LIMIT, Among, OpenedMemory, RecallQuestion
from recortex.operations.reviewing import Review
from recortex.operations.searching import OpenedChunk, SearchOperations
from recortex.web.answers import HERE, vendored
from recortex.web.guard import POLICY
from recortex.web.pages.view import Gone, Page, Shown

if TYPE_CHECKING:
    from recortex.cortex import Cortex
    from recortex.operations.inspecting import SessionReceipts
    from recortex.operations.reviewing import Reviewed
    from recortex.web.pages.view import View

_LATEST = 8
_GROUPS = 5
"""Subjects of proposals that the first page shows."""
_MOST_WAITING = 200
_PAIRS = 50
_SEARCHED = 20
"""Memories of a search; exchanges and parts of documents come beside them."""


def home(view: View) -> Shown:
    """What waits for a person, what memory brought this week, what was learned last."""
    waiting = _waiting(view)
    return Shown(
        "home.html",
        {
            "waiting": waiting,
            "groups": waiting.groups[:_GROUPS],
            "latest": view.cortex.list(statuses=(Status.ACTIVE,), limit=_LATEST).memories,
        },
    )


def _waiting(view: View) -> Reviewed:
    return view.kept("review", lambda cortex: cortex.review(limit=_MOST_WAITING))


def week(view: View) -> Shown:
    """What memory cost and brought this week, which the first page loads after the rest."""
    report = view.kept("status", lambda cortex: cortex.status())
    return Shown("week.html", {"report": report, "week": report.week})


def doubts(view: View) -> Shown:
    """Active memories in doubt, which the first page loads after the rest."""
    found = view.kept("doubts", lambda cortex: cortex.review(candidates=True, limit=_LATEST))
    return Shown("doubts.html", {"doubts": found.questions or ()})


def search(view: View) -> Shown:
    """One list of everything that answers a question, each with why it stands there."""
    question, as_of = view.text("q"), view.at("as_of")
    statuses = view.words("status", Status) or None
    weak, hidden, found = view.text("all") == "yes", 0, None
    if question:
        asked = RecallQuestion(
            question,
            limit=_SEARCHED,
            kinds=tuple(view.texts("kind")),
            statuses=statuses,
            files=tuple(view.texts("file")),
            among=view.word("among", Among, "all"),
            as_of=as_of,
            explain=True,
            floor=not weak,
        )
        # not `recall`, by which what is found counts as used: a person who looks around is no evidence
        found = SearchOperations.of(view.cortex).answer(asked)
        if not weak:
            strong = [one for one in found.exchanges if not one.weak]
            passages = [one for one in found.documents if not one.weak]
            hidden = len(found.exchanges) + len(found.documents) - len(strong) - len(passages)
            found = replace(found, exchanges=tuple(strong), documents=tuple(passages))
    values = {
        "question": question,
        "found": found,
        "kinds": sorted(KINDS),
        "statuses": list(Status),
        "hidden": hidden,
    }
    return Shown("search.html", values)


def review(view: View) -> Shown:
    """Everything that waits: proposals by subject, contradictions, conflicts of a team, what was flagged."""
    if view.text("all") == "yes":
        waiting = view.kept("review of all", lambda cortex: cortex.review(limit=MAX_LIMIT))
    else:
        waiting = _waiting(view)
    return Shown("review.html", {"waiting": waiting, "groups": waiting.groups})


def decide(view: View) -> Gone:
    """Approve or reject what was chosen, or settle a contradiction or a conflict of a team."""
    action, ids = view.word("action", Review, "list"), view.texts("id")
    if not ids:
        return Gone(view.url("review"), "Nothing was chosen.")
    if keep := view.text("keep"):
        view.cortex.sync("resolve", ids[0], keep=keep)
        return Gone(view.url("review"), "Settled. “Undo the last change” of the memory takes it back.")
    done = view.cortex.review(action, ids)
    said = {"approve": "approved", "reject": "archived", "replace": "settled", "both": "settled"}[done.action]
    number = len(done.memories)
    return Gone(
        view.text("then") or view.url("review"), f"{number} {'memory' if number == 1 else 'memories'} {said}."
    )


def duplicates(view: View) -> Shown:
    """Pairs of memories that may say the same, most alike first."""
    offset = view.number("offset")
    wanted = min(offset + _PAIRS, MAX_LIMIT)
    found = view.kept(f"{wanted} duplicates", lambda cortex: cortex.consolidate(limit=wanted))
    return Shown(
        "duplicates.html",
        {
            "found": found,
            "pairs": found.pairs[offset:],
            "offset": offset,
            "page_size": _PAIRS,
            "total": min(found.total, MAX_LIMIT),
        },
    )


def merge(view: View) -> Gone:
    """Let one memory stand for two, or keep both and ask no more."""
    if view.text("apart"):
        view.cortex.review("both", view.texts("id"))
        return Gone(view.url("duplicates"), "Both are kept, and will not be compared again.")
    done = view.cortex.consolidate("merge", view.texts("id"), text=view.text("text"))
    assert done.merged is not None  # noqa: S101  as nothing was only shown
    return Gone(view.url(f"memories/{done.merged.id}"), "Merged. “Undo the last change” takes it back.")


# -- health and costs, the person's projects, and the tokens of programs


_DAYS = 30
_CHARTED = 180
"""Days of the tables and of the charts."""


def health(view: View) -> Shown:
    """Whether every part works, what memory costs, how it grew."""
    return Shown(
        "health.html",
        {
            "report": view.kept("status", lambda cortex: cortex.status()),
            "metrics": view.kept("metrics", lambda cortex: cortex.metrics(days=_DAYS)),
            "series": view.kept("series", lambda cortex: cortex.inspect(days=_CHARTED).series),
        },
    )


def checks(view: View) -> Shown:
    """The checks of `recortex doctor`, which take longer than a page should."""
    return Shown("checks.html", {"diagnosis": view.cortex.doctor()})


def projects(view: View) -> Shown:
    """All stores of the person on this machine."""
    return Shown("projects.html", {"projects": view.desk.projects(), "first": HERE})


def tokens(view: View) -> Shown:
    """The tokens by which programs and agents come in."""
    return Shown("tokens.html", {"found": view.cortex.tokens(), "rights": list(Right), "secret": ""})


def change_tokens(view: View) -> Shown | Gone:
    """Make a token, which is shown once, or revoke one."""
    if view.text("action") == "revoke":
        view.cortex.tokens("revoke", name=view.text("id"))
        return Gone(view.url("tokens"), "Revoked: it is refused from now on.")
    found = view.cortex.tokens(
        "add", name=view.text("name"), right=view.word("right", Right, Right.READ), days=view.number("days")
    )
    return Shown("tokens.html", {"found": found, "rights": list(Right), "secret": found.secret})


# -- where they lie


PAGES = (
    Page("GET", "/", "home", home),
    Page("GET", "/week", "week", week),
    Page("GET", "/doubts", "doubts", doubts, slow=True),
    Page("GET", "/search", "search", search),
    Page("GET", "/review", "review", review),
    Page("POST", "/review", "decide", decide),
    Page("GET", "/duplicates", "duplicates", duplicates, slow=True),
    Page("POST", "/duplicates", "merge", merge),
    Page("GET", "/health", "health", health),
    Page("GET", "/health/checks", "checks", checks, slow=True),
    Page("GET", "/projects", "projects", projects),
    Page("GET", "/tokens", "tokens", tokens),
    Page("POST", "/tokens", "change_tokens", change_tokens),
)


# -- decisions and why, the map of memories, documents, what is known of code, and past sessions


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


KNOWLEDGE_PAGES = (
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
