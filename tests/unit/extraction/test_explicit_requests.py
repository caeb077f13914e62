"""What a person explicitly wants to be remembered, in six languages (`explicit_requests.txt`)."""

import re
from pathlib import Path

import pytest

from recortex.domain.exchange import SessionInfo, Turn
from recortex.engines.extraction.extractor import extract

TABLE = Path(__file__).with_name("explicit_requests.txt").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^\[(\w+ \w+)\]\n((?:[+-] .+\n)+)", TABLE, re.MULTILINE)
ROWS = [(name, line) for name, lines in SECTIONS for line in lines.splitlines()]
WANTED = [line[2:].split(" => ") for _, line in ROWS if line[0] == "+"]
OTHERS = [line[2:] for _, line in ROWS if line[0] == "-"]


def learned(text):
    turn = Turn(index=0, role="user", text=text, uuid="t")
    return list(extract([turn], SessionInfo(session_id="s", client="claude-code", path="/s")))


def test_the_table_is_whole():
    assert len(SECTIONS) == 12
    assert len(WANTED) + len(OTHERS) == len(re.findall(r"^[+-] ", TABLE, re.MULTILINE)) > 200


@pytest.mark.parametrize(("said", "kept"), WANTED)
def test_it_is_active_and_reads_as_a_sentence(said, kept):
    (found,) = learned(said)
    assert (found.text, found.active, found.speaker) == (kept, True, "user")
    assert found.rule == "person_note"


@pytest.mark.parametrize("said", OTHERS)
def test_questions_and_what_was_remembered_are_none(said):
    assert not [one for one in learned(said) if one.rule == "person_note"]
