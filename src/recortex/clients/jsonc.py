"""Edits JSON with comments as text: everything else keeps its bytes.

Libraries that read comments either drop them on writing or reflow the file; the clients' files are edited by
people, and some by the client at the same time, so only the span of a member is ever touched.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recortex.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

DEEPEST = 100
"""Objects and lists within one another; a deeper text is refused."""
_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]++|//[^\n]*+|/\*(?s:.*?)\*/)*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\.)*+"')
_SCALAR = re.compile(r"true|false|null|-?[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+")
_BESIDE = re.compile(r"[ \t]*+(?://[^\r\n]*+|/\*(?:(?!\*/)[^\r\n])*+\*/[ \t]*+(?=\r?\n))")
_INDENT = re.compile(r"^([ \t]++)\S", re.MULTILINE)

Key = str | int


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands.

    Attributes:
        start: of its first character; `end` is behind its last.
        items: of an object or list, in the order of the text.
        value: of a scalar.
    """

    start: int
    end: int
    kind: str
    items: tuple[Item, ...] = ()
    value: Any = None

    def find(self, key: Key) -> Item | None:
        """The item under a key; the last of several, as parsers take it."""
        return next((item for item in reversed(self.items) if item.key == key), None)

    def plain(self) -> Any:
        """The value as Python has it."""
        if self.kind == "object":
            return {item.key: item.node.plain() for item in self.items}
        return [item.node.plain() for item in self.items] if self.kind == "list" else self.value


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an object, or an element of a list under its index.

    Attributes:
        start: of the key, or of the element.
        after: behind the comma that follows; behind the value where none does.
        comma: one follows.
    """

    key: Key
    start: int
    node: Node
    after: int
    comma: bool


def parse(text: str) -> Node:
    """The value of a text, with its places; comments and commas before a closing bracket are allowed.

    Raises:
        FormatError: it is no such text; the message names the line.
    """
    node = _value(text, _skip(text, 0), 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _wrong(text, end)
    return node


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a value under a path of keys; objects on the way are made, a new member comes first.

    Raises:
        FormatError: the text cannot be read, or something on the way is no object.
    """
    node = parse(text) if text.strip() else parse(text := "{}\n")
    for depth, key in enumerate(path):
        if node.kind != "object":
            raise FormatError(f"{'.'.join(path[:depth]) or 'The whole'} is not an object.")
        item = node.find(key)
        if item is None:
            return _insert(text, node, depth, key, _nested(path[depth + 1 :], value))
        node = item.node
    return text[: node.start] + _written(text, value, len(path)) + text[node.end :]


def prepend(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a value put first into the list under a path; the list is made where there is none.

    Raises:
        FormatError: the text cannot be read, or what is there is no list.
    """
    node = at(parse(text), path) if text.strip() else None
    if node is None:
        return put(text, path, [value])
    if node.kind != "list":
        raise FormatError(f"{'.'.join(path)} is not a list.")
    return _insert(text, node, len(path), None, value)


def remove(text: str, path: Sequence[Key]) -> str:
    """The text without what is under a path, nor the objects and lists that this leaves empty."""
    node, holder = parse(text), None
    for key in path:
        holder, item = node, node.find(key)
        if item is None:
            return text
        node = item.node
    if holder is None:
        return text
    text = _without(text, holder, path[-1])
    left = at(parse(text), path[:-1])
    emptied = left is not None and not text[left.start + 1 : left.end - 1].strip()
    return remove(text, path[:-1]) if emptied and len(path) > 1 else text


def at(node: Node, path: Sequence[Key]) -> Node | None:
    """What is under a path; None where there is nothing."""
    for key in path:
        item = node.find(key)
        if item is None:
            return None
        node = item.node
    return node


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _insert(text: str, holder: Node, depth: int, key: str | None, value: Any) -> str:
    """First, so that no line of another member changes.

    Behind a comment that stands beside the opening bracket.
    """
    label = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    flat = _on_one_line(text) or (bool(holder.items) and "\n" not in text[holder.start : holder.end])
    entry = label + (_flat(value) if flat else _written(text, value, depth + 1))
    opened, comma = holder.start + 1, "," if holder.items else ""
    if flat:
        return text[:opened] + entry + comma + text[opened:]
    beside = _BESIDE.match(text, opened)
    opened = beside.end() if beside else opened
    line, rest = _newline(text) + _indent(text) * (depth + 1), text[opened:]
    if not text[opened : holder.end - 1].strip():
        rest = _newline(text) + _indent(text) * depth + text[holder.end - 1 :]
    return text[:opened] + line + entry + comma + rest


def _without(text: str, holder: Node, key: Key) -> str:
    index = next(number for number, item in reversed(list(enumerate(holder.items))) if item.key == key)
    item = holder.items[index]
    before, rest = text[: item.start].rstrip(), text[item.after :]
    if not item.comma and index:
        comma = holder.items[index - 1].after
        before = before[: comma - 1] + before[comma:]
    if (
        len(holder.items) == 1
        and before.endswith(("{", "["))
        and not text[item.after : holder.end - 1].strip()
    ):
        return before + text[holder.end - 1 :]
    in_comment = "//" in before.rpartition("\n")[2] and rest.lstrip(" \t")[:1] not in {"\r", "\n"}
    return before + (_newline(text) if in_comment else "") + rest


def _written(text: str, value: Any, depth: int) -> str:
    if _on_one_line(text):
        return _flat(value)
    lines = json.dumps(value, ensure_ascii=False, indent=_indent(text)).split("\n")
    return (_newline(text) + _indent(text) * depth).join(lines)


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _on_one_line(text: str) -> bool:
    return "\n" not in text.strip() and text.strip(" \t\r\n\ufeff") not in {"", "{}"}


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _value(text: str, place: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise FormatError(f"It is nested more than {DEEPEST} deep.")
    opening = text[place : place + 1]
    if opening in {"{", "["}:
        return _items(text, place, depth, "object" if opening == "{" else "list")
    found = _STRING.match(text, place) if opening == '"' else _SCALAR.match(text, place)
    if found is None:
        raise _wrong(text, place)
    return Node(place, found.end(), "scalar", value=_decoded(text, place, found[0]))


def _items(text: str, place: int, depth: int, kind: str) -> Node:
    closing = "}" if kind == "object" else "]"
    items: list[Item] = []
    here, more = _skip(text, place + 1), True
    while text[here : here + 1] != closing:
        if not more:
            raise _wrong(text, here)
        item = _item(text, here, depth, len(items) if kind == "list" else None)
        items.append(item)
        here, more = _skip(text, item.after), item.comma
    return Node(place, here + 1, kind, tuple(items))


def _item(text: str, start: int, depth: int, index: int | None) -> Item:
    key: Key
    if index is None:
        found = _STRING.match(text, start)
        colon = _skip(text, found.end()) if found else start
        if found is None or text[colon : colon + 1] != ":":
            raise _wrong(text, colon)
        key, place = str(_decoded(text, start, found[0])), _skip(text, colon + 1)
    else:
        key, place = index, start
    node = _value(text, place, depth + 1)
    comma = _skip(text, node.end)
    follows = text[comma : comma + 1] == ","
    return Item(key, start, node, comma + 1 if follows else node.end, follows)


def _decoded(text: str, place: int, part: str) -> Any:
    try:
        return json.loads(part)
    except ValueError:
        raise _wrong(text, place) from None


def _wrong(text: str, place: int) -> FormatError:
    line = text.count("\n", 0, place) + 1
    what = repr(text[place : place + 20]) if place < len(text) else "the end"
    return FormatError(f"Line {line} is no JSON: {what} is not expected there.")
