import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from recortex.mcp import greeting as greetings
from recortex.mcp import server, session
from recortex.mcp.greeting import LONGEST_LINE, Greeting
from recortex.mcp.projection import described
from recortex.mcp.server import THREADS, about, instructions, serve

RESERVED = "io.modelcontextprotocol/"
CLIENT = {"name": "a-client", "version": "1"}
ENVELOPE = {
    "_meta": {
        RESERVED + "protocolVersion": "2026-07-28",
        RESERVED + "clientInfo": CLIENT,
        RESERVED + "clientCapabilities": {},
    }
}
DISCOVER = {"id": 0, "method": "server/discover", "params": ENVELOPE}


def initialize(version="2025-11-25"):
    params = {"protocolVersion": version, "capabilities": {"roots": {}}, "clientInfo": CLIENT}
    return {"id": 0, "method": "initialize", "params": params}


INITIALIZED = {"method": "notifications/initialized"}
LISTS = ("resources/list", "resources/templates/list", "prompts/list", "tools/list")
OPENINGS = [
    *(
        (initialize(version), INITIALIZED, {"id": 1, "method": "tools/list"})
        for version in HANDSHAKE_PROTOCOL_VERSIONS
    ),
    (initialize(), INITIALIZED, {"id": "one", "method": "tools/list", "params": {}}),
    (
        initialize(),
        INITIALIZED,
        {"id": 1, "method": "tools/list", "params": {"_meta": {"progressToken": 0}}},  # as Codex asks
    ),
    (DISCOVER, {"id": 1, "method": "tools/list", "params": ENVELOPE}),
    ({"id": 1, "method": "tools/list", "params": ENVELOPE},),
    *(
        (
            initialize(version),
            INITIALIZED,
            *({"id": number, "method": method} for number, method in enumerate(LISTS, 1)),
        )
        for version in HANDSHAKE_PROTOCOL_VERSIONS
    ),
    (
        DISCOVER,
        *({"id": number, "method": method, "params": ENVELOPE} for number, method in enumerate(LISTS, 1)),
    ),
]


def line(message):
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


@pytest.fixture
def greeting(operations):
    return Greeting(server=about(), instructions=instructions(), tools=described(operations.values()))


@pytest.fixture
def sdk_alone(operations, desk, talk):
    """What the SDK answers when nothing is answered for it."""

    def ask(*messages):
        connection = talk(*messages)
        with ThreadPoolExecutor(THREADS) as workers:
            alone = session.build(about(), instructions(), described(operations.values()), desk, workers)
            session.serve(alone, connection.wire, connection.wire.lines(), lead=(), sent=set())
        return connection.heard()

    return ask


@pytest.fixture
def served(desk, talk, monkeypatch):
    """What the whole server answers."""
    monkeypatch.setattr(server, "QUIET", 0.0)

    def ask(*messages):
        connection = talk(*messages)
        serve(connection.wire, described(desk.operations.values()), lambda: desk)
        for thread in threading.enumerate():
            if thread.name == "warm":  # what is loaded unasked ends with the process, not with the connection
                thread.join()
        return connection.heard()

    return ask


def test_the_versions_of_the_greeting_are_those_of_the_sdk():
    assert frozenset(HANDSHAKE_PROTOCOL_VERSIONS) == greetings.HANDSHAKE_VERSIONS
    assert (greetings.MODERN_VERSION,) == MODERN_PROTOCOL_VERSIONS


@pytest.mark.parametrize("opening", OPENINGS)
def test_the_greeting_answers_as_the_sdk_does(greeting, sdk_alone, opening):
    answers = {message["id"]: greeting.answer(line(message)) for message in opening if "id" in message}
    assert (greeting.begun, greeting.done) == (True, False)
    assert answers == sdk_alone(*opening)


@pytest.mark.parametrize("opening", OPENINGS)
def test_a_session_goes_on_with_the_sdk_after_the_greeting(served, opening):
    params = {"name": "recall", "arguments": {"query": "x"}} | (
        opening[0]["params"] if "_meta" in opening[0]["params"] else {}
    )
    answers = served(*opening, {"id": 9, "method": "tools/call", "params": params})
    assert set(answers) == {message["id"] for message in opening if "id" in message} | {9}
    result = answers[9]["result"]
    assert not result["isError"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize(
    "message",
    [
        b"", b"nonsense", b"[" * 5_000, b"[]", b'{"jsonrpc":"2.0"}', b"\xff\xfe",
        line({"id": None, "method": "tools/list"}), line({"id": True, "method": "tools/list"}),
        line({"id": 1, "method": "tools/list"}),
        line({"id": 1, "method": "tools/list", "params": []}),
        line({"id": 1, "method": ["tools/list"]}), line({"id": 1, "method": "ping"}),
        line({"id": 1, "method": "initialize"}), line(initialize("1999-01-01")),
        line(initialize(["2025-11-25"])), line({"id": 1, "method": "server/discover"}),
        line(
            {
                "id": 1, "method": "server/discover",
                "params": {"_meta": {RESERVED + "protocolVersion": "2026-07-28"}},
            }
        ),
        line({"id": 1, "method": "tools/list", "params": {**ENVELOPE, "cursor": "x"}}),
    ],
)  # fmt: skip
def test_whatever_is_unusual_is_left_to_the_sdk(greeting, message):
    assert greeting.answer(message) is None
    assert greeting.done


def call(arguments, **more):
    return {
        "id": 5,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": arguments, **ENVELOPE, **more},
    }


def test_half_a_surrogate_pair_gets_an_answer(served):
    answer = served(DISCOVER, call({"query": "\ud83d"}))[5]["result"]
    assert answer["isError"]
    assert json.loads(answer["content"][0]["text"])["code"] == "invalid_input"
    assert "structuredContent" not in answer


def test_a_request_that_is_none_is_refused_by_its_id(served):
    answers = served(
        DISCOVER, b'{"jsonrpc":"2.0","id":7,"method":3}', b'{"jsonrpc":"2.0","id":8', call({"query": "x"})
    )
    assert answers[7]["error"]["code"] == -32600
    assert set(answers) == {0, 5, 7}


def test_a_line_that_is_too_long_is_skipped(served):
    answers = served(DISCOVER, b"x" * (LONGEST_LINE + 100_000), call({"query": "x"}))
    assert set(answers) == {0, 5}


def test_a_client_that_only_greets_costs_no_store(served, small):
    served(DISCOVER)
    assert not small.warmed


def test_what_an_agent_is_told_is_short_enough_for_every_client():
    assert 500 < len(instructions()) < 2_000
