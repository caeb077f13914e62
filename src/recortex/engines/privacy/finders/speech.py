"""Finds what a sentence says a password, a key, a PIN or a login is, in seven languages.

A cue is followed by a relation (`is`, `lautet`, `est`, `:`) and a value, or the value stands before it
(`use … as the password`). Chinese and Japanese have no spaces: there a run of ASCII near it is the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.privacy.credentials import is_jumble
from recortex.engines.privacy.credentials import names_provider as is_provider
from recortex.engines.privacy.finders.judging import (
    is_clear,
    is_issued,
    is_key,
    is_phrase,
    is_unknown,
    refuses,
)
from recortex.engines.privacy.table import compiled
from recortex.engines.tables import Patterns

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from recortex.engines.privacy.finders import Cue

    Judge = Callable[[str], bool]

PATTERNS = Patterns(__file__)
_WINDOW = 320
_BEFORE = 90
_ROUNDS = 3
_SHORT = frozenset({"pw", "pwd", "mdp"})
"""Words that stand for nothing but the password itself."""


def password(cue: Cue) -> Iterator[tuple[int, int]]:
    """What is said to be a password."""
    yield from _find_spoken(cue, is_unknown, is_clear)
    yield from _phrase(cue)


def key(cue: Cue) -> Iterator[tuple[int, int]]:
    """What is said to be a token or key: only what a program made."""
    yield from _find_spoken(cue, is_issued, is_key)


def pin(cue: Cue) -> Iterator[tuple[int, int]]:
    """A number that is said to be a PIN."""
    at = cue.end
    found = PATTERNS.pin.match(cue.folded, at, at + _WINDOW)
    if found is None:
        start = max(0, cue.start - _BEFORE)
        found = PATTERNS.pin_before.search(cue.folded[start : cue.start])
        if found:
            yield start + found.start("v"), start + found.end("v")
        return
    if not compiled(r"\b(?:commit|version|tag|release|gpio|port|line|count)\b").search(
        cue.folded, max(0, cue.start - 6), found.end() + 6
    ):
        yield found.span("v")


def _find_spoken(cue: Cue, strong: Judge, weak: Judge) -> Iterator[tuple[int, int]]:
    text, at = cue.text, cue.end
    end = min(len(text), at + _WINDOW)
    if _is_east(cue.word[-1]) or _is_east(text[at : at + 1]):
        yield from _east(cue, at, end, strong)
        return
    if not PATTERNS.goes_on_as_speech.match(text, at):
        yield from _before(cue, weak)
        return
    # "Password manager", "password reset": the word is a part of another one.
    if PATTERNS.about.match(cue.folded, at):
        yield from _before(cue, weak)
        return
    span = _after_relation(cue, at, end, strong) or _beside(cue, at, end, strong, weak)
    if span:
        yield span
    else:
        yield from _before(cue, weak)


def _after_relation(cue: Cue, at: int, end: int, judge: Judge) -> tuple[int, int] | None:
    """A value after `is` or the like; where it is none, another relation may follow."""
    for _ in range(_ROUNDS):
        found = PATTERNS.said.match(cue.folded, at, end)
        span = _judged(cue, found.start("v"), found.end("v"), judge) if found else None
        if span or found is None:
            return span
        at = found.start("v") - 1
        if cue.text[at : at + 1] != " ":
            break
    return None


def _beside(cue: Cue, at: int, end: int, strong: Judge, weak: Judge) -> tuple[int, int] | None:
    """A value right after a cue, or after `to`."""
    given = _given(cue) or cue.word in _SHORT
    for shape in (PATTERNS.beside, PATTERNS.becoming, PATTERNS.was):
        found = shape.match(cue.folded, at, end)
        if found is None or (shape is PATTERNS.was and not _changes(cue)):
            continue
        done = shape is PATTERNS.becoming and PATTERNS.done.match(cue.folded, found.end("v"))
        # "The password, …, is new": set apart by commas.
        apart = shape is PATTERNS.beside and cue.text[at] == "," and cue.text[found.end("v") - 1] == ","
        sure = given or found["q"] or done or apart
        span = _judged(cue, found.start("v"), found.end("v"), strong if sure else weak)
        if span:
            return span
    return None


def _is_east(sign: str) -> bool:
    """Whether a character is of Chinese or Japanese, or a full-width sign."""
    return "\u3040" <= sign <= "\u30ff" or "\u4e00" <= sign <= "\u9fff" or "\uff00" <= sign <= "\uffef"


def _given(cue: Cue) -> bool:
    """Whether what stands before a cue says that a value follows: `log in with the password …`."""
    before = cue.folded[max(0, cue.start - _BEFORE) : cue.start]
    return PATTERNS.giving.search(before) is not None or PATTERNS.changing.search(before) is not None


def _changes(cue: Cue) -> bool:
    before = cue.folded[max(0, cue.start - _BEFORE) : cue.start]
    return PATTERNS.changing.search(before) is not None


def _judged(cue: Cue, start: int, stop: int, judge: Judge) -> tuple[int, int] | None:
    """The span of a value without the punctuation around it, if it is one."""
    text = cue.text
    raw = text[start:stop]
    value = raw.rstrip(".,;:!?*_)").lstrip("*_")
    if not value:
        return None
    # These signs end a sentence, or a password, which then mostly has digits too.
    if raw[len(value) :][:1] in ("!", "?") and any(map(str.isdigit, value)):
        value = raw[: len(value) + 1]
    start += raw.index(value)
    stop = start + len(value)
    if not judge(value):
        return None
    # What could be a word has to end its clause: "the password is strong enough" goes on.
    if not is_clear(value) and judge not in (is_key, is_issued):
        after = text[stop : stop + 40]
        if not (PATTERNS.ends.match(after) or PATTERNS.goes_on.match(after)):
            return None
    return start, stop


def _before(cue: Cue, judge: Judge) -> Iterator[tuple[int, int]]:
    """A value before the cue, as in `use … as the password`."""
    floor = max(0, cue.start - _BEFORE)
    shape = PATTERNS.reversed_east if _is_east(cue.word[-1]) else PATTERNS.reversed
    found = shape.search(cue.text[floor : cue.start])
    if found is None:
        return
    value = found["v"].rstrip(".,;:").lstrip(",;:.(\"'`")
    closes = shape is PATTERNS.reversed_east or PATTERNS.closes.match(cue.folded, cue.end) is not None
    sure = (_naming(found) or closes) and is_unknown(value)
    if is_key(value) if judge is is_key else is_clear(value) or sure:
        start = floor + found.start("v") + found["v"].index(value)
        yield start, start + len(value)


def _naming(found: re.Match[str]) -> bool:
    """Whether the words between a value and its cue say that the one is the other."""
    between = found[0][found.end("v") - found.start() :].lower()
    return compiled(r"[ ,]{1,2}(?:as|for|als|comme|como)[ ]|作为|当作|を|into").search(between) is not None


def _east(cue: Cue, at: int, end: int, judge: Judge) -> Iterator[tuple[int, int]]:
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
        # A user and a password with a sign between: only what follows the sign is secret.
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
    if cue.word[-1] > "\x7f" and _is_east(cue.word[-1]):
        return
    at = cue.end
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
    at = cue.end
    floor = max(0, cue.start - _BEFORE)
    entered = PATTERNS.entered.search(cue.text[floor : cue.start]) if _is_east(cue.word[-1]) else None
    if entered and is_unknown(entered["v"]):
        yield floor + entered.start("v"), floor + entered.end("v")
        return
    found = PATTERNS.pair.match(cue.folded, at, at + _WINDOW)
    # "Sign in with Google and GitHub" names two providers, and no login.
    if (
        found is None
        or is_provider(found["user"])
        or (refuses(f"{found['user']}xx") and found["user"] not in _USERS)
    ):
        return
    # A login that is said as one: by a usual name of a user, or after a relation.
    certain = found["user"] in _USERS or " " in found[0][: found.start("user") - found.start()]
    span = _judged(cue, found.start("v"), found.end("v"), is_unknown if certain else is_clear)
    value = cue.text[slice(*span)] if span else ""
    if span and ("/" not in value.strip("/") or is_jumble(value)):
        yield span


_USERS = frozenset({"admin", "root", "user", "app", "deploy", "postgres", "bot", "sa"})
