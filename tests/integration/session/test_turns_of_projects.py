"""What is said in a session belongs to the project of the folder in which the agent worked then."""

import hashlib
import json
import subprocess
from dataclasses import replace

import pytest

import transcripts
from recortex import Cortex
from recortex.app.hooks import Request, claim_requests, end_request
from recortex.app.jobs import capture
from recortex.app.jobs.capture import LastMessage, RunCounts, learn_from
from recortex.app.wiring import hook_context

SHOP = "From now on every handler in this repository returns a dataclass."
TOOLS = "From now on every screen in this repository has a snapshot test."
LATER = "From now on parcels are keyed by their number and never by name."


@pytest.fixture(autouse=True)
def _quickly(monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    monkeypatch.setattr(capture, "LAG", 0.0)


@pytest.fixture
def shop(tmp_path):
    return checkout(tmp_path / "shop")


@pytest.fixture
def tools(tmp_path):
    return checkout(tmp_path / "tools")


def checkout(folder):
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    (folder / "src").mkdir()
    return folder


CLIENTS = ("claude-code", "codex", "qwen")


def written(client, path, *said):
    """Turns of a session, each with the folder of its question, and of its answer if that is another."""
    if client == "codex":
        path = path.with_name("rollout-2026-03-01T09-00-00-s1.jsonl")
    told = transcripts.talk(*said, answer="Understood.", at="2026-03-01T1{}:00:00Z")
    return transcripts.write(path, transcripts.WRITERS[client]("s1", told))


def kept(folder):
    """The statements of a project's memory, and the messages of its exchanges."""
    with Cortex.open(folder) as cortex:
        known = cortex.list(statuses=["active", "proposed"]).memories
        said = cortex.sessions().sessions
        heard = [one.message for each in said for one in cortex.sessions(session=each.session).exchanges]
        return sorted(memory.text for memory in known), sorted(heard)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("named", [True, False])
def test_each_project_learns_what_was_said_there(shop, tools, tmp_path, client, named, monkeypatch):
    said = [(shop, SHOP), (tools / "src", TOOLS), (shop / "src", LATER)]
    monkeypatch.setenv("HOME", str(tmp_path))
    place = {
        "claude-code": ".claude/projects/x",
        "codex": ".codex/sessions",
        "qwen": ".qwen/projects/x/chats",
    }
    folder = tmp_path / place[client]
    folder.mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    written(client, folder / "s1.jsonl", *said)
    for project in (tools, shop):
        with Cortex.open(project) as cortex:
            assert cortex.import_(client, str(folder) if named else "").files == 1
    assert kept(shop) == (sorted([SHOP, LATER]), sorted([SHOP, LATER]))
    assert kept(tools) == ([TOOLS], [TOOLS])


def test_sessions_of_other_projects_in_a_named_folder_are_left_to_them(shop, tools, tmp_path):
    history = tmp_path / "history"
    history.mkdir()
    written("claude-code", history / "s1.jsonl", (shop, SHOP))
    written("codex", history / "s2.jsonl", (tools, TOOLS))
    with Cortex.open(shop) as cortex:
        done = cortex.import_("any", str(history))
        assert done.files == 1
        assert any("1 session of another project" in problem for problem in done.problems)
        alone = cortex.import_("codex", str(history))
        assert (alone.files, alone.elsewhere) == (0, 1)
    assert kept(shop)[0] == [SHOP]


def test_a_live_session_teaches_the_project_into_which_it_changed(shop, tools, tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr("recortex.app.hooks.dispatch.start_capture", lambda to: started.append(to.root))
    path = written("claude-code", tmp_path / "s1.jsonl", (shop, SHOP), (tools, TOOLS), (shop, LATER))
    request = Request(session="s1", transcript=str(path), client="claude-code", folder=str(shop), final=True)
    with Cortex.open(shop) as cortex:
        cortex.init()
    learn_from(hook_context(shop), request, LastMessage(), RunCounts())
    assert started == [tools]
    there = hook_context(tools)
    ((claimed, forwarded),) = claim_requests(there.queue)
    learn_from(there, forwarded, LastMessage(), RunCounts())
    end_request(claimed)
    assert started == [tools]  # it is not sent back
    assert kept(shop) == (sorted([SHOP, LATER]), sorted([SHOP, LATER]))
    assert kept(tools) == ([TOOLS], [TOOLS])


MOVING = (*CLIENTS, "copilot")
WHY, CAUSE = (
    "Why is the build slow here?",
    "The root cause was the missing cache of `cc`; keeping it fixed the slow build.",
)
DARK, THEME = (
    "Why is the screen dark?",
    "The root cause was the missing theme of `ui`; loading it fixed the dark screen.",
)
UNASKED = "Look at both, and tell me which is older."


def wandering(shop, tools):
    """Questions in one project that the agent answers from the other."""
    yield shop, WHY, tools, CAUSE
    yield tools, DARK, shop, THEME
    yield "/gone/since", UNASKED, shop, "That one."


def told(folder):
    """The messages of a project's exchanges with their answers."""
    with Cortex.open(folder) as cortex:
        pages = [cortex.sessions(session=one.session).exchanges for one in cortex.sessions().sessions]
        return sorted((one.message, one.conclusion) for page in pages for one in page)


HERE = [(WHY, CAUSE)]
THERE = [(UNASKED, "That one."), (DARK, THEME)]


@pytest.mark.parametrize("client", MOVING)
@pytest.mark.parametrize(
    ("final", "tail"),
    [
        (True, 0),
        pytest.param(False, 1_000_000, marks=pytest.mark.full),
        pytest.param(True, 1_000_000, marks=pytest.mark.full),
        pytest.param(False, 0, marks=pytest.mark.full),
    ],
)
def test_a_pass_that_begins_with_an_answer_knows_where_it_was_asked(
    shop, tools, tmp_path, monkeypatch, client, tail, final
):
    monkeypatch.setattr("recortex.app.hooks.dispatch.start_capture", lambda _: None)
    monkeypatch.setattr("recortex.app.past_sessions._TAIL", tail)
    path = written(client, tmp_path / "s1.jsonl", *wandering(shop, tools))
    lines = path.read_text().splitlines(keepends=True)
    for project in (shop, tools):
        with Cortex.open(project) as cortex:
            cortex.init()
        for end in range(1, len(lines) + 1):
            path.write_text("".join(lines[:end]))
            place = {"transcript": str(path), "folder": str(project)}
            request = Request(session="s1", client=client, final=final, **place)
            learn_from(hook_context(project), request, LastMessage(), RunCounts())
        learn_from(hook_context(project), replace(request, final=True), LastMessage(), RunCounts())
    assert told(shop) == HERE
    assert told(tools) == sorted(THERE)


def test_a_session_whose_answers_alone_were_in_a_project_is_not_its_own(shop, tools, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    written("claude-code", folder / "s1.jsonl", (shop, WHY, tools, CAUSE))
    with Cortex.open(tools) as cortex:
        assert (cortex.import_("claude-code").files, told(tools)) == (0, [])


def gemini(home, folder, text, way, name):
    """A session of Gemini CLI, which says nowhere in the file in which folder it ran."""
    digest = hashlib.sha256(str(folder).encode()).hexdigest()
    project = home / ".gemini" / "tmp" / (digest if way == "hash" else name)
    said = transcripts.talk(text, answer="Understood.")
    head, *lines = transcripts.gemini(f"session-{name}", said, projectHash=digest)
    path = project / "chats" / f"session-{name}.jsonl"
    if way == "hash":
        transcripts.write(path.with_suffix(".json"), {**head, "messages": lines})
    else:
        transcripts.write(path, [head, *lines])
    if way == "root":
        (project / ".project_root").write_text(str(folder))
    if way == "registry":
        registry = home / ".gemini" / "projects.json"
        known = json.loads(registry.read_text())["projects"] if registry.exists() else {}
        registry.write_text(json.dumps({"projects": {**known, str(folder): name}}))


@pytest.mark.parametrize("way", ["root", "registry", "hash"])
def test_a_session_that_does_not_name_its_folder_is_found_by_the_client_s_own_map(
    shop, tools, tmp_path, monkeypatch, way
):
    monkeypatch.setenv("HOME", str(tmp_path))
    gemini(tmp_path, shop, SHOP, way, "shop")
    gemini(tmp_path, tools, TOOLS, way, "tools")
    for project, text in ((shop, SHOP), (tools, TOOLS)):
        with Cortex.open(project) as cortex:
            assert cortex.import_("gemini").files == 1
            cortex.import_("gemini", str(tmp_path / ".gemini" / "tmp"))
        assert kept(project) == ([text], [text])


def test_a_session_of_which_nothing_tells_the_folder_is_read_where_a_person_names_it(
    shop, tmp_path, monkeypatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    gemini(tmp_path, shop, SHOP, "nowhere", "shop")
    (tmp_path / ".gemini" / "projects.json").write_text("[1, {")
    with Cortex.open(shop) as cortex:
        assert cortex.import_("gemini").files == 0
        assert cortex.import_("gemini", str(tmp_path / ".gemini" / "tmp")).files == 1
    assert kept(shop)[0] == [SHOP]


def pi(path, cwd, at, *entries, parent=""):
    """A session of Pi: a head, then entries of an id, a time and a text."""
    head = {"timestamp": at, "cwd": str(cwd)} | ({"parentSession": str(parent)} if parent else {})
    said = [transcripts.Message("user", text, id_, when, str(cwd), None) for id_, when, text in entries]
    return transcripts.write(path, transcripts.pi(path.stem, said, **head))


@pytest.mark.parametrize("first", ["shop", "tools"])
def test_a_fork_of_pi_in_another_folder_repeats_what_was_said_in_the_first(shop, tools, tmp_path, first):
    said = ("e1", "2026-03-01T10:00:00Z", SHOP)
    parent = pi(tmp_path / "a_s1.jsonl", shop, "2026-03-01T09:00:00Z", said)
    own = ("e2", "2026-03-02T10:00:00Z", TOOLS)
    fork = pi(tmp_path / "b_s2.jsonl", tools, "2026-03-02T09:00:00Z", said, own, parent=parent)
    for project in sorted((shop, tools), key=lambda one: one.name != first):
        for path in (fork, parent):
            with Cortex.open(project) as cortex:
                cortex.import_("pi", str(path))
    assert kept(shop) == ([SHOP], [SHOP])
    assert kept(tools) == ([TOOLS], [TOOLS])
