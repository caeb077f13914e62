"""Changes of names: what tells one, and what names the old one alone."""

import pytest

from recortex.engines.supersession.reading import Renaming, names_old_alone, renamings


@pytest.mark.parametrize(
    "text",
    [
        "Rename `notes/v1` to `notes/v2` everywhere.", "The metadata branch notes/v1 is now notes/v2.",
        "notes/v1 was replaced by notes/v2", "drafts live on `notes/v2` instead of `notes/v1`",
        "- `notes/v1` \u2192 `notes/v2` (renamed)", "The branch is `notes/v2` (formerly `notes/v1`)",
        'The default changed from "notes/v1" to "notes/v2"',
        "We migrated the drafts branch from notes/v1 to notes/v2",
    ],
)  # fmt: skip
def test_a_change_of_a_name_is_told_in_many_ways(text):
    assert set(renamings(text)) == {Renaming("notes/v1", "notes/v2")}


@pytest.mark.parametrize(
    "text",
    [
        "Do not rename `notes/v1` to `notes/v2`", "Should I rename `notes/v1` to `notes/v2`?",
        "You could rename `notes/v1` to `notes/v2`", "Replaced `strings.Split()` with `strings.Cut()`",
        "The timeout was changed from 3.5 to 4.5", "`notes/v1` and `notes/v2` changed",
        "Do not rename GrainStore to GrainLedger", "rename it to something better",
    ],
)  # fmt: skip
def test_what_is_not_done_and_what_is_replaced_in_code_changes_no_name(text):
    assert list(renamings(text)) == []


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Drafts are on notes/v1.", True),
        ("Drafts moved from notes/v1 to notes/v2", False),
        ("Drafts are on notes/v10", False),
        ("Drafts are on old-notes/v1", False),
    ],
)
def test_the_old_name_counts_as_a_whole_and_alone(text, alone):
    assert names_old_alone(text, Renaming("notes/v1", "notes/v2")) is alone


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("Please rename GrainStore to GrainLedger, the reader needs it.", "GrainStore", "GrainLedger"),
        ("we renamed the class GrainStore to GrainLedger", "GrainStore", "GrainLedger"),
        ("renaming storeGrain() to keepGrain", "storeGrain", "keepGrain"),
        ("grain-store was renamed to grain-ledger", "grain-store", "grain-ledger"),
        ("rename grain_store to grain-store", "grain_store", "grain-store"),
    ],
)
def test_names_of_code_need_no_marks(text, old, new):
    assert set(renamings(text)) == {Renaming(old, new)}


def test_a_plain_word_counts_only_where_it_is_marked():
    renaming = Renaming("master", "main")
    assert list(renamings("rename the branch master to main")) == [renaming]
    assert names_old_alone("Push to `master`", renaming)
    assert not names_old_alone("The master of ceremonies", renaming)


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        ("Results go through cli.resultCallback() alone", "resultCallback", True),
        ("GrainStore.openAll is called once", "GrainStore", True),
        ("sort --grain-size comes first", "grain-size", True),
        ("`Scale.tare` is set first", "tare", True),
        ("sort --no-grain-size comes first", "grain-size", False),
        ("see grain_store.py", "grain_store", False),
    ],
)
def test_a_name_of_code_is_named_as_a_member_an_owner_or_an_option(text, name, named):
    assert names_old_alone(text, Renaming(name, "something")) is named
