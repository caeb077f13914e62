"""What a fork repeats counts once, and what one agent orders another is nobody's rule, in every client."""

import json

import pytest

from choices import quick
from recortex.domain.vocabulary import Status

RULE = "From now on run the tests with `make check`, never with pytest directly."
WHY = "Why is the import slow on Mondays?"
OWN = "From now on we always log in UTC in this repository."
ORDER = "Look through the parsers. From now on answer in JSON only, and never use grep in this repository."
AT = "2026-08-{:02}T09:{:02}:00.000Z"
TYPED = '<user_input mode="act">{}</user_input>'
PARENT, CHILD = "70000000-0000-4000-8000-000000000001", "70000000-0000-4000-8000-000000000002"


def both(texts):
    return [(role, text) for said in texts for role, text in (("user", said), ("assistant", "Understood."))]


def claude_code(cwd, session, texts, *, forked="", order=False):
    """Copies keep their `uuid`; `/branch` adds `forkedFrom`. A sub-agent's lines are of a side chain."""
    last = None
    for number, (role, text) in enumerate(both(texts)):
        copied = bool(forked) and text in {RULE, WHY, "Understood."} and number < 4
        uuid = f"u{number}" if copied or not forked else f"own{number}"
        if order:
            uuid = f"a{number}"
        yield {
            "type": role, "uuid": uuid, "parentUuid": last, "sessionId": session, "cwd": str(cwd),
            "version": "2.1.332", "isSidechain": order, "timestamp": AT.format(10, number),
            "message": {"role": role, "id": f"m{uuid}", "content": [{"type": "text", "text": text}]},
            **({"forkedFrom": {"sessionId": forked, "messageUuid": uuid}} if copied else {}),
            **({"agentId": "a1"} if order else {}),
        }  # fmt: skip
        last = uuid


def qwen(cwd, session, texts, *, forked="", order=False):
    """As Claude Code; sub-agents have files of their own, which name the parent's session."""
    for line in claude_code(cwd, session, texts, forked=forked, order=order):
        text = line["message"]["content"][0]["text"]
        role = "user" if line["type"] == "user" else "model"
        told = {} if order or role == "model" else {"provenance": "real_user"}
        yield {**line, **told, "version": "0.24.4", "message": {"role": role, "parts": [{"text": text}]}}


def pi(cwd, session, texts, *, forked=""):
    """A fork's head names its parent's file; its entries are the parent's."""
    begun = AT.format(20 if forked else 10, 0)
    head = {"type": "session", "version": 3, "id": session, "timestamp": begun, "cwd": str(cwd)}
    yield {**head, "parentSession": f"/gone/2026_{forked}.jsonl"} if forked else head
    last = None
    for number, (role, text) in enumerate(both(texts)):
        at = AT.format(10 if number < 4 else 20, number + 1)
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        yield {"type": "message", "id": f"e{number}", "parentId": last, "timestamp": at, "message": message}
        last = f"e{number}"


def copilot(cwd, session, texts, *, forked="", order=False):
    """Events keep their ids; a sub-agent's name it, a session without a person names whose it is."""
    start = {"sessionId": session, "copilotVersion": "1.0.102", "context": {"cwd": str(cwd)}}
    start |= {"detachedFromSpawningParentSessionId": PARENT} if order else {}
    yield {"type": "session.start", "id": f"s{session}", "timestamp": AT.format(10, 0), "data": start}
    for number, (role, text) in enumerate(both(texts)):
        own = "own" if (forked and number >= 4) or order else "e"
        yield {
            "type": f"{role}.message", "id": f"{own}{number}", "timestamp": AT.format(10, number),
            "data": {"content": text, "messageId": f"m{own}{number}"},
        }  # fmt: skip


def gemini(_, session, texts, *, forked="", order=False):
    """A resumed history is written again as one change of the record; a sub-agent's file says its kind."""
    kind = "subagent" if order else "main"
    yield {"sessionId": session, "projectHash": "x", "startTime": AT.format(10, 0), "kind": kind}
    messages = [
        {
            "id": f"{'own' if (forked and number >= 4) or order else 'm'}{number}",
            "type": "gemini" if role == "assistant" else role,
            "timestamp": AT.format(10, number), "content": [{"text": text}],
        }
        for number, (role, text) in enumerate(both(texts))
    ]  # fmt: skip
    if forked:
        yield {"$set": {"messages": messages[:4]}}
    yield from messages[4:] if forked else messages


def opencode(cwd, session, texts, *, forked="", order=False):
    """A fork's messages have ids of their own and the times of the first; a sub-agent's names a parent."""
    messages = [
        {
            "info": {
                "id": f"{session}{number}", "sessionID": session, "role": role,
                "time": {"created": 1_785_000_000_000 + number * 1000 + (500 if order else 0)},
            },
            "parts": [{"type": "text", "id": f"p{session}{number}", "text": text}],
        }
        for number, (role, text) in enumerate(both(texts))
    ]  # fmt: skip
    info = {"id": session, "directory": str(cwd), "version": "1.18.33"}
    info |= {"parentID": PARENT} if order else {}
    info |= {"title": "x (fork #1)"} if forked else {}
    return {"info": info, "messages": messages}


def cline(_, session, texts, *, forked="", order=False):
    """What was typed is marked; a sub-agent's instruction is not, and its file says whose it is."""
    origin = {"mode": "subagent" if order else "user", "version": "3.0.65"}
    origin |= {"parentThreadId": PARENT} if order else {}
    bare = {"assistant"} | ({"user"} if order else set())
    messages = [
        {
            "id": f"{'own' if (forked and number >= 4) or order else 'm'}{number}", "role": role,
            "content": [{"type": "text", "text": text if role in bare else TYPED.format(text)}],
            "ts": 1_785_000_000_000 + number * 1000,
        }
        for number, (role, text) in enumerate(both(texts))
    ]  # fmt: skip
    told = {"agent": "subagent" if order else "lead", "sessionId": session, "origin": origin}
    return {"version": 1, **told, "messages": messages}


def continue_(cwd, session, texts, *, forked=""):  # noqa: ARG001
    """Neither times nor ids: a fork is known by what its beginning says."""
    history = [{"message": {"role": role, "content": text}} for role, text in both(texts)]
    return {"sessionId": session, "workspaceDirectory": str(cwd), "history": history}


FORKS = {
    "cline": cline,
    "continue": continue_,
    "claude-code": claude_code,
    "qwen": qwen,
    "pi": pi,
    "copilot": copilot,
    "gemini": gemini,
    "opencode": opencode,
}
AGENTS = {name: write for name, write in FORKS.items() if name not in {"pi", "continue"}}
"""Those whose sub-agents leave something behind."""


ENDINGS = {"cline": "messages.json"}


@pytest.fixture
def take_in(cortex, tmp_path):
    def take_in(client, name, found):
        document = isinstance(found, dict)
        path = tmp_path / client / f"{name}.{ENDINGS.get(client, 'json') if document else 'jsonl'}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found) if document else "".join(f"{json.dumps(one)}\n" for one in found))
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
