"""Where code or a plan may go against what is known, by rules: what a memory forbids, or shows as bad.

It says "may": nothing here understands code. What counts is a name that a statement forbids in the same
clause and writes as code, words that an order forbids (`prohibitions.py`), and what a smell shows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.generation import Conflict
from recortex.domain.kinds.base import shorten
from recortex.engines.generation.exceptions import excused
from recortex.engines.generation.prohibitions import PATTERNS as ORDERS
from recortex.engines.generation.prohibitions import prohibitions, told_against
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.memory import Memory

PATTERNS = Patterns(__file__)
MOST_CHARACTERS = 100_000
"""Of the code or plan that is looked at."""
SHORTEST_LINE = 8
"""Characters of a line of a bad example that is looked for."""


def conflicts(
    memories: Sequence[Memory], code: str, files: Sequence[str] = (), exceptions: Sequence[Memory] = ()
) -> list[Conflict]:
    """Each line that may go against a memory, once for each memory.

    Args:
        memories: that hold.
        code: code or a plan.
        files: that it is for: what is forbidden elsewhere is none of theirs.
        exceptions: approved ones that hold now.
    """
    lines = code[:MOST_CHARACTERS].splitlines()
    holding = (memory for memory in memories if not excused(memory, exceptions, code, files))
    found = (one for memory in holding for one in _of(memory, lines, files))
    return list({(one.id, one.line): one for one in found}.values())


def may_forbid(memory: Memory) -> bool:
    """Whether a memory says what is not to be done, or shows it."""
    return bool(
        PATTERNS.forbids.search(memory.text)
        or ORDERS.imperative.search(memory.text)
        or _shown(memory)
        or _rule(memory)
    )


def _of(memory: Memory, lines: Sequence[str], files: Sequence[str]) -> Iterator[Conflict]:
    named = forbidden(memory.text)
    names = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in named]
    # Where something is named as code, that is what is meant.
    orders = [] if named else [one for one in prohibitions(memory.text) if one.holds(files)]
    shown, rule = _shown(memory), _rule(memory)
    for number, line in enumerate(lines, 1):
        hit = next((found[0] for name in names if (found := name.search(line))), "")
        hit = hit or next((one for one in shown if one in line), "")
        hit = hit or next(filter(None, (one.found_in(told_against(line)) for one in orders)), "")
        hit = hit or (line.strip() if rule and _fits(rule, line) else "")
        if hit:
            because = memory.summary or memory.text
            yield Conflict(id=memory.id, line=number, found=shorten(hit), because=because)


def forbidden(text: str) -> list[str]:
    """The names that a statement forbids: `Never call `eval`` forbids `eval`."""
    found = (clause[1] for clause in PATTERNS.forbids.finditer(text[:2_000]))
    clauses = (PATTERNS.otherwise.split(clause)[0] for clause in found)
    names = (name for clause in clauses for name in PATTERNS.named.finditer(clause))
    return list(dict.fromkeys(next(filter(None, name.groups())).removesuffix("()") for name in names))


def _shown(memory: Memory) -> list[str]:
    """The lines of a smell's bad example, and its pattern as it is, but for what the good one has too."""
    if not getattr(memory.content, "auto_detect", True):
        return []
    good = getattr(memory.content, "example_good", "")
    bad = [*getattr(memory.content, "example_bad", "").splitlines(), getattr(memory.content, "pattern", "")]
    said = (line.strip() for line in bad)
    return [line for line in said if len(line) >= SHORTEST_LINE and line not in good]


def _rule(memory: Memory) -> list[str]:
    """The parts of a smell's rule, which a line has one after the other: `*` stands for anything between."""
    if not getattr(memory.content, "auto_detect", True):
        return []
    parts = [part.strip() for part in getattr(memory.content, "detection_rule", "").split("*")]
    return [part for part in parts if part]


def _fits(parts: Sequence[str], line: str) -> bool:
    place = 0
    for part in parts:
        found = line.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True
