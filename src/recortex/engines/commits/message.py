"""A commit's message as its subject, its own prose and its trailers, without what was pasted into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.engines.decisions.standing import plain
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.commit import Commit

PATTERNS = Patterns(__file__)
_KEPT_TRAILERS = frozenset(
    {"fixes", "closes", "resolves", "refs", "ref", "bug", "issue", "link", "reverts", "reported-by"}
)
MOST_TRAILERS, MOST_SUBJECT = 10, 500
_SQUASHED = 2
"""Items of a list of commits from which on a pull request's body is that list."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a message says.

    Attributes:
        subject: without the type of a conventional commit, and the pull request's number.
        gist: the subject without the part of the program that it may begin with, such as `parser: `.
        raw: the first line as it was written.
        type: of a conventional commit, such as `fix`; empty where it is none.
        scope: the part of the program.
        paragraphs: of its own prose, each on one line.
        listed: those of them that are items of a list.
        trailers: that say what it belongs to, such as `Fixes: 1a2b3c4d`.
        pull: the number of the pull request; 0: none is named.
        merge: it only brings branches together, and has no text of its own.
    """

    subject: str
    gist: str
    raw: str
    type: str
    scope: str
    paragraphs: tuple[str, ...]
    listed: frozenset[str]
    trailers: tuple[str, ...]
    pull: int
    merge: bool

    @property
    def body(self) -> str:
        """Its prose on one line."""
        return " ".join(self.paragraphs)

    @property
    def explained(self) -> tuple[str, ...]:
        """The paragraphs that are no items: a list tells what changed."""
        return tuple(one for one in self.paragraphs if one not in self.listed)


def read_message(commit: Commit) -> Message:
    """Read the message of a commit; of a merged pull request its title and text are the message."""
    lines = PATTERNS.comment.sub("", commit.message.replace("\r\n", "\n")).strip().split("\n")
    raw, rest, pull = lines[0].strip()[:MOST_SUBJECT], lines[1:], 0
    subject, merge = raw, False
    if merged := PATTERNS.merged_pull.match(raw):
        pull = int(merged[1] or merged[2])
        title, rest = _titled(rest)
        subject = title[:MOST_SUBJECT]
        merge = not subject
    elif PATTERNS.merged_branch.match(raw) or (len(commit.parents) > 1 and PATTERNS.merge.match(raw)):
        merge = True
    if numbered := PATTERNS.pull.search(subject):
        pull, subject = int(numbered[1]), subject[: numbered.start()]
    typed = PATTERNS.typed.match(subject)
    subject = plain(subject[typed.end() :] if typed else subject).rstrip(" .")
    part = None if typed else PATTERNS.part.match(subject)
    named = typed or part
    paragraphs = list(_paragraphs(list(_own(rest))))
    return Message(
        subject=subject,
        gist=subject[part.end() :] if part else subject,
        raw=raw,
        type=typed["type"].lower() if typed else "",
        scope=(named["scope"] or "") if named else "",
        paragraphs=tuple(text for text, _ in paragraphs),
        listed=frozenset(text for text, listed in paragraphs if listed),
        trailers=tuple(_trailers(rest))[:MOST_TRAILERS],
        pull=pull,
        merge=merge,
    )


def _titled(lines: Sequence[str]) -> tuple[str, list[str]]:
    """The first line that says something, and those after it."""
    for place, line in enumerate(lines):
        if line.strip():
            return line.strip(), list(lines[place + 1 :])
    return "", []


def _own(lines: Sequence[str]) -> Iterator[str]:
    """The lines that somebody wrote for this message: no code, log, quotation, trailer or list of commits."""
    squashed = sum(line.startswith("* ") for line in lines) >= _SQUASHED
    fenced = within = conflicts = False
    for line in lines:
        conflicts = bool(PATTERNS.conflicts.match(line)) or (conflicts and bool(PATTERNS.file.match(line)))
        if conflicts:
            yield ""
            continue
        if PATTERNS.fence.match(line):
            fenced = not fenced
            continue
        if (
            fenced
            or PATTERNS.not_prose.match(line)
            or PATTERNS.trailer.match(line)
            or PATTERNS.refers.match(line.strip() or "-")
        ):
            within = False
            yield ""
        elif squashed and (line.startswith("* ") or (within and line.startswith("  "))):
            within = True
            yield ""
        else:
            within = within and bool(line.strip())
            yield line


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Paragraphs and items as one line each, and whether it is an item."""
    block: list[str] = []
    listed = False
    for line in [*lines, ""]:
        bullet = PATTERNS.bullet.match(line)
        if block and (bullet or not line.strip()):
            text = plain(" ".join(block))
            if text := PATTERNS.introducing.sub("", text):
                yield text, listed
            block = []
        if line.strip():
            listed = bool(bullet) if not block else listed
            block.append(line[bullet.end() :] if bullet else line.strip())


def _trailers(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        found = PATTERNS.trailer.match(line.strip())
        if found and found["name"].lower() in _KEPT_TRAILERS:
            yield PATTERNS.address.sub("", line.strip())
