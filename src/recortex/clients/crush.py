"""Sessions of Crush: one database a project, messages with parts, a sub-agent's session below its parent's.

Read from its source of 2026-08 (migrations up to 20260127000000). The program could not be had for a test:
its package on npm, 0.96.1 too, only fetches it from where its releases are. Its columns are said to hold
milliseconds, and hold seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.clients.catalogue import TOOLS_ALONE, Client, InstallRequest, Share
from recortex.clients.installer import JsonPart
from recortex.domain.text import is_init, is_put_in
from recortex.formats.hook_events import as_mapping
from recortex.formats.transcripts.detection import Format
from recortex.formats.transcripts.pieces import Header, moment
from recortex.formats.transcripts.stored import (
    ASK,
    Call,
    Database,
    Record,
    Stored,
    StoredParser,
    json_of,
    split,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import apsw

_FOLDER = ".crush"
_LISTED = "SELECT id, updated_at * 1000 FROM sessions WHERE instr(id, '/') = 0"
_SESSION = "SELECT parent_session_id, created_at FROM sessions WHERE id = ?"
# Several messages have the same second; their ids are random, so the order in which they were written tells.
_MESSAGES = """
SELECT id, role, parts, created_at, is_summary_message FROM messages WHERE session_id = ?
ORDER BY created_at, rowid
"""
_ASK = "question"
# What it says in the person's name after a compaction in the middle of a turn; their words follow.
_GOES_ON = "The previous session was interrupted because it got too long, the initial user request was: `"
_CHOSEN, _TYPED, _NOTES = "User selected: ", "User provided: ", "\n\nNotes:\n- "
_PLAIN = {"User answered: yes": "Yes.", "User answered: no": "No."}


def _session(opened: apsw.Connection, session: str) -> Stored | None:
    row = next(iter(opened.execute(_SESSION, (session,))), None)
    if row is None:
        return None
    parent, created = row
    messages = [
        (id_, role, _parts(parts), at, bool(summary))
        for id_, role, parts, at, summary in opened.execute(_MESSAGES, (session,))
    ]
    results = {
        str(data.get("tool_call_id")): data
        for *_, parts, _, _ in messages
        for kind, data in parts
        if kind == "tool_result"
    }
    records = [
        _record(id_, "summary" if summary else role, parts, at, results, agent=bool(parent))
        for id_, role, parts, at, summary in messages
        if role in {"user", "assistant"}
    ]
    return Stored(Header(session, parent_session=parent or "", at=moment(created)), records)


def _parts(column: object) -> list[tuple[str, Mapping[str, Any]]]:
    told = json_of(column)
    parts = [as_mapping(one) for one in (told if isinstance(told, list) else ())]
    return [(str(one.get("type")), as_mapping(one.get("data"))) for one in parts]


def _record(
    uuid: str,
    role: str,
    parts: list[tuple[str, Mapping[str, Any]]],
    at: float | None,
    results: Mapping[str, Mapping[str, Any]],
    *,
    agent: bool,
) -> Record:
    text = "\n".join(str(data.get("text") or "") for kind, data in parts if kind == "text").strip()
    record = Record(role, text, uuid, at, agent=agent)
    if role == "user":
        if any(kind == "shell_command" for kind, _ in parts):
            record.skipped = "shell command"
        elif text.startswith(_GOES_ON):
            record.skipped = "client"
        elif is_put_in(text) or is_init(text):  # such as a skill that was called, or what a server sent
            record.skipped = "injected"
        return record
    for data in (data for kind, data in parts if kind == "tool_call"):
        result = results.get(str(data.get("id")), {})
        call = Call(str(data.get("id") or ""), str(data.get("name") or ""), json_of(data.get("input")))
        if result:
            call.ok, call.output = not result.get("is_error"), str(result.get("content") or "")
        if call.name == _ASK:
            call.name = ASK
            call.given, answers = _asked(call.given, call.output if call.ok else "")
            record.answers = [*record.answers, {"answers": answers}]
        record.calls = [*record.calls, call]
    return record


def _asked(given: object, output: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The questions of a call, each with an id, and the person's answers, out of one text for the model."""
    posed = as_mapping(given).get("questions")
    posed = json_of(posed) if isinstance(posed, str) else posed  # some models put JSON into a text
    questions = [
        {**as_mapping(one), "id": f"Q{number}"}
        for number, one in enumerate(posed if isinstance(posed, list) else (), 1)
    ]
    headings = [f"{one['id']}: {one.get('question')}\n" for one in questions]
    answers = list[dict[str, Any]]()
    for question, heading, after in zip(questions, headings, [*headings[1:], ""], strict=True):
        _, _, output = output.partition(heading)
        answer = output.partition(f"\n\n{after}")[0] if after else output
        answer, _, notes = answer.partition(_NOTES)
        chosen: object = []
        if answer.startswith(_CHOSEN):
            line, _, answer = answer.partition("\n")
            chosen = json_of(line.removeprefix(_CHOSEN))
        typed = answer.removeprefix(_TYPED) if answer.startswith(_TYPED) else _PLAIN.get(answer, "")
        said = "\n".join(filter(None, (typed, notes)))
        answers.append({"questionId": question["id"], "selectedOptionIds": chosen, "freeformText": said})
    return {"questions": questions}, answers


# -- what the client is: its files and settings


def _folder(path: Path) -> str:
    """Where a session ran: Crush keeps its database in a folder of the project."""
    kept = path.parent.parent
    return str(kept.parent) if kept.name == _FOLDER else ""


def _share(wish: InstallRequest) -> Share:
    own = wish.environment.environ.get("CRUSH_GLOBAL_CONFIG")
    base, root = wish.environment.folder("CRUSH_GLOBAL_CONFIG" if own else "XDG_CONFIG_HOME", ".config")
    path = (base if own else base / "crush") / "crush.json"
    return Share((JsonPart(path, root, ("mcp",), wish.server(type="stdio")),), (TOOLS_ALONE,))


CLIENTS = (
    Client(
        name="crush",
        title="Crush",
        commands=("crush",),
        in_project=f"{_FOLDER}/crush.db",
        files=(
            *(".github/copilot-instructions.md", ".cursorrules", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"),
            *("CRUSH.md", "CRUSH.local.md", "AGENTS.md"),
        ),
        folders={".cursor/rules": (".mdc", ".md")},
        own_folders=(_FOLDER,),
        formats=(
            Format(
                "crush",
                lambda _: False,
                StoredParser,
                split,
                rewritten=True,
                database=Database("crush", frozenset(("sessions", "messages", "files")), _LISTED, _session),
                folder=_folder,
            ),
        ),
        share=_share,
    ),
)
