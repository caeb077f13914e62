"""Facts of a file: what its grammar's queries capture, put together by where it stands.

Nothing here walks the tree: nesting, the symbol that a call stands in, and the comment above a definition
follow from positions, so that deep nesting costs no more than long files.
"""

from __future__ import annotations

import re
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.syntax.captures import Captured
from recortex.codebase.syntax.grammars import (
    LONGEST_RECEIVER,
    Tokens,
    arity,
    dotted,
    grammar_of,
    load,
    one_line,
    parted,
    plain_type,
    receiver,
    variable,
)
from recortex.codebase.syntax.surroundings import Nesting, Surroundings
from recortex.codebase.syntax.working_tree import LIMITS_SECONDS as SECONDS
from recortex.codebase.syntax.working_tree import (
    MANIFESTS,
    TOO_LONG,
    broken,
    is_rubble,
    is_too_deep,
    read_manifest,
    refusal,
)
from recortex.domain.code import CONTAINERS, NOWHERE, Binding, Call, FileFacts, Symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tree_sitter import Node, Point, Range, Tree

    from recortex.codebase.syntax.captures import Captures, Definition
    from recortex.codebase.syntax.grammars import Loaded


# -- code of C and C++ as its preprocessor may leave it, for files that the grammar cannot read as they stand


_MACRO = rb"[A-Z_][A-Z0-9_]{2,60}(?:\s?\([^(){}\n;]{0,200}\))?"
_BEFORE_NAME = re.compile(
    rb"\b(?:class|struct|union|enum(?:\sclass)?)\s{1,9}("
    + _MACRO
    + rb"\s{1,9}){1,3}(?=[A-Za-z_][\w:<>, ]{0,200}"
    rb"\s{0,200}[:{])"
)
"""`class API Name : Base {`."""
_BEHIND_PARAMETERS = re.compile(
    rb"\)(?:\s{1,200}(?:const|noexcept|override|final|volatile))*\s{0,200}("
    + _MACRO
    + rb"\s{0,200}){1,3}(?=\{)"
)
"""`void f(int one) const LOCKS(mutex) {`."""
_BEFORE_TYPE = re.compile(
    rb"^[ \t]{0,40}([A-Z][A-Z0-9_]{0,60}(?:API|EXPORT|EXTERN|INLINE|PUBLIC|LOCAL|NODISCARD|CONSTEXPR)"
    rb"_?)[ \t]{1,9}(?=[A-Za-z_:])",
    re.MULTILINE,
)
"""`API std::string f() {`."""
_ALONE = re.compile(
    rb"(?<=[{};:])(?:\s|//[^\n]{0,200}\n){0,200}?\n[ \t]{0,40}"
    rb"([A-Z][A-Z0-9_]{3,60}(?:\([^()\n]{0,200}\))?)[ \t]{0,9}(?=\r?\n)"
)
"""`Q_OBJECT` on a line of its own."""
_ACCESS = re.compile(
    rb"^[ \t]{0,40}(?:(?:public|private|protected)[ \t]{1,9}((?:Q_)?(?:slots|SLOTS))"
    rb"|((?:Q_)?(?:signals|SIGNALS)[ \t]{0,9}:))(?=[ \t]{0,9}:|[ \t]{0,9}\r?\n)",
    re.MULTILINE,
)
"""`public slots:`, `signals:`."""
_STATEMENT = re.compile(rb"\s*(?:\}\s*)?(?:else\s+)?(?:if|while|for|switch|return)\b")
_C_MACROS_TOKEN = re.compile(
    rb"//[^\n]*|/\*(?:.*?\*/|.*)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{}]"
    rb"|^[ \t]*\#[ \t]*(if|elif|else|endif)?(?:[^\n\\]|\\.)*",
    re.DOTALL | re.MULTILINE,
)
_FIRST = re.compile(_MACRO)
_ASIDE = re.compile(rb"//[^\n]*|/\*(?:.*?\*/|.*)|^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE)
LONGEST_BRANCH = 2_000
"""Bytes of a branch of an `#if` that may be a part of a statement."""
_C_MACROS_SPACE = re.compile(rb"[^\n]")


def readable(data: bytes) -> bytes:
    """The file with spaces for what hides its form; as long, with the same lines."""
    found = bytearray(data)
    for start, end in [*_conditions(data), *_annotations(data)]:
        found[start:end] = _C_MACROS_SPACE.sub(b" ", data[start:end])
    return bytes(found)


# -- macros that annotate


def _annotations(data: bytes) -> Iterator[tuple[int, int]]:
    for pattern in (_BEFORE_NAME, _BEHIND_PARAMETERS):
        for found in pattern.finditer(data):
            line = data.rfind(b"\n", 0, found.start()) + 1
            first = _FIRST.search(data, found.start(), found.end())
            if first and not (
                pattern is _BEHIND_PARAMETERS and _STATEMENT.match(data, line, found.start() + 1)
            ):
                yield first.start(), found.end()
    for pattern in (_BEFORE_TYPE, _ALONE, _ACCESS):
        yield from (found.span(found.lastindex or 0) for found in pattern.finditer(data))


# -- branches of `#if` that are no statements by themselves


class _Branch(NamedTuple):
    """From its directive on.

    Attributes:
        unpaired: places of its braces that have no partner in it.
    """

    start: int
    end: int
    unpaired: list[int]


def _conditions(data: bytes) -> Iterator[tuple[int, int]]:
    """Directives, and branches but the first, where one opens a brace or ends within a statement."""
    open_: list[list[_Branch]] = []
    for found in _C_MACROS_TOKEN.finditer(data):
        if found[0] in {b"{", b"}"}:
            if open_:
                _pair(open_[-1][-1].unpaired, found.start(), data)
        elif found[1] == b"if":
            open_.append([_Branch(*found.span(), [])])
        elif found[1] in {b"elif", b"else"} and open_:
            open_[-1].append(_Branch(*found.span(), []))
        elif found[1] == b"endif" and open_:
            branches = [*open_.pop(), _Branch(*found.span(), [])]
            if _is_torn(data, branches):
                yield branches[0].start, branches[0].end
                yield branches[1].start, branches[-1].end
            for place in branches[0].unpaired if open_ else ():
                _pair(open_[-1][-1].unpaired, place, data)


def _pair(unpaired: list[int], place: int, data: bytes) -> None:
    if data[place] == ord("}") and unpaired and data[unpaired[-1]] == ord("{"):
        unpaired.pop()
    else:
        unpaired.append(place)


def _is_torn(data: bytes, branches: list[_Branch]) -> bool:
    first, second = branches[:2]
    if any(one.unpaired for one in branches):
        return len({len(one.unpaired) for one in branches[:-1]}) == 1 or len(branches) == 2  # noqa: PLR2004
    if second.start - first.end > LONGEST_BRANCH or b"{" in data[second.start : branches[-1].end]:
        return False
    said = _ASIDE.sub(b"", data[first.end : second.start]).rstrip()
    return bool(said) and said[-1:] not in b";}:\\" and not said.endswith(b",")


# -- long runs of code that nothing ends: the parser may take the square of their length in time and memory


LONGEST = 1_500
"""Tokens of a run that is parsed as it is: at worst 0.2 s and 150 MB."""
BEGINNING = 500
"""Tokens of a longer one that are parsed first."""
MOST_ERRORS = 75
"""In these. Of 37,000 real files one that is code has more than 8, in a text: 52; hostile ones have over 100
(bench/code_fuzz.py)."""
CLOSINGS = (b"", b'\n"""', b"\n'''", b"`", b"*/", b'"', b"'", b'"#')
"""What a beginning may need behind it, where it is cut in a text."""
_TOKEN = re.compile(rb"\"[^\"\n]*\"|'[^'\n]*'|\w+|[^\w\s]")
_END = re.compile(rb"(?<=[\w\x80-\xff\"'`(\[{])\s*[,;)\]}]")
"""A sign that ends something: behind an operator it is an error like others."""
_SPACE = b" \t\r\n"
_KINDS = bytes(
    ord(";")
    if one in b",;)]}"
    else ord("a")
    if re.match(rb"[\w\x80-\xff\"'`(\[{]", bytes([one]))
    else ord("-")
    for one in range(256)
)


def long_runs(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each long run begins, and where its beginning ends: behind a line, if there is one."""
    # Most files have no long run, which their signs alone tell.
    if max(map(len, data.translate(_KINDS, _SPACE).split(b"a;"))) < LONGEST:
        return
    start = 0
    for end in (*(found.end() for found in _END.finditer(data)), len(data)):
        if end - start > LONGEST and (cut := _cut(data, start, end)):
            yield start, cut
        start = end


def _cut(data: bytes, start: int, end: int) -> int:
    """Where the beginning of a run ends; 0 where the run is not long."""
    kept = 0
    for count, token in enumerate(_TOKEN.finditer(data, start, end), 1):
        if count == BEGINNING:
            kept = token.end()
        if count > LONGEST:
            line = data.find(b"\n", kept, min(kept + LONGEST, end))
            return line if line >= 0 else kept
    return 0


def errors(root: Node, start: int) -> int:
    """How many errors there are from a place on."""
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        count += (node.is_error or node.is_missing) and node.start_byte >= start
        waiting += [child for child in node.children if child.has_error and child.end_byte > start]
    return count


# -- whether other files may use a definition, as far as its own file says


_PRIVATE_MEMBER = re.compile(rb"(?:(?:static|async|readonly|get|set)\s+)*(?:private\b|protected\b|#|_)")
_OPEN = re.compile(r"\b(?:public|protected|internal)\b")
_CLOSED = re.compile(r"\b(?:private|protected)\b")
_BEFORE = 200  # bytes of the line before a definition in which `export` may stand


def exported(one: Definition, parent: Definition | None, head: str, data: bytes, language: str) -> bool:
    """Whether other files may use it.

    Args:
        one: the definition.
        parent: what it lies in.
        head: its signature.
        data: the file.
        language: of its facts.
    """
    if language in {"javascript", "typescript"}:
        if parent is not None and parent.kind in CONTAINERS:
            return _PRIVATE_MEMBER.match(data, one.start) is None
        if one.owner or one.node.type == "assignment_expression":
            return True
        line = data.rfind(b"\n", 0, one.start) + 1
        return b"export" in data[max(line, one.start - _BEFORE) : one.start]
    if language in {"java", "csharp"}:
        in_interface = parent is not None and parent.kind == "interface"
        return in_interface or _OPEN.search(head) is not None
    return _BY_HEAD[language](one.name.rpartition(".")[2], head)


def _python(plain: str, _: str) -> bool:
    return not plain.startswith("_") or (plain.startswith("__") and plain.endswith("__"))


_BY_HEAD: dict[str, Callable[[str, str], bool]] = {
    "python": _python,
    "go": lambda plain, _: plain[:1].isupper(),
    "rust": lambda _, head: head.startswith("pub"),
    "php": lambda _, head: _CLOSED.search(head) is None,
    "c": lambda _, head: not head.startswith(("static ", "inline static ")),
    "cpp": lambda _, head: not head.startswith(("static ", "inline static ")),
}


# -- facts of a file: what its grammar's queries capture, put together by where it stands


_TELLING = re.compile(r"/[\w./:{}<>*()\[\]?+$~-]{0,200}|[A-Z][A-Z0-9_]{2,60}|[a-z][a-z_]{1,40}")
"""A route, the name of a variable of the environment, or a plain word such as that of a table."""
_RECEIVER = re.compile(rb"(?<![\w$#.:)\]?])((?:[A-Za-z_]\w*(?:::|\.))*[A-Za-z_]\w*)(?:::|\.)$")
_NO_CALL = re.compile(rb"(?:\bfn\s+|[$#'])$")
_LONGEST_TEXT = 2_000
_CHUNK = 65_536
_LONGEST_HEAD = 600
_WITH_PARAMETERS = frozenset({"function", "method", "macro", "declaration"})
_BUILTIN = frozenset(
    ["str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple", "frozenset", "object"]
)
"""Types of Python that are written small; another small word that is called is taken for a function."""
_VALUE = re.compile(r"""(?<!__tablename__ )(=\s*[rbfuRBFU]{0,2})(["'`]).*?(?:\2|$)""")
"""A text that is assigned, in a signature: it may be a password, and is not kept, but for a table's name."""
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|(?<=[,(\s])#[^\n\[]*(?=\n)", re.DOTALL)


def read_facts(path: str, data: bytes) -> FileFacts | None:
    """The facts of a file; None where it is of no language of ours.

    Args:
        path: its name decides about the language, and may say that it was generated.
        data: its bytes.

    Raises:
        GrammarError: the grammar cannot be used.
    """
    if (name := path.rpartition("/")[2]) in MANIFESTS:
        return read_manifest(name, data)
    grammar = grammar_of(path, data)
    if grammar is None:
        return None
    if why := refusal(path, data):
        return FileFacts(grammar.language, skipped=why, whole=False)
    loaded = load(grammar.name)
    until = thread_time() + SECONDS
    tree, why = _checked(loaded, data, until)
    if tree is None:
        return FileFacts(grammar.language, skipped=why, whole=False)
    # A second parse takes as long as the first, and only these languages have a preprocessor.
    if tree.root_node.has_error and grammar.language in {"c", "cpp"}:
        tree = _without_macros(loaded, data, tree, until)

    def inner(part: Range) -> Node | None:
        found = _parsed(loaded, data, until, [part])
        return found.root_node if found is not None else None

    return _facts(Captured(loaded, data, tree.root_node, inner))


def _checked(loaded: Loaded, data: bytes, until: float) -> tuple[Tree | None, str]:
    """The tree of a file; None, and why, where it takes too long or is no code."""
    if not all(_is_code(loaded, data[:end], start, until) for start, end in long_runs(data)):
        return None, "no code of its language"
    tree = _parsed(loaded, data, until)
    if tree is None:
        return None, TOO_LONG
    if tree.root_node.has_error and is_rubble(tree.root_node):
        return None, "no code of its language"
    return (None, "nested too deeply") if is_too_deep(tree.root_node) else (tree, "")


def _is_code(loaded: Loaded, beginning: bytes, start: int, until: float) -> bool:
    """Whether a file up to the middle of a long run has few errors in the run."""
    trees = (_parsed(loaded, beginning + closing, until) for closing in CLOSINGS)
    return any(tree is not None and errors(tree.root_node, start) <= MOST_ERRORS for tree in trees)


def _without_macros(loaded: Loaded, data: bytes, tree: Tree, until: float) -> Tree:
    """The tree of a file of C without macros that hide its form, if less of that is no code."""
    plain = readable(data)
    again = _parsed(loaded, plain, until) if plain != data else None
    if again is None or is_too_deep(again.root_node):
        return tree
    if again.root_node.has_error and is_rubble(again.root_node):
        return tree
    return again if broken(again.root_node) < broken(tree.root_node) else tree


def _parsed(loaded: Loaded, data: bytes, until: float, parts: Sequence[Range] = ()) -> Tree | None:
    from tree_sitter import Parser

    def late(*_: object) -> bool:
        return thread_time() > until

    def read(offset: int, _: Point) -> bytes:
        return data[offset : offset + _CHUNK]

    try:
        parser = Parser(loaded.language, included_ranges=parts) if parts else Parser(loaded.language)
        return parser.parse(read, progress_callback=late)
    except ValueError:  # stopped
        return None


def _facts(captured: Captured) -> FileFacts:
    nesting = Nesting(captured)
    around = Surroundings(captured, nesting)
    plain = bytes(around.plain)
    wanted = ("docstring", "text", "block", "group", "bracket", "drop")
    spans = {name: [node.byte_range for node in captured.spans[name]] for name in wanted}
    cuts = {place for one in nesting.definitions for place in (one.start, one.end, max(one.outer, 0))}
    tokens = Tokens(
        plain,
        captured.language,
        dropped=spans["docstring"],
        literals=set(spans["text"]) - set(spans["docstring"]) - set(spans["bracket"]),
        blocks=spans["block"],
        groups=set(spans["group"]),
        brackets=[*spans["bracket"], *spans["drop"]],
        cuts=cuts,
    )
    packages = captured.spans["package"]
    return FileFacts(
        language=captured.language,
        module=dotted(captured.text(packages[0]))[:200] if packages else "",
        whole=captured.whole and nesting.whole,
        symbols=tuple(_symbol(one, captured, nesting, tokens) for one in nesting.definitions),
        imports=tuple(captured.imports),
        calls=tuple(_calls(captured, nesting)),
        bindings=tuple(dict.fromkeys(_bindings(captured, nesting))),
        marks=tuple(around.marks),
        lines=tokens.lines(),
    )


def _symbol(one: Definition, captured: Captured, nesting: Nesting, tokens: Tokens) -> Symbol:
    data, node = captured.data, one.node
    # Where the body of a definition begins; its end where it has none.
    body = one.node.child_by_field_name("body")
    for name in ("value", "right", "type") if body is None else ():
        inner = one.node.child_by_field_name(name)
        if inner is not None and body is None:
            body = inner.child_by_field_name("body")
    end = body.start_byte if body is not None else min(one.end, one.start + _LONGEST_HEAD)
    brace = tokens.text.find(b"{", one.start, end) if one.kind in CONTAINERS else -1
    head = one_line(tokens.text[one.start : (brace if brace >= 0 else end)].decode("utf-8", "replace"))
    head = _VALUE.sub(r"\1…", head.rstrip(" {:=>;"))
    parent = nesting.definitions[one.parent] if one.parent != NOWHERE else None
    parameters = _COMMENT.sub(" ", one.parameters)
    return Symbol(
        name=one.name,
        kind=one.kind,
        arity=arity(parameters) if parameters else 0 if one.kind in _WITH_PARAMETERS else -1,
        signature=head,
        doc=one.doc,
        first=node.start_point[0] + 1 if one.outer < 0 else data.count(b"\n", 0, one.outer) + 1,
        line=one.line,
        # What ends at the very beginning of a line does not reach into it.
        last=node.end_point[0] + (1 if node.end_point[1] else 0),
        parent=one.parent,
        hash=tokens.hash(one.start if one.outer < 0 else one.outer, one.end, one.name.rpartition(".")[2]),
        exported=exported(one, parent, head, data, captured.language),
        bases=tuple(filter(None, one.bases)),
    )


def _calls(captured: Captured, nesting: Nesting) -> Iterator[Call]:
    for captures in captured.calls:
        if "call.token" in captures:
            yield from _in_tokens(captured, captures, nesting)
            continue
        macro = "call.macro" in captures
        node = captures["call.macro" if macro else "call"][0]
        before, name = parted(captured.text(captures["name"][0]))
        on, arguments = captures.get("receiver"), captures.get("arguments")
        if name and (name[0].isalpha() or name[0] in "_$#~"):
            yield Call(
                name=(name + "!" if macro else name)[:100],
                receiver=receiver(captured.text(on[0]) if on else before),
                line=captures["name"][0].start_point[0] + 1,
                caller=nesting.innermost(node.start_byte),
                arguments=arguments[0].named_child_count if arguments else 0,
                argument=_telling(captured, arguments[0]) if arguments else "",
            )


def _in_tokens(captured: Captured, captures: Captures, nesting: Nesting) -> Iterator[Call]:
    """A call in what is given to a macro of Rust, which the grammar leaves as tokens: `assert!(a.b(c))`."""
    node, arguments, data = captures["name"][0], captures["arguments"][0], captured.data
    start, end = node.start_byte, node.end_byte
    if end != arguments.start_byte or data[end : end + 1] != b"(":
        return
    caller, head = nesting.innermost(start), data[max(0, start - LONGEST_RECEIVER) : start]
    in_macro = caller != NOWHERE and nesting.definitions[caller].kind == "macro"
    if in_macro or captured.is_read(start) or _NO_CALL.search(head):
        return
    on = _RECEIVER.search(head)
    unknown = "…" if head.endswith((b".", b"::")) else ""
    signs = [child for child in arguments.children[1:-1] if child.type == ","]
    yield Call(
        name=captured.text(node)[:100],
        receiver=on[1].decode("utf-8", "replace") if on else unknown,
        line=node.start_point[0] + 1,
        caller=caller,
        arguments=len(signs) + (arguments.child_count > 2),  # noqa: PLR2004
    )


def _telling(captured: Captured, arguments: Node) -> str:
    """The first argument of a call, if it is a text that says what the call is about; no other text."""
    first = next(iter(arguments.named_children), None)
    while first is not None and first.type == "argument":
        first = next(iter(first.named_children), None)
    if first is None or "string" not in first.type:
        return ""
    text = captured.text(first)[:_LONGEST_TEXT].strip("\"'`")
    return text if _TELLING.fullmatch(text) else ""


def _bindings(captured: Captured, nesting: Nesting) -> Iterator[Binding]:
    for kind, captures in captured.bindings:
        node = captures["variable"][0]
        name, written = variable(captured.text(node)), plain_type(captured.text(captures["of"][0]))
        if not written or len(name) > LONGEST_RECEIVER:
            continue
        if captured.language == "python" and (
            written.rpartition(".")[2].lstrip("_")[:1].islower() and written not in _BUILTIN
        ):
            continue
        yield from _places(kind, name, written, node, nesting)


def _places(kind: str, name: str, written: str, node: Node, nesting: Nesting) -> Iterator[Binding]:
    """A binding in each scope in which it counts: a field counts in its class."""
    index = nesting.innermost(node.start_byte)
    if name.startswith("self."):
        yield Binding(name, written, nesting.type_around(index))
        return
    if kind in {"binding.field", "binding.promoted"}:
        yield Binding(f"self.{name.lstrip('$')}", written, nesting.type_around(index))
    if kind != "binding.field":
        yield Binding(name, written, index)
