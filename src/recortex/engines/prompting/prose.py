"""What of a message may leave this machine: prose, without code, injected text and secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.injection import strip_injected
from recortex.engines.indexing.code import is_code, is_outline
from recortex.engines.privacy import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "[code]"
"""Stands where code stood."""
MAX_MESSAGE = 200_000
"""Characters of a message that are read, as the rules read it; what is longer is pasted material."""

_TAB = 4
_CODE_INDENT = 4
_SHORT = 80
_MARKER = r"(?:[-*+•]|\d{1,9}[.)])"
_OPENING = re.compile(rf"(?P<lead>(?:[ >]|{_MARKER} )*)(?P<fence>`{{3,}}|~{{3,}})(?P<info>[^\n]*)$")
_ITEM = re.compile(rf"\s*{_MARKER}\s")
_INLINE = re.compile(r"(?<!`)(`+)(?!`)(.{1,2000}?)(?<!`)\1(?!`)", re.DOTALL)
_HTML = re.compile(
    r"^(?P<lead>[ >]*)<(pre|code|script|style)\b[^<>]{0,200}>.*?(?:</\2\s*>|\Z)"
    r"|<(pre|code|script|style)\b[^<>]{0,200}>(?:(?!\n[ ]*\n).){0,500}?</\3\s*>",  # within a paragraph
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
# Lines of code: how statements begin and end, how values are set, how diffs and traces are printed.
_LINES_OF_CODE = (
    r".*(?:[;{}]|=>|->|&&|\|\|)",
    r"[)\]}]+[,;)]*",
    r"(?:@\w|#include\b|#!|//|/\*|\*/|<\?|<!|</?\w+[\s/>]).*",
    r"(?:\$|>>>|\.\.\.|%|PS>)\s\S.*",
    r"(?:[-+]{3}\s\S|@@\s|[-+]\s{4,}\S).*|[-+](?!\s).*[(=;{].*",
    r"(?:async\s+)?(?:def|func|fn|function)\s+\w+\s*[(<].*",
    r"(?:class|struct|enum|trait|impl|interface|namespace)\s+\w+(?:\(.*\))?\s*[:{]?",
    r"from\s+[\w.]+\s+import\s.*|import\s+[\w.*]+(?:\s+as\s+\w+|\s+from\s.*|\s*)",
    r"return(?:\s+[\w.\"'-]+)?|return\s.*[(){}=\[\]].*|(?:else|try|finally|do|pass|break|continue)\s*:?",
    r"(?:if|for|while|with|elif|except|switch)\b.*[()=<>\[\]._!].*:",
    r"(?:const|let|var|val)\s+[\w{\[][^=]*=.*|(?:pub|public|private|protected|export|static)\s.*[({=].*",
    r"(?:self|this|console)\.\w.*|raise\s+\w+\(.*|throw\s+new\b.*|await\s+[\w.]+\(.*",
    (
        r"SELECT\s.*|INSERT\s+INTO\s.*|UPDATE\s+\S+\s+SET\s.*|DELETE\s+FROM\s.*|(?:CREATE|ALTER|"
        r"DROP)\s+[A-Z]+\s.*"
    ),
    r"[\w.\[\]\"'*&$-]+(?:\s*:\s*[\w\[\], .|]+)?\s*[-+*/|%]?:?=\s?\S.*|[\w.]+\(.*\)[:,]?",
    r"[\"'][\w.-]+[\"']\s*:\s*\S.*",
    r"(?:File \"|at )\S.*\d.*",
)
_CODE_LINE = re.compile(rf"\s*+(?:{'|'.join(_LINES_OF_CODE)})\s*")
_STATEMENT = re.compile(r"[;\n]|\s[-+*/|:]?=\s|=>|\breturn\s|\bdef\s|\bfunction\b|\(.*\(")
_MARKS = 2
_LINE = 2_000


def prose(text: str, *, person: bool) -> str:
    """A message as it may be sent: code becomes `[code]`, secrets and personal data become placeholders.

    In doubt a line counts as code: a sentence that is lost costs less than a line of code that is given away.

    Args:
        text: the message as a transcript's reader gives it.
        person: a person wrote it, so that what other programs wrap is taken out too.
    """
    clean, _ = strip_injected(text[:MAX_MESSAGE], wrappers=person)
    return redact(without_code(clean)).text.strip()


def without_code(text: str) -> str:
    """The text with each fenced, indented, marked-up or plainly pasted piece of code replaced by `[code]`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(_TAB)
    text = "\n".join(_unfenced(text.split("\n")))
    text = _INLINE.sub(_inline, _HTML.sub(CODE, text))
    lines = _unpasted("\n".join(_unindented(text.split("\n"))))
    return re.sub(rf"{re.escape(CODE)}(?:\s*\n\s*{re.escape(CODE)})+", CODE, lines)


def _unfenced(lines: list[str]) -> Iterator[str]:
    """Fenced blocks, also in lists and quotations; one that is not closed reaches to the end."""
    close: re.Match[str] | None = None
    for line in lines:
        if close is not None:
            close = None if _closes(line, close) else close
            continue
        close = _opens(line)
        yield line if close is None else CODE


def _opens(line: str) -> re.Match[str] | None:
    opening = _OPENING.match(line)
    if opening is None or (opening["fence"][0] == "`" and "`" in opening["info"]):
        return None
    return opening


def _closes(line: str, opening: re.Match[str]) -> bool:
    """Whether a line ends the block: only its fence, no deeper than it began, in the same quotation."""
    quoted = opening["lead"].count(">")
    body = re.sub(rf"^(?:\s{{0,3}}>){{{quoted}}}", "", line) if quoted else line
    bare = body.strip()
    indent = len(body) - len(body.lstrip())
    fence = opening["fence"]
    deepest = len(opening["lead"]) + _CODE_INDENT - 1
    return len(bare) >= len(fence) and set(bare) == {fence[0]} and indent <= deepest


def _inline(span: re.Match[str]) -> str:
    """A name, a call or a command in code marks stays, since lessons speak of them; a statement is code."""
    inside = span[2]
    kept = len(span[1]) <= _MARKS and len(inside) <= _SHORT and _STATEMENT.search(inside) is None
    return span[0] if kept else CODE


def _unindented(lines: list[str]) -> Iterator[str]:
    for line in lines:
        deep = line.startswith(" " * _CODE_INDENT) and line.strip()
        yield CODE if deep and not _ITEM.match(line) else line


def _unpasted(text: str) -> str:
    """Code without marks in a message: paragraphs that read as code, and runs of lines of code."""
    paragraphs = re.split(r"\n[ ]*\n", text)
    return "\n\n".join(
        CODE if is_code(part) or is_outline(part) else "\n".join(_without_runs(part.split("\n")))
        for part in paragraphs
    )


def _without_runs(lines: list[str]) -> Iterator[str]:
    within = False
    for line in lines:
        code = _is_line_of_code(line)
        if not (code and within):
            yield CODE if code else line
        within = code


def _is_line_of_code(line: str) -> bool:
    return len(line) > _LINE or (
        bool(line.strip()) and line.strip() != CODE and _CODE_LINE.fullmatch(line) is not None
    )
