"""The definition that a line of code lies in, by facts, or told by its words and how far lines are indented.

The latter is an approximation for any language: what comes before a name says that it is defined there, and
what is indented further, or stands between braces, belongs to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code_facts import CALLABLE, CONTAINERS
from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.code_facts import FileFacts, Symbol

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
    indent = _indent(line) + line.strip().startswith(_CLOSING) if line.strip() else MOST_LINES
    for place in range(number, max(number - MOST_LINES, 0), -1):
        line = lines[place - 1]
        if not line.strip() or (_indent(line) >= indent and place != number):
            continue
        if name := defined_at(line):
            last = _last(lines, place)
            if last >= number:
                return Definition(name, place, last)
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
