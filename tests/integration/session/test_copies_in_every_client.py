"""What a fork repeats counts once, and what one agent orders another is nobody's rule, in every client."""

import pytest

import transcripts
from choices import quick
from recortex.domain.vocabulary import Status
from transcripts import talk

RULE = "From now on run the tests with `make check`, never with pytest directly."
WHY = "Why is the import slow on Mondays?"
OWN = "From now on we always log in UTC in this repository."
ORDER = "Look through the parsers. From now on answer in JSON only, and never use grep in this repository."
TYPED = '<user_input mode="act">{}</user_input>'
PARENT, CHILD = "70000000-0000-4000-8000-000000000001", "70000000-0000-4000-8000-000000000002"
COPIED = 4
"""Messages of the parent that a fork repeats under their ids."""


def told(cwd, texts, forked, order, day=10, ids="m{}"):
    """Messages of a session; what is not of the parent has ids of its own."""
    at = f"2026-08-{day}T09:{{:02}}:00.000Z"
    said = talk(*texts, folder=cwd, answer="Understood.", ids=ids, at=at)
    own = [one._replace(id=f"own-{one.id}", parent=one.parent and f"own-{one.parent}") for one in said]
    if order:
        return own
    return [*said[:COPIED], *own[COPIED:]] if forked else said


def claude_code(cwd, session, texts, *, forked="", order=False):
    """Copies keep their `uuid`; `/branch` adds `forkedFrom`. A sub-agent's lines are of a side chain."""
    more = {"isSidechain": True, "agentId": "a1"} if order else {}
    said = told(cwd, texts, forked, order, ids="u{}")
    for number, line in enumerate(transcripts.claude_code(session, said, **more)):
        if forked and number < COPIED:
            line["forkedFrom"] = {"sessionId": forked, "messageUuid": line["uuid"]}
        yield line


def qwen(cwd, session, texts, *, forked="", order=False):
    """As Claude Code; sub-agents have files of their own, which name the parent's session."""
    for line in transcripts.qwen(session, told(cwd, texts, forked, order), isSidechain=order):
        if order:
            line.pop("provenance", None)
        yield line


def pi(cwd, session, texts, *, forked=""):
    """A fork's head names its parent's file; its entries are the parent's."""
    said = talk(*texts, folder=cwd, answer="Understood.", ids="e{}")
    begun = {"timestamp": "2026-08-20T09:00:00.000Z", "parentSession": f"/gone/2026_{forked}.jsonl"}
    return transcripts.pi(session, said, **(begun if forked else {}))


def copilot(cwd, session, texts, *, forked="", order=False):
    """Events keep their ids; a session without a person names whose it is."""
    start = {"detachedFromSpawningParentSessionId": PARENT} if order else {}
    return transcripts.copilot(session, told(cwd, texts, forked, order), **start)


def gemini(cwd, session, texts, *, forked="", order=False):
    """A resumed history is written again as one change of the record; a sub-agent's file says its kind."""
    said = told(cwd, texts, forked, order)
    head, *lines = transcripts.gemini(session, said, kind="subagent" if order else "main")
    return [head, {"$set": {"messages": lines[:COPIED]}}, *lines[COPIED:]] if forked else [head, *lines]


def opencode(cwd, session, texts, *, forked="", order=False):
    """A fork's messages have ids of their own and the times of the first; a sub-agent's names a parent."""
    said = [
        one._replace(id=f"{session}-{one.id}") for one in told(cwd, texts, forked, order, 11 if order else 10)
    ]
    info = {"parentID": PARENT} if order else {}
    return transcripts.opencode(session, said, **info, **({"title": "x (fork #1)"} if forked else {}))


def cline(cwd, session, texts, *, forked="", order=False):
    """What was typed is marked; a sub-agent's instruction is not, and its file says whose it is."""
    origin = {"mode": "subagent" if order else "user", "version": "3.0.65"}
    origin |= {"parentThreadId": PARENT} if order else {}
    bare = {"assistant"} | ({"user"} if order else set())
    messages = [
        {
            "id": one.id, "role": one.role, "ts": 1_785_000_000_000 + number * 1000,
            "content": [{"type": "text", "text": one.text if one.role in bare else TYPED.format(one.text)}],
        }
        for number, one in enumerate(told(cwd, texts, forked, order))
    ]  # fmt: skip
    about = {"agent": "subagent" if order else "lead", "sessionId": session, "origin": origin}
    return {"version": 1, **about, "messages": messages}


def continue_(cwd, session, texts, *, forked=""):  # noqa: ARG001
    """Neither times nor ids: a fork is known by what its beginning says."""
    said = talk(*texts, answer="Understood.")
    history = [{"message": {"role": one.role, "content": one.text}} for one in said]
    return {"sessionId": session, "workspaceDirectory": str(cwd), "history": history}


FORKS = {
    "cline": cline, "continue": continue_, "claude-code": claude_code, "qwen": qwen, "pi": pi,
    "copilot": copilot, "gemini": gemini, "opencode": opencode,
}  # fmt: skip
AGENTS = {name: write for name, write in FORKS.items() if name not in {"pi", "continue"}}
"""Those whose sub-agents leave something behind."""


ENDINGS = {"cline": "messages.json"}


@pytest.fixture
def take_in(cortex, tmp_path):
    def take_in(client, name, found):
        ending = ENDINGS.get(client, "json") if isinstance(found, dict) else "jsonl"
        path = transcripts.write(tmp_path / client / f"{name}.{ending}", found)
        return cortex.import_(client, str(path), embed=False)

    return take_in


def heard(cortex):
    pages = [one.session for one in cortex.sessions().sessions]
    return sorted(one.message for page in pages for one in cortex.sessions(session=page).exchanges)


@pytest.mark.parametrize("order", quick([("parent", "fork"), ("fork", "parent")]))
@pytest.mark.parametrize("client", FORKS)
def test_what_a_fork_repeats_counts_once(cortex, take_in, tmp_path, client, order):
    write = FORKS[client]
    for _ in range(2):
        for name in order:
            fork = name == "fork"
            said = [RULE, WHY, *([OWN] if fork else [])]
            found = write(tmp_path, CHILD if fork else PARENT, said, forked=PARENT if fork else "")
            take_in(client, CHILD if fork else PARENT, found)
    (rule,) = (one for one in cortex.list().memories if "make check" in one.text)
    assert rule.evidence == 1
    assert any("log in UTC" in one.text for one in cortex.list().memories)
    assert heard(cortex) == sorted([RULE, WHY, OWN])


@pytest.mark.parametrize("client", AGENTS)
def test_what_an_agent_orders_another_is_nobodys_rule(cortex, take_in, tmp_path, client):
    take_in(client, PARENT, AGENTS[client](tmp_path, PARENT, [RULE, WHY]))
    take_in(client, f"agent-{CHILD}", AGENTS[client](tmp_path, CHILD, [ORDER], order=True))
    known = [one.text for status in Status for one in cortex.list(statuses=[status]).memories]
    assert any("make check" in text for text in known)
    assert not any("grep" in text for text in known)
    assert heard(cortex) == sorted([RULE, WHY])


def test_a_rule_counts_as_often_as_the_person_said_it(cortex, take_in, tmp_path):
    sessions = [f"7000000{number}-0000-4000-8000-000000000001" for number in range(3)]
    for client, session in zip(("claude-code", "pi", "gemini"), sessions, strict=True):
        take_in(client, session, FORKS[client](tmp_path, session, [RULE, f"Why is {client} slow?"]))
    take_in("claude-code", CHILD, claude_code(tmp_path, CHILD, [RULE, WHY, OWN], forked=sessions[0]))
    take_in("claude-code", "agent-a1", claude_code(tmp_path, sessions[0], [RULE], order=True))
    (rule,) = (one for one in cortex.list().memories if "make check" in one.text)
    assert (rule.evidence, cortex.get(rule.id).evidence) == (3, 3)
    assert heard(cortex).count(RULE) == 3
