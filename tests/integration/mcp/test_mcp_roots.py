"""A server that a client starts outside of any project serves the one that is open in the client's window."""

import os
import subprocess
from functools import partial

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import ListRootsResult, Root

import ready_recortex
from recortex import Cortex

TOLD = "Parcels of this shop are keyed by parcel_id"
ERAS = pytest.mark.parametrize("mode", [pytest.param("legacy", marks=pytest.mark.full), "auto"])


@pytest.fixture
def window(tmp_path, environment):
    """Let an agent call a tool in a window with some roots; the server starts in a folder of the client's."""
    elsewhere = tmp_path / "client"
    elsewhere.mkdir()

    async def work(calls, roots, mode, words, folder):
        async def tell(_context):
            return ListRootsResult(roots=[Root(uri=root) for root in roots])

        program, *rest = ready_recortex.command("mcp", *words)
        server = StdioServerParameters(
            command=program, args=rest, env={**os.environ, **environment}, cwd=folder or elsewhere,
        )  # fmt: skip
        asked = tell if roots is not None else None
        with (tmp_path / "server.log").open("a") as log:
            async with Client(stdio_client(server, log), mode=mode, list_roots_callback=asked) as client:
                return [await client.call_tool(name, arguments) for name, arguments in calls]

    def called(*calls, roots=None, mode="auto", words=(), folder=None):
        return anyio.run(partial(work, calls, roots, mode, words, folder))

    return called


@pytest.fixture
def shops(tmp_path):
    """Two checkouts."""
    made = [tmp_path / name for name in ("shop", "tools")]
    for folder in made:
        subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    return made


def kept(folder, environment, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Cortex.open(folder) as cortex:
        return [memory.text for memory in cortex.list().memories]


@ERAS
def test_the_open_folder_is_served(window, shops, environment, monkeypatch, mode, tmp_path):
    shop, tools = shops
    window(("remember", {"text": TOLD}), roots=[shop.as_uri()], mode=mode)
    (found,) = window(("recall", {"query": "how are parcels keyed?"}), roots=[tools.as_uri()], mode=mode)
    assert TOLD not in str(found)
    assert kept(shop, environment, monkeypatch) == [TOLD]
    assert kept(tools, environment, monkeypatch) == kept(tmp_path / "client", environment, monkeypatch) == []


@pytest.mark.full
@ERAS
def test_a_server_that_knows_its_project_does_not_ask(window, shops, environment, monkeypatch, mode):
    shop, tools = shops
    window(("remember", {"text": TOLD}), roots=[tools.as_uri()], mode=mode, words=("--project", str(shop)))
    window(("remember", {"text": f"{TOLD}."}), roots=[tools.as_uri()], mode=mode, folder=shop)
    assert kept(tools, environment, monkeypatch) == []
    assert len(kept(shop, environment, monkeypatch)) >= 1


@ERAS
def test_the_first_root_that_is_a_folder_here_counts(window, shops, environment, monkeypatch, mode, tmp_path):
    roots = ["file:///nowhere/at/all", "file://far.example/x", shops[1].as_uri(), shops[0].as_uri()]
    window(("remember", {"text": TOLD}), ("status", {}), roots=roots, mode=mode)
    assert kept(shops[1], environment, monkeypatch) == [TOLD]
    assert (
        kept(shops[0], environment, monkeypatch) == kept(tmp_path / "client", environment, monkeypatch) == []
    )
