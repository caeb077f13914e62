"""A client is added by one file in `clients/`, and generated files tell all else of it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import recortex

pytestmark = pytest.mark.full

PACKAGE = Path(recortex.__file__).parent
SCRIPTS = PACKAGE.parents[1] / "scripts"
WREN = '''"""Wren's `.jsonl`: each line is a message, `{wren, id, parent, role, text, cwd}`."""

from __future__ import annotations

import msgspec

from recortex.clients.catalogue import Client, InstallRequest, Share
from recortex.clients.hooks import Dialect, usual_events
from recortex.clients.installer import JsonPart
from recortex.formats.transcripts.pieces import decode
from recortex.formats.transcripts.detection import Format, Head, Trail
from recortex.formats.transcripts.pieces import Parsed, Piece


class _Line(msgspec.Struct, gc=False):
    id: str = ""
    parent: str = ""
    role: str = ""
    text: str = ""
    cwd: str = ""


class WrenParser:
    """Reads the lines of one session."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        role = "user" if line.role == "user" else "assistant"
        return Parsed((Piece(role, line.text, group=line.id, uuid=line.id, cwd=line.cwd),))


def follow(trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG001
    """`parent` names what a line follows."""
    line = decode(raw, _Line)
    trail.add(line.id, line.parent, prompt=line.role == "user")


def _is_wren(head: Head) -> bool:
    return head.line_with("wren", "role", "text") is not None


_HOOKS = Dialect("wren", usual_events("read|write", "read|write|shell"))


def _share(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("WREN_HOME", ".wren")
    file = base / "settings.json"
    return Share((JsonPart(file, root, ("mcpServers",), wish.server(), wish.groups(_HOOKS)),))


CLIENTS = (
    Client(
        name="wren",
        title="Wren",
        commands=("wren",),
        history=(".wren", ("sessions",)),
        files=("WREN.md",),
        own_folders=(".wren",),
        formats=(Format("wren", _is_wren, WrenParser, follows=lambda: follow),),
        share=_share,
    ),
)
'''
LIFE = """
import json
from pathlib import Path
from recortex import Cortex
from recortex.clients.instruction_files import instruction_files
from recortex.codebase.record_files import command_files

home, root = Path.home(), Path.cwd()
said = [
    ('user', 'Never push to main, always open a pull request.'),
    ('assistant', 'Understood.'),
    ('user', 'Which branch do releases come from?'),
    ('assistant', 'From the branch named stable.'),
]
lines = [
    {'wren': 1, 'id': str(n + 1), 'parent': str(n) if n else '', 'role': role, 'text': text, 'cwd': str(root)}
    for n, (role, text) in enumerate(said)
]
sessions = home / '.wren/sessions'
sessions.mkdir(parents=True)
(sessions / 'one.jsonl').write_text('\\n'.join(map(json.dumps, lines)))
(root / 'WREN.md').write_text('- Indent with tabs.')
(root / '.wren/commands').mkdir(parents=True)
(root / '.wren/commands/ship.md').write_text('Ship it.')
with Cortex.open(root) as cortex:
    assert 'wren' in cortex.init().histories
    read = cortex.import_('wren')
    assert (read.files, read.turns) == (1, 4), read
    assert cortex.install('wren').files[0].action == 'created'
    assert 'Wren' in cortex.install('wren', dry_run=True).notes[0]
settings = json.loads((home / '.wren/settings.json').read_text())
assert settings['mcpServers']['recortex']['args'][-1] == 'mcp'
assert '--client wren' in settings['hooks']['UserPromptSubmit'][0]['hooks'][0]['command']
assert [(one.name, set(one.clients)) for one in instruction_files(root)] == [('WREN.md', {'wren'})]
assert [name for name, _ in command_files(root)] == ['ship.md']
print('imported, installed, followed')
"""


def test_a_new_client_is_read_installed_and_followed(tmp_path):
    source, project = tmp_path / "src", tmp_path / "project"
    shutil.copytree(PACKAGE, source / "recortex", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(SCRIPTS, tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (source / "recortex/clients/wren.py").write_text(WREN)
    project.mkdir()
    environment = os.environ | {
        "PYTHONPATH": str(source),
        "HOME": str(tmp_path),
        "RECORTEX_HOME": str(tmp_path / "home"),
    }
    for words in ([tmp_path / "scripts/build_docs.py"], ["-c", LIFE], ["-m", "recortex", "import", "--help"]):
        done = subprocess.run(
            [sys.executable, *words],
            cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        if "-c" in words:
            assert done.stdout == "imported, installed, followed\n", done.stdout
    assert "vscode, wren" in " ".join(done.stdout.split())
