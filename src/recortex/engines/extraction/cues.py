"""Cues in the agent's sentences: what kind of knowledge a sentence carries, and how sure it is of it.

A table of patterns for verified fixes, discoveries, requirements, rules and facts. The first row that matches
gives the kind; modifiers then raise or lower the confidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.self_contained import (
    MAX_LENGTH,
    MIN_LENGTH,
    identifiers,
    is_specific,
    objection,
)
from recortex.engines.extraction.sentences import impersonal, plain, sentences, statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.engines.extraction.passages import Passage


@dataclass(frozen=True, slots=True)
class Cue:
    """One row: a name, the kind it gives, the confidence it starts from, and its pattern."""

    name: str
    kind: str
    confidence: float
    pattern: re.Pattern[str]


def _cue(name: str, kind: str, confidence: float, pattern: str) -> Cue:
    return Cue(name, kind, confidence, re.compile(pattern, re.IGNORECASE))


CUES = (
    _cue("cause", "incident", 0.6,
         r"\b(?:root cause|culprit|(?:issue|problem|bug|reason|failure|error|crash|delay)s? (?:is|was|were|"
         r"are|comes?|came)(?: that| because| from| due)?|(?:was|is|were|are) caused by|caused by|fail(?:s|"
         r"ed)? because|broke because|because\b.{10,200}[;,.] (?:now )?fixed (?:by|in|with))\b"),
    _cue("decision", "decision", 0.6,
         r"\b(?:decided (?:to|on|against)|chose|chosen|opted (?:for|to)|instead of|rather than|in favou?r of|"
         r"deliberately|intentional(?:ly)?|by design|on purpose|trade-?off|avoid(?:s|ing)? (?:the|a|an)?)\b"),
    _cue("limit", "tribal", 0.72,
         r"\b(?:(?:do|does|did|can|could|will|would)(?: not|n't) (?:\w+ly )?(?:support|allow|work|accept|"
         r"handle|permit|understand|recogni[sz]e|preserve|propagate|inherit|respect|honou?r|persist|delete|"
         r"block|wait|use|run|need|require|follow|expose|provide|guarantee|apply|trigger|fire|match|"
         r"survive)\w*|cannot|can't|won't|not (?:supported|possible|allowed|available)|unsupported|"
         r"must (?:never|not|always)|only (?:works?|supports?|handles?|accepts?|runs?|applies|when|if)|"
         r"no (?:built-in|way to|support))\b"),
    _cue("lack", "semantic", 0.44, r"\b(?:do|does|did|can|could|will|would)(?: not|n't)\b"),
    _cue("requirement", "semantic", 0.58,
         (r"\b(?:requires?|required|must(?: be| not| have)?|needs? (?:to be|an?\b|the\b|`|(?-i:[A-Z]))|"
          r"has to|have to|depends on|mandatory|expects? to be)\b")),
    _cue("default", "semantic", 0.66, r"\b(?:defaults? to|by default|default (?:value )?(?:is|\S+ is))\b"),
    _cue("rule", "semantic", 0.5, r"\b(?:expects?|always|never)\b"),
    # A named piece of code as the subject of a verb in the present tense.
    _cue("subject", "semantic", 0.58,
         r"^(?:The )?`[^`]{3,80}`(?: \([^()]{1,60}\))?(?: [a-z][a-z-]+){0,2}? "
         r"(?:(?!alias|class|process|status|access|always|was|this|its)\w{3,}s|is|are|has|can|does)\b"),
    _cue("mechanism", "semantic", 0.5,
         r"\b(?:is|are) (?:stored|defined|located|called|invoked|used|handled|created|loaded|generated|"
         r"configured|registered|implemented|written|triggered|derived|computed|set|sent|managed|passed|"
         r"injected|shared|kept|cached|resolved|mounted|exposed|responsible)\b|\b(?:lives? in|delegates? to|"
         r"consists of|reads? from|writes? to|returns?|wraps?|maps? to|inherits|extends|stores|uses|"
         r"runs (?:in|on|before|after|when)|handles|implements|calls|contains|supports|provides|triggers|"
         r"works by|matches|falls back|controls)\b"),
)  # fmt: skip

# What a reader of the code sees as well.
_WITHIN = {"mechanism", "subject", "rule"}
# What these say is seldom a state of the code that the agent is about to change.
_OUTSIDE = {"limit", "requirement", "default", "decision"}
_ASIDE = re.compile(r"\([^()]*\)")
_NAMED_SUBJECT = re.compile(r"(?:The )?`[^`]{3,80}`")
_NAMED_BONUS = 0.06
_IT_WAS = re.compile(
    r"^(?:(?:all|both|the|these)(?: two| three)? (?:bugs|issues|problems|failures|errors) (?:have|had|share|"
    r"shared) (?:the same|one|a common) (?:root )?cause: (?=\S))|^(?:so |but )?(?:the |its )?(?:(?:only|"
    r"main|real|root|actual|core|underlying|other) )?(?:issue|problem|cause|culprit|reason|bug|"
    r"explanation)(?: here| though)? (?:is|was)(?: (?:clear|simple|obvious|now clear))?(?: that|:| because|"
    r" [-–—])\s+(?=\S)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|due to|which means|meaning|otherwise|therefore|to (?:avoid|prevent|ensure|"
    r"allow|keep|detect|determine|decide|track|identify|inject|capture|store|compute|support|make|match|"
    r"resolve)|as a result|, so (?!i\b|let|we\b)|in order to|causing|which (?:will )?(?:causes?|breaks?|"
    r"fails?|would))\b",
    re.IGNORECASE,
)
HEDGE = re.compile(
    r"\b(?:likely|probably|possibly|perhaps|maybe|might|may(?! not be null)|could|seems?|seemingly|appears?|"
    r"apparently|suspect|would|presumably|potential(?:ly)?|should (?:work|be fine|fix|now|already)|i think|"
    r"guess|looks like|suggests?|unclear|not sure|odd|weird|strange|suspicious|consider|would be|if needed|"
    r"optionally)\b",
    re.IGNORECASE,
)
_TRANSIENT = re.compile(
    r"\b(?:(?:has|have) become|still|yet|currently|current|at present|for now|temporar\w+|(?:is|are|was|"
    r"were) missing|missing|not (?:set|set up|configured|defined|imported|installed|registered) (?:yet|"
    r"here)|needs? to (?:be )?\w+|needs? (?:to be )?(?:updat|add|fix|chang|import|remov|renam|replac|mov|"
    r"refactor)\w*|lost|broken|wrong|incorrect(?:ly)?|undefined|unset|absent|fails|failing|unused|stale|"
    r"leftover|inconsisten\w+|discovered|remaining|in progress|pending|wip|todo|failing tests?|"
    r"tests? (?:fail|is|are)|(?:was|were|been) (?:removed|added|updated|renamed|moved|changed|fixed|"
    r"replaced|created|deleted)|now|no longer|already|today|new|two|three|four|five)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"^(?:\w+ )?(?:added|updated|removed|renamed|changed|created|fixed|refactored|moved|replaced|"
    r"implemented|modified|extracted|improved|introduced|adds?|updates?|removes?|renames?|changes?|creates?|"
    r"fixes|refactors?|moves?|replaces?|modifies|merged?|deleted?|bumped?|cleaned|simplified|converted|"
    r"switched|wrote|rewrote|ensured?)\b",
    re.IGNORECASE,
)
# "The default `x` is 0": of what? The owner of a default stands before it or after "of", "for", "in".
_DEFAULT = re.compile(r"\bdefaults? |\bby default\b", re.IGNORECASE)
_OWNED = re.compile(r"^.{0,60}?\b(?:of|for|in|when|from) (?:the )?(?:`|[A-Z])")
# An order in the agent's mouth is mostly a plan or advice.
_ORDER = re.compile(
    r"(?:scan|verify|spot-check|check|review|consider|ensure|make sure|try|frame|say|identify|confirm|"
    r"document)\b",
    re.IGNORECASE,
)
# Praise is not knowledge, and what a function calls stands in the function.
_PRAISE = re.compile(
    r"\b(?:complete data|rich(?:er)?|robust|seamless\w*|comprehensive|elegant\w*|powerful|flexible|nicely|"
    r"clean(?:er|ly)?|correctly|properly|perfectly)\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(?:has a (?:number|variety|different|similar|special)|(?:is|are|was|became|"
    r"looks) (?:\w+ly )?(?:confusing|simple|clear|straightforward|nice|good|bad|ugly|complex|similar|"
    r"important|interesting)|various)\b",
    re.IGNORECASE,
)
# The merits of a design, as any design document lists them.
_QUALITY = re.compile(
    r"(?:(?:increased|reduced|improved|better|easier|clearer|more|less) [^:]{2,40}|consistency|simplicity|"
    r"flexibility|maintainability|scalability|"
    r"readability|testability|extensibility|observability|separation of concerns|complexity|learning curve):",
    re.IGNORECASE,
)
_RESTATES = re.compile(
    r"\b(?:then|and) (?:calls|returns|uses|sets|gets)\b|^`[^`]+`: `\w+` \w+s\b|\bcalls `|"
    r"^`[^`]+`: (?:contains|uses|has)\b",
    re.IGNORECASE,
)
_FOLLOWED_BY_ACTION = re.compile(
    r"^(?:so )?(?:let me|let's|i'll|i will|i need to|i should|need to|now (?:let|i)|we need to|i also need|"
    r"i can|should i|would you|do you want|want me|shall i|adding|fixing|updating)\b",
    re.IGNORECASE,
)
_FOLLOWED_BY_CHECK = re.compile(
    r"^(?:so |now )?(?:let me|let's|i'll|i need to|i should) (?:also |just |now |quickly )?(?:check|verify|"
    r"confirm|test|see|look|investigate|find|debug|try|trace|measure|read|understand|dig)\b",
    re.IGNORECASE,
)
# What a report says is so "now" is simply so, once read later.
_NOW = re.compile(r"(?<=\s)(?:will )?now (?=[a-z]+s\b)|(?<=\bis) now\b|(?<=\bare) now\b")
_SECOND_CLAUSE = re.compile(
    r"(?<!\s)\s+[-–—]\s+(?:let me|I'll|I need|I can|I should|need to)\b.*$|(?:, so|;|, and) (?:let me|I'll|"
    r"I need|I can|I should|we need)\b.*$",
    re.IGNORECASE,
)


def assertions(passage: Passage, subject: str = "") -> Iterator[RuleFinding]:
    """Yield the sentences of the agent's prose that assert something worth knowing."""
    parts = sentences(passage.text)
    for place, part in enumerate(parts):
        following = parts[place + 1] if place + 1 < len(parts) else ""
        if finding := assertion(part, following=following, subject=subject):
            yield finding


def assertion(sentence: str, *, following: str = "", subject: str = "") -> RuleFinding | None:
    """Judge one sentence of the agent; None when it is not a statement or carries no cue.

    Args:
        sentence: the sentence as it was written.
        following: the sentence after it, which may show that the state it tells of is about to change.
        subject: the file or symbol that the passage is about, put in front where the sentence does not name
            it.
    """
    if not MIN_LENGTH <= len(sentence) <= 2 * MAX_LENGTH:
        return None
    if decided := _decided(sentence):
        return decided
    said = impersonal(statement(_NOW.sub("", _SECOND_CLAUSE.sub("", sentence))))
    text = statement(_IT_WAS.sub("", said, count=1))
    if subject and text and subject not in text:
        text = said = f"`{subject}`: {text}"
    if not text or not is_specific(text) or objection(text):
        return None
    bare = _ASIDE.sub("", text)
    cue = CUES[0] if text != said else next((cue for cue in CUES if cue.pattern.search(bare)), None)
    if cue is None:
        return None
    confidence = cue.confidence + _adjustment(text, following, cue.name)
    return RuleFinding(text, cue.kind, confidence, f"agent_{cue.name}", sentence)


_DECIDED = re.compile(r"\W*(?:final |our )?decision:\W*(?=\w+ \w)", re.IGNORECASE)


def _decided(sentence: str) -> RuleFinding | None:
    """What the agent marks as a decision, where it names what was decided on."""
    said = plain(sentence)
    found = _DECIDED.match(said)
    text = statement(said[found.end() :]) if found else ""
    if not text or HEDGE.search(text) or not is_specific(text) or objection(text, addressed=True):
        return None
    return RuleFinding(
        f"Decision: {text[0].lower()}{text[1:]}" if _STARTS_PLAIN.match(text) else text,
        "decision",
        0.72,
        "agent_decision",
        sentence,
    )


_STARTS_PLAIN = re.compile(r"(?:Use|Go|Keep|Stick|Drop|Switch|Do|Never|Always|The|All|No|We)\b")


def _adjustment(text: str, following: str, cue: str) -> float:
    """How far names, reasons, hedges and passing states move the confidence."""
    change = min(len(set(identifiers(text))), 3) * 0.03
    change += 0.1 if _REASON.search(text) else 0.0
    change += _NAMED_BONUS if _NAMED_SUBJECT.match(text) else 0.0
    change -= 0.3 if HEDGE.search(text) else 0.0
    # "Kept X because Y still calls it" is a reason, not a passing state.
    lasting = cue == "decision" and _REASON.search(text) is not None
    change -= 0.2 if _TRANSIENT.search(text) and not lasting else 0.0
    change -= 0.2 if _CHANGE.match(text) else 0.0
    change -= 0.12 if _FOLLOWED_BY_CHECK.match(following) else 0.0
    change -= 0.1 if text.startswith(("`-", "The `-")) else 0.0  # a flag of which command?
    if cue in _WITHIN and not _REASON.search(text):
        change -= 0.12 if _PRAISE.search(text) or _RESTATES.search(text) else 0.0
    change -= 0.12 if _ORDER.match(text) or _VAGUE.search(text) or _QUALITY.match(text) else 0.0
    change -= 0.15 if cue == "default" and not _has_owner(text) else 0.0
    if _FOLLOWED_BY_ACTION.match(following):
        change -= 0.04 if cue in _OUTSIDE else 0.12
    return change


def _has_owner(text: str) -> bool:
    """Whether a sentence about a default says whose default it is."""
    found = _DEFAULT.search(text)
    if found is None:
        return True
    before, after = text[: found.start()], text[found.end() :]
    return is_specific(before) or _OWNED.search(after) is not None
