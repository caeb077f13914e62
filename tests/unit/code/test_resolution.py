"""What calls within a project mean, and that a change of one file loses no call of another."""

import pytest

from recortex.codebase.syntax.extraction import read_facts
from recortex.engines.code.calls import callees, callers, reached
from recortex.engines.code.project import Project
from recortex.engines.code.resolution import Resolver

PROJECTS = {
    "python": {
        "src/shop/store.py": "class Base:\n    def close(self): self.rinse()\n    def rinse(self): ...\n"
        "class Store(Base):\n    def open(self): self.close()\n    @classmethod\n    def make(cls): return cls()\n"
        "def helper(): ...\n",
        "src/shop/__init__.py": "from shop.store import Store as Store, helper\n",
        "src/shop/use.py": "import shop.store\nfrom . import helper as h\nfrom shop import Store\n"
        "from shop.store import *\n"
        "class Use:\n    def __init__(self, s: Store): self.s = Store()\n"
        "    def f(self, t: Store, u):\n        self.s.open()\n        t.close()\n        h()\n"
        "        shop.store.helper()\n        Store.make()\n        Store().open()\n        u.rinse()\n"
        "        Base()\n",
    },
    "typescript": {
        "src/store.ts": "export class Store { open() { this.close(); } close() {} static make() { return 1 } }\n"
        "export function helper() {}\nexport default class Main { run() {} }\n",
        "src/index.ts": "export * from './store';\nexport { helper as renamed } from './store';\n",
        "src/use.tsx": "import Main from './store'; import { Store, renamed } from '.'; import * as all from './store.js';\n"
        "class Use { private m: Main; constructor(private s: Store) {}\n"
        "  f(u) { this.s.open(); this.m.run(); renamed(); all.helper(); Store.make(); new Store().close();"
        " u.close(); return <Panel/>; } }\nfunction Panel() {}\n",
    },
    "java": {
        "a/Store.java": "package a; public class Store extends Base { public void open() { close(); helper(1); }"
        " static Store make() { return new Store(); } void helper(int x) {} void helper(String x, int y) {} }",
        "a/Base.java": "package a; class Base { void close() {} }",
        "b/Use.java": "package b; import a.Store; import static a.Store.make; class Use { Store s;"
        " void f(Store t) { s.open(); t.close(); make(); Store.make(); new Store().open(); this.s.helper(1); } }",
    },
    "csharp": {
        "Store.cs": "namespace A; public class Store : Base { public void Open() { Rinse(); this.Rinse(); }"
        " public static Store Make() => new Store(); }",
        "Base.cs": "namespace A { public class Base { public void Rinse() {} } }",
        "Use.cs": "using A; namespace B { class Use { private readonly Store _s; void F(Store t) { _s.Open();"
        " t.Rinse(); Store.Make(); new Store().Open(); var v = new Store(); v.Open(); } } }",
    },
    "php": {
        "Store.php": "<?php namespace A; class Store extends Base { function open() { $this->rinse(); self::make(); }"
        " static function make() { return new Store(); } }\nfunction helper() {}",
        "Base.php": "<?php namespace A; class Base { function rinse() {} }",
        "Use.php": "<?php namespace B; use A\\Store; use function A\\helper; class User {"
        " function __construct(private Store $s) {} function f(Store $t) { $this->s->open(); $t->rinse();"
        " Store::make(); helper(); (new Store())->open(); } }",
    },
    "go": {
        "go.mod": "module example.com/shop\n",
        "store/store.go": "package store\ntype Store struct { inner *Inner }\n"
        "func (s *Store) Open() { s.shut(); s.inner.Rinse(); helper() }\nfunc (s *Store) shut() {}\n"
        "func New() *Store { return &Store{} }\n",
        "store/inner.go": "package store\ntype Inner struct{}\nfunc (i *Inner) Rinse() {}\nfunc helper() {}\n",
        "use.go": 'package main\nimport ("example.com/shop/store")\n'
        "func f(s *store.Store) { u := get(); s.Open(); store.New(); u.shut() }\n",
    },
    "rust": {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/store.rs": "use super::base::Base;\npub struct Store { base: Base }\nimpl Store {"
        " pub fn open(&self) { self.shut(); self.base.rinse(); helper(); Self::make(); }"
        " fn shut(&self) {} pub fn make() -> Store { Store { base: Base::make() } } }\npub fn helper() {}\n",
        "src/base.rs": "pub struct Base; impl Base { pub fn rinse(&self) {} pub fn make() -> Base { Base } }\n",
        "src/lib.rs": "mod store; mod base; use crate::store::{self, Store, helper as h};\n"
        "fn f(s: &Store) { let u = get(); s.open(); h(); store::helper(); Store::make(); crate::store::helper(); u.rinse(); }\n",
    },
    "c": {
        "src/store.h": "int store_open(int a);\n#define OPENED(x) (x)\n",
        "src/store.c": '#include "store.h"\nstatic int inner(void) { return 1; }\n'
        "int store_open(int a) { return inner(); }\n",
        "src/use.c": '#include "store.h"\nint main(void) { return OPENED(store_open(1)); }\n',
    },
    "cpp": {
        "src/store.hpp": "namespace a { class Base { public: void rinse() {} }; class Store : public Base {"
        " public: void open(); static Store make(); void shut() {} Base base_; }; void helper(int x); }",
        "src/store.cpp": '#include "store.hpp"\nnamespace a { void Store::open() { shut(); this->shut(); rinse();'
        " base_.rinse(); } void helper(int x) {} }",
        "src/use.cpp": '#include "store.hpp"\nvoid f(a::Store &s, a::Store *p) { s.open(); p->shut(); a::helper(1);'
        " a::Store::make(); new a::Store(); }",
    },
}
RESOLVED = {
    "python": {
        ("Base.close", "Base.rinse"), ("Store.open", "Base.close"), ("Use.__init__", "Store"),
        ("Use.f", "Store.open"), ("Use.f", "Base.close"), ("Use.f", "helper"), ("Use.f", "Store.make"),
        ("Use.f", "Store"), ("Use.f", "Base"),
    },
    "typescript": {
        ("Store.open", "Store.close"), ("Use.f", "Store.open"), ("Use.f", "Main.run"), ("Use.f", "helper"),
        ("Use.f", "Store.make"), ("Use.f", "Store.close"), ("Use.f", "Store"), ("Use.f", "Panel"),
    },
    "java": {
        ("Store.open", "Base.close"), ("Store.open", "Store.helper"), ("Store.make", "Store"),
        ("Use.f", "Store.open"), ("Use.f", "Base.close"), ("Use.f", "Store.make"), ("Use.f", "Store"),
        ("Use.f", "Store.helper"),
    },
    "csharp": {
        ("Store.Open", "A.Base.Rinse"), ("Store.Make", "Store"), ("B.Use.F", "Store.Open"),
        ("B.Use.F", "A.Base.Rinse"), ("B.Use.F", "Store.Make"), ("B.Use.F", "Store"),
    },
    "php": {
        ("Store.open", "Base.rinse"), ("Store.open", "Store.make"), ("Store.make", "Store"),
        ("User.f", "Store.open"), ("User.f", "Base.rinse"), ("User.f", "Store.make"), ("User.f", "helper"),
        ("User.f", "Store"),
    },
    "go": {
        ("Store.Open", "Store.shut"), ("Store.Open", "Inner.Rinse"), ("Store.Open", "helper"),
        ("New", "Store"), ("f", "Store.Open"), ("f", "New"),
    },
    "rust": {
        ("Store.open", "Store.shut"), ("Store.open", "Base.rinse"), ("Store.open", "helper"),
        ("Store.open", "Store.make"), ("Store.make", "Store"), ("Store.make", "Base.make"), ("f", "Store.open"),
        ("f", "helper"), ("f", "Store.make"),
    },
    "c": {("store_open", "inner"), ("main", "OPENED"), ("main", "store_open")},
    "cpp": {
        ("a.Store.open", "a.Store.shut"), ("a.Store.open", "a.Base.rinse"), ("f", "a.Store.open"),
        ("f", "a.Store.shut"), ("f", "a.helper"), ("f", "a.Store.make"), ("f", "a.Store"),
    },
}  # fmt: skip
CANDIDATES = {
    "python": {("Use.f", "Base.rinse")},
    "typescript": set(),
    "go": {("f", "Store.shut")},
    "rust": {("f", "Base.rinse")},
}


def project_of(files):
    return Project({path: read_facts(path, text.encode()) for path, text in files.items()})


def edges(project, certainty):
    resolver = Resolver(project)
    return {
        (facts.symbols[call.caller].name, project.symbol(target).name)
        for path, facts in project.files.items()
        for call in facts.calls
        if (meaning := resolver.meaning(path, call)).certainty == certainty
        for target in meaning.targets
    }


@pytest.mark.parametrize("language", PROJECTS)
def test_calls_within_a_project_are_resolved(language):
    project = project_of(PROJECTS[language])
    assert all(facts.whole for facts in project.files.values())
    assert edges(project, "resolved") == RESOLVED[language]
    if language in CANDIDATES:
        assert edges(project, "candidate") == CANDIDATES[language]


def find(project, name):
    return [address for address, one in project.symbols() if one.name == name]


@pytest.mark.parametrize("language", PROJECTS)
def test_callers_of_a_symbol_are_the_edges_to_it(language):
    project = project_of(PROJECTS[language])
    resolver = Resolver(project)
    for target in {target for _, target in RESOLVED[language]}:
        found = callers(project, resolver, find(project, target))
        resolved = {
            project.files[one.path].symbols[one.caller].name for one in found if one.certainty == "resolved"
        }
        assert resolved == {source for source, to in RESOLVED[language] if to == target}


def test_a_callee_that_changed_keeps_its_callers():
    before = PROJECTS["python"]
    after = before | {"src/shop/store.py": "# moved down\n\n\n" + before["src/shop/store.py"]}
    for files in (before, after):
        project = project_of(files)
        found = callers(project, Resolver(project), find(project, "Store.open"))
        assert [(one.path, one.line) for one in found] == [("src/shop/use.py", 8), ("src/shop/use.py", 13)]


def test_a_change_reaches_callers_of_callers_by_resolved_calls_alone():
    project = project_of(PROJECTS["python"])
    found, unsure = reached(project, Resolver(project), find(project, "Base.rinse"), 10)
    assert [(project.symbol(one.address).name, one.distance) for one in found] == [
        ("Base.close", 1),
        ("Store.open", 2),
        ("Use.f", 2),
    ]
    assert [project.files[one.path].symbols[one.caller].name for one in unsure] == ["Use.f"]


def test_what_a_class_calls_is_what_its_methods_call():
    project = project_of(PROJECTS["python"])
    (store,) = find(project, "Store")
    assert {project.symbol(one.target).name for one in callees(project, Resolver(project), store)} == {
        "Base.close"
    }
