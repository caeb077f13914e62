"""Rules for corrections: the person says that what the agent did, said or left out is wrong or unwanted.

Forms of correcting are a table (`patterns/correction_rules.txt`), each with the category that it usually is
and the confidence with which it is a correction (bench/corrections.py). What is corrected is known from what
the agent had done just before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.correction import Category
from recortex.engines.corrections.categories import MADE, categorised
from recortex.engines.extraction.drafting import ACTIVE, RuleFinding
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.pasted_text import typed
from recortex.engines.extraction.principles import after_but, done, principle, without_question
from recortex.engines.extraction.sentences import plain
from recortex.engines.extraction.spelling import spelled_out
from recortex.engines.extraction.typed_sentences import typed_sentences
from recortex.engines.patterns import Form, Patterns
from recortex.engines.words import STOP_WORDS, bag_of_words

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
MOST = 3
"""Corrections of one message."""
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


class _Heard(NamedTuple):
    """A sentence that corrects, and how."""

    place: int
    form: Form
    confidence: float


def corrections(turn: Turn, act: Act) -> Iterator[RuleFinding]:
    """What a person's message corrects, as findings with a category.

    Args:
        turn: of the person.
        act: what the agent had done before.
    """
    if act.nothing or len(turn.text) > MAX_TYPED or PATTERNS.reviewed.search(turn.text):
        return
    parts = [part for one in passages(typed(_own(turn))) for part in typed_sentences(one.text)]
    if turn.form == "refusal":
        act = replace(act, refused=turn.asked)
    shared = act.words() - STOP_WORDS
    asked = PATTERNS.asked.search(act.said[-_ENDS:]) or PATTERNS.numbered.match(turn.text)
    heard = [
        one for place in range(len(parts)) if (one := _heard(parts, place, turn, shared, asked=bool(asked)))
    ]
    best = sorted(sorted(heard, key=lambda one: -one.confidence)[:MOST])
    found = [finding for one in best if (finding := _finding(one, parts, act))]
    texts = [one.text for one in found]
    yield from (one for one in found if not any(one.text in text != one.text for text in texts))


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


def _own(turn: Turn) -> str:
    """The person's own words of an answer; the lines that begin with `>` are the agent's."""
    if turn.form != "answer":
        return turn.text
    own = [line for line in turn.text.splitlines() if not line.startswith(">")]
    asked = turn.asked
    return "\n".join(line for line in own if line.strip() not in asked)


def _heard(
    parts: Sequence[str], place: int, turn: Turn, shared: frozenset[str], *, asked: bool
) -> _Heard | None:
    said = PATTERNS.filler.sub("", PATTERNS.stressed.sub(r"\1", spelled_out(plain(parts[place]))))
    said = without_question(PATTERNS.tagged.sub(".", said))
    if PATTERNS.personal.search(said) or PATTERNS.wonders.search(said):
        return None
    refusal = turn.form == "refusal"
    form = _form(said, refusal=refusal)
    if form is None or (form.name in _NEW_TOO and not refusal and (asked or PATTERNS.report.search(said))):
        return None
    if form.name not in _DENYING and PATTERNS.approves.match(parts[place]):
        return None
    if form.name in _NEW_TOO - _NAMING and not refusal and not bag_of_words(said) & shared:
        return None
    confidence = form.confidence + _PLACED * refusal + _SURE_OF_FORM * (place == 0)
    confidence -= _PLACED * (PATTERNS.momentary.search(said) is not None)
    return _Heard(place, form, min(round(confidence, 2), 0.95))


def _form(said: str, *, refusal: bool) -> Form | None:
    found = [form for form in FORMS if form.pattern.search(said)]
    asks = said.rstrip().endswith("?") or PATTERNS.pure_ask.match(said) is not None
    if asks:
        found = [form for form in found if form.name in _QUESTIONS]
    best = max(found, key=lambda form: form.confidence, default=None)
    if best is None and refusal and not asks and PATTERNS.told.match(said):
        return _REFUSED
    return best


def _finding(one: _Heard, parts: Sequence[str], act: Act) -> RuleFinding | None:
    quote = parts[one.place]
    rest = after_but(quote)
    told = [*parts[: one.place], rest, *parts[one.place + 1 :]] if one.form.pattern.search(rest) else parts
    taught = principle(told, one.place, act)
    if taught is None:
        return None
    category = categorised(f"{quote}\n{taught.own}", usual=Category(one.form.kind))
    confidence = one.confidence - (0 if taught.alone else _PLACED)
    return RuleFinding(
        taught.text,
        MADE[category].kind,
        confidence,
        f"{RULE}_{one.form.name}",
        quote,
        hold="" if taught.alone and confidence >= ACTIVE else "not sure enough",
        category=category.value,
        did=done(act, quote),
    )
