"""Rules for reports: compaction summaries, and the structured message with which an agent ends its work.

A summary is the richest part of a session: its headings distinguish errors with fixes, decisions and plans.
Sections with plans, the person's messages or the state of the work are not read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.engines.extraction.person_rules import located
from recortex.engines.extraction.report_entries import (
    RuleFinding,
    entries,
    feedback,
    repair,
    repairs_in_prose,
    root_cause,
    sections,
    titled,
)
from recortex.engines.extraction.sentences import (
    MAX_LENGTH,
    MAX_TEXT,
    MIN_LENGTH,
    identifiers,
    impersonal,
    is_specific,
    objection,
    passages,
    plain,
    sentences,
    statement,
)
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.engines.extraction.sentences import Passage


# -- cues in the agent's sentences: the kind of knowledge in a sentence, and the confidence


CUES_PATTERNS = Patterns(__file__, "cues")


CUES = CUES_PATTERNS.forms("cue_")

# Forms that say what a reader of the code sees too.
_WITHIN = {"mechanism", "subject", "rule"}
# Forms that seldom describe a state of the code that the agent is about to change.
_OUTSIDE = {"limit", "requirement", "default", "decision"}
_NAMED_BONUS = 0.06
HEDGE = CUES_PATTERNS.hedge


def assertions(passage: Passage, subject: str = "") -> Iterator[RuleFinding]:
    """Yield the sentences of the agent's prose that assert something worth knowing."""
    parts = sentences(passage.text)
    for place, part in enumerate(parts):
        following = parts[place + 1] if place + 1 < len(parts) else ""
        if finding := assertion(part, following=following, subject=subject):
            yield finding


def assertion(sentence: str, *, following: str = "", subject: str = "") -> RuleFinding | None:
    """Read a sentence of the agent; None if it is no statement or has no cue.

    Args:
        sentence: the sentence as it was written.
        following: the next sentence, which may show that the described state is about to change.
        subject: the file or symbol that the passage is about, put first if the sentence does not name it.
    """
    if not MIN_LENGTH <= len(sentence) <= 2 * MAX_LENGTH:
        return None
    if decided := _decided(sentence):
        return decided
    said = impersonal(statement(CUES_PATTERNS.now.sub("", CUES_PATTERNS.second_clause.sub("", sentence))))
    text = statement(CUES_PATTERNS.it_was.sub("", said, count=1))
    if subject and text and subject not in text:
        text = said = f"`{subject}`: {text}"
    if not text or not is_specific(text) or objection(text):
        return None
    bare = CUES_PATTERNS.aside.sub("", text)
    cue = CUES[0] if text != said else next((cue for cue in CUES if cue.pattern.search(bare)), None)
    if cue is None:
        return None
    confidence = cue.confidence + _adjustment(text, following, cue.name)
    return RuleFinding(text, cue.kind, confidence, f"agent_{cue.name}", sentence)


def _decided(sentence: str) -> RuleFinding | None:
    """Read a marked decision of the agent that names what was decided."""
    said = plain(sentence)
    found = CUES_PATTERNS.decided.match(said)
    text = statement(said[found.end() :]) if found else ""
    if not text or HEDGE.search(text) or not is_specific(text) or objection(text, addressed=True):
        return None
    return RuleFinding(
        f"Decision: {text[0].lower()}{text[1:]}" if CUES_PATTERNS.starts_plain.match(text) else text,
        "decision",
        0.72,
        "agent_decision",
        sentence,
    )


def _adjustment(text: str, following: str, cue: str) -> float:
    """The change of the confidence by names, reasons, hedges and temporary states."""
    change = min(len(set(identifiers(text))), 3) * 0.03
    change += 0.1 if CUES_PATTERNS.reason.search(text) else 0.0
    change += _NAMED_BONUS if CUES_PATTERNS.named_subject.match(text) else 0.0
    change -= 0.3 if HEDGE.search(text) else 0.0
    # "Kept X because Y still calls it" is a reason, not a temporary state.
    lasting = cue == "decision" and CUES_PATTERNS.reason.search(text) is not None
    change -= 0.2 if CUES_PATTERNS.transient.search(text) and not lasting else 0.0
    change -= 0.2 if CUES_PATTERNS.change.match(text) else 0.0
    change -= 0.12 if CUES_PATTERNS.followed_by_check.match(following) else 0.0
    change -= 0.1 if text.startswith(("`-", "The `-")) else 0.0  # a flag of which command?
    if cue in _WITHIN and not CUES_PATTERNS.reason.search(text):
        change -= 0.12 if CUES_PATTERNS.praise.search(text) or CUES_PATTERNS.restates.search(text) else 0.0
    change -= (
        0.12
        if CUES_PATTERNS.order.match(text)
        or CUES_PATTERNS.vague.search(text)
        or CUES_PATTERNS.quality.match(text)
        else 0.0
    )
    change -= 0.15 if cue == "default" and not _has_owner(text) else 0.0
    if CUES_PATTERNS.followed_by_action.match(following):
        change -= 0.04 if cue in _OUTSIDE else 0.12
    return change


def _has_owner(text: str) -> bool:
    """Whether a sentence about a default says whose default it is."""
    found = CUES_PATTERNS.default.search(text)
    if found is None:
        return True
    before, after = text[: found.start()], text[found.end() :]
    return is_specific(before) or CUES_PATTERNS.owned.search(after) is not None


# -- rules for list items: a name and its definition, a title and its text, a change and its reason


LIST_RULES_PATTERNS = Patterns(__file__, "list_rules")

# Characters around a name, such as code marks and a short note, with which it is still the item's subject.
_AROUND = 4
_MIN_ROLE_WORDS = 7
_MIN_CONCEPT_WORDS = 7
_MIN_DEFINITION, _MIN_DEFINING_WORDS, _MIN_ACTING_WORDS = 30, 7, 11
_MIN_ITEMS, _MAX_ITEMS, _MIN_LEAD = 2, 6, 2


def owner(passage: Passage) -> str:
    """The file or symbol whose list item a passage is nested in; empty if there is none."""
    for parent in reversed(passage.parents):
        if len(parent) > MAX_LENGTH:
            continue
        split = titled(parent) or (parent, "")
        title = LIST_RULES_PATTERNS.note.sub("", split[0])
        named = identifiers(title)
        if named and len(title) <= len(named[0]) + _AROUND:
            return named[0]
    return ""


def concept(passage: Passage) -> RuleFinding | None:
    """Read an item of a summary's list of concepts: a noun phrase that says what a name is for."""
    if (
        not (passage.item and passage.headings and LIST_RULES_PATTERNS.concepts.search(passage.headings[-1]))
        or passage.parents
    ):
        return None
    split = titled(passage.text)
    if split and (
        LIST_RULES_PATTERNS.bare_list.search(plain(split[1]))
        or LIST_RULES_PATTERNS.gerund_body.match(plain(split[1]))
    ):
        return None
    text = statement(f"{split[0]}: {split[1]}" if split else passage.text)
    if (
        len(text.split()) < _MIN_CONCEPT_WORDS
        or not identifiers(text)
        or not LIST_RULES_PATTERNS.linked.search(text)
    ):
        return None
    if (
        objection(text)
        or LIST_RULES_PATTERNS.is_news.search(text)
        or LIST_RULES_PATTERNS.bare_list.search(text)
        or not LIST_RULES_PATTERNS.explained.search(text)
    ):
        return None
    told = LIST_RULES_PATTERNS.verb.search(text) is not None or ": " in text
    return RuleFinding(text, "semantic", 0.7 if told else 0.6, "summary_concept", passage.text)


def file_role(passage: Passage) -> RuleFinding | None:
    """Read what a file in a summary's list is for: `Shared components for the panel` below its path."""
    name = owner(passage)
    said = plain((sentences(passage.text) or [""])[0])
    if (
        "/" not in name
        or not LIST_RULES_PATTERNS.role.match(said)
        or len(said.split()) < _MIN_ROLE_WORDS
        or LIST_RULES_PATTERNS.is_news.search(said)
    ):
        return None
    text = statement(f"`{name}`: {said}")
    return None if objection(text) else RuleFinding(text, "code_description", 0.72, "file_role", passage.text)


def titled_body(split: tuple[str, str], passage: Passage) -> Iterator[RuleFinding]:
    """Read the body of `**Title**: body` with its title as the subject."""
    title, body = split
    named = identifiers(title)
    subject = named[0] if named and len(title) <= len(named[0]) + _AROUND else ""
    if LIST_RULES_PATTERNS.status_title.match(title) or LIST_RULES_PATTERNS.gerund_body.match(plain(body)):
        return
    for number, part in enumerate(sentences(body)):
        text = f"{title}: {plain(part)}" if number == 0 and not subject else part
        if LIST_RULES_PATTERNS.changed.match(plain(part)):
            continue
        if found := assertion(text, subject=subject):
            yield replace(found, quote=passage.text)


def changes(part: Sequence[Passage]) -> Iterator[RuleFinding]:
    """Read changes with their reasons: the code shows a change, but not its reason."""
    for passage in part:
        split = titled(passage.text)
        title, body = split or ("", passage.text)
        for sentence in sentences(body):
            said = impersonal(plain(sentence))
            if (
                LIST_RULES_PATTERNS.mechanical.search(said)
                or not LIST_RULES_PATTERNS.past_change.match(said)
                or not LIST_RULES_PATTERNS.purpose.search(said)
            ):
                continue
            named = title if identifiers(title) else owner(passage)
            text = statement(
                f"{title}: {said}" if named == title and title else f"`{named}`: {said}" if named else said
            )
            if len(identifiers(text)) > (0 if named else 1) and not objection(text):
                told = LIST_RULES_PATTERNS.why.search(said) and not LIST_RULES_PATTERNS.rewired.match(said)
                yield RuleFinding(text, "decision", 0.7 if told else 0.6, "change_reason", passage.text)


def joined(part: Sequence[Passage], *, repairs_only: bool = False) -> Iterator[tuple[int, int, RuleFinding]]:
    """Join a lead (`X runs:`) and its short list into one statement; yields also the range of passages."""
    place = 0
    while place < len(part):
        lead = part[place].text
        end = place + 1
        while end < len(part) and _belongs(part[end], part[place]):
            end += 1
        items = [
            LIST_RULES_PATTERNS.example.sub("", plain(one.text)).rstrip(".;") for one in part[place + 1 : end]
        ]
        if (
            lead.endswith(":")
            and len(lead) < MAX_LENGTH
            and _MIN_ITEMS <= len(items) <= _MAX_ITEMS
            and (found := _joined(lead, items, repairs_only=repairs_only))
        ):
            yield place, end, found
        place = max(end, place + 1)


def _belongs(item: Passage, lead: Passage) -> bool:
    """Whether an item is in the list that a paragraph or another item introduces."""
    if not item.item:
        return False
    return item.parents[-1:] == (lead.text,) if lead.item else not item.parents and item.lead == lead.text


def _joined(lead: str, items: Sequence[str], *, repairs_only: bool) -> RuleFinding | None:
    """Compose a statement of a lead and its items, unless it needs context or is a change or plan."""
    head = LIST_RULES_PATTERNS.correctly.sub("", statement(sentences(lead)[-1].rstrip(":")).rstrip("."))
    repaired = LIST_RULES_PATTERNS.repaired_by.match(head)
    if (
        not (is_specific(head) or LIST_RULES_PATTERNS.compound.search(head))
        or len(head.split()) < _MIN_LEAD
        or (LIST_RULES_PATTERNS.changed.match(head) is not None) != (repaired is not None)
        or (repairs_only and not repaired)
        or HEDGE.search(f"{head} {' '.join(items)}")
        or LIST_RULES_PATTERNS.example_lead.match(head)
        or LIST_RULES_PATTERNS.tests_head.search(head)
        or not (
            LIST_RULES_PATTERNS.verb.search(LIST_RULES_PATTERNS.paren.sub("", head)) or _have_verbs(items)
        )
        or LIST_RULES_PATTERNS.idle_lead.search(head)
        or LIST_RULES_PATTERNS.has_mark.search(" ".join(items))
    ):
        return None
    if any(
        (LIST_RULES_PATTERNS.did.match(item) and not repaired)
        or LIST_RULES_PATTERNS.result_item.search(item)
        or len(item.split()) < _MIN_LEAD
        for item in items
    ):
        return None
    text = f"{head.rstrip('.')}: {'; '.join(items)}."
    if objection(head) not in {"", "length"} or objection(text) or LIST_RULES_PATTERNS.is_news.search(text):
        return None
    kind = "incident" if repaired else "semantic"
    return RuleFinding(
        text, kind, 0.74, "joined_fix" if repaired else "joined_list", f"{lead} {'; '.join(items)}"
    )


def _have_verbs(items: Sequence[str]) -> bool:
    """Whether most items say something about their lead, and are not only names."""
    return sum(LIST_RULES_PATTERNS.verb.search(item.split(" (")[0]) is not None for item in items) * 2 > len(
        items
    )


def definition(passage: Passage, *, summary: bool) -> RuleFinding | None:
    """Read `` `name` — what it is`` as a fact about the code; changes made to it are not facts about it."""
    split = titled(passage.text)
    if not split:
        return None
    name, body = split
    first = plain((sentences(body) or [""])[0])
    if (
        not LIST_RULES_PATTERNS.name.fullmatch(name)
        or LIST_RULES_PATTERNS.ticket.search(name)
        or len(first) < _MIN_DEFINITION
        or LIST_RULES_PATTERNS.changed.match(first)
        or LIST_RULES_PATTERNS.test_name.search(name)
    ):
        return None
    text = statement(f"{name if '`' in name else f'`{name}`'}: {first}")
    if objection(text) or LIST_RULES_PATTERNS.is_news.search(text):
        return None
    kind = "code_description" if "/" in name or "." in name else "semantic"
    fewest = _MIN_ACTING_WORDS if LIST_RULES_PATTERNS.acts.match(first) else _MIN_DEFINING_WORDS
    thin = len(first.split()) < fewest
    confidence = (
        (0.76 if summary else 0.72)
        - (0.1 if thin else 0.0)
        - (
            0.1
            if LIST_RULES_PATTERNS.function.search(name) and not LIST_RULES_PATTERNS.contrast.search(first)
            else 0.0
        )
        - (0.12 if LIST_RULES_PATTERNS.plain_field.fullmatch(name) else 0.0)
    )
    return RuleFinding(text, kind, confidence, "definition", passage.text)


# -- rules for reports: compaction summaries, and the structured message with which an agent ends its work


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
