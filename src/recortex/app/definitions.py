"""Definitions in a working tree: by the facts of its code, else by words and indentation.

Of a file as it is now, facts are used that are kept, or else, with the extra `code`, made of it alone. The
project is never read for it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from recortex.app.symbols import can_parse, open_code
from recortex.codebase.git import read
from recortex.codebase.syntax.grammars import GrammarError
from recortex.engines.code.analyses import dotted, is_named
from recortex.engines.reasons.definitions import Definition, definition, enclosing, of_facts

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.domain.code_facts import FileFacts


class Definitions:
    """What the files of a working tree define.

    Args:
        root: of the tree.
        facts: the file of the project's facts; it need not be there.
    """

    def __init__(self, root: Path, facts: Path) -> None:
        self._root, self._path = root, facts
        self._lines: dict[str, list[str]] = {}
        self._parsed: dict[str, FileFacts | None] = {}

    def lines(self, path: str) -> list[str]:
        """The lines of a file of the tree; none where it cannot be read."""
        if path not in self._lines:
            data = read(self._root, path)
            self._lines[path] = [] if data is None else data.decode("utf-8", "replace").split("\n")
        return self._lines[path]

    def around(self, path: str, line: int) -> Definition | None:
        """The innermost definition around a line of a file."""
        facts = self._of(path)
        return of_facts(facts, line) if facts else enclosing(self.lines(path), line)

    def exactly(self, path: str, known: Definition) -> Definition:
        """A definition that was found by words as facts know it; the same where they do not."""
        facts = self._of(path)
        found = [one for one in facts.symbols if one.line == known.first] if facts else []
        return next((definition(one) for one in found if one.plain == known.name), known)

    def named(self, symbol: str) -> tuple[str, Definition] | None:
        """Where kept facts know a symbol, in the file with the shortest path, tests last.

        None where there are no facts, and where the symbol is newer than they.
        """
        name = dotted(symbol)
        found = self._code.defining(name.rpartition(".")[2]) if self._code else ()
        named = ((path, one) for path, _, one in found if is_named(one, name) and one.kind != "declaration")
        path, one = min(named, key=lambda place: (in_order(place[0]), place[1].first), default=("", None))
        return (path, definition(one)) if one else None

    @cached_property
    def _code(self) -> CurrentCode | None:
        return open_code(self._path, self._root)

    def _of(self, path: str) -> FileFacts | None:
        """The facts of a file; None where there are none."""
        if self._code:
            return self._code.facts(path)
        if path not in self._parsed:
            self._parsed[path] = _parsed(path, read(self._root, path)) if can_parse() else None
        return self._parsed[path]


def _parsed(path: str, data: bytes | None) -> FileFacts | None:
    from recortex.codebase.syntax.extraction import read_facts

    try:
        facts = read_facts(path, data) if data else None
    except GrammarError:  # the one of this language
        return None
    return facts if facts and not facts.skipped else None


def in_order(path: str) -> tuple[bool, int, str]:
    """By what the likeliest file of several is found: no test, and the shortest path."""
    return "test" in path.lower(), len(path), path
