"""What a person explicitly wants to be remembered, in German, French, Spanish, Portuguese, Chinese, Japanese.

"Merk dir, dass …", "à partir de maintenant …", "请记住…", "…を覚えておいて": the statement that follows, or
stands before, is taken as a sentence of its own. English has rules of its own (`user_rules.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.self_contained import MAX_LENGTH, MIN_TYPED
from recortex.engines.extraction.sentences import plain
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    import re

PATTERNS = Patterns(__file__)

_NOTES, _RULES = PATTERNS.by_name("note_"), PATTERNS.by_name("standing_")
_NOTED, _STANDING = 0.9, 0.85
"""Confidences: as of the same forms in English; no judge is needed."""
_LEAST_WORDS, _LEAST_CHARACTERS = 2, 4
_WESTERN = ("de", "fr", "es", "pt")
_ENDS = ".!。！"  # noqa: RUF001


def explicit(sentence: str) -> RuleFinding | None:
    """What a typed sentence explicitly wants to be remembered; None where it does not, or asks something."""
    said = plain(sentence)
    asks = PATTERNS.asks.match(said) is not None
    if PATTERNS.question.search(said) and not asks and not _japanese_request(said):
        return None
    for language in _languages(said):
        if found := _noted(said, language):
            return _finding(found, sentence, "tribal", _NOTED)
        if found := _standing(said, language):
            return _finding(found, sentence, "preference", _STANDING)
    return None


def _languages(said: str) -> tuple[str, ...]:
    if PATTERNS.kana.search(said):
        return ("ja",)
    return ("zh",) if PATTERNS.han.search(said) else _WESTERN


def _japanese_request(said: str) -> bool:
    return PATTERNS.kana.search(said) is not None and PATTERNS.last_ja.match(said) is not None


def _noted(said: str, language: str) -> str:
    """What follows "remember that", as a main clause; empty where that is not said."""
    if language == "ja" and (last := PATTERNS.last_ja.match(said)):
        return last["said"]
    found = _NOTES[f"note_{language}"].match(said)
    if found is None:
        return ""
    rest = said[found.end() :].rstrip("?？ ")  # noqa: RUF001
    if language != "de":
        return rest
    return _main_clause(rest) if found["that"] else _ordered(rest)


def _standing(said: str, language: str) -> str:
    """What is to hold from now on; empty where nothing is ruled."""
    found = _RULES[f"standing_{language}"].match(said)
    rest = said[found.end() :] if found else ""
    if not rest or PATTERNS.maybe.search(rest) or PATTERNS.fails.search(rest):
        return ""
    if language == "ja":
        return rest if PATTERNS.rules_ja.search(rest) else ""
    return rest if language != "de" else _uninverted(rest, said)


def _finding(text: str, sentence: str, kind: str, confidence: float) -> RuleFinding | None:
    text = PATTERNS.please.sub("", text.strip(" ,;、，：:")).strip()  # noqa: RUF001
    if _refused(text):
        return None
    eastern = PATTERNS.eastern.search(text) is not None
    whole = text if eastern else text[0].upper() + text[1:]
    ended = whole if whole[-1] in _ENDS else whole + ("。" if eastern else ".")
    return RuleFinding(ended, kind, confidence, "person_note", sentence)


def _refused(text: str) -> bool:
    """Whether a text is too short or long for a statement, of one day, or points to what stands elsewhere."""
    if PATTERNS.points.match(text) or PATTERNS.today.search(text) or len(text) > MAX_LENGTH:
        return True
    if PATTERNS.eastern.search(text):
        return len(text) < _LEAST_CHARACTERS
    return len(text) < MIN_TYPED or len(text.split()) < _LEAST_WORDS


def _main_clause(rest: str) -> str:
    """German: "wir immer pnpm verwenden" after "dass" as "wir verwenden immer pnpm"."""
    bare = rest.rstrip(" .!")
    if PATTERNS.points.match(bare):
        return ""
    found = PATTERNS.clause.match(bare)
    if found is None or not PATTERNS.finite.match(found["verb"]):
        return f"Es gilt, dass {bare}"
    return f"{found['subject']} {_placed(found)}{found['more']}"


def _placed(found: re.Match[str]) -> str:
    """The finite verb before the rest; what is parted from it stands at the end."""
    verb, rest = found["verb"], found["rest"]
    parted = PATTERNS.parted.match(verb)
    return f"{parted['last']}{rest} {parted['first']}" if parted else f"{verb}{rest}"


def _ordered(rest: str) -> str:
    """German: "immer pnpm zu verwenden" as "immer pnpm verwenden"."""
    return PATTERNS.infinitive.sub(" ", PATTERNS.parted_infinitive.sub(r"\g<first>", rest))


def _uninverted(rest: str, said: str) -> str:
    """German: "verwenden wir pnpm" as "wir verwenden pnpm"; all that was said where the order needs it."""
    if found := PATTERNS.inverted.match(rest):
        return f"{found['subject']} {found['verb']}{rest[found.end() :]}"
    return rest if PATTERNS.ordered.match(rest) else said
