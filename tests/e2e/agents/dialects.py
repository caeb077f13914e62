"""A scripted turn in the words of each model protocol, as the bytes of a streamed answer."""

from __future__ import annotations

import json
import uuid
from typing import Any

from agents.script import Call

Block = str | Call
Named = tuple[str, dict[str, Any]]


def answer(
    path: str, body: dict[str, Any], blocks: list[Block], spaces: dict[str, str], tokens: int
) -> bytes:
    """The answer to a request to `path`; `spaces` gives the name space of a called tool."""
    place = path.partition("?")[0]
    if place.endswith("/responses"):
        return _responses(blocks, spaces)
    if place.endswith("/chat/completions"):
        return _chat(blocks, tokens)
    if "enerateContent" in place:
        return _gemini(blocks, streamed="stream" in place)
    return _messages(str(body.get("model")), blocks, tokens)


def _id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]


def _stream(events: list[Any]) -> bytes:
    lines = []
    for event in events:
        if isinstance(event, tuple):
            lines.append(f"event: {event[0]}\ndata: {json.dumps({'type': event[0], **event[1]})}\n\n")
        else:
            lines.append(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
    return "".join(lines).encode()


def _messages(model: str, blocks: list[Block], tokens: int) -> bytes:
    stop = "tool_use" if any(isinstance(block, Call) for block in blocks) else "end_turn"
    usage = {
        "input_tokens": tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 20,
    }
    head = {"id": _id("msg_"), "type": "message", "role": "assistant", "model": model, "content": []}
    opening = {**head, "stop_reason": None, "stop_sequence": None, "usage": usage}
    events: list[Any] = [("message_start", {"message": opening})]
    for index, block in enumerate(blocks):
        events += _message_block(index, block)
    ending = {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 20}}
    return _stream([*events, ("message_delta", ending), ("message_stop", {})])


def _message_block(index: int, block: Block) -> list[Named]:
    empty: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": block}
    if isinstance(block, Call):
        empty = {"type": "tool_use", "id": _id("toolu_"), "name": block.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block.arguments)}
    return [
        ("content_block_start", {"index": index, "content_block": empty}),
        ("content_block_delta", {"index": index, "delta": delta}),
        ("content_block_stop", {"index": index}),
    ]


def _responses(blocks: list[Block], spaces: dict[str, str]) -> bytes:
    items = [_responses_item(block, spaces) for block in blocks]
    usage = {
        "input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    whole = {"id": _id("resp_"), "object": "response", "status": "completed", "output": items, "usage": usage}
    events: list[Named] = [
        ("response.created", {"response": {**whole, "output": [], "status": "in_progress"}})
    ]
    for place, item in enumerate(items):
        events.append(("response.output_item.added", {"output_index": place, "item": item}))
        events.append(("response.output_item.done", {"output_index": place, "item": item}))
    return _stream([*events, ("response.completed", {"response": whole})])


def _responses_item(block: Block, spaces: dict[str, str]) -> dict[str, Any]:
    if isinstance(block, str):
        said = {"type": "output_text", "text": block, "annotations": []}
        return {
            "type": "message", "id": _id("msg_"), "role": "assistant", "status": "completed",
            "content": [said],
        }  # fmt: skip
    item = {"type": "function_call", "id": _id("fc_"), "call_id": _id("call_"), "name": block.tool}
    space = {"namespace": spaces[block.tool]} if spaces.get(block.tool) else {}
    return {**item, **space, "status": "completed", "arguments": json.dumps(block.arguments)}


def _chat(blocks: list[Block], tokens: int) -> bytes:
    calls = [
        {"index": n, "id": _id("call_"), "type": "function",
         "function": {"name": block.tool, "arguments": json.dumps(block.arguments)}}
        for n, block in enumerate(block for block in blocks if isinstance(block, Call))
    ]  # fmt: skip
    text = "".join(block for block in blocks if isinstance(block, str)) or None
    delta = {"role": "assistant", "content": text} | ({"tool_calls": calls} if calls else {})
    head = {"id": _id("chatcmpl-"), "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    usage = {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20}
    reason = "tool_calls" if calls else "stop"
    return _stream([
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {**head, "choices": [], "usage": usage},
        "[DONE]",
    ])  # fmt: skip


def _gemini(blocks: list[Block], *, streamed: bool) -> bytes:
    parts = [
        {"text": block}
        if isinstance(block, str)
        else {"functionCall": {"name": block.tool, "args": block.arguments}, "thoughtSignature": "c2lnbg=="}
        for block in blocks
    ]
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    one = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    whole = {"candidates": [one], "usageMetadata": usage, "modelVersion": "scripted"}
    return _stream([whole]) if streamed else json.dumps(whole).encode()
