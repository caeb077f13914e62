"""Whatever bytes a file has, it is read or left out with a reason: no error, no endless search."""

import random

import pytest
from hostile_code import hostile, sources

from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import BY_NAME, GRAMMARS
from recortex.domain.code import NOWHERE

BRACKETS = (
    "(", "[", "{", "f(", "<", "class A { ", "fn f() {", "namespace a {", "*", "a<b<", "#if A\n", "`${",
)  # fmt: skip


def consistent(facts):
    count = len(facts.symbols)
    return all(NOWHERE <= one.parent < number for number, one in enumerate(facts.symbols)) and all(
        NOWHERE <= number < count
        for number in (
            *(one.caller for one in facts.calls),
            *(one.scope for one in facts.bindings),
            *(one.symbol for one in facts.marks),
        )
    )


@pytest.mark.parametrize("name", [one.name for one in GRAMMARS])
def test_damaged_files_are_read_or_left_out(name):
    draw, given, path = random.Random(name), sources(name, []), f"a{BY_NAME[name].endings[0]}"  # noqa: S311
    for _ in range(25):
        facts = read_facts(path, hostile(draw.choice(given), draw)[:200_000])
        assert facts.skipped or consistent(facts)


@pytest.mark.parametrize("name", [one.name for one in GRAMMARS])
def test_deep_nesting_ends(name):
    path = f"a{BY_NAME[name].endings[0]}"
    for bracket in BRACKETS:
        facts = read_facts(path, b"\n".join([bracket.encode() * 50] * 400))
        assert facts.skipped or consistent(facts)


def test_definitions_within_definitions_have_an_end():
    source = "\n".join(f"{' ' * depth}class C{depth}:" for depth in range(90)) + f"\n{' ' * 90}pass\n"
    facts = read_facts("a.py", source.encode())
    assert not facts.whole
    assert 40 <= len(facts.symbols) <= 50
    assert max(len(one.name) for one in facts.symbols) <= 300


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a.c", "x => "), ("a.java", "x => "), ("a.py", "/*"), ("a.py", "* & "), ("a.js", "[ & async "),
        ("a.cpp", "= / match "),
    ],
)  # fmt: skip
def test_runs_for_which_the_parser_takes_gigabytes_are_left_out(path, unit):
    data = b"x = 1\n" + b"\n".join([unit.encode() * 10] * 400)
    assert read_facts(path, data).skipped in {"no code of its language", "nested too deeply"}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "\n".join(f"CODE_{number} = {number}" for number in range(3_000))),
        ("a.py", 'WORDS = """\n' + "a word - and more\n" * 2_000 + '"""\n'),
        ("a.js", "\n".join(f"export const C{number} = -{number}" for number in range(3_000))),
        ("a.tsx", "export const A = () => <p>" + "<b>so it is</b>\n" * 1_000 + "</p>;\n"),
        ("a.go", "package a\n" + "// so it is - or not\n" * 2_000 + "func F() {}\n"),
    ],
)
def test_long_runs_of_constants_texts_and_markup_are_read(path, source):
    facts = read_facts(path, source.encode())
    assert not facts.skipped
    assert facts.symbols


@pytest.mark.parametrize(("path", "unit"), [("a.java", ":: in "), ("a.cpp", "mod a { ")])
def test_deeper_trees_than_queries_can_count_are_left_out(path, unit):
    assert read_facts(path, b"\n".join([unit.encode() * 10] * 8_000)).skipped == "nested too deeply"
