"""Claude Code's `.jsonl`, from 1.0 (2025) to 2.1.330.

One assistant message is split over several lines with the same `message.id`; tool results are `user` lines.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from recortex.domain.injection import strip_injected
from recortex.formats.transcripts.decoding import Raw, decode, decode_any
from recortex.formats.transcripts.pieces import MalformedLineError, Parsed, Result, SessionLine, spoken
from recortex.formats.transcripts.tools import plain, tool_call

# Summaries began like this before `isCompactSummary` existed.
_CONTINUED = "This session is being continued from a previous conversation"
_REJECTED = "user-rejected"
# The client's own words with the agent's questions, if the person answered none of them.
_QUESTIONNAIRE = "The user wants to clarify these questions."
_NOT_TYPED = frozenset(("system", "suggestion_accepted"))  # a suggestion is the agent's text
_NO_CONTENT = "(no content)"


class _Line(SessionLine, rename="camel", gc=False):
    agent_id: str | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    prompt_source: str | None = None
    tool_denial_kind: str | None = None
    user_feedback: str | None = None
    origin: Raw = Raw()
    plan_content: Raw = Raw()
    attachment: Raw = Raw()


class _Message(msgspec.Struct, gc=False):
    id: str | None = None
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
    content: Raw = Raw()


class _Attachment(msgspec.Struct, rename="camel", gc=False):
    type: str | None = None
    command_mode: str | None = None
    origin: Raw = Raw()
    content: Raw = Raw()
    prompt: Raw = Raw()


class ClaudeCodeParser:
    """Reads one line at a time; keeps nothing between lines."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        session, parent = line.session_id or "", ""
        if line.agent_id and session:
            session, parent = f"{session}/agent-{line.agent_id}", session
        read = _READERS.get(line.type or "")
        parsed = read(line) if read else Parsed(skipped=line.label)
        return parsed.under(line.header(session, parent), line.uuid or "")


def _blocks(message: _Message) -> list[_Block]:
    if isinstance(message.content, str):
        return [_Block(type="text", text=message.content)]
    found = []
    for raw in message.content or ():
        try:
            found.append(decode(raw, _Block))
        except MalformedLineError:
            continue  # one broken block does not lose the others
    return found


def _assistant(line: _Line) -> Parsed:
    message = decode(line.message, _Message)
    if line.is_api_error_message or message.model == "<synthetic>":
        return Parsed(skipped="api-error" if line.is_api_error_message else "synthetic")
    blocks = _blocks(message)
    calls = tuple(
        tool_call(block.id or "", block.name or "", decode_any(block.input))
        for block in blocks
        if block.type == "tool_use"
    )
    piece = line.piece("assistant", group=message.id or "", calls=calls)
    texts = [block.text for block in blocks if block.type == "text" and block.text not in {None, _NO_CONTENT}]
    thinking = any(block.type in {"thinking", "redacted_thinking"} for block in blocks)
    return spoken(piece, filter(None, texts), empty="thinking" if thinking else "empty")


def _user(line: _Line) -> Parsed:
    blocks = _blocks(decode(line.message, _Message))
    results = tuple(_result(block) for block in blocks if block.type == "tool_result")
    texts = [block.text for block in blocks if block.type == "text" and block.text]
    if line.is_meta or line.prompt_source in _NOT_TYPED or not _human(line.origin):
        parsed = Parsed(skipped="meta", carried="\n".join(texts))
    elif bytes(line.plan_content):
        parsed = Parsed(skipped="plan", carried="\n".join(texts))  # the agent's plan, sent on by the client
    elif line.is_compact_summary or (texts and texts[0].startswith(_CONTINUED)):
        parsed = spoken(line.piece("summary"), texts)
    else:
        parsed = spoken(line.piece("user", ends_calls=not results), texts)
    return _with_results(line, parsed, results) if results else parsed


def _result(block: _Block) -> Result:
    return Result(block.tool_use_id or "", not block.is_error, plain(decode_any(block.content)))


def _human(origin: Raw) -> bool:
    """Whether a message comes from a person, and not from a task, channel or timer that the client names."""
    named = decode_any(origin)
    return not isinstance(named, dict) or named.get("kind") in {None, "human"}


def _with_results(line: _Line, parsed: Parsed, results: tuple[Result, ...]) -> Parsed:
    """The message with tool results, and what the person typed when they declined a tool call.

    The client has a field for it. The result repeats it in its text, as do the results of older clients
    without the field; but a tool can write the same text, so the text proves nothing.
    """
    pieces = (line.piece("results", results=results), *parsed.pieces)
    typed = line.user_feedback or ""
    if line.tool_denial_kind == _REJECTED and not typed.startswith(_QUESTIONNAIRE):
        said = strip_injected(typed)[0]
        pieces = (*pieces, line.piece("user", text=said)) if said else pieces
    return replace(parsed, pieces=pieces, skipped="")


def _attachment(line: _Line) -> Parsed:
    attached = decode(line.attachment, _Attachment)
    queued = attached.type == "queued_command" and attached.command_mode in {None, "prompt"}
    if queued and _human(attached.origin):
        return spoken(line.piece("user"), [plain(decode_any(attached.prompt))])
    carried = plain(decode_any(attached.content)) if attached.type == "hook_additional_context" else ""
    return Parsed(skipped=f"attachment/{attached.type or 'untyped'}", carried=carried)


_READERS = {"assistant": _assistant, "user": _user, "attachment": _attachment}
