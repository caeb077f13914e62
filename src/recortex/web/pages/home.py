"""What waits for the person, what memory brought, and the one search; health, projects and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.access import Right
from recortex.domain.kinds import KINDS
from recortex.domain.vocabulary import Status
from recortex.lean import replace
from recortex.operations.base import MAX_LIMIT, Among, RecallQuestion
from recortex.operations.reviewing import Review
from recortex.operations.searching import SearchOperations
from recortex.web.desk import HERE
from recortex.web.pages.view import Gone, Page, Shown

if TYPE_CHECKING:
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
