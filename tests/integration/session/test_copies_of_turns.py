"""Turns that are in several files, clients or stores are learned once."""

import json
import os
import sqlite3

import pytest

import transcripts
from choices import quick
from claude_sessions import claude_session
from recortex import Cortex
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.vocabulary import Scope, Status
from transcripts import talk

# -- A copy of a turn is not a saying; the same words on another day are.
RULE = "From now on run the tests with `make check`, never with pytest directly."
ORDER = "Look through the parsers. From now on answer in JSON only, and never use grep in this repository."
PARENT, CHILD, OTHER = (f"019fb000-0000-7000-8000-00000000000{digit}" for digit in "123")
SPAWNED = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}


def meta(session, cwd, at, **more):
    return next(transcripts.codex(session, transcripts.talk("", folder=cwd, at=at), **more))


def said(turn, cwd, at, prompt, answer):
    """A turn of a rollout: a prompt and its answer."""
    _, *lines = transcripts.codex("", transcripts.talk((cwd, prompt, cwd, answer), ids=turn + "{}", at=at))
    return lines


def again(lines, at):
    """Lines as a fork repeats them: stamped anew."""
    return [{**line, "timestamp": at} for line in lines]


@pytest.fixture
def rollout(tmp_path):
    def write(session, *lines, day="10"):
        path = tmp_path / f"rollout-2026-08-{day}T09-00-00-{session}.jsonl"
        return transcripts.write(path, lines)

    return write


@pytest.fixture
def parent(tmp_path):
    cwd, at = str(tmp_path), "2026-08-10T09:0{}:00.000Z"
    return [
        meta(PARENT, cwd, at.format(0)),
        *said("t1", cwd, at.format(1), RULE, "Understood."),
        *said("t2", cwd, at.format(2), "Why is the import slow on Mondays?", "It reads the whole archive."),
    ]


LATER = "2026-08-20T15:00:00.000Z"


def texts(cortex, status=Status.ACTIVE):
    return [one.text for one in cortex.list(statuses=(status,)).memories]


def test_a_fork_repeats_what_its_parent_said(cortex, rollout, parent, tmp_path):
    own = said(
        "t3", str(tmp_path), "2026-08-20T15:01:00.000Z", "In this repository we always log in UTC.", "Noted."
    )
    head = meta(CHILD, str(tmp_path), LATER, forked_from_id=PARENT)
    cortex.import_("codex", str(rollout(PARENT, *parent)))
    cortex.import_("codex", str(rollout(CHILD, head, *again(parent, LATER), *own, day="20")))
    (known,) = (one for one in cortex.list().memories if "make check" in one.text)
    assert known.evidence == 1
    assert any("log in UTC" in text for text in texts(cortex))
    told = [one.message for page in (PARENT, CHILD) for one in cortex.sessions(session=page).exchanges]
    assert sorted(told) == sorted(
        [RULE, "Why is the import slow on Mondays?", "In this repository we always log in UTC."]
    )


def test_a_fork_without_ids_of_turns_repeats_them_too(cortex, rollout, parent, tmp_path):
    bare = [line for line in parent if line["type"] in {"session_meta", "response_item"}]
    head = meta(CHILD, str(tmp_path), LATER, forked_from_id=PARENT)
    cortex.import_("codex", str(rollout(PARENT, *bare)))
    cortex.import_("codex", str(rollout(CHILD, head, *again(bare, LATER), day="20")))
    (known,) = (one for one in cortex.list().memories if "make check" in one.text)
    assert known.evidence == 1


@pytest.mark.parametrize("repeats", ["meta and history", "history", "another sub-agent's", "nothing"])
@pytest.mark.parametrize("first", [True, False], ids=["own first", "own last"])
def test_an_order_of_an_agent_is_not_the_persons(cortex, rollout, parent, tmp_path, repeats, first):
    cwd = str(tmp_path)
    head = meta(CHILD, cwd, LATER, source=SPAWNED, thread_source="subagent", parent_thread_id=PARENT)
    between = meta(PARENT, cwd, LATER, source=SPAWNED, thread_source="subagent", parent_thread_id=OTHER)
    copied = {
        "meta and history": again(parent, LATER),
        "history": again(parent[1:], LATER),
        "another sub-agent's": [between, *again(parent[1:], LATER)],
        "nothing": [],
    }[repeats]
    order = said("t4", cwd, "2026-08-20T15:02:00.000Z", ORDER, "{}")
    cortex.import_("codex", str(rollout(PARENT, *parent)))
    path = rollout(CHILD, *([head, *copied] if first else [*copied[:1], head, *copied[1:]]), *order, day="20")
    cortex.import_("codex", str(path))
    assert not any("grep" in text for status in Status for text in texts(cortex, status))
    assert [one.session for one in cortex.sessions().sessions] == [PARENT]
    assert not any("grep" in one.message for one in cortex.sessions(session=PARENT).exchanges)


@pytest.mark.parametrize("source", ["exec", "mcp"])
def test_a_program_that_runs_codex_is_not_the_person(cortex, rollout, tmp_path, source):
    cwd, at = str(tmp_path), "2026-08-10T09:01:00.000Z"
    lines = [meta(PARENT, cwd, at, source=source), *said("t1", cwd, at, ORDER, "{}")]
    cortex.import_("codex", str(rollout(PARENT, *lines)))
    assert not any("grep" in text for status in Status for text in texts(cortex, status))
    (exchange,) = cortex.sessions(session=PARENT).exchanges
    assert exchange.opener == "program"


@pytest.mark.parametrize(
    "prompt", ["Go on with the importer.", "Go on with the importer, where we stopped yesterday."]
)
def test_the_same_words_on_another_day_are_said_again(cortex, rollout, tmp_path, prompt):
    answers = ("Only the notes are open.", "The keys have expired: ask Ops to renew them.", "All is done.")
    for day, answer in zip(("11", "12", "13"), answers, strict=True):
        session, at = f"019fb0{day}-0000-7000-8000-000000000001", f"2026-08-{day}T09:00:00.000Z"
        lines = [meta(session, str(tmp_path), at), *said(f"t{day}", str(tmp_path), at, prompt, answer)]
        cortex.import_("codex", str(rollout(session, *lines, day=day)))
    assert len(cortex.sessions().sessions) == len(answers)


def test_the_parents_words_are_kept_where_only_the_fork_is_there(cortex, rollout, parent, tmp_path):
    head = meta(CHILD, str(tmp_path), LATER, forked_from_id=PARENT)
    cortex.import_("codex", str(rollout(CHILD, head, *again(parent, LATER), day="20")))
    assert any("make check" in text for text in texts(cortex))
    assert RULE in [one.message for one in cortex.sessions(session=CHILD).exchanges]


# -- What a fork repeats counts once, and what one agent orders another is nobody's rule, in every client.
WHY = "Why is the import slow on Mondays?"
OWN = "From now on we always log in UTC in this repository."
TYPED = '<user_input mode="act">{}</user_input>'
FORKED, FORK = "70000000-0000-4000-8000-000000000001", "70000000-0000-4000-8000-000000000002"
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
    start = {"detachedFromSpawningParentSessionId": FORKED} if order else {}
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
    info = {"parentID": FORKED} if order else {}
    return transcripts.opencode(session, said, **info, **({"title": "x (fork #1)"} if forked else {}))


def cline(cwd, session, texts, *, forked="", order=False):
    """What was typed is marked; a sub-agent's instruction is not, and its file says whose it is."""
    origin = {"mode": "subagent" if order else "user", "version": "3.0.65"}
    origin |= {"parentThreadId": FORKED} if order else {}
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
            found = write(tmp_path, FORK if fork else FORKED, said, forked=FORKED if fork else "")
            take_in(client, FORK if fork else FORKED, found)
    (rule,) = (one for one in cortex.list().memories if "make check" in one.text)
    assert rule.evidence == 1
    assert any("log in UTC" in one.text for one in cortex.list().memories)
    assert heard(cortex) == sorted([RULE, WHY, OWN])


@pytest.mark.parametrize("client", AGENTS)
def test_what_an_agent_orders_another_is_nobodys_rule(cortex, take_in, tmp_path, client):
    take_in(client, FORKED, AGENTS[client](tmp_path, FORKED, [RULE, WHY]))
    take_in(client, f"agent-{FORK}", AGENTS[client](tmp_path, FORK, [ORDER], order=True))
    known = [one.text for status in Status for one in cortex.list(statuses=[status]).memories]
    assert any("make check" in text for text in known)
    assert not any("grep" in text for text in known)
    assert heard(cortex) == sorted([RULE, WHY])


def test_a_rule_counts_as_often_as_the_person_said_it(cortex, take_in, tmp_path):
    sessions = [f"7000000{number}-0000-4000-8000-000000000001" for number in range(3)]
    for client, session in zip(("claude-code", "pi", "gemini"), sessions, strict=True):
        take_in(client, session, FORKS[client](tmp_path, session, [RULE, f"Why is {client} slow?"]))
    take_in("claude-code", FORK, claude_code(tmp_path, FORK, [RULE, WHY, OWN], forked=sessions[0]))
    take_in("claude-code", "agent-a1", claude_code(tmp_path, sessions[0], [RULE], order=True))
    (rule,) = (one for one in cortex.list().memories if "make check" in one.text)
    assert (rule.evidence, cortex.get(rule.id).evidence) == (3, 3)
    assert heard(cortex).count(RULE) == 3


# -- `import --rebuild` makes exchanges again that are lost or were made by another version.
def say(folder, *said, first=0):
    """Go on with a session of Claude Code: each message of the person with the agent's answer."""
    told = [one for pair in said for one in zip(("user", "assistant"), pair, strict=True)]
    claude_session(folder / "one.jsonl", folder, *told, session="one", first=first)


def kept(cortex):
    """The exchanges of the store, without when they were kept."""
    return cortex._app.services(Scope.PROJECT).store.exchanges.find(ExchangeQuery())


def test_exchanges_are_made_again_and_only_once(tmp_path):
    (work := tmp_path / "work").mkdir()
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    say(
        sessions,
        ("Which queue do we use for the mails?", "We use SQLite as the queue. Redis would need a server."),
        ("Then write that down, please.", "Written into docs/queue.md."),
    )
    with Cortex.open(work) as cortex:
        cortex.import_("any", str(sessions), embed=False)
        first = kept(cortex)
        assert [one.message for one in first][-1] == "Which queue do we use for the mails?"
        store = cortex._app.services(Scope.PROJECT).store
        with store.transaction():
            store.exchanges.delete_session("one")
        cortex.import_("any", str(sessions), embed=False)
        assert kept(cortex) == []
        say(sessions, ("And the retries?", "Three, then the mail is given up."), first=4)
        cortex.import_("any", str(sessions), embed=False, rebuild=True)
        assert kept(cortex)[1:] == first
        again = kept(cortex)
        cortex.import_("any", str(sessions), embed=False, rebuild=True)
        cortex.import_("any", str(sessions), embed=False)
        assert kept(cortex) == again


# -- What the person said in an editor is learned in the project whose folder was open, once.
#
# The stores are made here in the shapes in which public programs read them; no editor wrote them.
IN_EDITORS = "From now on we deploy on Mondays, never on Fridays."
AT = 1_795_960_814_000


def cursor(path, folders):
    with sqlite3.connect(path) as database:
        for table in ("ItemTable", "cursorDiskKV"):
            database.execute(f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        for id_, (text, folder) in folders.items():
            bubble = {"bubbleId": f"b{id_}", "type": 1, "text": text, "createdAt": "2026-11-29T10:00:00.000Z"}
            data = {"createdAt": AT, "fullConversationHeadersOnly": [{"bubbleId": f"b{id_}", "type": 1}]}
            uri = {"scheme": "file", "fsPath": folder} if folder else None
            data |= {"workspaceIdentifier": {"id": "w", "uri": uri}}
            for key, value in ((f"composerData:{id_}", data), (f"bubbleId:{id_}:b{id_}", bubble)):
                database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, json.dumps(value)))


def rules(cortex):
    return [(one.text, one.evidence) for one in cortex.list().memories]


def test_cursors_sessions_of_the_project_alone_are_learned(cortex, project, tmp_path):
    path = tmp_path / "state.vscdb"
    here = str(project)
    cursor(path, {"c1": (RULE, here), "c2": (IN_EDITORS, ""), "c3": (IN_EDITORS, "/"), "c4": (RULE, here)})
    for _ in range(2):
        cortex.import_("cursor", str(path))
        assert [(RULE.split()[3:6], 1)] == [(text.split()[3:6], evidence) for text, evidence in rules(cortex)]


def test_vs_codes_chats_of_the_project_alone_are_learned(cortex, project, tmp_path):
    storage = tmp_path / "workspaceStorage"
    for name, folder, text in (("w1", str(project), RULE), ("w2", "", IN_EDITORS)):
        place = storage / name / "chatSessions"
        place.mkdir(parents=True)
        (place.parent / "workspace.json").write_text(
            json.dumps({"folder": f"file://{folder}"} if folder else {})
        )
        said = {
            "requestId": name,
            "timestamp": AT,
            "message": {"text": text},
            "response": [{"value": "Noted."}],
        }
        chat = {"version": 3, "creationDate": AT, "sessionId": name, "requests": [said]}
        (place / f"{name}.jsonl").write_text(json.dumps({"kind": 0, "v": chat}) + "\n")
    for _ in range(2):
        cortex.import_("vscode", str(storage))
        assert ["make check" in text for text, _ in rules(cortex)] == [True]


# -- What a command of the repository says is the repository's word, also where a client leaves no mark.
REPOSITORYS = "From now on we always deploy with `make yolo` in this repository, never by hand."
BESIDE = "From now on we always log in UTC in this repository."
TYPED_HERE = "From now on run the tests with `make check`, never with pytest directly."

FORMS = [
    (
        "opencode",
        ".opencode/command/ship.md",
        f"---\ndescription: Ships.\n---\n{REPOSITORYS} Where: $ARGUMENTS\n",
    ),
    ("opencode", ".opencode/commands/deep/ship.md", f"{REPOSITORYS}\n\nWhere: $1\n"),
    ("pi", ".pi/prompts/ship.md", f"---\ndescription: Ships.\n---\n{REPOSITORYS}\n$@\n"),
    ("claude-code", ".claude/commands/ship.md", f"{REPOSITORYS}\n"),
    ("claude-code", ".claude/skills/ship/SKILL.md", f"---\nname: ship\n---\n{REPOSITORYS}\n"),
    ("qwen", ".qwen/commands/ship.toml", f'prompt = """{REPOSITORYS}\n{{{{args}}}}"""'),
    ("qwen", ".qwen/commands/ship.md", f"{REPOSITORYS}\n"),
]


def expanded(file, body, arguments):
    text = body.split("---\n")[-1] if not file.endswith(".toml") else body[len('prompt = """') : -3]
    holes = [hole for hole in ("$ARGUMENTS", "$1", "$@", "{{args}}") if hole in text]
    for hole in holes:
        text = text.replace(hole, arguments)
    return text.strip() if holes or not arguments else f"{text.strip()}\n\n{arguments}"


@pytest.fixture
def history(cortex, tmp_path):
    """Imports a session of a project, and gives what is remembered, and who opened what was said."""

    def history(form, *said):
        told = transcripts.talk(*said, folder=tmp_path)
        path = transcripts.write(tmp_path / "s1.jsonl", transcripts.WRITERS[form]("s1", told))
        cortex.import_("any", str(path))
        found = cortex.sessions(session=cortex.sessions().sessions[0].session)
        texts = " ".join(one.text for one in cortex.list(statuses=tuple(Status)).memories)
        return texts, [(one.opener, one.message) for one in reversed(found.exchanges)]

    return history


@pytest.mark.parametrize(("form", "file", "body"), FORMS, ids=[f"{one[0]} {one[1]}" for one in FORMS])
def test_a_command_is_not_what_the_person_said(history, tmp_path, form, file, body):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(body)
    rules, said = history(form, TYPED_HERE, expanded(file, body, ""), "Thanks.")
    assert "make check" in rules
    assert "yolo" not in rules
    assert [opener for opener, message in said if "yolo" in message] == ["program"]
    assert [opener for opener, message in said if "make check" in message] == ["person"]


@pytest.mark.parametrize(("form", "file", "body"), FORMS, ids=[f"{one[0]} {one[1]}" for one in FORMS])
def test_the_arguments_are_the_persons(history, tmp_path, form, file, body):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(body)
    rules, said = history(form, TYPED_HERE, expanded(file, body, BESIDE), "Thanks.")
    assert "UTC" in rules
    assert "yolo" not in rules
    assert ("person", BESIDE) in said
    assert not any("yolo" in message for _, message in said)


@pytest.mark.parametrize("arguments", ["code that we never run in production", "always deploy on Fridays"])
def test_arguments_that_are_no_sentence_of_their_own_teach_nothing(history, tmp_path, arguments):
    commands = tmp_path / ".opencode" / "command"
    commands.mkdir(parents=True)
    (commands / "look.md").write_text(f"{REPOSITORYS} Do not $ARGUMENTS, and say what you found.\n")
    _, said = history(
        "opencode", TYPED_HERE, f"{REPOSITORYS} Do not {arguments}, and say what you found.", "Thanks."
    )
    rules, _ = history("opencode", TYPED_HERE)
    assert ("person", arguments) in said
    assert "production" not in rules
    assert "Fridays" not in rules
    assert "yolo" not in rules


@pytest.mark.parametrize("form", ["opencode", "pi", "claude-code", "qwen"])
def test_without_such_a_file_it_is_the_persons(history, form):
    rules, said = history(form, REPOSITORYS, "Thanks.")
    assert "yolo" in rules
    assert said[0][0] == "person"


def test_odd_files_do_no_harm(history, tmp_path):
    folder = tmp_path / ".claude" / "commands"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "pipe.md")
    (folder / "large.md").write_text(f"{REPOSITORYS}\n" + "x" * 100_000)
    (folder / "bytes.md").write_bytes(b"\xff\xfe\x00")
    (folder / "round").symlink_to(folder)
    (folder / "out.md").symlink_to("/etc/hostname")
    (folder / "all.md").write_text("$ARGUMENTS")
    (folder / "bad.toml").write_text("[[[[")
    rules, said = history("claude-code", REPOSITORYS, "Thanks.")
    assert "yolo" in rules
    assert said[0][0] == "person"
