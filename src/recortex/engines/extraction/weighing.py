"""What becomes of a message's sentences: active, proposed, or left to the record of what was said.

A rule says what a sentence means; the judge that was learned from labelled sessions says whether it is worth
keeping (`engines/judging`; the figures behind the limits are in docs/learning.md). What the person asks to be
remembered needs no judge.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.expressions import lazy
from recortex.engines.extraction.answers import own_words
from recortex.engines.extraction.drafting import ACTIVE, ON_PURPOSE
from recortex.engines.extraction.durable import durable
from recortex.engines.extraction.passing import HOLD, is_passing
from recortex.engines.extraction.user_rules import PASTED, from_objection, typed_spans
from recortex.engines.judging import Message, Statement, judged
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.domain.transcript import Role, Turn
    from recortex.engines.extraction.drafting import RuleFinding
    from recortex.engines.judging.features import Speaker


PATTERNS = Patterns(__file__)


class Limits(NamedTuple):
    """The probabilities from which something is active, and from which it is proposed."""

    active: float
    proposed: float


SURE, PERSON = Limits(0.15, 0.0), Limits(0.25, 0.12)
"""For the person's words that a rule is sure of, and that another rule took. What no rule took is left out:
of 38 such sentences that the judge expected, 5 were right on projects that nobody had looked at."""
OTHERS = Limits(0.4, 0.2)
"""For what a rule took of others' words."""
_WEAK_RULE = "person_rule"
"""Takes every "should" and "must", also of a request for one change."""
_ASKS = lazy(
    r"\A\W{0,4}(?:(?:so|and|but|ok|also) ){0,2}(?:what|how|where|which|who|when|why|is|are|do|does|did|was|"
    r"were|has|have|any|can|could|should|would|will)\b.*\?\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_SPEAKERS: dict[Role, Speaker] = {"user": "person", "assistant": "agent", "summary": "summary"}
_ASKED_FOR = ON_PURPOSE | {"person_chose"}
_REPAIR = lazy(r"_(?:fix|cause)$")
"""Rules for what failed and why, or what ended it: nobody can tell at first whether it comes again."""
_FROM_NOW_ON = lazy(r"\b(?:from now on|remember|henceforth)\b", re.IGNORECASE)
_LONGEST = 400
_WORD = lazy(r"\w+")
_BEGINNING = 6
"""Words of a quote that are looked for in its message, whatever markup stands between them."""


def message_of(turn: Turn, before: str, *, first: bool) -> Message | None:
    """A turn as the judge reads it; None where it is no message of the session itself.

    Args:
        turn: of the session.
        before: what the other one had said.
        first: nothing was said before it.
    """
    speaker = _SPEAKERS.get(turn.role)
    if not speaker or (speaker == "person" and not turn.by_person):
        return None
    return Message(speaker, own_words(turn), before=before, first=first)


def weighed(findings: Iterable[RuleFinding], message: Message) -> Iterator[RuleFinding]:
    """What the rules found in a message and is worth it, what else lasts, then the person's objections."""
    person = message.speaker == "person"
    lasting = {one.quote: one for one in durable(message.text)} if person and not _is_pasted(message) else {}
    taken = {_place(quote, message.text) for quote in lasting}
    for finding in findings:
        start = _place(finding.quote, message.text)
        taken.add(start)
        found = _weighed(finding, message, start)
        lasts = lasting.pop(finding.quote, None)
        if lasts and not finding.hold and not (found and found.confidence >= ACTIVE and not found.hold):
            found = lasts
        if found:
            yield _standing(found, message) if person else found
    for found in lasting.values():
        yield _standing(found, message)
    if person:
        yield from _objections(message, taken)


def _standing(finding: RuleFinding, message: Message) -> RuleFinding:
    """What the person said, held where it may be about the work at hand alone."""
    if finding.hold or finding.rule in _ASKED_FOR or _FROM_NOW_ON.search(finding.quote):
        return finding
    return replace(finding, hold=HOLD) if is_passing(finding, message.text) else finding


def _is_pasted(message: Message) -> bool:
    return PASTED.match(message.text) is not None


def _place(quote: str, text: str) -> int:
    """Where a quote begins in a text; -1 where it does not."""
    words = _WORD.findall(quote[:_LONGEST])[:_BEGINNING]
    found = re.search(r"\W{1,12}".join(words), text) if words else None
    return found.start() if found else -1


def _weighed(finding: RuleFinding, message: Message, start: int) -> RuleFinding | None:
    person = message.speaker == "person"
    if person and (finding.rule in _ASKED_FOR or _FROM_NOW_ON.search(finding.quote)):
        return finding
    if person and (_ASKS.match(finding.quote) or is_task(finding.quote)):
        return None
    statement = Statement(max(start, 0), max(start, 0) + len(finding.quote), rule=finding.confidence)
    (found,) = judged([(statement, message)])
    sure = person and finding.confidence >= ACTIVE and finding.rule != _WEAK_RULE
    chance, limits = found.keep if sure else found.active, SURE if sure else PERSON if person else OTHERS
    if chance >= limits.active:
        return replace(finding, confidence=max(finding.confidence, ACTIVE))
    if chance >= limits.proposed or _REPAIR.search(finding.rule):
        return replace(finding, hold=finding.hold or "not sure enough")
    return None


def is_task(said: str) -> bool:
    """Whether the person asks for something to be done once: 4 % of 184 such sentences are worth keeping."""
    return PATTERNS.task.match(said) is not None and not PATTERNS.general.search(said)


def _objections(message: Message, taken: set[int]) -> Iterator[RuleFinding]:
    """Objections in the form of a question, which no rule took, as what should be."""
    spans = [span for span in typed_spans(message.text) if span[0] not in taken]
    objected = (from_objection(message.text[start:end]) for start, end in spans)
    yield from filter(None, objected)
