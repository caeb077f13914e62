"""What was said in a session's file, message by message, with a reference to each.

For those who write gold and labels.

    python bench/session_text.py FILE [--person] [--most CHARACTERS]

Independent of the readers of the package on purpose: references stay true when those change, and what they
find can be compared. A reference is the number of the line in a file of lines (0 is the first), of the
message in a file that is one JSON document, of the line with the speaker in a Markdown file. A gold or
label line names session file, reference and a span of characters in the text that `messages` gives for it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

SPEAKER = re.compile(r"^_\*\*(User|Assistant|Agent)\b(?: \(([^)]*)\))?\*\*_\s*$")
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


class Message(NamedTuple):
    """A message in prose: tool calls and results are left out."""

    ref: int
    role: str  # person, agent
    text: str
    at: str


def messages(path: Path) -> list[Message]:
    """Every message of a session's file that has text."""
    raw = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".md":
        found = _specstory(raw)
    elif path.suffix == ".json" and (document := _document(raw)) is not None:
        found = _of_document(document)
    else:
        found = _of_lines(raw)
    return [one for one in found if one.text.strip()]


def _document(raw: str) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("messages"), list) else None


def _specstory(raw: str) -> Iterator[Message]:
    speaker, start, kept = None, 0, list[str]()
    for number, line in enumerate(raw.splitlines()):
        found = SPEAKER.match(line)
        if found:
            if speaker:
                yield _turn(speaker, start, kept)
            speaker, start, kept = found, number, []
        elif speaker:
            kept.append(line)
    if speaker:
        yield _turn(speaker, start, kept)


def _turn(speaker: re.Match[str], start: int, lines: list[str]) -> Message:
    text = re.sub(r"\n---\s*$", "", "\n".join(lines).strip()).strip()
    return Message(start, "person" if speaker[1] == "User" else "agent", text, speaker[2] or "")


def _of_document(document: dict[str, Any]) -> Iterator[Message]:
    for number, one in enumerate(document["messages"]):
        if "parts" in one:  # opencode
            texts = [
                part.get("text", "")
                for part in one["parts"]
                if part.get("type") == "text" and not part.get("synthetic")
            ]
            role, at = one["info"].get("role"), str(one["info"].get("time", {}).get("created", ""))
        else:  # gemini
            texts, role, at = [_plain(one.get("content"))], one.get("type"), str(one.get("timestamp", ""))
        known = {"user": "person", "assistant": "agent", "gemini": "agent"}.get(str(role))
        if known:
            yield Message(number, known, "\n".join(texts).strip(), at)


def _of_lines(raw: str) -> Iterator[Message]:
    for number, line in enumerate(raw.split("\n")):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and (found := _of_line(value)) is not None:
            role, text = found
            yield Message(number, role, _REMINDER.sub("", text).strip(), str(value.get("timestamp", "")))


def _of_line(value: dict[str, Any]) -> tuple[str, str] | None:
    kind, payload = value.get("type"), value.get("payload")
    data, message = value.get("data"), value.get("message")
    if kind == "event_msg" and isinstance(payload, dict):  # codex
        role = {"user_message": "person", "agent_message": "agent"}.get(str(payload.get("type")))
        return (role, _plain(payload.get("message"))) if role else None
    if kind in {"user.message", "assistant.message"} and isinstance(data, dict):  # copilot-cli
        return ("person" if kind == "user.message" else "agent"), _plain(data.get("content"))
    if kind == "queue-operation" and value.get("operation") == "enqueue":  # claude-code, said in mid-turn
        return "person", _plain(value.get("content"))
    if (
        isinstance(message, dict) and not value.get("isMeta") and not value.get("isSidechain")
    ):  # claude-code, pi
        role = {"user": "person", "assistant": "agent"}.get(str(message.get("role")))
        return (role, _plain(message.get("content"))) if role else None
    return None


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            str(part.get("text", ""))
            for part in content
            if isinstance(part, dict) and part.get("type", "text") == "text"
        )
    return ""


def _cut(text: str, most: int) -> str:
    return (
        text
        if len(text) <= most
        else f"{text[: most * 2 // 3]}\n[… {len(text) - most} characters …]\n{text[-most // 3 :]}"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--person", action="store_true", help="what the person said alone")
    parser.add_argument("--most", type=int, default=1200, help="characters of a message that are shown")
    options = parser.parse_args()
    for path in options.file:
        print(f"##### {path.name}")
        for one in messages(path):
            if one.role == "person" or not options.person:
                print(f"[{one.ref}] {one.role.upper()} {one.at[:19]}\n{_cut(one.text, options.most)}\n")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.exit(0)
