"""Secrets in ids, paths, folders and branches: real hooks and jobs run, then every kept byte is read."""

import json
import subprocess
import time
from pathlib import Path

import pytest

import ready_recortex
from claude_sessions import claude_session
from patient_recortex import SECONDS
from places import store_folder
from privacy_rules import expand
from recortex import Cortex

TOKEN = expand("gh" + "p_<<A36>>")
KEY = expand("AK" + "IA<<U16>>")
OTHER = expand("gh" + "p_<<A36>>b")
SAID = "hunter" * 2
SECRETS = (TOKEN, KEY, OTHER, SAID, TOKEN.replace("_", "-"))

pytestmark = pytest.mark.usefixtures("without_vectors")


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
