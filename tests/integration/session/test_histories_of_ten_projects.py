"""One home with the histories of every client: each of ten projects gets what was said in it, and no more."""

import hashlib
import json
import subprocess
from collections import defaultdict
from typing import NamedTuple

import pytest

from recortex import Cortex
from recortex.app.past_sessions import name_of

AT = "2026-03-{:02}T1{}:00:00Z"


class Said(NamedTuple):
    """A message and where it was said."""

    folder: object
    text: str


def lines(path, *found):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found))


def both(said):
    """The messages of a session with their answers: number, whose, folder, text."""
    for number, one in enumerate(said):
        yield number, "user", str(one.folder), one.text
        yield number, "assistant", str(one.folder), "Understood."


def claude_code(home, name, day, said):
    found = [
        {
            "type": role, "uuid": f"{name}-{number}-{role}", "sessionId": name, "cwd": folder,
            "version": "2.1.330", "isSidechain": False, "timestamp": AT.format(day, number),
            "parentUuid": f"{name}-{number}-user" if role == "assistant" else None if not number
            else f"{name}-{number - 1}-assistant",
            "message": {"role": role, "id": f"{name}-{number}", "content": [{"type": "text", "text": text}]},
        }
        for number, role, folder, text in both(said)
    ]  # fmt: skip
    lines(home / ".claude/projects" / name_of(str(said[0].folder)) / f"{name}.jsonl", *found)


def codex(home, name, day, said):
    meta = {"id": name, "timestamp": AT.format(day, 0), "cwd": str(said[0].folder), "source": "cli"}
    found = [("session_meta", 0, meta)]
    for number, role, folder, text in both(said):
        if role == "user":
            found.append(("event_msg", number, {"type": "task_started", "turn_id": f"{name}-{number}"}))
            found.append(("turn_context", number, {"turn_id": f"{name}-{number}", "cwd": folder}))
        kind = "input_text" if role == "user" else "output_text"
        message = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        found.append(("response_item", number, message))
    path = home / f".codex/sessions/2026/03/{day:02}/rollout-2026-03-{day:02}T10-00-00-{name}.jsonl"
    lines(path, *({"timestamp": AT.format(day, number), "type": t, "payload": p} for t, number, p in found))


def qwen(home, name, day, said):
    found = [
        {
            "uuid": f"{name}-{number}-{role}", "sessionId": name, "timestamp": AT.format(day, number),
            "type": role, "cwd": folder, "version": "0.24.4", "provenance": "real_user",
            "message": {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]},
        }
        for number, role, folder, text in both(said)
    ]  # fmt: skip
    lines(home / f".qwen/projects/p{day}/chats/{name}.jsonl", *found)


def copilot(home, name, day, said):
    context = {"cwd": str(said[0].folder)}
    found = [("session.start", 0, {"sessionId": name, "copilotVersion": "1.0.102", "context": context})]
    for number, role, folder, text in both(said):
        if role == "user":
            found.append(("session.context_changed", number, {"cwd": folder}))
        found.append((f"{role}.message", number, {"content": text, "messageId": f"{name}-{number}"}))
    lines(
        home / f".copilot/session-state/{name}/events.jsonl",
        *(
            {"type": kind, "id": f"{name}-{place}", "timestamp": AT.format(day, number), "data": data}
            for place, (kind, number, data) in enumerate(found)
        ),
    )


def pi(home, name, day, said):
    head = {"type": "session", "id": name, "timestamp": AT.format(day, 0), "cwd": str(said[0].folder)}
    found = [
        {
            "type": "message", "id": f"{number}{role}", "timestamp": AT.format(day, number),
            "parentId": f"{number}user" if role == "assistant" else None,
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        }
        for number, role, _, text in both(said)
    ]  # fmt: skip
    lines(home / f".pi/agent/sessions/p{day}/{name}.jsonl", head, *found)


def gemini(home, name, day, said):
    """Of an odd day as older versions wrote it: the folder is known by its digest alone."""
    digest = hashlib.sha256(str(said[0].folder).encode()).hexdigest()
    project = home / ".gemini/tmp" / (digest if day % 2 else f"p{day}")
    found = [
        {"id": f"{name}-{number}-{role}", "timestamp": AT.format(day, number),
         "type": "gemini" if role == "assistant" else role, "content": [{"text": text}]}
        for number, role, _, text in both(said)
    ]  # fmt: skip
    head = {"sessionId": name, "projectHash": "x", "startTime": AT.format(day, 0), "kind": "main"}
    lines(project / "chats" / f"session-{name}.jsonl", head, *found)
    if not day % 2:
        (project / ".project_root").write_text(str(said[0].folder))


def opencode(home, name, day, said):
    """An export, as Kilo's are too; the client itself keeps a database."""
    messages = [
        {
            "info": {"id": f"{name}-{number}-{role}", "role": role, "sessionID": name,
                     "time": {"created": 1_772_000_000_000 + day * 86_400_000 + number}},
            "parts": [{"type": "text", "text": text}],
        }
        for number, role, _, text in both(said)
    ]  # fmt: skip
    info = {"id": name, "directory": str(said[0].folder), "version": "1.18.33"}
    path = home / f"exports/{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"info": info, "messages": messages}))


def specstory(_, name, day, said):
    """SpecStory renders the sessions of Cursor and other editors into the project."""
    turns = "".join(
        f"_**{'User' if role == 'user' else 'Agent'} (2026-03-{day:02} 1{number}:00Z)**_\n\n{text}\n\n---\n\n"
        for number, role, _, text in both(said)
    )
    path = said[0].folder / f".specstory/history/2026-03-{day:02}_10-00Z-{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = f"<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# {name} (2026-03-{day:02} 10:00Z)\n\n"
    path.write_text(head + turns)


MOVING = {"claude-code": claude_code, "codex": codex, "qwen": qwen, "copilot": copilot}
"""Clients that say of each turn in which folder it was."""
TREE = "feature"
"""The second working tree of `web`."""
STAYING = {"pi": pi, "gemini": gemini, "opencode": opencode, "specstory": specstory}


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name, value in {"RECORTEX_EMBEDDER": "none", "HOME": str(tmp_path / "home")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def projects(tmp_path, home):
    """Ten projects: two whose paths one client calls alike, one within another, one without git.

    One is named in other letters than ASCII, which clients write as they are; one has a second working tree.
    """
    places = [
        "home/shop",
        "home/tools",
        "home/a-b",
        "home/a/b",
        "home/naïve köln",
        "home/shop/vendor/lib",
        "api",
        "docs",
        "web",
    ]
    assert home.is_dir()
    found = {name: tmp_path / name for name in places}
    for folder in found.values():
        subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
        (folder / "src").mkdir()
    found["plain"] = tmp_path / "plain"
    (found["plain"] / "src").mkdir(parents=True)
    names = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (
        ("commit", "-q", "--allow-empty", "-m", "start"),
        ("worktree", "add", "-q", found["web"].parent / TREE),
    ):
        subprocess.run(["git", *names, *words], cwd=found["web"], check=True)
    for folder in found.values():
        with Cortex.open(folder) as cortex:
            cortex.init()
    return found


@pytest.fixture
def told(home, projects, tmp_path):
    """Sessions of every client; what was said where, by client."""
    expected = {}
    names = list(projects)

    def session(write, client, day, *said):
        number = list({**MOVING, **STAYING}).index(client)
        name = f"0000{day:02}{len(expected):02}-{number:04}-4000-8000-000000000001"
        write(home, name, day, said)
        for one in said:
            expected[one.text] = (client, one.folder)

    def said(client, folder, place):
        return Said(folder, f"Why is the build of {client} slow at place {place}?")

    for number, place in enumerate(names):
        after = names[(number + 1) % len(names)]
        for client, write in MOVING.items():
            session(
                write, client, number + 1,
                said(client, projects[place], f"{place} first"),
                said(client, projects[after] / "src", f"{after} from {place}"),
                said(client, projects[place] / "gone" / "since", f"{place} gone"),
                said(client, tmp_path / TREE / "src", f"the other tree from {place}"),
            )  # fmt: skip
        for client, write in STAYING.items():
            session(write, client, number + 1, said(client, projects[place], f"{place} first"))
    for client, write in {**MOVING, **STAYING}.items():
        if client != "specstory":
            session(write, client, 20, said(client, home, "home"))
            session(write, client, 21, said(client, tmp_path / "deleted" / "project", "deleted"))
            session(write, client, 22, said(client, home / "deleted", "deleted at home"))
            session(write, client, 23, said(client, tmp_path / TREE, "the other tree"))
    return expected


def heard(folder):
    with Cortex.open(folder) as cortex:
        sessions = cortex.sessions(limit=500).sessions
        return [
            one.message
            for each in sessions
            for one in cortex.sessions(session=each.session, limit=500).exchanges
            if one.message
        ]


def landed(projects):
    """In which projects each message stands, one entry for each time."""
    found = defaultdict(list)
    for name, folder in projects.items():
        for message in heard(folder):
            found[message].append(name)
    return found


def right(projects, folder):
    """The project that a folder lies in: the innermost."""
    roots = [*projects.items(), ("web", projects["web"].parent / TREE)]
    inside = [name for name, root in roots if folder == root or root in folder.parents]
    return max(inside, key=lambda name: len(projects[name].parts), default="")


def table(told, where, tmp_path):
    """Rows of client, folder in which it was said, and projects that have it."""
    rows = {
        (client, folder.relative_to(tmp_path), ", ".join(where.get(text, ())))
        for text, (client, folder) in told.items()
    }
    return sorted(" | ".join(map(str, row)) for row in rows)


@pytest.mark.full
@pytest.mark.parametrize(
    "one_by_one",
    [pytest.param(True, id="client by client"), pytest.param(False, id="any")],
)
def test_every_turn_is_in_the_project_where_it_was_said(home, projects, told, tmp_path, one_by_one):
    for folder in projects.values():
        with Cortex.open(folder) as cortex:
            for client in (*MOVING, *STAYING) if one_by_one else ("any",):
                cortex.import_(
                    client, str(home / "exports") if client == "opencode" else "", trust=True, embed=False
                )
            if not one_by_one:
                cortex.import_("opencode", str(home / "exports"), embed=False)
    wanted = {text: list(filter(None, [right(projects, folder)])) for text, (_, folder) in told.items()}
    for text, (client, folder) in told.items():
        if client == "opencode" and not folder.exists():
            wanted[text] = wanted[text] or list(projects)  # as on another machine: read where it is named
    found = landed(projects)
    assert table(told, found, tmp_path) == table(told, wanted, tmp_path)
    assert found.keys() == {text for text, where in wanted.items() if where}
