"""`recortex --help` knows every verb, and every verb explains itself."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from recortex.cli.main import _HEADINGS, FIRST
from recortex.cli.parser import parser_of, synonyms
from recortex.cortex import Cortex
from recortex.operations import manifest
from recortex.operations.registry import operations_of

OPERATIONS = operations_of(Cortex)
PROGRAMS = {"tour", "mcp", "hook", "worker", "serve", "completion"}


def test_the_manifest_has_what_the_facade_has():
    listed = {one["name"]: one["summary"] for one in manifest.operations()}
    assert listed == {one.name: one.summary for one in OPERATIONS.values()}
    assert all(group["title"] for group in manifest.groups())


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_verb_is_found_in_the_group_that_declares_it(name):
    assert name in operations_of(manifest.group_of(name))


HEADINGS = ["Remember", "Find", "Sessions", "Code", "Projects and stores", "Setup"]
VERBS = sorted([*(one.verb for one in OPERATIONS.values()), *PROGRAMS])


def headings_and_verbs(text):
    """The headings of a help and every verb that it names, whether with a line of its own or not."""
    headings = re.findall(r"^(?!Options)[A-Z][a-z ]+$", text, re.MULTILINE)
    named = re.findall(r"^  also: (.*(?:\n        .*)*)", text, re.MULTILINE)
    return headings, re.findall(r"^  (\w[\w-]+) ", text, re.MULTILINE), re.findall(r"[\w-]+", " ".join(named))


def test_the_short_help_explains_ten_verbs_and_names_the_others(shared):
    ran = shared.run("--help")
    headings, explained, named = headings_and_verbs(ran.text)
    assert ran.code == 0
    assert headings == HEADINGS
    assert sorted(explained) == sorted(FIRST)
    assert len(explained) == 10
    assert sorted([*explained, *named]) == VERBS
    assert "`recortex help all`" in ran.text
    assert len(ran.text.splitlines()) <= 50


def test_the_long_help_has_a_line_for_every_verb(shared):
    ran = shared.run("help", "all")
    headings, explained, named = headings_and_verbs(ran.text)
    assert ran.code == 0
    assert headings == HEADINGS
    assert sorted(explained) == VERBS
    assert named == []


def test_every_group_under_a_heading_exists():
    known = {group["class"] for group in manifest.groups()}
    assert {f"{group}Operations" for named in _HEADINGS.values() for group in named.split()} <= known


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_verb_explains_itself_and_all_that_it_takes(name):
    operation = OPERATIONS[name]
    text = parser_of(operation).format_help()
    assert operation.help in text
    for parameter in operation.parameters():
        assert parameter.help, f"{name}: {parameter.name} is not explained"
        assert " ".join(parameter.help.split()) in " ".join(text.split())


@pytest.mark.parametrize(
    "words", [["get", "--help"], ["help", "get"], ["--help", "get"], ["get", "-h", "--json"]]
)
def test_help_of_a_verb(shared, words):
    ran = shared.run(*words)
    assert ran.code == 0
    assert ran.text.startswith("usage: recortex get ")
    assert not ran.err


@pytest.mark.parametrize(
    "words", [["--help"], ["get", "--help"], ["mcp", "--help"], ["worker", "--help"], ["serve", "--help"]]
)
def test_help_names_the_server_that_a_url_may_lead_to(words, shared):
    assert "postgresql://" in shared.run(*words).text


@pytest.mark.parametrize(
    ("said", "verb"),
    [
        ("search", "recall"),
        ("add", "remember"),
        ("delete", "forget"),
        ("ls", "list"),
        ("Show", "get"),
        ("serach", "recall"),
        ("remeber", "remember"),
        ("remember_mny", "remember-many"),
        ("demo", "tour"),
        ("delte", "forget"),
    ],
)
def test_an_unknown_verb_suggests_what_was_meant(shared, said, verb):
    ran = shared.run(said, "something")
    assert ran.code == 2
    assert not ran.out
    assert f"Did you mean `{verb}`" in ran.err


def test_each_synonym_leads_to_a_verb_and_is_none():
    known = {one.verb for one in OPERATIONS.values()} | PROGRAMS
    assert set(synonyms().values()) <= known
    assert not known & set(synonyms())
    lines = files("recortex.cli").joinpath("synonyms.txt").read_text(encoding="utf-8").splitlines()
    assert len(synonyms()) == sum(len(line.split()) - 1 for line in lines)


def test_help_imports_nothing_heavy(shared):
    ran = shared.run("--help", env={"PYTHONPROFILEIMPORTTIME": "1"})
    imported = {line.rpartition("|")[2].strip() for line in ran.err.splitlines()}
    assert not imported & {
        "apsw", "numpy", "onnxruntime", "msgspec", "mcp", "tiktoken", "tokenizers", "recortex.cortex",
        "argparse",
    }  # fmt: skip


def test_reading_a_memory_imports_no_model_and_no_learning(shared):
    known = shared.data("list")["memories"][0]["id"]
    ran = shared.run("get", known, "--json", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert ran.code == 0
    imported = {line.rpartition("|")[2].strip() for line in ran.err.splitlines()}
    assert "recortex.operations.base" in imported
    heavy = {
        "numpy", "onnxruntime", "mcp", "tiktoken", "tokenizers", "importlib.metadata",
        "recortex.engines.extraction",
    }  # fmt: skip
    assert not imported & heavy
