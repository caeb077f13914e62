"""A message of the person: what was typed whole, what was pasted by its kind, size and first line.

A paste is told by its form, never by its length alone; a short one stays as it is, since it is often what the
message is about.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LEAST = 300
"""Characters of a paste that is worth shortening."""
_FIRST_LINE = 120
_BLOCKS = lazy(
    r"^[^\S\n]*(?P<fence>```+|~~~+)(?P<language>[\w+-]*)[^\n]*\n.*?(?:^[^\S\n]*(?P=fence)[^\S\n]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_BREAK = lazy(r"\n[^\S\n]*\n")
_KINDS = (
    ("diff", lazy(r"diff --git |index [0-9a-f]{7,}\.\.|@@ -\d|\+\+\+ [ab/]|--- [ab/]|[+-](?![\s+-])\S")),
    (
        "log",
        lazy(
            r"\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|\[?(?:debug|info|warn(?:ing)?|error|fatal|"
            r"trace|critical)\b[\]: |]|traceback \(|file \"[^\"]+\", line \d|at [\w$.<>/]+\s?\(|caused by: |"
            r"[\w.]{1,80}(?:error|exception)\b: |[$%❯➜>]\s\S|\w+@[\w-]+[:~]|npm (?:err|warn)|[✓✗✘×●]\s)",  # noqa: RUF001
            re.IGNORECASE,
        ),
    ),
    ("markup", lazy(r"\s*(?:</?[a-z!][^<>]*>|<\?xml)", re.IGNORECASE)),
    ("data", lazy(r"\s*(?:[{}\[\]],?$|\"[^\"]*\"\s*:|[{\[]\s*\"|[\w.-]+:\s*[\[{|>]?$)")),
    ("table", lazy(r"\s*\|.*\||[^\t]+\t[^\t]+\t|(?:[^,\s]*,){4,}")),
    (
        "code",
        lazy(
            r"(?:\s{0,40}(?:def|class|function|const|let|var|import|from|return|if|for|while|public|private|export|func|"
            r"fn|package|use|struct|type|interface|async|await|try|catch|#include)\b.*[({;:=]|.*[;{}]\s*$|\s*(?://|/\*|\*/))"
        ),
    ),
)
_DOCUMENT = lazy(
    r"^(?:#{1,6}[^\S\n]+\S|\**(?:from|to|date|subject|title|author|severity|summary|description|steps to reproduce|"
    r"expected(?: behaviou?r| result)?|actual(?: behaviou?r| result)?|impact|affected versions?)\**\s?:"
    r"|-{2,}\s?(?:original|forwarded) message|(?:on|am|el|le) .{4,120} (?:wrote|schrieb|escribió|a écrit)\s?:)",
    re.IGNORECASE | re.MULTILINE,
)
"""Headings and fields of a form: what follows is a document, such as a plan, an issue, a review or a mail."""
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
    outside = _BLOCKS.sub(lambda block: " " * len(block[0]), text)
    begins = _DOCUMENT.search(outside)
    at = begins.start() if begins and len(text) - begins.start() >= _DOCUMENT_LEAST else len(text)
    found = [
        part if len(part.text) >= _LEAST else Part("", part.text) for part in _joined(_paragraphs(text[:at]))
    ]
    return [*found, Part("document", text[at:].strip())] if at < len(text) else found


def _paragraphs(text: str) -> Iterator[Part]:
    end = 0
    for block in _BLOCKS.finditer(text):
        yield from _plain(text[end : block.start()])
        yield Part(block["language"].lower() or "code", block[0].strip())
        end = block.end()
    yield from _plain(text[end:])


def _plain(text: str) -> Iterator[Part]:
    for paragraph in _BREAK.split(text):
        if paragraph.strip():
            yield Part(_kind(paragraph.strip("\n").splitlines()), paragraph.strip())


def _joined(found: Iterator[Part]) -> Iterator[Part]:
    """Neighbours of one kind as one part."""
    for kind, group in groupby(found, key=lambda part: part.kind):
        yield Part(kind, "\n".join(part.text for part in group))


def _kind(lines: list[str]) -> str:
    """What most lines of a paragraph look like."""
    for kind, pattern in _KINDS:
        if sum(map(bool, map(pattern.match, lines))) > _MAJORITY * len(lines):
            return kind
    return ""


def _label(part: Part) -> str:
    lines = [line.strip() for line in part.text.splitlines() if line.strip("`~ \t")]
    first = next((line for line in lines if not line.startswith(("```", "~~~"))), "")
    size = f"{len(part.text) / 1024:.1f} KB" if len(part.text) >= 1024 else f"{len(part.text)} characters"  # noqa: PLR2004
    return f"[pasted {part.kind}, {size}: {first[:_FIRST_LINE]}]"
