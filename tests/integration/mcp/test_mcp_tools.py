import json
from pathlib import Path

import anyio
import pytest
from jsonschema import Draft202012Validator

from claude_sessions import claude_session
from places import store_folder

ERAS = ("legacy", "auto")


def text_of(result):
    return json.loads(result.content[0].text)


@pytest.mark.parametrize("mode", ERAS)
def test_both_eras_show_the_default_tools(with_client, mode):
    async def work(client):
        return client.protocol_version, client.instructions, (await client.list_tools()).tools

    version, instructions, tools = with_client(work, mode=mode)
    assert version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
    assert "Recall before you act" in instructions
    assert {"remember", "recall", "get", "edit", "forget", "status"} <= {tool.name for tool in tools}
    assert len(tools) <= 10


def test_the_full_set_is_every_operation_and_portable(with_client):
    async def work(client):
        return (await client.list_tools()).tools

    tools = with_client(work, "--tools", "full")
    names = {tool.name for tool in tools}
    wanted = (
        "remember remember_many recall get list edit forget restore link unlink related extract review "
        "import export history undo purge status doctor backup recover"
    )
    assert names >= set(wanted.split())
    assert not names & {"init", "worker"}  # who binds a folder to a memory is a person
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert "$ref" not in json.dumps([tool.input_schema, tool.output_schema])
        assert 0 < len(tool.description) < 2_000
        assert tool.title
        hints = tool.annotations
        assert None not in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint)
        assert hints.open_world_hint is False
        assert not (hints.read_only_hint and hints.destructive_hint)
        assert tool.input_schema["additionalProperties"] is False
    hints = {tool.name: tool.annotations for tool in tools}
    assert all(hints[name].destructive_hint for name in ("forget", "purge", "unlink"))
    assert all(hints[name].read_only_hint for name in ("recall", "get", "list", "history", "status"))


@pytest.mark.parametrize("mode", ERAS)
def test_what_is_remembered_is_recalled(with_client, mode):
    async def work(client):
        kept = await client.call_tool(
            "remember",
            {
                "text": "Passwords are hashed with bcrypt at cost 12.",
                "kind": "decision",
                "files": ["src/auth.py"],
            },
        )
        found = await client.call_tool("recall", {"query": "how do we hash passwords with bcrypt?"})
        return kept, found

    kept, found = with_client(work, mode=mode)
    assert not kept.is_error
    assert kept.structured_content["origin"] == "agent"
    assert not found.is_error
    (hit,) = found.structured_content["hits"]
    assert hit["memory"]["id"] == kept.structured_content["id"]
    assert set(hit) == {"memory", "score", "signals", "freshness", "cited", "code", "weak"}
    assert text_of(found) == found.structured_content


def test_every_tool_answers(with_client, tmp_path, project, environment):
    transcript = tmp_path / "session.jsonl"
    claude_session(
        transcript, project, "Remember: always run the migrations before the tests in this project."
    )
    exported = project / "memories.jsonl"

    async def work(client):
        answers = {}

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, (tool, result.content[0].text)
            answers.setdefault(tool, result.structured_content)
            return result.structured_content

        first = (await call("remember", text="The queue is drained by cron at 03:00."))["id"]
        ids = (
            await call(
                "remember_many", memories=[{"text": "Use ruff to format."}, {"text": "CI runs on ARM."}]
            )
        )["ids"]
        await call("recall", query="when is the queue drained by cron?")
        await call("list", limit=10)
        await call("get", id=first)
        await call("edit", id=first, text="The queue is drained by cron at 04:00.", reason="it moved")
        await call("link", id=first, target=ids[0], relation="supports")
        await call("related", id=first)
        await call("unlink", id=first, target=ids[0], confirm=True)
        await call("history", id=first)
        await call("undo", id=first)
        await call("forget", id=ids[1])
        await call("restore", id=ids[1])
        await call("extract", path=str(transcript))
        await call("review")
        taught = await call("learn", text="Never log access tokens, they end up in the archive.")
        await call("feedback", id=taught["memory"]["id"], answer="modify", text="Never log tokens.")
        await call("purge", id=taught["memory"]["id"], confirm=True)
        await call("review", candidates=True)
        await call("export", path=str(exported))
        await call("import", format="jsonl", path=str(exported))
        await call("backup")
        await call("status")
        await call("doctor")
        await call("recover", confirm=True)
        await call("purge", id=first, confirm=True)
        return answers

    answers = with_client(work, "--tools", "full")
    assert (store_folder(project, Path(environment["RECORTEX_HOME"])) / "cortex.db").is_file()
    assert answers["recall"]["hits"]
    assert answers["list"]["total"] == 3


BAD = (-1, 10**30, "", "\0", "\u202e" * 50, "x" * 300_000, [], [None], {}, {"a": {"b": []}}, None, True, 0.5)


@pytest.mark.full
def test_no_argument_whatever_breaks_a_tool(with_client, log):
    """Each argument of each tool takes each bad value in turn; the result is an error made on purpose."""
    harmless = {
        "path": "nowhere/at-all", "id": "0" * 8, "query": "x", "text": "", "memories": [],
        "source": "nowhere",
    }  # fmt: skip

    async def work(client):
        tools = (await client.list_tools()).tools
        wrong = []
        for tool in tools:
            needed = {name: harmless.get(name, "x") for name in tool.input_schema.get("required", ())}
            cases = [
                {"no_such_argument": 1},
                *({**needed, name: bad} for name in tool.input_schema["properties"] for bad in BAD),
            ]
            for arguments in cases:
                result = await client.call_tool(tool.name, arguments)
                if result.is_error:
                    said = text_of(result)
                    if (
                        set(said) != {"code", "message", "hint"}
                        or said["code"] == "internal_error"
                        or not said["hint"]
                    ):
                        wrong.append((tool.name, str(arguments)[:80], said))
        return wrong

    assert with_client(work, "--tools", "full") == []
    assert "Traceback" not in log()


def test_twenty_calls_at_once_on_a_new_store(with_client):
    async def work(client):
        results = []

        async def call(tool, **arguments):
            results.append(await client.call_tool(tool, arguments))

        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(
                    lambda n=number: call("remember", text=f"Service {n} listens on port {4000 + n}.")
                )
                group.start_soon(lambda n=number: call("recall", query=f"which port has service {n}?"))
        return results, (await client.call_tool("list", {})).structured_content["total"]

    results, total = with_client(work, "--tools", "full")
    assert [text_of(result) for result in results if result.is_error] == []
    assert len(results) == 20
    assert total == 10


@pytest.mark.parametrize("count", [20, pytest.param(60, marks=pytest.mark.full)])
def test_a_long_answer_is_shortened_and_says_so(with_client, count):
    async def work(client):
        memories = [{"text": f"Note {n}: " + f"the word {n} " * 300} for n in range(count)]
        await client.call_tool("remember_many", {"memories": memories, "link": False})
        return await client.call_tool("list", {"limit": 60})

    result = with_client(work, "--tools", "full")
    assert len(result.content[0].text) < 50_000
    assert "shortened" in result.structured_content


def test_a_store_that_cannot_be_opened_is_told_with_a_hint(with_client, project, environment):
    (store_folder(project, Path(environment["RECORTEX_HOME"])) / "cortex.db").mkdir()

    async def work(client):
        await client.list_tools()
        return await client.call_tool("recall", {"query": "x"})

    result = with_client(work)
    assert result.is_error
    assert set(text_of(result)) == {"code", "message", "hint"}
    assert text_of(result)["code"] != "internal_error"
