"""What was forbidden is never kept as what is wanted: negations, exceptions and conditions stay."""

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.engines.extraction.extractor import extract
from recortex.engines.extraction.principles import taught
from recortex.errors import InvalidInputError

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")
OPENINGS = (
    "", "no, ", "ok ", "hey, ", "oh btw ", "sorry, ", "please ", "hmm ", "no no, ", "well, ", "again: ",
    "btw, from now on ", "remember: ", "in this repo ", "i think ", "no - ", "also, ", "omg ", "wait, ",
)  # fmt: skip
DENIED = (
    "no mocks in integration tests", "no select star in queries", "no classes", "never push to main",
    "dont touch the lock file", "don't use axios here", "we do not squash commits", "no emojis in messages",
    "nothing goes to prod by hand", "the worker must not read the database", "we never use float for money",
    "nobody edits the generated code", "no new packages without asking", "docs cannot name customers",
    "stop renaming variables, its not your job", "you should not cache the results",
    "i wish you didn't rename fixtures",
)  # fmt: skip
LIMITS = (
    "", " unless i say so", " except in the docs", ". Unless i ask.", ". Except in scripts.",
    ", only in the cli", " if the schema changes", " until the release", ", only functions", " when ci fails",
    ", but only in tests",
)  # fmt: skip
ENDINGS = ("", "!", "!!!", ".", " ok?", ", thanks", " please", "! our users are lawyers", ". can you fix it?")
ALLOWED = ("use mocks", "deploy on monday", "write to the cache", "call the vendor api", "run the e2e suite")
NEGATION = re.compile(
    r"(?i)\b(?:no|not|never|nothing|nobody|cannot|without|\w+n['’]t|dont|stop|avoid|instead of|unless|only)\b"
)
WORK = ToolCall(id="c", name="Edit", files=("src/app.py",), writes=True, ok=True)


def learned(said):
    """What a session keeps in which the agent had worked, and what `learn` keeps of the same words.

    The reason after it is a sentence of its own.
    """
    turns = [
        Turn(index=0, role="user", text="Add the export of the invoices."),
        Turn(index=1, role="assistant", text="I changed `src/app.py`. It uses mocks now.", tools=(WORK,)),
        Turn(index=2, role="user", text=said),
    ]
    yield from (one.text for one in extract(turns, INFO) if not one.text.startswith("Our users"))
    try:
        yield taught(said).principle
    except InvalidInputError:
        return


@given(*map(st.sampled_from, (OPENINGS, DENIED, LIMITS, ENDINGS)))
@example("", "no mocks in integration tests", "", "")
@example("", "no classes", ", only functions", "")
@example("oh btw ", "no emojis in messages", "", "! our users are lawyers")
@example("", "never push to main", ". Unless i say so.", "")
@example("", "dont touch the lock file", "", " ok?")
@example("", "don't use axios here", ". Except in scripts.", ". can you fix it?")
@example("", "no classes", "", "! our users are lawyers")
def test_what_is_denied_is_not_kept_as_wanted(opening, denied, limit, ending):
    said = f"{opening}{denied}{limit}{ending}"
    for text in learned(said):
        assert NEGATION.search(text), text
        limiting = re.search(r"(?i)unless|except|only|if the|until|when", limit)
        if limiting and denied.split()[-1] in text:
            assert limiting[0].lower() in text.lower(), text


@given(*map(st.sampled_from, (OPENINGS, ALLOWED, LIMITS, ENDINGS)))
def test_what_is_limited_is_not_kept_without_its_limit(opening, allowed, limit, ending):
    limiting = re.search(r"(?i)unless|except|only|if the|until|when", limit)
    assume(limiting)
    for text in learned(f"{opening}{allowed}{limit}{ending}"):
        assert limiting[0].lower() in text.lower(), text


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("no mocks in integration tests", "No mocks in integration tests."),
        ("no select star in prod queries", "No select star in prod queries."),
        ("no classes, only functions", "No classes, only functions."),
        ("no emojis in flash messages! they look cheap", "No emojis in flash messages! They look cheap."),
        ("use mocks, but not in integration tests", "Use mocks, but not in integration tests."),
        ("We use pytest. No mocks please.", "We use pytest. No mocks please."),
        ("no, use pnpm", "Use pnpm."),
        ("no we use pnpm here", "We use pnpm here."),
        ("no no no, that's wrong, we never squash", "We never squash."),
        ("use pnpm, not npm", "Use pnpm instead of npm."),
        ("why don't we use the existing helper?", "Use the existing helper."),
        ("can you not use var here", "Do not use var here."),
        ("can you please just not use var here", "Do not use var here."),
        ("can't you just not touch the lock file?", "Do not touch the lock file."),
        ("don't you push to main, ok?", "Don't you push to main."),
        ("i wish you didn't use axios", "Do not use axios."),
        ("If only you didn't rename the fixtures!", "Do not rename the fixtures."),
        ("in this repo i'd rather you don't use axios", "Do not use axios."),
        ("looks good but you didn't run the linter", "Run the linter."),
        ("sounds like you didn't run the linter", "Run the linter."),
        ("don't the tests use UTC?", "The tests use UTC."),
        ("doesn't need a lock, right?", "Doesn't need a lock."),
    ],
)
def test_a_no_that_answers_goes_and_one_that_denies_stays(said, kept):
    assert taught(said).principle == kept
