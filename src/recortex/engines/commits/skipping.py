"""Which commits say nothing that is worth keeping, by who made them, their subject and their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from recortex.domain.commit import Commit
    from recortex.engines.commits.message import Message

PATTERNS = Patterns(__file__)
SHORTEST, LONGEST = 12, 140
"""Characters of a subject that can stand for what a commit did."""


def reason_to_skip(commit: Commit, message: Message) -> str:
    """Why a commit is left out before its text is looked at; empty: it is not."""
    subject, type_ = message.gist, message.type
    by_program = PATTERNS.bot.search(commit.author) or PATTERNS.bot.search(commit.email.partition("@")[0])
    drafted = PATTERNS.draft.match(message.raw) or PATTERNS.draft.match(subject)
    version = PATTERNS.version.match(subject) and not PATTERNS.minimum.search(subject)
    reasons = (
        (by_program, "made by a program"),
        (message.merge, "a merge without a text"),
        (type_ == "style" or PATTERNS.form.match(subject), "formatting, wording or tests"),
        (type_ == "wip" or drafted, "unfinished work"),
        (type_ == "release" or version, "version or release"),
        (
            not SHORTEST <= len(message.subject) <= LONGEST,
            "its subject is too short or too long to stand alone",
        ),
    )
    return next((why for found, why in reasons if found), "")


def is_aside(commit: Commit, message: Message) -> bool:
    """Whether a commit touches nothing but tests, documentation and the like."""
    typed = message.type in {"test", "tests", "docs", "doc", "ci", "chore"}
    return typed or (bool(commit.files) and all(PATTERNS.aside.match(one) for one in commit.files))
