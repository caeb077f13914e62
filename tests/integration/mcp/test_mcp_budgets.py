"""What each reading tool costs on a full store, asked by the SDK's own client."""

import random

import pytest
from test_mcp_exchanges import transcript

from recortex import Cortex, codec
from recortex.mcp.arguments import AROUND, USUAL, takes_budget
from recortex.operations.registry import operations_of
from recortex.text.tokens import TokenCounter

LARGER = 6_000
THINGS = ("ledger export", "parcel index", "mail queue", "tariff table", "login form", "search page")
WHYS = ("since finance books those by hand", "because the provider allows no more", "as it takes four hours")
KINDS = ("tribal", "decision", "preference", "procedural", "insight", "incident")
ASKED = "how is the ledger export done, and what is to be watched there?"
WRITES = frozenset(("backfill", "reembed", "extract", "import", "ingest", "index"))
"""Tools that take work to be done, and are given none here."""


def full(folder):
    """Fill the store of a project; returns ids of a memory with relations, and of an exchange."""
    chance = random.Random(7)  # noqa: S311  the same store every time
    for number in range(40):
        (folder / f"part{number}.py").write_text(f"def part_{number}():\n    return {number}\n" * 20)
    chapters = [f"## The {thing}\n\n" + sentence(chance, thing) * 12 for thing in THINGS * 4]
    (folder / "GUIDE.md").write_text("# Guide\n\n" + "\n\n".join(chapters))
    transcript(folder, folder / "s.jsonl")
    with Cortex.open(folder) as cortex:
        kept = cortex.remember_many(
            [
                {
                    "text": "".join(sentence(chance, THINGS[n % len(THINGS)]) for _ in range(1 + n % 5)),
                    "kind": KINDS[n % len(KINDS)],
                    "tags": [f"tag{n % 9}", "ledger", "export"],
                    "files": [f"part{n % 40}.py:1-20", f"part{(n + 1) % 40}.py"],
                    "status": "proposed" if n % 3 == 0 else "active",
                    "source": {"session": f"s{n % 12}", "speaker": "user", "turn": n},
                }
                for n in range(180)
            ]
        ).ids
        for other in kept[1:40]:
            cortex.link(kept[0], other, relation="supports", evidence=[sentence(chance, "ledger export")])
        cortex.import_("claude-code", str(folder / "s.jsonl"))
        cortex.ingest(["GUIDE.md"])
        said = cortex.recall("into which file does the ledger export write skipped rows?").exchanges
    return kept[0], said[0].id


def sentence(chance, thing):
    place, key = f"part{chance.randrange(40)}.py", f"{chance.randrange(10**9):x}"
    return f'The {thing} of {place} leaves out rows with the key "{key}", {chance.choice(WHYS)}. '


def calls(memory, exchange):
    """The calls that read most with the fewest arguments, for every tool that reads."""
    of = {
        "id": [memory, exchange], "query": [ASKED], "task": [ASKED], "focus": [ASKED],
        "about": [memory, ASKED],
    }  # fmt: skip
    more = {
        "warnings": [{"focus": ASKED, "limit": 200}], "suggest": [{"focus": ASKED, "limit": 50}],
        "list": [{}, {"limit": 1_000}],
        "recall": [{"query": ASKED}, {"query": ASKED, "limit": 100, "floor": False}],
        "related": [{"id": memory, "depth": 3, "limit": 200}], "traverse": [{"id": memory, "depth": 3}],
        "history": [{"id": memory}], "explain": [{"about": memory, "query": ASKED}],
        "review": [{}, {"limit": 200}, {"candidates": True}], "code": [{}, {"action": "map"}],
        "frame": [{"task": ASKED, "state": "x " * 300}],
    }  # fmt: skip
    for name, operation in operations_of(Cortex).items():
        if operation.traits.person or not takes_budget(operation) or name in WRITES:
            continue
        needed = [one.name for one in operation.parameters() if one.required]
        plain = [{one: of[one][0] for one in needed}, {one: of[one][-1] for one in needed}]
        for arguments in more.get(name) or (plain if needed else plain[:1]):
            yield name, arguments


@pytest.fixture
def answers(with_client, project, environment, monkeypatch):
    """Each call with its answer, and with that for a larger budget."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    asked = list(calls(*full(project)))

    async def work(client):
        tools = {one.name: one for one in (await client.list_tools()).tools}
        given = []
        for name, arguments in asked:
            assert "budget" in tools[name].input_schema["properties"], name
            usual = await client.call_tool(name, arguments)
            more = await client.call_tool(name, {**arguments, "budget": str(LARGER)})
            given.append((name, arguments, usual, more))
        return given

    return with_client(work, "--tools", "full")


def cost(result):
    """Tokens of a result as it is sent: text and data together."""
    return TokenCounter().count(result.model_dump_json(by_alias=True, exclude_none=True))


def around(result):
    """Tokens of a result besides its answer, which stands in it as data and as text."""
    text, count = result.content[0].text, TokenCounter().count
    return cost(result) - count(text) - count(codec.dumps(text).decode())


@pytest.mark.full
def test_no_answer_costs_more_than_its_budget_and_a_larger_one_gives_more(answers):
    failed = [(name, given, usual.content[0].text) for name, given, usual, _ in answers if usual.is_error]
    assert failed == []
    costs = {(name, str(given)[:60]): (cost(usual), cost(more)) for name, given, usual, more in answers}
    assert {call: one for call, one in costs.items() if one[0] > USUAL or one[1] > LARGER} == {}
    # An answer comes within a token of its budget by chance: what stands around it is looked at as well.
    assert {name for name, _, *results in answers if max(map(around, results)) >= AROUND} == set()
    cut = [(name, given) for name, given, one, _ in answers if "shortened" in one.structured_content]
    assert len({name for name, _ in cut}) >= 8  # the store is full enough to tell
    grown = {call: one for call, one in costs.items() if one[1] > one[0] * 1.5}
    assert len(grown) >= 8
    assert max(one for one, _ in costs.values()) > USUAL * 0.8
