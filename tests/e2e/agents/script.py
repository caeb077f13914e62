"""What a scripted model says, and what it was asked."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import Any

COMPACTION = ("create a detailed summary of", "<state_snapshot>")
"""What the last prompt of a request for a summary has: of Claude Code, of Gemini CLI and Qwen Code."""
# How Qwen Code begins what it asks of itself beside the session: for its own memory, and, at a terminal, for
# what the person may want to type next, which it asks while a sub-agent of theirs is still about to begin.
OWN = ("Managed memory has ", "[SUGGESTION MODE: ")
SUMMARY = "<analysis>scripted</analysis>\n<summary>SCRIPTED SUMMARY</summary>"


@dataclass(frozen=True)
class Call:
    """The model calls a tool; a name that begins with `*` is the first offered tool that ends so."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Turn:
    """One answer of the model: texts and calls, the input tokens it claims, and what it waits for.

    It is given again and again `until` a tool is offered whose whole name ends so.
    """

    blocks: tuple[str | Call, ...]
    input_tokens: int = 100
    held: threading.Event | None = None
    until: str = ""


def turn(spec: str | Call | Turn | list[str | Call]) -> Turn:
    """A turn from its short forms: a text, a call, or a list of both."""
    if isinstance(spec, Turn):
        return spec
    return Turn((spec,) if isinstance(spec, str | Call) else tuple(spec))


@dataclass(frozen=True)
class Request:
    """One request of a client: `kind` is main, compaction, subagent or aside."""

    path: str
    body: dict[str, Any]
    kind: str
    at: float

    @property
    def text(self) -> str:
        """The text of the conversation, without the client's own system prompt and tool descriptions."""
        parts = [self.body.get(name) for name in ("messages", "input", "contents")]
        return "\n".join(_texts([part for part in parts if part]))

    @property
    def last(self) -> str:
        """What followed the model's last answer: the newest prompt or tool result, and what was injected."""
        turns = next(
            (self.body[name] for name in ("messages", "input", "contents") if self.body.get(name)), []
        )
        said = [{one.get("role"), one.get("type")} for one in turns]
        spoke = [n for n, kinds in enumerate(said) if kinds & {"assistant", "model", "function_call"}]
        return "\n".join(_texts(turns[spoke[-1] + 1 :] if spoke else turns))

    @property
    def tools(self) -> dict[str, tuple[str, str]]:
        """Every tool that is offered: its whole name, and the name and name space by which it is called."""
        offered: dict[str, tuple[str, str]] = {}
        for tool in self.body.get("tools") or []:
            space = tool["name"] if tool.get("type") == "namespace" else ""
            nested = tool.get("tools") if space else tool.get("functionDeclarations")
            for one in nested or [tool.get("function") or tool]:
                if one.get("name"):
                    offered[space + one["name"]] = (one["name"], space)
        return offered


def kind(path: str, headers: dict[str, str], body: dict[str, Any]) -> str:
    """Which conversation a request belongs to. Only a main one takes a turn of the script."""
    said = body.get("messages") or body.get("contents") or []
    spoken = [one for one in said if one.get("role") == "user"]
    if any(mark in "\n".join(_texts(spoken[-1:])) for mark in COMPACTION):
        return "compaction"
    if not body.get("tools") or "countTokens" in path or "count_tokens" in path:
        return "aside"
    if spoken and "\n".join(_texts(spoken[-1:])).startswith(OWN):
        return "aside"
    return "subagent" if headers.get("x-claude-code-agent-id") else "main"


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    if not isinstance(value, dict):
        return []
    found = [text for name in ("content", "text", "parts", "output") for text in _texts(value.get(name))]
    if "functionResponse" in value:
        found.append(json.dumps(value["functionResponse"], ensure_ascii=False))
    return found
