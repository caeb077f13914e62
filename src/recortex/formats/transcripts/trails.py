"""How each client shows where a conversation went on after the person had gone back.

Each function takes one line or record, in the order of the file, and adds what it says to the trail. Keys are
the ids by which the client's parser names pieces, or the place of the line where its messages have no ids.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from recortex.domain.injection import is_put_in
from recortex.formats.transcripts.decoding import Raw, decode, decode_any, decode_optional
from recortex.formats.transcripts.pieces import SessionLine

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


# -- which lines of a transcript the person took back: those that do not lead to where the conversation


class _TrailEntry(NamedTuple):
    """An entry: the one that it follows, as far as the client says; the one before it in the file."""

    parent: str | None
    before: str
    prompt: bool


class Trail:
    """The entries of one transcript, added in the order of the file; keys are the client's ids or places.

    Args:
        end: the number of the first entry of which another file says that it was taken back, if there is one.

    Attributes:
        tip: the entry after which the conversation goes on.
        dropped: the entries from there on, as far as they are numbered.
    """

    def __init__(self, end: int | None = None) -> None:
        self.end = end
        self._entries: dict[str, _TrailEntry] = {}
        self._doubtful: set[str] = set()  # prompts that begin anew, if the client stood at what came of them
        self._leaves: list[str] = []
        self.tip = ""
        self.dropped: set[str] = set()

    @property
    def keys(self) -> frozenset[str]:
        """All entries."""
        return frozenset(self._entries)

    def add(self, key: str, parent: str | None = None, *, prompt: bool = False) -> None:
        """Add an entry.

        Args:
            key: of the entry; one that is known is a copy and changes nothing.
            parent: what it follows: empty for nothing, None where the client does not say.
            prompt: a prompt begins with it.
        """
        if key in self._entries:
            return
        if parent == "" and prompt and self._entries:
            self._doubtful.add(key)
        self._entries[key] = _TrailEntry(self.tip if parent is None else parent, self.tip, prompt)
        self.tip = key

    def stands_at(self, key: str, *, surely: bool = False) -> None:
        """The client says that the conversation stands at an entry, or `surely` that it went back there."""
        if key in self._entries:
            self._leaves.append(key)
            self.tip = key if surely else self.tip

    def begins_anew(self) -> None:
        """The client says that the prompt to which the last entry belongs follows nothing."""
        prompt = self._prompt_of({}, self.tip)
        if prompt:
            self._entries[prompt] = self._entries[prompt]._replace(parent="", before="")

    def back_before(self, key: str) -> bool:
        """The person went back to where the conversation stood before an entry; False if there is none."""
        known = key in self._entries
        self.tip = self._entries[key].before if known else self.tip
        return known

    def prompts(self) -> list[str]:
        """The prompts on the way to where the conversation stands, the last first."""
        found: dict[str, None] = {}
        prompt = self._prompt_of({}, self.tip)
        while prompt and prompt not in found:
            found[prompt] = None
            prompt = self._prompt_of({}, self._parent(prompt))
        return list(found)

    def taken_back(self) -> frozenset[str]:
        """The entries that were taken back."""
        for key in [key for key in self._doubtful if any(self._leads(leaf, key) for leaf in self._leaves)]:
            self._doubtful.remove(key)
        standing, owner = set(self.prompts()), dict[str, str]()
        return frozenset(
            key for key in self._entries if (prompt := self._prompt_of(owner, key)) and prompt not in standing
        )

    def _leads(self, leaf: str, root: str) -> bool:
        seen = set[str]()
        while leaf and leaf not in seen and leaf != root:
            seen.add(leaf)
            leaf = self._parent(leaf)
        return leaf == root

    def _parent(self, key: str) -> str:
        """What an entry follows; where the client names nothing that is here, what stands before it."""
        entry = self._entries[key]
        if entry.parent in self._entries or (entry.parent == "" and key not in self._doubtful):
            return entry.parent
        return entry.before

    def _prompt_of(self, owner: dict[str, str], key: str) -> str:
        """The prompt that an entry belongs to; empty before the first. `owner` keeps what was found."""
        passed: dict[str, None] = {}
        while key and key not in owner and key not in passed:
            if self._entries[key].prompt:
                owner[key] = key
                break
            passed[key] = None
            key = self._parent(key)
        found = owner.get(key, "")
        owner.update(dict.fromkeys(passed, found))
        return found
