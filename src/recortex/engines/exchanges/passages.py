"""What is shown of a place in a session: the sentences that answer, with what they answer."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


# -- texts of a session cut to what an exchange keeps of them


LEFT_OUT = " […] "
_FENCE = lazy(r"^[^\S\n]*(`{3,9}|~{3,9})[^\n]*\n.*?(?:^[^\S\n]*\1[^\S\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_SPACES = lazy(r"[^\S\n]+")
_EMPTY_LINES = lazy(r"\n\s*\n")
_RULE = lazy(r"^\s*[-*_=]{3,}\s*$\n?", re.MULTILINE)
_BETWEEN = lazy(r"(?<=[.!?])[\"'”’)\]*_`]{0,3}\s+|(?<=[。！？])|\n+")  # noqa: RUF001
_SHORTEST = 15


def prose(text: str) -> str:
    """A message without blocks of code, horizontal rules and empty lines."""
    text = _RULE.sub("", _FENCE.sub("\n", text))
    return _EMPTY_LINES.sub("\n", _SPACES.sub(" ", text)).strip()


def sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text; a very short one goes with the next."""
    held = ""
    for part in _BETWEEN.split(text):
        held = f"{held} {part.strip()}".strip()
        if len(held) >= _SHORTEST:
            yield held
            held = ""
    if held:
        yield held


def first_sentence(text: str, most: int = 240) -> str:
    """The sentence that a text begins with."""
    return shortened(next(sentences(text), ""), most, 0)


def shortened(text: str, head: int, tail: int) -> str:
    """The beginning and the end of a text, cut between words where there are some."""
    if len(text) <= head + tail + len(LEFT_OUT):
        return text
    kept, end = text[:head], text[len(text) - tail :] if tail else ""
    space, after = kept.rfind(" "), end.find(" ")
    kept = kept[:space] if space > head // 2 else kept
    end = end[after + 1 :] if 0 <= after < tail // 2 else end
    return f"{kept.rstrip()}{LEFT_OUT}{end.lstrip()}".rstrip()


def ending(text: str, most: int) -> str:
    """The end of a text, from where a sentence or line begins if one does in its first half."""
    if len(text) <= most:
        return text
    cut = text[-most:]
    starts = [found.end() for found in _BETWEEN.finditer(cut)]
    return cut[next((start for start in starts if start < most // 2), 0) :].lstrip()


def pieces(text: str, most: int) -> Iterator[str]:
    """A text in pieces of at most that many characters, of whole sentences where these are shorter."""
    held = ""
    for sentence in sentences(text):
        for part in (sentence[at : at + most] for at in range(0, len(sentence), most)):
            if held and len(held) + len(part) + 1 > most:
                yield held
                held = ""
            held = f"{held}\n{part}" if held else part
    if held:
        yield held


# -- what is shown of a place in a session: the sentences that answer, with what they answer


_LONGEST = 200
"""Characters of a sentence; a longer one is cut in pieces, each of which may be shown alone."""
_SAID_AGAIN = 0.25
"""What a word counts where a chosen sentence has it already: others of the question get their turn."""
_NEARBY = 0.3
"""What the question's words in the sentence before or after count: an answer often stands beside them."""
_MESSAGE = 0.1
_LEADS = (0.0, 0.15, 0.05)
"""What being of the message counts, and being the first sentence of its part. All these were chosen with
bench/exchanges.py, by how many passages hold the answer: 48 % of the places that do, 41 % by words alone."""
_TRIED = 12
"""Sentences that did not fit, after which no more are tried."""
_LEAST = 8
"""Tokens that are worth being filled."""


class Passage(NamedTuple):
    """Parts of a place, shortened to what was asked for; empty where there is nothing to show.

    Attributes:
        asked: of what the agent had said before.
        message: of what the person said.
        outcome: of what came of it.
    """

    asked: str = ""
    message: str = ""
    outcome: str = ""

    @property
    def text(self) -> str:
        """All parts, a line each."""
        return "\n".join(filter(None, self))


class _Sentence(NamedTuple):
    part: int
    place: int
    text: str
    words: frozenset[str]


def passage(
    parts: Sequence[str], rarity: Mapping[str, float], budget: int, count: Callable[[str], int]
) -> Passage:
    """The sentences that answer best, in their order, within a budget.

    Args:
        parts: what was asked, the message, and what came of it.
        rarity: of the question's words in lower case and without their endings; more for rarer ones.
        budget: tokens.
        count: tokens of a text.
    """
    # Finds the question's words in a text, also as parts of identifiers.
    words = sorted(map(re.escape, rarity), key=len, reverse=True)
    holding = re.compile("|".join(words) or r"(?!)")
    found = [one for part, text in enumerate(parts) for one in _sentences(part, text, holding)]
    chosen = _chosen(found, rarity, budget, count)
    return Passage(*(_joined([one for one in chosen if one.part == part]) for part in range(3)))


def _chosen(
    found: Sequence[_Sentence], rarity: Mapping[str, float], budget: int, count: Callable[[str], int]
) -> list[_Sentence]:
    """One sentence after the other, each the best beside those that are chosen already."""
    total = sum(rarity.values()) or 1.0
    held = {one[:2]: sum(rarity[word] for word in one.words) for one in found}

    def fixed(one: _Sentence) -> float:
        around = max(held.get((one.part, one.place + step), 0.0) for step in (-1, 1))
        return _NEARBY * around / total + _MESSAGE * (one.part == 1) + _LEADS[one.part] * (one.place == 0)

    worth, said = {one: fixed(one) for one in found}, Counter[str]()

    def gain(one: _Sentence) -> float:
        return worth[one] + sum(rarity[word] * _SAID_AGAIN ** said[word] for word in one.words) / total

    chosen: list[_Sentence] = []
    too_long = 0
    while worth and budget >= _LEAST and too_long < _TRIED:
        best = max(worth, key=gain)
        del worth[best]
        tokens = count(best.text) + 1  # counted only now: counting takes as long as all else
        if tokens <= budget:
            budget -= tokens
            said.update(best.words)
            chosen.append(best)
        else:
            too_long += 1
    return sorted(chosen)


def _sentences(part: int, text: str, holding: re.Pattern[str]) -> Iterator[_Sentence]:
    pieces = (piece for sentence in sentences(text) for piece in _cut(sentence))
    for place, piece in enumerate(pieces):
        yield _Sentence(part, place, piece, frozenset(holding.findall(piece.lower())))


def _cut(sentence: str) -> Iterator[str]:
    """A long sentence in pieces, cut between words where there are some."""
    while len(sentence) > _LONGEST:
        at = sentence.rfind(" ", _LONGEST // 2, _LONGEST)
        at = at if at > 0 else _LONGEST
        yield sentence[:at]
        sentence = sentence[at:].lstrip()
    yield sentence


def _joined(chosen: Sequence[_Sentence]) -> str:
    """The chosen sentences in their order, with a sign where some between them were left out."""
    if not chosen:
        return ""
    text = chosen[0].text
    for before, one in itertools.pairwise(chosen):
        text += (" " if one.place == before.place + 1 else LEFT_OUT) + one.text
    return text
