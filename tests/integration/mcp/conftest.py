import os
from contextlib import asynccontextmanager
from functools import partial

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import Implementation

import ready_recortex


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(tmp_path):
    """Of a server: its own user data, and vectors that need no model."""
    return {"RECORTEX_HOME": str(tmp_path / "home"), "RECORTEX_EMBEDDER": "hashed"}


@pytest.fixture
def command(project):
    return ready_recortex.command("mcp", "--project", str(project))


@pytest.fixture
def with_client(command, environment, tmp_path):
    """Run `work(client)` with the SDK's own client, connected to the real server in a process of its own."""

    @asynccontextmanager
    async def connected(mode, arguments, client, more):
        server = StdioServerParameters(
            command=command[0],
            args=[*command[1:], *arguments],
            env={**os.environ, **environment, **more},
            cwd=tmp_path,
        )
        with (tmp_path / "server.log").open("a") as log:
            named = Implementation(name=client, version="1") if client else None
            async with Client(stdio_client(server, log), mode=mode, client_info=named) as connection:
                yield connection

    async def work_with(work, mode, arguments, client, more):
        async with connected(mode, arguments, client, more) as connection:
            return await work(connection)

    def run(work, *arguments, mode="auto", client="", **more):
        return anyio.run(partial(work_with, work, mode, arguments, client, more))

    return run


@pytest.fixture
def log(tmp_path):
    """What the server wrote to its standard error."""
    return (tmp_path / "server.log").read_text
