"""Editors with agents of their own: Cursor and VS Code get the tools, of all the instruction files are known.

By their documentation. Cursor's hooks have names and inputs of their own, and some of its versions refuse the
file over a name, so it gets the tools alone.

Their sessions are read from the shapes in which public programs read them; no session of the editors
themselves was at hand. Cursor keeps messages ("bubbles") by key in one database for all projects, VS Code the
requests of a chat in one file for each. What was attached to a message stands in other fields and is left.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import apsw
import msgspec

from recortex.clients.catalogue import TOOLS_ALONE, Client, InstallRequest, Share
from recortex.clients.installer import JsonPart
from recortex.errors import FormatError, UntrustedFileError
from recortex.filesystem import read_regular
from recortex.formats.hook_events import as_mapping
from recortex.formats.transcripts.detection import Format, Head
from recortex.formats.transcripts.pieces import (
    TAKEN_BACK,
    Header,
    MalformedLineError,
    decode_any,
    fingerprint,
    moment,
    plain,
)
from recortex.formats.transcripts.stored import (
    ASK,
    Call,
    Database,
    Record,
    Stored,
    StoredParser,
    json_of,
    reading,
    split,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LARGEST = 1_000_000  # bytes of the file that says which folder a workspace is
_NO_FOLDER = "no folder"  # matches no folder: without one open, nothing was said in the project at hand


# -- where a session ran: an address, or a workspace that the editor knows by a number


def _path_of(address: object) -> str:
    """The folder of an address, a text or its parts; empty for one on another machine."""
    if isinstance(address, dict):
        path = address.get("fsPath") or address.get("path")
        return path if isinstance(path, str) and address.get("scheme", "file") == "file" else ""
    with suppress(ValueError):
        parts = urlsplit(address if isinstance(address, str) else "")
        path = unquote(parts.path) if parts.scheme == "file" and not parts.netloc else ""
        return path[1:] if path[2:3] == ":" else path  # /c:/Users
    return ""


def _opened_in(workspace: Path) -> str:
    """The folder of a workspace; empty where it has none, or several."""
    try:
        told = decode_any(read_regular(workspace / "workspace.json", _LARGEST))
    except (OSError, UntrustedFileError, MalformedLineError, ValueError):
        return ""
    return _path_of(as_mapping(told).get("folder"))


# -- Cursor: a database of keys and values


_LISTED = """
SELECT id, CAST(coalesce(json_extract(told, '$.lastUpdatedAt'), json_extract(told, '$.createdAt'), 0) AS REAL)
FROM (
    SELECT substr(key, 14) AS id, CAST(value AS TEXT) AS told
    FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'
)
WHERE instr(id, '/') = 0 AND CASE WHEN json_valid(told) THEN
    coalesce(json_array_length(told, '$.fullConversationHeadersOnly'), 0)
    + coalesce(json_array_length(told, '$.conversation'), 0) END > 0
"""
_VALUE = "SELECT value FROM cursorDiskKV WHERE key = ?"
_KNOWN_AS = "SELECT workspaceId, isSubagent, value FROM composerHeaders WHERE composerId = ?"
_ITEM = "SELECT value FROM ItemTable WHERE key = 'composer.composerData'"
_PERSON, _AGENT = 1, 2
_PERSONS_NOT = {"isSimulatedMsg": "simulated", "isPlanExecution": "button"}
_OUTCOMES = {"completed": True, "error": False, "cancelled": False, "rejected": False}
_FILES = ("relativeWorkspacePath", "targetFile", "target_file", "effectiveUri")


def _composer(opened: apsw.Connection, session: str) -> Stored | None:
    data = _value(opened, f"composerData:{session}")
    if not data:
        return None
    workspace, agent, known = "", False, dict[str, Any]()
    with suppress(apsw.SQLError):  # versions before 2026 have no such table
        for workspace, agent, told in opened.execute(_KNOWN_AS, (session,)):  # noqa: B007
            known = dict(as_mapping(json_of(told)))
    parent = as_mapping(data.get("subagentInfo") or known.get("subagentInfo"))
    copy = bool(data.get("isBestOfNSubcomposer"))  # the same prompt, given to another model
    bubbles = list(_bubbles(opened, session, data))
    folder = _folder(opened, session, (data, known), workspace, bubbles)
    header = Header(
        session,
        cwd=folder,
        branch=_text(data.get("createdOnBranch")),
        parent_session=_text(parent.get("parentComposerId")),
        at=moment(data.get("createdAt")) if isinstance(data.get("createdAt"), int | float | str) else None,
    )
    records = [one for bubble in bubbles for one in _said(bubble, bool(agent or parent or copy))]
    return Stored(header, records)


def _value(opened: apsw.Connection, key: str) -> Mapping[str, Any]:
    return as_mapping(next((json_of(value) for (value,) in opened.execute(_VALUE, (key,))), None))


def _bubbles(opened: apsw.Connection, session: str, data: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The messages that stand, in order: those that the person went back behind are in no list any more."""
    listed = data.get("fullConversationHeadersOnly")
    inline = as_mapping(data.get("conversationMap"))
    for head in listed if isinstance(listed, list) and listed else data.get("conversation") or ():
        if not isinstance(head, dict):
            continue
        id_ = _text(head.get("bubbleId"))
        found = _value(opened, f"bubbleId:{session}:{id_}") or as_mapping(inline.get(id_))
        yield {**head, **as_mapping(head.get("grouping")), **found}


def _said(bubble: Mapping[str, Any], agent: bool) -> Iterable[Record]:
    id_, at, text = (_text(bubble.get(name)) for name in ("bubbleId", "createdAt", "text"))
    if bubble.get("type") == _PERSON:
        # The copy of a session has ids of its own, and the times of the first.
        uuid = fingerprint(at, text) if at else id_
        why = next((reason for name, reason in _PERSONS_NOT.items() if bubble.get(name)), "")
        yield Record("user", text, uuid, at or None, why, agent)
    elif bubble.get("type") == _AGENT:
        tool = as_mapping(bubble.get("toolFormerData"))
        call = _call(tool, id_) if tool.get("name") else None
        answers = [as_mapping(_parsed(tool.get(name))) for name in ("result", "additionalData")]
        asked = [dict(one) for one in answers if call and call.name == ASK and one]
        yield Record("assistant", text, id_, at or None, "", agent, [call] if call else [], asked)


def _call(tool: Mapping[str, Any], bubble: str) -> Call:
    given = {**as_mapping(_parsed(tool.get("rawArgs"))), **as_mapping(_parsed(tool.get("params")))}
    file = next((given[name] for name in _FILES if _text(given.get(name))), "")
    if file and "file_path" not in given:
        given["file_path"] = file
    result = _parsed(tool.get("result"))
    ok, code = _OUTCOMES.get(_text(tool.get("status"))), as_mapping(result).get("exitCodeV2")
    ok = code == 0 if isinstance(code, int) else ok
    output = plain(result) or plain(_parsed(tool.get("error")))
    return Call(_text(tool.get("toolCallId")) or bubble, _text(tool.get("name")), given, ok, output)


def _parsed(value: object) -> Any:
    """JSON that stands as a text within JSON."""
    found = json_of(value) if isinstance(value, str) else value
    return value if found is None else found


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _folder(
    opened: apsw.Connection,
    session: str,
    told: tuple[Mapping[str, Any], ...],
    workspace: object,
    bubbles: list[dict[str, Any]],
) -> str:
    """The folder that was open: named since 2026; before, the workspace is named, or lists the session."""
    for one in told:
        identifier = as_mapping(one.get("workspaceIdentifier"))
        if folder := _path_of(identifier.get("uri")):
            return folder
        workspace = workspace or identifier.get("id")
    named = [bubble["workspaceUris"] for bubble in bubbles if isinstance(bubble.get("workspaceUris"), list)]
    if named and len(named[0]) == 1:
        return _path_of(named[0][0])
    storage = Path(opened.filename).parent.parent / "workspaceStorage"
    if isinstance(workspace, str) and workspace and Path(workspace).name == workspace:
        return _opened_in(storage / workspace)
    return _path_of_each(storage, Path(opened.filename).stat().st_mtime_ns).get(session, "")


@lru_cache(maxsize=1)  # asked for each session of one import
def _path_of_each(storage: Path, _changed: int) -> dict[str, str]:
    """The folders of the sessions that the workspaces' own databases list."""
    found: dict[str, str] = {}
    for state in sorted(storage.glob("*/state.vscdb")):
        with suppress(FormatError):
            values = reading(state, lambda opened: opened.execute(_ITEM).fetchall())
            composers = as_mapping(json_of(values[0][0]) if values else None).get("allComposers")
            ids = [
                as_mapping(one).get("composerId") for one in composers or () if isinstance(composers, list)
            ]
            found.update(dict.fromkeys(filter(None, map(_text, ids)), _opened_in(state.parent)))
    return found


# -- VS Code: one document, or since 2026 a log of the changes to one


_WHOLE, _SET, _PUSH, _DELETE = range(4)
_SHOWN_AS_TEXT = frozenset(("", "markdownContent", "markdownVuln"))


def _chat(raw: bytes) -> tuple[Header, list[bytes]]:
    """The requests of a chat and the answers. Raises MalformedLineError."""
    chat = as_mapping(_replayed(raw))
    created = chat.get("creationDate")
    header = Header(
        _text(chat.get("sessionId")), at=moment(created) if isinstance(created, int | float) else None
    )
    requests = chat.get("requests")
    asked = [one for one in (requests if isinstance(requests, list) else ()) if isinstance(one, dict)]
    return header, [msgspec.json.encode(one) for request in asked for one in _exchange(request)]


def _replayed(raw: bytes) -> Any:
    lines = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    first = decode_any(lines[0] if b'"kind"' in lines[0][:20] else raw)
    if not isinstance(first, dict) or first.get("kind") != _WHOLE or "v" not in first:
        return first
    chat = first["v"]
    for line in filter(None, map(bytes.strip, lines[1:])):
        try:
            change = decode_any(line)
        except MalformedLineError:
            break  # the last line is being written
        if isinstance(change, dict) and change.get("kind") == _WHOLE:
            chat = change.get("v")
        elif isinstance(change, dict) and isinstance(change.get("k"), list):
            _change(chat, change)
    return chat


def _change(chat: Any, change: Mapping[str, Any]) -> None:
    """Apply a change; one whose place is not there is left."""
    with suppress(KeyError, IndexError, TypeError, ValueError):
        *above, last = change["k"]
        place = chat
        for key in above:
            place = place[key]
        kind, value = change.get("kind"), change.get("v")
        if kind == _SET and isinstance(place, list) and last == len(place):
            place.append(value)
        elif kind == _SET:
            place[last] = value
        elif kind == _DELETE:
            place[last] = None
        elif kind == _PUSH:
            if isinstance(place, dict) and not isinstance(place.get(last), list):
                place[last] = []
            del place[last][change.get("i") if change.get("i") is not None else len(place[last]) :]
            place[last].extend(value or ())


def _exchange(request: Mapping[str, Any]) -> Iterable[Record]:
    message, id_, at = request.get("message"), _text(request.get("requestId")), request.get("timestamp")
    text = message if isinstance(message, str) else plain(as_mapping(message).get("text"))
    at = at if isinstance(at, int | float) else None
    removed = as_mapping(request.get("shouldBeRemovedOnSend"))
    back = request.get("isHidden") or (removed and not removed.get("afterUndoStop"))
    why = TAKEN_BACK if back else "system" if request.get("isSystemInitiated") else ""
    yield Record(
        "user", text, fingerprint(str(at), text) if at else id_, at,
        why or ("button" if request.get("confirmation") else ""),
    )  # fmt: skip
    parts = request.get("response")
    shown = [one for one in (parts if isinstance(parts, list) else ()) if isinstance(one, dict)]
    own = [one for one in shown if not one.get("subAgentInvocationId")]
    calls = {call.id: call for number, one in enumerate(own) if (call := _invoked(one, f"{id_} {number}"))}
    answer = "".join(_shown(one) for one in own)
    if answer or calls:
        yield Record(
            "assistant", answer, f"{id_} answered", at, TAKEN_BACK if back else "", calls=list(calls.values())
        )


def _shown(part: Mapping[str, Any]) -> str:
    kind = part.get("kind") or ""
    if kind == "inlineReference":
        path = _path_of(part.get("inlineReference"))
        return f"`{_text(part.get('name')) or path.rpartition('/')[2]}`"
    if kind not in _SHOWN_AS_TEXT:
        return ""
    value = part.get("content") if isinstance(part.get("content"), dict) else part
    return _text(as_mapping(value).get("value"))


def _invoked(part: Mapping[str, Any], number: str) -> Call | None:
    """The call of a tool, or an edit."""
    if part.get("kind") == "textEditGroup":
        return Call(number, "edit", {"file_path": _path_of(part.get("uri"))}, ok=True)
    if part.get("kind") != "toolInvocationSerialized":
        return None
    about, given = as_mapping(part.get("toolSpecificData")), dict[str, Any]()
    line, state = about.get("commandLine"), as_mapping(about.get("terminalCommandState")).get("exitCode")
    if about.get("kind") == "terminal":
        ways = as_mapping(line)
        typed = next((ways[way] for way in ("userEdited", "toolEdited", "original") if ways.get(way)), line)
        given = {"command": typed or about.get("command")}
    output = plain(about.get("terminalCommandOutput")) or plain(as_mapping(part.get("resultDetails")))
    ok = state == 0 if isinstance(state, int) else None
    return Call(_text(part.get("toolCallId")) or number, _text(part.get("toolId")), given, ok, output)


def _is_chat(head: Head) -> bool:
    if head.document or not head.values:
        return head.mentions("requests", "responderUsername") or head.mentions(
            "requests", "sessionId", "creationDate"
        )
    first = head.values[0]
    whole = as_mapping(first.get("v")) if isinstance(first, dict) and first.get("kind") == _WHOLE else {}
    return "requests" in whole and "creationDate" in whole


def _workspace_folder(path: Path) -> str:
    return _opened_in(path.parent.parent) if path.parent.name == "chatSessions" else ""


def _no_folder(path: Path) -> str:
    """Of a chat that stands where the editor keeps it; a chat that was exported says nothing of it."""
    return _NO_FOLDER if path.parent.name in {"chatSessions", "emptyWindowChatSessions"} else ""


def _history(*parts: str) -> tuple[str, tuple[str, ...]]:
    """The places below the home folder where the systems keep what an editor stores."""
    bases = (".config", "Library/Application Support", "AppData/Roaming")
    return "", tuple(f"{base}/{part}" for base in bases for part in parts)


# -- what the client is: its files and settings


def _cursor(wish: InstallRequest) -> Share:
    home = wish.environment.home
    # It starts servers in a folder of its own; the variable is the open project.
    server = wish.server("--project", "${workspaceFolder}", from_terminal=False)
    return Share((JsonPart(home / ".cursor" / "mcp.json", home, ("mcpServers",), server),), (TOOLS_ALONE,))


def _vscode(wish: InstallRequest) -> Share:
    around = wish.environment
    if around.windows:
        base, root = around.folder("APPDATA", "AppData", "Roaming")
    elif around.platform == "darwin":
        base, root = around.home / "Library" / "Application Support", around.home
    else:
        base, root = around.folder("XDG_CONFIG_HOME", ".config")
    server = wish.server("--project", "${workspaceFolder}", from_terminal=False, type="stdio")
    path = base / "Code" / "User" / "mcp.json"
    return Share((JsonPart(path, root, ("servers",), server),), (TOOLS_ALONE,))


CLIENTS = (
    Client(
        name="cursor",
        title="Cursor",
        commands=("cursor", "cursor-agent"),
        files=(".cursorrules", "AGENTS.md"),
        folders={".cursor/rules": (".mdc", ".md")},
        own_folders=(".cursor",),
        history=_history("Cursor/User/globalStorage/state.vscdb"),
        formats=(
            Format(
                "cursor",
                lambda _: False,
                StoredParser,
                split,
                rewritten=True,
                database=Database("state", frozenset(("cursorDiskKV", "ItemTable")), _LISTED, _composer),
                digest=lambda _: _NO_FOLDER,
            ),
        ),
        share=_cursor,
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        files=(".windsurfrules", "AGENTS.md"),
        folders={".windsurf/rules": (".md",)},
    ),
    Client(
        name="vscode",
        title="VS Code",
        commands=("code",),
        files=(".github/copilot-instructions.md", "AGENTS.md"),
        history=_history("Code/User/workspaceStorage", "Code/User/globalStorage/emptyWindowChatSessions"),
        formats=(
            Format(
                "vscode",
                _is_chat,
                StoredParser,
                _chat,
                rewritten=True,
                folder=_workspace_folder,
                digest=_no_folder,
            ),
        ),
        share=_vscode,
    ),
)
