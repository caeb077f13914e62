"""An interruption is known to whoever reads a session, in however many passes."""

import pytest
from claude_lines import agent, result, text, use, user, write

from recortex.engines.exchanges.building import SessionBuilder
from recortex.formats.transcripts import open_transcript

STOPPED = user("i1", [text("[Request interrupted by user]")])
LINES = (
    user("u1", "Add a cache to the importer, please."),
    agent("a1", "m1", text("I add Redis."), use("t1", "Bash", command="make")),
    result("r1", "t1", "built"),
    agent("a2", "m2", text("Now the server.")),
    STOPPED,
    user("u2", "No server, please: keep it in memory."),
    agent("a3", "m3", text("In memory then.")),
)


def exchanges(passes):
    """The exchanges of what several readers give, each from where the last one ended."""
    stored, current, work = {}, None, None
    for reader in passes:
        builder = SessionBuilder(reader.info, str, current, work)
        for turn in reader:
            builder.take(turn)
        if reader.interrupted:
            builder.ends("interrupted")
        stored |= builder.changed
        current, work = builder.current, builder.work
    return [(one.message, one.conclusion, one.ending) for one in stored.values()]


def passes(path, lines, cut, *, final):
    write(path, *lines[:cut])
    first = open_transcript(path, final=final)
    turns = 0
    yield first
    turns, cursor = first.counts.turns, first.cursor
    write(path, *lines)
    yield open_transcript(path, cursor=cursor, first_index=turns)


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("cut", range(1, len(LINES) + 1))
def test_passes_know_of_an_interruption(tmp_path, cut, final):
    whole = write(tmp_path / "whole.jsonl", *LINES)
    found = exchanges(passes(tmp_path / "s1.jsonl", LINES, cut, final=final))
    assert found == exchanges([open_transcript(whole)])
    assert [ending for _, _, ending in found] == ["interrupted", ""]


def test_a_turn_that_was_read_but_not_taken_is_before_nobody(tmp_path):
    reader = open_transcript(write(tmp_path / "s1.jsonl", *LINES))
    for turn in reader:
        if turn.interrupts:
            break
    assert reader.interrupted
