"""Splits passages into sentences, and removes Markdown and words that only connect sentences."""

from __future__ import annotations

import re

from recortex.engines.patterns import Patterns

PATTERNS = Patterns(__file__)

# Characters of a passage that are read; a longer one is pasted.
MAX_PASSAGE = 6_000
_TERMINATORS = ".!?:\u3002\uff01\uff1f"


def plain(text: str) -> str:
    """Remove the markup of links and emphasis, and leading symbols, but not code marks and words."""
    text = PATTERNS.link.sub(_unlinked, text)
    text = _unmarked(text)
    text = PATTERNS.symbols.sub("", text)
    return " ".join(text.split())


def _unlinked(found: re.Match[str]) -> str:
    """The words of a link; with the address, where the words do not say it."""
    words, target = found.groups()
    return f"{words} ({target})" if "://" in target and target not in words else words


def _unmarked(text: str) -> str:
    return PATTERNS.emphasis.sub(lambda found: found.group(1) or found.group(3) or found.group(4), text)


def sentences(text: str) -> list[str]:
    """Split a passage into sentences; code marks are never split."""
    codes: list[str] = []

    def hide(found: re.Match[str]) -> str:
        codes.append(found.group())
        return f"\x00{len(codes) - 1}\x01"

    whole_text = text[:MAX_PASSAGE].replace("\x00", "").replace("\x01", "")
    hidden = PATTERNS.code.sub(hide, _unmarked(whole_text))
    whole: list[str] = []
    for part in PATTERNS.split.split(hidden):
        if whole and PATTERNS.abbreviated.search(whole[-1]):
            whole[-1] = f"{whole[-1]} {part}"
        elif part and part.strip():
            whole.append(part.strip())
    return [_show(part, codes) for part in whole]


def _show(part: str, codes: list[str]) -> str:
    """Put the hidden code marks back."""
    return re.sub(r"\x00(\d+)\x01", lambda found: codes[int(found.group(1))], part)


def impersonal(text: str) -> str:
    """Reword "I chose X because Y" as "Chose X because Y"."""
    shorter = PATTERNS.i_did.sub("", text, count=1) if PATTERNS.i_did.match(text) else text
    return shorter[:1].upper() + shorter[1:] if shorter is not text else text


def statement(sentence: str) -> str:
    """Make a sentence independent: no leading connective, a capital first letter, a full stop."""
    text = PATTERNS.enumerated.sub("", plain(sentence))
    for _ in range(3):
        shorter = PATTERNS.opening.sub("", text, count=1) if PATTERNS.opening.match(text) else text
        if shorter == text or not shorter:
            break
        text = shorter
    text = text.strip().rstrip(";,").strip()
    if not text:
        return ""
    if text[0].islower() and not re.match(r"[a-z]+[A-Z_./0-9(-]", text):
        text = text[0].upper() + text[1:]
    return text if text[-1] in _TERMINATORS else text + "."
