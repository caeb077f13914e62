"""How each client shows where a conversation went on after the person had gone back.

Each function takes one line or record, in the order of the file, and adds what it says to the trail. Keys are
the ids by which the client's parser names pieces, or the place of the line where its messages have no ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from recortex.domain.injection import is_put_in
from recortex.formats.transcripts.decoding import Raw, decode, decode_any, decode_optional
from recortex.formats.transcripts.pieces import SessionLine

if TYPE_CHECKING:
    from recortex.formats.transcripts.trail import Trail

NOTHING = "00000000-0000-0000-0000-000000000000"


class _ClaudeLine(SessionLine, rename="camel", gc=False):
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    leaf_uuid: str | None = None
    explicit: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    turn_position: Raw = Raw()


class _Position(msgspec.Struct, rename="camel", gc=False):
    turn_index: int | None = None


class _Content(msgspec.Struct, gc=False):
    content: Raw = Raw()
    parts: list[dict[str, Any]] | None = None


class ClaudeCode:
    """`parentUuid` names what a line follows; at a compaction, which begins anew, `logicalParentUuid` does.

    Newer clients mark with `last-prompt` where the person went back; when that was to the very beginning, the
    prompt's `turnPosition` alone tells.
    """

    def __init__(self) -> None:
        self._turn = 0  # the place of the last prompt in the conversation, from 1

    def __call__(self, trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG002
        """Take a line. Raises MalformedLineError."""
        line = decode(raw, _ClaudeLine)
        if line.type == "last-prompt":
            self._stands(line, trail)
        elif line.uuid and not line.is_sidechain:
            prompt = _prompted(line)
            parent = line.parent_uuid or line.logical_parent_uuid or ("" if prompt else None)
            trail.add(line.uuid, parent, prompt=prompt)
            if prompt:
                self._turn = decode_optional(line.turn_position, _Position).turn_index or 0

    def _stands(self, line: _ClaudeLine, trail: Trail) -> None:
        if line.leaf_uuid == NOTHING and self._turn == 1:
            trail.begins_anew()
        elif line.leaf_uuid:
            trail.stands_at(line.leaf_uuid, surely=bool(line.explicit))


def _prompted(line: _ClaudeLine) -> bool:
    """Whether a line begins a prompt of whoever talks to the agent."""
    if line.type != "user" or line.is_meta or line.is_compact_summary:
        return False
    content = decode_any(decode_optional(line.message, _Content).content)
    blocks = content if isinstance(content, list) else []
    return not any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)


class _QwenLine(SessionLine, rename="camel", gc=False):
    parent_uuid: str | None = None


def qwen(trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG001
    """`parentUuid`, as in Claude Code; a `rewind` record is the first of the new branch."""
    line = decode(raw, _QwenLine)
    if line.uuid:
        prompt = line.type == "user" and line.subtype is None
        trail.add(line.uuid, line.parent_uuid or ("" if line.subtype == "rewind" else None), prompt=prompt)


class _Entry(msgspec.Struct, rename="camel", gc=False):
    type: str | None = None
    id: str | None = None
    parent_id: str | msgspec.UnsetType | None = msgspec.UNSET
    timestamp: str | float | None = None
    message: Raw = Raw()
    data: Raw = Raw()


class _Role(msgspec.Struct, gc=False):
    role: str | None = None


class Pi:
    """Entries form a tree by `parentId`; going on from an earlier one appends to it."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._chained = False  # an entry names another one, so that one without a parent has none

    def __call__(self, trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG002
        """Take a line. Raises MalformedLineError."""
        line = decode(raw, _Entry)
        if not line.id or line.type == "session":
            return
        key = self._keys[line.id] = f"{line.id} {line.timestamp}"
        prompt = line.type == "message" and decode_optional(line.message, _Role).role == "user"
        anew = line.parent_id is None and self._chained
        trail.add(key, "" if anew else self._keys.get(str(line.parent_id)), prompt=prompt)
        self._chained = self._chained or str(line.parent_id) in self._keys
        if anew and prompt:
            trail.begins_anew()


class _Rewound(msgspec.Struct, rename="camel", gc=False):
    up_to_event_id: str | None = None


def copilot(trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG001
    """Events follow each other; `session.snapshot_rewind` names the first that was taken back."""
    line = decode(raw, _Entry)
    if line.type == "session.snapshot_rewind":
        trail.back_before(decode_optional(line.data, _Rewound).up_to_event_id or "")
    elif line.id:
        trail.add(line.id, prompt=line.type == "user.message")


class _GeminiLine(msgspec.Struct, rename="camel", gc=False):
    id: str | None = None
    type: str | None = None
    content: Raw = Raw()
    update: Raw = msgspec.field(name="$set", default=Raw())
    rewind: str | None = msgspec.field(name="$rewindTo", default=None)


class _Update(msgspec.Struct, gc=False):
    messages: list[Raw] | None = None


def gemini(trail: Trail, raw: bytes, place: str) -> None:
    """`$rewindTo` names the first message that was taken back; where none has that id, all were."""
    line = decode(raw, _GeminiLine)
    if line.rewind and not trail.back_before(line.rewind):
        trail.tip = ""
    for message in decode_optional(line.update, _Update).messages or ():
        gemini(trail, bytes(message), place)
    if line.id and line.type:
        parts = decode_any(line.content) if line.type == "user" else None
        results = any(isinstance(part, dict) and "functionResponse" in part for part in parts or ())
        trail.add(line.id, prompt=line.type == "user" and not results)


class _CodexLine(msgspec.Struct, gc=False):
    type: str | None = None
    ordinal: int | None = None
    payload: Raw = Raw()


class _CodexItem(msgspec.Struct, gc=False):
    type: str | None = None
    role: str | None = None
    turn_id: str | None = None
    num_turns: int | None = None
    content: Raw = Raw()


class Codex:
    """`thread_rolled_back` says how many of the turns that the person began were taken back.

    What the client puts into messages of the person, and turns without such a message, do not count.
    """

    def __init__(self) -> None:
        self._turn = ""
        self._begun = ""  # the turn whose first message was seen

    def __call__(self, trail: Trail, raw: bytes, place: str) -> None:
        """Take a line. Raises MalformedLineError."""
        line = decode(raw, _CodexLine)
        item = decode(bytes(line.payload) or raw, _CodexItem)
        if trail.end is not None and (line.ordinal or 0) >= trail.end:
            trail.dropped.add(place)
        if line.type == "turn_context" or item.type == "task_started":
            self._turn = item.turn_id or ""
        if item.type == "thread_rolled_back":
            prompts = trail.prompts()[: max(item.num_turns or 0, 0)]
            if prompts:
                trail.back_before(prompts[-1])
            return
        message = item.type == "message" and item.role == "user" and _typed(decode_any(item.content))
        first = bool(message) and (not self._turn or self._turn != self._begun)
        trail.add(place, prompt=first)
        if first:
            self._begun = self._turn


def _typed(content: Any) -> bool:
    blocks = content if isinstance(content, list) else [content]
    texts = [one.get("text") if isinstance(one, dict) else one for one in blocks]
    return any(isinstance(text, str) and text.strip() and not is_put_in(text) for text in texts)
