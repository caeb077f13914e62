import pytest
from claude_lines import agent, result, text, use, user, write

from generated import accounted
from recortex.errors import FormatError
from recortex.formats.transcripts import open_transcript


def read(path, cursor=0, *, final=False):
    reader = open_transcript(path, cursor=cursor, final=final)
    turns = list(reader)
    assert accounted(reader.counts)
    return reader, turns


def test_a_second_reading_yields_nothing_new(tmp_path):
    path = write(tmp_path / "s1.jsonl", user("u1", "a"), agent("a1", "m1", text("b")))
    reader, turns = read(path, final=True)
    assert len(turns) == 2
    assert reader.cursor == path.stat().st_size
    assert read(path, reader.cursor, final=True)[1] == []


def test_the_cursor_stays_before_a_call_without_its_result(tmp_path):
    path = write(tmp_path / "s1.jsonl", user("u1", "a"), agent("a1", "m1", use("t1", "Bash", command="make")))
    reader, turns = read(path)
    assert [turn.text for turn in turns] == ["a"]
    assert reader.cursor == len(user("u1", "a")) + 1
    with path.open("a") as file:
        file.write(result("r1", "t1", "ok") + "\n" + agent("a2", "m2", text("built")) + "\n")
    later, more = read(path, reader.cursor)
    assert [call.ok for turn in more for call in turn.tools] == [True]
    final, last = read(path, later.cursor, final=True)
    assert [turn.text for turn in last] == ["built"]
    assert final.cursor == path.stat().st_size


def test_a_new_prompt_ends_the_wait_for_a_result(tmp_path):
    path = write(
        tmp_path / "s1.jsonl", agent("a1", "m1", use("t1", "Bash", command="make")), user("u1", "again")
    )
    reader, turns = read(path)
    assert [(turn.role, [call.ok for call in turn.tools]) for turn in turns] == [
        ("assistant", [None]),
        ("user", []),
    ]
    assert reader.cursor == path.stat().st_size


def test_a_torn_last_line_is_read_when_it_is_whole(tmp_path):
    whole = user("u2", "second")
    path = write(tmp_path / "s1.jsonl", user("u1", "first"), whole[:40], end="")
    for final in (False, True):
        reader, turns = read(path, final=final)
        assert [turn.text for turn in turns] == ["first"]
        assert (reader.counts.torn, reader.cursor) == (1, len(user("u1", "first")) + 1)
    with path.open("a") as file:
        file.write(whole[40:] + "\n")
    assert [turn.text for turn in read(path, reader.cursor)[1]] == ["second"]


def test_a_last_line_without_its_break_counts_once_the_session_has_ended(tmp_path):
    path = write(tmp_path / "s1.jsonl", user("u1", "only"), end="")
    assert read(path)[1] == []
    reader, turns = read(path, final=True)
    assert [turn.text for turn in turns] == ["only"]
    assert reader.cursor == path.stat().st_size


def test_a_file_that_was_replaced_by_a_shorter_one_is_read_again(tmp_path):
    path = write(tmp_path / "s1.jsonl", user("u1", "new"))
    reader, turns = read(path, 10_000, final=True)
    assert reader.restarted
    assert [turn.text for turn in turns] == ["new"]


def test_the_cursor_never_runs_ahead_of_the_turns_taken(tmp_path):
    path = write(tmp_path / "s1.jsonl", *(user(f"u{n}", f"turn {n}") for n in range(5)))
    reader = open_transcript(path)
    for taken, turn in enumerate(reader):
        rest = open_transcript(path, cursor=reader.cursor)
        assert turn.uuid == f"u{taken}"
        assert {f"u{n}" for n in range(taken + 1, 5)} <= {one.uuid for one in rest}


def test_iterating_again_reads_again(tmp_path):
    reader = open_transcript(write(tmp_path / "s1.jsonl", user("u1", "a")), first_index=7)
    assert list(reader) == list(reader)
    assert [turn.index for turn in reader] == [7]


@pytest.mark.parametrize(
    "content", ["", "{}", "just a note", "\0" * 10, "import os\n", '{"a": 1}\n{"b": 2}\n']
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "some.jsonl"
    path.write_text(content)
    with pytest.raises(FormatError):
        open_transcript(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FormatError, match="absent"):
        open_transcript(tmp_path / "absent.jsonl")
    with pytest.raises(FormatError):
        open_transcript(tmp_path)


def test_an_endless_last_line_waits_or_is_skipped(tmp_path):
    path = write(tmp_path / "s1.jsonl", user("u1", "first"), user("u2", "x" * (17 * 1024 * 1024)), end="")
    growing, turns = read(path)
    assert (growing.counts.torn, growing.cursor, len(turns)) == (1, len(user("u1", "first")) + 1, 1)
    ended, _ = read(path, final=True)
    assert (ended.counts.skipped, ended.cursor) == ({"oversized": 1}, path.stat().st_size)
