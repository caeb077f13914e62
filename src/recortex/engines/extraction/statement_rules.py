"""Plain statements of the person about the project: what holds in it, and what has changed.

"We release every Friday", "timestamps are stored in UTC", "the docs are built with sphinx now": the verb is
one of how a project is run, and the value is a name, a number or a place. Failures, quotations and single
occasions do not count. The forms were written with the development half of bench/fresh_prompts.txt.
"""

from __future__ import annotations

from recortex.engines.patterns import Form, Patterns
from recortex.engines.supersession.claim_values import is_name, is_quality
from recortex.engines.supersession.claims import Claim, claims, core, is_number
from recortex.engines.supersession.lexicon import FAMILY_OF, SLOTS

PATTERNS = Patterns(__file__)


_FORMS = PATTERNS.forms("stated_")
_BRIEF = 5
"""Words up to which a practice needs no name: "we release every Friday"."""


def is_report(message: str) -> bool:
    """Whether a message reports a failure: then it says what is, not what should be."""
    return PATTERNS.reporting.search(message) is not None


def stated(text: str, *, named: bool, reporting: bool) -> Form | None:
    """The form in which a cleaned sentence states something lasting about the project; None if it does not.

    Args:
        text: one sentence, without greeting and request.
        named: whether it names a product, a piece of code or a number.
        reporting: whether the whole message reports a failure.
    """
    if PATTERNS.failing.search(core(text)) or text.endswith("?") or PATTERNS.asks.match(text):
        return None
    for part in (text, *PATTERNS.clauses.split(text)):
        found = next((form for form in _FORMS if form.pattern.search(part)), None)
        if found is None or PATTERNS.pointing.search(part) or not _carries(found, part, named=named):
            continue
        return None if reporting and found.name not in {"changed", "turned", "practice"} else found
    return None


def _carries(form: Form, text: str, *, named: bool) -> bool:
    """Whether a sentence of a form says enough about how the project is run."""
    if form.name in {"changed", "turned"} and (form.name == "changed" or _is_claim(text)):
        return (named or bool(PATTERNS.we_say.match(text))) and not PATTERNS.past_work.search(text)
    if form.name in {"turned", "place"}:
        return named and form.name == "place"
    if form.name == "order":
        return named or bool(PATTERNS.from_now.search(text)) or bool(PATTERNS.generic.match(text))
    if form.name == "practice":
        return named or bool(PATTERNS.scoped.search(text)) or len(text.split()) <= _BRIEF
    if form.name == "value":
        return _is_value(text)
    return (
        named
        or form.name == "built"
        or bool(PATTERNS.day.search(text))
        or bool(PATTERNS.lasts.search(text))
        or _is_claim(text)
    )


def _is_claim(text: str) -> bool:
    """Whether a sentence parses as a value of something named."""
    return any(one.verb and one.subject and one.value for one in claims(text))


_SHORT_VALUE = 4
"""The most words of a value: a longer one is an explanation."""


def _fills_slot(claim: Claim) -> bool:
    """Whether a claim names the value of something that has one: "the default branch is trunk"."""
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
