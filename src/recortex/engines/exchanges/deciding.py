"""Whether an exchange decided something about the files that were changed in it, by the form of its message.

It is strict: a line comes unasked, when a file is touched. Of 1,138 exchanges that changed files, 24 are
taken to have decided something; read one by one, 22 of them (92 %) did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.exchanges.shortening import sentences
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from recortex.domain.exchange import Exchange

PATTERNS = Patterns(__file__)
_ARROW = " → "  # between an answer and the option that it chose, as `building` writes it
_ANSWER, _OPTION = 40, 240
_LONGEST_MESSAGE, _SHORTEST, _LONGEST = 700, 20, 240
"""Characters: longer messages are mostly pasted reviews and reports."""
_FEWEST_WORDS = 4
_MOST_FILES = 12
"""What was said about more files at once says little about one of them."""


def decision(exchange: Exchange) -> str:
    """What the person decided, as a sentence of theirs; empty for nearly every exchange.

    An order that holds for longer, one thing and not another, a "no" with what instead, or a chosen option.
    """
    said = exchange.message
    if exchange.opener != "person" or exchange.part or not 0 < len(exchange.files) <= _MOST_FILES:
        return ""
    answer, arrow, option = said.rpartition(_ARROW)
    if arrow and len(answer) <= _ANSWER:
        return said if _SHORTEST <= len(option) <= _OPTION and not option.endswith("?") else ""
    if len(said) > _LONGEST_MESSAGE or "[pasted " in said or said.startswith(">"):
        return ""
    return next(filter(_decides, sentences(said)), "")


def _decides(sentence: str) -> bool:
    if not _SHORTEST <= len(sentence) <= _LONGEST or len(sentence.split()) < _FEWEST_WORDS:
        return False
    forms = (PATTERNS.rule, PATTERNS.choice, PATTERNS.objection)
    return not PATTERNS.vague.search(sentence) and any(form.search(sentence) for form in forms)
