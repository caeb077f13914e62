"""The contents of one line of a transcript, in the same form for every client."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from dataclasses import replace as dataclasses_replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast, get_args

import msgspec
from msgspec.structs import replace

from recortex.domain.exchange import ToolCall
from recortex.domain.text import INTERRUPTED, is_init, is_put_in, strip_injected, untagged
from recortex.formats.hook_events import (
    as_mapping,
    command_of,
    files_of,
    is_own_command,
    is_own_tool,
    is_writing,
)
from recortex.lean import blake2b

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from recortex.domain.exchange import Author, Form, Role


OUTPUT_LIMIT = 4_000  # characters of a tool's output that are kept
TAKEN_BACK = "taken back"  # why a line adds nothing that the person took back
TEXT_LIMIT = 200_000  # characters of one turn that are kept; only pasted files are longer


class MalformedLineError(ValueError):
    """A line is not JSON, or does not have the fields of its type. The reader catches and counts it."""


class Result(msgspec.Struct, frozen=True):
    """The result of a tool call. `ok` is None if the client does not say whether it succeeded."""

    call: str
    ok: bool | None
    output: str


class Piece(msgspec.Struct, frozen=True):
    """A message or a part of one.

    Attributes:
        role: `results` carries only tool results, which belong to an earlier message.
        group: pieces of one role with the same group are one turn; empty stands alone.
        whole: the piece replaces what its group said so far (the client wrote the message again, longer).
        ends_calls: tool calls still open will get no result any more.
        joint: what stands between this piece's text and the text before it.
        raw: injected text has not been taken out yet; it may span pieces.
        form, asked, certain: as in `Turn`; so is author, of which the last piece of a turn has the say.
        held: whether this was said is not settled yet; a later line tells by naming its `group`.
    """

    role: Role | Literal["results"]
    text: str = ""
    group: str = ""
    uuid: str = ""
    at: datetime | None = None
    calls: tuple[ToolCall, ...] = ()
    results: tuple[Result, ...] = ()
    injected: str = ""
    cwd: str = ""
    branch: str = ""
    sidechain: bool = False
    whole: bool = False
    ends_calls: bool = False
    joint: str = "\n\n"
    raw: bool = False
    form: Form = "prompt"
    asked: str = ""
    author: Author = "person"
    certain: bool = True
    held: bool = False


class Header(msgspec.Struct, frozen=True):
    """What a line says about its session; unknown fields are empty."""

    session_id: str = ""
    version: str = ""
    cwd: str = ""
    branch: str = ""
    parent_session: str = ""
    at: datetime | None = None


class Parsed(msgspec.Struct, frozen=True):
    """A parsed line.

    Attributes:
        pieces: what it adds to the conversation.
        skipped: why it adds nothing; empty when there are pieces.
        carried: injected text that belongs to the next turn.
        interrupted: the person stopped the agent here.
        told: groups that were held and stand.
        withdrawn: groups that were held and do not stand: told elsewhere, or taken back.
    """

    pieces: tuple[Piece, ...] = ()
    skipped: str = ""
    header: Header | None = None
    carried: str = ""
    interrupted: bool = False
    uuid: str = ""
    told: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()

    def under(self, header: Header, uuid: str = "") -> Parsed:
        """The same with the line's header and id."""
        return replace(self, header=header, uuid=uuid)


class SessionLine(msgspec.Struct, rename="camel", gc=False):
    """The fields of a line that Claude Code and Qwen Code both write."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    session_id: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    is_sidechain: bool | None = None
    message: msgspec.Raw = msgspec.Raw()

    @property
    def label(self) -> str:
        """Type and subtype, by which lines that are skipped are counted."""
        kind = self.type or "untyped"
        return f"{kind}/{self.subtype}" if self.subtype else kind

    def header(self, session: str, parent: str = "") -> Header:
        """What the line says about its session."""
        version, cwd, branch = self.version or "", self.cwd or "", self.git_branch or ""
        return Header(session, version, cwd, branch, parent, moment(self.timestamp))

    def piece(self, role: Any, **fields: Any) -> Piece:
        """A piece with the line's id, time and place."""
        return Piece(
            role,
            uuid=self.uuid or "",
            at=moment(self.timestamp),
            cwd=self.cwd or "",
            branch=self.git_branch or "",
            sidechain=bool(self.is_sidechain),
            **fields,
        )


def spoken(piece: Piece, blocks: Iterable[str], *, empty: str = "empty") -> Parsed:
    """A message of these text blocks. Text that programs inserted is separated from what was said.

    Args:
        piece: the message without its text.
        blocks: its texts, each of which may have been cut by a client.
        empty: the reason to count when nothing is left of it and nothing was injected.
    """
    clean: list[str] = []
    taken: list[str] = []
    for block in blocks:
        whole = piece.role == "user" and (is_put_in(block) or is_init(block))
        said, injected = (
            ("", untagged(block)) if whole else strip_injected(block, wrappers=piece.role != "assistant")
        )
        clean.extend([said] if said else [])
        taken.extend([injected] if injected else [])
    text, injected = "\n\n".join(clean), "\n".join(taken)
    if text or piece.calls or piece.results:
        return Parsed((replace(piece, text=text, injected=injected),))
    return Parsed(
        skipped="injected" if injected else empty,
        carried=injected,
        interrupted=piece.role == "user" and INTERRUPTED in injected,
    )


def with_carried(parsed: Parsed, text: str) -> Parsed:
    """The same message with more inserted text."""
    if not text:
        return parsed
    carried = "\n".join(filter(None, (parsed.carried, text)))
    return replace(parsed, skipped=parsed.skipped and "injected", carried=carried)


def shorten(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """Beginning and end of a text, at most `limit` characters in total; the gap states its size."""
    if len(text) <= limit:
        return text
    gap = f"\n[… {len(text) - limit} characters left out …]\n"
    keep = limit - len(gap)
    head = keep // 2
    return text[:head] + gap + text[len(text) - (keep - head) :]


def moment(value: str | float | None) -> datetime | None:
    """A time in ISO 8601 or as seconds or milliseconds since 1970; None for anything else.

    Naive times are UTC.
    """
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value)
            return at if at.tzinfo else at.replace(tzinfo=UTC)
        if value is None or value <= 0:
            return None
        # 10^11 seconds is the year 5138, 10^11 milliseconds is 1973
        return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)  # noqa: PLR2004
    except (ValueError, OverflowError, OSError):
        return None


def fingerprint(*parts: str) -> str:
    """An id for what has none: the same parts have the same."""
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


# -- tool calls of any client: which argument is the command, which are files, which tools write


ARGUMENT_LIMIT = 2_000

_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:?) (\d{1,5})\s*$", re.MULTILINE)
_WRAPPED_CALLS = frozenset(("tool_call", "call_mcp_tool"))  # tools that call a deferred tool by its name


def tool_call(call: str, name: str, arguments: Any) -> ToolCall:
    """A call without its result. `arguments` may have any type; JSON in a string is parsed."""
    given = as_mapping(arguments)
    if name in _WRAPPED_CALLS and isinstance(given.get("name"), str):
        name, given = given["name"], as_mapping(given.get("arguments"))
    command = command_of(name, given)
    if is_own_tool(name) or is_own_command(command):
        return ToolCall(call, name, command=command, injected=True)
    return ToolCall(
        id=call,
        name=name,
        command=command,
        files=files_of(name, given),
        writes=is_writing(name, given),
        arguments={str(key): _as_argument(value) for key, value in given.items()},
    )


def answered(call: ToolCall, ok: bool | None, output: str) -> ToolCall:
    """The call with its result; the output of Recortex's own tools is left out."""
    return dataclasses_replace(
        call, ok=ok, output="" if call.injected else shorten(strip_injected(output)[0])
    )


def exit_code_ok(output: str) -> bool | None:
    """Whether the exit code at the beginning of an output is 0; None if it has none."""
    found = _EXIT_CODE.search(output, 0, 400)
    return None if found is None else int(found[1]) == 0


def plain(value: Any) -> str:
    """The text of a tool's output.

    A string, a list of text blocks, or an object with one of the usual fields.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(plain, value)))
    if isinstance(value, dict):
        for key in ("text", "output", "content", "error", "stdout"):
            if isinstance(value.get(key), str | list):
                return plain(value[key])
    return ""


def _as_argument(value: Any) -> str:
    if isinstance(value, str):
        return shorten(value, ARGUMENT_LIMIT)
    try:
        return shorten(json.dumps(value, ensure_ascii=False), ARGUMENT_LIMIT)
    except (ValueError, RecursionError):
        return ""


# -- decodes JSON into small typed structs: fast if it is well formed, lenient if it is not


S = TypeVar("S", bound=msgspec.Struct)
Raw = msgspec.Raw

_ANY = msgspec.json.Decoder()
_decoder = cache(msgspec.json.Decoder)


def decode(raw: bytes | Raw, shape: type[S]) -> S:
    """Read a JSON object; fields of a wrong type are left at their defaults.

    Raises:
        MalformedLineError: it is no JSON object.
    """
    try:
        return cast("S", _decoder(shape).decode(raw))
    except msgspec.ValidationError:
        return _lenient(_any(raw), shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _lenient(_repaired(raw), shape)


def decode_optional(raw: Raw, shape: type[S]) -> S:
    """Read a JSON object inside another one; all defaults if it is absent or malformed."""
    try:
        return decode(raw, shape)
    except MalformedLineError:
        return shape()


def decode_any(raw: bytes | Raw) -> Any:
    """Read any JSON value. Raises MalformedLineError for anything else; an absent value is None."""
    if not bytes(raw):
        return None
    try:
        return _any(raw)
    except MalformedLineError:
        return _repaired(raw)


def _any(raw: bytes | Raw) -> Any:
    try:
        return _ANY.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedLineError(str(error)) from error


def _repaired(raw: bytes | Raw) -> Any:
    """Parse with the standard library, which accepts lone surrogates and control characters; replace them."""
    try:
        text = bytes(raw).decode("utf-8", "replace")
        value = json.loads(text, strict=False, parse_constant=lambda _: None)
        return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise MalformedLineError(str(error)) from error


def _lenient(value: Any, shape: type[S]) -> S:
    if not isinstance(value, dict):
        raise MalformedLineError(f"{type(value).__name__} where an object is due")
    fields: dict[str, Any] = {}
    for known in msgspec.structs.fields(shape):
        if known.encode_name in value:
            try:
                fields[known.name] = _converted(value[known.encode_name], known.type)
            except (msgspec.ValidationError, RecursionError):
                continue
    return shape(**fields)


def _converted(value: Any, kind: Any) -> Any:
    if kind is Raw:
        return Raw(json.dumps(value).encode())
    if isinstance(value, list) and list[Raw] in get_args(kind):
        return [Raw(json.dumps(item).encode()) for item in value]
    return msgspec.convert(value, kind)


# -- a message's content as the APIs of models have it, which most clients write as it is


class Message(msgspec.Struct, gc=False):
    """A message of whose fields every client writes some."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: str | list[Raw] | None = None


class _Block(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    input: Raw = Raw()
    arguments: Raw = Raw()
    content: Raw = Raw()


class Content(NamedTuple):
    """What the blocks of a message hold.

    Attributes:
        thought: there are thoughts, which are not kept.
    """

    texts: list[str]
    calls: tuple[ToolCall, ...] = ()
    results: tuple[Result, ...] = ()
    thought: bool = False

    @classmethod
    def read(cls, content: str | list[Raw] | None) -> Content:
        """The content of a message: a text, or blocks of which a malformed one does not lose the others."""
        if isinstance(content, str):
            return cls([content] if content else [])
        blocks: list[_Block] = []
        for raw in content or ():
            with suppress(MalformedLineError):
                blocks.append(decode(raw, _Block))
        return cls(
            [block.text for block in blocks if block.type == "text" and block.text],
            tuple(
                tool_call(
                    block.id or "", block.name or "", decode_any(block.input) or decode_any(block.arguments)
                )
                for block in blocks
                if block.type in _CALLS
            ),
            tuple(
                Result(block.tool_use_id or "", not block.is_error, plain(decode_any(block.content)))
                for block in blocks
                if block.type == "tool_result"
            ),
            any(block.type in _THOUGHTS for block in blocks),
        )

    def by_agent(self, piece: Piece) -> Parsed:
        """The message, where the agent wrote it."""
        said = replace(piece, role="assistant", calls=self.calls)
        return spoken(said, self.texts, empty="thinking" if self.thought else "empty")


_CALLS = frozenset(("tool_use", "toolCall"))
_THOUGHTS = frozenset(("thinking", "redacted_thinking"))


# -- what an agent asked of the person, and what they chose, in words


TOLD_LIMIT = 20_000  # characters of a questionnaire
_HINT = re.compile(
    r"\s{0,4}\((?:recommended|recomendado|recommandé|empfohlen|推荐|推奨)\b[^()]{0,80}\)", re.IGNORECASE
)
_NO_OPTION = frozenset(("(notes only)", "(no option selected)"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its options, each a label and what the agent said about it.

    Attributes:
        labels: the labels by the options' ids, where they have some.
    """

    text: str
    options: dict[str, str] = field(default_factory=dict)
    id: str = ""
    labels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, value: Any) -> Question:
        """The question in a tool's arguments; its options are labels or objects with a label."""
        given = value if isinstance(value, dict) else {}
        offered = given.get("options") or given.get("choices")
        options: dict[str, str] = {}
        labels: dict[str, str] = {}
        for option in offered if isinstance(offered, list) else ():
            if isinstance(option, str):
                options[option] = ""
            elif isinstance(option, dict) and isinstance(option.get("label"), str):
                options[option["label"]] = _text(option.get("description"))
                if option.get("id"):
                    labels[_text(option["id"])] = option["label"]
        text = _text(given.get("question")) or _text(given.get("prompt"))
        return cls(text, options, _text(given.get("id")), labels)

    def __str__(self) -> str:
        lines = (f"- {label}: {about}" if about else f"- {label}" for label, about in self.options.items())
        return "\n".join((self.text, *lines))

    def answered(self, answer: Any, notes: Any = "") -> str:
        """What the person said: the answer and notes, and quoted what the agent had said; empty if nothing.

        Args:
            answer: a label, several of them, or what was typed instead.
            notes: what was typed beside the choice.
        """
        named = [answer] if isinstance(answer, str) else answer if isinstance(answer, list) else []
        chosen = [line for one in named if isinstance(one, str) for line in self._chosen(one.strip())]
        said = "\n".join(filter(None, (*chosen, _text(notes))))
        return f"{_quoted(self.text)}\n{said}" if said and self.text else said

    def _chosen(self, answer: str) -> Iterator[str]:
        answer = self.labels.get(answer, answer)
        labels = [answer] if answer in self.options else answer.split(", ")
        if not all(label in self.options for label in labels):
            labels = [] if answer in _NO_OPTION else [answer]
        for label in labels:
            yield _HINT.sub("", label) if label in self.options else label
            yield _quoted(self.options.get(label, ""))


def questions(value: Any) -> list[Question]:
    """The questions of a list in a tool's arguments."""
    return [Question.read(one) for one in value] if isinstance(value, list) else []


def join_questions(parts: Iterable[object]) -> str:
    """Questions, or answers to them, one below the other."""
    return shorten("\n\n".join(filter(None, map(str, parts))), TOLD_LIMIT)


def described(name: str, given: Mapping[str, Any]) -> str:
    """A tool call in words: the tool with its plan, command or files."""
    about = _text(given.get("plan")) or command_of(name, given) or ", ".join(files_of(name, given))
    return shorten(f"{name}: {about}" if about else name)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
