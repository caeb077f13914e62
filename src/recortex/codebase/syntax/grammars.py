"""The ten languages: their grammars and query files, and whether all of them can be used.

Each grammar is a package of its own; together with tree-sitter they are the extra `code`. A grammar that is
newer than the library, or older than it reads, is refused before it is used: some would end the process.
"""

# ruff: noqa: TC004  annotations are not evaluated at run time

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import msgspec
from blake3 import blake3

from recortex.domain.code import FileFacts
from recortex.errors import RecortexError
from recortex.filesystem import require_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
