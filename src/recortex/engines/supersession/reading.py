"""Decides what a new statement does to a known one by how a model reads the two together.

Rules over words find few of the changes that people announce, and take some pairs for a change that both
hold (bench/changes.py has both figures). A model that was trained on such pairs decides, where there is one;
the rules stand in where there is none.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns
from recortex.engines.similarity.jaccard import logistic
from recortex.engines.supersession.change_cues import adds, changed_mind, changes, is_unsure
from recortex.engines.supersession.claims import stems
from recortex.engines.supersession.detection import LEAST_CHANCE, NOTHING, Outcome, SupersessionVerdict
from recortex.engines.supersession.identifiers import of_two_sorts
from recortex.engines.words import CLAIM_WORDS, words

if TYPE_CHECKING:
    from recortex.domain.change import Chances

PATTERNS = Patterns(__file__)

ENDS, ANNOUNCED, AGREED = 0.98, 0.95, LEAST_CHANCE
"""The least chance that the known one ends, to end it: by the model alone, where the new one announces a
change, and where the rules agree (bench/changes.py)."""
SHARED = 2
"""Word stems in common without which nothing is ended by the model alone: the name of a library is the word
of another statement too."""
BIAS, READ, ALIKE, TOLD = -5.63, 0.86, 2.4, 0.53
"""Weights of a logistic regression: 1, the log-odds that something of the known one ends, the cosine of both
statements, whether the new one announces a change. The model learned from pairs of which half contradict; of
the pairs that a store has to compare, hardly one in a thousand does, and most of what it is sure of there
speaks of two matters. Fitted on both halves of bench/changes.py and 4,245 pairs of five projects' sessions,
weighted so that contradictions are as rare as there."""
_SUREST = 0.005
"""The least doubt that counts: the model is hardly ever surer, and not more often right where it is."""
LONGEST = 600
"""Characters of a statement that are read: what is longer is more than one statement."""


def readable(text: str) -> bool:
    """Whether a text may end another one, or be ended: one or two statements, and no question."""
    return len(text) <= LONGEST and not PATTERNS.question.search(text)


def announces(text: str) -> bool:
    """Whether a text says that something changes, or was different before."""
    return changed_mind(text) or bool(changes(text))


def may_end(known: str, new: str) -> bool:
    """The cheap test before the model: whether two texts have enough in common for one to end the other."""
    if not (readable(known) and readable(new)):
        return False
    return len(_content(known) & _content(new)) >= (1 if changes(new) else SHARED)


def chance_of(touched: float, likeness: float, *, announced: bool) -> float:
    """The probability that two statements cannot both hold, among the pairs that a store compares.

    Args:
        touched: the chance that something of the known one ends, as a model reads them.
        likeness: the cosine of their embeddings.
        announced: whether the new one announces a change.
    """
    sure = min(max(touched, _SUREST), 1 - _SUREST)
    return logistic(BIAS + READ * log(sure / (1 - sure)) + ALIKE * likeness + TOLD * announced)


def read_together(
    known: str, new: str, rules: SupersessionVerdict, chances: Chances, likeness: float | None = None
) -> SupersessionVerdict:
    """What a new statement does to a known one.

    Args:
        known: the known statement.
        new: the new one.
        rules: what the rules say.
        chances: as a model reads them.
        likeness: the cosine of their embeddings; without it only what the rules say, too, is believed.
    """
    agreed, announced = rules.outcome is Outcome.REPLACES, changes(new)
    explicit = rules.explicit or bool(announced) or changed_mind(new)
    if agreed and chances.ends >= AGREED:
        return SupersessionVerdict(
            Outcome.REPLACES, _told(rules.evidence, chances.ends), explicit, chances.ends
        )
    if likeness is None or of_two_sorts(known, new):
        return NOTHING
    chance = chance_of(1 - chances.stays, likeness, announced=explicit)
    if chance < LEAST_CHANCE:
        return NOTHING
    shared = len(_content(known) & _content(new))
    least = ANNOUNCED if announced else ENDS
    sure = not (adds(new) or is_unsure(new))
    if sure and chances.ends >= least and shared >= SHARED:
        told = _told("ends it, as read together", chance)
        return SupersessionVerdict(Outcome.REPLACES, told, explicit, chance)
    if shared < (1 if announced else SHARED):
        return NOTHING
    told = _told("may end it, as read together", chance)
    return SupersessionVerdict(Outcome.CONTRADICTS, told, explicit, chance)


def _content(text: str) -> frozenset[str]:
    """The stems of the words that tell what a text is about."""
    return stems(words(text)) - CLAIM_WORDS


def _told(evidence: str, chance: float) -> str:
    return f"{evidence} {chance:.2f}"
