"""Every form of SQLite's that is rewritten for PostgreSQL, with what becomes of it.

Other forms are refused.
"""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recortex
from recortex.storage.database import SQL_FOLDERS, folded, link_tables, queries
from recortex.storage.dialect import FORMS, in_any_case, postgres

NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
PACKAGE = Path(recortex.__file__).parent
FILES = [path for folder in SQL_FOLDERS for path in folder.rglob("*.sql")]
REWRITTEN = {
    "INSERT INTO t (/*own column*/ a) SELECT b": "INSERT INTO t (workspace, a) SELECT b",
    "INSERT INTO t VALUES (/*own value*/ ?)": "INSERT INTO t VALUES ($1, $2)",
    "SELECT a FROM t /*only own*/": "SELECT a FROM t WHERE workspace = $1",
    "SELECT a FROM t m /*only own m*/": "SELECT a FROM t m WHERE m.workspace = $1",
    "DELETE FROM t WHERE /*own*/ a = ?": "DELETE FROM t WHERE workspace = $1 AND a = $2",
    "DELETE FROM t m WHERE /*own m*/ m.a = ?": "DELETE FROM t m WHERE m.workspace = $1 AND m.a = $2",
    "memory_key IN (SELECT value FROM json_each(?))": (
        "memory_key = ANY(ARRAY(SELECT json_array_elements_text($1::json))::bigint[])"
    ),
    "m.id IN (SELECT value FROM json_each(?2))": (
        "m.id = ANY(ARRAY(SELECT json_array_elements_text($2::json))::text[])"
    ),
    "SELECT a FROM t WHERE instr(folded(coalesce(t.a, '')), folded(?2)) > 0": (
        "SELECT a FROM t WHERE coalesce(t.a, '') ~ ALL($2::text[])"
    ),
    "SELECT a FROM t WHERE instr(a, ?) > 0": "SELECT a FROM t WHERE strpos(a, $1) > 0",
    "EXISTS (SELECT 1 FROM json_each(m.tags) tag WHERE tag.value = ?)": (
        "EXISTS (SELECT 1 FROM json_array_elements_text(m.tags::json) AS tag (value) WHERE tag.value = $1)"
    ),
}
PLACEHOLDERS = {
    "a = ? AND b = ?": ("a = $1 AND b = $2", ()),
    "a = ?2 AND b = ?1 AND c = ?": ("a = $2 AND b = $1 AND c = $3", ()),
    "a = :one AND b = :two AND c = :one": ("a = $1 AND b = $2 AND c = $1", ("one", "two")),
    "a = :one AND workspace = :workspace": ("a = $2 AND workspace = $1", ("one",)),
    "a = '?' AND b = ':one' AND c = 'it''s ?' AND d::text = ?": (
        "a = '?' AND b = ':one' AND c = 'it''s ?' AND d::text = $1",
        (),
    ),
}
UNKNOWN = (
    "SELECT a FROM t CROSS JOIN u ON u.a = t.a", "SELECT value FROM json_each(?)",
    "INSERT OR REPLACE INTO t VALUES (?)", "SELECT rowid FROM t", "SELECT ifnull(a, ?) FROM t",
    "SELECT a FROM t WHERE /*own two words*/ a = 1", "SELECT a FROM f WHERE f MATCH ?",
)  # fmt: skip


@pytest.mark.parametrize("sql", REWRITTEN)
def test_a_known_form_is_rewritten(sql):
    assert postgres(sql).text == REWRITTEN[sql]


def test_there_is_an_example_of_every_form():
    assert len(FORMS) == len(REWRITTEN)
    for form in FORMS:
        assert any(form.pattern.search(sql) for sql in REWRITTEN), form.pattern.pattern


@pytest.mark.parametrize("sql", PLACEHOLDERS)
def test_placeholders_are_numbered_and_text_in_quotes_is_left_alone(sql):
    statement = postgres(sql)
    assert (statement.text, statement.names) == PLACEHOLDERS[sql]


@pytest.mark.parametrize("sql", UNKNOWN)
def test_an_unknown_form_is_refused(sql):
    with pytest.raises(ValueError, match="storage/sql/postgres"):
        postgres(sql)


def test_what_stands_in_quotes_is_no_form():
    assert postgres("SELECT 'MATCH', 'CROSS JOIN u'").text == "SELECT 'MATCH', 'CROSS JOIN u'"


def test_every_named_query_has_known_forms_alone():
    topics = {path.stem for path in FILES}
    statements = [text for topic in topics for text in queries(topic, "postgres").values()]
    assert len(statements) > 100
    # What a declaration fills in, such as a table's name, stands in braces.
    assert all(postgres(re.sub(r"\{\w+\}", "x", text)).text for text in statements)


def test_every_named_query_is_used():
    sources = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    used = {name for text in sources for name in re.findall(r"[\"'](\w+)(?=[\"'])", text)}
    of_links = {name for link in link_tables() for name in (f"insert_{link}", f"{link}_of")}
    names = {name for path in FILES for name in NAME.findall(path.read_text(encoding="utf-8"))}
    assert names - of_links - used == set()


def test_postgres_own_text_of_a_query_wins_over_the_shared_one():
    assert "CROSS JOIN" in queries("vectors", "sqlite")["outdated"]
    assert "CROSS JOIN" not in queries("vectors", "postgres")["outdated"]


LETTERS = "sSßẞſfFﬀﬁﬃiIİıΣσςéÉaA[]^-\\.*( \n"  # noqa: RUF001  those that fold to something unlike them


@given(st.text(LETTERS, max_size=12), st.text(LETTERS, min_size=1, max_size=6))
def test_an_expression_finds_what_folding_finds(text, sought):
    found = all(re.search(one, text, re.DOTALL) for one in in_any_case(sought))
    assert found == (folded(sought) in folded(text))


def test_a_long_run_of_one_letter_can_be_sought():
    assert all(re.search(one, "S" * 200) for one in in_any_case("s" * 200))
