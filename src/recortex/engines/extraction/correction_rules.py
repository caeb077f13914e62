"""Finds corrections: the person says that what the agent did, said or left out is wrong or unwanted.

The chance of each sentence to be one is learned from marked sessions (`correction_chance.py`). Forms of
correcting are a table (`patterns/correction_rules.txt`), each with the category that it usually is and how
sure it is by itself: what is active has both a sure form and a high chance (bench/correction_fit.py). What
is corrected is known from what the agent had done just before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.correction import Category
from recortex.engines.corrections.categories import MADE, categorised
from recortex.engines.extraction.answers import own_words
from recortex.engines.extraction.correction_chance import chance
from recortex.engines.extraction.correction_features import Answered, Met, signs
from recortex.engines.extraction.drafting import ACTIVE, RuleFinding
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.pasted_text import DOUBT, HOLD, doubtful, typed
from recortex.engines.extraction.principles import (
    after_but,
    done,
    principle,
    stands,
    without_question,
    worded,
)
from recortex.engines.extraction.sentences import plain
from recortex.engines.extraction.spelling import spelled_out
from recortex.engines.extraction.typed_sentences import typed_sentences
from recortex.engines.patterns import Form, Patterns
from recortex.engines.words import bag_of_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.domain.transcript import Turn
    from recortex.engines.corrections.acts import Act

PATTERNS = Patterns(__file__)
FORMS = PATTERNS.forms("form_")
RULE = "person_corrected"
MAX_TYPED = 2_500
"""Longer messages are pasted plans, issues and logs."""
_ENDS = 300
"""Characters at the end of the agent's message that may ask something."""
MOST = 2
"""Corrections of one message."""
PROPOSED, SURE = 0.35, 0.6
"""The chances from which a correction is proposed, and from which it is active where a rule is sure too
(bench/correction_fit.py)."""
_REFUSED = Form("refused", Category.PATTERN_VIOLATION, 0.65, PATTERNS.anything)
_NEW_TOO = frozenset(
    ("lacks", "ought", "still", "instead", "prefer", "stays", "twice", "not_it", "gone", "belongs", "habit")
)
"""Forms that also tell what is new: they correct only where the agent had not asked, and, but for `_NAMING`,
where they share words with what it did."""
_NAMING = frozenset(("lacks", "instead", "stays", "twice", "belongs"))
_DENYING = frozenset(("denied", "wrong", "overstep", "undone", "missed"))
"""Forms that correct even where the sentence begins by agreeing."""
_QUESTIONS = frozenset(
    ("why_not", "why", "cant", "existing", "overstep", "undone", "missed", "twice", "forbidden")
)
"""Forms that may be questions."""
_SURE_OF_FORM, _PLACED = 0.05, 0.1
_SAID = {
    name: getattr(PATTERNS, name)
    for name in ("personal", "wonders", "pure_ask", "report", "approves", "momentary")
}


class Sentence(NamedTuple):
    """A sentence of a message, and what is known of it.

    Attributes:
        form: of correcting, that a rule saw in it.
        confidence: of that rule; 0 where none saw any.
    """

    signs: dict[str, float]
    form: Form | None
    confidence: float


def corrections(turn: Turn, act: Act) -> Iterator[RuleFinding]:
    """What a person's message corrects, as findings with a category.

    Args:
        turn: of the person.
        act: what the agent had done before.
    """
    if answered := read(turn, act):
        told = sentences(answered)
        yield from found(answered, told, [chance(one.signs) for one in told])


def read(turn: Turn, act: Act) -> Answered | None:
    """A message that may correct what the agent did; None where it cannot."""
    if act.nothing or len(turn.text) > MAX_TYPED or PATTERNS.reviewed.search(turn.text):
        return None
    act = replace(act, refused=turn.asked) if turn.form == "refusal" else act
    parts = [part for one in passages(typed(own_words(turn))) for part in typed_sentences(one.text)]
    return Answered(turn, act, parts)


def sentences(answered: Answered) -> list[Sentence]:
    """The sentences of a message with what is known of each."""
    turn, act = answered.turn, answered.act
    asked = PATTERNS.asked.search(act.said[-_ENDS:]) or PATTERNS.numbered.match(turn.text)
    return [_sentence(place, answered, asked=bool(asked)) for place in range(len(answered.parts))]


def found(answered: Answered, told: Sequence[Sentence], chances: Sequence[float]) -> Iterator[RuleFinding]:
    """What a message corrects, by the chance of each of its sentences to be a correction."""
    heard = [(-chances[place], place) for place in range(len(told)) if chances[place] >= PROPOSED]
    places = sorted(place for _, place in sorted(heard)[:MOST])
    every = (finding(place, told[place], chances[place], answered) for place in places)
    findings = [one for one in every if one]
    texts = [one.text for one in findings]
    material = doubtful(answered.turn.text)
    for one in findings:
        if not any(one.text in text != one.text for text in texts):
            doubt = not one.hold and material(one.quote) >= DOUBT
            yield replace(one, hold=HOLD) if doubt else one


def with_corrections(ruled: Iterable[RuleFinding], corrected: Iterable[RuleFinding]) -> Iterator[RuleFinding]:
    """One finding for each sentence: the rules' where it alone is active, else what is corrected."""
    by_quote = {one.quote: one for one in corrected}
    for finding in ruled:
        correction = by_quote.get(finding.quote)
        if correction is None:
            yield finding
        elif _active(finding) and not _active(correction):
            del by_quote[finding.quote]
            yield replace(finding, category=correction.category, did=correction.did)
    yield from by_quote.values()


def _active(finding: RuleFinding) -> bool:
    return finding.confidence >= ACTIVE and not finding.hold


def _sentence(place: int, answered: Answered, *, asked: bool) -> Sentence:
    said = _bare(answered.parts[place])
    form, confidence = _heard(said, place, answered, asked=asked)
    forms = {f"rule_{one.name}": 0.0 for one in FORMS}
    forms |= {f"rule_{one.name}": 1.0 for one in FORMS if one.pattern.search(said)}
    forms |= {f"said_{name}": float(one.search(said) is not None) for name, one in _SAID.items()}
    text = worded(answered.parts[place])
    met = Met(forms, confidence, bool(text), bool(text) and stands(text))
    return Sentence(signs(place, answered, met), form, confidence)


def _bare(part: str) -> str:
    said = PATTERNS.filler.sub("", PATTERNS.stressed.sub(r"\1", spelled_out(plain(part))))
    return without_question(PATTERNS.tagged.sub(".", said))


def _heard(said: str, place: int, answered: Answered, *, asked: bool) -> tuple[Form | None, float]:
    """The form of correcting that a sentence has, and how sure that is by itself; None where it has none."""
    if PATTERNS.personal.search(said) or PATTERNS.wonders.search(said):
        return None, 0.0
    refusal = answered.turn.form == "refusal"
    form = _form(said, refusal=refusal)
    if form is None or (form.name in _NEW_TOO and not refusal and (asked or PATTERNS.report.search(said))):
        return None, 0.0
    if form.name not in _DENYING and PATTERNS.approves.match(answered.parts[place]):
        return None, 0.0
    if form.name in _NEW_TOO - _NAMING and not refusal and not bag_of_words(said) & answered.words:
        return None, 0.0
    confidence = form.confidence + _PLACED * refusal + _SURE_OF_FORM * (place == 0)
    confidence -= _PLACED * (PATTERNS.momentary.search(said) is not None)
    return form, min(round(confidence, 2), 0.95)


def _form(said: str, *, refusal: bool) -> Form | None:
    found = [form for form in FORMS if form.pattern.search(said)]
    asks = said.rstrip().endswith("?") or PATTERNS.pure_ask.match(said) is not None
    if asks:
        found = [form for form in found if form.name in _QUESTIONS]
    best = max(found, key=lambda form: form.confidence, default=None)
    if best is None and refusal and not asks and PATTERNS.told.match(said):
        return _REFUSED
    return best


def finding(place: int, told: Sentence, chance: float, answered: Answered) -> RuleFinding | None:
    """What a sentence teaches if it is a correction; None where no principle can be made of it."""
    parts, act, form = answered.parts, answered.act, told.form
    quote, usual, name = parts[place], Category.TRIBAL_MISS, "told"
    if form:
        usual, name = Category(form.kind), form.name
        rest = after_but(quote)
        parts = [*parts[:place], rest, *parts[place + 1 :]] if form.pattern.search(rest) else parts
    taught = principle(parts, place, act)
    if taught is None:
        return None
    category = categorised(f"{quote}\n{taught.own}", usual=usual)
    sure = chance >= SURE and told.confidence >= ACTIVE and taught.alone
    return RuleFinding(
        taught.text,
        MADE[category].kind,
        round(max(chance, ACTIVE) if sure else chance, 2),
        f"{RULE}_{name}",
        quote,
        hold="" if sure else "not sure enough",
        category=category.value,
        did=done(act, quote),
    )
