"""Clients: hooks and servers in their settings, their instruction files."""

import json
import os
import sys
import tomllib
from pathlib import Path, PureWindowsPath

import pytest

from recortex import Cortex
from recortex.clients.catalogue import InstallRequest, share
from recortex.clients.hooks import Environment, Program, program
from recortex.clients.installer import KEPT
from recortex.clients.instruction_files import MOST_FILES, instruction_files
from recortex.clients.jsonc import DEEPEST, parse, put
from recortex.errors import ConfigError, FormatError, PermissionsError

# -- Installing into every host, on a machine of the test's own.
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


# -- JSON with comments is edited as text: what is not ours keeps its bytes.
def test_a_value_takes_the_place_of_the_former_one():
    assert put('{"a": {"b": 1}}', ("a", "b"), 2) == '{"a": {"b": 2}}'
    assert put('{"a": 1, "a": 2}', ("a",), 3) == '{"a": 1, "a": 3}'  # the last one holds


@pytest.mark.parametrize(
    "text",
    [
        "{", '{"a"}', '{"a": 1,,}', "[1 2]", "nul", '{"a": 1} x', '"\x01"', "/* open", "01", "[,]", "'a'",
        '"\\x"', "",
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused_with_its_line(text):
    with pytest.raises(FormatError, match="Line 1"):
        parse(text)


def test_a_bottomless_text_is_refused():
    parse("[" * DEEPEST + "]" * DEEPEST)
    with pytest.raises(FormatError, match="deep"):
        parse("[" * 100_000)


# -- How a host is told to start us, and where its files lie on other machines.
HOME = Path("/home/someone").absolute()


def machine(platform="linux", words=("/opt/bin/recortex",), *, on_path=False, **environ):
    return Environment(HOME, environ, platform, Program(words, on_path))


def test_vs_code_keeps_its_list_where_each_system_wants_it():
    def place(around):
        (part,) = share("vscode", InstallRequest(around)).parts
        return part.path

    assert place(machine()) == HOME / ".config/Code/User/mcp.json"
    assert place(machine("darwin")) == HOME / "Library/Application Support/Code/User/mcp.json"
    assert place(machine("win32")) == HOME / "AppData/Roaming/Code/User/mcp.json"
    roaming = str(HOME / "Roaming")
    assert place(machine("win32", APPDATA=roaming)) == HOME / "Roaming/Code/User/mcp.json"


def test_the_script_beside_the_interpreter_is_ours(tmp_path):
    scripts = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    scripts.mkdir(parents=True)
    python = scripts / Path(sys.executable).name
    assert program(str(python), {}).words == (str(python), "-m", "recortex")
    script = scripts / ("recortex.exe" if os.name == "nt" else "recortex")
    script.write_text("")
    script.chmod(0o755)
    assert program(str(python), {"PATH": str(tmp_path)}) == Program((str(script),), on_path=False)


if POSIX:

    def test_a_link_on_path_to_our_script_is_what_outlives_an_upgrade(tmp_path):
        scripts, path = tmp_path / "tools" / "bin", tmp_path / "local" / "bin"
        scripts.mkdir(parents=True)
        path.mkdir(parents=True)
        (scripts / "recortex").write_text("#!/bin/sh\n")
        (scripts / "recortex").chmod(0o755)
        (path / "recortex").symlink_to(scripts / "recortex")
        found = program(str(scripts / "python"), {"PATH": str(path)})
        assert found == Program((str(path / "recortex"),), on_path=True)

    def test_another_recortex_on_path_is_not_ours(tmp_path):
        scripts, path = tmp_path / "env", tmp_path / "bin"
        for folder in (scripts, path):
            folder.mkdir()
            (folder / "recortex").write_text("#!/bin/sh\n")
            (folder / "recortex").chmod(0o755)
        found = program(str(scripts / "python"), {"PATH": str(path)})
        assert found == Program((str(scripts / "recortex"),), on_path=False)


def test_forward_slashes_mean_the_same_on_windows():
    path = r"C:\Users\Jo\recortex.exe"
    assert PureWindowsPath(machine("win32").line((path,))) == PureWindowsPath(path)


# -- Continue's settings in YAML: our server goes in and out again, and every other line stays.
HEAD = "# mine\nname: x\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: m # the small one\n"
TOY = "mcpServers: # all of them\n  # the toy\n  - name: toy\n    command: cat\n    env:\n      - never\n"
WRITTEN_YAML = {
    "no list": HEAD,
    "no line break at the end": HEAD.rstrip("\n"),
    "a list": HEAD + TOY,
    "a list in the middle": HEAD + TOY + "\n# rules\nrules:\n  - Be brief.\n",
    "a list without margin": HEAD + "mcpServers:\n- command: cat\n  name: 'toy'\nrules: []\n",
    "lines of Windows": (HEAD + TOY).replace("\n", "\r\n"),
    "a text that speaks of it": HEAD + "rules:\n  - |\n    mcpServers:\n      - name: recortex\n",
}


@pytest.fixture
def yaml_settings(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CONTINUE_GLOBAL_DIR", raising=False)
    (tmp_path / ".continue").mkdir()
    return tmp_path / ".continue" / "config.yaml"


@pytest.fixture
def yaml_cortex(tmp_path, clock):
    (tmp_path / "project").mkdir()
    with Cortex.open(tmp_path / "project", clock=clock) as opened:
        yield opened


@pytest.mark.parametrize("kind", WRITTEN_YAML)
def test_every_line_of_the_persons_stays(kind, yaml_settings, yaml_cortex):
    text = WRITTEN_YAML[kind]
    yaml_settings.write_bytes(text.encode())
    yaml_cortex.install("continue")
    done = yaml_settings.read_bytes().decode()
    there = iter(done.splitlines())
    assert all(line in there for line in text.splitlines())
    added = done.count("\n") - text.count("\n") - (not text.endswith("\n"))
    assert (done.count("\r\n"), added) == (done.count("\n") if "\r" in text else 0, 3 + ("\nmcp" not in text))
    assert [one.action for one in yaml_cortex.install("continue").files] == ["unchanged"]
    for backup in yaml_settings.parent.glob("*.recortex-backup-*"):
        backup.unlink()  # what is there now must be enough
    yaml_cortex.uninstall("continue")
    assert yaml_settings.read_bytes().decode().rstrip("\n") == text.rstrip("\n")


def test_an_empty_list_is_filled_and_comes_back(yaml_settings, yaml_cortex):
    yaml_settings.write_text(f"{HEAD}mcpServers: [] # none\n")
    yaml_cortex.install("continue")
    assert f'{HEAD}mcpServers: # none\n  - name: "recortex"\n    command: ' in yaml_settings.read_text()
    yaml_cortex.uninstall("continue")
    assert yaml_settings.read_text() == f"{HEAD}mcpServers: [] # none\n"


def test_what_a_person_adds_to_our_item_stays_until_we_are_started_otherwise(yaml_settings, yaml_cortex):
    yaml_settings.write_text(HEAD + TOY)
    yaml_cortex.install("continue")
    mine = yaml_settings.read_text().replace('    args: ["mcp"]\n', '    args: ["mcp"]\n    cwd: /srv\n')
    yaml_settings.write_text(mine)
    assert [one.action for one in yaml_cortex.install("continue").files] == ["unchanged"]
    yaml_settings.write_text(
        mine.replace('name: "recortex"\n    command: ', "name: recortex\n    command: /old")
    )
    yaml_cortex.install("continue")
    assert "/old" not in yaml_settings.read_text()
    assert yaml_settings.read_text().count('name: "recortex"\n') == 1


@pytest.mark.parametrize("text", ['{"models": []}', "mcpServers: [{name: toy, command: cat}]\n"])
def test_what_is_not_written_in_lines_is_refused_with_what_to_write(text, yaml_settings, yaml_cortex):
    yaml_settings.write_text(text)
    with pytest.raises(FormatError) as caught:
        yaml_cortex.install("continue")
    assert '{"mcpServers": [{"name": "recortex"' in caught.value.hint
    assert yaml_settings.read_text() == text


def test_without_settings_none_are_made(yaml_settings, yaml_cortex):
    done = yaml_cortex.install("continue")
    assert (done.files, done.installed) == ((), False)
    assert "Make that file" in "".join(done.notes)
    assert list(yaml_settings.parent.iterdir()) == []


# -- Which instruction files a project has, and which clients load them by themselves.
def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("- Use tabs for indentation\n")


def clients_of(root: Path) -> dict[str, set[str]]:
    return {one.name: set(one.clients) for one in instruction_files(root)}


def test_the_files_of_each_client(tmp_path):
    write(
        tmp_path, "CLAUDE.md", "CLAUDE.local.md", ".claude/rules/a/b.md", "AGENTS.md", ".cursor/rules/c.mdc",
        ".cursorrules", ".windsurf/rules/d.md", ".windsurfrules", ".clinerules/e.md", "pkg/CLAUDE.md",
        "node_modules/x/CLAUDE.md", "README.md", ".claude/rules/f.txt",
    )  # fmt: skip
    found = clients_of(tmp_path)
    loaded = {name for name, clients in found.items() if "claude-code" in clients}
    assert loaded == {"CLAUDE.md", "CLAUDE.local.md", ".claude/rules/a/b.md", "pkg/CLAUDE.md"}
    assert {name for name, clients in found.items() if "codex" in clients} == {"AGENTS.md"}
    assert {name for name, clients in found.items() if "windsurf" in clients} == {
        "AGENTS.md", ".windsurf/rules/d.md", ".windsurfrules",
    }  # fmt: skip
    assert found[".clinerules/e.md"] == {"cline"}
    assert "cursor" in found[".cursor/rules/c.mdc"] & found[".cursorrules"]
    assert len(found) == 10


def test_claude_code_loads_agents_md_where_it_has_no_file_of_its_own(tmp_path):
    write(tmp_path, "AGENTS.md", "pkg/AGENTS.md", "pkg/CLAUDE.md", ".clinerules")
    found = clients_of(tmp_path)
    assert "claude-code" in found["AGENTS.md"]
    assert "claude-code" not in found["pkg/AGENTS.md"]
    assert found[".clinerules"] == {"cline"}


def test_nothing_outside_and_of_no_other_repository_is_read(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(outside, "secret.md", "rules/x.md")
    write(root, "vendored/CLAUDE.md", "vendored/.git/HEAD")
    (root / "AGENTS.md").symlink_to(outside / "secret.md")
    (root / ".claude").mkdir()
    (root / ".claude/rules").symlink_to(outside / "rules")
    assert clients_of(root) == {}


def test_there_is_a_limit(tmp_path):
    write(tmp_path, *(f".cursor/rules/{n}.mdc" for n in range(2 * MOST_FILES)))
    assert len(instruction_files(tmp_path)) == MOST_FILES
