"""What the command shows: help, screens, first steps, completion, days."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import time
import unicodedata
from datetime import datetime, timedelta
from importlib.resources import files

import pytest

from claude_sessions import claude_session
from person import at_a_terminal
from recortex.cli.main import _HEADINGS, FIRST
from recortex.cli.parser import parser_of, synonyms
from recortex.cortex import Cortex
from recortex.domain.kinds import KINDS
from recortex.operations import manifest
from recortex.operations.registry import operations_of

# -- Output on a terminal of 80 columns: nothing is wider, and it reads well; a pipe keeps its plain form.
MIGRATIONS = (
    "Migrations run with lock_timeout = 5s, since a blocked ALTER took the site down for an hour in March"
)
WIDE = "データベースの移行は必ず夜間に実行する。昼間はロックが長くなり、サイトが止まるためである。" * 2
PATH = "/a/very/long/path/that/has/no/blank/in/it" * 4 + ".py"


@pytest.fixture
def known(project):
    """A project whose memories are long, wide and without a place to break; returns the id of the first."""
    first = project.remember(MIGRATIONS, "--kind", "decision", "--importance", "high", "--tags", "db")
    second = project.remember(WIDE, "--kind", "tribal", "--tags", "日本語")
    project.remember(f"The worker stands in {PATH} and nowhere else.", "--files", PATH)
    project.data("link", first, second, "--relation", "supersedes")
    project.data("edit", first, "--summary", "How migrations run", "--reason", "shorter")
    (project.folder / "notes.md").write_text(
        f"- {WIDE}\n- Prices are cents, as `{PATH}` says.\n", encoding="utf-8"
    )
    project.data("import", "markdown", "notes.md")
    return first


def screen(project, *words, env=None):
    code, shown = at_a_terminal(project, *words, env={"COLUMNS": "80", "NO_COLOR": ""} | (env or {}))
    assert code == 0, shown
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", shown.replace("\r\n", "\n")).rpartition("\r")[2]


def width(line):
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in line)


@pytest.mark.full
def test_no_line_is_wider_than_the_screen(project, known):
    for words in (
        ["list"], ["list", "--full"], ["review", "list"], ["status"], ["inspect"], ["doctor"],
        ["doctor", "--full"], ["init"], ["history", known], ["get", known], ["related", known],
        ["traverse", known],
        ["recall", "how do migrations run?"], ["surface"], ["forget", "how migrations run"], ["backup"],
        ["gc", "--dry-run"], ["help"], ["recall", "--help"], ["install", "codex", "--dry-run"],
        ["import", "claude-code"], ["export"],
    ):  # fmt: skip
        wide = [line for line in screen(project, *words).split("\n") if width(line) > 80]
        assert not wide, (words, wide)


def test_a_list_is_a_table_with_headings_and_days(project, known):
    shown = screen(project, "list")
    assert re.search(r"^id +kind +memory +changed$", shown, re.MULTILINE)
    assert re.search(
        rf"^{known[:8]} +decision +! How migrations run #db +today \d\d:\d\d UTC$", shown, re.MULTILINE
    )
    assert "3 memories." in shown
    assert "2 days ago" in screen(project, "list", env={"RECORTEX_NOW": in_days(project, known, 2)})


def in_days(project, known, days):
    return (
        datetime.fromisoformat(project.data("get", known)["updated_at"]) + timedelta(days=days)
    ).isoformat()


def test_what_waits_shows_how_sure_it_is_whole(project, known):  # noqa: ARG001  the memories that it made
    shown = screen(project, "review", "list")
    assert "% sure  quarantined" in shown
    assert WIDE in re.sub(r"\n +", "", shown)
    assert "2 memories wait for you." in shown


def test_a_quote_stands_beside_what_is_to_be_approved(project):
    said = "I think the retry in queue.py hides errors of the database, so we should probably drop it."
    source = {"session": "s", "turn": 0, "speaker": "user", "quote": said}
    row = {
        "text": "The retry in queue.py hides errors.",
        "status": "proposed",
        "source": source,
        "confidence": 0.55,
    }
    project.data("remember_many", json.dumps([row]))
    shown = screen(project, "review", "list")
    assert "55% sure  proposed" in shown
    assert f"“{said}”" in re.sub(r"\n +", " ", shown)
    assert "said by user" in shown


def test_history_names_changes_in_words(project, known):
    shown = screen(project, "history", known)
    assert re.search(r"^Version 2  from today [\d:]+ UTC until now, by user: shorter$", shown, re.MULTILINE)
    assert "fields summary" in shown
    assert "relation supersedes; target " in re.sub(r"\n +", " ", shown)
    assert "[" not in shown
    assert "fields=[" not in project.run("history", known).text


def test_only_settings_that_were_changed(project):
    shown = screen(project, "doctor", env={"RECORTEX_RECALL_LIMIT": "5"})
    assert re.search(r"recall.limit +5 +environment", shown)
    assert "lifecycle.hub" not in shown
    assert "more are as they come" in shown
    assert "lifecycle.hub" in screen(project, "doctor", "--full")
    assert "lifecycle.hub" in project.run("doctor").text


def test_whole_records_on_request(project, known):
    for text in (screen(project, "list", "--full"), project.run("list", "--full").text):
        assert known in text
        assert "importance    high (8 of 10)" in text


def test_a_pipe_keeps_its_plain_form_and_imports_no_rich(project, known):
    ran = project.run("list", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert f"{known[:8]}  decision           !  How migrations run  #db\n" in ran.text
    assert "rich" not in {line.rpartition("|")[2].strip().partition(".")[0] for line in ran.err.splitlines()}


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb", "NO_COLOR": ""}])
def test_no_colour_where_none_is_wanted(project, known, env):  # noqa: ARG001  the memories that it made
    for words in (["list"], ["review", "list"], ["status"], ["doctor"], ["inspect"]):
        assert "\x1b[3" not in at_a_terminal(project, *words, env={"COLUMNS": "80"} | env)[1]


def test_words_without_quotes_are_told_to_take_them(project):
    assert "in quotes" in project.run("recall", "how", "do", "we", "deploy").err


# -- `recortex --help` knows every verb, and every verb explains itself.
OPERATIONS = operations_of(Cortex)
PROGRAMS = {"tour", "mcp", "hook", "worker", "serve", "completion"}


def test_the_manifest_has_what_the_facade_has():
    listed = {one["name"]: one["summary"] for one in manifest.operations()}
    assert listed == {one.name: one.summary for one in OPERATIONS.values()}
    assert all(group["title"] for group in manifest.groups())


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_verb_is_found_in_the_group_that_declares_it(name):
    assert name in operations_of(manifest.group_of(name))


HEADINGS = ["Remember", "Find", "Sessions", "Code", "Projects and stores", "Setup"]
VERBS = sorted([*(one.verb for one in OPERATIONS.values()), *PROGRAMS])


def headings_and_verbs(text):
    """The headings of a help and every verb that it names, whether with a line of its own or not."""
    headings = re.findall(r"^(?!Options)[A-Z][a-z ]+$", text, re.MULTILINE)
    named = re.findall(r"^  also: (.*(?:\n        .*)*)", text, re.MULTILINE)
    return headings, re.findall(r"^  (\w[\w-]+) ", text, re.MULTILINE), re.findall(r"[\w-]+", " ".join(named))


def test_the_short_help_explains_ten_verbs_and_names_the_others(shared):
    ran = shared.run("--help")
    headings, explained, named = headings_and_verbs(ran.text)
    assert ran.code == 0
    assert headings == HEADINGS
    assert sorted(explained) == sorted(FIRST)
    assert len(explained) == 10
    assert sorted([*explained, *named]) == VERBS
    assert "`recortex help all`" in ran.text
    assert len(ran.text.splitlines()) <= 50


def test_the_long_help_has_a_line_for_every_verb(shared):
    ran = shared.run("help", "all")
    headings, explained, named = headings_and_verbs(ran.text)
    assert ran.code == 0
    assert headings == HEADINGS
    assert sorted(explained) == VERBS
    assert named == []


def test_every_group_under_a_heading_exists():
    known = {group["class"] for group in manifest.groups()}
    assert {f"{group}Operations" for named in _HEADINGS.values() for group in named.split()} <= known


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_verb_explains_itself_and_all_that_it_takes(name):
    operation = OPERATIONS[name]
    text = parser_of(operation).format_help()
    assert operation.help in text
    for parameter in operation.parameters():
        assert parameter.help, f"{name}: {parameter.name} is not explained"
        assert " ".join(parameter.help.split()) in " ".join(text.split())


@pytest.mark.parametrize(
    "words", [["get", "--help"], ["help", "get"], ["--help", "get"], ["get", "-h", "--json"]]
)
def test_help_of_a_verb(shared, words):
    ran = shared.run(*words)
    assert ran.code == 0
    assert ran.text.startswith("usage: recortex get ")
    assert not ran.err


@pytest.mark.parametrize(
    "words", [["--help"], ["get", "--help"], ["mcp", "--help"], ["worker", "--help"], ["serve", "--help"]]
)
def test_help_names_the_server_that_a_url_may_lead_to(words, shared):
    assert "postgresql://" in shared.run(*words).text


@pytest.mark.parametrize(
    ("said", "verb"),
    [
        ("search", "recall"), ("add", "remember"), ("delete", "forget"), ("ls", "list"), ("Show", "get"),
        ("serach", "recall"), ("remeber", "remember"), ("remember_mny", "remember-many"), ("demo", "tour"),
        ("delte", "forget"),
    ],
)  # fmt: skip
def test_an_unknown_verb_suggests_what_was_meant(shared, said, verb):
    ran = shared.run(said, "something")
    assert ran.code == 2
    assert not ran.out
    assert f"Did you mean `{verb}`" in ran.err


def test_each_synonym_leads_to_a_verb_and_is_none():
    known = {one.verb for one in OPERATIONS.values()} | PROGRAMS
    assert set(synonyms().values()) <= known
    assert not known & set(synonyms())
    lines = files("recortex.cli").joinpath("synonyms.txt").read_text(encoding="utf-8").splitlines()
    assert len(synonyms()) == sum(len(line.split()) - 1 for line in lines)


def test_help_imports_nothing_heavy(shared):
    ran = shared.run("--help", env={"PYTHONPROFILEIMPORTTIME": "1"})
    imported = {line.rpartition("|")[2].strip() for line in ran.err.splitlines()}
    assert not imported & {
        "apsw", "numpy", "onnxruntime", "msgspec", "mcp", "tiktoken", "tokenizers", "recortex.cortex",
        "argparse",
    }  # fmt: skip


def test_reading_a_memory_imports_no_model_and_no_learning(shared):
    known = shared.data("list")["memories"][0]["id"]
    ran = shared.run("get", known, "--json", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert ran.code == 0
    imported = {line.rpartition("|")[2].strip() for line in ran.err.splitlines()}
    assert "recortex.operations.base" in imported
    heavy = {
        "numpy", "onnxruntime", "mcp", "tiktoken", "tokenizers", "importlib.metadata",
        "recortex.engines.extraction",
    }  # fmt: skip
    assert not imported & heavy


# -- The first commands in a project say what can be done next, and where they looked.
def session(project, cwd):
    """A session of Claude Code that ran in a folder."""
    said = "We always deploy with `make ship`, never by hand."
    claude_session(project.home / ".claude" / "projects" / "one" / "s.jsonl", cwd, said)


def client(project, name):
    """A program on the PATH."""
    folder = project.home / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}/nowhere"}


def test_init_names_what_is_on_this_machine(project):
    session(project, project.folder)
    shown = project.run("init", env=client(project, "codex")).text
    assert "recortex import claude-code" in shown
    assert "recortex install codex" in shown
    assert "import gemini" not in shown
    assert "install claude-code" not in shown
    assert 'recortex recall "…"' in shown


def test_init_names_no_agent_that_has_the_memory_already(project):
    path = client(project, "codex")
    assert project.run("install", "codex", env=path).code == 0
    assert "install codex" not in project.run("init", env=path).text


def test_an_import_that_found_nothing_says_where_it_looked(project):
    ran = project.run("import", "claude-code")
    assert ran.code == 0
    assert "No session of claude-code was found for this project" in ran.text
    assert str(project.home / ".claude" / "projects") in ran.text
    assert "recortex import claude-code FOLDER" in ran.text
    assert project.data("import", "claude-code")["places"] == [str(project.home / ".claude" / "projects")]


def test_an_import_says_that_all_that_it_found_is_of_other_projects(project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    session(project, other)
    ran = project.run("import", "claude-code")
    assert "1 session there belongs to another project." in ran.text
    assert project.data("import", "claude-code")["elsewhere"] == 1


def test_a_client_without_a_known_place_is_told(project):
    assert "no session files in a place that is known" in project.run("import", "swe-agent").text


def test_an_import_that_read_something_says_nothing_of_places(project):
    session(project, project.folder)
    assert "Looked in" not in project.run("import", "claude-code").text


def test_an_import_ends_with_status_1_where_a_file_cannot_be_read(project):
    history = project.folder / "history"
    history.mkdir()
    (history / "empty.jsonl").write_text("")
    alone = project.run("import", "any", str(history / "empty.jsonl"))
    assert alone.code == 1
    assert "is empty" in alone.err
    (history / "talk.md").write_text("User: heat the oven\n\nAssistant: It is hot.\n")
    ran = project.run("import", "any", str(history))
    assert ran.code == 1
    assert "Read 1 file" in ran.text
    assert "empty.jsonl: is empty" in " ".join(ran.text.split())
    (history / "empty.jsonl").unlink()
    assert project.run("import", "any", str(history)).code == 0


# -- `recortex completion`: the real shells complete with the script, and nothing of Recortex runs at TAB.


# The words so far, the last one as far as it is typed; and what completes it, all of it.
CASES = [
    (["trav"], {"traverse"}), (["recall", "question", "--bud"], {"--budget"}),
    (["recall", "question", "--kinds", "trib"], {"tribal"}),
    (["recall", "--kinds", "decision,trib"], {"decision,tribal"}),
    (["recall", "--scope", ""], {"project", "global"}),
    (["review", ""], {"list", "approve", "reject", "replace", "both"}),
    (["review", "--full", "app"], {"approve"}), (["import", "clau"], {"claude-code"}),
    (["install", "code"], {"codex"}), (["--project", "/", "hist"], {"history"}),
    (["list", "--limit", "3", "--order", "acc"], {"accessed"}),
    (["link", "one", "two", "--relation", "super"], {"supersedes"}),
    (["mcp", "--tools", "f"], {"full"}), (["completion", "f"], {"fish"}), (["help", "unli"], {"unlink"}),
    (["kinds", "insi"], {"insight"}), (["export", "notes"], {"notes.jsonl"}),
    (["recall", "question", "--files", "not"], {"notes.jsonl"}),
]  # fmt: skip


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


# -- A session has one day, whatever zone the person's machine is in: on screens, in pipes and for
# `--since`.
RULE = "From now on every handler in this repository returns a dataclass."


@pytest.fixture
def told(project):
    """A session of 22:00 UTC, which is the next day in the east."""
    path = project.folder / "s1.jsonl"
    claude_session(path, project.folder, RULE, at="2026-02-03T22:00:00.000Z")
    project.data("import", "claude-code", str(path))
    return project


@pytest.mark.parametrize("zone", ["Asia/Seoul", "America/Los_Angeles", "Asia/Kathmandu", "UTC"])
def test_a_session_has_one_day_in_every_zone(told, zone):
    shown = told.run("sessions", env={"TZ": zone}).text
    assert "2026-02-03 22:00 UTC" in shown
    for since, found in (
        ("2026-02-03", 1),
        ("2026-02-04", 0),
        ("2026-02-03T21:59:00Z", 1),
        ("2026-02-04T06:59:00+09:00", 1),
        ("2026-02-04T07:01:00+09:00", 0),
        ("2026-02-03T14:00:00-08:00", 1),
    ):
        ran = told.run("sessions", "--since", since, "--json", env={"TZ": zone})
        assert len(ran.data["sessions"]) == found, (zone, since)
