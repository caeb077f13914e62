"""Where code or a plan may go against what is known, by rules: what a memory forbids, or shows as bad.

It says "may": nothing here understands code. A name counts only where a statement forbids it in the same
clause and writes it as code, or where a smell shows it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.generation import Conflict
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.memory import Memory

PATTERNS = Patterns(__file__)
MOST_CHARACTERS = 100_000
"""Of the code or plan that is looked at."""
SHORTEST_LINE = 8
"""Characters of a line of a bad example that is looked for."""


def conflicts(memories: Sequence[Memory], code: str) -> list[Conflict]:
    """Each line that may go against a memory, once for each memory."""
    lines = code[:MOST_CHARACTERS].splitlines()
    found = (one for memory in memories for one in _of(memory, lines))
    return list({(one.id, one.line): one for one in found}.values())


def _of(memory: Memory, lines: Sequence[str]) -> Iterator[Conflict]:
    names = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in forbidden(memory.text)]
    shown = _shown(memory)
    for number, line in enumerate(lines, 1):
        hit = next((found[0] for name in names if (found := name.search(line))), "")
        hit = hit or next((one for one in shown if one in line), "")
        if hit:
            yield Conflict(id=memory.id, line=number, found=hit, because=memory.summary or memory.text)


def forbidden(text: str) -> list[str]:
    """The names that a statement forbids: `Never call `eval`` forbids `eval`."""
    clauses = (clause[1] for clause in PATTERNS.forbids.finditer(text[:2_000]))
    names = (name for clause in clauses for name in PATTERNS.named.finditer(clause))
    return list(dict.fromkeys(next(filter(None, name.groups())).removesuffix("()") for name in names))


def _shown(memory: Memory) -> list[str]:
    """The lines of a smell's bad example, and its pattern as it is, but for what the good one has too."""
    good = getattr(memory.content, "example_good", "")
    bad = [*getattr(memory.content, "example_bad", "").splitlines(), getattr(memory.content, "pattern", "")]
    said = (line.strip() for line in bad)
    return [line for line in said if len(line) >= SHORTEST_LINE and line not in good]
