"""Lays out reasons as a text: a summary, then sections, each sentence with its evidence, within a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.domain.reasons import Claim
from recortex.engines.compression.levels import SHORT_ID
from recortex.engines.reasons.narrative import SHORT, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from recortex.domain.reasons import Evidence, Section, Verbosity
    from recortex.engines.reasons.weighing import Bearing

TITLES: dict[Section, str] = {
    "decisions": "Decided",
    "constraints": "Constraints and exceptions",
    "history": "How it came to be",
    "origins": "What led to it",
    "patterns": "How it is done here",
    "knowledge": "What else is known",
    "support": "What supports it",
    "conflicts": "What speaks against it",
    "effects": "What came of it",
    "warnings": "Watch out",
}
"""The heading of each section, in the order of the text."""
_ORDER = {section: place for place, section in enumerate(TITLES)}
MOST: dict[Verbosity, int] = {"summary": 1, "detailed": 6, "comprehensive": 50}
"""Sentences of each section."""
_SUMMED: tuple[Section, ...] = ("decisions", "constraints", "patterns", "history", "knowledge", "warnings")
NOTHING = "Nothing that is known says why."
NEAR = "These records may bear on it:"
CHUNK_ID = 16
"""Characters of the id of a part of a document that `get` needs."""
LEAST_BUDGET, MOST_BUDGET = 60, 100_000


@dataclass(frozen=True, slots=True)
class Told:
    """A text with its tokens, the sentences in it in its order, and how many had no room."""

    text: str
    tokens: int
    claims: tuple[Claim, ...]
    left_out: int


def tell(
    head: str,
    claims: Sequence[Claim],
    verbosity: Verbosity,
    budget: int,
    count: Callable[[str], int],
    *,
    near: Sequence[Bearing] = (),
) -> Told:
    """The text of some reasons; one line where there are none.

    Args:
        head: the subject, on one line.
        claims: each section's likeliest first.
        verbosity: a sentence of each section, up to six, or all.
        budget: the most tokens of the text.
        count: tokens of a text.
        near: what may bear on it, where nothing is claimed.
    """
    kept = _chosen(claims, MOST[verbosity])
    if not kept:
        return _nothing(head, near, budget, count)
    # Sentences are dropped from the least important section backwards, until the whole text fits.
    by_weight = sorted(kept, key=lambda one: (_weight(one.section), kept.index(one)))
    while by_weight:
        shown = set(map(id, by_weight))
        some = [one for one in kept if id(one) in shown]
        text = _text(head, some)
        if (tokens := count(text)) <= budget:
            return Told(text, tokens, tuple(some), len(claims) - len(some))
        by_weight = by_weight[: len(by_weight) - max(1, (tokens - budget) * len(by_weight) // (2 * tokens))]
    text = _shortest(kept[0], budget, count)
    return Told(text, count(text), (kept[0],) if text != NOTHING else (), len(claims) - (text != NOTHING))


def _nothing(head: str, near: Sequence[Bearing], budget: int, count: Callable[[str], int]) -> Told:
    """That nothing is known, and what may bear on it, as far as there is room."""
    lines = [f"- “{words_of(one.memory, SHORT)}” [{one.memory.id[:SHORT_ID]}]" for one in near]
    texts = [
        "\n".join([head, NOTHING, *([NEAR] if most else []), *lines[:most]]) for most in range(len(lines) + 1)
    ]
    fitting = (text for text in [*reversed(texts), NOTHING] if count(text) <= budget)
    text = next(fitting, NOTHING)
    return Told(text, count(text), (), 0)


def _weight(section: Section) -> int:
    return _SUMMED.index(section) if section in _SUMMED else len(_SUMMED)


def _chosen(claims: Sequence[Claim], most: int) -> list[Claim]:
    """At most so many of each section, in the order of sections; equal sentences once."""
    found: dict[str, list[Claim]] = {section: [] for section in TITLES}
    once: set[str] = set()
    for one in claims:
        if one.text not in once and len(found[one.section]) < most:
            once.add(one.text)
            found[one.section].append(one)
    return [one for section in TITLES for one in found[section]]


def _text(head: str, claims: Sequence[Claim]) -> str:
    lines, last = [head], ""
    for one in sorted(claims, key=lambda one: _ORDER[one.section]):
        if one.section != last:
            lines.append(f"\n## {TITLES[one.section]}")
            last = one.section
        lines.append(f"- {one.text} {marks(one.evidence)}")
    return "\n".join(lines)


def _shortest(claim: Claim, budget: int, count: Callable[[str], int]) -> str:
    """One sentence, cut at a word so that it fits with its evidence."""
    mark = marks(claim.evidence[:1])
    words = claim.text.split()
    while words:
        text = f"{' '.join(words)}… {mark}"
        if count(text) <= budget:
            return text
        words = words[: len(words) * 3 // 4]
    return NOTHING


def marks(evidence: Collection[Evidence]) -> str:
    """Evidence as it stands in the text: `[0b5d3b1e]`, `[commit 3fa1b2c]`, `[exchange 9f8e7d6c]`."""
    return "".join(dict.fromkeys(f"[{_mark(one)}]" for one in evidence))


def _mark(one: Evidence) -> str:
    if one.kind == "commit":
        return f"commit {one.id[:7]}"
    if one.kind == "document":
        return f"document {one.id[:CHUNK_ID]}"
    return one.id[:SHORT_ID] if one.kind == "memory" else f"exchange {one.id[:SHORT_ID]}"
