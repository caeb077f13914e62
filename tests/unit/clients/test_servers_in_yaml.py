"""Continue's settings in YAML: our server goes in and out again, and every other line stays."""

import sys

import pytest

from recortex import Cortex
from recortex.errors import FormatError

HEAD = "# mine\nname: x\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: m # the small one\n"
TOY = "mcpServers: # all of them\n  # the toy\n  - name: toy\n    command: cat\n    env:\n      - never\n"
WRITTEN = {
    "no list": HEAD,
    "no line break at the end": HEAD.rstrip("\n"),
    "a list": HEAD + TOY,
    "a list in the middle": HEAD + TOY + "\n# rules\nrules:\n  - Be brief.\n",
    "a list without margin": HEAD + "mcpServers:\n- command: cat\n  name: 'toy'\nrules: []\n",
    "lines of Windows": (HEAD + TOY).replace("\n", "\r\n"),
    "a text that speaks of it": HEAD + "rules:\n  - |\n    mcpServers:\n      - name: recortex\n",
}


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CONTINUE_GLOBAL_DIR", raising=False)
    (tmp_path / ".continue").mkdir()
    return tmp_path / ".continue" / "config.yaml"


@pytest.fixture
def cortex(tmp_path, clock):
    (tmp_path / "project").mkdir()
    with Cortex.open(tmp_path / "project", clock=clock) as opened:
        yield opened


@pytest.mark.parametrize("kind", WRITTEN)
def test_every_line_of_the_persons_stays(kind, settings, cortex):
    text = WRITTEN[kind]
    settings.write_bytes(text.encode())
    cortex.install("continue")
    done = settings.read_bytes().decode()
    there = iter(done.splitlines())
    assert all(line in there for line in text.splitlines())
    added = done.count("\n") - text.count("\n") - (not text.endswith("\n"))
    assert (done.count("\r\n"), added) == (done.count("\n") if "\r" in text else 0, 3 + ("\nmcp" not in text))
    assert [one.action for one in cortex.install("continue").files] == ["unchanged"]
    for backup in settings.parent.glob("*.recortex-backup-*"):
        backup.unlink()  # what is there now must be enough
    cortex.uninstall("continue")
    assert settings.read_bytes().decode().rstrip("\n") == text.rstrip("\n")


def test_an_empty_list_is_filled_and_comes_back(settings, cortex):
    settings.write_text(f"{HEAD}mcpServers: [] # none\n")
    cortex.install("continue")
    assert f'{HEAD}mcpServers: # none\n  - name: "recortex"\n    command: ' in settings.read_text()
    cortex.uninstall("continue")
    assert settings.read_text() == f"{HEAD}mcpServers: [] # none\n"


def test_what_a_person_adds_to_our_item_stays_until_we_are_started_otherwise(settings, cortex):
    settings.write_text(HEAD + TOY)
    cortex.install("continue")
    mine = settings.read_text().replace('    args: ["mcp"]\n', '    args: ["mcp"]\n    cwd: /srv\n')
    settings.write_text(mine)
    assert [one.action for one in cortex.install("continue").files] == ["unchanged"]
    settings.write_text(mine.replace('name: "recortex"\n    command: ', "name: recortex\n    command: /old"))
    cortex.install("continue")
    assert "/old" not in settings.read_text()
    assert settings.read_text().count('name: "recortex"\n') == 1


@pytest.mark.parametrize("text", ['{"models": []}', "mcpServers: [{name: toy, command: cat}]\n"])
def test_what_is_not_written_in_lines_is_refused_with_what_to_write(text, settings, cortex):
    settings.write_text(text)
    with pytest.raises(FormatError) as caught:
        cortex.install("continue")
    assert '{"mcpServers": [{"name": "recortex"' in caught.value.hint
    assert settings.read_text() == text


def test_without_settings_none_are_made(settings, cortex):
    done = cortex.install("continue")
    assert (done.files, done.installed) == ((), False)
    assert "Make that file" in "".join(done.notes)
    assert list(settings.parent.iterdir()) == []
