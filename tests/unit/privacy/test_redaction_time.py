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


DENSE = {
    "nothing between": ("pwd=",),
    "lines": ("pwd=\n", "password: \n"),
    "signs of many kinds": ("passwort=", "pwd: ", 'password("', "contraseña,", "token -> ", "login: "),
}


@pytest.mark.parametrize("pieces", DENSE.values(), ids=DENSE)
def test_text_of_words_for_passwords_takes_no_longer_than_other_text(pieces):
    text = "".join(pieces[place * place % len(pieces)] for place in range(200_000 // len(pieces[0])))
    begun = time.process_time()
    clean = redact(text).text
    assert time.process_time() - begun < len(text) / 1_000_000
    assert redact(clean).text == clean


def test_a_password_after_crowded_words_goes_with_them_and_what_is_around_stays():
    before = "The parser keeps a cursor for each session and reads on from there.\n" * 300
    crowd = "pwd=x1 " * 3_000
    done = redact(f"{before}{crowd}pwd=gulhix7dorf\n{before}")
    assert "gulhix7dorf" not in done.text
    assert "[PASSWORDS]" in done.text
    assert done.text.startswith(before[:-4_096])
    assert done.text.endswith(before)


@pytest.mark.parametrize(
    "line",
    ["TOKEN_PLUS = {n}\n", "def test_password_{n}(self): assert self.form.is_valid()\n", "login_{n}: auth\n"],
)
def test_code_that_names_tokens_and_passwords_is_not_crowded(line):
    assert "[PASSWORDS]" not in redact("".join(line.replace("{n}", str(n)) for n in range(3_000))).text
