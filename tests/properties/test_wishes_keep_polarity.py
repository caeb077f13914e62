"""A wish that is looked for in other sessions never says the opposite of what was typed."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from recortex.engines.repetition import wishes

OPENINGS = (
    "",
    "no, ",
    "no ",
    "ok ",
    "please ",
    "hmm no ",
    "well, ",
    "again: ",
    "can you ",
    "nope ",
    "ok no ",
    "i want you ",
)
DENIED = (
    "no mock in integration tests", "no test for this", "no comment in the code", "not to use var here",
    "not use the old parser", "never push to main", "dont touch the lock file", "don't use axios here",
    "do not squash commits", "no record of the tokens", "no use of eval", "without mocks write tests",
)  # fmt: skip
LIMITS = (
    "",
    " unless i say so",
    " except in the docs",
    ", only in the cli",
    " if the schema changes",
    " when ci fails",
)
ENDINGS = ("", "!", "!!!", ".", ", thanks", " please", " here", " for now")
ALLOWED = ("use mocks", "add tests", "write docs", "use the vendor api", "run the e2e suite")
NEGATION = re.compile(
    r"(?i)\b(?:no|not|never|cannot|without|\w+n['’]t|dont|stop|avoid|instead of|unless|only)\b"
)
LIMITING = re.compile(r"(?i)unless|except|only|if the|when")


@given(*map(st.sampled_from, (OPENINGS, DENIED, LIMITS, ENDINGS)))
@example("", "no mock in integration tests", "", " please")
@example("can you ", "not use the old parser", "", "")
@example("i want you ", "not to use var here", "", "")
def test_a_wish_keeps_what_was_denied(opening, denied, limit, ending):
    for wish in wishes(f"{opening}{denied}{limit}{ending}"):
        assert NEGATION.search(wish.text), wish.text


@given(*map(st.sampled_from, (OPENINGS, ALLOWED, LIMITS, ENDINGS)))
def test_a_wish_keeps_its_limit(opening, allowed, limit, ending):
    limiting = LIMITING.search(limit)
    for wish in wishes(f"{opening}{allowed}{limit}{ending}"):
        assert not limiting or limiting[0].lower() in wish.text.lower(), wish.text
