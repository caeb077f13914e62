"""Whether other files may use a definition, as far as its own file says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.code_facts import CONTAINERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.codebase.syntax.captures import Definition

_PRIVATE_MEMBER = re.compile(rb"(?:(?:static|async|readonly|get|set)\s+)*(?:private\b|protected\b|#|_)")
_OPEN = re.compile(r"\b(?:public|protected|internal)\b")
_CLOSED = re.compile(r"\b(?:private|protected)\b")
_BEFORE = 200  # bytes of the line before a definition in which `export` may stand


def exported(one: Definition, parent: Definition | None, head: str, data: bytes, language: str) -> bool:
    """Whether other files may use it.

    Args:
        one: the definition.
        parent: what it lies in.
        head: its signature.
        data: the file.
        language: of its facts.
    """
    if language in {"javascript", "typescript"}:
        return _ecma(one, parent, data)
    if language in {"java", "csharp"}:
        in_interface = parent is not None and parent.kind == "interface"
        return in_interface or _OPEN.search(head) is not None
    return _BY_HEAD[language](one.name.rpartition(".")[2], head)


def _ecma(one: Definition, parent: Definition | None, data: bytes) -> bool:
    if parent is not None and parent.kind in CONTAINERS:
        return _PRIVATE_MEMBER.match(data, one.start) is None
    if one.owner or one.node.type == "assignment_expression":
        return True
    line = data.rfind(b"\n", 0, one.start) + 1
    return b"export" in data[max(line, one.start - _BEFORE) : one.start]


def _python(plain: str, _: str) -> bool:
    return not plain.startswith("_") or (plain.startswith("__") and plain.endswith("__"))


_BY_HEAD: dict[str, Callable[[str, str], bool]] = {
    "python": _python,
    "go": lambda plain, _: plain[:1].isupper(),
    "rust": lambda _, head: head.startswith("pub"),
    "php": lambda _, head: _CLOSED.search(head) is None,
    "c": lambda _, head: not head.startswith(("static ", "inline static ")),
    "cpp": lambda _, head: not head.startswith(("static ", "inline static ")),
}
