"""Rules for list items: a name and its definition, a title and its text, a change and its reason.

In a report most knowledge stands in list items, whose subject is their title, their parent or the line above
the list.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.engines.extraction.cues import HEDGE, assertion
from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.report_entries import titled
from recortex.engines.extraction.self_contained import MAX_LENGTH, identifiers, is_specific, objection
from recortex.engines.extraction.sentences import impersonal, plain, sentences, statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.engines.extraction.passages import Passage

_CHANGED = re.compile(
    r"^(?:(?:\w+ly|also|major|minor|core|then|main|key)\s+)?(?:add(?:ed|s)?|updat\w+|remov\w+|renam\w+|"
    r"chang\w+|creat\w+|fix\w*|refactor\w*|mov\w+|replac\w+|implement\w*|modif\w+|extract\w*|improv\w+|"
    r"now\b|new\b|no changes?|registered|rewr\w+|wrote|deleted?|consolidat\w+|simplif\w+|switch\w*|"
    r"convert\w*|test(?:s|ed)?\b|verif\w+|read\b|will\b|not yet|done|complete\w*|contains changes|see\b|"
    r"same\b|need\w*|should\b|yes\b|no\b)",
    re.IGNORECASE,
)
_PAST_CHANGE = re.compile(
    r"^(?:added|updated|removed|renamed|changed|created|replaced|moved|switched|made|set|extracted|used|"
    r"disabled|enabled|wrapped|kept|rewrote)\b",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r"\b(?:so that|because|since|to (?:avoid|prevent|ensure|allow|keep|support|protect|handle|guard|"
    r"make sure|prefer|reflect|match|reduce|skip|preserve|enable|detect|respect|work around|survive|stop)|"
    r"otherwise|instead of|rather than|for \w+ing|via `|which (?:would|caused|prevents?|avoids?)|prevents?|"
    r"avoids?)\b",
    re.IGNORECASE,
)
# A name that can be looked up: a path, a call, a dotted or compound word; not a plain word such as `source`.
_NAME = re.compile(
    r"`?(?=[^`]*(?:[/._:(]|[a-z][A-Z]|[A-Z]{2,}[a-z]))[\w@][^`\s]{3,100}`?(?:\s*\([^()]{1,60}\))?"
)
_TEST_NAME = re.compile(
    r"(?:^|[/`_.])tests?(?:[/_.]|$)|_(?:test|spec)\b|\.(?:test|spec)\.|^`?Test[A-Z]|Tests?`?$|/migrations/|"
    r"\.md\b",
    re.IGNORECASE,
)
_TICKET = re.compile(r"-\w{1,6}\.\d+|[A-Z]{2,}-\d+|#\d+")
_IS_NEWS = re.compile(
    r"\b(?:now|will|initial|various|comprehensive|no longer|already|currently|updated|new|added|removed|"
    r"needs?|should|todo|line \d+|lines? \d)\b|[\u2192]|(?<!\d)\d+ tests?",
    re.IGNORECASE,
)
_HAS_MARK = re.compile("[\u2705\u274c\u2713\u2717\u2714\u2718\u2b50]|\\*\\*|\\?$")
_COMPOUND = re.compile(r"\b[A-Za-z]+-[a-z]+\b")
_EXAMPLE_LEAD = re.compile(r"^(?:when|if|for|in|with|given|after|before|e\.g|example)\b", re.IGNORECASE)
_IDLE_LEAD = re.compile(
    r"\b(?:related|see|references?|benefits?|pros|cons|advantages?|better|improved|examples?|phases?|steps|"
    r"follows|fixes|questions?|ideas?|thoughts|possible|potential|sources|easier|clearer|cleaner|faster|"
    r"simpler|safer|reduced|increased|enhanced|flexibility|consistency)\b",
    re.IGNORECASE,
)
_RESULT_ITEM = re.compile(
    r"^(?:result|output|file|cwd|expected|actual|before|after|input|status|default|note)\b|"
    r"^\W*[0-9a-f]{7,}\b|\b[0-9a-f]{10,}\b",
    re.IGNORECASE,
)
_PLAIN_FIELD = re.compile(r"`?[a-z]+(?:_[a-z]+)*`?")
_STATUS_TITLE = re.compile(
    r"(?:solved|fixed|identified|done|discovered|found|explored|investigat\w+|complete\w*|ongoing|resolved|"
    r"verified|note|task|step|phase|test|status|result|action|next|pending|current\w*|in progress|compile|"
    r"error)\b",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\s*\([^()]{1,80}\)$")
# Code marks and a short note around a name leave it the subject of its list item.
_AROUND = 4
_DID = re.compile(
    r"^(?:\w+ly )?(?:\w+ed|wrote|rewrote|made|set up|new|no changes?)\b(?! by| in| on| to| from| when| with)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"(?<!\s)\s*\((?:e\.g\.|for example|such as)[^()]*\)")
_WHY = re.compile(
    r"\b(?:so that|because|since|to (?:avoid|prevent|protect|guard|survive|work around|stop|preserve|ensure|"
    r"keep|support|respect)\b|otherwise|which (?:would|caused|prevents?|avoids?|breaks?|fail\w*)|"
    r"instead of|rather than|prevents?|avoids?)\b",
    re.IGNORECASE,
)
# "Updated X to call Y instead of Z" is what the difference shows.
_REWIRED = re.compile(
    r"(?:updated|changed|replaced|switched|renamed|moved)\b(?!.*\b(?:so that|because|since|otherwise|"
    r"avoid\w*|prevent\w*|protect|guard)\b)",
    re.IGNORECASE,
)
_MECHANICAL = re.compile(
    r"\b(?:references?|usages?|imports?|call ?sites?|all (?:the )?(?:tests?|callers?|files|instances|"
    r"occurrences)|comments?|changelog|readme|version|principles?|sections?|paragraphs?|headings?|wording|"
    r"documentation|docs)\b",
    re.IGNORECASE,
)
_REPAIRED_BY = re.compile(
    r"(?:fixed|solved|resolved|prevented|avoided) .{10,300}\b(?:by|with|using)\b", re.IGNORECASE
)
# What makes a fact of a noun phrase: `X for Y`, `X (Y)`, `X in Y`. A bare list of names has none.
_LINKED = re.compile(
    r"\b(?:for|in|on|with|via|required|using|between|from|as|instead|per|through|before|after|when)\b|\(|"
    r":\s|\s[-–—]\s"
)
_ROLE = re.compile(
    r"(?:holds|manages|exposes|wraps|houses|provides|handles|parses|shared|central|entry point|single|"
    r"(?:main|core|background|standalone) \w+ (?:for|that|of))\b",
    re.IGNORECASE,
)
_MIN_ROLE_WORDS = 7
_CONCEPTS = re.compile(r"\bconcepts?\b", re.IGNORECASE)
_BARE_LIST = re.compile(r"^[^(:]*,[^(:]*,[^(:]*(?:,|\band\b)[^(:]*$")
_EXPLAINED = re.compile(
    r"^(?!.*\b(?:mismatch|gap|bugs?|issues?|problems?|testing|integration|missing)\b)(?:[^(:`]{3,60}: \S|"
    r".*\([^()]{6,}\)|.*`[^`]*[/*<{][^`]*`)",
    re.IGNORECASE,
)
# A verb in the present tense or a modal: what makes a phrase a statement.
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|can|cannot|must|will|does|do|(?:creates?|uses?|returns?|runs?|reads?|"
    r"writes?|stores?|shows?|keeps?|tracks?|holds?|sends?|handles?|requires?|needs?|works?|fails?|lives?|"
    r"supports?|allows?|prevents?|skips?|ignores?|deletes?|removes?|restores?|loads?|saves?|calls?|checks?|"
    r"contains?|includes?|defaults?|expects?|accepts?|takes?|gets?|sets?|makes?|starts?|stops?|exits?|"
    r"blocks?|waits?|caps?|points?|maps?|matches|matched|preserved|created|stored|written|blocked))\b",
    re.IGNORECASE,
)
_PAREN = re.compile(r"\([^()]*\)|`[^`]*`")
_CORRECTLY = re.compile(r" (?:correctly|properly|now|successfully)$", re.IGNORECASE)
_TESTS_HEAD = re.compile(r"(?:_test|_spec|\.test|\.spec)\.\w+|\btests?\b|\bspecs?\b", re.IGNORECASE)
_FUNCTION = re.compile(r"(?:/\d|\([^()]*\)|\(\))`?$")
_CONTRAST = re.compile(
    r"\b(?:never|only|not|instead|rather|must|before|unless|because|since|so that|without|once|one-time)\b",
    re.IGNORECASE,
)
_GERUND_BODY = re.compile(
    r"(?!during|using|string|everything|nothing|anything)[A-Za-z]{2,}ing\b", re.IGNORECASE
)
_MIN_CONCEPT_WORDS = 7
_MIN_DEFINITION, _MIN_DEFINING_WORDS, _MIN_ACTING_WORDS = 30, 7, 11
# "Gets the pane" repeats the name; such a body has to say more before it is worth keeping.
_ACTS = re.compile(
    r"(?:gets?|uses?|sets?|calls?|returns?|handles?|contains?|has|checks?|main|core|basic|simple)\b",
    re.IGNORECASE,
)
_MIN_ITEMS, _MAX_ITEMS, _MIN_LEAD = 2, 6, 2


def owner(passage: Passage) -> str:
    """The file or symbol whose list item a passage is nested in; empty when there is none."""
    for parent in reversed(passage.parents):
        if len(parent) > MAX_LENGTH:
            continue
        split = titled(parent) or (parent, "")
        title = _NOTE.sub("", split[0])
        named = identifiers(title)
        if named and len(title) <= len(named[0]) + _AROUND:
            return named[0]
    return ""


def concept(passage: Passage) -> RuleFinding | None:
    """Read an item of a summary's list of concepts: a noun phrase that says what a name is for."""
    if not (passage.item and passage.headings and _CONCEPTS.search(passage.headings[-1])) or passage.parents:
        return None
    split = titled(passage.text)
    if split and (_BARE_LIST.search(plain(split[1])) or _GERUND_BODY.match(plain(split[1]))):
        return None
    text = statement(f"{split[0]}: {split[1]}" if split else passage.text)
    if len(text.split()) < _MIN_CONCEPT_WORDS or not identifiers(text) or not _LINKED.search(text):
        return None
    if objection(text) or _IS_NEWS.search(text) or _BARE_LIST.search(text) or not _EXPLAINED.search(text):
        return None
    told = _VERB.search(text) is not None or ": " in text
    return RuleFinding(text, "semantic", 0.7 if told else 0.6, "summary_concept", passage.text)


def file_role(passage: Passage) -> RuleFinding | None:
    """Read what a file in a summary's list is for: `Shared components for the panel` below its path."""
    name = owner(passage)
    said = plain((sentences(passage.text) or [""])[0])
    if (
        "/" not in name
        or not _ROLE.match(said)
        or len(said.split()) < _MIN_ROLE_WORDS
        or _IS_NEWS.search(said)
    ):
        return None
    text = statement(f"`{name}`: {said}")
    return None if objection(text) else RuleFinding(text, "code_description", 0.72, "file_role", passage.text)


def titled_body(split: tuple[str, str], passage: Passage) -> Iterator[RuleFinding]:
    """Judge the body of `**Title**: body` with its title as the subject."""
    title, body = split
    named = identifiers(title)
    subject = named[0] if named and len(title) <= len(named[0]) + _AROUND else ""
    if _STATUS_TITLE.match(title) or _GERUND_BODY.match(plain(body)):
        return
    for number, part in enumerate(sentences(body)):
        text = f"{title}: {plain(part)}" if number == 0 and not subject else part
        if _CHANGED.match(plain(part)):
            continue
        if found := assertion(text, subject=subject):
            yield replace(found, quote=passage.text)


def changes(part: Sequence[Passage]) -> Iterator[RuleFinding]:
    """Read a change that stands with its reason: the code shows the change, but not the reason."""
    for passage in part:
        split = titled(passage.text)
        title, body = split or ("", passage.text)
        for sentence in sentences(body):
            said = impersonal(plain(sentence))
            if _MECHANICAL.search(said) or not _PAST_CHANGE.match(said) or not _PURPOSE.search(said):
                continue
            named = title if identifiers(title) else owner(passage)
            text = statement(
                f"{title}: {said}" if named == title and title else f"`{named}`: {said}" if named else said
            )
            if len(identifiers(text)) > (0 if named else 1) and not objection(text):
                told = _WHY.search(said) and not _REWIRED.match(said)
                yield RuleFinding(text, "decision", 0.7 if told else 0.6, "change_reason", passage.text)


def joined(part: Sequence[Passage], *, repairs_only: bool = False) -> Iterator[tuple[int, int, RuleFinding]]:
    """Join a naming lead (`X runs:`) and its short list into one statement; yields the places it takes."""
    place = 0
    while place < len(part):
        lead = part[place].text
        end = place + 1
        while end < len(part) and _belongs(part[end], part[place]):
            end += 1
        items = [_EXAMPLE.sub("", plain(one.text)).rstrip(".;") for one in part[place + 1 : end]]
        if (
            lead.endswith(":")
            and len(lead) < MAX_LENGTH
            and _MIN_ITEMS <= len(items) <= _MAX_ITEMS
            and (found := _one(lead, items, repairs_only=repairs_only))
        ):
            yield place, end, found
        place = max(end, place + 1)


def _belongs(item: Passage, lead: Passage) -> bool:
    """Whether an item stands in the list that a paragraph or another item introduces."""
    if not item.item:
        return False
    return item.parents[-1:] == (lead.text,) if lead.item else not item.parents and item.lead == lead.text


def _one(lead: str, items: Sequence[str], *, repairs_only: bool) -> RuleFinding | None:
    """Compose a statement of a lead and its items, unless it needs context or tells a change or plan."""
    head = _CORRECTLY.sub("", statement(sentences(lead)[-1].rstrip(":")).rstrip("."))
    repaired = _REPAIRED_BY.match(head)
    if (
        not (is_specific(head) or _COMPOUND.search(head))
        or len(head.split()) < _MIN_LEAD
        or (_CHANGED.match(head) is not None) != (repaired is not None)
        or (repairs_only and not repaired)
        or HEDGE.search(f"{head} {' '.join(items)}")
        or _EXAMPLE_LEAD.match(head)
        or _TESTS_HEAD.search(head)
        or not (_VERB.search(_PAREN.sub("", head)) or _told(items))
        or _IDLE_LEAD.search(head)
        or _HAS_MARK.search(" ".join(items))
    ):
        return None
    if any(
        (_DID.match(item) and not repaired) or _RESULT_ITEM.search(item) or len(item.split()) < _MIN_LEAD
        for item in items
    ):
        return None
    text = f"{head.rstrip('.')}: {'; '.join(items)}."
    if objection(head) not in {"", "length"} or objection(text) or _IS_NEWS.search(text):
        return None
    kind = "incident" if repaired else "semantic"
    return RuleFinding(
        text, kind, 0.74, "joined_fix" if repaired else "joined_list", f"{lead} {'; '.join(items)}"
    )


def _told(items: Sequence[str]) -> bool:
    """Whether most items say something of their lead, and are not just names of its parts."""
    return sum(_VERB.search(item.split(" (")[0]) is not None for item in items) * 2 > len(items)


def definition(passage: Passage, *, summary: bool) -> RuleFinding | None:
    """Read `` `name` — what it is`` as a fact about the code; changes made to it are not facts about it."""
    split = titled(passage.text)
    if not split:
        return None
    name, body = split
    first = plain((sentences(body) or [""])[0])
    if (
        not _NAME.fullmatch(name)
        or _TICKET.search(name)
        or len(first) < _MIN_DEFINITION
        or _CHANGED.match(first)
        or _TEST_NAME.search(name)
    ):
        return None
    text = statement(f"{name if '`' in name else f'`{name}`'}: {first}")
    if objection(text) or _IS_NEWS.search(text):
        return None
    kind = "code_description" if "/" in name or "." in name else "semantic"
    fewest = _MIN_ACTING_WORDS if _ACTS.match(first) else _MIN_DEFINING_WORDS
    thin = len(first.split()) < fewest
    confidence = (
        (0.76 if summary else 0.72)
        - (0.1 if thin else 0.0)
        - (0.1 if _FUNCTION.search(name) and not _CONTRAST.search(first) else 0.0)
        - (0.12 if _PLAIN_FIELD.fullmatch(name) else 0.0)
    )
    return RuleFinding(text, kind, confidence, "definition", passage.text)
