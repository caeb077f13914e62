"""The traits of a text as bits, computed when it is written, so that recall need not read it to score it."""

from __future__ import annotations

import re
from enum import IntFlag
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy
from recortex.engines.indexing.code import is_code, is_outline

if TYPE_CHECKING:
    from collections.abc import Sequence


class Trait(IntFlag):
    """Forms that a text may have, and kinds of answers that it may hold."""

    QUESTION = 1
    TIME = 2
    NUMBER = 4
    PLACE = 8
    REASON = 16
    DIALOGUE = 32
    """A turn of people talking: its neighbours and speakers say what it is about."""
    MESSAGE = 64
    """What a person wrote to an assistant."""
    REPLY = 128
    """What an assistant answered."""
    CODE = 256
    OUTLINE = 512
    DOCUMENT = 1024
    """Longer than the embedding model reads, so its vector is that of its beginning."""
    TEST = 2048
    """Code of a test: it is about what another file does."""


ROLES = frozenset({"user", "assistant", "system", "tool", "human", "ai", "agent", "model"})
"""Speakers that are parts of a chat with a machine, not names of people."""
_PEOPLE = frozenset({"user", "human"})

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_ANSWERS = {
    Trait.TIME: lazy(
        r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weekend|recently|since|week|month|year|day|"
        rf"(?:mon|tues|wednes|thurs|fri|satur|sun)day|{_MONTHS}|(?:19|20)\d\d)s?\b",
        re.IGNORECASE,
    ),
    Trait.NUMBER: lazy(
        r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|once|twice|few|couple|hundred|"
        r"thousand)\b",
        re.IGNORECASE,
    ),
    Trait.PLACE: lazy(r"\b(?:in|at|to|from|near)\s(?:the\s)?[A-Z][a-z]"),
    Trait.REASON: lazy(
        r"\b(?:because|since|so that|reason|inspired|motivat\w+|helps?|due to|to help|want(?:ed)? to)\b",
        re.IGNORECASE,
    ),
}
_TEST_FILE = lazy(
    r"(?:^|/)(?:tests?|__tests__|spec)/|(?:^|/)test_[^/]*$|(?:_test|\.test|\.spec|_spec)\.\w+$|(?:^|"
    r"/)conftest\.py$"
)
_SHORT_QUESTION = 120
"""Characters; a longer text that ends in a question mark says more than it asks."""
_READ = 4_000
"""Characters in which the words of answers are looked for."""
_LONG = 1_200
"""Characters of ordinary text in 256 word pieces, which is what the model reads."""


def traits(text: str, *, speaker: str = "", session: str = "", files: Sequence[str] = ()) -> Trait:
    """The traits of a text; `files` are the paths that it is linked to."""
    found = _form(text, speaker.strip().lower(), session)
    if found & (Trait.CODE | Trait.OUTLINE) and files and all(_TEST_FILE.search(path) for path in files):
        found |= Trait.TEST
    stripped = text.strip()
    if stripped.endswith("?") and len(stripped) < _SHORT_QUESTION:
        found |= Trait.QUESTION
    for trait, pattern in _ANSWERS.items():
        if pattern.search(stripped[:_READ]):
            found |= trait
    return found


def _form(text: str, speaker: str, session: str) -> Trait:
    if speaker and session:
        return (
            Trait.DIALOGUE if speaker not in ROLES else Trait.MESSAGE if speaker in _PEOPLE else Trait.REPLY
        )
    if is_outline(text):
        return Trait.OUTLINE
    if is_code(text):
        return Trait.CODE
    return Trait.DOCUMENT if len(text) > _LONG else Trait(0)
