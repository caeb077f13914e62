"""All grammars load as one set, and a bad one costs only itself."""

import subprocess
import sys

import pytest

from recortex.codebase.syntax import grammars
from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import GrammarError, check, load


def test_a_bad_pattern_costs_only_itself(monkeypatch):
    good = grammars.patterns("go")
    monkeypatch.setattr(grammars, "patterns", lambda _: [*good, "(no_such_node) @class"])
    load.cache_clear()
    try:
        assert load("go").refused == ("(no_such_node) @class",)
        assert [one.name for one in read_facts("a.go", b"package a\nfunc F() {}\n").symbols] == ["F"]
        assert "go: the pattern (no_such_node) @class does not fit its grammar." in check()
    finally:
        load.cache_clear()


@pytest.mark.parametrize(("lowest", "highest"), [(1, 12), (90, 99)])
def test_a_grammar_of_another_abi_is_refused_before_it_is_used(monkeypatch, lowest, highest):
    import tree_sitter

    monkeypatch.setattr(tree_sitter, "MIN_COMPATIBLE_LANGUAGE_VERSION", lowest)
    monkeypatch.setattr(tree_sitter, "LANGUAGE_VERSION", highest)
    load.cache_clear()
    try:
        with pytest.raises(GrammarError, match=f"tree-sitter reads {lowest} to {highest}"):
            load("python")
    finally:
        load.cache_clear()


def test_without_the_extra_it_says_what_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    with pytest.raises(GrammarError) as caught:
        check()
    assert caught.value.hint == 'pip install "recortex[code]"'


def test_neither_the_command_line_nor_hooks_load_a_parser():
    program = (
        "import sys, recortex.__main__, recortex.cli.main, recortex.hooks, recortex.cortex\n"
        "heavy = 'tree_sitter', 'recortex.codebase.syntax'\n"
        "assert not [one for one in sys.modules if one.startswith(heavy)]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
