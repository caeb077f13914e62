"""What is read of source text: symbols, calls, tests, whatever the text is."""

import random
import subprocess
import sys

import pytest
from hostile_code import hostile, sources
from hypothesis import assume, given
from hypothesis import strategies as st
from small_projects import project_of, small_projects

from recortex.codebase import grammars
from recortex.codebase.extraction import read_facts
from recortex.codebase.grammars import BY_NAME, GRAMMARS, GrammarError, check, load
from recortex.domain.code import NOWHERE, innermost
from recortex.engines.code.resolution import Resolver

# -- What is read of a file of each language, and what changes the hash of a definition.
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
        ("a.py", ("app.get", "/users", "K")), ("a.ts", ("Get", "/a", "K.f")),
        ("a.java", ("GetMapping", "/a", "K.f")), ("a.cs", ("Route", "users", "K")),
        ("a.php", ("Route", "/users", "K")), ("a.rs", ("derive", "", "K")),
    ],
)  # fmt: skip
def test_marks_are_given_to_what_they_stand_at(path, mark):
    facts = read_facts(path, SOURCES[path])
    assert mark in {(one.name, one.argument, facts.symbols[one.symbol].name) for one in facts.marks}


@pytest.mark.parametrize(
    ("path", "binding"),
    [
        ("a.py", ("x", "Thing")), ("a.ts", ("self.service", "Service")), ("a.ts", ("self.repo", "Repo")),
        ("a.java", ("self.repo", "Repo")), ("a.go", ("k", "K")),
    ],
)  # fmt: skip
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


# -- All grammars load as one set, and a bad one costs only itself.
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
        "heavy = 'tree_sitter', 'recortex.codebase.grammars', 'recortex.codebase.captures'\n"
        "assert not [one for one in sys.modules if one.startswith(heavy)]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# -- Code that macros and conditions hide: it is read where it is plainly code, and nothing else is made up.
RUST = b"""
cfg_net! { use a::b; fn inner() { go(1); } impl A { fn m(&self) {} } }
fn f() { assert_eq!(g(x), a.b(c, d)); println!("{}", m::n::h(2)); list![A::new().k()]; made!(fn no(a) {}); }
macro_rules! q { () => { no(1) } }
data! { key => no(1) }
"""


def test_bodies_of_macros_of_rust_are_read_where_they_are_code():
    facts = read_facts("a.rs", RUST)
    assert [one.name for one in facts.symbols] == ["inner", "A.m", "f", "q"]
    assert [(one.module, one.name) for one in facts.imports] == [("a", "b")]
    calls = {(one.receiver, one.name, one.arguments) for one in facts.calls if not one.name.endswith("!")}
    assert calls >= {
        ("", "go", 1), ("", "g", 1), ("a", "b", 2), ("m::n", "h", 1), ("A", "new", 0), ("…", "k", 0),
    }  # fmt: skip
    assert not [one for one in facts.calls if one.name == "no" and one.line < 5]


@pytest.mark.parametrize(
    "text",
    [
        "void T::a(int x)\n{\n    UNUSED(x)\n}\nvoid T::b() { go(); }\n",
        "void a() {\n#ifdef X\n  if (p) {\n#else\n  if (q) {\n#endif\n  go();\n  }\n}\nvoid b() {}\n",
        "T::a()\n  : x(1)\n#ifdef X\n  , y(2)\n#endif\n{\n}\nvoid b() {}\n",
        "void T::a(int x) const\n    LOCKS(mutex) {\n  go();\n}\nvoid b() {}\n",
        "API_EXPORT std::string a(const char* x) {\n  go();\n}\nvoid b() {}\n",
    ],
)
def test_functions_behind_macros_and_torn_conditions_are_read(text):
    facts = read_facts("a.cpp", text.encode())
    found = [(one.name.rpartition(".")[2], one.parent) for one in facts.symbols if one.kind != "declaration"]
    assert found == [("a", -1), ("b", -1)]


def test_a_class_behind_a_macro_has_its_name_and_members():
    text = b"class API Name : public Base {\n  Q_OBJECT\npublic slots:\n  explicit Name(int a);\n"
    text += b"  void b() {}\n};\n"
    facts = read_facts("a.h", b"namespace n {\n" + text + b"}\n")
    assert ("n.Name", "class") in {(one.name, one.kind) for one in facts.symbols}
    assert ("n.Name.b", "method") in {(one.name, one.kind) for one in facts.symbols}
    assert not facts.calls


def test_a_name_of_c_is_the_library_and_a_declaration_leads_to_the_definition():
    project = project_of(
        {
            "win.h": "#define unlink _unlink\n#define get z_get\nvoid *malloc(int);\nint snprintf(char *);\n",
            "win.c": "int snprintf(char *a) { return 0; }\n",
            "real.h": "int get(int a);\n",
            "real.c": "int get(int a) { return a; }\n",
            "use.c": '#include "win.h"\n#include "real.h"\n'
            "void f() { unlink(p); malloc(1); snprintf(b); get(2); }\n",
        }
    )
    resolver, facts = Resolver(project), project.files["use.c"]
    meant = {call.name: resolver.meaning("use.c", call) for call in facts.calls}
    assert [meant[one].certainty for one in ("unlink", "malloc", "snprintf")] == ["external"] * 3
    assert [one.path for one in meant["get"].targets] == ["real.c"]


# -- Whatever bytes a file has, it is read or left out with a reason: no error, no endless search.
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
