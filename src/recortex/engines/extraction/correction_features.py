"""What is known of a sentence that may correct the agent, as named numbers.

Its form and words (those of the judge of statements), what it answers, what the agent had just done, and
which rules for corrections it meets. Nothing here knows a project. `bench/correction_fit.py` learns from
these numbers what a correction is.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.corrections.categories import SIGNS
from recortex.engines.judging import Message, Statement, features
from recortex.engines.patterns import Patterns
from recortex.engines.words import STOP_WORDS, bag_of_words

if TYPE_CHECKING:
    from recortex.domain.transcript import Turn
    from recortex.engines.corrections.acts import Act

PATTERNS = Patterns(__file__)
_SAYS, _BEFORE = PATTERNS.by_name("says_"), PATTERNS.by_name("before_")
_READ, _TAIL, _NEAR = 1_500, 400, 800
"""Characters of a message that are read, of the end of what the agent said, and of it for shared words."""
_BRIEF, _LONG, _PASTED = 80, 600, 2_500
_FORMS = ("queued", "answer", "refusal", "command")


class Answered:
    """A message of the person with what the agent had done before it.

    Args:
        turn: of the person.
        act: what the agent had done.
        parts: the sentences of the message.
    """

    def __init__(self, turn: Turn, act: Act, parts: list[str]) -> None:
        self.turn, self.act, self.parts = turn, act, parts

    @cached_property
    def words(self) -> frozenset[str]:
        """Of everything that the agent did."""
        return self.act.words() - STOP_WORDS

    @cached_property
    def near(self) -> frozenset[str]:
        """Of the end of what the agent said."""
        return bag_of_words(self.act.said[-_NEAR:]) - STOP_WORDS

    @cached_property
    def message(self) -> Message:
        """As the judge of statements reads it."""
        return Message("person", self.turn.text, before=self.act.said)

    @cached_property
    def shared(self) -> dict[str, float]:
        """The features that all sentences of the message share."""
        text = self.turn.text
        said = text[:_READ]
        found = {f"message_{name}": _found(one.search(said)) for name, one in _SAYS.items()}
        tail = self.act.said[-_TAIL:]
        found |= {name: _found(one.search(tail)) for name, one in _BEFORE.items()}
        found |= {f"form_is_{name}": float(self.turn.form == name) for name in _FORMS}
        return (
            found
            | self._act
            | {
                "interrupts": float(self.turn.interrupts),
                "sentences": math.log1p(len(self.parts)),
                "lines": math.log1p(text.count("\n")),
                "brief": float(len(text) < _BRIEF),
                "long": float(len(text) > _LONG),
                "pasted": float(len(text) > _PASTED),
            }
        )

    @property
    def _act(self) -> dict[str, float]:
        act = self.act
        return {
            "act_wrote": float(bool(act.written)),
            "act_ran": float(bool(act.commands)),
            "act_size": math.log1p(len(act.commands) + len(act.written)),
            "act_committed": float(any(PATTERNS.committed.search(one) for one in act.commands)),
            "act_said": math.log1p(len(act.said)),
        }


class Met(NamedTuple):
    """What the rules for corrections say of a sentence.

    Attributes:
        forms: every form by name, 1 where it has it.
        confidence: of the rule that took it; 0 where none did.
        worded, stands: whether it can be worded as a principle, and whether that stands alone.
    """

    forms: dict[str, float]
    confidence: float
    worded: bool
    stands: bool


def signs(place: int, answered: Answered, met: Met) -> dict[str, float]:
    """The features of a sentence by name; the names are always the same.

    Args:
        place: of the sentence among those of its message.
        answered: the message.
        met: what the rules say of it.
    """
    said = answered.parts[place]
    found = features(_statement(said, answered.turn.text), answered.message) | answered.shared | met.forms
    found |= {name: _found(one.search(said)) for name, one in _SAYS.items()}
    for sign in SIGNS:
        name = f"sign_{sign.kind}"
        found[name] = max(found.get(name, 0.0), _found(sign.pattern.search(said)))
    return (
        found
        | _overlap(said, answered)
        | {
            "heard": float(met.confidence > 0),
            "heard_with": met.confidence,
            "worded": float(met.worded),
            "stands": float(met.stands),
            "first": float(place == 0),
            "last": float(place == len(answered.parts) - 1),
            "at": place / max(len(answered.parts), 1),
        }
    )


def _overlap(said: str, answered: Answered) -> dict[str, float]:
    """How much a sentence shares with what the agent said and did."""
    words, act, small = bag_of_words(said) - STOP_WORDS, answered.act, said.lower()
    names = (one.replace("\\", "/").rpartition("/")[2].lower() for one in act.written)
    return {
        "cosine_said": _cosine(words, answered.near),
        "share_done": len(words & answered.words) / max(len(words), 1),
        "names_written": float(any(name in small for name in names)),
        "shares_command": float(bool(words & bag_of_words("\n".join(act.commands)))),
    }


def _statement(said: str, text: str) -> Statement:
    start = max(text.find(said), 0)
    return Statement(start, start + len(said))


def _cosine(some: frozenset[str], others: frozenset[str]) -> float:
    return len(some & others) / math.sqrt(len(some) * len(others)) if some and others else 0.0


def _found(match: object) -> float:
    return float(match is not None)
