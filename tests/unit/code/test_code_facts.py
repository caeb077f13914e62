"""What is read of a file of each language, and what changes the hash of a definition."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from small_projects import small_projects

from recortex.codebase.syntax.extraction import read_facts
from recortex.domain.code import NOWHERE, innermost

SOURCES = {
    path: source.encode() for files in small_projects("facts.txt").values() for path, source in files.items()
}
EXPECTED = {
    "a.py": (
        {"K": ("class", -1), "K.limit": ("constant", -1), "K.f": ("method", 3)},
        {("os.path", "", "os"), ("numpy", "", "np"), (".b", "c", "d"), (".b", "e", "e")},
        {("get", "app"), ("Thing", ""), ("g", "self"), ("h", "self.g(a)"), ("zeros", "np"), ("d", "")},
    ),
    "a.js": (
        {
            "K": ("class", -1), "K.hidden": ("method", 0), "K.f": ("method", 2), "arrow": ("function", 2),
            "Foo.bar": ("method", 1),
        },
        {("m", "default", "d"), ("m", "a", "b"), ("./n", "", "ns"), ("r", "q", "q")},
        {("require", ""), ("g", "this"), ("Foo", ""), ("call", "ns"), ("b", "")},
    ),
    "a.ts": (
        {
            "K": ("class", -1), "K.constructor": ("method", 1), "K.f": ("method", 2),
            "I": ("interface", -1), "I.g": ("method", 1), "Alias": ("type", -1), "Color": ("enum", -1),
        },
        {("t", "T", "T")},
        {("Controller", ""), ("Get", ""), ("Repo", ""), ("super", ""), ("run", "this.service")},
    ),
    "a.java": (
        {"K": ("class", -1), "K.LIMIT": ("constant", -1), "K.K": ("method", 1), "K.f": ("method", 2)},
        {("java.util", "List", "List"), ("com.shop.Util", "check", "check"), ("com.shop.model", "*", "")},
        {("find", "repo"), ("check", ""), ("Foo", "")},
    ),
    "a.cs": (
        {
            "K": ("class", -1), "K.Limit": ("constant", -1), "K.Count": ("property", -1),
            "K.F": ("method", 2),
        },
        {("System", "*", ""), ("My", "Thing", "X")},
        {("G", "this"), ("TryParse", "int"), ("Run", "a")},
    ),
    "a.php": (
        {"K": ("class", -1), "K.LIMIT": ("constant", -1), "K.f": ("method", 2)},
        {("Other", "Thing", "T"), ("Set", "A", "A"), ("Set", "B", "C")},
        {("g", "$this"), ("make", "T"), ("A", ""), ("helper", "")},
    ),
    "a.go": (
        {
            "K": ("struct", -1), "I": ("interface", -1), "I.G": ("method", 1), "A": ("constant", -1),
            "B": ("constant", -1), "K.F": ("method", 3),
        },
        {("fmt", "", "fmt"), ("example.com/y/v2", "", "x")},
        {("Println", "fmt"), ("Run", "x"), ("g", "k"), ("NewThing", "")},
    ),
    "a.rs": (
        {"K": ("struct", -1), "K.f": ("method", 1), "I": ("trait", -1), "I.g": ("method", 1)},
        {
            ("std", "io", "io"),
            ("std::io", "Read", "R"),
            ("crate::shop", "*", ""),
            ("self", "inner", "inner"),
        },
        {("g", "self"), ("make", "K"), ("println!", ""), ("helper", "")},
    ),
    "a.c": (
        {"LIMIT": ("constant", -1), "K": ("struct", -1), "f": ("function", 2), "proto": ("declaration", 0)},
        {("<stdio.h>", "*", ""), ("b.h", "*", "")},
        {("printf", ""), ("run", "b"), ("g", "")},
    ),
    "a.cpp": (
        {
            "shop.K": ("class", -1), "shop.K.f": ("method", 2), "shop.K.later": ("declaration", 1),
            "shop.K.later#2": ("method", 1),
        },
        {("b.hpp", "*", "")},
        {("g", "this"), ("h", "other"), ("Foo", "")},
    ),
}  # fmt: skip


def numbered(symbols):
    found = {}
    for one in symbols:
        found[one.name if one.name not in found else f"{one.name}#2"] = (one.kind, one.arity)
    return found


@pytest.mark.parametrize("path", SOURCES)
def test_definitions_imports_and_calls_are_read(path):
    facts = read_facts(path, SOURCES[path])
    symbols, imports, calls = EXPECTED[path]
    assert facts.whole
    assert numbered(facts.symbols) == symbols
    assert {one[:3] for one in facts.imports} == imports
    assert {(one.name, one.receiver) for one in facts.calls} == calls


@pytest.mark.parametrize("path", SOURCES)
def test_documentation_bases_and_places_are_read(path):
    facts = read_facts(path, SOURCES[path])
    one = next(one for one in facts.symbols if one.plain == "K")
    documented = {"a.ts": ""}.get(path, "K is what it is." if path == "a.go" else "What it is.")
    assert one.doc == documented
    assert one.first <= one.line <= one.last
    if path not in {"a.c", "a.rs"}:
        assert one.bases[0] == "Base"
    called = next(call for call in facts.calls if call.caller != NOWHERE)
    around = facts.symbols[called.caller]
    assert around.first <= called.line <= around.last
    assert innermost(facts, called.line).first <= called.line


@pytest.mark.parametrize(
    ("path", "mark"),
    [
        ("a.py", ("app.get", "/users", "K")),
        ("a.ts", ("Get", "/a", "K.f")),
        ("a.java", ("GetMapping", "/a", "K.f")),
        ("a.cs", ("Route", "users", "K")),
        ("a.php", ("Route", "/users", "K")),
        ("a.rs", ("derive", "", "K")),
    ],
)
def test_marks_are_given_to_what_they_stand_at(path, mark):
    facts = read_facts(path, SOURCES[path])
    assert mark in {(one.name, one.argument, facts.symbols[one.symbol].name) for one in facts.marks}


@pytest.mark.parametrize(
    ("path", "binding"),
    [
        ("a.py", ("x", "Thing")),
        ("a.ts", ("self.service", "Service")),
        ("a.ts", ("self.repo", "Repo")),
        ("a.java", ("self.repo", "Repo")),
        ("a.go", ("k", "K")),
    ],
)
def test_written_types_are_read(path, binding):
    assert binding in {one[:2] for one in read_facts(path, SOURCES[path]).bindings}


def hashes(path, text):
    return {one.name: one.hash for one in read_facts(path, text.encode()).symbols}


PYTHON = (
    'def f(a):\n    if a:\n        return {"x": 1, "y": 2}\n    return g(a)\n\n\ndef h():\n    return 1\n'
)
DEDENTED = (
    'def f(a):\n    if a:\n        return {"x": 1, "y": 2}\n        return g(a)\n\n\ndef h():\n    return 1\n'
)


def test_what_belongs_to_a_block_changes_a_hash_in_python():
    before, after = hashes("a.py", PYTHON), hashes("a.py", DEDENTED)
    assert before["f"] != after["f"]
    assert before["h"] == after["h"]


def test_a_method_after_the_last_one_does_not_change_it():
    one = "class K:\n    def f(self):\n        return 1\n"
    assert hashes("a.py", one)["K.f"] == hashes("a.py", one + "\n    def g(self):\n        pass\n")["K.f"]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.ts", "function f(a) { g('x'); return 1 }", 'function f(\n  a,\n) {\n  g("x");\n  return 1;\n}'),
        ("a.go", "func f(a int) { g(a) }", "func f(\n\ta int,\n) {\n\t// why\n\tg(a)\n}"),
        (
            "a.java",
            "class K { int f() { g(1); } }",
            "class K\n{\n  /** Why. */\n  int f()\n  { g(1);\n  }\n}",
        ),
        (
            "a.py",
            "def f(a):\n    return a or 'it'\n",
            'def f(\n    a,\n):\n    return (\n        a or "it"\n    )\n',
        ),
        ("a.py", "def f():\n    for a, b in g, h: pass\n", "def f():\n    for (a, b) in (g, h): pass\n"),
        ("a.py", "class K():\n    a: A | B = 0XF\n", "class K:\n    a: (A | B) = 0xf\n"),
        ("a.py", r"def f(): return 'it\'s'", 'def f(): return "it\'s"'),
        ("a.py", "def f(): return 'a' f'{b}' 'c'", """def f(): return f"a{b}" "c\""""),
        ("a.py", """def f(): return f'{a["b"]}'""", """def f(): return f"{a['b']}\""""),
        ("a.py", r"def f(): return '\x1A'", r"def f(): return '\x1a'"),
        ("a.ts", "const f = (a) => a && b || `${g('x')}`", 'const f = a => (a && b) || `${g("x")}`'),
        ("a.ts", "class K { a: A | B = {'b': 1} }", "class K { a: | A | B = {b: 1,} }"),
        ("a.php", r"<?php function f() { return ($a)['b\c']; }", r'<?php function f() { return $a["b\c"]; }'),
        ("a.php", "<?php function f() { return new A; }", "<?php function f() { return new A(); }"),
        ("a.ts", "function f() { return new A }", "function f() { return new A() }"),
        ("a.rs", "fn f() { assert!(a, b); }", "fn f() {\n    assert!(\n        a,\n        b,\n    );\n}"),
    ],
)
def test_formatting_does_not_change_a_hash(path, before, after):
    assert hashes(path, before) == hashes(path, after)


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("a.py", "def f(): return (a + b) * c", "def f(): return a + b * c"),
        ("a.py", "def f(): return (a,)", "def f(): return (a)"),
        ("a.py", "def f(): return (not a) == b", "def f(): return not (a == b)"),
        ("a.py", "def f(): return (lambda: a)(b)", "def f(): return lambda: a(b)"),
        ("a.ts", "function f() { return (a || b) && c }", "function f() { return a || b && c }"),
        ("a.ts", "function f() { return (a as B).c }", "function f() { return a as B.c }"),
        (
            "a.php",
            "<?php function f() { return (clone $a)->b; }",
            "<?php function f() { return clone $a->b; }",
        ),
        ("a.php", r"<?php function f() { return '\n'; }", r'<?php function f() { return "\n"; }'),
        ("a.php", "<?php function f() { ($a->b)($c); }", "<?php function f() { $a->b($c); }"),
        ("a.ts", "function f() { return (a?.b).c }", "function f() { return a?.b.c }"),
        ("a.py", "def f(): return '{a}' 'b'", "def f(): return f'{a}' 'b'"),
        ("a.py", r"def f(): return '\\x1A'", r"def f(): return '\\x1a'"),
        ("a.ts", "function f() { return new (a())() }", "function f() { return new a()() }"),
        ("a.rs", "fn f() { (a,) }", "fn f() { (a) }"),
        ("a.go", "func f() { return (a + b) * c }", "func f() { return a + b * c }"),
        ("a.cs", "class K { int[,] f() { return a; } }", "class K { int[] f() { return a; } }"),
    ],
)
def test_what_changes_the_meaning_changes_a_hash(path, one, other):
    assert hashes(path, one) != hashes(path, other)


ONE = "def f(a):\n    return a + 22\n"


@given(place=st.integers(0, len(ONE) - 2), sign=st.sampled_from("1x-a"))
def test_any_other_token_changes_a_hash(place, sign):
    facts = read_facts("a.py", (ONE[:place] + sign + ONE[place:]).encode())
    assume(facts.whole and [one.name for one in facts.symbols] == ["f"])
    assert facts.symbols[0].hash != hashes("a.py", ONE)["f"]


@pytest.mark.parametrize(
    ("path", "data", "why"),
    [
        ("a.py", b"x = 1\n" * 200_000, "larger than 1 MB"),
        ("a.js", b"a;" * 3_000, "minified"),
        ("a.min.js", b"a\n", "minified"),
        ("a.py", b"x\0y", "binary"),
        ("a.go", b"// Code generated by stringer; DO NOT EDIT.\npackage a\n", "generated"),
        ("a_pb2.py", b"x = 1\n", "generated"),
    ],
)
def test_files_that_nobody_wrote_are_not_read_and_it_says_why(path, data, why):
    assert read_facts(path, data).skipped == why


def test_a_file_that_is_no_code_in_places_is_partial():
    facts = read_facts("a.py", b"def f():\n    pass\n\n<<<<<<< ours\ndef g():\n    pass\n")
    assert not facts.whole
    assert "f" in {one.name for one in facts.symbols}
