"""Rules for reports: compaction summaries, and the structured message with which an agent ends its work.

A summary is the richest part of a session: its headings distinguish errors with fixes, decisions and plans.
Sections with plans, the person's messages or the state of the work are not read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.engines.extraction.cues import assertions
from recortex.engines.extraction.instruction_rules import located
from recortex.engines.extraction.list_rules import (
    changes,
    concept,
    definition,
    file_role,
    joined,
    owner,
    titled_body,
)
from recortex.engines.extraction.passages import MAX_TEXT, passages
from recortex.engines.extraction.report_entries import (
    entries,
    feedback,
    repair,
    repairs_in_prose,
    root_cause,
    sections,
    titled,
)
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.engines.extraction.drafting import RuleFinding
    from recortex.engines.extraction.passages import Passage

PATTERNS = Patterns(__file__)

# Changes of the confidence, chosen with bench/extraction.py.
_REPORT_LENGTH = 500
_REPORT_BONUS = 0.08
_REVIEW_PENALTY = 0.15
_SUMMARY_BONUS = 0.15
_LESSON_BONUS = 0.12


def is_summary(text: str) -> bool:
    """Whether a message is a compaction summary, whatever its role."""
    return PATTERNS.is_summary.search(text[:20_000]) is not None


def from_summary(text: str) -> Iterator[RuleFinding]:
    """Yield what a compaction summary teaches; the analysis before the summary itself is not read."""
    marks = [mark.start() for mark in PATTERNS.summary_mark.finditer(text[:MAX_TEXT])]
    yield from _by_section(list(passages(text[marks[-1] :] if marks else text)), summary=True)


def from_message(text: str) -> Iterator[RuleFinding]:
    """Yield what a message of the agent teaches: its report if it has one, and its sentences."""
    read = list(passages(text))
    for entry in sections(read):
        if found := repair(entry, "report_fix", 0.62) or root_cause(entry):
            yield found
    yield from repairs_in_prose(read)
    bonus = _REPORT_BONUS if len(text) >= _REPORT_LENGTH else 0.0
    for found in _by_section(read, summary=False):
        yield (
            replace(found, confidence=found.confidence + bonus) if found.rule.startswith("agent_") else found
        )


def _by_section(read: Sequence[Passage], *, summary: bool) -> Iterator[RuleFinding]:
    """Send each run of passages with the same headings to the rules that read such a section."""
    start = 0
    for end in range(1, len(read) + 1):
        if end == len(read) or read[end].headings != read[start].headings:
            yield from _section(read[start:end], summary=summary)
            start = end


def _section(part: Sequence[Passage], *, summary: bool) -> Iterator[RuleFinding]:
    """Apply the rules for one section."""
    heading = " / ".join(part[0].headings if summary else part[0].headings[-1:])
    if summary and PATTERNS.errors.search(heading):
        for entry in entries(part):
            yield from filter(None, (repair(entry, "summary_fix", 0.72), feedback(entry)))
        return
    if PATTERNS.unread.search(heading):
        yield from changes(part)
        for _, _, found in joined(part, repairs_only=bool(PATTERNS.planned.search(heading))):
            yield found
        return
    bonus = (_SUMMARY_BONUS if summary else 0.0) + (
        _LESSON_BONUS if PATTERNS.lessons.search(heading) else 0.0
    )
    bonus -= _REVIEW_PENALTY if not summary and PATTERNS.review.search(" / ".join(part[0].headings)) else 0.0
    taken: set[int] = set()
    for first, last, found in joined(part):
        taken.update(range(first, last))
        yield found
    for place, passage in enumerate(part):
        if place not in taken:
            yield from _passage(passage, summary=summary, bonus=bonus)


def _passage(passage: Passage, *, summary: bool, bonus: float) -> Iterator[RuleFinding]:
    """Read one passage: as a definition, as a titled statement, else sentence by sentence."""
    if PATTERNS.untouched.search(passage.text):
        return
    if passage.item and (PATTERNS.unread.search(passage.lead) or PATTERNS.unread_lead.search(passage.lead)):
        yield from changes([passage])
        return
    if found := located(passage):
        yield found
        return
    if passage.item and (found := definition(passage, summary=summary)):
        yield found
        return
    if summary and (found := file_role(passage)):
        yield found
        return
    yield from changes([passage])
    split = titled(passage.text) if passage.item else None
    found_here = list(
        titled_body(split, passage) if split and split[1] else assertions(passage, owner(passage))
    )
    for found in found_here:
        yield replace(found, confidence=found.confidence + bonus)
    if summary and not found_here and (found := concept(passage)):
        yield found
