"""Commits: which of their messages say something worth keeping, and the memory made of one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from recortex.domain.kinds import Kind
from recortex.domain.memory import Source
from recortex.domain.text import lazy
from recortex.domain.vocabulary import CONFIDENCE_WORDS, Origin, Status
from recortex.engines.extraction.sentences import domain_of
from recortex.engines.privacy import Draft
from recortex.engines.tables import Patterns
from recortex.text.outline import cut, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.code import Commit
    from recortex.domain.memory import FileLink


# -- which commits say nothing that is worth keeping, by who made them, their subject and their files


SKIPPING_PATTERNS = Patterns(__file__, "commits/skipping")
SHORTEST, LONGEST = 12, 140
"""Characters of a subject that can stand for what a commit did."""


def reason_to_skip(commit: Commit, message: Message) -> str:
    """Why a commit is left out before its text is looked at; empty: it is not."""
    subject, type_ = message.gist, message.type
    by_program = SKIPPING_PATTERNS.bot.search(commit.author) or SKIPPING_PATTERNS.bot.search(
        commit.email.partition("@")[0]
    )
    drafted = SKIPPING_PATTERNS.draft.match(message.raw) or SKIPPING_PATTERNS.draft.match(subject)
    version = SKIPPING_PATTERNS.version.match(subject) and not SKIPPING_PATTERNS.minimum.search(subject)
    reasons = (
        (by_program, "made by a program"),
        (message.merge, "a merge without a text"),
        (type_ == "style" or SKIPPING_PATTERNS.form.match(subject), "formatting, wording or tests"),
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
    return typed or (bool(commit.files) and all(SKIPPING_PATTERNS.aside.match(one) for one in commit.files))


# -- what a message tells: a decision, a revert, a mended fault with its cause, a reason for a change


Form = Literal["revert", "decision", "fix", "rationale"]
MOST_PROSE, MOST_CAUSE = 600, 400
LEAST_PROSE = 60
"""Characters of prose below which a body explains nothing (bench/project_records.py)."""
SHORTEST_REASON = 25
PATTERNS = Patterns(__file__, "commits/rules")
_DECISIONS = PATTERNS.forms("decide_")
_OF_SUPPORT = frozenset({"drop_support", "drop_its_support", "minimum", "require"})
_ALONE = 0.9
"""The confidence of a form of decision that is kept without a reason."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a commit tells.

    Attributes:
        form: which rule found it.
        prose: of the body, without what is the cause.
        cause: why, in the message's own sentences.
        sure: nothing in it doubts itself.
        old, new: what a decision gave up, and what it took instead.
        topic: what a minimum version is of; a later one takes its place.
        undone: the title of what a revert undid.
        others: hashes of commits that it names, each with the sentence: of a revert what it undid, of a fix
            what brought the fault.
    """

    form: Form
    prose: str
    cause: str
    sure: bool
    old: str = ""
    new: str = ""
    topic: str = ""
    undone: str = ""
    others: tuple[tuple[str, str], ...] = ()


def read_commit(commit: Commit, message: Message) -> Told | str:
    """What a commit tells, or why nothing of it is kept."""
    if (why := reason_to_skip(commit, message)) and not PATTERNS.revert.match(message.gist):
        return why
    if found := PATTERNS.revert.match(message.gist):
        return _revert(commit, message, found)
    if PATTERNS.reverts.match(message.body) and not PATTERNS.listed.search(commit.message):
        return _revert(commit, message, None)
    if PATTERNS.dangling.match(message.gist):
        return "its subject does not stand alone"
    return (
        _decision(commit, message)
        or _fix(commit, message)
        or _rationale(commit, message)
        or "it gives no reason"
    )


def _revert(commit: Commit, message: Message, found: re.Match[str] | None) -> Told | str:
    title = (found["title"] or found["rest"]) if found else ""
    title = "" if PATTERNS.hash.fullmatch(title) else title
    others = tuple((one["hash"], one[0]) for one in PATTERNS.reverts.finditer(commit.message))
    body = PATTERNS.reverts.sub("", message.body).strip(" .")
    cause = _with(PATTERNS.reason, body) or _with(PATTERNS.cause, body)
    if cause or len(body) >= LEAST_PROSE:
        sure = not PATTERNS.unsure.search(body)
        prose = cut(body, MOST_PROSE)
        return Told("revert", prose, cut(cause, MOST_CAUSE), sure=sure, undone=title, others=others)
    # kept only where what it undid is remembered
    alone = Told("revert", "", "", sure=True, undone=title or message.subject, others=others)
    return alone if others else "a revert without a reason"


def _decision(commit: Commit, message: Message) -> Told | None:
    for form in _DECISIONS:
        found = form.pattern.match(message.gist)
        if not found:
            continue
        reason = _with(PATTERNS.reason, message.body) or _with(PATTERNS.cause, message.body)
        # what a project supports may be said beside its code alone, other decisions not without a reason
        aside = form.name not in _OF_SUPPORT and is_aside(commit, message)
        if not reason and (form.confidence < _ALONE or aside or PATTERNS.code.search(message.subject)):
            return None
        groups = found.groupdict()
        listed = (groups["more"] or "").startswith(",")  # of several things: which is which is not known
        old, new = ("" if listed else (groups.get(name) or "").strip() for name in ("old", "new"))
        prose = cut(message.body, MOST_PROSE)
        sure = not PATTERNS.unsure.search(f"{message.subject} {message.body}")
        topic = PATTERNS.topic.search(message.subject) if PATTERNS.minimum.search(message.subject) else None
        about = topic[0].lower().replace("msrv", "rust").replace("rustc", "rust") if topic else ""
        return Told("decision", prose, cut(reason, MOST_CAUSE), sure=sure, old=old, new=new, topic=about)
    return None


def _fix(commit: Commit, message: Message) -> Told | None:
    fixes = message.type in {"fix", "bugfix", "hotfix"} or PATTERNS.fix.match(message.gist)
    # The commits that a message names as where a fault came from, with the sentence.
    found: list[tuple[str, str]] = []
    for text in (*message.trailers, *_sentences(message.body)):
        for one in PATTERNS.fixed.finditer(text):
            hash_ = (one["trailer"] or one["hash"]).lower()
            # Digits alone are mostly the number of something, and letters alone a word such as "defaced".
            if any(map(str.isdigit, hash_)) and any(map(str.isalpha, hash_)):
                found.append((hash_, text))
    others = tuple(found)
    if not (fixes or others) or is_aside(commit, message):
        return None
    cause = _with(PATTERNS.cause, message.body)
    if not cause or len(message.body) < LEAST_PROSE:
        return None
    rest = cut(" ".join(one for one in _sentences(message.body) if one not in cause), MOST_PROSE)
    sure = not PATTERNS.unsure.search(message.body)
    return Told("fix", rest, cut(cause, MOST_CAUSE), sure=sure, others=others)


def _rationale(commit: Commit, message: Message) -> Told | None:
    """The reason for a way of doing things; that a feature is there, and what changed, is none."""
    # What was moved, renamed or reworded needs no reason that anybody asks for later.
    if PATTERNS.moves.match(message.gist) or is_aside(commit, message):
        return None
    feature = message.type in {"feat", "feature"} or PATTERNS.feature.match(message.gist)
    gives = [one for one in message.explained if _reasons(one, feature=bool(feature))]
    reason, prose = " ".join(_reasons(one, feature=bool(feature)) for one in gives), " ".join(gives)
    if (
        (not reason or len(prose) < LEAST_PROSE)
        and PATTERNS.in_subject.search(message.subject)
        and not feature
    ):
        reason, prose = message.subject, f"{message.subject}. {' '.join(message.explained)}".strip()
    if not reason or len(prose) < LEAST_PROSE:
        return None
    sure = not PATTERNS.unsure.search(f"{message.subject} {prose}")
    return Told("rationale", cut(prose, MOST_PROSE), cut(reason, MOST_CAUSE), sure=sure)


def _reasons(paragraph: str, *, feature: bool) -> str:
    """The sentences that say why something is done in a way: by a reason, or an aim with the way to it.

    Args:
        paragraph: of a message.
        feature: the message adds something: then why it is there is no reason for how it is done.
    """
    found = []
    for sentence in _sentences(paragraph):
        way = PATTERNS.way.search(sentence)
        why = PATTERNS.strong.search(sentence) and (way or not feature)
        aim = PATTERNS.aim.search(sentence) and way
        gives = why or aim or PATTERNS.meant.search(sentence)
        if gives and not sentence.endswith(":") and not PATTERNS.talk.search(sentence):
            found.append(sentence)
    return " ".join(one for one in found if len(one) >= SHORTEST_REASON)


def _sentences(text: str) -> list[str]:
    return PATTERNS.sentence.split(text) if text else []


def _with(pattern: re.Pattern[str], text: str) -> str:
    """The sentences in which an expression occurs, in order."""
    found = (one for one in _sentences(text) if pattern.search(one) and not one.endswith(":"))
    return " ".join(one for one in found if len(one) >= SHORTEST_REASON)


# -- makes the memory of what a commit tells


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
    """
    the a an our own new old all of for in to and on using use
    """.split()
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


# -- A commit's message as its subject, its own prose and its trailers, without what was pasted into it


MESSAGE_PATTERNS = Patterns(__file__, "commits/message")
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
    lines = MESSAGE_PATTERNS.comment.sub("", commit.message.replace("\r\n", "\n")).strip().split("\n")
    raw, rest, pull = lines[0].strip()[:MOST_SUBJECT], lines[1:], 0
    subject, merge = raw, False
    if merged := MESSAGE_PATTERNS.merged_pull.match(raw):
        pull = int(merged[1] or merged[2])
        title, rest = _titled(rest)
        subject = title[:MOST_SUBJECT]
        merge = not subject
    elif MESSAGE_PATTERNS.merged_branch.match(raw) or (
        len(commit.parents) > 1 and MESSAGE_PATTERNS.merge.match(raw)
    ):
        merge = True
    if numbered := MESSAGE_PATTERNS.pull.search(subject):
        pull, subject = int(numbered[1]), subject[: numbered.start()]
    typed = MESSAGE_PATTERNS.typed.match(subject)
    subject = plain(subject[typed.end() :] if typed else subject).rstrip(" .")
    part = None if typed else MESSAGE_PATTERNS.part.match(subject)
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
        conflicts = bool(MESSAGE_PATTERNS.conflicts.match(line)) or (
            conflicts and bool(MESSAGE_PATTERNS.file.match(line))
        )
        if conflicts:
            yield ""
            continue
        if MESSAGE_PATTERNS.fence.match(line):
            fenced = not fenced
            continue
        if (
            fenced
            or MESSAGE_PATTERNS.not_prose.match(line)
            or MESSAGE_PATTERNS.trailer.match(line)
            or MESSAGE_PATTERNS.refers.match(line.strip() or "-")
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
    # The empty line closes the last block.
    for line in [*lines, ""]:
        bullet = MESSAGE_PATTERNS.bullet.match(line)
        if block and (bullet or not line.strip()):
            text = plain(" ".join(block))
            if text := MESSAGE_PATTERNS.introducing.sub("", text):
                yield text, listed
            block = []
        if line.strip():
            listed = bool(bullet) if not block else listed
            block.append(line[bullet.end() :] if bullet else line.strip())


def _trailers(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        found = MESSAGE_PATTERNS.trailer.match(line.strip())
        if found and found["name"].lower() in _KEPT_TRAILERS:
            # Who reported something may be kept, their address not.
            yield MESSAGE_PATTERNS.address.sub("", line.strip())
