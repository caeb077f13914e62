"""Exports of ChatGPT and claude.ai: many conversations in one file, each read as a list of messages.

A conversation's path is that of the file with its id below it, as that of a session in a database. Of a
conversation in which the person changed a message and asked again, only the branch that they were left with
is read, and of a message only what was typed: no attachments, and no instructions that the site sent along.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from recortex.errors import FormatError
from recortex.filesystem import read_regular
from recortex.formats.transcripts.databases import Kept
from recortex.formats.transcripts.pieces import moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MOST_BYTES = 512 * 1024 * 1024
_HEAD = 65_536
_TYPED = frozenset(("text", "multimodal_text"))
_LONGEST = 100_000
"""Messages of one conversation: a broken file may lead in a circle."""


def is_web_export(path: Path) -> bool:
    """Whether a file is such an export; by its name first, so that other JSON files are not opened for it."""
    if not (path.name.startswith("conversations") and path.suffix == ".json" and path.is_file()):
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"[") and (b'"chat_messages"' in head or b'"mapping"' in head)


def conversations(path: Path) -> list[Kept]:
    """The conversations of an export.

    Raises:
        FormatError: it is broken.
        UntrustedFileError: it is no regular file, or too large.
        OSError: it cannot be read.
    """
    size, found = path.stat(), _parsed(path)
    each = size.st_size // max(1, len(found))
    return [Kept(path / id_, each, _changed(one) or size.st_mtime) for id_, one in found.items()]


def conversation(path: Path) -> bytes:
    """The messages of a conversation, one a line.

    Raises:
        FormatError: the export is broken, or has no such conversation.
        UntrustedFileError: it is no regular file, or too large.
        OSError: it cannot be read.
    """
    found = _parsed(path.parent).get(path.name)
    if found is None:
        raise FormatError(f"{path.parent} has no conversation {path.name}.", hint="Export it again.")
    said = _of_claude(found) if "chat_messages" in found else _of_chatgpt(found)
    return b"".join(json.dumps(one, ensure_ascii=True).encode() + b"\n" for one in said)


def _parsed(path: Path) -> dict[str, Mapping[str, Any]]:
    state = path.stat()
    return _read(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1)  # a file of some hundred megabytes is not read anew for each of its conversations
def _read(path: Path, _size: int, _changed: int) -> dict[str, Mapping[str, Any]]:
    try:
        whole = json.loads(read_regular(path, MOST_BYTES).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path} is no JSON: {error}.", hint="Export it again.") from error
    found: dict[str, Mapping[str, Any]] = {}
    for one in whole if isinstance(whole, list) else ():
        ids = [one.get(name) for name in ("uuid", "conversation_id", "id")] if isinstance(one, dict) else []
        id_ = next(filter(None, ids), "")
        if isinstance(id_, str) and id_ and "/" not in id_:
            found[id_] = one
    return found


def _changed(one: Mapping[str, Any]) -> float:
    at = moment(one.get("update_time") or one.get("updated_at"))
    return at.timestamp() if at else 0.0


def _of_claude(one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for message in one.get("chat_messages") or ():
        if not isinstance(message, dict):
            continue
        blocks = [part for part in message.get("content") or () if isinstance(part, dict)]
        typed = [part["text"] for part in blocks if part.get("type") == "text" and part.get("text")]
        text = "\n\n".join(map(str, typed)) or message.get("text")
        role = "user" if message.get("sender") == "human" else "assistant"
        yield from _message(role, text, message.get("uuid"), message.get("created_at"))


def _of_chatgpt(one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    nodes = one.get("mapping")
    nodes = nodes if isinstance(nodes, dict) else {}
    branch: dict[str, Any] = {}
    at = one.get("current_node")
    while isinstance(at, str) and at in nodes and at not in branch and len(branch) < _LONGEST:
        node = nodes[at] if isinstance(nodes[at], dict) else {}
        branch[at] = node.get("message")
        at = node.get("parent")
    for id_, message in reversed(branch.items()):
        about = message if isinstance(message, dict) else {}
        author, content, more = (about.get(name) or {} for name in ("author", "content", "metadata"))
        if not (isinstance(author, dict) and isinstance(content, dict) and isinstance(more, dict)):
            continue
        hidden = more.get("is_visually_hidden_from_conversation") or about.get("recipient", "all") != "all"
        if hidden or content.get("content_type") not in _TYPED:
            continue
        typed = [part for part in content.get("parts") or () if isinstance(part, str) and part.strip()]
        yield from _message(author.get("role"), "\n\n".join(typed), id_, about.get("create_time"))


def _message(role: object, text: object, id_: object, at: object) -> Iterator[dict[str, Any]]:
    if role in {"user", "assistant"} and isinstance(text, str) and text.strip():
        yield {"role": role, "content": text, "id": id_, "timestamp": at}
