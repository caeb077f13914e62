"""Rules for list items: a name and its definition, a title and its text, a change and its reason.

In a report most knowledge is in list items, whose subject is their title, their parent or the line above the
list.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.engines.extraction.cues import HEDGE, assertion
from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.report_entries import titled
from recortex.engines.extraction.self_contained import MAX_LENGTH, identifiers, is_specific, objection
from recortex.engines.extraction.sentences import impersonal, plain, sentences, statement
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.engines.extraction.passages import Passage

PATTERNS = Patterns(__file__)

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
        title = PATTERNS.note.sub("", split[0])
        named = identifiers(title)
        if named and len(title) <= len(named[0]) + _AROUND:
            return named[0]
    return ""


def concept(passage: Passage) -> RuleFinding | None:
    """Read an item of a summary's list of concepts: a noun phrase that says what a name is for."""
    if (
        not (passage.item and passage.headings and PATTERNS.concepts.search(passage.headings[-1]))
        or passage.parents
    ):
        return None
    split = titled(passage.text)
    if split and (PATTERNS.bare_list.search(plain(split[1])) or PATTERNS.gerund_body.match(plain(split[1]))):
        return None
    text = statement(f"{split[0]}: {split[1]}" if split else passage.text)
    if len(text.split()) < _MIN_CONCEPT_WORDS or not identifiers(text) or not PATTERNS.linked.search(text):
        return None
    if (
        objection(text)
        or PATTERNS.is_news.search(text)
        or PATTERNS.bare_list.search(text)
        or not PATTERNS.explained.search(text)
    ):
        return None
    told = PATTERNS.verb.search(text) is not None or ": " in text
    return RuleFinding(text, "semantic", 0.7 if told else 0.6, "summary_concept", passage.text)


def file_role(passage: Passage) -> RuleFinding | None:
    """Read what a file in a summary's list is for: `Shared components for the panel` below its path."""
    name = owner(passage)
    said = plain((sentences(passage.text) or [""])[0])
    if (
        "/" not in name
        or not PATTERNS.role.match(said)
        or len(said.split()) < _MIN_ROLE_WORDS
        or PATTERNS.is_news.search(said)
    ):
        return None
    text = statement(f"`{name}`: {said}")
    return None if objection(text) else RuleFinding(text, "code_description", 0.72, "file_role", passage.text)


def titled_body(split: tuple[str, str], passage: Passage) -> Iterator[RuleFinding]:
    """Read the body of `**Title**: body` with its title as the subject."""
    title, body = split
    named = identifiers(title)
    subject = named[0] if named and len(title) <= len(named[0]) + _AROUND else ""
    if PATTERNS.status_title.match(title) or PATTERNS.gerund_body.match(plain(body)):
        return
    for number, part in enumerate(sentences(body)):
        text = f"{title}: {plain(part)}" if number == 0 and not subject else part
        if PATTERNS.changed.match(plain(part)):
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
                PATTERNS.mechanical.search(said)
                or not PATTERNS.past_change.match(said)
                or not PATTERNS.purpose.search(said)
            ):
                continue
            named = title if identifiers(title) else owner(passage)
            text = statement(
                f"{title}: {said}" if named == title and title else f"`{named}`: {said}" if named else said
            )
            if len(identifiers(text)) > (0 if named else 1) and not objection(text):
                told = PATTERNS.why.search(said) and not PATTERNS.rewired.match(said)
                yield RuleFinding(text, "decision", 0.7 if told else 0.6, "change_reason", passage.text)


def joined(part: Sequence[Passage], *, repairs_only: bool = False) -> Iterator[tuple[int, int, RuleFinding]]:
    """Join a lead (`X runs:`) and its short list into one statement; yields also the range of passages."""
    place = 0
    while place < len(part):
        lead = part[place].text
        end = place + 1
        while end < len(part) and _belongs(part[end], part[place]):
            end += 1
        items = [PATTERNS.example.sub("", plain(one.text)).rstrip(".;") for one in part[place + 1 : end]]
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
    head = PATTERNS.correctly.sub("", statement(sentences(lead)[-1].rstrip(":")).rstrip("."))
    repaired = PATTERNS.repaired_by.match(head)
    if (
        not (is_specific(head) or PATTERNS.compound.search(head))
        or len(head.split()) < _MIN_LEAD
        or (PATTERNS.changed.match(head) is not None) != (repaired is not None)
        or (repairs_only and not repaired)
        or HEDGE.search(f"{head} {' '.join(items)}")
        or PATTERNS.example_lead.match(head)
        or PATTERNS.tests_head.search(head)
        or not (PATTERNS.verb.search(PATTERNS.paren.sub("", head)) or _have_verbs(items))
        or PATTERNS.idle_lead.search(head)
        or PATTERNS.has_mark.search(" ".join(items))
    ):
        return None
    if any(
        (PATTERNS.did.match(item) and not repaired)
        or PATTERNS.result_item.search(item)
        or len(item.split()) < _MIN_LEAD
        for item in items
    ):
        return None
    text = f"{head.rstrip('.')}: {'; '.join(items)}."
    if objection(head) not in {"", "length"} or objection(text) or PATTERNS.is_news.search(text):
        return None
    kind = "incident" if repaired else "semantic"
    return RuleFinding(
        text, kind, 0.74, "joined_fix" if repaired else "joined_list", f"{lead} {'; '.join(items)}"
    )


def _have_verbs(items: Sequence[str]) -> bool:
    """Whether most items say something about their lead, and are not only names."""
    return sum(PATTERNS.verb.search(item.split(" (")[0]) is not None for item in items) * 2 > len(items)


def definition(passage: Passage, *, summary: bool) -> RuleFinding | None:
    """Read `` `name` — what it is`` as a fact about the code; changes made to it are not facts about it."""
    split = titled(passage.text)
    if not split:
        return None
    name, body = split
    first = plain((sentences(body) or [""])[0])
    if (
        not PATTERNS.name.fullmatch(name)
        or PATTERNS.ticket.search(name)
        or len(first) < _MIN_DEFINITION
        or PATTERNS.changed.match(first)
        or PATTERNS.test_name.search(name)
    ):
        return None
    text = statement(f"{name if '`' in name else f'`{name}`'}: {first}")
    if objection(text) or PATTERNS.is_news.search(text):
        return None
    kind = "code_description" if "/" in name or "." in name else "semantic"
    fewest = _MIN_ACTING_WORDS if PATTERNS.acts.match(first) else _MIN_DEFINING_WORDS
    thin = len(first.split()) < fewest
    confidence = (
        (0.76 if summary else 0.72)
        - (0.1 if thin else 0.0)
        - (0.1 if PATTERNS.function.search(name) and not PATTERNS.contrast.search(first) else 0.0)
        - (0.12 if PATTERNS.plain_field.fullmatch(name) else 0.0)
    )
    return RuleFinding(text, kind, confidence, "definition", passage.text)
