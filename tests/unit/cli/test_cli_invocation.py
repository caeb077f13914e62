"""A command line split at its verb, and what is answered without any operation."""

from __future__ import annotations

import json

import pytest

from recortex.cli.invocation import UsageError, split
from recortex.cli.main import run


def test_the_verb_is_the_first_word_that_is_no_option():
    line = split(["--json", "--project", "recall", "get", "abc", "--debug"])
    assert (line.verb, line.arguments) == ("get", ("--json", "--project", "recall", "abc", "--debug"))
    assert line.json
    assert line.debug


def test_a_word_that_is_not_utf_8():
    with pytest.raises(UsageError, match="not valid UTF-8"):
        split(["remember", b"caf\xe9".decode("utf-8", "surrogateescape")])


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]])
def test_help(words, capsys):
    assert run(words) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Long-term memory")
    assert not told.err


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("recortex ")


def test_no_verb_shows_the_help_and_is_wrong_usage(capsys):
    assert run([]) == 2
    told = capsys.readouterr()
    assert "usage: recortex VERB" in told.out
    assert not told.err


def test_errors_in_json(capsysbinary):
    assert run(["--json", "--nothing"]) == 2
    told = capsysbinary.readouterr()
    answer = json.loads(told.out)
    assert answer["status"] == "error"
    assert answer["error"]["code"] == "usage"
    assert set(answer["error"]) == {"code", "message", "hint"}
    assert not told.err
