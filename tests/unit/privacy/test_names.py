"""Ids, paths and names: secrets go, what is looked up stays distinct, and innocent ones are not touched."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_rules import expand, rules
from recortex.app.projects import hidden, shown
from recortex.domain.text import suspicious
from recortex.engines.privacy import redact
from recortex.engines.privacy.redaction import without_secrets

GITHUB = expand("gh" + "p_<<A36>>")
AWS = expand("AK" + "IA<<U16>>")
OPENAI = expand("sk-" + "proj-<<A40>>")
PASSWORD = "hunter" * 2


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        (GITHUB, GITHUB),
        (f"/home/me/{GITHUB}/src/main.py", GITHUB),
        (f"feature/{AWS}", AWS),
        (f"/work/{OPENAI}.jsonl", OPENAI),
        (f"/home/me/password={PASSWORD}/notes/a.py", PASSWORD),
        (f"C:\\Users\\me\\password={PASSWORD}\\a.py", PASSWORD),
        (f"/home/me/.claude/projects/-home-me-password-{PASSWORD}/s.jsonl", PASSWORD),
        (f"/home/me/.claude/projects/-home-me-{GITHUB.replace('_', '-')}/s.jsonl", GITHUB[4:]),
        (f"https://me:{PASSWORD}@host.example.org/x", PASSWORD),
    ],
)
def test_a_secret_in_a_name_goes(name, secret):
    kept = shown(name)
    assert secret not in kept
    assert hidden(kept)
    assert shown(kept) == kept
    assert redact(kept).text == kept


def test_equal_names_stay_equal_and_different_ones_differ():
    names = [f"/home/me/password={PASSWORD}{number}/a.py" for number in range(100)]
    assert len({shown(name) for name in names}) == 100
    assert shown(names[0]) == shown(str(names[0]))
    assert shown(names[0]).endswith("/a.py")


@pytest.mark.parametrize(
    "name",
    [
        "/home/me/src/HttpRequestHandlerFactory.java", "/home/me/.gemini/tmp/" + "0a1b2c3d" * 8 + "/chats",
        "rollout-2026-03-01T12-00-00-0199c8a2-1c2b-7cc2-9f1e-1b2c3d4e5f60.jsonl",
        "/home/me/.claude/projects/-Users-jane-Code-project2/0199c8a2-1c2b-7cc2-9f1e-1b2c3d4e5f60.jsonl",
        "feature/ISSUE-1234-login-page", "src/components/Button2.tsx",
        "migrations/20260301120000_create_users.sql", "tests/test_tokens.py", "src/keys/public_key.py",
        "node_modules/@types/node/index.d.ts",
    ],
)  # fmt: skip
def test_an_innocent_name_stays(name):
    assert shown(name) == name


@given(st.uuids())
def test_ids_of_clients_are_not_even_looked_at(id_: uuid.UUID):
    assert not suspicious(str(id_))
    assert not suspicious(f"/home/me/.claude/projects/-home-me-Work-app2/{id_}.jsonl")


def test_what_a_rule_finds_as_a_name_is_looked_at():
    """The guess that spares hooks the rules lets nearly nothing pass that those would find."""
    examples = {
        text
        for rule in rules()
        if rule["category"] != "pii"
        for example in rule["positives"]
        if (text := expand(example)) and len(text) < 200 and not set(text) & set(" \n\t\"'<>|")
    }
    found = [text for text in examples if without_secrets_unguarded(text)]
    missed = [text for text in found if not suspicious(text)]
    assert len(found) > 200
    assert not missed, missed


def without_secrets_unguarded(text: str) -> bool:
    return any(one.category != "pii" for part in text.split("/") for one in redact(part).findings)


@given(st.text(max_size=80))
def test_a_name_without_secrets_is_its_own(name: str):
    kept = without_secrets(name)
    assert without_secrets(kept) == kept
