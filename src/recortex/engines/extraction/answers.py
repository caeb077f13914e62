"""What a short answer decides: its content stands in what the agent asked or offered before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.options import chosen
from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.self_contained import objection
from recortex.engines.extraction.sentences import plain, sentences, statement
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

PATTERNS = Patterns(__file__)
CONFIDENCE = 0.65
_LONGEST_ANSWER, _READ = 60, 1_000
_FEWEST_WORDS, _MOST_WORDS = 6, 40


def answered(answer: str, before: str) -> Iterator[RuleFinding]:
    """The decision of "b", "option 2" or "yes, do that": the option, or what the agent proposed.

    Args:
        answer: what the person said.
        before: the agent's message that it answers.
    """
    option, question = chosen(answer, before), _question(before)
    if option and not question:
        return
    text = statement(plain(option.replace("**", "") or _agreed(answer, before)))
    if text and not objection(text, addressed=True):
        about = f"Asked {question!r}, decided: {text}" if option else f"Decision: {text}"
        yield RuleFinding(about, "decision", CONFIDENCE, "person_chose", answer[:_READ])


def _question(before: str) -> str:
    """The last question that says what the options are for; "which one?" does not."""
    said = (one for line in before[-_READ:].splitlines() for one in sentences(line))
    asked = [plain(one) for one in said if one.endswith("?")]
    told = [one for one in asked if _FEWEST_WORDS <= len(one.split()) <= _MOST_WORDS]
    return told[-1] if told else ""


def _agreed(answer: str, before: str) -> str:
    """What the agent asked for in its last question, if the answer only says yes."""
    if len(answer) > _LONGEST_ANSWER or not PATTERNS.assent.match(answer):
        return ""
    asked = sentences(before[-_READ:].strip())
    proposed = PATTERNS.proposes.search(asked[-1]) if asked else None
    return proposed["what"] if proposed else ""
