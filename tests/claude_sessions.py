"""Sessions of Claude Code, written as the client writes them."""

import json


def claude_lines(cwd, *said, session="s1", at="2026-03-01T10:{:02}:00.000Z", first=0, **fields):
    """Each of `said` is what the person typed, or a role with its text or blocks; `fields` go into each."""
    for number, one in enumerate(said, first):
        role, content = one if isinstance(one, tuple) else ("user", one)
        if role == "assistant" and isinstance(content, str):
            content = [{"type": "text", "text": content}]
        yield {
            "type": role, "uuid": f"{session}-{number}", "sessionId": session, "cwd": str(cwd),
            "version": "2.1.330", "isSidechain": False, "timestamp": at.format(number),
            "message": {"role": role, "id": f"{session}m{number}", "content": content}, **fields,
        }  # fmt: skip


def claude_session(path, cwd, *said, **more):
    """Begin a session's file, or go on with it; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in claude_lines(cwd, *said, **more))
    return path
