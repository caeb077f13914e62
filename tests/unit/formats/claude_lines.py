"""Lines in Claude Code's shape, written for the tests."""

import json


def line(kind, uuid, message=None, **fields):
    base = {
        "type": kind, "uuid": uuid, "parentUuid": None, "sessionId": "s1",
        "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/home/ada/kiln", "gitBranch": "main",
        "version": "2.1.7", "isSidechain": False,
    }  # fmt: skip
    if message is not None:
        base["message"] = message
    return json.dumps({**base, **fields})


def user(uuid, content, **fields):
    return line("user", uuid, {"role": "user", "content": content}, **fields)


def agent(uuid, group, *blocks, **fields):
    return line("assistant", uuid, {"id": group, "role": "assistant", "content": list(blocks)}, **fields)


def text(value):
    return {"type": "text", "text": value}


def use(call, name, **arguments):
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def result(uuid, call, content, *, error=False, **fields):
    block = {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": error}
    return user(uuid, [block], **fields)


def write(path, *lines, end="\n"):
    path.write_text("\n".join(lines) + end, encoding="utf-8")
    return path
