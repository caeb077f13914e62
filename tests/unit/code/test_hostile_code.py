"""Whatever bytes a file has, it is read or left out with a reason: no error, no endless search."""

import random

import pytest
from hostile_code import hostile, sources

from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import BY_NAME, GRAMMARS
from recortex.domain.code_facts import NOWHERE

BRACKETS = (
    "(",
    "[",
    "{",
    "f(",
    "<",
    "class A { ",
    "fn f() {",
    "namespace a {",
    "*",
    "a<b<",
    "#if A\n",
    "`${",
)


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
