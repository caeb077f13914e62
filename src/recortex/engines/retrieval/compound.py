"""Questions that ask for more than one thing: two questions in one, and questions for a set.

Each part of a compound question is answered by itself, and the answers take turns; together they would drown
each other. A question for a set gets a longer answer.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, TypeVar

from recortex.domain.expressions import lazy
from recortex.engines.retrieval.question import question

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.domain.hit import Hit

Item = TypeVar("Item")
MOST_PARTS = 3
LONGEST = 400
"""Characters: a longer text is no question with parts."""
SET_SHARE = 2
"""A question for a set gets so many times the usual number of memories: of what LoCoMo's answers to such
questions need, 8 hold 44 % and 16 hold 51 % (bench/understanding.py). Fewer of one session finds no more."""
_ASKS = r"(?:who|whom|whose|what|when|where|why|which|how)"
_BORDER = lazy(
    rf"\?\s{{1,3}}(?=\w)|(?:\s?[,;]\s{{0,3}}|\s)(?:and|or)\s{{1,3}}(?:also\s{{1,3}})?(?={_ASKS}\b)"
    rf"|;\s{{0,3}}(?={_ASKS}\b)"
)
_BEGINS = lazy(rf"\b{_ASKS}\b|^\W*(?:is|are|was|were|do|does|did|can|could|should|has|have|must|may|will)\b")
_ONE_THING = lazy(rf"\b(?:between|difference|compare[ds]?|versus|vs)\b|\b{_ASKS}\W*$")
_REFERS = lazy(r"\b(?:it|its|they|them|their|this|these|those|there|he|him|his|she|her|one)\b|\bthat\W*$")
_FEWEST, _FEWEST_ALONE = 3, 2
"""Words of a part; and content words of one that can be asked alone."""
_SINGULAR = (
    "was|is|does|has|his|this|us|as|class|bus|status|address|process|business|focus|series|always|news|"
    "access|progress|alias|analysis|basis|https|redis|kubernetes|postgres|aws|css|dns|tls|os|js|ios|macos|"
    "windows|times"
)
_THINGS = (
    r"\s+(?:all\s+|some\s+|other\s+|(?:kinds?|types?|sorts?)\s+of\s+)*(?:the\s+|our\s+)?(?:[\w-]+\s+)?"
    rf"(?!(?:{_SINGULAR})\b)[a-z-]{{3,}}s"
)
_VERB = "are|were|did|do|does|has|have|had|can|could|should|shall|will|would|must|might|may"
_SET = lazy(
    r"\b(?:list|enumerate|name)\s+(?:all|every|each|the)\b|\ball\s+(?:the|of|our|my)\b"
    rf"|\bwhich(?:\s+are)?{_THINGS}(?=\W*$|\s+(?!(?:the|a|an|our|my|its|from|to|with)\b))"
    rf"|\bwhat{_THINGS}(?=\W*$|\s+(?:{_VERB})\b)|\bwhat\s+are{_THINGS}\b"
)
"""Words of a question for several things: a plural after `which`, or after `what` before a verb."""


def split(text: str) -> tuple[str, ...]:
    """The questions that a text is made of; itself where it is one.

    A part that speaks of something by a pronoun is asked with the whole text.
    """
    if len(text) > LONGEST:
        return (text,)
    lower = text.lower()
    starts = [0, *(match.end() for match in _BORDER.finditer(lower))]
    ends = [*(match.start() for match in _BORDER.finditer(lower)), len(text)]
    found = [text[start:end].strip(" ,;") for start, end in zip(starts, ends, strict=True)]
    if not 1 < len(found) <= MOST_PARTS or not all(map(_is_question, found)):
        return (text,)
    return tuple(dict.fromkeys(text if place and _leans(one) else one for place, one in enumerate(found)))


def asks_for_a_set(text: str) -> bool:
    """Whether several things are asked for: `which services …`, `list all …`."""
    return len(text) <= LONGEST and _SET.search(text.lower()) is not None


def in_turns(answers: Sequence[Sequence[Item]], key: Callable[[Item], object]) -> list[Item]:
    """The items of several answers, the first of each, then the second; of equal ones the first."""
    found: dict[object, Item] = {}
    for turn in zip_longest(*answers):
        for one in turn:
            if one is not None:
                found.setdefault(key(one), one)
    return list(found.values())


def falling(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with scores that never rise: none is surer than the one before it."""
    lowest = accumulate((hit.score for hit in hits), min)
    return [
        hit if hit.score == score else replace(hit, score=score)
        for hit, score in zip(hits, lowest, strict=True)
    ]


def _leans(part: str) -> bool:
    """Whether a part cannot be understood without what comes before it.

    A pronoun after a name may speak of that: `what does John do with his kids`.
    """
    refers = _REFERS.search(part.lower())
    named = refers is not None and any(
        name in part[: refers.start()].lower() for name in question(part).names
    )
    return (refers is not None and not named) or len(question(part).words) < _FEWEST_ALONE


def _is_question(part: str) -> bool:
    lower = part.lower()
    return (
        _BEGINS.search(lower) is not None
        and _ONE_THING.search(lower) is None
        and len(part.split()) >= _FEWEST
        and bool(question(part).words)
    )
