"""How a host is told to start us, and where its files lie on other machines."""

import os
import re
import sys
from pathlib import Path, PureWindowsPath

import pytest

from recortex.clients.catalogue import InstallRequest, share
from recortex.clients.codex import FORWARDED
from recortex.clients.hooks import Environment, Program, is_ours, places_of_ours, program

POSIX = os.name == "posix"
HOME = Path("/home/someone").absolute()


def machine(platform="linux", words=("/opt/bin/recortex",), *, on_path=False, **environ):
    return Environment(HOME, environ, platform, Program(words, on_path))


def commands(host, around):
    (part,) = [part for part in share(host, InstallRequest(around)).parts if getattr(part, "hooks", None)]
    return [group["hooks"][0]["command"] for group in part.hooks.values()]


def servers(host, around):
    return [part.server for part in share(host, InstallRequest(around)).parts if part.server]


def test_on_windows_the_name_alone_needs_no_quotes():
    around = machine("win32", words=(r"C:\Jo Do\recortex.exe",), on_path=True)
    assert servers("codex", around) == [{"command": "recortex", "args": ["mcp"], "env_vars": FORWARDED}]
    assert commands("codex", around)[0] == "recortex hook session-start --client codex"
    assert servers("cursor", around)[0]["command"] == r"C:\Jo Do\recortex.exe"


@pytest.mark.parametrize("host", ["cursor", "vscode"])
def test_an_editor_is_told_the_project(host):
    (server,) = servers(host, machine(on_path=True))
    assert server["command"] == "/opt/bin/recortex"
    assert server["args"] == ["mcp", "--project", "${workspaceFolder}"]


def test_a_module_is_a_program_too():
    words = ("/usr/bin/python3", "-m", "recortex")
    assert servers("codex", machine(words=words)) == [
        {"command": "/usr/bin/python3", "args": ["-m", "recortex", "mcp"], "env_vars": FORWARDED}
    ]
    (server,) = servers("opencode", machine(words=words))
    assert server["command"] == [*words, "mcp"]


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "qwen"])
def test_blanks_and_quotes_in_the_path_are_quoted(host):
    around = machine(words=("/home/o'neil/my envs/bin/recortex",))
    assert all(
        re.fullmatch(
            rf"""'/home/o'"'"'neil/my envs/bin/recortex' hook [a-z-]+ --client {host} ; exit 0""", command
        )
        for command in commands(host, around)
    )


def test_lines_for_windows_have_no_shell_in_them_but_for_claude_code():
    around = machine("win32", words=(r"C:\Users\Jo\bin\recortex.exe",))
    assert commands("codex", around)[0] == "C:/Users/Jo/bin/recortex.exe hook session-start --client codex"
    assert commands("claude-code", around)[0].endswith(" ; exit 0")
    assert around.line((r"C:\Jo Do\recortex.exe", "mcp")) == '"C:/Jo Do/recortex.exe" mcp'


def test_vs_code_keeps_its_list_where_each_system_wants_it():
    def place(around):
        (part,) = share("vscode", InstallRequest(around)).parts
        return part.path

    assert place(machine()) == HOME / ".config/Code/User/mcp.json"
    assert place(machine("darwin")) == HOME / "Library/Application Support/Code/User/mcp.json"
    assert place(machine("win32")) == HOME / "AppData/Roaming/Code/User/mcp.json"
    roaming = str(HOME / "Roaming")
    assert place(machine("win32", APPDATA=roaming)) == HOME / "Roaming/Code/User/mcp.json"


@pytest.mark.parametrize(
    "command",
    [
        "recortex hook stop ; exit 0",
        "/a b/recortex hook session-start --client codex",
        "'/a b/recortex' hook stop",
        '"C:/Jo Do/recortex.exe" hook stop',
        "python -m recortex hook pre-tool-use",
    ],
)
def test_our_own_commands_are_known_again(command):
    assert is_ours({"type": "command", "command": command})


@pytest.mark.parametrize("command", ["my-recortex-wrapper", "recortex status", "echo hook stop", "", None, 3])
def test_commands_of_others_are_left_alone(command):
    assert not is_ours({"type": "command", "command": command})


def test_hooks_of_any_shape_are_looked_through():
    ours = {"command": "recortex hook stop"}
    odd = {"A": None, "B": [None, 1, {}, {"hooks": None}, {"hooks": [ours, 1]}], "C": [{"hooks": [ours]}]}
    assert places_of_ours(odd) == [("C", 0), ("B", 4, "hooks", 0)]
    assert places_of_ours([]) == places_of_ours(None) == []


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
