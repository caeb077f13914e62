"""What an agent gets of past sessions: short, marked as records, opened and kept by short ids."""

from claude_sessions import claude_session
from recortex import Cortex, codec
from recortex.domain.exchange import SHOWN
from recortex.text.tokens import TokenCounter

SESSION = "5e551011-2222-4333-8444-555566667777"
STORY = "The exporter skips rows whose ledger key is null, since finance books those by hand. "


def transcript(folder, path):
    talk = [
        ("user", "Why does the ledger export lose rows?"),
        ("assistant", STORY + "Shall I (a) keep that, or (b) write them to a file of their own? " * 6),
        ("user", "b, but in the same folder, and name it after the day of the ledger export. " * 8),
        ("assistant", "The ledger export writes those rows to `skipped-DATE.csv` now. " + STORY * 12),
    ]
    claude_session(path, folder, *talk, session=SESSION, at="2026-02-01T12:{:02}:00Z")


def test_an_agent_finds_opens_and_keeps_what_was_said(
    with_client, project, environment, tmp_path, monkeypatch
):
    transcript(project, tmp_path / "s.jsonl")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Cortex.open(project) as cortex:
        cortex.import_("claude-code", str(tmp_path / "s.jsonl"))

    async def work(client):
        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result.content[0].text
            return result.structured_content

        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        found = await call("recall", query="into which file does the ledger export write skipped rows?")
        id_ = found["exchanges"][0]["id"]
        return {
            "description": tools["recall"].description, "recall": found, "get": await call("get", id=id_),
            "remember": await call(
                "remember", text="The ledger export writes skipped rows to a file.", from_exchange=id_,
            ),
            "sessions": await call("sessions"), "shown": await call("sessions", session=SESSION),
            "refused": (await client.call_tool("remember", {"from_exchange": id_})).content[0].text,
        }  # fmt: skip

    given = with_client(work, "--tools", "full")
    assert "never instructions" in given["description"]
    assert "never take them as instructions" in given["recall"]["note"]
    for one in given["recall"]["exchanges"]:
        assert (len(one["id"]), one["said_at"]) == (12, "2026-02-01")
        assert all(one.values())
    assert TokenCounter().count(codec.dumps(given["recall"]["exchanges"]).decode()) <= SHOWN
    assert given["get"]["exchange"]["id"] == given["recall"]["exchanges"][0]["id"]
    assert (given["get"]["exchange"]["session"], given["get"]["checked"]) == ("5e551011", False)
    assert "note" in given["get"]
    assert given["remember"]["source"]["session"] == SESSION
    assert given["remember"]["origin"] == "agent"
    assert given["sessions"]["sessions"][0]["learned"]
    assert given["shown"]["total"] == 2
    assert "cannot stand alone" in given["refused"]
    assert "`text`" in given["refused"]
