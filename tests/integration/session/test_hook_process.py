"""The process of a hook."""

import json
import os
import shlex
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import ready_recortex
from choices import quick
from claude_sessions import claude_lines, claude_session
from patient_recortex import SECONDS, command
from places import project_of, store_folder
from privacy_rules import expand
from recortex import Cortex
from recortex.app.hooks import waiting_requests
from recortex.app.jobs.capture import LastMessage, fulfil_requests
from recortex.app.wiring import hook_context
from recortex.filesystem import alone

pytestmark = pytest.mark.usefixtures("without_vectors")


# -- `recortex hook` as clients start it: a process with JSON on standard input that always exits 0.
RECORTEX = command()
INSTALLED = Path(sys.executable).with_name("recortex")  # gives up as soon as it does for a client


def hook(event: str, payload: bytes | dict, *more: str, cwd: Path | None = None) -> bytes:
    data = json.dumps(payload).encode() if isinstance(payload, dict) else payload
    done = ready_recortex.run("hook", event, *more, stdin=data, cwd=cwd, patient=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    if done.stdout:
        assert len(done.stdout.decode()) < 10_000
        assert set(json.loads(done.stdout)) == {"hookSpecificOutput"}
    return done.stdout


@pytest.fixture
def known(project: Path) -> Path:
    with Cortex.open(project) as cortex:
        cortex.remember(
            "Passwords are hashed with bcrypt at 12 rounds", kind="decision", files=["src/auth.py"]
        )
    return project


def said(project: Path) -> dict:
    """A line of a transcript in which the person says what is to be remembered."""
    told = "please remember that we use uv and not pip in this repository"
    return next(claude_lines(project, told, session="s"))


def payload(project: Path, **more) -> dict:
    return {"session_id": "s", "cwd": str(project), **more}


def test_a_prompt_is_answered(known: Path):
    said = json.loads(
        hook(
            "user-prompt-submit",
            payload(known, prompt="how are passwords hashed?", hook_event_name="UserPromptSubmit"),
        )
    )
    assert said["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "bcrypt" in said["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "event",
    [
        "session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "pre-compact", "stop",
        "session-end", "subagent-stop",
    ],
)  # fmt: skip
def test_garbage_is_met_with_silence(event: str, tmp_path: Path):
    for data in (b"", b"null", b"\xff" * 99, b'{"session_id": "s", "cwd": 7}'):
        assert hook(event, data, cwd=tmp_path) == b""


def test_an_unknown_event_exits_0_too(tmp_path: Path):
    done = subprocess.run(
        [*RECORTEX, "hook", "no-such-event"], input=b"{}", capture_output=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"session-start" in done.stderr


def test_a_damaged_store_is_met_with_silence_and_noted(known: Path):
    (store_folder(known) / "cortex.db").write_bytes(b"garbage" * 1_000)
    assert hook("user-prompt-submit", payload(known, prompt="how are passwords hashed?")) == b""
    assert b"user-prompt-submit" in (store_folder(known) / "hooks.log").read_bytes()


def test_an_agent_that_recortex_runs_itself_is_not_watched(known: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RECORTEX_INSIDE", "1")
    assert hook("user-prompt-submit", payload(known, prompt="how are passwords hashed?")) == b""


def test_a_project_cannot_bring_its_own_modules(known: Path, tmp_path: Path):
    """The job's interpreter does not look for modules in the folder that it works in."""
    (known / "recortex.py").write_text("open('owned', 'w')")
    (known / "json.py").write_text("open('owned', 'w')")
    (store_folder(known) / "recortex.py").write_text("open('owned', 'w')")
    (tmp_path / "t.jsonl").write_text(json.dumps(said(known)) + "\n")
    hook("stop", payload(known, transcript_path=str(tmp_path / "t.jsonl")), cwd=known)
    _settled(known)
    assert not list(known.rglob("owned"))


def test_what_a_session_taught_is_there_after_its_end(project: Path, tmp_path: Path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(json.dumps(said(project)) + "\n")
    assert hook("session-end", payload(project, transcript_path=str(transcript), reason="other")) == b""
    _settled(project)
    with Cortex.open(project) as cortex:
        assert [memory.source.session for memory in cortex.list().memories] == ["s"]


def test_a_running_server_answers_the_hook_of_its_project(known: Path):
    server = subprocess.Popen(
        ready_recortex.command("mcp"), cwd=known, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert server.stdin is not None
        first = {
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        }  # fmt: skip
        listed = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        server.stdin.write(
            b"".join(
                json.dumps(one).encode() + b"\n"
                for one in (first, {"jsonrpc": "2.0", "method": "notifications/initialized"}, listed)
            )
        )
        server.stdin.flush()
        from recortex.app.hooks import reminders
        from recortex.app.projects import of_project
        from recortex.formats.hook_events import HookEvent

        asked = HookEvent(
            name="user-prompt-submit", session="s", cwd=str(known), prompt="how are passwords hashed?"
        )
        store = of_project(project_of(known)).address
        answer = _eventually(lambda: reminders.ask(store, asked, seconds=SECONDS))
        assert "bcrypt" in answer
        place = reminders.folder()
        assert place is not None
        assert place.stat().st_mode & 0o777 == 0o700
        server.communicate(timeout=SECONDS)
        assert not list(place.glob(f"*-{server.pid}.sock"))
        assert reminders.ask(store, asked, seconds=SECONDS) is None
    finally:
        server.kill()
        server.communicate()


def _eventually(ask):
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        answer = ask()
        if answer is not None:
            return answer
        time.sleep(0.05)
    raise AssertionError("the server never answered")


def _settled(project: Path) -> None:
    """Wait until the job has taken up what waits, and has ended."""
    queue = store_folder(project) / "queue"
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        told = (store_folder(project) / "status.json").exists()
        # A job that does not get the lock leaves, so it is only tried when there is nothing left to take up.
        if queue.is_dir() and not list(queue.iterdir()) and told:
            with alone(store_folder(project) / "locks" / "capture.lock") as free:
                if free:
                    return
        time.sleep(0.05)
    raise AssertionError("the job did not end")


@pytest.mark.parametrize("event", quick(["user-prompt-submit", "session-start", "stop"]))
def test_a_hook_that_waits_for_what_never_comes_ends_by_itself(known: Path, event: str):
    """The client keeps the input open; the limit is the hook's own, as installed."""
    reader, writer = os.pipe()
    try:
        os.write(writer, b'{"session_id": "s", ')
        done = subprocess.run(
            [INSTALLED, "hook", event],
            stdin=reader, capture_output=True, check=False, timeout=SECONDS, cwd=known,
        )  # fmt: skip
    finally:
        os.close(reader)
        os.close(writer)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_client_is_known_behind_the_shell_that_it_starts_hooks_with(known: Path):
    behind = ["sh", "-c", f"{shlex.join(RECORTEX)} hook session-start ; exit 0"]
    for line, session in ((behind, "s"), ([*RECORTEX, "hook", "session-start"], "direct")):
        given = json.dumps(payload(known, session_id=session)).encode()
        subprocess.run(line, input=given, check=True, capture_output=True)
    from recortex.app.wiring import hook_context

    sessions = hook_context(known).sessions
    assert [session.process for session in sessions.recent(2)] == [os.getpid()] * 2


STARTS_A_HOOK = """import subprocess, sys
line = sys.stdin.readline()
subprocess.run(["sh", "-c", sys.argv[1] + " ; exit 0"], input=line, text=True, check=True)
"""


@pytest.mark.parametrize(
    ("words", "noted"),
    [(["-p", "Go on."], True), (["-y"], True), (["-i", "Go on."], False), (["--acp"], False)],
)
def test_a_prompt_of_a_script_is_noted(known: Path, tmp_path: Path, words: list[str], noted: bool):
    client = tmp_path / "qwen"
    client.write_text(STARTS_A_HOOK)
    given = json.dumps(payload(known, prompt="Go on.")).encode()
    line = f"{shlex.join(RECORTEX)} hook user-prompt-submit --client qwen"
    before = time.time()
    subprocess.run([sys.executable, client, line, *words], input=given, check=True, capture_output=True)
    from recortex.app.wiring import hook_context

    seen = hook_context(known).sessions.signals("s")
    signals = [one for one in seen if one.name == "unattended"]
    assert len(signals) == noted
    assert all(before - 2 < float(one.digest) <= one.at.timestamp() for one in signals)


def test_a_secret_in_a_files_name_is_not_noted(known: Path):
    secret = "ghp_" + "A1b2C3d4E5f6" * 3
    use = {
        "tool_name": "Write",
        "tool_input": {"file_path": str(known / f"{secret}.txt")},
        "tool_response": {},
    }
    hook("post-tool-use", payload(known, **use))
    assert not [file for file in known.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]


def test_a_server_whose_store_cannot_be_opened_says_so_in_each_answer(project: Path, tmp_path: Path):
    """No relay is a smaller loss than no server."""
    (store_folder(project) / "cortex.db").symlink_to(tmp_path / "elsewhere")
    parameters = {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }  # fmt: skip
    asked = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "status", "arguments": {}}},
    )
    server = subprocess.Popen(
        ready_recortex.command("mcp"), cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert server.stdin
        assert server.stdout
        server.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in asked))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(3)]
    finally:
        server.kill()
        server.communicate()
    assert "symbolic link" in json.dumps(answers[2])


def test_gemini_gets_its_own_name_back(known: Path):
    asked = payload(known, prompt="how are passwords hashed?", hook_event_name="BeforeAgent")
    said = json.loads(hook("user-prompt-submit", asked, "--client", "gemini"))
    assert said["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"


def test_nobody_has_to_take_the_answer(known: Path):
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)
        with suppress(BlockingIOError):
            while os.write(writer, b"x" * 4096):
                pass
        os.set_blocking(writer, True)
        asked = json.dumps(payload(known, prompt="how are passwords hashed?")).encode()
        words = [INSTALLED, "hook", "user-prompt-submit"]
        done = subprocess.run(words, input=asked, stdout=writer, check=False, timeout=SECONDS)
    finally:
        os.close(reader)
        os.close(writer)
    assert done.returncode == 0


# -- Instruction files through hooks, as clients call them: processes that read JSON and detach their jobs.
NPM = "Use pnpm for all packages, never npm"
LIMIT = 300


def started(project: Path, client: str, session: str) -> str:
    """What a client is told at a session's start."""
    given = json.dumps(
        {"session_id": session, "cwd": str(project), "hook_event_name": "SessionStart"}
    ).encode()
    done = ready_recortex.run(
        "hook", "session-start", "--client", client, stdin=given, cwd=project, patient=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def follows(project: Path, text: str) -> bool:
    """Whether a memory says it before the time is over: the jobs are detached."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        with Cortex.open(project) as cortex:
            if any(memory.text == text for memory in cortex.list().memories):
                return True
        time.sleep(0.2)
    return False


def ended(project: Path) -> None:
    """Wait for the job that a start detached."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        with alone(store_folder(project) / "locks" / "capture.lock") as free:
            if free:
                return
        time.sleep(0.05)


def test_what_a_client_loads_itself_is_told_to_others_alone(project):
    with Cortex.open(project) as cortex:
        cortex.remember("Invoices are rounded half to even, as the auditors asked", kind="decision")
    assert "auditors" in started(project, "claude-code", "a")
    (project / "CLAUDE.md").write_text(f"# Rules\n\n- {NPM}\n")
    assert NPM not in started(project, "claude-code", "b")
    assert follows(project, NPM)
    for client, told in (("claude-code", False), ("codex", True)):
        text = started(project, client, f"{client}-c")
        assert "auditors" in text
        assert (NPM in text) == told
    (project / "CLAUDE.md").write_text("# Rules\n\n- Use bun for all packages, never npm\n")
    started(project, "codex", "d")
    assert follows(project, "Use bun for all packages, never npm")
    text = started(project, "codex", "e")
    assert "Use bun" in text
    assert NPM not in text
    ended(project)


def test_a_file_that_changes_while_a_process_learns_waits_for_that_process(project):
    with Cortex.open(project) as cortex:
        cortex.remember("Invoices are rounded half to even, as the auditors asked", kind="decision")
    started(project, "claude-code", "a")
    ended(project)
    with alone(store_folder(project) / "locks" / "capture.lock") as held:
        assert held
        (project / "CLAUDE.md").write_text(f"# Rules\n\n- {NPM}\n")
        started(project, "claude-code", "b")  # no process is started while one runs
        assert waiting_requests(store_folder(project) / "queue") == 1
    fulfil_requests(hook_context(project), LastMessage())
    assert waiting_requests(store_folder(project) / "queue") == 0
    assert follows(project, NPM)


# -- Secrets in ids, paths, folders and branches: real hooks and jobs run, then every kept byte is read.
TOKEN = expand("gh" + "p_<<A36>>")
KEY = expand("AK" + "IA<<U16>>")
OTHER = expand("gh" + "p_<<A36>>b")
SAID = "hunter" * 2
SECRETS = (TOKEN, KEY, OTHER, SAID, TOKEN.replace("_", "-"))


def run(*words: str, given: dict | None = None, cwd: Path | None = None) -> str:
    stdin = json.dumps(given).encode() if given else b""
    done = ready_recortex.run(*words, stdin=stdin, cwd=cwd, patient=True)
    return (done.stdout + done.stderr).decode()


def left_in(folder: Path) -> dict[str, list[str]]:
    """Where a secret stands in a file or in its name."""
    found: dict[str, list[str]] = {}
    for path in folder.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        for secret in SECRETS:
            if secret.encode() in data or secret in str(path.relative_to(folder)):
                found.setdefault(secret, []).append(str(path.relative_to(folder)))
    return found


def learned(place: Path) -> None:
    """Wait until nothing waits to be learned from."""
    until = time.monotonic() + 300
    while list((store_folder(place) / "queue").iterdir()) and time.monotonic() < until:
        assert run("hook", "capture", "--project", str(place)) == ""
        time.sleep(0.2)
    assert not list((store_folder(place) / "queue").iterdir())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository in a folder with a password in its name, on a branch with a key in its name."""
    folder = tmp_path / f"password={SAID}"
    folder.mkdir()
    for words in (["init", "-q"], ["checkout", "-q", "-b", f"feature/{KEY}"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, timeout=SECONDS)
    (folder / f"{TOKEN}.py").write_text("pass\n")
    return folder


def transcript(place: Path, session: str) -> Path:
    """A session's file where Claude Code keeps it: in a folder that is named after the project's path."""
    encoded = "".join(c if c.isalnum() else "-" for c in str(place))
    path = place.parent / "claude" / encoded / f"{session}.jsonl"
    said = "please remember that we use uv and not pip in this repository"
    return claude_session(path, place, said, session=session, gitBranch=f"feature/{KEY}")


def test_no_secret_in_a_name_is_kept_or_said(place: Path, home: Path):
    with Cortex.open(place) as cortex:
        cortex.remember("The settings are read once at the start", files=[f"{TOKEN}.py"])
    said = []
    for session in (TOKEN, OTHER):
        path = transcript(place, session)
        event = {"session_id": session, "cwd": str(place), "transcript_path": str(path)}
        touched = event | {"tool_name": "Read", "tool_input": {"file_path": str(place / f"{TOKEN}.py")}}
        said.append(run("hook", "session-start", given=event | {"source": "startup"}))
        said.append(run("hook", "pre-tool-use", given=touched))
        said.append(run("hook", "post-tool-use", given=touched | {"tool_response": {"ok": True}}))
        said.append(run("hook", "session-end", given=event | {"reason": "exit"}))
        learned(place)
    with Cortex.open(place) as cortex:
        kept = list(cortex.list().memories)
        figures = cortex.inspect()
        assert cortex.inspect(session=TOKEN).receipts != cortex.inspect(session=OTHER).receipts
        assert cortex.list(files=[f"{TOKEN}.py"]).memories
    assert len(figures.sessions) == 2
    assert any("uv" in one.text for one in kept), kept
    assert left_in(home) == {}
    said += [run(words, cwd=place) for words in ("status", "doctor", "list", "inspect", "init")]
    assert not [text for text in said for secret in SECRETS if secret in text]
    assert left_in(home) == {}
