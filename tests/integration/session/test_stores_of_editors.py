"""What the person said in an editor is learned in the project whose folder was open, once.

The stores are made here in the shapes in which public programs read them; no editor wrote them.
"""

import json
import sqlite3

RULE = "From now on run the tests with `make check`, never with pytest directly."
OTHER = "From now on we deploy on Mondays, never on Fridays."
AT = 1_795_960_814_000


def cursor(path, folders):
    with sqlite3.connect(path) as database:
        for table in ("ItemTable", "cursorDiskKV"):
            database.execute(f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        for id_, (text, folder) in folders.items():
            bubble = {"bubbleId": f"b{id_}", "type": 1, "text": text, "createdAt": "2026-11-29T10:00:00.000Z"}
            data = {"createdAt": AT, "fullConversationHeadersOnly": [{"bubbleId": f"b{id_}", "type": 1}]}
            uri = {"scheme": "file", "fsPath": folder} if folder else None
            data |= {"workspaceIdentifier": {"id": "w", "uri": uri}}
            for key, value in ((f"composerData:{id_}", data), (f"bubbleId:{id_}:b{id_}", bubble)):
                database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, json.dumps(value)))


def rules(cortex):
    return [(one.text, one.evidence) for one in cortex.list().memories]


def test_cursors_sessions_of_the_project_alone_are_learned(cortex, project, tmp_path):
    path = tmp_path / "state.vscdb"
    here = str(project)
    cursor(path, {"c1": (RULE, here), "c2": (OTHER, ""), "c3": (OTHER, "/"), "c4": (RULE, here)})
    for _ in range(2):
        cortex.import_("cursor", str(path))
        assert [(RULE.split()[3:6], 1)] == [(text.split()[3:6], evidence) for text, evidence in rules(cortex)]


def test_vs_codes_chats_of_the_project_alone_are_learned(cortex, project, tmp_path):
    storage = tmp_path / "workspaceStorage"
    for name, folder, text in (("w1", str(project), RULE), ("w2", "", OTHER)):
        place = storage / name / "chatSessions"
        place.mkdir(parents=True)
        (place.parent / "workspace.json").write_text(
            json.dumps({"folder": f"file://{folder}"} if folder else {})
        )
        said = {
            "requestId": name,
            "timestamp": AT,
            "message": {"text": text},
            "response": [{"value": "Noted."}],
        }
        chat = {"version": 3, "creationDate": AT, "sessionId": name, "requests": [said]}
        (place / f"{name}.jsonl").write_text(json.dumps({"kind": 0, "v": chat}) + "\n")
    for _ in range(2):
        cortex.import_("vscode", str(storage))
        assert ["make check" in text for text, _ in rules(cortex)] == [True]
