"""Installing into every host, on a machine of the test's own."""

import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

from recortex import Cortex
from recortex.clients.installer import KEPT
from recortex.errors import ConfigError, FormatError, PermissionsError

CLIENTS = ["claude-code", "codex", "cursor", "gemini", "qwen", "copilot", "vscode", "opencode", "crush"]
WITH_HOOKS = ["claude-code", "codex", "gemini", "qwen", "copilot"]
POSIX = os.name == "posix"

THEIRS = {
    ".claude/settings.json": (
        '{\n  "model": "x",\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": '
        '"true"}]}]\n  }\n}\n'
    ),
    ".claude.json": '{"projects":{"/a":{}},"mcpServers":{"toy":{"command":"cat"}}}',
    ".codex/config.toml": (
        '# mine\r\nmodel = "x"  # note\r\n\r\n[mcp_servers.toy]\r\ncommand = "cat"\r\n\r\n[tui]\r\n'
        'theme = "a"\r\n'
    ),
    ".codex/hooks.json": '{"hooks": {}}',
    ".cursor/mcp.json": '{\n    "mcpServers": {}\n}',
    ".gemini/settings.json": '{\n\t// mine\n\t"ui": {"theme": "x"},\n}\n',
    ".qwen/settings.json": "",
    ".copilot/settings.json": '{"theme": "dark"}',
    ".copilot/mcp-config.json": '{"mcpServers": {"toy": {"type": "local", "command": "cat"}}}',
    ".config/Code/User/mcp.json": '{\n\t"servers": {\n\t\t// none yet\n\t},\n\t"inputs": []\n}\n',
    ".config/crush/crush.json": '{"mcp": {"toy": {"type": "stdio", "command": "cat"}}}\n',
    ".config/opencode/opencode.jsonc": '{ // mine\n  "mcp": {},\n}\n',
}


@pytest.fixture
def person(tmp_path, monkeypatch):
    """A home folder with blanks and more in its name."""
    folder = tmp_path / "Jörg's Rechner"
    folder.mkdir()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    for name in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "QWEN_HOME",
        "COPILOT_HOME",
        "XDG_CONFIG_HOME",
        "APPDATA",
    ):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def cortex(tmp_path, clock):
    project = tmp_path / "project"
    project.mkdir()
    with Cortex.open(project, clock=clock) as opened:
        yield opened


def fill(home):
    for name, text in THEIRS.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def files(home):
    return {
        str(path.relative_to(home)): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()
    }


def everything(home):
    """Files with their bytes, and folders."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None for path in home.rglob("*")
    }


def settings(home):
    return {name: data for name, data in files(home).items() if "recortex-backup" not in name}


def servers_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return tomllib.loads(text)["mcp_servers"]
    data = json.loads(text)
    return data.get("mcpServers") or data.get("servers") or data.get("mcp") or {}


@pytest.mark.parametrize("host", CLIENTS)
def test_a_host_without_settings_gets_them_and_loses_them(host, person, cortex):
    done = cortex.install(host)
    assert {one.action for one in done.files} == {"created"}
    (server,) = [found for one in done.files if (found := servers_of(Path(one.path)).get("recortex"))]
    assert "mcp" in [*server.get("args", ()), *server["command"]]
    assert {one.action for one in cortex.uninstall(host).files} == {"removed"}
    assert everything(person) == {}


@pytest.mark.parametrize("host", CLIENTS)
def test_what_a_person_wrote_comes_back_to_the_byte(host, person, cortex):
    fill(person)
    before = settings(person)
    cortex.install(host)
    assert settings(person) != before
    cortex.uninstall(host)
    assert settings(person) == before


def test_a_folder_that_another_host_still_uses_goes_with_that_one(person, cortex):
    cortex.install("vscode")
    cortex.install("opencode")
    cortex.uninstall("vscode")
    assert (person / ".config" / "opencode").is_dir()
    assert not (person / ".config" / "Code").exists()
    cortex.uninstall("opencode")
    assert everything(person) == {}


WRITTEN = [
    (
        '{ // mine\n  "ui": {"theme": "x"}, // why\n  "mcpServers": { // all of them\n'
        '    "toy": {"command": "cat"}\n  }\n}\n'
    ),
    (
        '{\n  "mcpServers": {"toy": {"command": "cat"}}, // one line\n'
        '  "hooks": {"AfterAgent": [{"hooks": []}]}\n}'
    ),
    (
        '{\r\n\t"hooks": { /* later */\r\n\t\t"AfterAgent": [ // one\r\n\t\t\t{"hooks": []}\r\n\t\t]\r\n'
        "\t},\r\n"
        "}\r\n"
    ),
    '// top\n{\n  "hooks": { // none yet\n  },\n  /* end */\n}\n',
]


@pytest.mark.parametrize("text", WRITTEN)
def test_lines_and_comments_of_a_person_stay_as_they_are(text, person, cortex):
    path = person / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    cortex.install("gemini")
    there = iter(path.read_bytes().decode().splitlines())
    alone = [line for line in text.splitlines() if '{"' not in line]  # ours may stand within the others
    assert all(line in there for line in alone)  # in the same order
    for backup in path.parent.glob("*.recortex-backup-*"):
        backup.unlink()  # what is there now must be enough
    cortex.uninstall("gemini")
    assert path.read_bytes().decode() == text


@pytest.mark.parametrize("host", CLIENTS)
def test_the_second_time_changes_nothing_and_copies_nothing(host, person, cortex, clock):
    fill(person)
    first = cortex.install(host)
    assert all(one.action == "changed" and Path(one.backup).exists() for one in first.files)
    there = files(person)
    clock.pass_(hours=1)
    assert {one.action for one in cortex.install(host).files} == {"unchanged"}
    assert files(person) == there
    cortex.uninstall(host)
    there = files(person)
    assert {one.action for one in cortex.uninstall(host).files} == {"unchanged"}
    assert files(person) == there


@pytest.mark.parametrize("host", CLIENTS)
def test_a_dry_run_shows_and_touches_nothing(host, person, cortex):
    fill(person)
    before = files(person)
    shown = cortex.install(host, dry_run=True)
    assert files(person) == before
    assert all('"recortex' in one.diff or "recortex" in one.diff for one in shown.files)
    assert shown.dry_run
    cortex.install(host)
    there = files(person)
    assert all(one.diff.count("\n-") for one in cortex.uninstall(host, dry_run=True).files)
    assert files(person) == there


def test_a_dry_run_shows_no_line_of_others(person, cortex):
    (person / ".claude.json").write_text('{\n  "oauthAccount": "do-not-show",\n  "x": 1\n}\n')
    assert all("do-not-show" not in one.diff for one in cortex.install("claude-code", dry_run=True).files)


@pytest.mark.parametrize("host", WITH_HOOKS)
def test_hooks_can_be_left_out_and_taken_away(host, person, cortex):
    cortex.install(host)
    cortex.install(host, hooks=False)
    assert not any(b" hook " in data for data in settings(person).values())
    assert any(b"recortex" in data for data in settings(person).values())


def test_what_a_person_set_beside_our_keys_stays(person, cortex):
    path = person / ".qwen" / "settings.json"
    path.parent.mkdir()
    mine = {"command": "/old/recortex", "args": ["mcp", "--tools", "full"], "trust": True}
    path.write_text(json.dumps({"mcpServers": {"recortex": mine}}))
    cortex.install("qwen")
    now = servers_of(path)["recortex"]
    assert now["command"] != "/old/recortex"
    assert (now["args"], now["trust"]) == (["mcp", "--tools", "full"], True)


@pytest.mark.parametrize(
    ("host", "path", "text"),
    [
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": "echo"}}'),
        ("claude-code", ".claude.json", '{"mcpServers": '),
        ("codex", ".codex/config.toml", "model = \n"),
        ("codex", ".codex/config.toml", 'mcp_servers = "none"\n'),
        ("gemini", ".gemini/settings.json", "[]"),
        ("opencode", ".config/opencode/opencode.json", '{"mcp": {"recortex": true}}'),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_none_is_touched(host, path, text, person, cortex):
    (person / path).parent.mkdir(parents=True, exist_ok=True)
    (person / path).write_text(text)
    before = files(person)
    with pytest.raises(FormatError) as caught:
        cortex.install(host)
    assert str(person / path) in caught.value.message
    assert "recortex" in caught.value.hint
    assert "by hand" in caught.value.hint
    assert files(person) == before


def test_a_file_in_another_encoding_is_refused(person, cortex):
    (person / ".claude.json").write_bytes('{"a": "ä"}'.encode("latin-1"))
    with pytest.raises(FormatError, match="UTF-8"):
        cortex.install("claude-code")


def test_a_link_out_of_the_home_is_not_followed(person, cortex, tmp_path):
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "mcp.json").write_text("{}")
    (person / ".cursor").symlink_to(other)
    with pytest.raises(ConfigError, match="elsewhere"):
        cortex.install("cursor")
    assert (other / "mcp.json").read_text() == "{}"


def test_a_ring_of_links_and_a_folder_are_refused(person, cortex):
    (person / ".cursor").mkdir()
    (person / ".cursor" / "mcp.json").symlink_to(person / ".cursor" / "mcp.json")
    with pytest.raises((ConfigError, PermissionsError)):
        cortex.install("cursor")
    (person / ".qwen" / "settings.json").mkdir(parents=True)
    with pytest.raises(ConfigError, match="no ordinary file"):
        cortex.install("qwen")


def test_with_the_plugin_enabled_nothing_is_written_twice(person, cortex):
    cortex.install("claude-code")
    cortex.install("codex")
    claude, codex = person / ".claude" / "settings.json", person / ".codex" / "config.toml"
    claude.write_text(
        json.dumps(json.loads(claude.read_text()) | {"enabledPlugins": {"recortex@recortex": True}})
    )
    codex.write_text(codex.read_text() + '\n[plugins."recortex@recortex"]\nenabled = true\n')
    for host in ("claude-code", "codex"):
        assert any("plug-in is enabled" in note for note in cortex.install(host).notes)
    left = b"".join(settings(person).values())
    assert b" hook " not in left
    assert b'"recortex"' not in left
    assert b"mcp_servers" not in left
    for host, command in (("claude-code", "claude plugin uninstall"), ("codex", "codex plugin remove")):
        out = cortex.uninstall(host)
        assert out.installed
        assert command in " ".join(out.notes)


def test_a_plugin_of_a_project_is_named_with_the_command_that_takes_it_out(person, cortex):
    kept = person / ".claude" / "plugins" / "installed_plugins.json"
    kept.parent.mkdir(parents=True)
    place = {"installPath": "/x", "version": "0.1.0", "scope": "project", "projectPath": "/work/a b"}
    installs = {"recortex@recortex": [place, {**place, "scope": "local", "projectPath": "/work/c"}]}
    kept.write_text(json.dumps({"version": 2, "plugins": {**installs, "other@recortex": [place]}}))
    assert any("'/work/a b', /work/c too" in note for note in cortex.install("claude-code").notes)
    (note,) = cortex.uninstall("claude-code").notes
    assert "cd '/work/a b' && claude plugin uninstall recortex@recortex --scope project; cd /work/c" in note
    for odd in ("[]", "{", '{"plugins": 1}', '{"plugins": {"recortex@recortex": [{"scope": "managed"}]}}'):
        kept.write_text(odd)
        assert not cortex.uninstall("claude-code").installed


def test_only_the_newest_copies_stay(person, cortex, clock):
    fill(person)
    for _ in range(KEPT + 2):
        for act in (cortex.install, cortex.uninstall):
            act("cursor")
            clock.pass_(minutes=1)
    assert (
        len([name for name in files(person) if name.startswith(".cursor/mcp.json.recortex-backup-")]) == KEPT
    )


if POSIX:

    def test_files_stay_as_private_as_they_were(person, cortex):
        fill(person)
        path = person / ".cursor" / "mcp.json"
        path.chmod(0o640)
        (copy,) = [Path(one.backup) for one in cortex.install("cursor").files]
        assert path.stat().st_mode & 0o777 == copy.stat().st_mode & 0o777 == 0o640
        path.unlink()
        cortex.install("cursor")
        assert path.stat().st_mode & 0o777 == 0o600
