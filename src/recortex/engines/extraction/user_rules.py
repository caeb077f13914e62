"""Rules for what the person typed: notes, standing rules, preferences, corrections, decisions.

People write tersely and point at what is on the screen, so a sentence is taken only when it speaks of more
than the task at hand: a standing rule, the team's way of working, a stated preference, or an explicit note.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import ACTIVE, RuleFinding
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.pasted_text import typed
from recortex.engines.extraction.self_contained import is_specific, objection
from recortex.engines.extraction.sentences import plain, statement
from recortex.engines.extraction.statement_rules import is_report, stated
from recortex.engines.extraction.typed_sentences import readings, typed_sentences
from recortex.engines.supersession.lexicon import FAMILY_OF, SYNONYMS
from recortex.engines.words import PRODUCT, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

# Longer messages are pasted plans, issues and logs: other people's or the agent's own words.
MAX_TYPED = 2_500


@dataclass(frozen=True, slots=True)
class Habit:
    """One row: a form of statement, and the confidence that it holds beyond the current task."""

    name: str
    kind: str
    confidence: float
    pattern: re.Pattern[str]


def _habit(name: str, kind: str, confidence: float, pattern: str) -> Habit:
    return Habit(name, kind, confidence, re.compile(pattern, re.IGNORECASE))


_THING = (
    r"(?!(?:it|this|that|these|those|them|the (?:first|second|third|other|last|next|new|old|one)|one|option|"
    r"plan|both|either|all|you|your|a|an)\b)"
)
# The first row that matches decides.
HABITS = (
    _habit("decision", "decision", 0.75,
           r"\b(?:we|I|the team)(?:'ve| have)? (?:now |just |finally |also )?(?:decided|"
           r"agreed)\b(?! (?:to (?:look|try|wait|see|meet|talk|discuss|postpone|skip|leave)|later|"
           r"tomorrow)\b)|\b(?:we|I)(?:'ve| have)? (?:changed|made up) (?:our|my) minds?\b"),
    _habit("decided_for", "decision", 0.68,
           rf"^(?:decision: )?(?:(?:we|I)(?:'re| are|'m| am|'ll| will)? )?(?:now )?(?:going|go|went|"
           rf"gone) with {_THING}|^decision: (?:use|stick with|switch to) {_THING}(?!the\b)|"
           rf"\b(?:we|I)(?:'re| are|'ve| have|'ve been|'m| am)? (?:now |just |all )?(?:moving|switching|"
           rf"migrating|moved|switched|migrated) (?:\w+ ){{0,4}}?to {_THING}|"
           rf"^(?:drop|ditch|retire) {_THING}[\w.+-]+(?:,| and|;)? (?:we |and )?(?:now )?use {_THING}|"
           r"\b(?:no longer|don't|do not) use [\w.+-]+(?: any ?more)?\b(?!.*\b(?:here|in this)\b)"),
    _habit("preference", "preference", 0.82,
           (rf"^I (?:always |strongly |generally |usually |much )?prefer {_THING}(?!(?:the|if|to (?:see|"
            rf"wait|do|have|keep|get|not))\b)")),
    _habit("decided_for", "decision", 0.7,
           (rf"\b(?:we|I|the team)(?:'ve| have)? (?:now |just |finally |also )?(?:chose|picked|(?:settled|"
            rf"standardi[sz]ed) on) {_THING}(?!(?:the|this|wrong)\b)")),
    _habit("about_me", "preference", 0.85,
           r"^my (?:full )?(?:name|editor|shell|timezone|time zone|os|operating system|terminal|"
           r"keyboard(?: layout)?|pronouns|native language|laptop|ide|github (?:user|name|handle)) is\b|"
           r"^I (?:always|never|usually|only) (?:work|use|write|run|develop|code|want|need|read|speak|type|"
           r"commit|test|think)\b|^I(?:'m| am) on (?:macos|linux|windows|arch|ubuntu|debian|fedora|nixos|"
           r"wsl)\b|^I want (?:all|every|our|each) .+(?:ed|en|off)\b"),
    _habit("place", "semantic", 0.7,
           r"^(?:(?:the|my) [\w-]+|our|the(?= (?:docs|documentation|wiki|tracker|"
           r"dashboard)\b)) (?:[\w-]+ ){0,3}(?:url|uri|host|database|db|server|port|(?<=default )branch|"
           r"(?<=release )branch|(?<=production )branch|bucket|registry|endpoint|cluster|region|domain|"
           r"instance|dashboard|repo(?:sitory)?|namespace|account|profile|queue|topic|folder|directory|"
           r"tracker|wiki|docs|documentation|store|vault|mirror|proxy|socket|runner) (?:is|are|lives?|runs?|"
           r"listens?|sits|points)(?: (?:at|in|on|under|to|behind))? (?:called |"
           r"named )?[`\w./:@-]*[./:@`\d-][`\w./:@-]*"),
    _habit("recurring", "semantic", 0.66,
           (r"\b(?:is|are|gets?|happens?|runs?|ships?) .{0,40}\bevery (?:\w+ )?(?:mon|tues|wednes|thurs|fri|"
            r"satur|sun)?(?:day|night|week|month|sprint|quarter|hour|morning|release)s?\b")),
    _habit("forbidden", "preference", 0.7,
           r"\b(?:is|are) (?:strictly )?(?:forbidden|banned|not allowed|off limits|prohibited)\b"),
    _habit("standing", "preference", 0.75,
           r"[\w`], (?:always|never)[.!]?$|^(?:always|never|(?:do not|don't) ever)\b|\b(?:should|must|to|we|"
           r"you) (?:always|never)\b|\b(?:from now on|in (?:the )?future|in general|every time|"
           r"by convention|at all times|under no circumstances)\b"),
    _habit("our_way", "preference", 0.75,
           r"\b(?:our|(?:is|it's|that's) an?) (?:team |house |project |company )?(?:convention|policy|"
           r"standard|house rule|rule)\b|\bwe(?:'ve| have)? (?:agreed|got burned|been burned)\b"),
    _habit("our_way", "preference", 0.7,
           r"\bwe (?:(?:always|only|usually|generally|never|do not|don't) )?(?:use|mock|deploy|support|"
           r"target|follow|avoid|store|keep|prefer|ignore|gitignore|track|cache|pin|vendor|commit|test|"
           r"write|name|ship|release|host)\b"),
    _habit("preference", "preference", 0.7,
           (r"\b(?:I|we)(?:'d| would)? (?:prefer|rather have)\b|^prefer\b|\bI (?:don't like|hate|"
            r"like (?:to have|it when|my|our))\b")),
    _habit("decision", "decision", 0.65, r"^decision: (?:go with|use|keep|stick|not|drop|switch)\b"),
    # "use pnpm not npm", "run `make gen` before the tests"
    _habit("choice", "preference", 0.62,
           (r"^(?:use|run|write|call|import|commit|push|put|prefer|keep|stick (?:to|with)) .{2,80}?(?:,|"
            r" and| but)? ?\b(?:instead of|rather than|not|never|over)\s+\S")),
    _habit("choice", "preference", 0.7,
           (r"^use (?!the\b|that\b|this\b|it\b|an?\b)[^.]{3,60} for (?:all|every|each|any|our|new|commit|"
            r"branch|log|test|error)\b")),
    _habit("how_to", "procedural", 0.72,
           r"\b(?:run|use|call|start) `[^`]{2,80}` (?:before|after|when|whenever|instead|first|to|for|if|"
           r"once)\b|^(?:set|export|run|start|install|enable|unset|source) .{3,80}?\b(?:before|first|"
           r"when)\b.{3,80}\b(?:otherwise|or else)\b"),
    _habit("prohibition", "preference", 0.6,
           (r"^(?:do not|don't|stop|avoid) (?!(?:worry|mind|forget|bother|care|stop|ask|do|know|think|see|"
            r"get|be|want|need)\b)\w{3,}\b")),
    # A fact with what it rules out: "the ids are ULIDs, not UUIDs".
    _habit("fact", "semantic", 0.65,
           (r"^(?!it\b|this\b|that\b|there\b)\w+ .{0,60}?\b(?:is|are|lives? (?:in|on|at)|runs? on|goes? to|"
            r"comes? from|listens? on|points? (?:to|at))\b [^?]{2,80}(?:,| and| but) not\b")),
    _habit("fact", "semantic", 0.62,
           r"^(?!it|this|that)[\w -]{3,40} (?:is|are|will|can|may) (?:always|never|only) \w+"),
    _habit("universal", "preference", 0.7,
           r"^(?:make sure )?(?:(?:all|every|each)(?: of)?(?: our| the| new)? \w+|no \w+)(?: \w+)?"
           r" (?:(?:must|should|has to|have to|may|has an?|needs? an?|lives?|goes?|uses?|belongs?)\b|"
           r"(?:is|are) (?!mis|un|broken|gone)(?:\w+ed|written|kept|built|run|sent|set)\b.{3,}?\b(?:in|on|"
           r"to|by|as|with|under|from|at|via|through)\b)"),
    _habit("universal", "preference", 0.7,
           (r"^(?!(?:the|this|that|these|those|it|we|you|i|they|there|tests? (?:is|"
            r"are))\b)(?:[\w-]+ ){0,2}[\w-]{2,}s must(?: not| never| always)? \w+")),
    _habit("constraint", "tribal", 0.6,
           r"\bwe(?:'re| are) (?:still )?(?:on|using) [\w.+-]+ ?v?\d|\b(?:our|prod|production|staging|ci|"
           r"customers?|users?|vendor|upstream|legacy)\b.{0,60}?\b"
           r"(?:only|is|are|runs?|uses?|has|have|can't|cannot|limits?|requires?|supports?)\b|"
           r"\b(?:need|needs|require|requires|requires? that|has to|have to)\b.{3,80}\botherwise\b|"
           r"\bread-?only\b|\brate[- ]limit\w*|\bwe can(?:'t|not)\b|\bwe (?:want|have|need) to support\b"),
    _habit("rule", "preference", 0.55,
           r"\b(?:should(?:n't| not)? (?:be|never|always|only|not|use|live|have)|must(?: not| be)?|"
           r"has to be|is not allowed|"
           r"we (?:should(?:n't)?|must(?:n't)?|can't|have)|I want (?:all|every|our))\b"),
)  # fmt: skip
_NOTE = re.compile(
    r"\s*(?:(?:please|pls|also|can you|could you|you should|and) )*(?:remember|memorize|"
    r"note(?: down)?(?: to self)?|keep in mind|bear in mind|don't forget|do not forget|(?:one thing|"
    r"something) to remember|"
    r"for (?:the )?(?:record|future reference)|fyi)\b(?: (?:this|the following))?(?: for (?:later|next time|"
    r"the future|future sessions))?\s*(?:that\b|:|,|-|(?=(?:our|we (?:use|never|always|don't|do not|only|"
    r"need|run|deploy|prefer|agreed|decided|can't|support|target)) ))\s*",
    re.IGNORECASE,
)
_ASIDE_NOTE = re.compile(
    r"(?:by the way|btw|fyi|(?:please )?remember to)\b[:,]?\s+|(?:for context|heads[- ]up|just so you know|"
    r"careful|important|context)\b\s*(?:that\b|[:,–—-])\s*",
    re.IGNORECASE,
)
_DECISION = re.compile(r"(?:final |our |team )?decision:\s+(?=\S+ \S)", re.IGNORECASE)
_IN_PROJECT = re.compile(
    r"(?:here,? )?(?:in|for|on) (?:this|our) (?:repo(?:sitory)?|project|codebase|monorepo)\b,?\s+(?=\w)",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"^(?:the|our|all|every|each|we|tests?|[\w-]+s)\b.{2,60}?\b(?:is|are|live|lives|use|uses|need|needs|run|"
    r"runs|go|goes|belong|require|requires)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:that(?:'s| is)|this is|it(?:'s| is)) (?:not (?:correct|right|true|what \w+ \w+)|wrong|incorrect|"
    r"false)[,.;:!-]+\s+(?=\S.{20})|^(?:no|nope|wrong)[,.;:!-]+\s+(?=(?:the|we|our|all|use|it)\b.{20})",
    re.IGNORECASE,
)
# The agent overstepped: what was not asked for is not wanted without being asked for.
_OVERSTEP = re.compile(
    r"(?:no[,.!]* |please,? |hey,? |stop[,.!]* )*I (?:did not|didn't|never) (?:say|ask(?:ed)?|tell|told|"
    r"want(?:ed)?|said)(?: you)?(?: to)? (?P<what>commit|push|merge|deploy|publish|release|delete|install|"
    r"rebase|force[- ]push|open a pr|create a pr|refactor)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(r"(?:but )?I (?:told|asked) you (?P<what>not to|to (?:always|never)) ", re.IGNORECASE)
_POLITE = re.compile(
    r"(?:please|pls|you (?:should|must|(?:will )?need to|have to)|make sure(?: that)?(?: you| to))\s+(?=\w)",
    re.IGNORECASE,
)
_PLEASE = re.compile(r",? (?:please|pls|thanks|thank you)[.!]$", re.IGNORECASE)
# Words that only start the sentence; "no" is heard apart, as it may correct.
_FILLER = re.compile(
    r"^(?:(?:also|and|but|so|ok(?:ay)?|then|hmm+|well|anyway|yes|yeah|yep|good|great|thanks|cool|right|oh|"
    r"sorry|nice)(?:[,.!;:]+ *| +)){1,3}(?=\w)",
    re.IGNORECASE,
)
_LETS = re.compile(r"let's (?=(?:go with|use|keep|stick|not|drop|switch)\b)", re.IGNORECASE)
# What happened always or never is a complaint, not a rule; so is what is broken today.
_ONCE = re.compile(
    r"\bas always\b|\balways (?:fails?|breaks?|returns?|shows?|gives?|gets?|says?)\b|\bnever (?:mind|been|"
    r"seen|worked|works|had|got|gets?|shows?|happen\w*|ran|runs|finish\w*|called)\b|\bwe (?:run|use|test|"
    r"keep) (?:into|it|this|that|them)\b|\b(?:show|give|tell) me\b|\b(?:is|are) (?:broken|down|failing)\b|"
    r"^I(?:'ve| have)? (?:already |just |also )?(?!decid|agre|prefer|need)\w+ed\b|\b(?:yesterday|"
    r"last (?:night|week)|for now|for the moment|just this once|this time|temporarily|today|tonight|"
    r"tomorrow|right now|next week)\b|\bthe (?:first|second|third|last|other|new|old) (?:one|approach|"
    r"option|version|way|variant)\b|\b(?:as|like) (?:that|this)\b",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"\b(?:fail(?:s|ed|ing)?|broken|down|red|empty|crash\w*|slow|gone|missing|wrong|stuck|hang(?:s|ing)|"
    r"not (?:working|loading|starting|showing))(?: (?:again|now|today|here|for me|on (?:my|main)))?[.!]?$|"
    r"\b(?:now|today|yet|again|anymore|for now|right now|at the moment|yesterday|this time|"
    r"anything else)[.!]?$",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"\b(?:because|since|so that|otherwise|due to)\b|, (?:so \w|(?:we|they) (?:don't|do not|can't|cannot|"
    r"always|never|need|must|only|got|rely|depend)|it takes|it's (?:too )?\w+|that's (?:our|the|a|why))|"
    r", (?:the|our|it|this|that|[\w-]+) [^,.]{0,60}\b(?:forbids?|bans?|breaks?|doesn't|does not|can't|"
    r"cannot|won't|(?:is|are) (?:banned|forbidden|not allowed|deprecated|frozen|generated|read-only))\b|"
    r"\b(?:so|and) (?:don't|do not|no|never|avoid|keep|use|it can)\b",
    re.IGNORECASE,
)
# How far a prohibition reaches: "in tests", "unless I ask", "any generated file".
_SCOPE = re.compile(
    r"\b(?:in|to|from|under|inside) (?:this|the|our|any|every|all|each)? ?(?:repo\w*|project|codebase|"
    r"tests?|main|master|production|prod|code|modules?|package|migrations?|[A-Z]\w+ code|directory|"
    r"folder)\b|\b(?:unless|without)\b|\b(?:every|any|all|each|generated|vendored|directly)\b|\bhere[.!]?$",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^(?:can|could|would|will|try|check|look|see|fix|implement|add|create|update|make (?!sure (?:all|every|"
    r"each)\b)|now|yes|do (?!not\b)|show|tell|explain|review|if|when|but|i (?:got|see|get|have|think|"
    r"noticed|wonder|tried|just|want to see))\b|^run (?!`)",
    re.IGNORECASE,
)
_PASTED = re.compile(r"\s*(?:<|\{|\[|\$ |#|at |Traceback|Implement the following plan|\d{2,4}[-:/]\d)")
# "Every row should have a button" asks for a feature; "must" and "has" state what holds.
_SHOULD = re.compile(r"\b(?:should|may)\b", re.IGNORECASE)
_NEEDS_NAME = {"fact", "constraint", "decided_for", "recurring"}
_BARE_CHOICE = re.compile(
    r"^(?:use|prefer) (?!(?:the|a|an|this|that|it)\b)\S+,? (?:and |but )?(?:not|never|instead of|"
    r"over) (?!(?:the|a|an|this|that|it)\b)\S+$",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\b(?:only|at most|max(?:imum)?|up to|limited to|no more than) \d+ \w+", re.IGNORECASE)
_USED_NOW = re.compile(r"(?<=\w) now(?=[.!]?$)", re.IGNORECASE)
_IN_USE = re.compile(
    r"\bwe(?:'re| are|'ve| have)? (?:use|using|on|run|running|deploy|moved|switched|migrated)\b",
    re.IGNORECASE,
)
_LOCAL_CHOICE = re.compile(r"^(?:use|call|write|put) (?:an?|the) .*\bhere[.!]?$", re.IGNORECASE)
_HABITUAL = re.compile(r"^stop \w+ing (?:\w+ )?\w+s (?:for|to|in|on|with|into) \w", re.IGNORECASE)
_NAMED = re.compile(r"\d|\b[A-Z]{2,}\b")


# When a change took place is no part of what holds since.
_LASTING = re.compile(
    r",? \b(?:(?:as of|from|since|starting) (?:today|now|yesterday|(?:this|last) (?:week|month|sprint|"
    r"year))(?: on(?:wards?)?)?|yesterday|today|last (?:week|month|night|sprint)|this (?:week|month)|"
    r"recently|these days)\b",
    re.IGNORECASE,
)


def from_user(text: str) -> Iterator[RuleFinding]:
    """Yield the standing knowledge in a message that a person typed."""
    if len(text) > MAX_TYPED or _PASTED.match(text) or not (text := typed(text)):
        return
    reporting = is_report(text)
    for passage in passages(text):
        for part in typed_sentences(passage.text):
            if found := _best(part, reporting=reporting):
                yield found


def _best(sentence: str, *, reporting: bool) -> RuleFinding | None:
    """The surest of the ways to read a sentence; the whole of it where that is sure enough."""
    meant = readings(_FILLER.sub("", plain(sentence)))
    best = _judged(sentence)
    for reading in meant:
        if best and best.confidence >= ACTIVE:
            break
        for found in (_stated(reading, sentence, reporting=reporting), _judged(reading, sentence)):
            if found and found.confidence >= ACTIVE and (best is None or found.confidence > best.confidence):
                best = found
    return best


def _stated(said: str, sentence: str, *, reporting: bool) -> RuleFinding | None:
    """What a sentence says of the project without a word of rule."""
    text = _direct(statement(_FILLER.sub("", plain(said))))
    lasting = _LASTING.sub("", text)
    named = _names(text)
    found = stated(lasting, named=named, reporting=reporting)
    if (
        found is None
        or objection(lasting, addressed=True, meant=True) not in {"", "chatter"}
        or _ONCE.search(lasting)
    ):
        return None
    return RuleFinding(text, found.kind, found.confidence, f"person_{found.name}", sentence)


def _judged(reading: str, sentence: str = "") -> RuleFinding | None:
    """Judge one sentence of the person, or one reading of it."""
    sentence = sentence or reading
    said = _FILLER.sub("", plain(reading))
    if overstep := _OVERSTEP.match(said):
        text = f"Do not {overstep.group('what').lower()} unless asked to."
        return RuleFinding(text, "preference", 0.8, "person_overstep", sentence)
    noted, corrected = _NOTE.match(said), _CORRECTS.search(said)
    aside = _ASIDE_NOTE.match(said)
    scoped = _IN_PROJECT.match(said)
    opening = noted or aside or scoped or corrected
    text = _direct(statement(said[opening.end() :] if opening else said))
    named = _names(text)
    if _refused(text, meant=bool(noted) or named):
        return None
    habit = next((row for row in HABITS if row.pattern.search(text)), None)
    if said_on_purpose := _declared(said, text, habit, named=named):
        return RuleFinding(text, *said_on_purpose, sentence)
    if habit is None:
        return None
    confidence = habit.confidence + _weight(habit.name, text, named=named) + 0.05 * bool(corrected)
    name, kind = ("correction", "feedback") if corrected else (habit.name, habit.kind)
    return RuleFinding(text, kind, confidence, f"person_{name}", sentence)


def _declared(said: str, text: str, habit: Habit | None, *, named: bool) -> tuple[str, float, str] | None:
    """Kind, confidence and rule of a deliberate statement: a decision, a note, a fact of the project."""
    kind = habit.kind if habit is not None and habit.kind == "decision" else "tribal"
    if _DECISION.match(said):
        return "decision", 0.85, "person_decision"
    if _NOTE.match(said):
        return kind, 0.9, "person_note"
    if _IN_PROJECT.match(said) and (habit or (named and _HOLDS.search(text))) and not _ASKING.match(text):
        return habit.kind if habit else "tribal", 0.75, "person_scoped"
    if _ASIDE_NOTE.match(said) and (habit or (named and _WHY.search(text))):
        return kind, 0.75, "person_note"
    return None


def _names(text: str) -> bool:
    """Whether a statement names a piece of code, a file, a product or a number."""
    if is_specific(text) or _NAMED.search(text) is not None:
        return True
    return any(SYNONYMS.get(word, word) in FAMILY_OF for word in tokens(text, PRODUCT))


def _refused(text: str, *, meant: bool) -> bool:
    """Whether a cleaned sentence is no rule: not self-contained, a complaint, or what is broken today."""
    if not text or objection(text, addressed=True, meant=meant) or _ONCE.search(text):
        return True
    lasting = _USED_NOW.sub("", text) if _IN_USE.search(text) else text
    return _BROKEN.search(lasting) is not None and not _WHY.search(text)


def _weight(name: str, text: str, *, named: bool) -> float:
    """How far a reason, a scope and a name raise the confidence of a rule, and a request lowers it."""
    change = 0.1 * bool(_WHY.search(text)) + 0.05 * named - 0.2 * bool(_ASKING.match(text))
    change += 0.1 if name in {"prohibition", "choice"} and _SCOPE.search(text) else 0.0
    change += 0.1 if name == "prohibition" and _HABITUAL.match(text) else 0.0
    change += 0.05 if name == "choice" and _BARE_CHOICE.match(text) else 0.0
    change += 0.05 if name == "constraint" and _LIMIT.search(text) else 0.0
    change -= 0.15 if _LOCAL_CHOICE.match(text) else 0.0
    change -= 0.08 if name == "universal" and _SHOULD.search(text) else 0.0
    return change - (0.15 if name in _NEEDS_NAME and not named and not _WHY.search(text) else 0.0)


def _direct(text: str) -> str:
    """Say a rule as a rule: without politeness, and "let's use X" as the decision that it is."""
    text = _PLEASE.sub(".", text)
    text = _LETS.sub("Decision: ", text, count=1) if _LETS.match(text) else text
    if told := _TOLD.match(text):
        order = "Do not" if told.group("what").lower() == "not to" else told.group("what")[3:]
        text = f"{order} {text[told.end() :]}"
    shorter = _POLITE.sub("", text, count=1) if _POLITE.match(text) else text
    return shorter[:1].upper() + shorter[1:]
