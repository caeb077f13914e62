"""Makes the additional search text of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import KINDS
from recortex.domain.search import SearchText
from recortex.engines.indexing.pieces import ROLES, Trait, is_code, self_description, traits
from recortex.engines.words import compound_parts, grams, path_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.memory import Memory


_READ = 8_000
"""Characters of a text whose identifiers become terms."""
_MOST = 8_000
"""The most characters of `terms`, so that a huge text does not fill the index twice; without those of CJK
text, which is found by nothing else."""
_CONTEXT = 600
"""Characters of the preceding turn; a spoken turn has about 150."""


class PrecedingTurn(NamedTuple):
    """The turn before a memory's own: its speaker and text."""

    speaker: str
    text: str


def search_text(memory: Memory, before: PrecedingTurn | None = None) -> SearchText:
    """The additional search text of a memory.

    `terms` are parts of identifiers and paths, tags, CJK pairs and, in a dialogue, the speaker and the date;
    `context` is the preceding turn, in a dialogue.

    Args:
        memory: the one that is written.
        before: the preceding turn of its session, if there is one.
    """
    seen = traits(
        memory.text,
        speaker=memory.source.speaker,
        session=memory.source.session,
        files=[link.path for link in memory.files],
    )
    plain = " ".join(_terms(memory, seen))[:_MOST]
    terms = " ".join([plain, *grams(memory.text[:_READ])]).strip()
    context = f"{before.speaker}: {before.text}"[:_CONTEXT] if before and seen & Trait.DIALOGUE else ""
    return SearchText(terms, context, int(seen))


def _terms(memory: Memory, seen: Trait) -> Iterator[str]:
    text = memory.text[:_READ]
    if seen & Trait.DIALOGUE:
        at = memory.valid_from
        yield f"{memory.source.speaker} {at.day} {at:%B} {at.year}"
    if seen & (Trait.CODE | Trait.OUTLINE):
        yield self_description(text)
    yield from compound_parts(text)
    for link in memory.files:
        yield from path_words(link.path)
    for function in memory.functions:
        yield from path_words(function.name)
    yield from memory.tags


# -- the text of which a memory's vector is made


def embedded_text(memory: Memory, project: str = "") -> str:
    """A line of metadata, the text, and what it is linked to; empty for kinds that are never embedded.

    `[kind|importance|category] [project:name] who: text`, then `Files: …` and `Patterns: …`, each if there is
    one. Code has no such metadata: it costs half a point of MRR and a whole one of R@10 on CoSQA, and nothing
    on LoCoMo (bench/retrieval.py).
    Questions are embedded plainly: a prefix on them costs up to 12 points of R@10. The text is
    unchanged: with split identifiers, or only names and documentation, less was found on CoSQA.
    """
    return "\n".join(_lines(memory, project)) if KINDS[memory.kind].embedded else ""


def _lines(memory: Memory, project: str) -> Iterator[str]:
    label = f"[{memory.kind}|{memory.importance.value}|{KINDS[memory.kind].category}]"
    metadata = () if is_code(memory.text) else (label, project and f"[project:{project}]")
    speaker = memory.source.speaker.strip()
    who = f"{speaker}: " if speaker and speaker.lower() not in ROLES else ""
    yield " ".join(part for part in (*metadata, f"{who}{memory.text}") if part)
    if memory.files:
        yield f"Files: {', '.join(link.path for link in memory.files)}"
    if memory.patterns:
        yield f"Patterns: {', '.join(link.name or link.id for link in memory.patterns)}"
