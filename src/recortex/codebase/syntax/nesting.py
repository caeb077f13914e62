"""Which definition lies in which, and what that makes of their names."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from recortex.domain.code_facts import CONTAINERS, NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.codebase.syntax.captures import Captured, Definition

DEEPEST = 50
"""Definitions within definitions; deeper ones are left out, and the file is not whole."""
LONGEST_NAME = 300
_ECMA = frozenset({"javascript", "typescript"})
_TYPES = CONTAINERS - {"module"}


class Nesting:
    """The definitions of a file in the order of their starts, each with its parent and qualified name.

    Attributes:
        definitions: without scopes.
        whole: none lies too deep.
    """

    def __init__(self, captured: Captured) -> None:
        self._language = captured.language
        self.definitions: list[Definition] = []
        self.whole = True
        self._constants: set[str] = set()
        open_: list[tuple[Definition, int]] = []
        for one in sorted(_once(captured.definitions), key=lambda one: (one.start, -one.end)):
            while open_ and open_[-1][0].end <= one.start:
                open_.pop()
            if len(open_) == DEEPEST:
                self.whole = False
                continue
            index = self._place(one, open_)
            if index is not None:
                open_.append((one, index))
        self.starts = [one.start for one in self.definitions]

    def _place(self, one: Definition, around: list[tuple[Definition, int]]) -> int | None:
        """Its index, `NOWHERE` for a scope; None for a constant that is set once more."""
        self._qualify(one, next((above for above, _ in reversed(around) if self._qualifies(above)), None))
        one.parent = next((index for _, index in reversed(around) if index != NOWHERE), NOWHERE)
        if one.is_scope:
            return NOWHERE
        if one.kind == "constant":
            if one.name in self._constants:
                return None
            self._constants.add(one.name)
        self.definitions.append(one)
        return len(self.definitions) - 1

    def _qualify(self, one: Definition, around: Definition | None) -> None:
        in_type = one.owner or (around and (around.kind == "scope.impl" or around.kind in _TYPES))
        if one.kind == "function" and (in_type or (self._language == "cpp" and "." in one.name)):
            one.kind = "method"
        prefix = around.name if around is not None else ""
        one.name = ".".join(filter(None, (prefix, one.owner, one.name)))[:LONGEST_NAME]

    def _qualifies(self, one: Definition) -> bool:
        if self._language == "c":  # functions do not nest; where they seem to, a brace is in a macro
            return False
        if one.kind == "constant":  # an object with functions
            return self._language in _ECMA
        return one.kind not in {"type", "declaration", "property", "macro"}

    def innermost(self, place: int) -> int:
        """The index of the smallest definition that a byte lies in, or `NOWHERE`."""
        index = bisect_right(self.starts, place) - 1
        while index != NOWHERE and self.definitions[index].end <= place:
            index = self.definitions[index].parent
        return index

    def type_around(self, index: int) -> int:
        """The index of the class or its like that a definition is or lies in, or `NOWHERE`."""
        while index != NOWHERE and self.definitions[index].kind not in CONTAINERS:
            index = self.definitions[index].parent
        return index


def _once(definitions: Iterable[Definition]) -> list[Definition]:
    """Each definition once: `const f = () => 1` is captured as a constant, too."""
    best: dict[tuple[int, int, str], Definition] = {}
    for one in definitions:
        key = (one.start, one.end, one.name)
        if key not in best or (best[key].kind == "constant" and one.kind != "constant"):
            best[key] = one
    return list(best.values())
