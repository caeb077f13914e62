"""Whether a person's sentence may be about the work at hand alone: then it is at most proposed.

Most of what is typed in a session asks, orders, reports, weighs or points to what is on the screen, in the
same words as a rule. So the form that a rule knows is not enough: the learned chance that a sentence lasts
must be even (`durable.py`), and the sentence must have none of these forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.extraction.durable import EVEN, SIGNS, chance_of, is_foreign, plainly
from recortex.engines.extraction.plain_speech import unasked
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from recortex.engines.extraction.drafting import RuleFinding

PATTERNS = Patterns(__file__)
HOLD = "may be about the work at hand"
"""Why such a statement waits."""
SURELY, SHORT = 0.9, 160
"""The chance from which, in a message of so many characters, no other form speaks against it."""
FEW_WORDS = 8
"""Words up to which the language of a message in plain letters is not told; the forms are English."""
DECISIONS = frozenset(("person_changed", "person_decision", "person_decided_for"))
"""Rules for what is said once; the chance is of what is said of every time."""
ORDER = "person_order"
"""Its forms say themselves that they are for all of a kind."""
PLAIN = frozenset((ORDER, *(f"person_{name}" for name in (
    "about_me", "bound", "built", "fact", "our_way", "place", "practice", "preference", "rests", "turned",
    "uses", "value",
))))  # fmt: skip
"""Rules for plain statements about a project, such as "we release on Fridays"; they sound like others."""
LEAST, BRIEF = 0.15, 400
"""The chance that those need, and the characters of a message up to which that is enough: in longer ones,
what sounds so explains the task."""


def is_passing(finding: RuleFinding, message: str) -> bool:
    """Whether what a rule found in a message may hold for the moment only, or need more context.

    Args:
        finding: of any rule; its quote is the sentence as it was typed.
        message: that it stands in.
    """
    if is_foreign(message) and (not message.isascii() or len(message.split()) > FEW_WORDS):
        return True
    sentence = finding.quote
    said = plainly(sentence)
    wish, _ = unasked(said)
    if PATTERNS.weighs.search(said) is not None or PATTERNS.step.search(said) is not None:
        return True
    likely = chance_of(said, sentence, message)
    if len(message) <= SHORT and likely >= SURELY:
        return False
    if PATTERNS.general.search(said) is None and (
        _asks(sentence, said, wish)
        or (wish != said and SIGNS["sign_denies_first"].search(wish) is None)
        or PATTERNS.continues.search(sentence.lstrip()) is not None
        or PATTERNS.points.search(plainly(finding.text)) is not None
        or PATTERNS.reports.search(PATTERNS.because.sub("", said)) is not None
        or (PATTERNS.ordered.search(wish) is not None and finding.rule != ORDER)
    ):
        return True
    if finding.rule in DECISIONS:
        return False
    least = LEAST if finding.rule in PLAIN and len(message) <= BRIEF else EVEN
    return likely < least


def _asks(sentence: str, said: str, wish: str) -> bool:
    if wish != said:
        return PATTERNS.asks.search(wish) is not None
    asked = PATTERNS.tagged.sub("", sentence.rstrip())
    return asked.endswith("?") or PATTERNS.asks.search(said) is not None
