"""Finds what a sentence says a password, a key, a PIN or a login is, in seven languages.

A cue is followed by a relation (`is`, `lautet`, `est`, `:`) and a value, or the value stands before it
(`use … as the password`). Chinese and Japanese have no spaces: there a run of ASCII near it is the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns
from recortex.engines.privacy.checks.numbers import is_jumble
from recortex.engines.privacy.expressions import compiled
from recortex.engines.privacy.finders.judging import is_clear, is_key, is_phrase, is_unknown, refuses

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from recortex.engines.privacy.finders import Cue

PATTERNS = Patterns(__file__)
_WINDOW = 320
_BEFORE = 90
_ROUNDS = 3


def password(cue: Cue) -> Iterator[tuple[int, int]]:
    """What is said to be a password."""
    yield from _said(cue, is_unknown, is_clear)
    yield from _phrase(cue)


def key(cue: Cue) -> Iterator[tuple[int, int]]:
    """What is said to be a token or key: only what a program made."""
    yield from _said(cue, is_key, is_key)


def pin(cue: Cue) -> Iterator[tuple[int, int]]:
    """A number that is said to be a PIN."""
    at = cue.match.end()
    found = PATTERNS.pin.match(cue.folded, at, at + _WINDOW)
    if found is None:
        start = max(0, cue.match.start() - _BEFORE)
        found = PATTERNS.pin_before.search(cue.folded[start : cue.match.start()])
        if found:
            yield start + found.start("v"), start + found.end("v")
        return
    if not compiled(r"\b(?:commit|version|tag|release|gpio|port|line|count)\b").search(
        cue.folded, at, found.end() + 6
    ):
        yield found.span("v")


def _said(cue: Cue, strong: Callable[[str], bool], weak: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    text, at = cue.text, cue.match.end()
    end = min(len(text), at + _WINDOW)
    if cue.match[0][-1] > "\x7f" and not cue.match[0][-1].isspace() and _is_east(cue.match[0][-1]):
        yield from _east(cue, at, end, strong)
        return
    if not PATTERNS.goes_on_as_speech.match(text, at):
        yield from _before(cue, weak)
        return
    if PATTERNS.about.match(cue.folded, at):
        return
    at_value = at
    for _ in range(_ROUNDS):
        found = PATTERNS.said.match(cue.folded, at_value, end)
        if found is None:
            break
        span = _judged(cue, found.start("v"), found.end("v"), strong)
        if span:
            yield span
            return
        at_value = found.start("v") - 1
        if cue.text[at_value : at_value + 1] != " ":
            break
    beside = PATTERNS.was.match(cue.folded, at, end) if _changes(cue) else None
    beside = beside or PATTERNS.beside.match(cue.folded, at, end)
    if beside:
        sure = _given(cue)
        sure = sure or bool(beside["q"]) or PATTERNS.done.match(cue.folded, beside.end("v")) is not None
        span = _judged(cue, beside.start("v"), beside.end("v"), strong if sure else weak)
        if span:
            yield span
            return
    yield from _before(cue, weak)


def _is_east(sign: str) -> bool:
    return "\u3040" <= sign <= "\u30ff" or "\u4e00" <= sign <= "\u9fff" or "\uff00" <= sign <= "\uffef"


def _given(cue: Cue) -> bool:
    """Whether what stands before a cue says that a value follows: `log in with the password …`."""
    before = cue.folded[max(0, cue.match.start() - _BEFORE) : cue.match.start()]
    return PATTERNS.giving.search(before) is not None or PATTERNS.changing.search(before) is not None


def _changes(cue: Cue) -> bool:
    before = cue.folded[max(0, cue.match.start() - _BEFORE) : cue.match.start()]
    return PATTERNS.changing.search(before) is not None


def _judged(cue: Cue, start: int, stop: int, judge: Callable[[str], bool]) -> tuple[int, int] | None:
    """The span of a value without the punctuation around it, if it is one."""
    text = cue.text
    raw = text[start:stop]
    value = raw.rstrip(".,;:!?*_)").lstrip("*_")
    if not value:
        return None
    if raw[len(value) :][:1] in ("!", "?") and any(map(str.isdigit, value)):
        value = raw[: len(value) + 1]
    start += raw.index(value)
    stop = start + len(value)
    if not judge(value):
        return None
    if not is_clear(value) and judge is not is_key:
        after = text[stop : stop + 40]
        if not (PATTERNS.ends.match(after) or PATTERNS.goes_on.match(after)):
            return None
    return start, stop


def _before(cue: Cue, judge: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """A value before the cue, as in `use … as the password`."""
    floor = max(0, cue.match.start() - _BEFORE)
    shape = PATTERNS.reversed_east if _is_east(cue.match[0][-1]) else PATTERNS.reversed
    found = shape.search(cue.text[floor : cue.match.start()])
    if found is None:
        return
    value = found["v"].rstrip(".,;:").lstrip(",;:.(\"'`")
    closes = shape is PATTERNS.reversed_east or PATTERNS.closes.match(cue.folded, cue.match.end()) is not None
    sure = (_naming(found) or closes) and is_unknown(value)
    if is_key(value) if judge is is_key else is_clear(value) or sure:
        start = floor + found.start("v") + found["v"].index(value)
        yield start, start + len(value)


def _naming(found: re.Match[str]) -> bool:
    """Whether the words between a value and its cue say that the one is the other."""
    between = found[0][found.end("v") - found.start() :].lower()
    return compiled(r"[ ,]{1,2}(?:as|als|comme|como)[ ]|作为|当作|を|into").search(between) is not None


def _east(cue: Cue, at: int, end: int, judge: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """The run of ASCII after, or right before, a cue of Chinese or Japanese."""
    text = cue.text
    words = PATTERNS.east_words.match(text, at, end)
    if words and is_phrase(words["v"], quoted=False):
        yield words.span("v")
        return
    found = PATTERNS.east.match(text, at, end)
    if found:
        start, stop = found.span("v")
        value = found["v"].rstrip(".,;:\"'`)")
        rest = text[start + len(value) : start + len(value) + 4]
        pair = compiled(r"[\w.@-]{2,40}[/:](?P<p>\S{4,})").fullmatch(value)
        if pair and "是" not in text[at:start] and judge(pair["p"]):
            yield start + pair.start("p"), start + len(value)
            return
        following = PATTERNS.following.match(text, start + len(value), end)
        if judge(value) and not rest[:2].strip().startswith(("=", "(")):
            yield start, start + len(value)
            return
        if following and judge(following["v"].rstrip(".,;:")):
            yield following.start("v"), following.start("v") + len(following["v"].rstrip(".,;:"))
            return
        del stop
    yield from _before(cue, judge)


def _phrase(cue: Cue) -> Iterator[tuple[int, int]]:
    """A passphrase of words."""
    if cue.match[0][-1] > "\x7f" and _is_east(cue.match[0][-1]):
        return
    at = cue.match.end()
    found = PATTERNS.phrase.match(cue.folded, at, at + _WINDOW)
    if found is None:
        return
    start, stop = found.span("v")
    after = cue.text[stop : stop + 3]
    whole = bool(found["q"]) or not after.strip() or after[0] in ".,;!?\n"
    words = cue.folded[start:stop].split()
    while not found["q"] and len(words) > 4 and not is_phrase(" ".join(words), quoted=False):  # noqa: PLR2004
        words = words[1:]
    value = " ".join(words)
    start = cue.folded.find(value, start)
    if start >= 0 and whole and is_phrase(value, quoted=bool(found["q"])):
        yield start, start + len(value)


def pair(cue: Cue) -> Iterator[tuple[int, int]]:
    """The password of a login that is said as two words: `the credentials are app and …`."""
    at = cue.match.end()
    found = PATTERNS.pair.match(cue.folded, at, at + _WINDOW)
    if found is None or (refuses(f"{found['user']}xx") and found["user"] not in _USERS):
        return
    span = _judged(cue, found.start("v"), found.end("v"), is_unknown if _certain(found) else is_clear)
    value = cue.text[slice(*span)] if span else ""
    if span and ("/" not in value.strip("/") or is_jumble(value)):
        yield span


_USERS = frozenset({"admin", "root", "user", "app", "deploy", "postgres", "bot", "sa"})


def _certain(found: re.Match[str]) -> bool:
    """Whether a login is said as one: by a usual name of a user, or after a relation."""
    return found["user"] in _USERS or " " in found[0][: found.start("user") - found.start()]
