"""What stands around definitions: comments and docstrings, decorators and attributes, bases."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from recortex.codebase.syntax.grammars import docstring, first_line, mark, without_generics
from recortex.domain.code import CONTAINERS, NOWHERE, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from recortex.codebase.syntax.captures import Captured, Definition


MOST_BETWEEN = 5_000
"""Bytes between a mark and its definition that are looked at."""
MOST_BASES = 30
_BETWEEN = re.compile(rb"[\s\]]*(?:(?:export|default|declare|abstract|async|public|pub(?:\([^)]*\))?)\s+)*")
_NOT_LINE_BREAK = re.compile(rb"[^\n]")
_HEADS = frozenset(
    """
    decorated_definition export_statement lexical_declaration variable_declaration template_declaration
    type_declaration const_declaration var_declaration ambient_declaration expression_statement
    """.split()
)


class Surroundings:
    """Gives the definitions of a file their bases, documentation and marks.

    Attributes:
        marks: all marks of the file.
        plain: the file with spaces in place of comments.
    """

    def __init__(self, captured: Captured, nesting: Nesting) -> None:
        self._captured, self._nesting = captured, nesting
        self.plain = bytearray(captured.data)
        for node in captured.spans["comment"]:
            _blank_out(self.plain, node)
        self._attach_bases()
        self._attach_docstrings()
        self.marks = self._attach_marks()
        self._attach_comments()

    def _attach_bases(self) -> None:
        for node in self._captured.spans["base"]:
            index = self._nesting.innermost(node.start_byte)
            if index != NOWHERE and len(self._nesting.definitions[index].bases) < MOST_BASES:
                text = "".join(self._captured.text(node)[:200].split())
                self._nesting.definitions[index].bases.append(without_generics(text).strip("*&")[:80])

    def _attach_docstrings(self) -> None:
        for node in self._captured.spans["docstring"]:
            index = self._nesting.innermost(node.start_byte)
            if index != NOWHERE:
                one = self._nesting.definitions[index]
                one.doc = one.doc or docstring(self._captured.text(node))

    def _attach_marks(self) -> list[Mark]:
        plain = bytearray(self.plain) if self._captured.marks else self.plain
        # Several marks may stand before a definition: the others are nothing that parts it from one.
        for node in self._captured.marks:
            _blank_out(plain, node)
        found = []
        for node in self._captured.marks:
            index = self._marked(node, plain)
            name, argument = mark(self._captured.text(node))
            found.append(Mark(name, argument, node.start_point[0] + 1, index))
            if index != NOWHERE and node.start_byte < self._nesting.definitions[index].start:
                one = self._nesting.definitions[index]
                one.outer = node.start_byte if one.outer < 0 else min(one.outer, node.start_byte)
        default = self._captured.default
        if default is not None:
            name, line = self._captured.text(default), default.start_point[0] + 1
            found.append(Mark("export default", name[:200], line, NOWHERE))
        return found

    def _marked(self, node: Node, plain: bytearray) -> int:
        """The definition that a mark stands before, or that it is a part of."""
        after = bisect_left(self._nesting.starts, node.end_byte)
        if after < len(self._nesting.starts):
            between = plain[node.end_byte : min(self._nesting.starts[after], node.end_byte + MOST_BETWEEN)]
            if _BETWEEN.fullmatch(between):
                return after
        return self._nesting.innermost(node.start_byte)

    def _attach_comments(self) -> None:
        """The comment that ends on the line above is documentation; its first line is taken."""
        comments = self._captured.spans["comment"]
        # A comment that includes its line break ends at the beginning of the next line.
        ending = {node.end_point[0] - (not node.end_point[1]): node for node in comments}
        marks = {node.end_point[0]: node.start_point[0] for node in self._captured.marks}
        for one in self._nesting.definitions if ending else ():
            if not one.doc and not self._behind_code(head := _head(one)):
                found = self._topmost(head.start_point[0], ending, marks)
                one.doc = first_line(self._captured.text(found)) if found else ""

    def _topmost(self, row: int, ending: dict[int, Node], marks: dict[int, int]) -> Node | None:
        found = None
        while (above := row - 1) in ending or above in marks:
            if above in ending:
                if self._behind_code(ending[above]):
                    break
                found = ending[above]
                row = found.start_point[0]
            else:
                row = marks[above]
        return found

    def _behind_code(self, node: Node) -> bool:
        """Whether something else stands before a node on its line."""
        if not node.start_point[1]:
            return False
        line = self._captured.data.rfind(b"\n", 0, node.start_byte) + 1
        return bool(self.plain[line : node.start_byte].strip())


def _head(one: Definition) -> Node:
    """Where a definition begins with what belongs to it: `export`, `const`, `template`."""
    node, above = one.node, one.node.parent
    while above is not None and above.type in _HEADS:
        node, above = above, above.parent
    return node


def _blank_out(text: bytearray, node: Node) -> None:
    start, end = node.byte_range
    text[start:end] = _NOT_LINE_BREAK.sub(b" ", bytes(text[start:end]))


# -- which definition lies in which, and what that makes of their names


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
        # Of two that begin together, the outer one comes first.
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
