"""What counts as using a memory that was given, and the near misses that do not."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recortex.domain.exchange import ToolCall, Turn
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import FileLink, Memory
from recortex.domain.session import Receipt, Signal
from recortex.domain.vocabulary import Scope
from recortex.engines.usage import counts, efficiency, uses

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
TEXT = (
    "The ledger_writer must flush before rotate_segment is called, "
    "otherwise `shop-cli verify --deep` reports torn segments"
)
RUN = "must flush before rotate_segment is called, otherwise"


def at(minute):
    return START + timedelta(minutes=minute)


def memory(text=TEXT, files=("src/ledger/writer.py",), **more):
    kind = Kind("tribal")
    return Memory(
        id="0a1b2c3d-1111-4222-8333-444455556666", kind=kind, text=text, summary=text,
        content=KINDS[kind].from_text(text), recorded_at=START, updated_at=START, valid_from=START,
        files=tuple(map(FileLink, files)), **more,
    )  # fmt: skip


def receipt(minute=5, channel="prompt", **more):
    return Receipt(
        session="s", context=0, memory=memory().id, scope=Scope.PROJECT, channel=channel, at=at(minute),
        **more,
    )  # fmt: skip


def agent(minute, text="", *tools, **more):
    return Turn(minute, "assistant", text, at(minute), tools=tools, **more)


def person(minute, text):
    return Turn(minute, "user", text, at(minute))


def shell(command, output="", **more):
    return ToolCall("1", "Bash", command=command, output=output, arguments={"command": command}, **more)


def edit(path, text="", writes=True):
    return ToolCall(
        "1", "Edit", files=(path,), writes=writes, arguments={"file_path": path, "new_string": text}
    )


def found(*turns, given=None, known=None):
    known = known or memory()
    return [(one.use, one.at) for one in uses([given or receipt()], {known.id: known}, turns)]


@pytest.mark.parametrize(
    ("turn", "use"),
    [
        (agent(6, f"As recorded, it {RUN} segments tear."), "quoted"),
        (agent(6, "I call rotate_segment only after ledger_writer is done."), "quoted"),
        (agent(6, "Recortex [0a1b2c3d] says so."), "quoted"),
        (agent(6, "", edit("/repo/docs/notes.md", f"# It {RUN} no")), "quoted"),
        (agent(6, "", shell("cd /repo && shop-cli verify --deep --json")), "command"),
        (agent(6, "", edit("/repo/src/ledger/writer.py")), "file"),
        (agent(6, "", edit("src/ledger/writer.py", writes=False)), "file"),
    ],
    ids=["words", "names", "id", "argument", "command", "written", "read"],
)  # fmt: skip
def test_a_use(turn, use):
    assert found(person(4, "Why do segments break?"), turn) == [(use, at(6))]


@pytest.mark.parametrize(
    "turn",
    [
        agent(4, f"It {RUN} segments tear.", edit("src/ledger/writer.py"), shell("shop-cli verify --deep")),
        agent(5, f"It {RUN} segments tear."),
        replace(agent(6, f"It {RUN} segments tear."), at=None),
        agent(6, f"It {RUN} segments tear.", sidechain=True),
        person(6, f"It {RUN} segments tear."),
        Turn(6, "summary", f"It {RUN} segments tear.", at(6)),
        replace(agent(6), injected=f"It {RUN} segments tear."),
        agent(6, "", shell("cat notes.txt", output=TEXT)),
        agent(6, f"The notes say that it {RUN} it tears.", shell("cat notes.txt", output=TEXT)),
        agent(6, "", shell(f"recortex remember '{TEXT}'", injected=True)),
        agent(6, "The writer must flush before the segment is rotated."),
        agent(6, "I looked at rotate_segment."),
        agent(6, "", edit("src/other/writer.py")),
        agent(6, "", edit("xsrc/ledger/writer.py")),
        agent(6, "", shell("shop-cli verify")),
        agent(6, "", shell("echo shop-cli")),
    ],
    ids=[
        "before", "at the same time", "no time", "sub-agent", "the person", "summary", "injected", "printed",
        "quoting what was printed", "our own tool", "other words", "one name", "another file",
        "another folder", "less of the command", "another command",
    ],
)  # fmt: skip
def test_no_use(turn):
    assert found(turn) == []


def test_a_file_warning_is_not_used_by_touching_the_file():
    given = receipt(channel="file", subject="src/ledger/writer.py")
    known = memory(files=("src/ledger/writer.py", "src/ledger/rotation.py"))
    assert found(agent(6, "", edit("src/ledger/writer.py")), given=given, known=known) == []
    assert found(agent(6, "", edit("src/ledger/rotation.py", writes=False)), given=given, known=known) == []
    assert found(agent(6, "", edit("src/ledger/rotation.py")), given=given, known=known) == [("file", at(6))]
    heeded = edit("src/ledger/writer.py", "ledger_writer.flush()\nrotate_segment()  # ledger_writer")
    assert found(agent(6, "", heeded), given=given, known=known) == [("quoted", at(6))]


@pytest.mark.parametrize("commands", [None, "make verify-all", [1, None, {}], {"a": 1}])
def test_odd_metadata_does_no_harm(commands):
    assert found(agent(6, "", shell("make x")), known=memory(metadata={"commands": commands})) == []


def test_what_a_session_was_worth():
    receipts = [
        receipt(1, "surface", tokens=30), receipt(2, tokens=20, used_as="quoted"),
        replace(receipt(3, "file", subject="a.py", tokens=10), memory="other"),
    ]  # fmt: skip
    signals = [
        Signal(session="s", at=at(minute), name=name, subject=subject)
        for minute, name, subject in (
            (1, "read", "a.py"), (3, "read", "a.py"), (4, "written", "a.py"), (5, "written", "a.py"),
            (6, "failed", "a.py"), (7, "read", "b.py"),
        )
    ]  # fmt: skip
    worth = efficiency(receipts, signals)
    assert (worth.memories, worth.used, worth.tokens_given, worth.tokens_used) == (2, 1, 60, 20)
    assert worth.ratio == 0.3333
    assert worth.tokens_saved == 20
    assert counts(signals) == {"failed": 1, "read": 3, "written": 2}
    assert efficiency([], []).ratio == 0
