"""Whatever words are given: an exit code of the contract, one JSON object, and never an internal error."""

from __future__ import annotations

import io
import json
import os
import sys

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from generated import drawn
from recortex.cli.main import run
from recortex.cortex import Cortex
from recortex.operations.registry import operations_of

OPERATIONS = operations_of(Cortex)
CALM = settings.default.suppress_health_check
ODD = (
    "", " ", "-", "--", "-1", "0", "99999999999999999999999", "nan", "inf", "-inf", "1e999", "0b5d3b1e", "%",
    "'", '"', "\\", "null", "[]", "{}", "[1]", '{"a": 1}', '[{"text": "a b c"}]', '{"text": null}',
    "[" * 2000, "a" * 5000, "\u0000", "\u202e", "\U0001f600", "AND OR NOT", "NEAR(", "*", "col:",
    "2026-13-45", "9999-12-31T23:59:59Z", "0001-01-01", "2026-01-01T00:00:00+23:59", "tribal",
    "tribal,decision", "active", "../../etc", "/dev/null", "@", "@.", "@/dev/null", "sqlite:///",
    "sqlite://x/y", "list", "approve",
)  # fmt: skip
# Those that read or write where a word says are given no words of chance as a path.
VERBS = sorted(set(OPERATIONS) - {"export", "backup", "import", "extract", "recover"})


def words_of(verb):
    """Words for a verb: its own options and positionals, with odd values."""
    operation = OPERATIONS[verb]
    options = [
        "--" + parameter.name.replace("_", "-")
        for parameter in operation.parameters()
        if not parameter.positional
    ]
    value = st.one_of(st.sampled_from(ODD), st.text(st.characters(exclude_categories=("Cs",)), max_size=30))
    option = st.tuples(st.sampled_from(options or ["--json"]), value)
    return st.tuples(st.just(verb), st.lists(value, max_size=2), st.lists(option, max_size=3))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("any")
    (folder / "pyproject.toml").touch()
    before, kept = os.getcwd(), dict(os.environ)  # noqa: PTH109  as the command itself sees it
    os.environ.update(RECORTEX_HOME=str(folder / "home"), RECORTEX_EMBEDDER="hashed")
    os.chdir(folder)
    run(["remember", "The nightly job takes the write lock at two, so deployments wait.", "--json"])
    yield folder
    os.chdir(before)
    os.environ.clear()
    os.environ.update(kept)


@pytest.fixture(autouse=True)
def _without_a_model(_own_home, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")


def answer_of(words, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        code = run(
            [*words, "--json", "--yes"] if OPERATIONS[words[0]].traits.destructive else [*words, "--json"]
        )
    return code, out.buffer.getvalue()


@pytest.mark.usefixtures("place")
@settings(max_examples=drawn(150), suppress_health_check=[*CALM, HealthCheck.function_scoped_fixture])
@given(st.sampled_from(VERBS).flatmap(words_of))
@example(("recall", ["\u0000"], []))
@example(("remember", ["a b c d"], [("--confidence", "nan")]))
@example(("remember", ["a b c d"], [("--priority", "99999999999999999999999")]))
@example(
    ("remember", ["a b c d"], [("--valid-from", "0001-01-01"), ("--valid-until", "9999-12-31T23:59:59Z")])
)
@example(("remember", ["a b c d"], [("--metadata", '{"a": {"b": [null, 1e300]}}')]))
@example(("link", ["0b5d3b1e", "0b5d3b1e"], [("--strength", "nan")]))
@example(("list", [], [("--offset", "99999999999999999999999")]))
@example(("restore", ["0"], [("--version", "-1")]))
def test_any_words(monkeypatch, given_words):
    verb, positionals, options = given_words
    words = [verb, *[part for pair in options for part in pair], *positionals]
    if "--" in words:  # what follows it is no option, so --json would not be one
        words = [word for word in words if word != "--"]
    code, out = answer_of(words, monkeypatch)
    assert code in {0, 1, 2}
    answer = json.loads(out)
    # Of what was named some could not be read: the rest was done, and the status of the command says it.
    unread = (answer.get("data") or {}).get("unread")
    assert answer["status"] == ("ok" if code == 0 or unread else "error")
    if code and not unread:
        assert answer["error"]["code"] != "internal_error", answer
        assert answer["error"]["hint"]
