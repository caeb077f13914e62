"""A decision in one sentence: in the context of …, facing …, we decided for … and against …, to achieve …."""

from __future__ import annotations

from typing import NamedTuple

from recortex.engines.decisions.options import Option
from recortex.engines.patterns import Patterns

PATTERNS = Patterns(__file__)


class YStatement(NamedTuple):
    """What the sentence says, by its parts."""

    context: str
    decision: str
    options: tuple[Option, ...]
    consequences: tuple[str, ...]


def y_statement(text: str) -> YStatement | None:
    """The first such sentence of a text on one line."""
    found = PATTERNS.form.search(text)
    if not found:
        return None
    because = f" because {found['because'].strip()}" if found["because"] else ""
    against = found["against"]
    return YStatement(
        context=f"In the context of {found['context'].strip()}, facing {found['facing'].strip()}.",
        decision=f"Decided for {found['decision'].strip()}, to achieve {found['goal'].strip()}{because}.",
        options=(Option(against.strip()),) if against else (),
        consequences=(f"Accepted: {found['cost'].strip()}.",) if found["cost"] else (),
    )
