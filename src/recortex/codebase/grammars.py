"""The ten languages: their grammars and query files, and whether all of them can be used.

Each grammar is a package of its own; together with tree-sitter they are the extra `code`. A grammar that is
newer than the library, or older than it reads, is refused before it is used: some would end the process.
"""

# ruff: noqa: TC004  annotations are not evaluated at run time

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import apsw
import msgspec
from blake3 import blake3

from recortex.domain.code import FileFacts
from recortex.errors import RecortexError
from recortex.filesystem import require_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Language, Query


INSTALL = 'pip install "recortex[code]"'
QUERIES = Path(__file__).parent / "queries"
CPP_HEADER = (b"class ", b"namespace ", b"template", b"public:", b"private:", b"std::")
"""A header with one of these is C++, not C."""


class GrammarError(RecortexError):
    """A grammar, or tree-sitter itself, cannot be used."""

    code = "code_grammars_missing"


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar of one language.

    Attributes:
        name: of its own; `language` is what facts say.
        package, function: where the parser is.
        queries: names of query files; all are read.
        endings: of the names of its files.
    """

    name: str
    language: str
    package: str
    queries: tuple[str, ...]
    endings: tuple[str, ...]
    function: str = "language"


GRAMMARS = (
    Grammar("python", "python", "tree_sitter_python", ("python",), (".py", ".pyi")),
    Grammar(
        "javascript",
        "javascript",
        "tree_sitter_javascript",
        ("ecma", "javascript"),
        (".js", ".mjs", ".cjs", ".jsx"),
    ),
    Grammar(
        "typescript",
        "typescript",
        "tree_sitter_typescript",
        ("ecma", "typescript"),
        (".ts", ".mts", ".cts"),
        "language_typescript",
    ),
    Grammar(
        "tsx",
        "typescript",
        "tree_sitter_typescript",
        ("ecma", "typescript", "tsx"),
        (".tsx",),
        "language_tsx",
    ),
    Grammar("java", "java", "tree_sitter_java", ("java",), (".java",)),
    Grammar("c_sharp", "csharp", "tree_sitter_c_sharp", ("c_sharp",), (".cs",)),
    Grammar("php", "php", "tree_sitter_php", ("php",), (".php",), "language_php"),
    Grammar("go", "go", "tree_sitter_go", ("go",), (".go",)),
    Grammar("rust", "rust", "tree_sitter_rust", ("rust",), (".rs",)),
    Grammar("c", "c", "tree_sitter_c", ("c",), (".c", ".h")),
    Grammar(
        "cpp", "cpp", "tree_sitter_cpp", ("c", "cpp"), (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp")
    ),
)
BY_NAME = {one.name: one for one in GRAMMARS}
BY_ENDING = {ending: one for one in GRAMMARS for ending in one.endings}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A grammar that is ready.

    Attributes:
        refused: patterns of its query files that do not fit it; the others are used.
    """

    grammar: Grammar
    language: Language
    query: Query
    refused: tuple[str, ...] = ()


def grammar_of(path: str, data: bytes = b"") -> Grammar | None:
    """The grammar of a file by its name; a `.h` also by what is in it. None: no language of ours."""
    found = BY_ENDING.get(Path(path).suffix.lower())
    if found is not None and path.endswith(".h") and any(word in data for word in CPP_HEADER):
        return BY_NAME["cpp"]
    return found


@cache
def load(name: str) -> Loaded:
    """Make a grammar ready.

    Raises:
        GrammarError: it is not installed, or does not fit the installed tree-sitter.
    """
    grammar = BY_NAME[name]
    try:
        import tree_sitter

        module = import_module(grammar.package)
    except ImportError as error:
        raise GrammarError(f"{error.name or grammar.package} is not installed.", hint=INSTALL) from error
    try:
        language = tree_sitter.Language(getattr(module, grammar.function)())
    except (ValueError, AttributeError) as error:
        raise GrammarError(f"{grammar.package} cannot be used: {error}", hint=f"{INSTALL} -U") from error
    lowest, highest = tree_sitter.MIN_COMPATIBLE_LANGUAGE_VERSION, tree_sitter.LANGUAGE_VERSION
    if not lowest <= language.abi_version <= highest:
        said = f"{grammar.package} has ABI {language.abi_version}, tree-sitter reads {lowest} to {highest}."
        raise GrammarError(said, hint=f"{INSTALL} -U")
    query, refused = _query(language, [line for one in grammar.queries for line in patterns(one)])
    return Loaded(grammar, language, query, refused)


def patterns(name: str) -> list[str]:
    """The patterns of a query file: one in each line, so that a bad one costs only itself."""
    return [line for line in (QUERIES / f"{name}.scm").read_text("utf-8").splitlines() if line.strip()]


def _query(language: Language, lines: list[str]) -> tuple[Query, tuple[str, ...]]:
    from tree_sitter import Query, QueryError

    try:
        return Query(language, "\n".join(lines)), ()
    except QueryError:
        good, bad = [], []
        for line in lines:
            try:
                Query(language, line)
                good.append(line)
            except QueryError:
                bad.append(line)
        return Query(language, "\n".join(good)), tuple(bad)


def require() -> None:
    """Look whether tree-sitter is there.

    Raises:
        GrammarError: it is not.
    """
    try:
        import_module("tree_sitter")
    except ImportError as error:
        raise GrammarError("The extra `code` is not installed.", hint=INSTALL) from error


def check() -> list[str]:
    """Load all grammars and read a line with each.

    Returns what is wrong, a line for each; nothing where all can be used.

    Raises:
        GrammarError: tree-sitter itself is not installed.
    """
    require()
    wrong = []
    for one in GRAMMARS:
        try:
            loaded = load(one.name)
        except GrammarError as error:
            wrong.append(error.message)
            continue
        wrong += [f"{one.name}: the pattern {line} does not fit its grammar." for line in loaded.refused]
    return wrong


# -- facts of single files as they are kept on disk, read without what reads code, which hooks do without


VERSION = 8
"""Of the extractor: facts of another version are made anew. Raise it when facts of the same bytes change."""
FORMAT = 3
"""Of the tables; with the extractor's version it is the file's."""
FILE_VERSION = VERSION * 1000 + FORMAT
BUSY_MILLISECONDS = 5_000
decode = msgspec.msgpack.Decoder(FileFacts).decode


def key_of(path: str, data: bytes) -> bytes:
    """By what the facts of a file are kept: its bytes, and what reads them."""
    grammar = grammar_of(path, data)
    reader = grammar.name if grammar else path.rpartition("/")[2]
    # The same bytes have other facts in another language: a `.h` may be read as C or as C++.
    return blake3(data, derive_key_context=f"recortex code {reader}").digest()


def kept(database: apsw.Connection, keys: Iterable[bytes]) -> Iterator[tuple[bytes, FileFacts]]:
    """Facts by their keys, one after the other; what another process deleted meanwhile is left out."""
    for key in keys:
        found = database.execute("SELECT facts FROM facts WHERE key = ?", (key,)).get
        if found is not None:
            yield key, decode(found)


class KeptFacts:
    """The facts that are in a file, to be read alone.

    Args:
        path: of the file.

    Raises:
        UntrustedFileError: the file is another user's or a link.
        apsw.Error: it is none of ours, or cannot be read.
    """

    def __init__(self, path: Path) -> None:
        require_own(path)
        self._database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            self._database.set_busy_timeout(BUSY_MILLISECONDS)
            self._ours = self._database.execute("PRAGMA user_version").get == FILE_VERSION
        except BaseException:
            self._database.close(force=True)
            raise

    def facts(self, key: bytes) -> FileFacts | None:
        """The facts with a key; None where there are none."""
        found = kept(self._database, [key]) if self._ours and key else iter(())
        return next((facts for _, facts in found), None)

    def close(self) -> None:
        """Close the file."""
        self._database.close()


# -- the tokens of code, without comments and layout


Span = tuple[int, int]

_TOKEN = re.compile(rb"[\w$\x80-\xff]+|[^\s\w]")
_NO_SEMICOLON = re.compile(rb"[\w$\x80-\xff]+|[^\s\w;]")
_LAST_COMMA = re.compile(rb"(?<![\s,(\[<]),(?=\s*[)\]}>])")
_STRING = re.compile(rb"([bBfFrRuUtT]{0,2})(\"\"\"|'''|[\"'])(.*)\2", re.DOTALL)
_ESCAPE = re.compile(rb"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_JOINED = re.compile(rb'(f?)"(.*)"\0', re.DOTALL)
_FIELD = re.compile(rb"\{[^{}]*\}")
_BRACE = re.compile(rb"[{}]")
_ONLY_DOUBLE = re.compile(rb"\$|(?<!\\)(?:\\\\)*\\[nrtvefxu0-7]")
_ESCAPED = {b"'": re.compile(rb"\\([\\'])"), b'"': re.compile(rb'\\([\\"])')}
"""Of PHP: what only a text in double quotes can say, and what either says with a backslash."""
_INTERPOLATED = re.compile(rb"\{\$[^{}]*\}")
_NUMBER = re.compile(rb"\0[0-9]\w*")
QUOTES_ALIKE = frozenset({"python", "javascript", "typescript"})
NO_SEMICOLON = frozenset({"javascript", "typescript"})
_JOINTS = {"c": b"->", "cpp": b"->", "php": b"->"}
"""What stands before a member besides a dot."""
_OWN = (b"self", b"this", b"cls", b"$this")
_ITSELF = b"\0\x01\0"
_SPACE = b" \t\r\f\v;"
_ALIKE = bytes.maketrans(b"'", b'"')
_BEGIN, _END = b"\x03\0", b"\x04\0"
DIGEST = 16  # bytes: two definitions of a project by chance alike in none of 10^18


class Tokens:
    """The plain form of a file.

    Args:
        data: the file without comments.
        language: of its facts.
        dropped: spans that do not count: documentation.
        literals: spans that are kept as they are.
        blocks: spans whose ends are marked.
        groups: spans of operations, whose ends are marked as well.
        brackets: spans whose first and last byte do not count.
        cuts: places at which slices begin and end.
    """

    def __init__(
        self,
        data: bytes,
        language: str,
        dropped: Iterable[Span],
        literals: Iterable[Span],
        blocks: Iterable[Span],
        groups: Iterable[Span],
        brackets: Iterable[Span],
        cuts: Iterable[int],
    ) -> None:
        text = bytearray(data)
        for start, end in dropped:
            text[start:end] = re.sub(rb"[^\n]", b" ", data[start:end])
        self.text = bytes(text)
        inside = _outermost(literals)
        self._bare = self._without(inside, brackets)
        self._language = language
        self._token = _NO_SEMICOLON if language in NO_SEMICOLON else _TOKEN
        marks = dict.fromkeys(cuts, b"")
        for spans, begin, close in ((blocks, b"{\0", b"}\0"), (groups, _BEGIN, _END)):
            for start, end in spans:
                marks[start] = marks.get(start, b"") + begin
                marks[end] = close + marks.get(end, b"")
        self._join(marks, inside)

    def _without(self, literals: dict[int, int], brackets: Iterable[Span]) -> bytes:
        """The text without last commas and brackets that do not count."""
        bare = bytearray(_LAST_COMMA.sub(b" ", self.text))
        for start, end in literals.items():
            bare[start:end] = self.text[start:end]
        for start, end in brackets:
            bare[start] = bare[end - 1] = 32
        return bytes(bare)

    def _join(self, marks: dict[int, bytes], literals: dict[int, int]) -> None:
        places = sorted({0, len(self._bare), *marks, *literals, *literals.values()})
        spans = list(pairwise([*places, len(self._bare)]))
        pieces = [self._piece(start, end, literal=literals.get(start) == end) for start, end in spans]
        if self._language == "python":
            _join_strings(pieces, [start in literals for start, _ in spans])
        length, parts = 0, []
        self._before: dict[int, int] = {}
        self._after: dict[int, int] = {}
        for (start, _), piece in zip(spans, pieces, strict=True):
            mark = marks.get(start, b"")
            self._before[start], self._after[start] = length, length + len(mark)
            parts.append(mark + piece)
            length += len(parts[-1])
        plain = b"".join(parts)
        alike = self._language in QUOTES_ALIKE
        self._plain = _NUMBER.sub(lambda found: found[0].lower(), plain) if alike else plain

    def _piece(self, start: int, end: int, *, literal: bool) -> bytes:
        if start == end:
            return b""
        if not literal:
            found = self._token.findall(self._bare, start, end)
            return b"\0".join(found) + b"\0" if found else b""
        return _quoted(self._bare[start:end], self._language) + b"\0"

    def hash(self, start: int, end: int, name: str) -> str:
        """Of the tokens between two cuts; blocks that begin or end right there are others'.

        Where it says its own name, it says `itself`, so that it keeps its hash when it is renamed. Members
        of other objects may have the same name, and keep it.
        """
        own, plain = name.encode() + b"\0", b"\0" + self._plain[self._after[start] : self._before[end]]
        while plain.endswith(_END):  # it ends with an operation, and maybe a bracket around that
            plain = plain[: -len(_END)]
        for joint in filter(None, (b".", _JOINTS.get(self._language))):
            signs = b"".join(b"%c\0" % sign for sign in joint)
            plain = plain.replace(b"\0" + signs + own, b"\0" + signs + b"\x02" + own)
            for one in _OWN:
                mine = b"\0" + one + b"\0" + signs
                plain = plain.replace(mine + b"\x02" + own, mine + own)
        # Twice: of two in a row, the first takes along the byte that the second begins with.
        plain = plain.replace(b"\0" + own, _ITSELF).replace(b"\0" + own, _ITSELF).replace(b"\x02", b"")
        return blake3(plain).hexdigest(length=DIGEST)

    def lines(self) -> bytes:
        """Two bytes for each line of the file, of its tokens; zeros where it has none."""
        text = self._bare.translate(_ALIKE) if self._language in QUOTES_ALIKE else self._bare
        bare = (line.translate(None, _SPACE).rstrip(b",") for line in text.split(b"\n"))
        # Never 0, which stands for a line without tokens.
        return b"".join([(crc32(line) % 65_535 + 1).to_bytes(2, "big") if line else b"\0\0" for line in bare])


def _join_strings(pieces: list[bytes], literal: Sequence[bool]) -> None:
    """Make one of texts that stand side by side, which are one text."""
    last = -1
    for place, piece in enumerate(pieces):
        if not piece:
            continue
        one = _JOINED.fullmatch(pieces[last]) if literal[place] and last >= 0 and literal[last] else None
        other = _JOINED.fullmatch(piece) if one else None
        if one and other and (one[1] == other[1] or not _BRACE.search(one[2] if other[1] else other[2])):
            pieces[last], pieces[place] = b"", (one[1] or other[1]) + b'"' + one[2] + other[2] + b'"\0'
        last = place


def _quoted(piece: bytes, language: str) -> bytes:
    """A literal; of a string that could have other quotes, with its marks taken for the same."""
    found = _STRING.fullmatch(piece) if language in QUOTES_ALIKE or language == "php" else None
    if found is None:
        return piece
    # `u"…"` and `"…"` are the same text in Python 3.
    prefix, quote, text = found[1].lower().replace(b"u", b""), found[2], found[3]
    if language == "php":
        if quote == b'"' and _ONLY_DOUBLE.search(text):
            return b"\x05" + _INTERPOLATED.sub(lambda one: one[0].translate(_ALIKE), piece)
        return b'"' + _ESCAPED[quote].sub(rb"\1", text) + b'"'
    if b"r" not in prefix and b"\\" in text:
        text = _ESCAPE.sub(_unescaped, text)
    # What stands in the braces of an f-string is code, and may have quotes of either kind.
    if b"f" in prefix and language == "python":
        text = _FIELD.sub(lambda one: one[0].translate(_ALIKE), text)
    return prefix + b'"' + text + b'"'


def _unescaped(found: re.Match[bytes]) -> bytes:
    """A quote without its backslash; a number in small letters."""
    sign = found[1]
    return sign if sign in b"'\"" else b"\\" + sign[:1] + sign[1:].lower()


def _outermost(spans: Iterable[Span]) -> dict[int, int]:
    """Spans by their starts, without those that lie within another."""
    found: dict[int, int] = {}
    reached = -1
    for start, end in sorted(spans, key=lambda one: (one[0], -one[1])):
        if start >= reached:
            found[start], reached = end, end
    return found


# -- small texts of code brought into one form: names, types, heads of definitions, first lines of comments


LONGEST = 200
"""Characters of a signature or of a line of documentation that are kept."""
LONGEST_RECEIVER = 60
_PARTS = re.compile(r"::|->|\?\.|[.\\]")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_TYPE = re.compile(r"[A-Za-z_$\\][\w$.:\\]*")
_MODIFIERS = re.compile(
    r"\b(?:const|mut|dyn|impl|final|readonly|static|struct|volatile|typename|unsigned|signed"
    r"|ref|out|in|Optional)\b"
    r"|'\w+\b(?!')"
)
_ONE_OF = re.compile(r"Optional\[(.+)\]|(.{1,400}?)\s*\|\s*(?:None|null|undefined)")
_XML = re.compile(r"</?(?:summary|remarks|para|inheritdoc|param|returns)[^>]*>")
_COMMENT_SIGNS = re.compile(r"^\s*(?:/\*+!?|//+[/!]?|\*+/?|#+|--)\s?|\*+/\s*$")
_PUNCTUATION = re.compile(
    r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|(=>|->|>=|<=)|([(\[{<])|([)\]}>])|(,)"
)
_THE_INSTANCE = re.compile(r"(?:&\s*(?:'\w+\s+)?)?(?:mut\s+)?(?:self|cls|this)\b(?!\s*,?\s*\w)")
_QUOTED = re.compile(r"""["'`]([^"'`\n]{0,200})["'`]""")
_SENSITIVE = re.compile(
    r"(?:pass|pwd|secret|token|credential|api_?key)\w{0,20}[\"']?\s{0,8}(?:=>?|:)\s{0,8}\Z", re.IGNORECASE
)
"""A name before an argument that may be a secret: it is not kept."""
_MARK = re.compile(r"[@#!\[\s]*(?:\w+\s*:\s*)?([\w.:\\]+)")


def one_line(text: str, most: int = LONGEST) -> str:
    """A text without line breaks and doubled spaces, cut."""
    return " ".join(text[: 3 * most].split())[:most]


def without_generics(text: str) -> str:
    """`Map<K, V[]>` as `Map`; what is nested is taken out from the inside."""
    for _ in range(5):
        shorter = _GENERIC.sub("", text)
        if shorter == text:
            break
        text = shorter
    # `operator<` of C++ has the sign in its name.
    return text.partition("<")[0] if "operator" not in text else text


def dotted(text: str) -> str:
    """A name with dots in place of `::` and backslashes, without type arguments."""
    if text.isidentifier():
        return text
    plain = without_generics("".join(text.split())) if not text.startswith("operator") else text
    return plain.replace("::", ".").replace("\\", ".").strip(".").removeprefix("#")


def parted(text: str) -> tuple[str, str]:
    """A called name as receiver and name: `a::b` as `a` and `b`."""
    if text.isidentifier():
        return "", text
    plain = without_generics("".join(text.split()))
    ends = [found.span() for found in _PARTS.finditer(plain)]
    return (plain[: ends[-1][0]], plain[ends[-1][1] :]) if ends else ("", plain)


def receiver(text: str) -> str:
    """What a method is called on, on one line; `…` where it is long."""
    if len(text) > LONGEST_RECEIVER:
        return "…"
    if text.isidentifier():
        return text
    plain = "".join(text.split())
    return f"new {plain[3:]}" if text.startswith("new ") else plain


def plain_type(text: str) -> str:
    """A written type as the name that can be looked up; empty for arrays, functions and unions."""
    if text.isidentifier():
        return text
    found = _ONE_OF.fullmatch(text.strip())
    inner = (found[1] or found[2]) if found else text
    bare = _MODIFIERS.sub("", inner).strip(" ?*&\"'")
    if bare.startswith(("[", "(", "{")) or "|" in bare:
        return ""
    bare = without_generics(bare).strip(" ?*&")
    return bare if len(bare) <= LONGEST_RECEIVER and _TYPE.fullmatch(bare) else ""


def arity(parameters: str) -> int:
    """How many parameters are listed, the instance and bare separators not counted."""
    inner = parameters.strip()
    if inner[:1] in {"(", "[", "|"}:
        inner = inner[1:-1]
    # The parts between commas that stand in no bracket
    parts, depth, begun = [], 0, 0
    for found in _PUNCTUATION.finditer(inner):
        if found[3]:
            depth += 1
        elif found[4]:
            depth -= 1
        elif found[5] and depth <= 0:
            parts.append(inner[begun : found.start()])
            begun = found.end()
    return sum(
        1
        for one in map(str.strip, [*parts, inner[begun:]])
        if one not in {"", "*", "/", "void"} and not _THE_INSTANCE.match(one)
    )


def first_line(comment: str) -> str:
    """The first line of a comment or docstring that says something."""
    for line in comment[:2000].strip().strip("\"'").splitlines():
        said = one_line(_XML.sub("", _COMMENT_SIGNS.sub("", line.strip())))
        if said:
            return said
    return ""


def docstring(literal: str) -> str:
    """The first line of a Python docstring."""
    return first_line(literal.lstrip("rRuUbBfF"))


def mark(text: str) -> tuple[str, str]:
    """The name of a decorator, attribute or annotation, and its first quoted argument."""
    found, argument = _MARK.match(text), _QUOTED.search(text[:2000])
    if argument and _SENSITIVE.search(text, max(0, argument.start() - 60), argument.start()):
        argument = None
    return (dotted(found[1]) if found else "", argument[1] if argument else "")


def variable(text: str) -> str:
    """The name of a variable; of a field of the instance with `self.` in every language."""
    plain = "".join(text.split())
    for instance in ("self.", "this.", "$this->", "cls."):
        if plain.startswith(instance):
            return "self." + plain.removeprefix(instance)
    return plain
