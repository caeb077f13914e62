"""A memory at four levels of detail: id, one line, with examples, everything.

Each level says what the one below says and at least one thing more, so that its tokens are strictly more.
What it says is fixed with the version of the memory: nothing in it changes while the memory is only read.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.cleaning import clean
from recortex.domain.kinds.base import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.domain.memory import Memory


class Level(IntEnum):
    """How much of a memory is told. Aims of tokens: 5, 50, 200, 500."""

    IDS = 0
    LINE = 1
    EXAMPLES = 2
    FULL = 3


MOST_TOKENS = {Level.IDS: 10, Level.LINE: 75, Level.EXAMPLES: 300}
"""Never exceeded; the full level has no limit, since it loses nothing."""
SHORT_ID = 8
"""Characters of an id that `get` accepts and that are told apart in one answer."""

_LINE_CHARACTERS = (240, 180, 130, 90, 60, 40, 24)
_TEXT_CHARACTERS = (900, 640, 440, 300, 200, 120, 60, 0)
_TAGS, _TAG_CHARACTERS, _FILES, _PATH_CHARACTERS = 3, 20, 3, 60


class Compressed(NamedTuple):
    """A memory at one level.

    Attributes:
        id: of the memory.
        text: one or more lines, without a closing line break.
        tokens: of the text, exact, in cl100k_base.
    """

    id: str
    level: Level
    text: str
    tokens: int


def compress(
    memory: Memory, level: Level, count: Callable[[str], int], related: Sequence[str] = ()
) -> Compressed:
    """A memory at a level.

    Args:
        memory: with secrets removed already.
        level: how much is told.
        count: tokens of a text.
        related: lines on what it is linked to, for the full level.
    """
    if level is Level.FULL:
        text = _full(memory, count, related)
    else:
        makers = {Level.IDS: _ids, Level.LINE: _line, Level.EXAMPLES: _examples}
        text = makers[level](memory, count)
    return Compressed(memory.id, level, text, count(text))


def compress_to_fit(memory: Memory, most: int, count: Callable[[str], int]) -> Compressed | None:
    """The highest level of a memory that has at most so many tokens; None where not even its id fits."""
    found = (compress(memory, level, count) for level in sorted(Level, reverse=True))
    return next((one for one in found if one.tokens <= most), None)


def _ids(memory: Memory, _: Callable[[str], int]) -> str:
    return f"[{memory.id[:SHORT_ID]}]"


def _line(memory: Memory, count: Callable[[str], int]) -> str:
    """`- 2026-10-02 kind: what it says (tags) [id]`, of at most 75 tokens."""
    text = clean(memory.summary or memory.text)
    tags = ", ".join(shorten(clean(tag), _TAG_CHARACTERS) for tag in memory.tags[:_TAGS])
    start = f"- {memory.valid_from:%Y-%m-%d} {memory.kind}:"
    end = _ids(memory, count)
    forms = [f"{start} {shorten(text, most)} ({tags}) {end}" for most in _LINE_CHARACTERS if tags]
    forms += [f"{start} {shorten(text, most)} {end}" for most in (*_LINE_CHARACTERS, 8)]
    return _first_within(forms, MOST_TOKENS[Level.LINE], count)


def _examples(memory: Memory, count: Callable[[str], int]) -> str:
    """The line, its files and standing, its text, and the examples and reasons of its fields."""
    line = _line(memory, count)
    said = memory.summary or memory.text
    more = [] if memory.text == said else [clean(memory.text)]
    more += [f"{name}: {value}" for name, value in _fields(memory) if value not in memory.text]
    whole = "  ".join(more)
    head = f"{line}\n  {_standing(memory)}"
    forms = [f"{head}\n  {shorten(whole, most)}" if whole and most else head for most in _TEXT_CHARACTERS]
    return _first_within([*forms, f"{line}\n  {memory.importance.value}"], MOST_TOKENS[Level.EXAMPLES], count)


def _full(memory: Memory, count: Callable[[str], int], related: Sequence[str]) -> str:
    """Everything that is kept of the memory, losslessly: text, fields, links, source, relations."""
    line = _line(memory, count)
    lines = [line] if memory.text in line else [line, f"  {memory.text}"]
    lines += [
        f"  {_standing(memory)}",
        f"  {memory.status.value}, {memory.scope.value}, {memory.origin.value}, {memory.trust.value}",
    ]
    if not (memory.summary in memory.text or memory.summary in line):
        lines.append(f"  summary: {memory.summary}")
    lines += [f"  {name}: {value}" for name, value in _fields(memory)]
    lines += [f"  {name}: {', '.join(values)}" for name, values in _links(memory) if values]
    lines += [f"  source {name}: {value}" for name, value in _values(memory.source)]
    lines += [f"  {line}" for line in related]
    return "\n".join((*lines, f"  {_tail(memory)}"))


def _tail(memory: Memory) -> str:
    until = f" until {memory.valid_until:%Y-%m-%d}" if memory.valid_until else ""
    return f"recorded {memory.recorded_at:%Y-%m-%d}{until}; {memory.domain.value}; id {memory.id}"


def says_more(memory: Memory, line: str) -> bool:
    """Whether the level with examples tells anything that the line does not."""
    return bool(memory.files) or memory.text not in line or any(_fields(memory))


def _standing(memory: Memory) -> str:
    files = ", ".join(shorten(one.path, _PATH_CHARACTERS) for one in memory.files[:_FILES])
    learned = "learned once" if memory.evidence == 1 else f"learned {memory.evidence} times"
    return "; ".join(filter(None, (files, f"{memory.importance.value} importance, {learned}")))


def _fields(memory: Memory) -> Iterator[tuple[str, str]]:
    """The typed fields that say something, but for the one that is the text."""
    content = memory.content
    for name, usual in content.usual.items():
        value = getattr(content, name)
        if value not in (usual, "", None) and value != memory.text:
            yield name.replace("_", " "), _said(value)


def _said(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "; ".join(map(_said, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_said(one)}" for key, one in value.items())
    if hasattr(type(value), "__dataclass_fields__"):
        return ", ".join(f"{name} {one}" for name, one in _values(value))
    return str(value)


def _values(value: Any) -> Iterator[tuple[str, str]]:
    for name in type(value).__dataclass_fields__:
        one = getattr(value, name)
        if one not in ("", None):
            yield name.replace("_", " "), _said(one)


def _links(memory: Memory) -> Iterator[tuple[str, list[str]]]:
    yield "tags", list(memory.tags)
    yield "files", [_place(one.path, one.line_start, one.line_end) for one in memory.files]
    yield "functions", [" ".join(filter(None, (f.name, f.signature, f.file))) for f in memory.functions]
    yield "patterns", [one.name or one.id for one in memory.patterns]
    yield "constraints", [one.name or one.id for one in memory.constraints]
    yield "supersedes", [memory.supersedes] if memory.supersedes else []
    yield "superseded by", [memory.superseded_by] if memory.superseded_by else []
    yield "metadata", [f"{name} {_said(value)}" for name, value in memory.metadata.items()]


def _place(path: str, first: int | None, last: int | None) -> str:
    if first is None:
        return path
    return f"{path}:{first}" if last in (None, first) else f"{path}:{first}-{last}"


def _first_within(forms: Sequence[str], most: int, count: Callable[[str], int]) -> str:
    return next((form for form in forms if count(form) <= most), forms[-1])
