"""Careless English, typed in haste or anger, dictated or abbreviated: in plain words, and as memories."""

import pytest

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.engines.extraction.extractor import extract
from recortex.engines.extraction.person_rules import durable, plain_speech, unasked

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("omg dont touch the vault!!!", "don't touch the vault!"),
        ("NEVER PUSH TO THE FORK", "never push to the fork"),
        ("uh so never log the the tokens period", "never log the tokens."),
        ("btw, we ship w/o maps lol", "we ship without maps"),
        ("for the last time: tests live in spec, ok?", "tests live in spec"),
        ("no no, we use trunk", "we use trunk"),
        ("no mocks in spec files", "no mocks in spec files"),
        ("the comma operator is fine", "the comma operator is fine"),
        ("API and SDK", "API and SDK"),
    ],
)
def test_what_was_said_in_plain_words(said, plain):
    assert plain_speech(said) == plain


@pytest.mark.parametrize(
    ("said", "wish", "order"),
    [
        ("Could you please never sort the imports by hand?", "never sort the imports by hand", True),
        ("it would be nice if you could keep the logs short", "keep the logs short", True),
        ("I'd prefer it if you didn't rename fixtures", "don't rename fixtures", True),
        ("it'd be great if you never edited the seeds", "never edited the seeds", False),
        ("never edit the seeds", "never edit the seeds", True),
    ],
)
def test_what_a_polite_wish_wishes_for(said, wish, order):
    assert unasked(said) == (wish, order)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("omg never commit to trunk!!!", "Never commit to trunk!"),
        ("gen/ is generated, never edit it by hand", "gen/ is generated, never edit it by hand."),
        ("no singletons, only plain functions", "No singletons, only plain functions."),
        ("python 3.12+ only", "Python 3.12+ only."),
        ("we dont use cursors() anymore, from now on plain Rows everywhere", None),
        ("would you please never deploy before lunch?", "Never deploy before lunch."),
    ],
)
def test_a_durable_statement_is_active_and_whole(said, kept):
    work = ToolCall(id="c", name="Edit", files=("app.py",), writes=True, ok=True)
    turns = [Turn(0, "assistant", "The export is in place.", tools=(work,)), Turn(1, "user", said)]
    (one,) = [found for found in extract(turns, INFO) if found.active]
    assert kept is None or one.text == kept


@pytest.mark.parametrize(
    "said",
    [
        "can u check the logs of the worker?", "why is that always red", "does every test need docker",
        "we only ship on fridays, right?", "create a task to ensure that all the tests always pass",
        "you changed the file in the wrong folder, not this one", "i dont see any change",
        "lol nice, that was quick", "we never got that to work yesterday",
        "bitte prüfe die Ausgabe immer zweimal",
        "worker.ts:26 [worker] never started: Error: never started: Error: no port",
    ],
)  # fmt: skip
def test_a_question_a_task_and_small_talk_are_not_durable(said):
    assert list(durable(said)) == []
