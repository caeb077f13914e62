"""What a grammar's queries capture in a file, sorted by what it is."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from recortex.codebase.grammars import docstring, dotted, first_line, mark, without_generics
from recortex.domain.code import CONTAINERS, NOWHERE, Import, Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tree_sitter import Node, Range  # noqa: TC004  annotations are not evaluated

    from recortex.codebase.grammars import Loaded


# -- what the import statements of each language bind


MOST_NAMES = 500  # of one statement
_RUST_ITEM = re.compile(r"\s*([^{},]*?)\s*(?:([{},])|$)")
_QUOTED = re.compile(r"""["'`]([^"'`\n]*)["'`]""")
_GO_VERSION = re.compile(r"/v\d+$")


def imports_of(node: Node, data: bytes, language: str) -> list[Import]:
    """The names that a statement takes from elsewhere.

    Args:
        node: the statement.
        data: the file.
        language: of its facts.
    """
    line = node.start_point[0] + 1
    names = islice(_READERS[language](node, data), MOST_NAMES)
    return [Import(module[:300], name[:200], alias[:200], line) for module, name, alias in names]


def _text(node: Node | None, data: bytes) -> str:
    # A node's own text goes back to the parser's reader: ten times slower.
    return "" if node is None else data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _named(node: Node, *kinds: str) -> list[Node]:
    return [child for child in node.named_children if child.type in kinds]


def _python(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    source = node.child_by_field_name("module_name")
    module = "__future__" if node.type == "future_import_statement" else _text(source, data)
    if node.type == "import_statement":
        for one in node.children_by_field_name("name"):
            if one.type == "aliased_import":
                yield (
                    _text(one.child_by_field_name("name"), data),
                    "",
                    _text(one.child_by_field_name("alias"), data),
                )
            else:
                yield _text(one, data), "", _text(one, data).partition(".")[0]
        return
    if _named(node, "wildcard_import"):
        yield module, "*", ""
    for one in node.children_by_field_name("name"):
        if one.type == "aliased_import":
            yield (
                module,
                _text(one.child_by_field_name("name"), data),
                _text(one.child_by_field_name("alias"), data),
            )
        else:
            yield module, _text(one, data), _text(one, data)


def _ecma(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    if node.type == "variable_declarator":
        yield from _required(node, data)
        return
    module = _source(node, data)
    if module is None:
        return
    clauses = _named(node, "import_clause", "export_clause", "namespace_export", "import_require_clause")
    if not clauses:
        yield module, "*" if node.type == "export_statement" else "", ""
    for clause in clauses:
        yield from _clause(clause, module, data)


def _source(node: Node, data: bytes) -> str | None:
    found = node.child_by_field_name("source")
    if found is None:
        clauses = _named(node, "import_require_clause")
        found = clauses[0].child_by_field_name("source") if clauses else None
    return _text(found, data)[1:-1] if found is not None else None


def _clause(clause: Node, module: str, data: bytes) -> Iterator[tuple[str, str, str]]:
    if clause.type == "namespace_export":
        yield module, "", _text(clause.named_children[0], data) if clause.named_children else ""
        return
    parts = [clause] if clause.type == "export_clause" else clause.named_children
    for part in parts:
        if part.type == "identifier":
            whole = clause.type == "import_require_clause"
            yield module, "" if whole else "default", _text(part, data)
        elif part.type == "namespace_import":
            yield module, "", _text(part.named_children[0], data)
        elif part.type in {"named_imports", "export_clause"}:
            for one in _named(part, "import_specifier", "export_specifier"):
                name, alias = _text(one.child_by_field_name("name"), data), one.child_by_field_name("alias")
                yield module, name, _text(alias, data) or name


def _required(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    """`const x = require("m")`, `const { a, b: c } = await import("m")`."""
    quoted = _QUOTED.search(_text(node.child_by_field_name("value"), data))
    target = node.child_by_field_name("name")
    if quoted is None or target is None:
        return
    if target.type == "identifier":
        yield quoted[1], "", _text(target, data)
    for one in target.named_children:
        if one.type == "shorthand_property_identifier_pattern":
            yield quoted[1], _text(one, data), _text(one, data)
        elif one.type == "pair_pattern":
            yield (
                quoted[1],
                _text(one.child_by_field_name("key"), data),
                _text(one.child_by_field_name("value"), data),
            )


def _java(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    paths = _named(node, "scoped_identifier", "identifier")
    if not paths:
        return
    path = "".join(_text(paths[0], data).split())
    if _named(node, "asterisk"):
        yield path, "*", ""
    else:
        module, _, name = path.rpartition(".")
        yield module, name, name


def _csharp(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    alias = _text(node.child_by_field_name("name"), data)
    paths = [one for one in node.named_children if _text(one, data) != alias or not alias]
    if not paths:
        return
    path = "".join(_text(paths[-1], data).split())
    if alias:
        module, _, name = path.rpartition(".")
        yield module, name, alias
    else:
        yield path, "*", ""


def _php(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    if node.type != "namespace_use_declaration":
        quoted = _QUOTED.search(_text(node, data))
        if quoted:
            yield quoted[1], "*", ""
        return
    group = node.child_by_field_name("body")
    prefix = _text(_named(node, "namespace_name")[0], data) + "\\" if group is not None else ""
    for one in _named(group if group is not None else node, "namespace_use_clause"):
        names = [child for child in one.named_children if child.type in {"name", "qualified_name"}]
        if not names:
            continue
        alias = _text(one.child_by_field_name("alias"), data)
        module, _, name = (prefix + _text(names[0], data)).strip("\\").rpartition("\\")
        yield module.replace("\\", "."), name, alias or name


def _go(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    path = _text(node.child_by_field_name("path"), data)[1:-1]
    name = node.child_by_field_name("name")
    if name is None:
        # By convention a package is called as the end of its path, without a version or `go-`.
        last = _GO_VERSION.sub("", path).rpartition("/")[2]
        yield path, "", last.removeprefix("go-").partition(".")[0]
    elif name.type == "dot":
        yield path, "*", ""
    else:
        yield path, "", "" if name.type == "blank_identifier" else _text(name, data)


def _rust(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    if node.type == "mod_item":
        name = _text(node.child_by_field_name("name"), data)
        yield "self", name, name
        return
    if node.type == "extern_crate_declaration":
        name = _text(node.child_by_field_name("name"), data)
        yield name, "", _text(node.child_by_field_name("alias"), data) or name
        return
    # `a::{b::{c, d as e}, self, f::*}`, read without recursion.
    text = _text(node.child_by_field_name("argument"), data)
    prefixes, prefix = [], ""
    for item, sign in _RUST_ITEM.findall(re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)):
        if sign == "{":
            prefixes.append(prefix)
            prefix += item
            continue
        if item:
            yield _rust_item(prefix, item)
        if sign == "}" and prefixes:
            prefix = prefixes.pop()


def _rust_item(prefix: str, item: str) -> tuple[str, str, str]:
    path, _, alias = (part.strip() for part in item.partition(" as "))
    whole = (prefix + path).removeprefix("::")
    if whole.endswith("::self"):
        whole = whole.removesuffix("::self")
        module, _, name = whole.rpartition("::")
        return module or whole, name if module else "", alias or name
    module, _, name = whole.rpartition("::")
    if name == "*":
        return module, "*", ""
    return (module, name, alias or name) if module else (name, "", alias or name)


def _c_family(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    if node.type == "preproc_include":
        path = _text(node.child_by_field_name("path"), data)
        yield path.strip('"') if path.startswith('"') else path, "*", ""
        return
    names = _named(node, "identifier", "qualified_identifier")
    if not names:
        return
    path = "".join(_text(names[0], data).split())
    if any(child.type == "namespace" for child in node.children):
        yield path, "*", ""
    else:
        module, _, name = path.rpartition("::")
        yield module, name, name


_READERS: dict[str, Callable[[Node, bytes], Iterator[tuple[str, str, str]]]] = {
    "python": _python,
    "javascript": _ecma,
    "typescript": _ecma,
    "java": _java,
    "csharp": _csharp,
    "php": _php,
    "go": _go,
    "rust": _rust,
    "c": _c_family,
    "cpp": _c_family,
}


# -- what a grammar's queries capture in a file, sorted by what it is


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
            # `vec![…]` and `assert!(…)` hold expressions, of which calls are read as tokens.
            if self.data[start - 1 : start] != b"{" or len(self.read) >= MOST_INNER:
                continue
            (row, column), last = node.start_point, node.end_point
            inner = parse(Range((row, column + 1), (last[0], max(0, last[1] - 1)), start, end))
            # What does not parse may be a language of the macro's own.
            if inner is not None and inner.named_child_count and not inner.has_error:
                if not self.is_read(start):
                    insort(self.read, (start, end))
                found.append(inner)
        return found

    def is_read(self, place: int) -> bool:
        """Whether a byte lies in the body of a macro that was read as code."""
        index = bisect_right(self.read, (place, len(self.data))) - 1
        return index >= 0 and place < self.read[index][1]

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
        if plain and not (
            kind in {"function", "declaration"} and plain in _KEYWORDS and self.language in {"c", "cpp"}
        ):
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


# -- what stands around definitions: comments and docstrings, decorators and attributes, bases


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
