"""Health and costs, the person's projects, and the tokens of programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.access import Right
from recortex.web.desk import HERE
from recortex.web.pages.view import Gone, Page, Shown

if TYPE_CHECKING:
    from recortex.web.pages.view import View


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


PAGES = (
    Page("GET", "/health", "health", health),
    Page("GET", "/health/checks", "checks", checks, slow=True),
    Page("GET", "/projects", "projects", projects),
    Page("GET", "/tokens", "tokens", tokens),
    Page("POST", "/tokens", "change_tokens", change_tokens),
)
