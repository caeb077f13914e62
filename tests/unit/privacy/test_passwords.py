"""A password without a digit is known by where it stands, whatever word it is; what only looks so stays."""

import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from generated import drawn
from privacy_rules import examples
from recortex.engines.privacy import redact, redact_json
from recortex.engines.privacy.credentials import is_plain_word
from recortex.engines.privacy.table import is_placeholder

GIVEN = re.compile("dorfengul|hixjamkep|hixjam|gulhix|dorfen")
SHAPES = [text for _, text in examples("positives") if GIVEN.search(text)]
CHOSEN = st.one_of(
    st.from_regex(r"[a-z]{3}[aeiou][bdfgkmpvz][aeiou][bdfgkmpvz]{1,3}", fullmatch=True),
    st.from_regex(r"[A-Z][a-z]{4,8}[!]", fullmatch=True),
    st.from_regex(r"[a-z]{4,7}-[a-z]{4,7}-[a-z]{4,7}", fullmatch=True),
)


VARIABLE = re.compile(r"(?i)(?:pass|passw(?:or)?d|pwd|secret|token|credential)!?$")


@pytest.mark.parametrize("shape", SHAPES)
@given(CHOSEN)
@example("aaaa-aaaa-apwd")
@settings(max_examples=drawn(15), deadline=None)
def test_any_word_in_the_place_of_a_password_goes(shape, word):
    assume(not is_plain_word(word) and not is_placeholder(f"{word}abcd") and len(set(word)) > 4)
    text = GIVEN.sub(lambda _: word, shape)
    # A whole value that ends as names of variables do is taken for one, as in `password=db_pwd`.
    assume(not (VARIABLE.search(word) and re.search(rf"{re.escape(word)}(?!\w)", text)))
    clean = redact(text).text
    assert word not in clean
    assert redact(clean).text == clean


def test_three_letters_that_may_name_a_password_keep_no_longer_word():
    assert "apwd7dorf" not in redact("name;password\napp;gulhix-dorfen-apwd7dorf\n").text
    label = "name;password\napp;userpwd\n"
    assert redact(label).text == label


@pytest.mark.parametrize(
    "text",
    [
        "the admin password is empty by default", "Das Passwort wird gehasht gespeichert.",
        "la contraseña es incorrecta", "a senha é obrigatória", "log in as admin with your company account",
        "psql asks for a password twice", "def login(user: str, password: str) -> None:",
        "this.password = user.field", "password VARCHAR(255) NOT NULL",
        "docker compose -p shop up && docker run -p 8080:80 shop", "cargo test -p parser",
        "--password-file /run/secrets/db", "echo done | tee log.txt",
        "at 10:30:15 the job failed in a.go:12:3",
    ],
)  # fmt: skip
def test_what_speaks_of_passwords_stays(text):
    assert redact(text).text == text


def test_the_key_of_json_is_a_place_too():
    clean, found = redact_json({"db": {"password": "dorfengul", "user": "app", "password_hint": "colour"}})
    assert clean == {"db": {"password": "[PASSWORD_VALUE]", "user": "app", "password_hint": "colour"}}
    assert len(found) == 1
