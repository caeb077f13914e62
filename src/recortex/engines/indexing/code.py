"""Recognises code and outlines, and reads the name and documentation of a piece of code."""

from __future__ import annotations

from recortex.domain.expressions import lazy
from recortex.engines.words import identifier_parts

_READ = 8_000
"""Characters of a text that are read: its beginning shows what it is."""

_DECLARATION = lazy(
    r"^\s*(?:[A-Za-z_]\w*\.)*(?:(?:export|default|public|private|protected|static|abstract|async|pub)\s+)*"
    r"(?:(?:def|function|func|fn)\s+([A-Za-z_]\w*)\s*[(<]|(?:class|interface|struct|enum|trait|impl|"
    r"type)\s+([A-Z_]\w*))"
)
"""A declaration, also one after the name of its class (`Store.def open(path)`)."""
_STATEMENT = lazy(
    r"^\s*(?:return\b|if\b.*[:{]\s*$|for\b.*[:{]\s*$|while\b.*[:{]\s*$|try\b|raise\b|throw\b|self\.|this\.|"
    r"import\s|from\s+\S+\s+import\b|[\w.\[\]'\"]+\s*[-+|]?=[^=]|[\w.]+\(.*\)\s*;?\s*$|[})\]]+[;,]?\s*$)"
)
_QUOTED = ('"""', "'''")
_SENTENCE = lazy(r"(?<=[.!?])\s")
_DOC_END = lazy(r"\s(?::param|:return|@param|@return|Args:|Parameters\b|Returns:?|-{4,})")
_DOC_WORDS = 60
_LEAST_LINES = 2


def is_code(text: str) -> bool:
    """Whether the text is the body of a function or class: a declaration and, below it, statements."""
    lines = _lines(_without_docstring(text[:_READ]))
    declared = sum(_DECLARATION.match(line) is not None for line in lines[:5])  # decorators may come first
    statements = sum(_STATEMENT.match(line) is not None for line in lines)
    return bool(declared and statements and 3 * statements >= len(lines) - declared)


def is_outline(text: str) -> bool:
    """Whether the text lists declarations without their bodies, as an index of a file does."""
    lines = _lines(text[:_READ])
    declared = sum(_DECLARATION.match(line) is not None for line in lines)
    return len(lines) >= _LEAST_LINES and 2 * declared >= len(lines)


def self_description(text: str) -> str:
    """The words of the first declared name, and the first sentence of its documentation; empty if neither."""
    text = text[:_READ]
    name = next((match[1] or match[2] for line in _lines(text) if (match := _DECLARATION.match(line))), "")
    return " ".join([*identifier_parts(name), *_first_sentence(_docstring(text)).split()[:_DOC_WORDS]])


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _docstring(text: str) -> str:
    start, mark = _doc_start(text)
    if start < 0:
        return ""
    end = text.find(mark, start + 3)
    return text[start + 3 : end if end >= 0 else len(text)]


def _without_docstring(text: str) -> str:
    start, mark = _doc_start(text)
    end = text.find(mark, start + 3) if start >= 0 else -1
    return text if end < 0 else text[:start] + text[end + 3 :]


def _doc_start(text: str) -> tuple[int, str]:
    found = [(place, mark) for mark in _QUOTED if (place := text.find(mark)) >= 0]
    return min(found, default=(-1, ""))


def _first_sentence(documentation: str) -> str:
    line = " ".join(documentation.split())
    return _DOC_END.split(_SENTENCE.split(line, maxsplit=1)[0], maxsplit=1)[0]
