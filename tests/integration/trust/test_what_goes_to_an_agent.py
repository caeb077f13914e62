"""Every way in which a text reaches an agent, with texts that were made to deceive it."""

import json
from pathlib import Path

import pytest
from payloads import ORDER, PAYLOADS, faults, faults_in, tagged

import ready_recortex
from recortex import Cortex
from recortex.app.hooks.reminders import Relay
from recortex.domain.session import END, START
from recortex.domain.vocabulary import Actor
from recortex.mcp.projection import described
from recortex.mcp.session import ToolDispatcher
from recortex.operations.registry import operations_of

pytestmark = pytest.mark.usefixtures("without_vectors")
ALL = {name: one for name, one in operations_of(Cortex).items() if not one.traits.person}


def poison(project: Path, payloads: dict[int, str]) -> dict[int, str]:
    """Keep memories that hold a payload in each of their texts; their ids, by the payload's number."""
    with Cortex.open(project) as cortex:
        return {
            number: cortex.remember(
                f"The kiln test {number} needs TZ=UTC {text} before it starts.",
                kind="tribal",
                summary=f"kiln {number} {text}",
                tags=[f"kiln{number}", text[:60]],
                files=[f"src/kiln{number}.py"],
                functions=[f"heat{number}{text}"],
                patterns=[f"p {text}"],
                constraints=[f"c {text}"],
                metadata={f"key {text}": [text]},
                source={"session": f"s{number}", "quote": text},
                importance="critical" if number < 3 else "normal",
            ).id
            for number, text in payloads.items()
        }


NUMBERED = dict(enumerate(PAYLOADS.values()))
SHARE = 5
"""Each tool meets every fifth payload, and each payload every fifth tool; all of them with `--full`."""
QUICK = 3
"""How many of them each tool meets in the quick checks."""


def hook(project: Path, event: str, **more) -> str:
    given = json.dumps({"session_id": "s", "cwd": str(project), **more}).encode()
    done = ready_recortex.run("hook", event, "--project", str(project), stdin=given, patient=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout.strip() else ""


def arguments_of(operation, id_: str, other: str, folder: Path, text: str) -> list[dict]:
    """Calls of a tool: one that finds something, and one that is wrong in a hostile way."""
    names = {parameter.name for parameter in operation.parameters()}
    needed = {parameter.name for parameter in operation.parameters() if parameter.required}
    known = {
        "id": id_, "target": other, "query": f"kiln test {text}", "text": f"The kiln is hot {text} today.",
        "reason": text, "path": "", "tags": ["kiln1"], "file": "src/a.py", "description": text,
        "format": "text", "host": text, "memories": [{"text": text}], "lines": "1", "evidence": text,
        "files": ["src/kiln1.py"], "dry_run": True, "session": text,
    }  # fmt: skip
    right = {name: value for name, value in known.items() if name in names} | dict.fromkeys(
        needed - set(known), text
    )
    if "path" in names and "path" in needed:
        right["path"] = str(folder / "none.jsonl")
    return [
        {name: value for name, value in right.items() if name in needed or name in {"limit", "dry_run"}},
        right,
        dict.fromkeys(needed or {"limit"}, text),
        {**right, text[:20]: text},
    ]


@pytest.mark.parametrize("most", [QUICK, pytest.param(len(NUMBERED), marks=pytest.mark.full)])
@pytest.mark.parametrize("name", sorted(set(ALL) - {"uninstall"}))
def test_no_tool_gives_a_hostile_text_on(project, name, most):
    place = sorted(ALL).index(name)
    mine = [number for number in NUMBERED if number % SHARE == place % SHARE]
    begin = place // SHARE * QUICK % len(mine)
    payloads = {number: NUMBERED[number] for number in (mine[begin:] + mine[:begin])[:most]}
    ids = poison(project, payloads)
    other = ids[max(ids)]
    desk = ToolDispatcher(ALL, lambda: Cortex.open(project, actor=Actor.AGENT))
    try:
        for number, text in payloads.items():
            for given in arguments_of(ALL[name], ids[number], other, project, text):
                assert faults_in(desk.call(name, given).data) == []
            assert faults_in(desk.call(text, {}).data) == []
    finally:
        desk.close()


def test_what_tools_say_of_themselves_is_clean():
    assert faults_in(described(ALL.values())) == []


def test_no_hook_gives_a_hostile_text_on(project):
    poison(project, NUMBERED)
    given = [hook(project, "session-start", hook_event_name="SessionStart", source="startup")]
    for number, text in NUMBERED.items():
        asked = {"hook_event_name": "UserPromptSubmit", "session_id": f"p{number}"}
        if number % 2:
            question = f"what does kiln test {number} need {text}"
            given.append(hook(project, "user-prompt-submit", prompt=question, **asked))
            continue
        touched = {"file_path": str(project / f"src/kiln{number}.py"), "content": "x"}
        moment = {"hook_event_name": "PreToolUse", "session_id": f"f{number}"}
        given.append(hook(project, "pre-tool-use", tool_name="Write", tool_input=touched, **moment))
    said = [text for text in given if text]
    assert len(said) > len(PAYLOADS) * 3 // 4
    for text in said:
        assert text.startswith(f"{START}\n")
        assert text.endswith(f"\n{END}")
        assert faults(text[len(START) : -len(END)]) == []


@pytest.mark.parametrize("name", [*PAYLOADS][::SHARE])
def test_a_server_that_answers_a_hook_is_not_believed_more(project, name):
    text = PAYLOADS[name]
    poison(project, {0: text})
    with Cortex.open(project) as cortex:
        cortex.status()
        relay = Relay(cortex.address, lambda _: f"{START}\nkiln {text}\n{END}\n{text}")
    try:
        moment = {"hook_event_name": "UserPromptSubmit", "prompt": "what does the kiln need?"}
        said = hook(project, "user-prompt-submit", **moment)
    finally:
        relay.close()
    assert said.startswith(f"{START}\nkiln")
    assert said.endswith(f"\n{END}")
    assert faults(said[len(START) : -len(END)]) == []


def test_every_payload_is_seen_when_it_is_not_cleaned():
    assert [name for name, text in PAYLOADS.items() if not faults(text)] == []
    assert tagged(ORDER)
