"""With all tools shown: removing something for good asks the person; files are new and written here."""

import os
import sys
from functools import partial

import anyio
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from recortex import Cortex
from recortex.domain.vocabulary import Actor
from recortex.errors import PersonNeededError
from recortex.operations import manifest

pytestmark = pytest.mark.usefixtures("without_vectors")
SERVER = "import sys; from recortex.mcp.server import main; sys.exit(main(sys.argv[1:]))"
ERAS = ("legacy", pytest.param("auto", marks=pytest.mark.full))


def purged(project, log, mode, *calls, answers=()):
    """What `purge` says to each call of a real client of an era, and whether `id` of the call is there then.

    The client can ask the person where there are answers; the questions are given too.
    """
    questions, left = [], list(answers)

    async def asked(_, params):
        questions.append(params.message)
        return left.pop(0)

    async def work():
        server = StdioServerParameters(
            command=sys.executable,
            args=["-c", SERVER, "--project", str(project), "--tools", "full"],
            env=dict(os.environ),
        )
        more = {"elicitation_callback": asked} if answers else {}
        said = []
        with log.open("a") as errors:
            async with Client(stdio_client(server, errors), mode=mode, **more) as client:
                for arguments in calls:
                    result = await client.call_tool("purge", arguments)
                    said.append((result, is_there(project, arguments["id"])))
        return said

    return anyio.run(partial(work)), questions


@pytest.fixture
def kept(project):
    with Cortex.open(project) as cortex:
        return cortex.remember("The kiln test needs TZ=UTC.").id


def is_there(project, id_):
    with Cortex.open(project) as cortex:
        return id_ in {one.id for one in cortex.list().memories}


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_that_cannot_ask_needs_confirm(project, kept, tmp_path, mode):
    calls = [{"id": kept}, {"id": kept, "dry_run": True}, {"id": kept, "confirm": True}]
    said, _ = purged(project, tmp_path / "log", mode, *calls)
    assert [(one.is_error, there) for one, there in said] == [(True, True), (False, True), (False, False)]
    assert "confirm" in said[0][0].content[0].text


@pytest.mark.parametrize("mode", ERAS)
def test_who_is_asked_keeps_it_until_they_agree(project, kept, tmp_path, mode):
    answers = [
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="cancel"),
        types.ElicitResult(action="accept", content={"confirm": False}),
        types.ElicitResult(action="accept", content={"confirm": True}),
    ]
    calls = [*[{"id": kept, "confirm": True}] * 3, {"id": kept}]
    said, questions = purged(project, tmp_path / "log", mode, *calls, answers=answers)
    assert [(one.is_error, there) for one, there in said] == [*[(True, True)] * 3, (False, False)]
    assert len(questions) == len(answers)
    assert all("purge" in question and kept in question for question in questions[:3])


def test_whatever_destroys_is_declared_and_takes_confirm():
    tools = {tool["name"]: tool for tool in manifest.tools("full")}
    asking = {name for name, tool in tools.items() if "confirm" in tool["inputSchema"]["properties"]}
    assert asking >= {"purge", "gc", "recover", "unlink", "consolidate"}
    assert all(tools[name]["annotations"]["destructiveHint"] for name in asking)


@pytest.fixture
def agent(project, kept):
    assert kept
    with Cortex.open(project, actor=Actor.AGENT) as cortex:
        yield cortex


def test_an_agent_writes_new_files_in_the_project_or_the_exports(project, home, agent, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "there.md").write_text("mine")
    (project / "link").symlink_to(outside)
    (project / "dangling.jsonl").symlink_to(outside / "new")
    (project / ".git").mkdir(exist_ok=True)
    for path in (
        str(outside / "a.jsonl"), "../a.jsonl", "link/a.jsonl", "there.md", "dangling.jsonl", ".git/config",
        ".bashrc", str(home / "config.toml"), str(home / "exports" / ".." / "config.toml"),
    ):  # fmt: skip
        for write in (agent.export, agent.backup):
            with pytest.raises(PersonNeededError):
                write(path)
    assert (project / "there.md").read_text() == "mine"
    assert list(outside.iterdir()) == []
    agent.export("out.jsonl")
    agent.export(str(home / "exports" / "out.md"), format="markdown")
    assert "kiln" in (project / "out.jsonl").read_text()
    assert "kiln" in (home / "exports" / "out.md").read_text()
    with Cortex.open(project) as person:
        person.export(str(outside / "mine.jsonl"))
