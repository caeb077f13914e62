"""Entries of a report: a titled item with its problem, cause and fix, from bold titles and lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.self_contained import (
    MAX_LENGTH,
    MIN_LENGTH,
    identifiers,
    is_cut,
    is_specific,
    objection,
)
from recortex.engines.extraction.sentences import plain, sentences, statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.engines.extraction.passages import Passage

_LABELS = {
    "fix": "fix|fixed|fixes|solution|resolution|resolved|fix applied|fixed by|workaround",
    "problem": "issue|problem|bug|symptom|error|finding",
    "cause": "cause|root cause|reason|why",
    "feedback": "user feedback|feedback|user correction",
}
_ROLE_OF = {label: role for role, labels in _LABELS.items() for label in labels.split("|")}
_LABEL = re.compile(
    r"[*_\s]*("
    + "|".join(sorted(map(re.escape, _ROLE_OF), key=len, reverse=True))
    + r")[*_\s]*:[*_\s]*(?=\S)",
    re.IGNORECASE,
)
_TITLED = re.compile(
    r"\*\*(?P<title>[^*\n]{3,160}?)(?P<colon>:?)\*\*(?P<note>\s*\([^()\n]{1,80}\))?\s*(?P<mark>:|"
    r"[-–—](?=\s))?\s*(?P<body>.*)$"
    r"|(?P<bare>`[^`\n]{2,120}`)(?P<aside>\s*\([^()\n]{1,60}\))?\s*(?::|[-–—](?=\s))\s*(?P<rest>.*)$",
    re.DOTALL,
)
# A bare number is one only with its sign: "404 errors" and "3.11 support" are titles.
_ORDINAL = re.compile(
    r"^(?:summary|details?)\s*[:–—-]\s*|^(?:(?:P[0-4]|critical|error|issue|bug|problem|fix|finding|test|"
    r"step|task)\s*){1,3}[#(]?\d{1,3}(?:\.\d{1,2})?(?:[.):]{1,2}|\s*[-–—:.])?\s+|"
    r"^[#(]?\d{1,2}(?:\.\d{1,2})?(?:[.):]{1,2}|\s+[-–—:])\s+|^#\d{1,3}\s+|^(?:P[0-4]\s+)(?:bug |"
    r"issue )?#?\d+\s*[-–—:]\s*",
    re.IGNORECASE,
)
_GENERAL_TITLE = re.compile(
    r"\b(?:summary|root cause|analysis|problem|issue|findings?|conclusion|fix|overview|what|why)\b",
    re.IGNORECASE,
)
# What names a part of the report and nothing of the matter: "Fix", "Root Cause Found", "What was happening".
_IDLE_TITLE = re.compile(
    r"(?:\W|\b(?:the|an?|of|and|what|why|how|where|was|were|is|it|happen(?:s|ed|ing)|going|wrong|on|root|"
    r"causes?|found|identified|summary|analysis|problems?|issues?|bugs?|errors?|findings?|conclusion|"
    r"solutions?|fix(?:ed|es)?|overview|details?|changes?|here|result|status|done|complete|solved|resolved|"
    r"resolution|pros|cons|notes?|explanation|short answer|recommendation)\b)*+",
    re.IGNORECASE,
)
_FIXED = re.compile(
    r"^(?:fixed|resolved|solved|rewrote|changed|switched|replaced|added|moved|used|updated|removed|set|"
    r"wrapped|created|converted|installed|renamed|reverted|extracted|made|had to|needed to|corrected|passed|"
    r"adjusted|refactored|implemented|handled|used|put|ran|rebuilt|restarted|disabled|enabled|downgraded|"
    r"upgraded|pinned)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"^(?:add|pass|use|record|extract|consider|remove|either|pre-?compute|move|replace|change|make|ensure|"
    r"wrap|set|"
    r"check|verify|should|could|create|rename|split|introduce|return|validate|document|avoid|run|update)\b",
    re.IGNORECASE,
)
# Routine repairs, which are not worth remembering.
_TRIVIAL = re.compile(
    r"\b(?:(?:missing|unused|duplicate|wrong|forgot\w*|needed) (?:\w+ ){0,2}(?:imports?|variables?|"
    r"semicolons?|commas?|alias(?:es)?|brackets?)|typos?|dead code|left behind|undefined|never called|"
    r"still referenced|unreachable|whitespace|indentation|formatter|formatting(?! (?:with|the|dates?|as|it|"
    r"in)\b)|lint(?:er|ing)?|credo|eslint|rubocop|prettier|clippy|golint\w*|stale (?:build|artifacts?|"
    r"cache)|incremental editing|expected during|nesting too deep|line (?:too long|length)|(?:file|"
    r"edit) (?:has )?(?:not been read|been modified|was modified)|string (?:to replace )?not found|"
    r"read (?:the file )?(?:first|before)|merge conflicts?|git (?:push|add|stash|checkout|commit)|"
    r"test (?:expectations?|assertions?) (?:w\w+|mis\w+|need\w+)|miscount\w*|unused|not (?:yet )?(?:created|"
    r"imported|defined)|undefined (?:variable|function)|syntax errors?|compile errors?|compilation errors?|"
    r"compiler warnings?|rebase|interrupted|timed out waiting|before (?:defining|adding|creating|importing|"
    r"declaring)|cannot accept \[|bd |beads?|worktree|(?:edit|write|read|bash|grep|glob|task) tool|"
    r"permission denied|no upstream)\b",
    re.IGNORECASE,
)


# What was wrong, told in the past: the present tense is a state that may last.
_WAS_WRONG = re.compile(
    r"\b(?:was|were|wasn't|weren't|did(?:n't| not)|had|failed|broke|crashed|overwrote|ignored|dropped|"
    r"leaked|blocked)\b(?=.*\b(?:instead of|because|since|so|which|without|when|before|after|never|"
    r"overwr\w+|ignor\w+|los\w+|drop\w+|leak\w*|block\w*|duplicat\w+|twice|race|stale|wrong)\b)",
    re.IGNORECASE,
)
_FIXED_SO = re.compile(
    r"(?:I(?:'ve| have)? )?(?:fixed|solved|resolved)(?: (?:it|that|this))? (?:in|by|with)\b", re.IGNORECASE
)
_NOW_DOES = re.compile(r"\s+[-–—]\s+|,? (?:so )?now\b|[.:]\s")
_TWICE = re.compile(r"(`[^`]{1,120}`)(?:(?:,| and) \1)+")


def is_trivial(text: str) -> bool:
    """Whether a problem is one that any developer repairs without a thought."""
    return _TRIVIAL.search(text) is not None


@dataclass(slots=True)
class ReportEntry:
    """One point of a report.

    Attributes:
        parts: what is said, by role: problem, cause, fix, feedback, or body where no label tells.
        headings: the headings above it.
    """

    title: str
    headings: tuple[str, ...]
    quote: str
    parts: dict[str, list[str]] = field(default_factory=dict)
    leads: dict[str, tuple[list[str], int]] = field(default_factory=dict)

    def take(self, passage: Passage) -> None:
        """File a passage: with the line that it completes, where that ends in a colon, or by itself."""
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
        """File a piece of text under the role that its label or its verb tells."""
        text = plain(text)
        if found := _LABEL.match(text):
            role, text = _ROLE_OF[found.group(1).lower()], text[found.end() :]
            self.parts.setdefault(role, []).append(text)
            return
        for sentence in sentences(text):
            clean = plain(sentence)
            label = _LABEL.match(clean)
            role = _ROLE_OF[label.group(1).lower()] if label else "fix" if _FIXED.match(clean) else "body"
            self.parts.setdefault(role, []).append(clean[label.end() :] if label else clean)

    def part(self, role: str) -> str:
        """Everything filed under a role, as sentences, without what ends in a colon and so is incomplete."""
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
    found = _TITLED.match(text)
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
    return _ORDINAL.sub("", _ORDINAL.sub("", title)).strip().rstrip(":")


def entries(report: Iterable[Passage]) -> Iterator[ReportEntry]:
    """Group passages into entries: a bold title or a top list item, with all that is nested in it."""
    entry: ReportEntry | None = None
    for passage in report:
        if passage.item and not passage.parents:
            if entry:
                yield entry
            entry = _open(passage)
        elif entry and passage.item and passage.headings == entry.headings:
            entry.take(passage)
        elif entry:
            yield entry
            entry = None
    if entry:
        yield entry


def _open(passage: Passage) -> ReportEntry:
    split = titled(passage.text)
    title, body = split or ("", passage.text)
    labelled = _LABEL.match(f"{title}: .") is not None
    entry = ReportEntry("" if labelled else title, passage.headings, passage.text)
    if body or (labelled and title.lower() not in _ROLE_OF):
        entry.take(replace(passage, text=": ".join(filter(None, (title, body))) if labelled else body))
        entry.leads = dict.fromkeys([passage.text], *entry.leads.values()) if entry.leads else {}
    return entry


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
    if rule != "summary_fix" and _ADVICE.match(fix):
        return RuleFinding(text, "code_smell", 0.5, "review_finding", entry.quote)
    names = len(set(identifiers(text)))
    return RuleFinding(text, "incident", confidence + 0.04 * min(names, 3), rule, entry.quote)


def told_repairs(read: Sequence[Passage]) -> Iterator[RuleFinding]:
    """Join a sentence that tells what was wrong with the next one, which tells where or how it was fixed."""
    said = [sentence for passage in read for sentence in sentences(passage.text)]
    for wrong, fixed in pairwise(said):
        if len(wrong) > MAX_LENGTH or not (_FIXED_SO.match(fixed) and _WAS_WRONG.search(wrong)):
            continue
        problem = statement(wrong)
        where = _TWICE.sub(r"\1", plain(_NOW_DOES.split(fixed, maxsplit=1)[0]).rstrip(" :.,"))
        text = f"{problem} {where}."
        if is_trivial(text) or not is_specific(problem) or objection(problem) or len(text) > MAX_LENGTH:
            continue
        if text.count("`") % 2 == 0 and text.count("(") == text.count(")"):
            yield RuleFinding(
                text, "incident", 0.7 + 0.02 * min(len(set(identifiers(text))), 3), "told_fix", wrong
            )


def feedback(entry: ReportEntry) -> RuleFinding | None:
    """Take what the person said of a mistake, where a summary's entry records it."""
    said = entry.part("feedback")
    text = statement(f"Feedback on {entry.title}: {said}" if entry.title else said) if said else ""
    if not text or not is_specific(text) or objection(text, addressed=True):
        return None
    return RuleFinding(text, "feedback", 0.72, "summary_feedback", entry.quote)


def root_cause(entry: ReportEntry) -> RuleFinding | None:
    """Take the cause that an entry is labelled with, where no repair is told."""
    cause = entry.part("cause")
    if not cause or entry.part("fix") or is_trivial(cause):
        return None
    text = statement(
        f"{entry.title}: {cause}" if entry.title and not _GENERAL_TITLE.search(entry.title) else cause
    )
    if objection(text) or not is_specific(text):
        return None
    return RuleFinding(
        text, "incident", 0.66 + 0.03 * min(len(set(identifiers(text))), 3), "report_cause", entry.quote
    )


def _composed(title: str, said: str, fix: str) -> str:
    """Join title, problem and fix into one statement that fits, dropping the middle before the ends."""
    title = "" if _IDLE_TITLE.fullmatch(title) else title
    head = title if not said else f"{title}: {said}" if title else said
    for start in (head, f"{title}: {sentences(said)[0]}" if title and said else head, title):
        for end in (fix, sentences(fix)[0] if fix else ""):
            joint = "" if end.lower().startswith(("fixed by", "resolved by", "solved by")) else "Fix: "
            text = f"{_stopped(start)} {joint}{end}" if start else ""
            if MIN_LENGTH <= len(text) <= MAX_LENGTH and not is_cut(text) and text.count("`") % 2 == 0:
                return text[0].upper() + text[1:] if not text.startswith("`") else text
    return ""
