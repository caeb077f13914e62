"""What the real client does with resources and prompts: a person's command, and an agent that reads one."""

from agents.knowledge import SHIP
from agents.script import Call

SERVER = "plugin:recortex:recortex"


def test_a_person_asks_by_a_command_and_an_agent_reads_a_resource(newest):
    newest.memory("remember", SHIP, "--kind", "decision")
    asked = newest.session(["/mcp__plugin_recortex_recortex__recall how do we deploy the app?"], ["So."])
    assert asked.unharmed
    told = asked.requests[0].text
    assert '{"query":"how do we deploy the app?"' in told
    assert SHIP in told[told.index('{"query"') :]
    read = newest.session(
        ["Look."],
        [
            [Call("*ToolSearch", {"query": "select:ReadMcpResourceTool"})],
            [Call("ReadMcpResourceTool", {"server": SERVER, "uri": "recortex://brief"})],
            "done",
        ],
    )
    assert read.unharmed
    assert SHIP in read.requests[-1].last, [one.last[-500:] for one in read.requests]
    newest.settle()
    assert [one["text"] for one in newest.memories()] == [SHIP]
