import pytest
from claude_lines import user, write

from generated import accounted
from recortex.errors import FormatError
from recortex.formats.transcripts import open_transcript


def read(path, cursor=0, *, final=False):
    reader = open_transcript(path, cursor=cursor, final=final)
    turns = list(reader)
    assert accounted(reader.counts)
    return reader, turns


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


def test_a_file_that_was_replaced_by_a_shorter_one_is_read_again(tmp_path):
    path = write(tmp_path / "s1.jsonl", user("u1", "new"))
    reader, turns = read(path, 10_000, final=True)
    assert reader.restarted
    assert [turn.text for turn in turns] == ["new"]


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
