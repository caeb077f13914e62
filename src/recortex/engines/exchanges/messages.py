"""A message of the person: what was typed whole, what was pasted by its kind, size and first line.

A paste is told by its form, never by its length alone; a short one stays as it is, since it is often what the
message is about.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PATTERNS = Patterns(__file__)
_KINDS = dict(
    zip(("diff", "log", "markup", "data", "table", "code"), PATTERNS.starting("kind_"), strict=True)
)
"""What a line of each kind of paste looks like, in the order in which they are tried."""
_LEAST = 300
"""Characters of a paste that is worth shortening."""
_FIRST_LINE = 120
_KB = 1024
_DOCUMENT_LEAST = 800
_MAJORITY = 0.5


class Part(NamedTuple):
    """A part of a message; `kind` is empty where it was typed."""

    kind: str
    text: str


def message_of(found: Iterable[Part]) -> str:
    """A message as an exchange keeps it."""
    shown = [_label(part) if part.kind else part.text for part in found]
    return "\n".join(filter(None, shown)).strip()


def parts(text: str) -> list[Part]:
    """The typed and pasted parts of a message, in order; short pastes count as typed."""
    outside = PATTERNS.block.sub(lambda block: " " * len(block[0]), text)
    begins = PATTERNS.document.search(outside)
    at = begins.start() if begins and len(text) - begins.start() >= _DOCUMENT_LEAST else len(text)
    found = [
        part if len(part.text) >= _LEAST else Part("", part.text) for part in _joined(_paragraphs(text[:at]))
    ]
    return [*found, Part("document", text[at:].strip())] if at < len(text) else found


def _paragraphs(text: str) -> Iterator[Part]:
    end = 0
    for block in PATTERNS.block.finditer(text):
        yield from _plain(text[end : block.start()])
        yield Part(block["language"].lower() or "code", block[0].strip())
        end = block.end()
    yield from _plain(text[end:])


def _plain(text: str) -> Iterator[Part]:
    for paragraph in PATTERNS.gap.split(text):
        if paragraph.strip():
            yield Part(_kind(paragraph.strip("\n").splitlines()), paragraph.strip())


def _joined(found: Iterator[Part]) -> Iterator[Part]:
    """Neighbours of one kind as one part."""
    for kind, group in groupby(found, key=lambda part: part.kind):
        yield Part(kind, "\n".join(part.text for part in group))


def _kind(lines: list[str]) -> str:
    """What most lines of a paragraph look like."""
    for kind, pattern in _KINDS.items():
        if sum(map(bool, map(pattern.match, lines))) > _MAJORITY * len(lines):
            return kind
    return ""


def _label(part: Part) -> str:
    lines = [line.strip() for line in part.text.splitlines() if line.strip("`~ \t")]
    first = next((line for line in lines if not line.startswith(("```", "~~~"))), "")
    size = f"{len(part.text)} characters" if len(part.text) < _KB else f"{len(part.text) / _KB:.1f} KB"
    return f"[pasted {part.kind}, {size}: {first[:_FIRST_LINE]}]"
