"""A memory at four levels of detail, and memories packed into a budget of tokens.

Each level says what the one below says and at least one thing more, so that its tokens are strictly more.
What it says is fixed with the version of the memory: nothing in it changes while the memory is only read.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from recortex.domain.text import clean, shorten
from recortex.domain.vocabulary import Importance
from recortex.lean import NamedTuple

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

_LINE_CHARACTERS = (240, 180, 130, 90, 60, 40, 24, 8)
_TEXT_CHARACTERS = (900, 640, 440, 300, 200, 120, 60)
_SLACK = 1.2
"""By how much a part of a text may have more characters to a token than all of it."""
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


def compress(memory: Memory, level: Level, count: Callable[[str], int], *, line: str = "") -> Compressed:
    """A memory at a level.

    Args:
        memory: with secrets removed already.
        level: how much is told.
        count: tokens of a text.
        line: its text at the level of one line, where that is known.
    """
    if level is Level.IDS:
        return _made(memory, level, _ids(memory), count)
    if level is Level.LINE:
        return _first_within(memory, level, _lines(memory), count)
    line = line or _first_within(memory, Level.LINE, _lines(memory), count).text
    if level is Level.EXAMPLES:
        return _first_within(memory, level, _examples(memory, line), count)
    return _made(memory, level, _full(memory, line), count)


def _made(memory: Memory, level: Level, text: str, count: Callable[[str], int]) -> Compressed:
    return Compressed(memory.id, level, text, count(text))


def _ids(memory: Memory) -> str:
    return f"[{memory.id[:SHORT_ID]}]"


def _lines(memory: Memory) -> Iterator[str]:
    """`- 2026-10-02 kind: what it says (tags) [id]`, the longest first; those without tags come last."""
    text = clean(memory.summary or memory.text)
    tags = ", ".join(shorten(clean(tag), _TAG_CHARACTERS) for tag in memory.tags[:_TAGS])
    start = f"- {memory.valid_from:%Y-%m-%d} {memory.kind}:"
    limits = _likely(_LINE_CHARACTERS, memory, MOST_TOKENS[Level.LINE])
    for end in (f" ({tags})", "") if tags else ("",):
        for said in _cuts(text, limits):
            yield f"{start} {said}{end} {_ids(memory)}"


def _examples(memory: Memory, line: str) -> Iterator[str]:
    """The line, its files and standing, the rest of its text, and the examples and reasons of its fields."""
    more = [f"{name}: {value}" for name, value in _fields(memory) if value not in memory.text]
    if rest := _rest(memory, line):
        more.insert(0, rest)
    # Its files, and what is out of the ordinary: its importance, and how often it was learned.
    files = ", ".join(shorten(one.path, _PATH_CHARACTERS) for one in memory.files[:_FILES])
    importance = "" if memory.importance is Importance.NORMAL else f"{memory.importance.value} importance"
    learned = "" if memory.evidence == 1 else f"learned {memory.evidence} times"
    standing = "; ".join(filter(None, (files, importance, learned)))
    head = f"{line}\n  {standing}" if standing else line
    if whole := "  ".join(more):
        limits = _likely(_TEXT_CHARACTERS, memory, MOST_TOKENS[Level.EXAMPLES])
        yield from (f"{head}\n  {text}" for text in _cuts(whole, limits))
    if standing:
        yield head
    yield f"{line}\n  {memory.importance.value}"


def _rest(memory: Memory, line: str) -> str:
    """What the text says beyond its line: from where the line breaks off, or all of it."""
    text = clean(memory.text)
    if text in line:
        return ""
    begun = clean(memory.summary or memory.text).rstrip("…").rstrip()
    return f"… {text[len(begun) :].lstrip()}" if begun in line and text.startswith(begun) else text


def _likely(limits: Sequence[int], memory: Memory, room: int) -> Sequence[int]:
    """The numbers of characters without those that are too many for so many tokens, as its text tells.

    Its tokens were counted when it was written; a guess here saves most counts, and changes no limit.
    """
    if not (memory.tokens and memory.text):
        return limits
    most = room * _SLACK * len(memory.text) / memory.tokens
    return [one for one in limits if one <= most] or limits[-1:]


def _cuts(text: str, limits: Sequence[int]) -> Iterator[str]:
    """A text cut to each number of characters, each result once."""
    before = None
    for most in limits:
        cut = shorten(text, most)
        if cut != before:
            yield cut
        before = cut


def _full(memory: Memory, line: str) -> str:
    """Everything that is kept of the memory, losslessly: text, fields, links, source."""
    lines = [line] if memory.text in line else [line, f"  {memory.text}"]
    standing = (memory.importance, memory.status, memory.scope, memory.origin, memory.trust)
    lines.append(f"  {', '.join(one.value for one in standing)}; learned {memory.evidence} times")
    if not (memory.summary in memory.text or memory.summary in line):
        lines.append(f"  summary: {memory.summary}")
    lines += [f"  {name}: {value}" for name, value in _fields(memory)]
    lines += [f"  {name}: {', '.join(values)}" for name, values in _links(memory) if values]
    lines += [f"  source {name}: {value}" for name, value in _values(memory.source)]
    return "\n".join((*lines, f"  {_tail(memory)}"))


def _tail(memory: Memory) -> str:
    until = f" until {memory.valid_until:%Y-%m-%d}" if memory.valid_until else ""
    return f"recorded {memory.recorded_at:%Y-%m-%d}{until}; {memory.domain.value}; id {memory.id}"


def says_more(memory: Memory, line: str) -> bool:
    """Whether the level with examples tells anything that the line does not."""
    return bool(memory.files) or memory.text not in line or any(_fields(memory))


def _fields(memory: Memory) -> Iterator[tuple[str, str]]:
    """The typed fields that say something, but for the one that is the text."""
    content = memory.content
    for name, usual in content.usual.items():
        value = getattr(content, name)
        if value not in (usual, "", None) and value != memory.text:
            yield name.replace("_", " "), _render_value(value)


def _render_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "; ".join(map(_render_value, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_render_value(one)}" for key, one in value.items())
    if hasattr(type(value), "__dataclass_fields__"):
        return ", ".join(f"{name} {one}" for name, one in _values(value))
    return str(value)


def _values(value: Any) -> Iterator[tuple[str, str]]:
    for name in type(value).__dataclass_fields__:
        one = getattr(value, name)
        if one not in ("", None):
            yield name.replace("_", " "), _render_value(one)


def _links(memory: Memory) -> Iterator[tuple[str, list[str]]]:
    yield "tags", list(memory.tags)
    yield "files", [_place(one.path, one.line_start, one.line_end) for one in memory.files]
    yield "functions", [" ".join(filter(None, (f.name, f.signature, f.file))) for f in memory.functions]
    yield "patterns", [one.name or one.id for one in memory.patterns]
    yield "constraints", [one.name or one.id for one in memory.constraints]
    yield "supersedes", [memory.supersedes] if memory.supersedes else []
    yield "superseded by", [memory.superseded_by] if memory.superseded_by else []
    yield "metadata", [f"{name} {_render_value(value)}" for name, value in memory.metadata.items()]


def _place(path: str, first: int | None, last: int | None) -> str:
    if first is None:
        return path
    return f"{path}:{first}" if last in (None, first) else f"{path}:{first}-{last}"


def _first_within(
    memory: Memory, level: Level, forms: Iterator[str], count: Callable[[str], int]
) -> Compressed:
    """The first form that keeps the limit of its level; the last one, where none does."""
    found = _made(memory, level, next(forms), count)
    while found.tokens > MOST_TOKENS[level] and (form := next(forms, "")):
        found = _made(memory, level, form, count)
    return found


# -- packs memories into a budget of tokens by importance times relevance


IMPORTANCE = {
    Importance.LOW: 0.8,
    Importance.NORMAL: 1.0,
    Importance.HIGH: 1.5,
    Importance.CRITICAL: 2.0,
}
"""The factor of importance."""
BREAK = 1
"""The most tokens that the line break after an entry costs."""
LEAST_LINE, LEAST_MORE = 16, 4
"""With fewer tokens left no line fits, and no further detail: its date, kind and id alone are as many."""
MISSES = 6
"""After so many that did not fit in a row, the rest is not tried: counting takes most of the time."""


class Weighed(NamedTuple):
    """A memory and its relevance, 0 to 1."""

    memory: Memory
    relevance: float

    @property
    def weight(self) -> float:
        """Importance times relevance."""
        return IMPORTANCE[self.memory.importance] * self.relevance


class Packed(NamedTuple):
    """What fits a budget.

    Attributes:
        entries: heaviest first.
        left_out: ids of those for which not even a line is left.
        tokens: of all entries with their line breaks.
    """

    entries: tuple[Compressed, ...]
    left_out: tuple[str, ...]
    tokens: int


def pack(
    ranked: Sequence[Weighed], budget: int, count: Callable[[str], int], most: Level = Level.FULL
) -> Packed:
    """Tell of as many memories as fit, and of the heaviest as much as fits.

    Critical memories come first and get a line at least; then each gets its line, by weight; what is left
    raises them to the highest level that fits, 3 before 2, the heaviest first. So no memory gets its details
    while another one that would fit has no line: of 25 relevant ones all are told within 2,000 tokens.

    Args:
        ranked: each with its relevance.
        budget: tokens that the entries and their line breaks may have together.
        count: tokens of a text.
        most: the highest level that is tried.
    """
    order = sorted(ranked, key=lambda one: (one.memory.importance != Importance.CRITICAL, -one.weight))
    told = _each_briefly(order, budget, count, min(Level.LINE, most))
    left = budget - sum(one.tokens + BREAK for one in told.values())
    # Critical memories came first for their lines; details are given by weight alone.
    heaviest = sorted((one for one in order if one.memory.id in told), key=lambda one: -one.weight)
    _raise(told, [one.memory for one in heaviest], left, count, most)
    entries = tuple(told[one.memory.id] for one in heaviest)
    missing = tuple(one.memory.id for one in order if one.memory.id not in told)
    return Packed(entries, missing, sum(one.tokens + BREAK for one in entries))


def _each_briefly(
    order: Sequence[Weighed], left: int, count: Callable[[str], int], most: Level
) -> dict[str, Compressed]:
    """A line of each memory while they fit, then ids; an id alone tells nothing of a critical memory."""
    told: dict[str, Compressed] = {}
    misses = 0
    for one in order:
        critical = one.memory.importance == Importance.CRITICAL
        found = None
        if most and left >= LEAST_LINE and (critical or misses < MISSES):
            found = compress(one.memory, Level.LINE, count)
            misses = 0 if found.tokens + BREAK <= left else misses + 1
        if (found is None or found.tokens + BREAK > left) and not (critical or left <= BREAK):
            found = compress(one.memory, Level.IDS, count)
        if found is not None and found.tokens + BREAK <= left:
            told[one.memory.id] = found
            left -= found.tokens + BREAK
    return told


def _raise(
    told: dict[str, Compressed],
    memories: Sequence[Memory],
    left: int,
    count: Callable[[str], int],
    most: Level,
) -> None:
    """Tell more of memories, the first ones first, while that fits."""
    misses = 0
    for memory in memories:
        if left < LEAST_MORE or misses == MISSES:
            return
        now = told[memory.id]
        found = next(_higher(memory, now, left, count, most), None)
        misses = 0 if found else misses + 1
        if found:
            told[memory.id] = found
            left -= found.tokens - now.tokens


def _higher(
    memory: Memory, now: Compressed, left: int, count: Callable[[str], int], most: Level
) -> Iterator[Compressed]:
    """The levels above the present one that fit, the highest first."""
    line = now.text if now.level is Level.LINE else ""
    for level in (Level.FULL, Level.EXAMPLES):
        # The full level tells the whole text, which was counted when it was written.
        hopeless = level is Level.FULL and memory.tokens > left + now.tokens
        idle = level is Level.EXAMPLES and not says_more(memory, now.text)
        if level > most or hopeless or idle:
            continue
        found = compress(memory, level, count, line=line)
        if found.tokens - now.tokens <= left:
            yield found
