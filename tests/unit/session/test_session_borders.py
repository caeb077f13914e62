"""What surrounds a session: instruction files, other sessions, other projects."""

import os
import socket
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from recortex import Cortex
from recortex.app.hooks import ATTEMPTS, Request, beginning, claim_requests, reminders, waiting_requests
from recortex.app.hooks.dispatch import _catch_up, close, ended, request_capture
from recortex.app.jobs import capture
from recortex.app.jobs.capture import LastMessage, fulfil_requests
from recortex.app.wiring import hook_context
from recortex.clients.instruction_files import PERSONS, persons_path
from recortex.domain.search import MemoryQuery
from recortex.domain.session import Session
from recortex.domain.vocabulary import Origin, Scope, Status, Trust
from recortex.errors import StoreUnavailableError
from recortex.formats.hook_events import HookEvent

# -- What may surround a session: other sessions, other projects' transcripts, strange files, broken
# clients.
UV = "please remember that we use uv and not pip in this repository"
CAUSE = "The root cause was that `parse_date` drops the timezone, so nightly reports were one day off."


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(capture, "LAG", 0.0)
    monkeypatch.setattr("recortex.app.hooks.dispatch.start_capture", lambda *_, **__: None)


def begin(context, path: Path, session: str = "s", **more) -> Session:
    begun = Session(
        id=session, started_at=context.clock(), seen_at=context.clock(), transcript=str(path),
        cwd=str(context.root), **more,
    )  # fmt: skip
    context.sessions.put(begun)
    return begun


def waiting(context) -> list[Request]:
    """Those with a transcript: one without says that an instruction file changed."""
    return [request for _, request in claim_requests(context.queue) if request.transcript]


def test_another_projects_transcript_in_the_same_folder_is_left_alone(
    cortex, context, transcript, clock, tmp_path
):
    """Codex keeps the sessions of all projects in one folder for each day."""
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    foreign = transcript("foreign")
    foreign._base["cwd"] = str(other)
    foreign.says("user", UV)
    os.utime(foreign.path, (clock.pass_(days=1).timestamp() - 600,) * 2)
    current = begin(context, transcript("s").says("user", "hello").path)
    _catch_up(context, current)
    fulfil_requests(context, LastMessage())
    assert cortex.list().total == 0
    _catch_up(context, current)
    assert waiting(context) == []


@pytest.mark.parametrize(("name", "over"), [("stop", False), ("session-end", True)])
def test_what_is_to_be_learned_is_asked_for_even_where_the_server_is_away(
    context, event, transcript, name, over
):
    away = hook_context(context.root, url="postgresql://127.0.0.1:1/none?workspace=w")
    said = transcript().says("user", UV)
    with pytest.raises(StoreUnavailableError):
        close(away, event(name, client="claude-code", transcript=str(said.path)))
    [request] = waiting(away)
    assert (request.session, request.transcript, request.folder) == ("s", str(said.path), str(context.root))
    assert (request.final, request.urgent) == (over, over)


def test_what_was_written_after_a_session_was_learned_from_is_not_lost(cortex, context, transcript):
    said = transcript().says("user", "hello")
    request_capture(context, begin(context, said.path, ended_at=context.clock()), final=True)
    fulfil_requests(context, LastMessage())
    said.says("user", UV)
    _catch_up(context, begin(context, said.path, "new"))
    fulfil_requests(context, LastMessage())
    assert cortex.list().total == 1


def test_sessions_without_a_transcript_do_not_hide_one_that_was_killed(context, transcript, clock, tmp_path):
    begin(context, transcript().says("user", UV).path, process=2**22 + 1)
    for number in range(30):
        clock.pass_(seconds=1)
        begin(context, tmp_path / f"none-{number}.jsonl", f"none-{number}", process=2**22 + 1)
    _catch_up(context, begin(context, tmp_path / "new.jsonl", "new"))
    assert [request.session for request in waiting(context)] == ["s"]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_no_transcript(context, tmp_path, make):
    path = tmp_path / "strange.jsonl"
    make(path)
    request_capture(context, begin(context, path), final=False)
    fulfil_requests(context, LastMessage(session="s", message="Done."))
    assert waiting_requests(context.queue) == 0


def test_a_link_to_the_home_folder_is_the_home_folder(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert hook_context(tmp_path / "real").homeless
    assert hook_context(tmp_path / "link").homeless


def test_no_client_can_end_a_relay(tmp_path, monkeypatch):
    """Nesting, nonsense, an event of wrong types: the next hook is answered all the same."""
    monkeypatch.setattr(reminders, "PATIENCE", 600.0)  # a slow machine is no slow client
    store = str(tmp_path / "store.db")

    def answer(event: HookEvent) -> str:
        if event.prompt == "fail":
            raise AssertionError
        return "here"

    before = set(threading.enumerate())
    served = reminders.Relay(store, answer)
    (thread,) = set(threading.enumerate()) - before
    asked = HookEvent(name="user-prompt-submit", session="s", prompt="hello")
    try:
        for garbage in (b"[" * 400_000, b'{"version": 1}', b"\xff", b""):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(served._path))
                client.sendall(garbage)
        assert reminders.ask(store, replace(asked, prompt="fail"), seconds=600) is None
        assert reminders.ask(store, asked, seconds=600) == "here"
    finally:
        served.close()
    thread.join(600)
    assert not thread.is_alive()


def test_a_transcript_that_nothing_can_be_made_of_does_not_keep_the_others_waiting(
    cortex, context, transcript, monkeypatch
):
    """Neither one whose job fails in a way that nobody thought of, nor one whose job dies."""
    for name in ("bad", "good"):
        request_capture(context, begin(context, transcript(name).says("user", UV).path, name), final=True)
    learn = capture.learn_from

    def failing(context, request, *rest):
        if request.session == "bad":
            raise AssertionError
        learn(context, request, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(capture, "learn_from", failing)
        for _ in range(ATTEMPTS):
            fulfil_requests(context, LastMessage())
    assert cortex.list().total == 1
    assert waiting_requests(context.queue) == 0
    assert b"AssertionError" in context.location.place("hooks.log").read_bytes()


def test_a_request_whose_job_is_always_ended_is_given_up(cortex, context, transcript):
    """Its job never comes to count a failure: the process ends at its limit, whatever it is doing."""
    request_capture(
        context, begin(context, transcript("endless").says("user", UV).path, "endless"), final=True
    )
    for _ in range(ATTEMPTS):
        next(claim_requests(context.queue))
    assert waiting_requests(context.queue) == 1
    fulfil_requests(context, LastMessage())
    assert waiting_requests(context.queue) == 0
    assert b"Given up after" in context.location.place("hooks.log").read_bytes()
    assert cortex.list().total == 0


def test_a_full_disk_leaves_nothing_half_written(context, transcript, monkeypatch):
    begun = begin(context, transcript().says("user", UV).path)
    request_capture(context, begun, final=False)
    before = {path: path.read_bytes() for path in context.queue.iterdir()}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(OSError, match="No space"):
            request_capture(context, begun, final=True)
    assert {path: path.read_bytes() for path in context.queue.iterdir()} == before


def test_a_secret_in_the_reason_of_an_end_is_not_noted(context, event):
    ended(context, event("session-end", reason="ghp_" + "A1b2C3d4E5f6" * 3))
    assert "A1b2" not in context.sessions.get("s").end_reason


def test_a_long_last_message_counts_once_though_it_was_cut(cortex, context, transcript):
    last = f"  {CAUSE}\n\n{'More words follow here. ' * 500}"
    said = transcript().says("user", "why are the nightly reports off?")
    begun = begin(context, said.path)
    request_capture(context, begun, final=False)
    fulfil_requests(context, LastMessage(session="s", message=beginning(last)))
    said.says("assistant", last)
    request_capture(context, begun, final=True)
    fulfil_requests(context, LastMessage())
    (exchange,) = cortex.sessions(session="s").exchanges
    assert exchange.conclusion.count("parse_date") == 1


# -- The person's own CLAUDE.md for all projects: their word, followed, not told again, not learned again.
PNPM = "Use pnpm for all packages, never npm"
THURSDAY = "Releases are cut on Thursdays from main"


@pytest.fixture
def mine():
    """The person's file, with a rule."""
    path = Path(os.environ["CLAUDE_CONFIG_DIR"], "CLAUDE.md")
    path.write_text(f"# Mine\n\n- {PNPM}\n", encoding="utf-8")
    return path


def kept(cortex, *statuses):
    query = MemoryQuery(statuses=statuses or (Status.ACTIVE,), descending=False)
    return {one.text: one for one in cortex._app.services(Scope.PROJECT).store.memories.find(query)}


def work(cortex, context, event, transcript, *said, name="s"):
    """A session of Claude Code in which this is said, and what is learned afterwards."""
    path = transcript(name)
    told = cortex.attend(
        event("session-start", session=name, client="claude-code", transcript=str(path.path))
    )
    for text in ("hello", *said):
        path.says("user", text)
    cortex.attend(event("session-end", session=name, client="claude-code", transcript=str(path.path)))
    fulfil_requests(context, LastMessage())
    return told


@pytest.mark.usefixtures("mine")
def test_it_is_the_persons_word_and_names_no_file_of_the_project(cortex):
    assert cortex.init().instructions == (PERSONS,)
    one = kept(cortex)[PNPM]
    assert (one.origin, one.trust, one.scope) == (Origin.USER, Trust.TRUSTED, Scope.PROJECT)
    assert (one.source.path, one.files) == (PERSONS, ())
    assert one.metadata["written_in"][PERSONS]["lines"] == "3-3"


@pytest.mark.usefixtures("mine")
def test_it_is_read_once_a_client_worked_here_that_loads_it(cortex, clock, event):
    cortex.remember("Invoices are rounded half to even, as the auditors asked", kind="decision")
    context = hook_context(cortex._app.root, app=cortex._app)
    for client, read in (("codex", False), ("claude-code", True)):
        cortex.attend(event("session-start", session=client, client=client))
        fulfil_requests(context, LastMessage())
        assert (PNPM in kept(cortex)) == read
        clock.pass_(days=1, hours=1)  # who works here is looked at once a day


def test_it_is_followed_as_it_changes(cortex, context, event, transcript, mine):
    mine.unlink()
    work(cortex, context, event, transcript)
    assert PNPM not in kept(cortex)
    mine.write_text(f"- {PNPM}\n- {THURSDAY}\n")
    work(cortex, context, event, transcript, name="t")
    assert {PNPM, THURSDAY} <= kept(cortex).keys()
    mine.write_text(f"- {PNPM} or yarn\n")
    work(cortex, context, event, transcript, name="u")
    assert kept(cortex).keys() & {PNPM, THURSDAY, f"{PNPM} or yarn"} == {f"{PNPM} or yarn"}
    mine.unlink()
    work(cortex, context, event, transcript, name="v")
    assert f"{PNPM} or yarn" in kept(cortex, Status.ARCHIVED)


@pytest.mark.usefixtures("mine")
def test_claude_code_is_not_told_what_it_loads_and_others_are(cortex, event):
    cortex.init()
    cortex.remember("Invoices are rounded half to even, as the auditors asked", kind="decision")
    asked = "which package manager do we use for packages, pnpm or npm?"
    for client, given in (("claude-code", False), ("", False), ("codex", True)):
        brief = cortex.attend(event("session-start", session=f"{client}1", client=client))
        assert "auditors" in brief
        assert (PNPM in brief) == given
        told = cortex.attend(event("user-prompt-submit", session=f"{client}2", client=client, prompt=asked))
        assert (PNPM in told) == given


@pytest.mark.usefixtures("mine")
def test_a_session_does_not_teach_it_again(cortex, context, event, transcript):
    said = ("from now on always use pnpm for all packages", "from now on never push to main without a tag")
    work(cortex, context, event, transcript, *said)
    found = kept(cortex, Status.ACTIVE, Status.PROPOSED)
    assert [text for text in found if "pnpm" in text] == [PNPM]
    assert found[PNPM].evidence == 2
    assert any("without a tag" in text for text in found)


def test_it_replaces_nothing_that_was_said_for_one_project(cortex, clock, mine):
    here = cortex.remember("Use PostgreSQL for the job queue.", kind="decision")
    mine.write_text("- Use Redis for the job queue instead of PostgreSQL.\n- Use Kafka for the audit trail\n")
    clock.pass_(hours=1)
    cortex.init()
    assert cortex.get(here.id).status is Status.ACTIVE
    assert any("Redis" in text for text in kept(cortex))
    earlier = clock.now - timedelta(days=30)  # said in a session that is read late
    late = cortex.remember(
        "We use Redis for the audit trail instead of Kafka.", kind="decision", valid_from=earlier
    )
    assert cortex.get(late.id).status is Status.ACTIVE


def test_no_repository_speaks_with_the_persons_trust(project, clock, monkeypatch, mine):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    rules = project / ".claude" / "CLAUDE.md"
    rules.parent.mkdir()
    rules.write_text(f"- {THURSDAY}\n")
    forged = project / "memory of Claude Code: x"
    forged.mkdir()
    (forged / "CLAUDE.md").write_text("- Every handler logs its request id\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(rules.parent))
    with Cortex.open(project, clock=clock) as cortex:
        cortex.init()
        found = kept(cortex)
        assert {THURSDAY, "Every handler logs its request id"} == found.keys()
        assert {one.trust for one in found.values()} == {Trust.UNTRUSTED}
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(mine.parent))
    with Cortex.open(project, clock=clock) as cortex:
        cortex.import_("rules")
        mine.unlink()
        cortex.import_("rules")
        rules.write_text(f"- {PNPM}\n")  # what the person took out stands in the clone now
        cortex.import_("rules")
        assert (kept(cortex)[PNPM].trust, kept(cortex)[PNPM].origin) == (Trust.UNTRUSTED, Origin.REPOSITORY)
        assert kept(cortex)[PNPM].source.path == ".claude/CLAUDE.md"


@pytest.mark.parametrize("odd", ["folder", "pipe", "ring", "large", "bytes", "nowhere"])
def test_an_odd_file_stands_in_no_way(cortex, context, event, transcript, project, mine, odd):
    mine.unlink()
    make = {
        "folder": mine.mkdir,
        "pipe": lambda: os.mkfifo(mine),
        "ring": lambda: mine.symlink_to(mine),
        "large": lambda: mine.write_text(f"- {PNPM}\n" * 8_000),
        "bytes": lambda: mine.write_bytes(b"\xff\x00- \xfe\n" * 9),
        "nowhere": lambda: mine.symlink_to(mine.parent / "gone"),
    }
    make[odd]()
    (project / "CLAUDE.md").write_text(f"- {THURSDAY}\n")
    work(cortex, context, event, transcript)
    assert THURSDAY in kept(cortex)
    assert PNPM not in kept(cortex)


def test_a_link_to_a_file_of_the_persons_is_followed(cortex, mine, tmp_path):
    (tmp_path / "dotfiles").mkdir()
    mine.rename(tmp_path / "dotfiles" / "claude.md")
    mine.symlink_to(tmp_path / "dotfiles" / "claude.md")
    cortex.init()
    assert kept(cortex)[PNPM].trust is Trust.TRUSTED


def test_it_lies_in_the_home_folder_where_no_variable_says_otherwise(project, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "me"))
    assert persons_path(None, project) == tmp_path / "me" / ".claude" / "CLAUDE.md"
    assert persons_path(None, tmp_path / "me") is None  # the home folder itself is the project
    assert persons_path(Path("relative"), project) is None


def test_a_store_on_a_server_holds_nothing_of_it(cortex, mine):
    from types import SimpleNamespace

    from recortex.app.hooks.dispatch import persons

    root = cortex._app.root
    assert persons(SimpleNamespace(remote=True), root, mine.parent) == []
    assert persons(SimpleNamespace(remote=False), root, mine.parent) == [str(mine)]
