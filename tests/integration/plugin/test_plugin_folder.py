"""The plug-in's folder without any client: what its manifests, hooks and skills say is so."""

import itertools
import json
import os
import re
import shutil
import stat
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import build_icon
from recortex.clients.codex import FORWARDED
from recortex.operations.registry import operations_of
from recortex.version import __version__

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "plugin"
SKILLS = sorted((PLUGIN / "skills").glob("*/SKILL.md"))
EVENTS = {
    "session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "pre-compact", "stop",
    "subagent-stop", "session-end",
}  # fmt: skip
# An event that Claude Code 2.1.100 does not know makes it drop every hook of the file.
KNOWN_TO_THE_OLDEST = {
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd",
    "Stop", "SubagentStop", "PreCompact",
}  # fmt: skip
POSIX = os.name == "posix"


def read(name):
    return json.loads((PLUGIN / name).read_text(encoding="utf-8"))


def hooks():
    """Event, matcher and hook of each entry."""
    for event, groups in read("hooks/hooks.json")["hooks"].items():
        for group in groups:
            for hook in group["hooks"]:
                yield event, group.get("matcher", ""), hook


def test_the_manifest_has_the_version_of_the_package():
    manifest = read(".claude-plugin/plugin.json")
    assert (manifest["name"], manifest["version"]) == ("recortex", __version__)
    # any other key is an error in Claude Code 2.1.100
    assert set(manifest) <= {
        "name", "version", "description", "author", "license", "keywords", "homepage", "repository",
    }  # fmt: skip


def test_the_marketplace_at_the_root_leads_to_the_plugin():
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))
    (entry,) = market["plugins"]
    assert entry["name"] == "recortex"
    assert (ROOT / entry["source"]).resolve() == PLUGIN


def test_the_icon_is_a_square_that_its_script_draws():
    data = (PLUGIN / ".claude-plugin" / "icon.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert data.startswith(b"\x89PNG")
    assert 512 <= width == height == build_icon.SIZE <= 2048
    begin = data.index(b"IDAT")
    rows = zlib.decompress(data[begin + 4 : begin + 4 + int.from_bytes(data[begin - 4 : begin])])
    for x, y in itertools.product(range(0, width, 32), repeat=2):
        at = y * (1 + 4 * width) + 1 + 4 * x
        assert rows[at : at + 4] == build_icon._pixel(x, y), (x, y)


def test_hooks_are_known_to_the_oldest_client_and_bounded():
    for event, _, hook in hooks():
        assert event in KNOWN_TO_THE_OLDEST
        assert hook["type"] == "command"
        assert 0 < hook["timeout"] <= 10
        assert set(hook) == {"type", "command", "timeout"}  # `args` is not known to 2.1.100, nor to Codex


def test_each_event_calls_the_program_by_name_and_hides_its_exit_code():
    calls = [hook["command"] for _, _, hook in hooks() if hook["command"].startswith("recortex ")]
    found = [re.fullmatch(r"recortex hook ([a-z-]+) ; exit 0", command) for command in calls]
    assert all(found)
    assert {one[1] for one in found} == EVENTS


def test_the_settings_that_install_writes_have_the_same_hooks():
    from recortex.clients.claude_code import HOOKS
    from recortex.clients.hooks import SECONDS

    ours = {(one.name, one.matcher, one.ours, SECONDS[one.ours]) for one in HOOKS.events}
    plugin = {
        (
            event,
            matcher.replace("|apply_patch", ""),
            hook["command"].split()[2],
            hook["timeout"],
        )  # Codex's tool
        for event, matcher, hook in hooks()
        if hook["command"].startswith("recortex ")
    }
    assert plugin == ours


def test_there_is_no_logic_in_the_plugin():
    kinds = {path.suffix for path in PLUGIN.rglob("*") if path.is_file()}
    assert kinds == {".json", ".md", ".png"}


def run(command, *, path, given=b"{}"):
    return subprocess.run(
        ["/bin/sh", "-c", command],
        input=given, capture_output=True, env={"PATH": path}, check=False, timeout=300,
    )  # fmt: skip


@pytest.fixture
def tools(tmp_path):
    """A PATH with a shell on it and nothing else."""
    folder = tmp_path / "ein Ordner mit Ümlaut"
    folder.mkdir()
    for name in ("sh", "cat"):
        (folder / name).symlink_to(shutil.which(name))
    return folder


if POSIX:

    @pytest.mark.parametrize("program", ["absent", "broken", "refusing"])
    def test_without_a_working_program_one_line_is_said_and_no_hook_fails(tools, program):
        if program != "absent":
            text = "#!/nowhere/python\n" if program == "broken" else "#!/bin/sh\nexit 2\n"
            (tools / "recortex").write_text(text)
            (tools / "recortex").chmod(0o755)
        said = [run(hook["command"], path=str(tools)) for _, _, hook in hooks()]
        assert [done.returncode for done in said] == [0] * len(said)
        spoken = [json.loads(done.stdout) for done in said if done.stdout]
        assert len(spoken) == (1 if program == "absent" else 0)
        assert all(set(answer) == {"systemMessage"} for answer in spoken)

    def test_the_line_is_said_once_in_a_session():
        (said,) = [(event, matcher) for event, matcher, hook in hooks() if "systemMessage" in hook["command"]]
        assert said == ("SessionStart", "startup")

    def test_a_hook_gets_its_event_and_its_input(tools):
        (tools / "recortex").write_text('#!/bin/sh\necho "$@"\ncat\n')
        (tools / "recortex").chmod(stat.S_IRWXU)
        for _, _, hook in hooks():
            done = run(hook["command"], path=str(tools), given=b'{"session_id": "x"}')
            if hook["command"].startswith("recortex"):
                event = hook["command"].split()[2]
                assert done.stdout.decode() == f'hook {event}\n{{"session_id": "x"}}'
            else:
                assert done.stdout == b""


def test_the_server_starts_by_the_name_of_the_program():
    server = read(".mcp.json")["mcpServers"]["recortex"]
    assert server == {"command": "recortex", "args": ["mcp"], "env_vars": FORWARDED}


def test_the_readme_is_long_enough_for_a_directory():
    assert len((PLUGIN / "README.md").read_text(encoding="utf-8").split()) >= 40


def test_all_skills_are_there():
    names = {path.parent.name for path in SKILLS}
    assert names == {"recall", "remember", "forget", "index-code", "consolidate", "inspect", "review", "why"}


@pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_has_a_name_and_says_when_it_is_wanted(skill):
    text = skill.read_text(encoding="utf-8")
    head = dict(line.split(": ", 1) for line in text.split("---\n")[1].splitlines())
    assert head["name"] == skill.parent.name
    assert "Use " in head["description"]
    assert len(head["description"]) <= 400


@pytest.mark.parametrize("document", [*SKILLS, PLUGIN / "README.md"], ids=lambda path: path.parent.name)
def test_verbs_and_options_that_are_named_exist(document):
    from recortex.cortex import Cortex

    operations = operations_of(Cortex)
    text = document.read_text(encoding="utf-8").replace("\\\n", " ")
    code = [*re.findall(r"`([^`\n]+)`", text), *re.findall(r"```sh\n(.*?)```", text, re.DOTALL)]
    for verb, rest in re.findall(r"\brecortex ([a-z]+)\b([^\n;]*)", "\n".join(code)):
        if verb in {"hook", "mcp"}:
            continue
        known = {parameter.name for parameter in operations[verb].parameters()} | {"yes", "dry_run"}
        named = re.findall(r"(?<= )--([a-z-]+)", re.sub(r'"[^"]*"', "", rest))
        assert {option.replace("-", "_") for option in named} <= known, (verb, named)


@pytest.mark.full
def test_the_icon_can_be_drawn_again(tmp_path):
    script = (ROOT / "scripts" / "build_icon.py").read_text(encoding="utf-8")
    copy = tmp_path / "scripts" / "build_icon.py"
    copy.parent.mkdir()
    copy.write_text(script, encoding="utf-8")
    target = tmp_path / "plugin" / ".claude-plugin" / "icon.png"
    target.parent.mkdir(parents=True)
    subprocess.run([sys.executable, copy], check=True, timeout=300)
    drawn, kept = target.read_bytes(), (PLUGIN / ".claude-plugin" / "icon.png").read_bytes()
    assert drawn[:33] == kept[:33]
