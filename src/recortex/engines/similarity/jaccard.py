"""Jaccard similarity of two texts by their words, and what is done at which similarity."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from enum import StrEnum
from math import fsum, isfinite, sqrt
from operator import mul
from typing import TYPE_CHECKING

from blake3 import blake3

from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.words import writes_no_spaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.relation import Relation


DIFFERENT, SUGGESTED, CONSOLIDATE, SIMILAR = 0.1, 0.4, 0.5, 0.6


class Verdict(StrEnum):
    """What is to be done with a pair of memories."""

    IGNORE = "ignore"
    RELATE = "relate"
    SUGGEST = "suggest"
    CONSOLIDATE = "consolidate"
    SIMILAR = "similar"


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared words by all words, 0 to 1; 0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def classify(score: float) -> Verdict:
    """By bands: below 0.1 ignore, to 0.4 relate, to 0.5 suggest, to 0.6 consolidate, above: similar."""
    for limit, verdict in (
        (DIFFERENT, Verdict.IGNORE),
        (SUGGESTED, Verdict.RELATE),
        (CONSOLIDATE, Verdict.SUGGEST),
    ):
        if score < limit:
            return verdict
    return Verdict.CONSOLIDATE if score <= SIMILAR else Verdict.SIMILAR


# -- decides by vectors whether two memories are related, if their Jaccard similarity does not


BY_WORDS, BY_MEANING, SAME_MATTER = "word overlap", "cosine", "consolidation candidate"
RELATED = 0.45
"""Of unrelated statements, 95 in 100 pairs have a lower cosine (bench/likeness.py)."""
NEARLY_SAME = 0.8
"""Pairs with a higher cosine say the same in other words (bench/likeness.py, judged by reading them)."""


def is_uncertain(relation: Relation) -> bool:
    """Whether a relation was inferred by words alone, and not by many of them."""
    return (
        relation.inferred
        and relation.type is RelationType.RELATED
        and relation.strength <= SIMILAR
        and relation.evidence[:1] in ((BY_WORDS,), (SAME_MATTER,))
    )


def vector_verdict(relation: Relation, cosine: float) -> Relation | None:
    """The relation with the cosine as its strength; None where the two memories are unrelated."""
    if cosine < RELATED:
        return None
    evidence = SAME_MATTER if cosine >= NEARLY_SAME else BY_MEANING
    return replace(
        relation,
        strength=round(min(1.0, cosine), 3),
        evidence=(f"{evidence} {cosine:.2f}",),
        status=RelationStatus.ACTIVE,
    )


# -- makes values of different scales comparable


def standardised(values: Sequence[float], least_spread: float = 1e-9) -> list[float]:
    """Each value's distance from the mean in standard deviations; all zero where nothing differs.

    A spread below `least_spread` is taken as that, so that noise among near equals is not blown up.
    """
    if not values:
        return []
    mean = fsum(values) / len(values)
    distances = [value - mean for value in values]
    spread = max(sqrt(fsum(map(mul, distances, distances)) / len(values)), least_spread)
    return [distance / spread for distance in distances]


def clamp(value: float) -> float:
    """The value within 0 to 1; what is no number is 0."""
    return min(1.0, max(0.0, value)) if isfinite(value) else 0.0


# -- hashes of texts, places and vectors


def content_hash(kind: str, text: str) -> str:
    """BLAKE3 of kind and text, 64 hexadecimal digits; case, spacing and Unicode form are ignored."""
    composed = text if text.isascii() else unicodedata.normalize("NFKC", text)
    plain = " ".join(composed.casefold().split())
    return str(blake3(f"{kind}\n{plain}".encode()).hexdigest())


# Not after a space, slash or dot: in `go test ./...` and `cd ..` the dots belong to the command.
_END = re.compile(r"(?<![\s/\\.!\u2026\u3002])[.!\u2026\u3002]+$")
_QUOTES = dict(zip("\"'`\u201c\u2018\u201e\u00ab", "\"'`\u201d\u2019\u201c\u00bb", strict=True))


def bare(text: str) -> str:
    """A statement without the full stop, the ellipsis and the quotation marks around it."""
    shorter = _END.sub("", text.strip())
    if (
        shorter[1:]
        and _QUOTES.get(shorter[0]) == shorter[-1]
        and not {shorter[0], shorter[-1]} & {*shorter[1:-1]}
    ):
        shorter = shorter[1:-1].strip()
    return bare(shorter) if shorter and shorter != text else text


_LONGEST = 2_000
"""A longer text has one spelling: hashing a dozen variants of it would take long."""


def spellings(kind: str, text: str) -> tuple[str, ...]:
    """The hashes that a stored memory with the same statement may have: as given, then repunctuated.

    Variants of the new text are compared, so stored memories need no further hash.
    """
    if len(text) > _LONGEST:
        return (content_hash(kind, text),)
    core = bare(text)
    ends = ("", "\u3002" if writes_no_spaces(core) else ".", "!", "...")
    forms = [form for end in ends for form in (f"{core}{end}", f'"{core}{end}"', f'"{core}"{end}')]
    if not (core[:1].isalnum() and core[-1:].isalnum()) or '"' in core:  # else all of them are bare the same
        forms = [form for form in forms if bare(form) == core]
    return tuple(content_hash(kind, form) for form in (text, *forms))


def place_hash(*parts: str) -> bytes:
    """A hash of 16 bytes for a place, such as a turn of a session."""
    return bytes(blake3("\0".join(parts).encode()).digest(length=16))


def vector_hash(model: str, text: str) -> bytes:
    """A hash of 16 bytes for the vector of a text by one embedder."""
    return bytes(blake3(f"{model}\0{text}".encode("utf-8", "replace")).digest(length=16))


def turn_place(turn: str) -> bytes:
    """The hash of a turn of a session, by its id."""
    return place_hash("turn", turn)
