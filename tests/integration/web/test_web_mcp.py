"""Agents over streamable HTTP, with the SDK's own client, in both eras of the protocol."""

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


@pytest.fixture
def agent(served):
    """Run `work(client)` over HTTP with a token of that right."""

    def run(work, mode, right="write"):
        headers = {"authorization": f"Bearer {served.token(right)}"}

        async def connected():
            async with httpx2.AsyncClient(headers=headers, timeout=300) as http:
                transport = streamable_http_client(f"{served.base}/mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    return await work(client)

        return anyio.run(connected)

    return run


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_agent_remembers_and_recalls(agent, served, mode):
    async def work(client):
        tools = {one.name for one in (await client.list_tools()).tools}
        text = f"Agents of the {mode} era reach the memory over HTTP"
        kept = await client.call_tool("remember", {"text": text, "kind": "insight"})
        found = await client.call_tool("recall", {"query": f"how do agents of the {mode} era reach it?"})
        brief = await client.read_resource("recortex://brief")
        return tools, kept.structured_content["id"], found.structured_content, brief.contents

    tools, id_, found, brief = agent(work, mode)
    assert {"remember", "recall", "context", "get", "edit", "forget"} <= tools
    assert len(tools) <= 10
    assert id_ in str(found)
    assert brief
    # an agent's own word, not the person's
    assert served.run("get", id_)["origin"] == "agent"


def test_a_token_that_only_reads_is_no_agents(served):
    with httpx2.Client(headers={"authorization": f"Bearer {served.token('read')}"}) as client:
        answer = client.post(f"{served.base}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert answer.status_code == 403
