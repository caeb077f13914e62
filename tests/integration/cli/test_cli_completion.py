"""`recortex completion`: the real shells complete with the script, and nothing of Recortex runs at TAB."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import time

import pytest

from recortex.cli.parser import parser_of
from recortex.cortex import Cortex
from recortex.domain.kinds import KINDS
from recortex.operations.registry import operations_of

OPERATIONS = operations_of(Cortex)

# The words so far, the last one as far as it is typed; and what completes it, all of it.
CASES = [
    (["trav"], {"traverse"}),
    (["recall", "question", "--bud"], {"--budget"}),
    (["recall", "question", "--kinds", "trib"], {"tribal"}),
    (["recall", "--kinds", "decision,trib"], {"decision,tribal"}),
    (["recall", "--scope", ""], {"project", "global"}),
    (["review", ""], {"list", "approve", "reject", "replace", "both"}),
    (["review", "--full", "app"], {"approve"}),
    (["import", "clau"], {"claude-code"}),
    (["install", "code"], {"codex"}),
    (["--project", "/", "hist"], {"history"}),
    (["list", "--limit", "3", "--order", "acc"], {"accessed"}),
    (["link", "one", "two", "--relation", "super"], {"supersedes"}),
    (["mcp", "--tools", "f"], {"full"}),
    (["completion", "f"], {"fish"}),
    (["help", "unli"], {"unlink"}),
    (["kinds", "insi"], {"insight"}),
    (["export", "notes"], {"notes.jsonl"}),
    (["recall", "question", "--files", "not"], {"notes.jsonl"}),
]


def _shell(name):
    found = shutil.which(name)
    return found or pytest.skip(f"{name} is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, shared):
    made = tmp_path_factory.mktemp("completion")
    (made / "notes.jsonl").touch()
    for shell in ("bash", "zsh", "fish"):
        ran = shared.run("completion", shell)
        assert ran.code == 0, ran
        (made / f"recortex.{shell}").write_bytes(ran.out)
    return made


def _environment(folder):
    """No `recortex` and no Python on the path: the script has to know everything itself."""
    tools = folder / "bin"
    if not tools.is_dir():
        tools.mkdir()
        for name in ("bash", "zsh", "fish", "ls", "uname", "cat", "mv"):
            if found := shutil.which(name):
                (tools / name).symlink_to(found)
    return {"PATH": str(tools), "HOME": str(folder), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


def _run(folder, *words):
    done = subprocess.run(
        words, cwd=folder, env=_environment(folder), capture_output=True, text=True, timeout=300, check=True
    )
    assert not done.stderr
    return done.stdout


_BASH = """
source ./recortex.bash
COMP_WORDS=(recortex "$@")
COMP_CWORD=$#
_recortex
# as `-o default` does
((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
printf '%s\\n' "${COMPREPLY[@]}"
"""


def _bash(folder, words):
    return set(_run(folder, _shell("bash"), "--norc", "-c", _BASH, "bash", *words).split())


@pytest.mark.parametrize(("words", "completed"), CASES)
def test_bash_completes(folder, words, completed):
    assert _bash(folder, words) == completed


def test_bash_parts_an_option_from_its_value_at_the_equals_sign(folder):
    assert _bash(folder, ["recall", "--scope", "=", "glo"]) == {"global"}
    assert _bash(folder, ["recall", "--scope", "=", "global", "--reci"]) == {"--recipe"}
    assert _bash(folder, ["recall", "--scope", "="]) >= {"global", "project"}


def test_bash_asks_for_files_where_nothing_is_listed(folder):
    told = _run(folder, _shell("bash"), "--norc", "-c", "source ./recortex.bash; complete -p recortex")
    assert told.split() == ["complete", "-o", "default", "-F", "_recortex", "recortex"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_verb_and_option_is_offered(folder, name):
    operation = OPERATIONS[name]
    offered = set(
        (folder / "recortex.bash")
        .read_text()
        .split(f"'{operation.verb} -') REPLY='")[1]
        .split("'")[0]
        .split()
    )
    assert offered == set(parser_of(operation)._option_string_actions)


def test_every_verb_and_kind_is_offered(folder, shared):
    listed = set(re.findall(r"^  (\w[\w-]+) ", shared.run("help", "all").text, re.MULTILINE))
    assert _bash(folder, [""]) == {*listed, "help"}
    assert _bash(folder, ["remember", "--kind", ""]) == set(KINDS)


@pytest.mark.parametrize("program", ["mcp", "worker", "hook", "tour"])
def test_what_is_offered_of_a_program_is_in_its_help(folder, shared, program):
    ran = shared.run(program, "--help")
    for option in _bash(folder, [program, "--"]) - {"--help", "--debug"}:
        assert option in ran.text + ran.err


def _fish(folder, line):
    told = _run(
        folder, _shell("fish"), "--no-config", "-c", "source ./recortex.fish; complete -C $argv[1]", line
    )
    return {one.split("\t")[0] for one in told.splitlines()}


@pytest.mark.parametrize(("words", "completed"), CASES)
def test_fish_completes(folder, words, completed):
    assert _fish(folder, " ".join(["recortex", *words])) == completed


def test_fish_completes_after_an_equals_sign_and_tells_what_a_verb_does(folder):
    assert _fish(folder, "recortex recall --scope=glo") == {"--scope=global"}
    assert _fish(folder, "recortex recall --kinds=decision,trib") == {"--kinds=decision,tribal"}
    told = _run(
        folder, _shell("fish"), "--no-config", "-c", 'source ./recortex.fish; complete -C "recortex trav"'
    )
    assert told.strip() == f"traverse\t{OPERATIONS['traverse'].summary}"


_ZSHRC = r"""
autoload -Uz compinit && compinit -u -D
source ./recortex.zsh
_told() { print -r -- "$BUFFER" > told.new; mv -f told.new told }
zle -N _told
bindkey '^X' _told
print ready > told
"""


@pytest.fixture(scope="module")
def zsh(folder):
    """A zsh that somebody types into; gives what stands on its line after TAB."""
    shell = _shell("zsh")
    environment = _environment(folder)
    (folder / "rc").write_text(_ZSHRC)
    process, terminal = pty.fork()
    if not process:
        os.chdir(folder)
        os.execve(shell, ["zsh", "-f", "-i"], environment)  # noqa: S606  the shell that is tested
    told = folder / "told"

    def typed(keys: bytes) -> str:
        told.unlink(missing_ok=True)
        os.write(terminal, keys)
        end = time.monotonic() + 300
        while not told.exists():
            assert time.monotonic() < end, "zsh says nothing"
            time.sleep(0.01)
        return told.read_text().rstrip("\n")

    assert typed(b"source ./rc\n") == "ready"
    yield lambda line: typed(b"\x15" + line.encode() + b"\t\x18")
    os.write(terminal, b"\x15exit\n")
    os.waitpid(process, 0)
    os.close(terminal)


@pytest.mark.parametrize(("words", "completed"), [case for case in CASES if len(case[1]) == 1])
def test_zsh_completes(zsh, words, completed):
    line = " ".join(["recortex", *words])
    before = line.rpartition(" ")[0]
    assert zsh(line).strip() == f"{before} {completed.copy().pop()}"


def test_zsh_completes_after_an_equals_sign(zsh):
    assert zsh("recortex recall --scope=glo").strip() == "recortex recall --scope=global"


@pytest.mark.parametrize("words", [[], ["powershell"], ["bash", "zsh"]])
def test_a_shell_is_named(shared, words):
    ran = shared.run("completion", *words)
    assert ran.code == 2
    assert "bash, zsh or fish" in ran.err
    assert not ran.out
