"""All grammars load as one set, and a bad one costs only itself."""

import subprocess
import sys

import pytest

from recortex.codebase.syntax import grammars
from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import GRAMMARS, GrammarError, check, grammar_of, load


def test_all_grammars_load_and_every_pattern_of_ours_fits():
    assert check() == []
    assert len({one.language for one in GRAMMARS}) == 10


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


@pytest.mark.parametrize(
    ("path", "data", "name"),
    [
        ("a/b.py", b"", "python"),
        ("a.TSX", b"", "tsx"),
        ("a.h", b"int f(void);", "c"),
        ("a.h", b"namespace a { class B; }", "cpp"),
        ("a.txt", b"", None),
        ("Makefile", b"", None),
    ],
)
def test_the_name_of_a_file_decides_about_its_language(path, data, name):
    found = grammar_of(path, data)
    assert (found.name if found else None) == name


def test_neither_the_command_line_nor_hooks_load_a_parser():
    program = (
        "import sys, recortex.__main__, recortex.cli.main, recortex.hooks, recortex.cortex\n"
        "heavy = 'tree_sitter', 'recortex.codebase.syntax'\n"
        "assert not [one for one in sys.modules if one.startswith(heavy)]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
