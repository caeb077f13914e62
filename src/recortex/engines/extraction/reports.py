"""Rules for reports: compaction summaries, and the structured message with which an agent ends its work.

A summary is the richest part of a session: its sections say which statements were errors with fixes,
which were decisions and which were only plans. Sections that hold plans, the person's messages or the
state of the work are not read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.engines.extraction.cues import assertion, assertions
from recortex.engines.extraction.drafting import Finding
from recortex.engines.extraction.entries import entries, repair, sections, titled
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.sentences import plain, sentences, statement
from recortex.engines.extraction.standing import identifiers, objection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.engines.extraction.passages import Passage

_SUMMARY_MARK = re.compile(
    r"^\s*(?:</analysis>\s*)?(?:<summary>|<state_snapshot>|\**Summary:?\**\s*$)", re.MULTILINE
)
_IS_SUMMARY = re.compile(r"primary request and intent|key technical concepts|<state_snapshot>", re.IGNORECASE)
_ERRORS = re.compile(r"\b(?:errors?|fix(?:es|ed)?|bugs?|troubleshooting|gotchas?)\b", re.IGNORECASE)
_LESSONS = re.compile(
    r"\b(?:decisions?|learn(?:ed|ings?)|lessons|discover(?:ies|ed)|findings|insights?|knowledge|gotchas?|caveats|"
    r"constraints?|conventions?|preferences?|architecture|notes?|how it works|root cause|why|problem solving|"
    r"technical concepts|design|key (?:points|differences|facts)|limitations?)\b",
    re.IGNORECASE,
)
_UNREAD = re.compile(
    r"\b(?:user messages?|pending|next steps?|current (?:work|state|plan|status)|to-?dos?|remaining|analysis|primary request|"
    r"progress|overall goal|plan|options?|recommendations?|proposals?|suggest\w*|questions?|verification|test (?:results?|plan|coverage)|testing|"
    r"results?|status|commits?|files? (?:changed|modified|created|updated|to)|changes? (?:made|summary)?|what (?:was|i) (?:done|changed|did)|"
    r"nice-to-have|positive|usage|examples?|checklist|acceptance|deliverables|implementation (?:order|steps)|estimates?|timeline|rationale for rejection)\b",
    re.IGNORECASE,
)
_FILES = re.compile(r"\bfiles?\b", re.IGNORECASE)
_CHANGED = re.compile(
    r"^(?:(?:\w+ly|also|major|minor|core|then|main|key)\s+)?(?:add(?:ed|s)?|updat\w+|remov\w+|renam\w+|chang\w+|creat\w+|fix\w*|refactor\w*|mov\w+|"
    r"replac\w+|implement\w*|modif\w+|extract\w*|improv\w+|now\b|new\b|no changes?|registered|rewr\w+|wrote|deleted?|"
    r"consolidat\w+|simplif\w+|switch\w*|convert\w*|test(?:s|ed)?\b|verif\w+|read\b|will\b|not yet|done|complete\w*|"
    r"contains changes|see\b|same\b|need\w*|should\b|yes\b|no\b)",
    re.IGNORECASE,
)
_MIN_DEFINITION = 30
_SUMMARY_BONUS = 0.15
_LESSON_BONUS = 0.12


def is_summary(text: str) -> bool:
    """Whether a message is a compaction summary, whoever is said to have sent it."""
    return _IS_SUMMARY.search(text[:20_000]) is not None


def from_summary(text: str) -> Iterator[Finding]:
    """Yield what a compaction summary teaches; the analysis before the summary proper is not read."""
    marks = [mark.start() for mark in _SUMMARY_MARK.finditer(text)]
    yield from _by_section(list(passages(text[marks[-1] :] if marks else text)), summary=True)


def from_message(text: str) -> Iterator[Finding]:
    """Yield what the agent's own message teaches: its report where it has structure, and its sentences."""
    read = list(passages(text))
    for entry in sections(read):
        if found := repair(entry, "report_fix", 0.62):
            yield found
    yield from _by_section(read, summary=False)


def _by_section(read: Sequence[Passage], *, summary: bool) -> Iterator[Finding]:
    """Send each run of passages with the same headings to the rules that read such a section."""
    start = 0
    for end in range(1, len(read) + 1):
        if end == len(read) or read[end].headings != read[start].headings:
            yield from _section(read[start:end], summary=summary)
            start = end


def _section(part: Sequence[Passage], *, summary: bool) -> Iterator[Finding]:
    """Apply the rules for one section."""
    heading = " / ".join(part[0].headings[-2:] if not summary else part[0].headings)
    if _UNREAD.search(heading):
        return
    if summary and _ERRORS.search(heading):
        for entry in entries(part):
            if found := repair(entry, "summary_fix", 0.72):
                yield found
        return
    lesson = bool(_LESSONS.search(heading))
    bonus = (_SUMMARY_BONUS if summary else 0.0) + (_LESSON_BONUS if lesson else 0.0)
    for passage in part:
        yield from _passage(passage, summary=summary, bonus=bonus)


def _passage(passage: Passage, *, summary: bool, bonus: float) -> Iterator[Finding]:
    """Read one passage: as a definition, as a titled statement, else sentence by sentence."""
    if passage.item and (found := definition(passage, summary=summary)):
        yield found
        return
    if passage.item and _UNREAD.search(passage.lead):
        return
    split = titled(passage.text) if passage.item else None
    if split and split[1]:
        yield from _titled(split, passage, bonus)
        return
    for found in assertions(passage):
        yield replace(found, confidence=found.confidence + bonus)


def _titled(split: tuple[str, str], passage: Passage, bonus: float) -> Iterator[Finding]:
    """Judge the body of `**Title**: body` with its title as the subject."""
    title, body = split
    for number, part in enumerate(sentences(body)):
        text = f"{title}: {plain(part)}" if number == 0 else part
        if _CHANGED.match(plain(part)):
            continue
        if found := assertion(text, bonus=bonus):
            yield replace(found, quote=passage.text)


def definition(passage: Passage, *, summary: bool) -> Finding | None:
    """Read `` `name` — what it is`` as a fact about the code; changes made to it are not facts about it."""
    split = titled(passage.text)
    if not split:
        return None
    name, body = split
    names = identifiers(name)
    first = (sentences(body) or [""])[0]
    if not names or len(plain(first)) < _MIN_DEFINITION or _CHANGED.match(plain(first)):
        return None
    text = statement(f"{name if '`' in name else f'`{name}`' if ' ' not in name else name}: {plain(first)}")
    if objection(text):
        return None
    kind = "code_description" if "/" in name or "." in name else "semantic"
    return Finding(text, kind, 0.66 if summary else 0.6, "definition", passage.text)
