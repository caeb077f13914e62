"""How a host is told to start us, and where its files lie on other machines."""

import os
import sys
from pathlib import Path, PureWindowsPath

from recortex.clients.catalogue import InstallRequest, share
from recortex.clients.hooks import Environment, Program, program

POSIX = os.name == "posix"
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
