"""The option that a short answer chooses: "b" and "the second" mean what stood in the list before."""

from __future__ import annotations

import re

from recortex.domain.expressions import lazy

_CHOICE = lazy(
    r"\A\s*(?:(?:ok(?:ay)?|yes|yep|sure|let'?s (?:do|go(?: with)?|take)|go (?:with|for)|"
    r"i(?:'d| would)? (?:prefer|like|choose|pick|want)|do|pick|choose|take|use)[,:]?\s+)?(?:the\s+)?"
    r"(?:(?:option|choice|variant|approach|plan|number|no\.?|#|opción|opção|方案|选项)\s*)?"
    r"[(\[\"']?(?P<label>[a-h]|\d{1,2})[)\].\"']?(?=[\s.,;:!?)\-–—]|$)",
    re.IGNORECASE,
)
_ORDINAL = lazy(
    r"\A\s*(?:the\s+)?(first|second|third|fourth|last)(?: one| option)?[ \t]{0,3}[.!]?\s*\Z", re.IGNORECASE
)
_ITEM = lazy(
    r"^[ \t>*\-•#]{0,20}(?:option|approach|variant|plan|choice)?[ \t]?[(\[]?\*{0,2}[ \t]?"
    r"(?P<label>[A-Ha-h]|\d{1,2})[ \t]?\*{0,2}[)\].:]\*{0,2}[ \t]{1,4}(?P<text>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_ORDINALS = ("first", "second", "third", "fourth")
_LONGEST_ANSWER, _LONGEST_OPTION = 120, 240
_FEWEST = 2


def chosen(answer: str, before: str) -> str:
    """The text of the option that an answer names; empty where it names none.

    Args:
        answer: what the person said.
        before: what the agent had said, with its list.
    """
    if len(answer) > _LONGEST_ANSWER:
        return ""
    options = [(found["label"].lower(), found["text"].strip(" *")) for found in _ITEM.finditer(before)]
    if len(options) < _FEWEST:
        return ""
    if ordinal := _ORDINAL.match(answer):
        word = ordinal[1].lower()
        place = len(options) - 1 if word == "last" else _ORDINALS.index(word)
        return options[place][1][:_LONGEST_OPTION] if place < len(options) else ""
    label = _CHOICE.match(answer)
    named = [text for name, text in options if label and name == label["label"].lower()]
    return named[-1][:_LONGEST_OPTION] if named else ""
