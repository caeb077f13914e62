import pytest

from recortex.text.words import compound_parts, content_words, identifier_parts, path_words, words


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("get_user_name", ["get", "user", "name"]),
        ("HTTPServerError", ["http", "server", "error"]),
        ("sha256sum", ["sha", "256", "sum"]),
        ("plain", ["plain"]),
    ],
)
def test_identifiers_fall_into_their_parts(identifier, parts):
    assert identifier_parts(identifier) == parts


def test_only_compounds_are_split_and_as_often_as_they_occur():
    assert list(compound_parts("readFile and read, then readFile")) == ["read", "file", "read", "file"]


def test_words_lose_possessive_endings_and_case():
    assert words("Marta's Café isn't open") == ["marta", "café", "isn't", "open"]


def test_function_words_say_nothing():
    assert content_words("How do we hash the passwords?") == ["hash", "passwords"]


def test_a_path_is_found_by_its_names_and_their_parts():
    assert {"auth", "token_store", "token", "store", "py"} <= set(path_words("src/auth/token_store.py"))
