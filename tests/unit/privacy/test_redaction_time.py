"""Half an example of a rule, again and again, keeps redaction no longer busy than other text does."""

import time

import pytest

from recortex.engines.privacy import redact

SIZE = 100_000
MOST_SECONDS = 1.2
"""Of the processor: it needs about a quarter of that, and needed two seconds when each round read it all."""

PIECES = {
    "a setting cut short": "ENV REDIS_PASSWORD do",
    "a connection cut short": "Server=db;Database=app;User Id=sa;Password=",
    "a name that assigns to itself": "passwd=",
    "a command": "sshpass -p 'gulhix7dorf' ssh",
}


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_repeated_examples_take_time_in_proportion(piece):
    text = (piece * (SIZE // len(piece) + 1))[:SIZE]
    begun = time.process_time()
    clean = redact(text).text
    assert time.process_time() - begun < MOST_SECONDS
    assert redact(clean).text == clean


def test_what_is_read_again_near_a_replacement_is_found_as_in_the_whole():
    filler = "The parser keeps a cursor for each session and reads on from there.\n" * 60
    chain = "sshpass -p 'usnUPnlatu' ssh" * 30
    clean = redact(f"{filler}{chain}\n{filler}").text
    assert clean.count("[") > 5
    assert redact(clean).text == clean
    assert clean.startswith(filler)
    assert clean.endswith(filler)


def test_a_password_is_found_wherever_its_line_stands():
    line = "the password of the old box is gulhix7dorf\n"
    clean = redact(line * 3_000).text
    assert "gulhix7dorf" not in clean
