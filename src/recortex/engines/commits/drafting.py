"""Makes the memory of what a commit tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from recortex.domain.expressions import lazy
from recortex.domain.kinds import Kind
from recortex.domain.memory import Source
from recortex.domain.vocabulary import CONFIDENCE_WORDS, Origin, Status
from recortex.engines.extraction.subject import domain_of
from recortex.engines.ingestion.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.commit import Commit
    from recortex.domain.links import FileLink
    from recortex.engines.commits.message import Message
    from recortex.engines.commits.rules import Form, Told

RULE = "commit_"
"""What the rules begin with by which memories were made of commits; the form follows."""
NOTED = "commit"
"""Where its metadata tells of the commit: by what it is known again in a history that was rewritten."""
TAKEN = "took"
"""Where it says what a decision took, by which a later one that gives it up finds it."""
MOST_FILES = 10
_KINDS: dict[Form, Kind] = {
    "revert": Kind("incident"),
    "fix": Kind("incident"),
    "decision": Kind("decision"),
    "rationale": Kind("pattern_rationale"),
}
_WORD = lazy(r"[\w.+#-]+")
_SMALL = frozenset(
    [
        "the",
        "a",
        "an",
        "our",
        "own",
        "new",
        "old",
        "all",
        "of",
        "for",
        "in",
        "to",
        "and",
        "on",
        "using",
        "use",
    ]
)


def draft_of(commit: Commit, message: Message, told: Told, files: Sequence[FileLink]) -> Draft:
    """The memory of a commit.

    Args:
        commit: the commit.
        message: its message as it was read.
        told: what it tells.
        files: those that it touched and that are still there.
    """
    said = f"{message.subject} {told.prose}"
    return Draft(
        kind=_KINDS[told.form],
        content={name: value for name, value in _content(commit, message, told).items() if value},
        confidence=CONFIDENCE_WORDS["high" if told.sure else "medium"],
        tags=("git", *([message.scope.lower()] if message.scope else [])),
        domain=domain_of(said),
        files=tuple(files[:MOST_FILES]),
        source=Source(
            rule=f"{RULE}{told.form}", commit=commit.hash, speaker=commit.author, quote=message.raw
        ),
        origin=Origin.REPOSITORY,
        status=Status.ACTIVE if told.sure else Status.PROPOSED,
        valid_from=commit.at,
        metadata={NOTED: noted(commit, message, told)},
    )


def noted(commit: Commit, message: Message, told: Told) -> dict[str, Any]:
    """What the metadata says of the commit."""
    more: dict[str, Any] = {"pull": message.pull} if message.pull else {}
    more |= {"trailers": list(message.trailers)} if message.trailers else {}
    more |= {TAKEN: list(taken)} if (taken := things_taken(told)) else {}
    return {"written": int(commit.at.timestamp()), "subject": message.raw, **more}


def key_of(noted: Any) -> tuple[int, str] | None:
    """By what a commit is known again: when it was written, and its first line."""
    if isinstance(noted, dict) and isinstance(noted.get("written"), int):
        return noted["written"], str(noted.get("subject", ""))
    return None


def _content(commit: Commit, message: Message, told: Told) -> dict[str, Any]:
    subject = message.subject
    if message.gist == subject:  # what names a part of the program keeps its spelling
        subject = subject[:1].upper() + subject[1:]
    if told.form == "decision":
        return {"decision": f"{subject}.", "rationale": told.prose, "decided_by": commit.author}
    if told.form == "rationale":
        return {"pattern_name": subject, "rationale": told.prose, "introduced_when": f"{commit.at:%Y-%m-%d}"}
    title = f"Reverted: {told.undone}" if told.form == "revert" and told.undone else subject
    cause = told.cause if told.cause != told.prose else ""
    return {
        "title": title,
        "description": told.prose or told.cause or f"{told.undone} was reverted; no reason is given.",
        "root_cause": cause if told.prose else "",
        "occurred_at": f"{commit.at:%Y-%m-%d}",
    }


def thing(name: str) -> str:
    """A name of something that decisions take or give up, as it is compared: its words without small ones."""
    words = [word.strip(".-").lower() for word in _WORD.findall(re.sub(r"[`\"']", "", name))]
    return " ".join(word for word in words if word and word not in _SMALL)


def things_taken(told: Told) -> tuple[str, ...]:
    """What a decision took, as it is compared: of a minimum version, what it is of."""
    if told.form != "decision":
        return ()
    return (f"minimum {told.topic}",) if told.topic else tuple(filter(None, (thing(told.new),)))
