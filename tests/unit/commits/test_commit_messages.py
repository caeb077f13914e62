"""What messages of commits tell; each was written for this test."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.code import Commit
from recortex.engines.commits import Told, draft_of, read_commit, read_message

AT = datetime(2024, 4, 2, 10, tzinfo=UTC)
SHA = "4f2c9ab1d0e3"


def commit(message, *, files=("src/a.py",), author="Ada", email="ada@example.org", parents=("p",)):
    return Commit(
        hash="c" * 40, parents=parents, at=AT, author=author, email=email, message=message, files=files
    )


def told(message, **more):
    one = commit(message, **more)
    return read_commit(one, read_message(one))


@pytest.mark.parametrize(
    ("message", "form", "old", "new"),
    [
        ("Switch from yarn to pnpm\n\nBecause installs took minutes.", "decision", "yarn", "pnpm"),
        (
            "build: replace webpack with vite (#12)\n\nSo that a start takes a second.",
            "decision",
            "webpack",
            "vite",
        ),
        (
            "Use argon2 instead of bcrypt\n\nbcrypt cuts passwords because of its block.",
            "decision",
            "bcrypt",
            "argon2",
        ),
        ("Drop support for Python 3.8", "decision", "Python 3.8", ""),
        ("Raise minimum Rust version to 1.70", "decision", "", "1.70"),
        ("Deprecate the old importer in favor of the new one", "decision", "the old importer", "the new one"),
    ],
)
def test_decisions(message, form, old, new):
    found = told(message)
    assert isinstance(found, Told)
    assert (found.form, found.old, found.new, found.sure) == (form, old, new, True)


def test_a_fault_that_was_mended_with_its_cause():
    found = told(
        "Fix lost rows after a restart\n\nRows were written twice. This was introduced in "
        f"{SHA}, because the checkpoint moved before the commit did.\n\nFixes: {SHA}\n"
    )
    assert isinstance(found, Told)
    assert found.form == "fix"
    assert "checkpoint moved" in found.cause
    assert {one for one, _ in found.others} == {SHA}


def test_a_revert_names_what_it_undid_and_why():
    found = told(
        f'Revert "Cache tokens"\n\nThis reverts commit {SHA}.\n\n'
        "It broke logins because tokens outlived them."
    )
    assert isinstance(found, Told)
    assert (found.form, found.undone, found.others[0][0]) == ("revert", "Cache tokens", SHA)
    assert "outlived" in found.cause
    assert told('Revert "Cache tokens"') == "a revert without a reason"


def test_the_reason_of_a_change():
    found = told(
        "Clamp the timeout\n\nThe timeout is clamped to an int, because a larger one is negative and blocks."
    )
    assert isinstance(found, Told)
    assert (found.form, found.sure) == ("rationale", True)
    unsure = told(
        "Clamp the timeout\n\nFor now it is clamped, because a larger one probably turns negative there."
    )
    assert isinstance(unsure, Told)
    assert not unsure.sure


def test_a_merged_pull_request_speaks_by_its_title_and_text():
    one = commit(
        "Merge pull request #31 from ada/pool\n\nUse a pool instead of threads\n\n"
        "Threads ran out because each held a socket.",
        parents=("p", "q"),
    )
    message = read_message(one)
    assert (message.subject, message.pull, message.merge) == ("Use a pool instead of threads", 31, False)
    assert isinstance(read_commit(one, message), Told)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Bump serde from 1.0.1 to 1.0.2", "version"),
        ("chore(release): 2.4.0", "version"),
        ("v3.1.0", "version"),
        ("Update changelog", "version"),
        ("Fix typo in the parser", "formatting"),
        ("style: run the formatter everywhere", "formatting"),
        ("Merge branch 'main' into topic", "merge"),
        ("fixup! Keep rows", "unfinished"),
        ("Add a button to the page", "no reason"),
        ("this one too, because otherwise it would not work at all", "stand alone"),
        ("Replace foo() with bar()", "no reason"),
        ("Move the parser up\n\nBecause the next one is beside it and both are read together.", "no reason"),
    ],
)
def test_most_say_nothing(message, reason):
    parents = ("p", "q") if message.startswith("Merge") else ("p",)
    found = told(message, parents=parents)
    assert isinstance(found, str)
    assert reason in found


def test_programs_and_tests_are_left_out():
    body = "Fix the pipeline\n\nIt failed because the runner was replaced by another one last week."
    assert told(body, author="renovate[bot]") == "made by a program"
    assert told(body, files=("tests/test_a.py", ".github/workflows/ci.yml")) == "it gives no reason"


def test_what_was_pasted_is_no_reason():
    quoted = (
        "Fix the reader\n\n> it failed because of the moon\n\n    raise Because('of')\n\n```\nbecause\n```\n"
    )
    assert told(quoted) == "it gives no reason"
    squashed = "Rank names by length (#4)\n\n* use x\n* fix it because the linter is right about the name\n"
    assert told(squashed) == "it gives no reason"


@pytest.mark.parametrize(
    "message",
    [
        (
            "Add exports of orders\n\n- add a button so that people can export\n- add a route "
            "because the page "
            "needs one\n- write the file in order to send it"
        ),
        (
            "Add exports of orders\n\nAdds a button to the page so that people can export their orders "
            "as a file."
        ),
        "Merge branch 'main' into exports\n\nThe button stays, because otherwise nobody would find the page.",
        "Show totals in the list\n\n# Conflicts:\n#\tsrc/because.py\n#\tsrc/otherwise/would/fail.py",
        "Keep totals in the list (#7)\n\nConflicts:\n  src/instead/of/this.py\n  src/since/it.py",
        (
            "Show totals in the list\n\nI did not add a test because this PR is only a draft of what we "
            "discussed."
        ),
    ],
)
def test_changelogs_and_the_texts_of_merges_are_no_reasons(message):
    assert isinstance(told(message), str)


@pytest.mark.parametrize(
    "message",
    [
        (
            "Add exports of orders\n\nThe file is written in parts instead of at once, because "
            "large shops have "
            "millions of rows."
        ),
        "Keep totals as integers\n\nBecause sums of floats drift by a cent after some thousand rows.",
        (
            "Read rows lazily\n\n- read one page\n- close the file\n\nThe whole table is "
            "deliberately never held "
            "in memory: a worker has 200 MB."
        ),
    ],
)
def test_the_reason_for_a_way_of_doing_things_is_one(message):
    found = told(message)
    assert isinstance(found, Told)
    assert found.form == "rationale"
    assert "close the file" not in found.prose


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_message_tells_something_or_says_why_not(subject, body):
    for message in (
        f"{subject}\n\n{body}",
        f"Fix x: {subject}\n\nbecause {body}",
        f"Revert {subject}\n{body}",
    ):
        one = commit(message)
        read = read_message(one)
        found = read_commit(one, read)
        assert found
        if isinstance(found, Told):
            assert draft_of(one, read, found, ()).content
