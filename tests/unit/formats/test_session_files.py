import json
import os
from pathlib import Path

import pytest
from claude_lines import user, write

from recortex.errors import InvalidInputError, UntrustedFileError
from recortex.formats.session_files import find_sessions


@pytest.fixture
def home(tmp_path):
    project = tmp_path / ".claude" / "projects" / "-home-ada-kiln"
    (project / "s1" / "subagents").mkdir(parents=True)
    (project / "memory").mkdir()
    write(project / "memory" / "notes.md", "User: x", "Assistant: y")
    write(project / "s1.jsonl", user("u1", "a"))
    agent = write(project / "s1" / "subagents" / "agent-a1.jsonl", user("u2", "b", isSidechain=True))
    write(project / "s1" / "subagents" / "agent-a1.meta.json", "{}")
    write(project / "odd.jsonl", '{"a": 1}')
    os.utime(agent, (1, 1))
    codex = tmp_path / ".codex" / "sessions" / "2026" / "03"
    codex.mkdir(parents=True)
    write(
        codex / "rollout-1.jsonl",
        json.dumps({"timestamp": "x", "type": "session_meta", "payload": {"id": "c"}}),
    )
    return tmp_path


def test_a_clients_history_is_found_oldest_first(home):
    found = find_sessions("claude-code", home=home)
    assert [one.path.name for one in found.sessions] == ["agent-a1.jsonl", "s1.jsonl"]
    assert [path.name for path in found.aside] == ["odd.jsonl"]
    assert found.sessions[0].size > 0


def test_bad_arguments_are_named(tmp_path):
    with pytest.raises(InvalidInputError, match="no client"):
        find_sessions("emacs", home=tmp_path)
    with pytest.raises(InvalidInputError, match="does not exist"):
        find_sessions(None, tmp_path / "absent")


def test_what_cannot_be_read_is_named(home):
    (home / ".codex" / "sessions" / "gone.jsonl").symlink_to(home / "nowhere")
    found = find_sessions("codex", home=home)
    assert [path.name for path in found.unreadable] == ["gone.jsonl"]


@pytest.mark.parametrize("client", [None, "text", "codex"])
def test_a_device_that_is_named_is_refused_and_not_read(client):
    with pytest.raises(UntrustedFileError, match="no regular file"):
        find_sessions(client, Path("/dev/zero"))
