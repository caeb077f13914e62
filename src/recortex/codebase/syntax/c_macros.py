"""Code of C and C++ as its preprocessor may leave it, for files that the grammar cannot read as they stand.

Nothing is expanded and no byte moves: macros that only annotate, and braces that a second branch of an `#if`
opens or closes once more, become spaces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_TOKEN = re.compile(
    rb"//[^\n]*|/\*(?:.*?\*/|.*)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{}]"
    rb"|^[ \t]*\#[ \t]*(if|elif|else|endif)?(?:[^\n\\]|\\.)*",
    re.DOTALL | re.MULTILINE,
)
_FIRST = re.compile(_MACRO)
_ASIDE = re.compile(rb"//[^\n]*|/\*(?:.*?\*/|.*)|^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE)
LONGEST_BRANCH = 2_000
"""Bytes of a branch of an `#if` that may be a part of a statement."""
_SPACE = re.compile(rb"[^\n]")


def readable(data: bytes) -> bytes:
    """The file with spaces for what hides its form; as long, with the same lines."""
    found = bytearray(data)
    for start, end in [*_conditions(data), *_annotations(data)]:
        found[start:end] = _SPACE.sub(b" ", data[start:end])
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
    for found in _TOKEN.finditer(data):
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
