"""What a short answer decides: its content stands in what the agent asked or offered before.

The words are the agent's, the choice is the person's, and it is told as one: "chose: …", "agreed to: …".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.options import chosen
from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.self_contained import objection
from recortex.engines.extraction.sentences import plain, sentences, statement
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.transcript import Turn

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
        if option:
            yield _choice(question, text, answer)
        else:
            yield RuleFinding(f"Agreed to: {text}", "decision", CONFIDENCE, "person_chose", answer[:_READ])


def own_words(turn: Turn) -> str:
    """The person's own words; in an answer the options and lines that begin with `>` are the agent's."""
    if turn.form != "answer":
        return turn.text
    own = [line for line in turn.text.splitlines() if not line.startswith(">")]
    return "\n".join(line for line in own if line.strip() not in turn.asked)


def choices(turn: Turn) -> Iterator[RuleFinding]:
    """The options that the person took in an answer to the agent's questions."""
    question = ""
    for line in turn.text.splitlines() if turn.form == "answer" else ():
        said = line.strip()
        if line.startswith(">"):
            question = said[1:].strip() if said.endswith(("?", "？")) else question  # noqa: RUF001
        elif said and said in turn.asked:
            text = statement(plain(said))
            if text and len(question.split()) <= _MOST_WORDS and not objection(text, addressed=True):
                yield _choice(question, text, said)


def _choice(question: str, text: str, quote: str) -> RuleFinding:
    about = f"Asked {question!r}, chose: {text}" if question else f"Chose: {text}"
    return RuleFinding(about, "decision", CONFIDENCE, "person_chose", quote[:_READ])


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
