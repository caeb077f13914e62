"""The part of a message that may leave this machine: prose, without code, injected text and secrets."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.injection import strip_injected
from recortex.engines.indexing.pieces import is_code, is_outline
from recortex.engines.patterns import Patterns
from recortex.engines.privacy import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.transcript import Turn


PATTERNS = Patterns(__file__)

CODE = "[code]"
"""Replaces code."""
MAX_MESSAGE = 200_000
"""Characters of a message that are read, as the rules do; longer ones are pasted."""

_TAB = 4
_CODE_INDENT = 4
_SHORT = 80
_MARKS = 2
_LINE = 2_000


def prose(text: str, *, person: bool) -> str:
    """A message as it may be sent: code becomes `[code]`, secrets and personal data become placeholders.

    In doubt a line counts as code: losing a sentence is better than sending code.

    Args:
        text: the message as the transcript's reader returns it.
        person: whether a person wrote it; then wrapped text of other programs is removed too.
    """
    clean, _ = strip_injected(text[:MAX_MESSAGE], wrappers=person)
    return redact(without_code(clean)).text.strip()


def without_code(text: str) -> str:
    """The text with each fenced, indented, marked-up or plainly pasted piece of code replaced by `[code]`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(_TAB)
    text = "\n".join(_unfenced(text.split("\n")))
    text = PATTERNS.inline.sub(_inline, PATTERNS.html.sub(CODE, text))
    lines = _unpasted("\n".join(_unindented(text.split("\n"))))
    return re.sub(rf"{re.escape(CODE)}(?:\s*\n\s*{re.escape(CODE)})+", CODE, lines)


def _unfenced(lines: list[str]) -> Iterator[str]:
    """Replace fenced blocks, also in lists and quotations; one that is not closed goes to the end."""
    close: re.Match[str] | None = None
    for line in lines:
        if close is not None:
            quoted = close["lead"].count(">")
            body = re.sub(rf"^(?:\s{{0,3}}>){{{quoted}}}", "", line) if quoted else line
            bare = body.strip()
            indent = len(body) - len(body.lstrip())
            fence = close["fence"]
            deepest = len(close["lead"]) + _CODE_INDENT - 1
            close = (
                None if (len(bare) >= len(fence) and set(bare) == {fence[0]} and indent <= deepest) else close
            )
            continue
        close = _opens(line)
        yield line if close is None else CODE


def _opens(line: str) -> re.Match[str] | None:
    opening = PATTERNS.opening.match(line)
    if opening is None or (opening["fence"][0] == "`" and "`" in opening["info"]):
        return None
    return opening


def _inline(span: re.Match[str]) -> str:
    """Keep a name, a call or a command in code marks, since lessons are about them; a statement is code."""
    inside = span[2]
    kept = len(span[1]) <= _MARKS and len(inside) <= _SHORT and PATTERNS.statement.search(inside) is None
    return span[0] if kept else CODE


def _unindented(lines: list[str]) -> Iterator[str]:
    for line in lines:
        deep = line.startswith(" " * _CODE_INDENT) and line.strip()
        yield CODE if deep and not PATTERNS.item.match(line) else line


def _unpasted(text: str) -> str:
    """Replace code without marks: paragraphs that read as code, and runs of lines of code."""
    paragraphs = re.split(r"\n[ ]*\n", text)
    return "\n\n".join(
        CODE if is_code(part) or is_outline(part) else "\n".join(_without_runs(part.split("\n")))
        for part in paragraphs
    )


def _without_runs(lines: list[str]) -> Iterator[str]:
    within = False
    for line in lines:
        code = len(line) > _LINE or (
            bool(line.strip()) and line.strip() != CODE and PATTERNS.code_line.fullmatch(line) is not None
        )
        if not (code and within):
            yield CODE if code else line
        within = code


# -- selects the part of a transcript that is sent to a language model at once


MAX_BYTES = 100 * 1024
"""Bytes of a transcript that are sent at once."""
HARMLESS = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"
_MARK = re.compile(r"<(?=/?turn\b)", re.IGNORECASE)
_FRAME = 60
"""The most bytes of the tags around a turn."""


class SentTurn(NamedTuple):
    """A turn, and the text of it that is sent."""

    turn: Turn
    text: str


class TranscriptPart(NamedTuple):
    """The turns that are sent at once.

    Attributes:
        sent: those with text.
        turns: how many of the given turns are done; the others are left for another pass.
    """

    sent: tuple[SentTurn, ...]
    turns: int

    def transcript(self) -> str:
        """The turns between tags that no turn can forge."""
        return "\n".join(
            f'<turn n="{number}" role="{one.turn.role}">\n{_MARK.sub(HARMLESS, one.text)}\n</turn>'
            for number, one in enumerate(self.sent, 1)
        )


def part_of(turns: Sequence[Turn], limit: int = MAX_BYTES) -> TranscriptPart:
    """The first turns that fit into a pass; at least one, cut if it alone is too long.

    The instructions of sub-agents, which no person wrote, and turns without prose are left out.
    """
    sent: list[SentTurn] = []
    size = 0
    for done, turn in enumerate(turns):
        theirs = turn.by_person or turn.role != "user"
        text = prose(turn.text, person=turn.by_person) if theirs else ""
        if not text.replace(CODE, "").strip():
            continue
        room = limit - size - _FRAME
        if (needed := len(text.encode("utf-8", "replace"))) > room:
            if sent:
                return TranscriptPart(tuple(sent), done)
            text = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
            needed = room
        sent.append(SentTurn(turn, text))
        size += needed + _FRAME
    return TranscriptPart(tuple(sent), len(turns))


# -- the prompts, which are files in `prompts/`, and the schema of the answers


_FOLDER = Path(__file__).parent / "prompts"


@cache
def template(name: str) -> Template:
    """The prompt of `prompts/NAME.md`; `$words` in it are filled in by the caller."""
    return Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def list_schema(name: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with one list, of objects with these properties, all of them required."""
    item = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": item}},
        "required": [name],
        "additionalProperties": False,
    }
