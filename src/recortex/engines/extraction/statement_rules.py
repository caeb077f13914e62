"""Plain statements of the person about the project: what holds in it, and what has changed.

"We release every Friday", "timestamps are stored in UTC", "the docs are built with sphinx now": the verb is
one of how a project is run, and the value is a name, a number or a place. What tells of a failure, of
another's words or of one occasion is none. Rows were written on the development half of
bench/fresh_prompts.txt.
"""

from __future__ import annotations

from dataclasses import dataclass

from recortex.engines.patterns import Patterns
from recortex.engines.supersession.claim_values import is_name, is_quality
from recortex.engines.supersession.claims import Claim, claims, core, is_number
from recortex.engines.supersession.lexicon import FAMILY_OF, SLOTS

PATTERNS = Patterns(__file__)


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A way to state something: its name, the kind and confidence it gives."""

    name: str
    kind: str
    confidence: float


_ROWS = (
    (StatedFact("changed", "decision", 0.74), PATTERNS.stated_changed),
    (StatedFact("changed", "decision", 0.74), PATTERNS.stated_changed_2),
    (StatedFact("changed", "decision", 0.74), PATTERNS.stated_changed_3),
    (StatedFact("changed", "decision", 0.74), PATTERNS.stated_changed_4),
    (StatedFact("changed", "decision", 0.74), PATTERNS.stated_changed_5),
    (StatedFact("changed", "decision", 0.74), PATTERNS.stated_changed_6),
    (StatedFact("changed", "decision", 0.74), PATTERNS.stated_changed_7),
    (StatedFact("turned", "decision", 0.74), PATTERNS.stated_turned),
    (StatedFact("changed", "decision", 0.74), PATTERNS.stated_changed_8),
    (StatedFact("practice", "preference", 0.72), PATTERNS.stated_practice),
    (StatedFact("place", "preference", 0.72), PATTERNS.stated_place),
    (StatedFact("built", "semantic", 0.72), PATTERNS.stated_built),
    (StatedFact("built", "semantic", 0.72), PATTERNS.stated_built_2),
    (StatedFact("rests", "semantic", 0.72), PATTERNS.stated_rests),
    (StatedFact("rests", "semantic", 0.72), PATTERNS.stated_rests_2),
    (StatedFact("uses", "semantic", 0.72), PATTERNS.stated_uses),
    (StatedFact("bound", "semantic", 0.72), PATTERNS.stated_bound),
    (StatedFact("wanted", "preference", 0.72), PATTERNS.stated_wanted),
    (StatedFact("order", "preference", 0.72), PATTERNS.stated_order),
    (StatedFact("order", "preference", 0.72), PATTERNS.stated_order_2),
    (StatedFact("order", "preference", 0.72), PATTERNS.stated_order_3),
    (StatedFact("value", "semantic", 0.72), PATTERNS.stated_value),
)


_BRIEF = 5


def is_report(message: str) -> bool:
    """Whether a message tells of something that goes wrong: then what it says is so is not what shall be."""
    return PATTERNS.reporting.search(message) is not None


def stated(text: str, *, named: bool, reporting: bool) -> StatedFact | None:
    """What a cleaned sentence of the person states about the project; None if nothing that lasts.

    Args:
        text: one sentence, without greeting and request.
        named: whether it names a product, a piece of code or a number.
        reporting: whether the message as a whole tells of a failure.
    """
    if PATTERNS.failing.search(core(text)) or text.endswith("?") or PATTERNS.asks.match(text):
        return None
    for part in (text, *PATTERNS.clauses.split(text)):
        found = next((row for row, pattern in _ROWS if pattern.search(part)), None)
        if found is None or PATTERNS.pointing.search(part) or not _carries(found, part, named=named):
            continue
        return None if reporting and found.name not in {"changed", "turned", "practice"} else found
    return None


def _carries(row: StatedFact, text: str, *, named: bool) -> bool:
    """Whether a sentence of a form says enough to be one of how the project is run."""
    if row.name in {"changed", "turned"} and (row.name == "changed" or _is_claim(text)):
        return (named or bool(PATTERNS.we_say.match(text))) and not PATTERNS.past_work.search(text)
    if row.name in {"turned", "place"}:
        return named and row.name == "place"
    if row.name == "order":
        return named or bool(PATTERNS.from_now.search(text)) or bool(PATTERNS.generic.match(text))
    if row.name == "practice":
        return named or bool(PATTERNS.scoped.search(text)) or len(text.split()) <= _BRIEF
    if row.name == "value":
        return _is_value(text)
    return (
        named
        or row.name == "built"
        or bool(PATTERNS.day.search(text))
        or bool(PATTERNS.lasts.search(text))
        or _is_claim(text)
    )


def _is_claim(text: str) -> bool:
    """Whether it is read as a value of something that is named."""
    return any(one.verb and one.subject and one.value for one in claims(text))


_SHORT_VALUE = 4
"""Words: a longer one explains."""


def _fills_slot(claim: Claim) -> bool:
    """Whether a thing that has one value is given a name: "the default branch is trunk"."""
    known = bool(claim.subject & SLOTS) and len(claim.value) <= _SHORT_VALUE
    return known and is_name(claim.value) and not is_quality(claim.value)


def _is_value(text: str) -> bool:
    """Whether "S is V" gives a name or number: "the default page size is 50", not "the page is empty"."""
    for one in claims(text):
        if one.verb != "be" or not one.subject or not one.value:
            continue
        if one.stems & FAMILY_OF.keys() or _fills_slot(one):
            return True
        if PATTERNS.plurals.match(text) and one.value[-1].endswith("s") and len(one.value) <= _SHORT_VALUE:
            return True
        if any(is_number(word) or PATTERNS.is_form.match(word) for word in one.value[:3]):
            return True
    return False
