"""What is known of a project's code: facts of single files, what it is built with, how it is written."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.domain.text import lazy
from recortex.lean import Value

if TYPE_CHECKING:
    from collections.abc import Sequence


# -- what is known of a file of code from its text alone: symbols, imports, calls, marks


NOWHERE = -1
"""The index of a symbol that there is none of: code that stands outside of every definition."""

CONTAINERS = frozenset({"class", "interface", "struct", "enum", "trait", "module"})
"""Kinds of symbols whose functions are methods."""
CALLABLE = frozenset({"function", "method", "macro"})
"""Kinds of symbols that a call can mean; a class is called where it is made an object of."""


class Symbol(NamedTuple):
    """A definition.

    Attributes:
        name: qualified within its file, with dots in every language: `Store.open`.
        kind: class, interface, struct, enum, trait, module, type, function, method, property, constant, macro
            or declaration (a prototype, whose definition is elsewhere).
        arity: parameters that are declared, the instance not counted; -1 where it takes none by its kind.
        signature: its head on one line, cut at 200 characters.
        doc: the first line of its docstring or documentation comment.
        first, last: its lines, from 1; `first` includes decorators and attributes.
        line: where its name stands.
        parent: the index of the symbol that it is defined in, or `NOWHERE`.
        hash: of its tokens without comments, documentation and layout, and without its own name: BLAKE3, 16
            bytes in hexadecimal.
        exported: whether other files may use it, as far as its own file says.
        bases: what a class extends and implements, as written.
    """

    name: str
    kind: str
    arity: int
    signature: str
    doc: str
    first: int
    line: int
    last: int
    parent: int
    hash: str
    exported: bool
    bases: tuple[str, ...] = ()

    @property
    def plain(self) -> str:
        """Its name without what it belongs to."""
        return self.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The qualified name of what it belongs to; that may be defined elsewhere, as of a Go method."""
        return self.name.rpartition(".")[0]


class Import(NamedTuple):
    """A name that a file takes from elsewhere.

    Attributes:
        module: as written, `.` and `..` and quotes' inside included; `<stdio.h>` keeps its brackets.
        name: of that module; empty: the module itself; `*`: all that it has.
        alias: what it is called in the file; empty where nothing is bound.
        line: where it stands, from 1.
    """

    module: str
    name: str
    alias: str
    line: int


class Call(NamedTuple):
    """A call as written; what it calls is not known yet.

    Attributes:
        name: of the function, without its receiver.
        receiver: the text before the last dot, arrow or `::`, on one line; empty where there is none, `…`
            where it is long.
        line: from 1.
        caller: the index of the symbol that it stands in, or `NOWHERE`.
        arguments: how many are given.
        argument: the first that is a literal text, such as a route or a table, without quotes.
    """

    name: str
    receiver: str
    line: int
    caller: int
    arguments: int
    argument: str = ""


class Binding(NamedTuple):
    """A variable, parameter or field whose type is written down.

    Attributes:
        name: of the variable; of a field of the instance with `self.` before it.
        type: as written.
        scope: the index of the symbol in which it counts.
    """

    name: str
    type: str
    scope: int


class Mark(NamedTuple):
    """A decorator, an attribute or an annotation; or, named `export default`, what a module exports so.

    Attributes:
        name: with what it is taken from, `app.get`.
        argument: its first text, without quotes; empty where there is none.
        line: from 1.
        symbol: the index of the symbol that it stands at, or `NOWHERE`.
    """

    name: str
    argument: str
    line: int
    symbol: int


class FileFacts(NamedTuple):
    """All facts of a file.

    Attributes:
        language: one of the ten, TSX is typescript; or manifest, whose module is the name that it gives its
            folder, and whose imports are what that depends on.
        module: the package or namespace that the whole file says it belongs to; with dots.
        whole: whether all of it could be read; otherwise there are places that are no code of the language.
        skipped: why nothing was read; empty: it was.
        lines: two bytes for each line, of its tokens without comments and layout; zeros where it has none.
    """

    language: str
    module: str = ""
    whole: bool = True
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    bindings: tuple[Binding, ...] = ()
    marks: tuple[Mark, ...] = ()
    skipped: str = ""
    lines: bytes = b""


def innermost(facts: FileFacts, line: int) -> Symbol | None:
    """The smallest definition that a line lies in; None where it lies in none."""
    around = [one for one in facts.symbols if one.first <= line <= one.last]
    return min(around, key=lambda one: (one.last - one.first, -one.first), default=None)


# -- what a project is built with and how it is written: manifests, detected libraries, conventions


Certainty = Literal["certain", "likely", "possible"]
"""`certain`: what is said stands in the text. `likely`: it follows by a rule that seldom fails. `possible`: a
reader should look."""


class Place(NamedTuple):
    """Where something stands.

    Attributes:
        path: of the file, from the project's root, with slashes.
        line: from 1; 0: the whole file.
        name: of the symbol or the text there; may be empty.
    """

    path: str
    line: int
    name: str = ""


class Dependency(NamedTuple):
    """A library that a manifest names.

    Attributes:
        name: as its registry has it: `@nestjs/core`, `org.hibernate:hibernate-core`.
        version: as written; empty: none is.
        line: of the manifest, from 1.
        indirect: whether it is only needed by another library.
    """

    name: str
    version: str
    line: int
    indirect: bool = False


class Manifest(NamedTuple):
    """A file that says which libraries a project uses.

    Attributes:
        path: from the project's root, with slashes.
        ecosystem: npm, pypi, go, cargo, maven, nuget, composer or cpp.
        dependencies: in the order of the file.
        problem: why it could not be read, or not whole; empty: it was.
    """

    path: str
    ecosystem: str
    dependencies: tuple[Dependency, ...] = ()
    problem: str = ""


class Route(NamedTuple):
    """An address that a project answers.

    Attributes:
        method: GET, POST …; ANY where none is said.
        address: as written, with what the class around it says before it.
        place: where it is declared; the name is the handler's, where facts have it.
    """

    method: str
    address: str
    place: Place


class Table(NamedTuple):
    """A table, collection or model of a database.

    Attributes:
        name: as written.
        place: where it is named; the name is the symbol's around it.
    """

    name: str
    place: Place


class Detected(NamedTuple):
    """A library or practice that a project uses: its manifest says so, and so does its code.

    Attributes:
        name: of the framework, ORM or practice.
        kind: framework, orm or practice.
        category: of a practice, one of fifteen (`api`, `auth` …); otherwise the kind.
        version: as the manifest has it; may be empty.
        manifest: the line that names it; None: it needs none, as of a standard library.
        imports: how many files outside of tests import it.
        uses: how many calls, marks, base classes or files of its own form there are.
        routes, tables: what those say.
    """

    name: str
    kind: str
    category: str
    version: str
    manifest: Place | None
    imports: int
    uses: int
    routes: tuple[Route, ...] = ()
    tables: tuple[Table, ...] = ()


class Convention(NamedTuple):
    """A property that nearly all members of a population share.

    Attributes:
        population: what was counted: `handlers in src/api`.
        trait: what was looked at: `return`, `mark`, `suffix` …
        value: what they share.
        statement: an English sentence with the numbers and the exceptions.
        support: how many have it, at least five.
        total: how many were counted.
        exceptions: those that do not.
        information: bits, above all how much more often it is found here than elsewhere; for ranking.
        certainty: `certain` where nothing had to be guessed about who belongs to the population.
        id: the same in every run, whatever the numbers are; memories are linked to it.
        name: the statement without numbers: `FastAPI handlers return `Result``.
        language: of the facts.
        values: what they share, one by one.
    """

    population: str
    trait: str
    value: str
    statement: str
    support: int
    total: int
    exceptions: tuple[Place, ...] = ()
    information: float = 0.0
    certainty: Certainty = "certain"
    id: str = ""
    name: str = ""
    language: str = ""
    values: tuple[str, ...] = ()

    @property
    def agreement(self) -> float:
        """The share that has it, 0 to 1."""
        return self.support / self.total


# -- the definition that a line lies in: by facts of the file, or by its words and indentation


_MODIFIERS = (
    "export default public private protected internal static final abstract async unsafe override virtual"
    " sealed partial inline const extern open data suspend pub get set"
)
_KEYWORDS = "def class func fn function interface struct enum trait impl type module namespace record object"
_AFTER = rf"(?:(?:{_MODIFIERS.replace(' ', '|')})(?:\([\w: ]{{1,40}}\))?\s+)*"
_NAME = r"[A-Za-z_$][\w$]*"
_DEFINES = lazy(
    rf"\s*{_AFTER}(?:{_KEYWORDS.replace(' ', '|')})\*?\s+(?:\([^)]{{0,200}}\)\s*)?(?P<name>{_NAME})"
    rf"|\s*{_AFTER}(?:let|var|val|const)\s+(?P<bound>{_NAME})\s*(?::[^=]{{0,200}})?=\s*"
    r"(?:async\b|function\b|\()"
    r"|\s*(?P<constant>[A-Z_][A-Z0-9_]{2,})\s*(?::[^=]{0,200})?=[^=]"
)
_METHOD = lazy(
    rf"\s*{_AFTER}(?:[\w<>\[\],.?*&:]{{1,120}}\s+)?(?P<name>{_NAME})\s*"
    r"\([^;]{0,400}\)[^;=()]{0,120}\{\s*$"
)
_NOT_NAMES = frozenset(("if", "for", "while", "switch", "catch", "return", "else", "with", "do", "match"))
_CLOSING, _OPENING = ("}", ")", "]", "end"), (":", "{", "(", "[", "=>")
LONGEST = 600
"""Characters of a line that may define something."""
MOST_LINES = 400
"""Lines of a definition that are looked through."""


class Definition(NamedTuple):
    """A name with its first and last line, from 1."""

    name: str
    first: int
    last: int


def defined_at(line: str) -> str:
    """The name that a line defines; empty where it defines none."""
    if len(line) > LONGEST:
        return ""
    if found := _DEFINES.match(line):
        return found["name"] or found["bound"] or found["constant"]
    found = _METHOD.match(line)
    spoken = {found["name"], line.split(maxsplit=1)[0]} if found else _NOT_NAMES
    return found["name"] if found and not spoken & _NOT_NAMES else ""


def enclosing(lines: Sequence[str], number: int) -> Definition | None:
    """The innermost definition that a line lies in, or that it begins; None where it lies in none.

    Args:
        lines: of the file.
        number: of the line, from 1.
    """
    if not 1 <= number <= len(lines):
        return None
    line = lines[number - 1]
    # An empty line lies in whatever is open above it.
    indent = _indent(line) + line.strip().startswith(_CLOSING) if line.strip() else MOST_LINES
    for place in range(number, max(number - MOST_LINES, 0), -1):
        line = lines[place - 1]
        if not line.strip() or (_indent(line) >= indent and place != number):
            continue
        if name := defined_at(line):
            last = _last(lines, place)
            if last >= number:
                return Definition(name, place, last)
        # A closing bracket is as deep as the line that opened it, in which the line asked for may lie.
        if not line.strip().startswith(_CLOSING) or place == number:
            indent = min(indent, _indent(line))
    return None


def of_facts(facts: FileFacts, number: int) -> Definition | None:
    """The same by facts of the file: the innermost class or function, or else what the line defines."""
    around = [one for one in facts.symbols if one.first <= number <= one.last]
    bodies = [one for one in around if one.kind in CALLABLE | CONTAINERS] or around
    found = min(bodies, key=lambda one: (one.last - one.first, -one.first), default=None)
    return definition(found) if found else None


def definition(symbol: Symbol) -> Definition:
    """A symbol as a definition: with its decorators, and without the name of what it belongs to."""
    return Definition(symbol.plain, symbol.first, symbol.last)


def whole(lines: Sequence[str], number: int) -> Definition | None:
    """The definition that a line begins; None where it begins none."""
    name = defined_at(lines[number - 1]) if 1 <= number <= len(lines) else ""
    return Definition(name, number, _last(lines, number)) if name else None


def _last(lines: Sequence[str], first: int) -> int:
    """The last line that belongs to what a line defines."""
    indent, last = _indent(lines[first - 1]), first
    for place in range(first + 1, min(first + MOST_LINES, len(lines) + 1)):
        line = lines[place - 1]
        if not line.strip():
            continue
        if _indent(line) > indent:
            last = place
        elif line.strip().startswith(_CLOSING):
            last = place
            if not line.rstrip().endswith(_OPENING):  # it closes the body, and not the signature alone
                break
        else:
            break
    return last


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


# -- a commit of a repository, as far as its message and files tell something worth keeping


class Commit(Value, frozen=True, kw_only=True):
    """A commit.

    Attributes:
        hash: of it, in full.
        parents: hashes; two or more: it is a merge.
        at: when it was written (the author's time, which a rebase keeps).
        author: the name.
        email: of the author.
        message: whole, as it was written.
        files: that it changed against its first parent, from the top of the working tree.
    """

    hash: str
    at: datetime
    author: str
    message: str
    parents: tuple[str, ...] = ()
    email: str = ""
    files: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0].strip()

    @property
    def body(self) -> str:
        """The message without its first line."""
        return self.message.partition("\n")[2].strip()


class FileHistory(Value, frozen=True):
    """When a file came into the repository, with which commit, and when it changed last."""

    first: datetime
    commit: str
    last: datetime
