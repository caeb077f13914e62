"""A decision in one sentence: in the context of …, facing …, we decided for … and against …, to achieve …."""

from __future__ import annotations

from typing import NamedTuple

from recortex.engines.decisions.options import Option
from recortex.engines.patterns import Patterns

PATTERNS = Patterns(__file__)
MOST = 2_000
"""Characters of the sentence that are looked at."""


class YStatement(NamedTuple):
    """What the sentence says, by its parts."""

    context: str
    decision: str
    options: tuple[Option, ...]
    consequences: tuple[str, ...]


def y_statement(text: str) -> YStatement | None:
    """The first such sentence of a text on one line."""
    begun = PATTERNS.begin.search(text)
    parts = _parts(text[begun.end() : begun.end() + MOST].partition(".")[0]) if begun else {}
    if not {"context", "facing", "decision", "goal"} <= parts.keys():
        return None
    because = f" because {parts['because']}" if "because" in parts else ""
    return YStatement(
        context=f"In the context of {parts['context']}, facing {parts['facing']}.",
        decision=f"Decided for {parts['decision']}, to achieve {parts['goal']}{because}.",
        options=(Option(parts["against"]),) if "against" in parts else (),
        consequences=(f"Accepted: {parts['cost']}.",) if "cost" in parts else (),
    )


def _parts(sentence: str) -> dict[str, str]:
    """The parts of a sentence that are there, by name: each from its first words to those of the next."""
    found, at = {"context": (0, 0)}, 0
    for name, words in PATTERNS.by_name("part_").items():
        if mark := words.search(sentence, at):
            found[name.removeprefix("part_")] = mark.span()
            at = mark.end()
    ends = [begins for begins, _ in list(found.values())[1:]] + [len(sentence)]
    parts = {name: sentence[at:end].strip() for (name, (_, at)), end in zip(found.items(), ends, strict=True)}
    return {name: said for name, said in parts.items() if said}
