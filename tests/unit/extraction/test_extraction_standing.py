import pytest

from recortex.engines.extraction.sentences import identifiers, is_specific, objection

STANDS = [
    "`parse_config` cannot read YAML anchors because the loader is the safe one.",
    "The `ORDERS` table is partitioned by month, so every query needs a date filter.",
    "SQLite doesn't support `ALTER COLUMN`, and the migration rebuilds the table instead.",
]
FALLS = [
    ("Should we keep `parse_config` in the loader module?", "question"),
    ("All 12 tests pass and `ruff check` is clean as well.", "chatter"),
    ("`parse_config` has been successfully updated to read anchors.", "chatter"),
    ("It reads the anchors from `config.yaml` at the start.", "dangling"),
    ("This function reads the anchors from `config.yaml`.", "dangling"),
    ("The file is read by `parse_config` at the start.", "dangling"),
    ("`parse_config` does the same thing as the one above.", "dangling"),
    ("The anchors are read by `parse_config`, which needs:", "half"),
    ("The anchors (read by `parse_config` are not safe to use.", "half"),
    ("`parse_config` fails at line 12 of the loader module.", "passing"),
    ("Fix: read the anchors with `parse_config` at the start.", "label"),
    ("Too short.", "length"),
    ("x " * 300, "length"),
]


@pytest.mark.parametrize("text", STANDS)
def test_a_sentence_that_names_its_subject_stands(text):
    assert objection(text) == ""
    assert is_specific(text)


@pytest.mark.parametrize(("text", "why"), FALLS)
def test_what_cannot_be_a_memory_is_named(text, why):
    assert objection(text) == why


def test_the_person_may_order_and_say_we():
    assert objection("Never commit generated files to git.") == ""
    assert objection("We should keep you posted about `deploy.sh` runs.") == ""


def test_plural_pronouns_need_a_plural_before_them():
    assert objection("`mix install` can add them to the project file.") == "dangling"
    assert objection("The workers of `Pool` stop when they lose the lease.") == ""


def test_identifiers_are_names_of_code_files_and_flags():
    assert identifiers("Use `a b`, snake_case, CamelCase, src/app.py and --flag here") == [
        "a b", "snake_case", "CamelCase", "src/app.py", "--flag",
    ]  # fmt: skip
    assert not is_specific("The weather is nice today and so am I.")


@pytest.mark.parametrize(
    "text",
    [
        "The repair of the loader changed `run()` to.",
        "The loader in `a.py` calls `b()` which returns the.",
        "Postgres keeps `seq` in memory and.",
    ],
)
def test_what_ends_before_its_object_is_half(text):
    assert objection(text) == "half"
