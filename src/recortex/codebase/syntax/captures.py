"""What a grammar's queries capture in a file, sorted by what it is."""

# ruff: noqa: TC004  annotations are not evaluated at run time

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.codebase.syntax.imports import imports_of
from recortex.codebase.syntax.wording import dotted
from recortex.domain.code_facts import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node, Range

    from recortex.codebase.syntax.grammars import Loaded
    from recortex.domain.code_facts import Import

MOST_SYMBOLS, MOST_CALLS = 10_000, 20_000
"""Of one file; more is left out, and the file is not whole."""
FIRST = 8
"""Parts of a function that are looked at for an error."""
MOST_INNER, DEEPEST_INNER = 300, 3
"""Bodies of macros of Rust that are read as code, and how deep they may lie in each other."""
MOST_OPEN = 256
"""Matches of patterns that are begun and not yet ended. Each costs time at every node; of 21,829 real files
one needs more than 64, none more than 128."""
_SPANS = frozenset(
    ["comment", "text", "block", "group", "bracket", "drop", "docstring", "base", "package", "inner"]
)
_PARTS = frozenset(
    ["name", "parameters", "receiver", "arguments", "variable", "of", "owner", "target", "required", "made"]
)
_WRAPPING = frozenset(
    [
        "pointer_declarator",
        "reference_declarator",
        "attributed_declarator",
        "parenthesized_declarator",
        "init_declarator",
    ]
)
_KEYWORDS = frozenset(["if", "else", "for", "while", "do", "switch", "return", "sizeof"])
"""What code of C looks like it defines where macros hide its form."""
_REFERENCE = re.compile(r"(?:&|'\w+|mut\b|dyn\b|\s)*")
"""Of Rust: what stands before the type that an `impl` is for."""
_NO_BODY = frozenset({"delete_method_clause", "default_method_clause"})
_IN_CODE = frozenset({"compound_statement", "for_statement", "case_statement"})

Captures = dict[str, "list[Node]"]


@dataclass(slots=True, eq=False)
class Definition:
    """A definition, or a scope without a symbol, while facts are put together.

    Attributes:
        start, end: its bytes; `outer` where its marks begin, -1 for the same.
        name: plain at first, then qualified.
        kind: of the symbol; `scope` and `scope.impl` only qualify what lies within.
        line: of the name, from 1.
        owner: what it says it belongs to, as a method of Go does.
        parent: the index of the definition that it lies in.
    """

    start: int
    end: int
    name: str
    kind: str
    line: int
    node: Node
    parameters: str = ""
    owner: str = ""
    parent: int = NOWHERE
    bases: list[str] = field(default_factory=list)
    doc: str = ""
    outer: int = -1

    @property
    def is_scope(self) -> bool:
        """Whether it is no symbol."""
        return self.kind.startswith("scope")


class Captured:
    """The captures of one file.

    Attributes:
        whole: nothing was left out, and all of it is code of the language.
        spans: nodes by what they are: comments, texts, blocks, docstrings, bases, the package.
        definitions: with scopes, as they were found.
        calls, bindings: with the captures of their parts.
        read: bytes from and to which bodies of macros were read as code.
        default: the name of what a module of JavaScript exports by default.
    """

    def __init__(
        self, loaded: Loaded, data: bytes, root: Node, parse: Callable[[Range], Node | None]
    ) -> None:
        from tree_sitter import QueryCursor

        self.data, self.language = data, loaded.grammar.language
        self.spans: dict[str, list[Node]] = defaultdict(list)
        self.definitions: list[Definition] = []
        self.calls: list[Captures] = []
        self.bindings: list[tuple[str, Captures]] = []
        self.marks: list[Node] = []
        self.default: Node | None = None
        self.imports: list[Import] = []
        self.read: list[tuple[int, int]] = []
        # No progress callback: tree-sitter 0.26.1 ends the process with it. The limit keeps the search short.
        cursor = QueryCursor(loaded.query, match_limit=MOST_OPEN)
        roots, exceeded = [root], False
        for _ in range(DEEPEST_INNER):
            for one in roots:
                for _, captures in cursor.matches(one):
                    self._take(next(iter(captures.keys() - _PARTS)), captures)
                exceeded |= cursor.did_exceed_match_limit
            roots = self._read_inner(parse)
        full = len(self.calls) >= MOST_CALLS or len(self.definitions) >= MOST_SYMBOLS
        self.whole = not (root.has_error or full or exceeded)

    def _read_inner(self, parse: Callable[[Range], Node | None]) -> list[Node]:
        """The bodies in braces of macros that are code by themselves, `cfg_if! { fn f() {} }`, as trees."""
        from tree_sitter import Range

        found = []
        for node in self.spans.pop("inner", ()):
            start, end = node.start_byte + 1, node.end_byte - 1
            if self.data[start - 1 : start] != b"{" or len(self.read) >= MOST_INNER:
                continue
            (row, column), last = node.start_point, node.end_point
            inner = parse(Range((row, column + 1), (last[0], max(0, last[1] - 1)), start, end))
            if inner is not None and inner.named_child_count and not inner.has_error:
                if not self.is_read(start):
                    insort(self.read, (start, end))
                found.append(inner)
        return found

    def is_read(self, place: int) -> bool:
        """Whether a byte lies in the body of a macro that was read as code."""
        index = bisect_right(self.read, (place, len(self.data))) - 1
        return index >= 0 and place < self.read[index][1]

    @property
    def _is_c(self) -> bool:
        return self.language in {"c", "cpp"}

    def text(self, node: Node) -> str:
        """The source of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _take(self, kind: str, captures: Captures) -> None:
        if kind in _SPANS:
            self.spans[kind] += captures[kind]
        elif kind.startswith("call"):
            if len(self.calls) < MOST_CALLS:
                self.calls.append(captures)
        elif kind == "import":
            self.imports += imports_of(captures[kind][0], self.data, self.language)
        elif kind == "mark":
            self.marks += captures[kind]
        elif kind == "default":
            self.default = captures["name"][0]
        elif kind.startswith("binding"):
            self.bindings.append((kind, captures))
        elif len(self.definitions) < MOST_SYMBOLS:
            self._define(kind, captures)

    def _define(self, kind: str, captures: Captures) -> None:
        node, name = captures[kind][0], captures.get("name")
        if kind == "declarator":
            widened = _widened(node)
            if widened is None:
                return
            kind, node = widened
            name = _behind_macro(node) or name
        plain = _plain_name(self.text(name[0]), self.language) if name else "default"
        if plain and not (kind in {"function", "declaration"} and plain in _KEYWORDS and self._is_c):
            parameters = captures.get("parameters")
            one = Definition(
                start=node.start_byte,
                end=node.end_byte,
                name=plain,
                kind=kind,
                line=(name[0] if name else node).start_point[0] + 1,
                node=node,
                parameters=self.text(parameters[0]) if parameters else "",
                owner=self._owner(captures),
            )
            self.definitions.append(one)

    def _owner(self, captures: Captures) -> str:
        if "owner" in captures:
            return dotted(self.text(captures["owner"][0]).lstrip("*& "))
        if "target" not in captures:
            return ""
        owner = self.text(captures["target"][0]).rpartition(".")[0].removesuffix(".prototype")
        return "" if owner in {"exports", "module.exports", "this"} else owner[:100]


def _widened(node: Node) -> tuple[str, Node] | None:
    """The function or prototype of a C declarator; None for what only looks like one, as in a body."""
    above = node.parent
    while above is not None and above.type in _WRAPPING:
        body = above.child_by_field_name("value") if above.type == "init_declarator" else None
        above = above.parent
        if body is not None and body.type == "initializer_list" and above is not None:
            return "function", above  # its statements look like values where all are macros
    if above is None:
        return None
    if above.type == "function_definition":
        return ("declaration" if above.named_children[-1].type in _NO_BODY else "function"), above
    if above.type in {"declaration", "field_declaration"}:
        around = above.parent
        return None if around is not None and around.type in _IN_CODE else ("declaration", above)
    return None


def _behind_macro(function: Node) -> list[Node] | None:
    """The name of a function of C with a macro behind its parameters, which looks like the function itself.

    The real one stands in an error before it, `void f() LOCKS(m) {}`.
    """
    for error in function.children[:FIRST]:
        for one in error.named_children[:FIRST] if error.is_error else ():
            if one.type in {"init_declarator", "function_declarator"}:
                name = one.child_by_field_name("declarator")
                return [name] if name is not None else None
    return None


def _plain_name(text: str, language: str) -> str:
    if text[:1] in {'"', "'"}:
        return text[1:-1] if text[1:-1].isidentifier() else ""
    if language == "rust":
        text = _REFERENCE.sub("", text, count=1)
        return dotted(text).rpartition(".")[2][:200]
    return dotted(text)[:200]
