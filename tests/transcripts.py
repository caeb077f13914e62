"""Sessions of clients, written as each of them writes what was said."""

import json
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple


class Message(NamedTuple):
    """What the person or the agent said, when and in which folder, and what it follows."""

    role: str
    text: str
    id: str
    at: str
    folder: str
    parent: str | None


def talk(*said, folder="", answer="Done.", ids="m{}", at="2026-08-10T09:{:02}:00.000Z", first=0):
    """Messages of a person, each with its answer.

    Each of `said` is a text, or a folder and a text, with the folder and the text of the answer after them
    where these are others.
    """
    told, parent = [], None
    for one in said:
        where, text, *answered = (folder, one) if isinstance(one, str) else one
        there, words = answered or (where, answer)
        for role, place, content in (("user", where, text), ("assistant", there, words)):
            number = first + len(told)
            told.append(Message(role, content, ids.format(number), at.format(number), str(place), parent))
            parent = told[-1].id
    return told


def claude_code(session, said, **fields):
    for one in said:
        content = [{"type": "text", "text": one.text}]
        yield {
            "type": one.role, "uuid": one.id, "parentUuid": one.parent, "sessionId": session,
            "cwd": one.folder, "version": "2.1.332", "isSidechain": False, "timestamp": one.at,
            "message": {"role": one.role, "id": f"m{one.id}", "content": content},
            **fields,
        }  # fmt: skip


def qwen(session, said, **fields):
    for one in said:
        typed = {"provenance": "real_user"} if one.role == "user" else {}
        yield {
            "type": one.role, "uuid": one.id, "parentUuid": one.parent, "sessionId": session,
            "cwd": one.folder, "version": "0.24.4", "timestamp": one.at, **typed,
            "message": {"role": _named(one, "model"), "parts": [{"text": one.text}]}, **fields,
        }  # fmt: skip


def codex(session, said, **meta):
    """Each turn has its folder; the head has that of the beginning."""
    head = {"id": session, "timestamp": said[0].at, "cwd": said[0].folder, "cli_version": "0.171.0"}
    yield _line(said[0].at, "session_meta", **head | {"source": "cli"} | meta)
    for before, one in pairwise((None, *said)):
        if one.role == "user":
            yield _line(one.at, "event_msg", type="task_started", turn_id=one.id)
        if one.role == "user" or before.folder != one.folder:
            yield _line(one.at, "turn_context", turn_id=one.id, cwd=one.folder)
        kind = "input_text" if one.role == "user" else "output_text"
        content = [{"type": kind, "text": one.text}]
        yield _line(one.at, "response_item", type="message", role=one.role, content=content)
        if one.role == "user":
            yield _line(one.at, "event_msg", type="user_message", message=one.text)


def _line(at, kind, **payload):
    return {"timestamp": at, "type": kind, "payload": payload}


def copilot(session, said, **start):
    """It says when the folder changes."""
    begun = {"sessionId": session, "copilotVersion": "1.0.102", "context": {"cwd": said[0].folder}}
    yield {"type": "session.start", "id": f"s{session}", "timestamp": said[0].at, "data": begun | start}
    for before, one in pairwise((said[0], *said)):
        if before.folder != one.folder:
            moved = {"type": "session.context_changed", "id": f"f{one.id}", "timestamp": one.at}
            yield {**moved, "data": {"cwd": one.folder}}
        data = {"content": one.text, "messageId": f"m{one.id}"}
        yield {"type": f"{one.role}.message", "id": one.id, "timestamp": one.at, "data": data}


def pi(session, said, **head):
    begun = {"type": "session", "version": 3, "id": session, "timestamp": said[0].at, "cwd": said[0].folder}
    yield begun | head
    for one in said:
        message = {"role": one.role, "content": [{"type": "text", "text": one.text}]}
        line = {"type": "message", "id": one.id, "parentId": one.parent, "timestamp": one.at}
        yield {**line, "message": message}


def gemini(session, said, **head):
    """Where it was is said in no file of a session."""
    yield {"sessionId": session, "projectHash": "x", "startTime": said[0].at, "kind": "main"} | head
    for one in said:
        line = {"id": one.id, "type": _named(one, "gemini"), "timestamp": one.at}
        yield {**line, "content": one.text if one.role == "assistant" else [{"text": one.text}]}


def opencode(session, said, **info):
    """A session as it is exported, also by Kilo."""
    messages = [
        {
            "info": {"id": one.id, "sessionID": session, "role": one.role, "time": {"created": _stamp(one)}},
            "parts": [{"type": "text", "id": f"p{one.id}", "text": one.text}],
        }
        for one in said
    ]
    return {
        "info": {"id": session, "directory": said[0].folder, "version": "1.18.33"} | info,
        "messages": messages,
    }


def _named(one, agent):
    return agent if one.role == "assistant" else one.role


def _stamp(one):
    return int(datetime.fromisoformat(one.at).timestamp() * 1000)


WRITERS = {
    "claude-code": claude_code, "codex": codex, "copilot": copilot, "gemini": gemini, "opencode": opencode,
    "pi": pi, "qwen": qwen,
}  # fmt: skip


def write(path, found):
    """Write a document, or lines; returns the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [found] if isinstance(found, dict) else found
    path.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines))
    return path
