"""What a command of the repository says is the repository's word, also where a client leaves no mark."""

import os

import pytest

import transcripts
from recortex.domain.vocabulary import Status

RULE = "From now on we always deploy with `make yolo` in this repository, never by hand."
BESIDE = "From now on we always log in UTC in this repository."
TYPED = "From now on run the tests with `make check`, never with pytest directly."


FORMS = [
    ("opencode", ".opencode/command/ship.md", f"---\ndescription: Ships.\n---\n{RULE} Where: $ARGUMENTS\n"),
    ("opencode", ".opencode/commands/deep/ship.md", f"{RULE}\n\nWhere: $1\n"),
    ("pi", ".pi/prompts/ship.md", f"---\ndescription: Ships.\n---\n{RULE}\n$@\n"),
    ("claude-code", ".claude/commands/ship.md", f"{RULE}\n"),
    ("claude-code", ".claude/skills/ship/SKILL.md", f"---\nname: ship\n---\n{RULE}\n"),
    ("qwen", ".qwen/commands/ship.toml", f'prompt = """{RULE}\n{{{{args}}}}"""'),
    ("qwen", ".qwen/commands/ship.md", f"{RULE}\n"),
]


def expanded(file, body, arguments):
    text = body.split("---\n")[-1] if not file.endswith(".toml") else body[len('prompt = """') : -3]
    holes = [hole for hole in ("$ARGUMENTS", "$1", "$@", "{{args}}") if hole in text]
    for hole in holes:
        text = text.replace(hole, arguments)
    return text.strip() if holes or not arguments else f"{text.strip()}\n\n{arguments}"


@pytest.fixture
def history(cortex, tmp_path):
    """Imports a session of a project, and gives what is remembered, and who opened what was said."""

    def history(form, *said):
        told = transcripts.talk(*said, folder=tmp_path)
        path = transcripts.write(tmp_path / "s1.jsonl", transcripts.WRITERS[form]("s1", told))
        cortex.import_("any", str(path))
        found = cortex.sessions(session=cortex.sessions().sessions[0].session)
        texts = " ".join(one.text for one in cortex.list(statuses=tuple(Status)).memories)
        return texts, [(one.opener, one.message) for one in reversed(found.exchanges)]

    return history


@pytest.mark.parametrize(("form", "file", "body"), FORMS, ids=[f"{one[0]} {one[1]}" for one in FORMS])
def test_a_command_is_not_what_the_person_said(history, tmp_path, form, file, body):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(body)
    rules, said = history(form, TYPED, expanded(file, body, ""), "Thanks.")
    assert "make check" in rules
    assert "yolo" not in rules
    assert [opener for opener, message in said if "yolo" in message] == ["program"]
    assert [opener for opener, message in said if "make check" in message] == ["person"]


@pytest.mark.parametrize(("form", "file", "body"), FORMS, ids=[f"{one[0]} {one[1]}" for one in FORMS])
def test_the_arguments_are_the_persons(history, tmp_path, form, file, body):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(body)
    rules, said = history(form, TYPED, expanded(file, body, BESIDE), "Thanks.")
    assert "UTC" in rules
    assert "yolo" not in rules
    assert ("person", BESIDE) in said
    assert not any("yolo" in message for _, message in said)


@pytest.mark.parametrize("arguments", ["code that we never run in production", "always deploy on Fridays"])
def test_arguments_that_are_no_sentence_of_their_own_teach_nothing(history, tmp_path, arguments):
    commands = tmp_path / ".opencode" / "command"
    commands.mkdir(parents=True)
    (commands / "look.md").write_text(f"{RULE} Do not $ARGUMENTS, and say what you found.\n")
    _, said = history("opencode", TYPED, f"{RULE} Do not {arguments}, and say what you found.", "Thanks.")
    rules, _ = history("opencode", TYPED)
    assert ("person", arguments) in said
    assert "production" not in rules
    assert "Fridays" not in rules
    assert "yolo" not in rules


@pytest.mark.parametrize("form", ["opencode", "pi", "claude-code", "qwen"])
def test_without_such_a_file_it_is_the_persons(history, form):
    rules, said = history(form, RULE, "Thanks.")
    assert "yolo" in rules
    assert said[0][0] == "person"


def test_odd_files_do_no_harm(history, tmp_path):
    folder = tmp_path / ".claude" / "commands"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "pipe.md")
    (folder / "large.md").write_text(f"{RULE}\n" + "x" * 100_000)
    (folder / "bytes.md").write_bytes(b"\xff\xfe\x00")
    (folder / "round").symlink_to(folder)
    (folder / "out.md").symlink_to("/etc/hostname")
    (folder / "all.md").write_text("$ARGUMENTS")
    (folder / "bad.toml").write_text("[[[[")
    rules, said = history("claude-code", RULE, "Thanks.")
    assert "yolo" in rules
    assert said[0][0] == "person"
