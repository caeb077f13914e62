"""Code that macros and conditions hide: it is read where it is plainly code, and nothing else is made up."""

import pytest
from small_projects import project_of

from recortex.codebase.syntax.extraction import read_facts
from recortex.engines.code.resolution import Resolver

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
        ("", "go", 1),
        ("", "g", 1),
        ("a", "b", 2),
        ("m::n", "h", 1),
        ("A", "new", 0),
        ("…", "k", 0),
    }
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
