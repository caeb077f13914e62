"""Reads the entries of a report: titled items with their problem, cause and fix."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from recortex.domain.learned import Candidate
from recortex.domain.text import lazy
from recortex.domain.vocabulary import Origin
from recortex.engines.extraction.sentences import (
    MAX_LENGTH,
    MIN_LENGTH,
    commands_in,
    domain_of,
    files_in,
    identifiers,
    is_cut,
    is_specific,
    objection,
    plain,
    sentences,
    statement,
    tags_of,
)
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.domain.exchange import Turn
    from recortex.engines.extraction.sentences import Passage


# -- makes a candidate of a rule's finding. Only here does the confidence decide on the status


ACTIVE = 0.7
"""The confidence from which a candidate is active; chosen on the development transcripts
(bench/extraction.py)."""
DURABLE = "person_durable"
"""The rule for what a person typed that is expected to last, by a learned chance (durable.py)."""
COMMAND = "command_habit"
"""The rule that finds commands which worked again and again."""
REPEATED = "person_repeated"
"""The rule for what a person asked for in several sessions (`app/jobs/repeats.py`)."""
ON_PURPOSE = frozenset(("person_note", "person_decision", "person_scoped"))
"""Rules for what the person declared to be a note, a decision or a fact of this project."""
MAX_QUOTE = 240
_CERTAIN = 0.95
"""The highest confidence of anything that a rule found."""


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """What a rule found in a turn.

    Attributes:
        text: the finished statement.
        hold: a reason why it must not be active whatever its confidence; empty if there is none.
    """

    text: str
    kind: str
    confidence: float
    rule: str
    quote: str
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    hold: str = ""


_ORIGINS = {"user": Origin.USER, "assistant": Origin.AGENT, "summary": Origin.AGENT}


def candidate(finding: RuleFinding, turn: Turn, origin: Origin | None = None) -> Candidate:
    """The candidate of a finding, with its turn, subject, files, commands, tags and status."""
    confidence = round(min(max(finding.confidence, 0.0), _CERTAIN), 2)
    domain = domain_of(finding.text)
    quote = " ".join(finding.quote.split())
    return Candidate(
        text=finding.text,
        kind=finding.kind,
        confidence=confidence,
        rule=finding.rule,
        quote=quote if len(quote) <= MAX_QUOTE else quote[: MAX_QUOTE - 1] + "…",
        turn_index=turn.index,
        speaker=turn.role,
        origin=origin or _ORIGINS[turn.role],
        # What the agent said or did is known by its record: of others' words, a third was worth keeping.
        active=confidence >= ACTIVE
        and not finding.hold
        and turn.certain
        and (turn.role == "user" or finding.rule == COMMAND),
        turn_uuid=turn.uuid,
        at=turn.at,
        domain=domain,
        tags=tags_of(finding.text, domain),
        files=tuple(dict.fromkeys(files_in(finding.text) + finding.files)),
        commands=tuple(dict.fromkeys(commands_in(finding.text) + finding.commands)),
    )


def doubted(known: Candidate) -> Candidate:
    """The candidate after the session took it back: proposed, with a confidence of 0.6 at most."""
    return replace(known, active=False, confidence=min(known.confidence, 0.6))


# -- reads the entries of a report: titled items with their problem, cause and fix


PATTERNS = Patterns(__file__)

_LABELS = {
    "fix": "fix|fixed|fixes|solution|resolution|resolved|fix applied|fixed by|workaround",
    "problem": "issue|problem|bug|symptom|error|finding",
    "cause": "cause|root cause|reason|why",
    "feedback": "user feedback|feedback|user correction",
}
_ROLE_OF = {label: role for role, labels in _LABELS.items() for label in labels.split("|")}
_LABEL = lazy(
    rf"[*_\s]*({'|'.join(sorted(_ROLE_OF, key=len, reverse=True))})[*_\s]*:[*_\s]*(?=\S)", re.IGNORECASE
)


def is_trivial(text: str) -> bool:
    """Whether a problem is trivial, such as a missing import."""
    return PATTERNS.trivial.search(text) is not None


@dataclass(slots=True)
class ReportEntry:
    """One point of a report.

    Attributes:
        parts: its texts by role: problem, cause, fix, feedback, or body without a label.
        leads: lines with a colon at their end, with the texts that later items complete.
        headings: the headings above it.
    """

    title: str
    headings: tuple[str, ...]
    quote: str
    parts: dict[str, list[str]] = field(default_factory=dict)
    leads: dict[str, tuple[list[str], int]] = field(default_factory=dict)

    def take(self, passage: Passage) -> None:
        """Add a passage: to the line that it completes if that ends in a colon, otherwise as its own text."""
        above = passage.parents[-1] if passage.parents else passage.lead
        labelled = _LABEL.match(plain(passage.text))
        if passage.item and not labelled and (lead := self.leads.get(above)):
            filed, at = lead
            filed[at] += f"{' ' if filed[at].endswith(':') else '; '}{plain(passage.text).rstrip('.;')}"
            return
        self.add(passage.text)
        if passage.text.endswith(":"):
            open_ = next(
                ((filed, len(filed) - 1) for filed in self.parts.values() if filed[-1].endswith(":")), None
            )
            self.leads.update({passage.text: open_} if open_ else {})

    def add(self, text: str) -> None:
        """Add a text under the role of its label or verb."""
        text = plain(text)
        if found := _LABEL.match(text):
            role, text = _ROLE_OF[found.group(1).lower()], text[found.end() :]
            self.parts.setdefault(role, []).append(text)
            return
        for sentence in sentences(text):
            clean = plain(sentence)
            label = _LABEL.match(clean)
            role = (
                _ROLE_OF[label.group(1).lower()]
                if label
                else "fix"
                if PATTERNS.fixed.match(clean)
                else "body"
            )
            self.parts.setdefault(role, []).append(clean[label.end() :] if label else clean)

    def part(self, role: str) -> str:
        """The texts of a role as sentences, without those that end in a colon and are incomplete."""
        return " ".join(
            _stopped(text) for text in self.parts.get(role, []) if text and not text.endswith(":")
        )


def _stopped(text: str) -> str:
    text = text.strip()
    return text if not text or text.rstrip("\"')")[-1:] in {".", "!", "?"} else text.rstrip(":;,") + "."


def titled(text: str) -> tuple[str, str] | None:
    """Split `**Title**: body` or `` `name` — body`` into title and body.

    None when the text has no title: bold words that the sentence simply goes on from are emphasis.
    """
    found = PATTERNS.titled.match(text)
    if not found:
        return None
    if bare := found.group("bare"):
        return plain(bare), found.group("rest")
    body = found.group("body")
    if body and not (found.group("colon") or found.group("mark")):
        return None
    title = plain(found.group("title") + (found.group("note") or ""))
    return without_ordinal(title), body


def without_ordinal(title: str) -> str:
    """A title without its number: `P1 Bug #2 - Title` and `3. Title` are `Title`."""
    return PATTERNS.ordinal.sub("", PATTERNS.ordinal.sub("", title)).strip().rstrip(":")


def entries(report: Iterable[Passage]) -> Iterator[ReportEntry]:
    """Group passages into entries: a bold title or a top list item, with all that is nested in it."""
    entry: ReportEntry | None = None
    for passage in report:
        if passage.item and not passage.parents:
            if entry:
                yield entry
            split = titled(passage.text)
            title, body = split or ("", passage.text)
            labelled = _LABEL.match(f"{title}: .") is not None
            entry = ReportEntry("" if labelled else title, passage.headings, passage.text)
            if body or (labelled and title.lower() not in _ROLE_OF):
                entry.take(
                    replace(passage, text=": ".join(filter(None, (title, body))) if labelled else body)
                )
                entry.leads = dict.fromkeys([passage.text], *entry.leads.values()) if entry.leads else {}
        elif entry and passage.item and passage.headings == entry.headings:
            entry.take(passage)
        elif entry:
            yield entry
            entry = None
    if entry:
        yield entry


def sections(report: Iterable[Passage]) -> Iterator[ReportEntry]:
    """Group what is labelled under one heading into an entry titled by that heading.

    A heading may itself be the label: `## Root cause` and the `## Fix` after it make one entry.
    """
    entry: ReportEntry | None = None
    for passage in report:
        label = _heading_label(passage)
        place = passage.headings[:-1] if label else passage.headings
        if entry is None or place != entry.headings:
            if entry and entry.parts:
                yield entry
            title = without_ordinal(plain(place[-1])) if place else ""
            entry = ReportEntry(title=title, headings=place, quote=passage.text)
        if label and not passage.item and not passage.text.endswith(":"):
            entry.add(f"{label}: {passage.text}")
        elif _LABEL.match(passage.text) or passage.lead in entry.leads or {*passage.parents} & {*entry.leads}:
            entry.take(passage)
    if entry and entry.parts:
        yield entry


def _heading_label(passage: Passage) -> str:
    """The role that the nearest heading gives to what stands under it; empty for an ordinary heading."""
    if not passage.headings:
        return ""
    words = re.sub(r"^the |[^a-z ]", "", plain(passage.headings[-1]).lower()).strip()
    return words if words in _ROLE_OF else ""


def repair(entry: ReportEntry, rule: str, confidence: float) -> RuleFinding | None:
    """Compose a verified fix from an entry that names both a problem and what repaired it.

    A fix in the imperative is advice, not a repair that was made: it is held back as a review's finding.
    """
    fix = entry.part("fix")
    said = " ".join(filter(None, (entry.part("problem"), entry.part("cause"), entry.part("body"))))
    if not fix or not (entry.title or said):
        return None
    text = _composed(entry.title, said, fix)
    if not text or is_trivial(text) or not is_specific(text):
        return None
    if rule != "summary_fix" and PATTERNS.advice.match(fix):
        return RuleFinding(text, "code_smell", 0.5, "review_finding", entry.quote)
    names = len(set(identifiers(text)))
    return RuleFinding(text, "incident", confidence + 0.04 * min(names, 3), rule, entry.quote)


def repairs_in_prose(read: Sequence[Passage]) -> Iterator[RuleFinding]:
    """Join a sentence about what was wrong with the next one, about where or how it was fixed."""
    said = [sentence for passage in read for sentence in sentences(passage.text)]
    for wrong, fixed in pairwise(said):
        if len(wrong) > MAX_LENGTH or not (
            PATTERNS.fixed_so.match(fixed) and PATTERNS.was_wrong.search(wrong)
        ):
            continue
        problem = statement(wrong)
        where = PATTERNS.twice.sub(r"\1", plain(PATTERNS.now_does.split(fixed, maxsplit=1)[0]).rstrip(" :.,"))
        text = f"{problem} {where}."
        if is_trivial(text) or not is_specific(problem) or objection(problem) or len(text) > MAX_LENGTH:
            continue
        if text.count("`") % 2 == 0 and text.count("(") == text.count(")"):
            yield RuleFinding(
                text, "incident", 0.7 + 0.02 * min(len(set(identifiers(text))), 3), "told_fix", wrong
            )


def feedback(entry: ReportEntry) -> RuleFinding | None:
    """Read the person's feedback in an entry of a summary."""
    said = entry.part("feedback")
    text = statement(f"Feedback on {entry.title}: {said}" if entry.title else said) if said else ""
    if not text or not is_specific(text) or objection(text, addressed=True):
        return None
    return RuleFinding(text, "feedback", 0.72, "summary_feedback", entry.quote)


def root_cause(entry: ReportEntry) -> RuleFinding | None:
    """Read the cause of an entry without a fix."""
    cause = entry.part("cause")
    if not cause or entry.part("fix") or is_trivial(cause):
        return None
    text = statement(
        f"{entry.title}: {cause}" if entry.title and not PATTERNS.general_title.search(entry.title) else cause
    )
    if objection(text) or not is_specific(text):
        return None
    return RuleFinding(
        text, "incident", 0.66 + 0.03 * min(len(set(identifiers(text))), 3), "report_cause", entry.quote
    )


def _composed(title: str, said: str, fix: str) -> str:
    """Join title, problem and fix into one statement that fits, dropping the middle before the ends."""
    title = "" if PATTERNS.idle_title.fullmatch(title) else title
    head = title if not said else f"{title}: {said}" if title else said
    for start in (head, f"{title}: {sentences(said)[0]}" if title and said else head, title):
        for end in (fix, sentences(fix)[0] if fix else ""):
            joint = "" if end.lower().startswith(("fixed by", "resolved by", "solved by")) else "Fix: "
            text = f"{_stopped(start)} {joint}{end}" if start else ""
            if MIN_LENGTH <= len(text) <= MAX_LENGTH and not is_cut(text) and text.count("`") % 2 == 0:
                return text[0].upper() + text[1:] if not text.startswith("`") else text
    return ""
