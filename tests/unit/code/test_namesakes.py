# ruff: noqa: ISC004
"""Calls into libraries: none becomes an edge to something of the project that has the same name.

A set of small files in each language. Each calls methods and functions of libraries, or of the language, whose
names the project also defines.
"""

import pytest

from recortex.codebase.syntax.extraction import read_facts
from recortex.engines.code.project import Project
from recortex.engines.code.resolution import Resolver

OWN = {
    "python": {
        "shop/log.py": "class Log:\n    def append(self, x): ...\n    def get(self, k): ...\n"
        "    def print(self, t): ...\n    def open(self): ...\n    def read(self): ...\n    def join(self, p): ...\n",
        "shop/names.py": "def print(x): ...\ndef open(p): ...\ndef get(u): ...\ndef dumps(x): ...\n"
        "def len(x): ...\ndef zeros(n): ...\n",
        "shop/json.py": "def loads(x): ...\n",
        "tools/requests.py": "def get(url): ...\ndef post(url): ...\n",
    },
    "javascript": {
        "src/list.js": "export class List { push(x) {} map(f) {} get(k) {} append(x) {} log(x) {} then(f) {} }\n",
        "src/names.js": "export function fetch(u) {}\nexport function parseInt(x) {}\nexport function get(u) {}\n"
        "export function readFile(p) {}\nexport function setTimeout(f) {}\n",
        "src/axios.js": "export default function axios() {}\nexport function get(u) {}\n",
    },
    "typescript": {
        "src/store.ts": "export class Store { get(k: string) {} set(k: string) {} find(k: string) {} render() {} }\n",
        "src/react.ts": "export function useState(x: number) {}\nexport function useEffect(f: any) {}\n",
    },
    "java": {
        "src/com/shop/Log.java": "package com.shop; public class Log { public void println(String s) {} "
        "public static Log of(int a) { return null; } public void add(int x) {} public int get(int i) { return 0; }"
        " public static int parseInt(String s) { return 0; } public String format(String s) { return s; } }",
        "src/com/shop/Integer2.java": "package com.shop; public class Integer2 { void equals2() {} }",
        "src/com/shop/util/List.java": "package com.shop.util; public class List { public static List of(int a)"
        " { return null; } public void stream() {} }",
    },
    "csharp": {
        "Log.cs": "namespace Shop; public class Log { public static bool TryParse(string s, out int i) "
        "{ i = 0; return true; } public void WriteLine(string s) {} public void Add(int x) {} "
        "public int Select(int x) => x; public void SendAsync() {} }",
        "Int.cs": "namespace Shop.Numbers; public class Int { public static int Parse(string s) => 0; }",
    },
    "php": {
        "src/Log.php": "<?php namespace Shop; class Log { public function format($x) {} public function get($x) {} "
        "public function execute() {} public function json($x) {} }",
        "src/names.php": "<?php namespace Shop\\Names; function count($x) {} function strlen($x) {} "
        "function json_encode($x) {}",
    },
    "go": {
        "go.mod": "module example.com/shop\n",
        "log/log.go": "package log\nfunc Println(s string) {}\nfunc Printf(s string) {}\n"
        "type Logger struct{}\nfunc (l *Logger) Write(b []byte) {}\nfunc (l *Logger) Close() {}\n",
        "strings/strings.go": "package strings\nfunc Split(s string) {}\nfunc append(x int) {}\n",
    },
    "rust": {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/log.rs": "pub struct Log; impl Log { pub fn new() -> Self { Log } pub fn push(&self, x: i32) {} "
        "pub fn unwrap(&self) {} pub fn collect(&self) {} }\npub fn println(s: &str) {}\npub fn spawn(f: i32) {}\n",
        "src/thread.rs": "pub fn spawn(f: i32) {}\n",
    },
    "c": {
        "src/log.c": "void printf2(void) {}\nstatic int strlen(const char *s) { return 0; }\n"
        "int memcpy(int a) { return a; }\nvoid read(int fd) {}\n",
        "src/string.h": "int strcmp(const char *a);\n",
    },
    "cpp": {
        "src/list.hpp": "namespace shop { class List { public: void push_back(int x) {} int size() { return 0; } "
        "void insert(int x) {} }; void sort(int a) {} }",
        "src/vector": "",
        "src/move.cpp": "namespace shop { int move(int a) { return a; } }",
    },
}
CALLS = {
    "python": (
        "shop/use.py",
        "import json, requests, numpy as np, os.path\nfrom collections import OrderedDict\n"
        "from httpx import get, Client\nimport tools_x as tx\n\n"
        "def f(items: list, text: str, unknown):\n    items.append(1)\n    unknown.append(2)\n    text.join([])\n"
        "    print('x')\n    open('f').read()\n    len(items)\n    json.dumps({})\n    json.loads('1')\n"
        "    requests.get('u')\n    requests.post('u')\n    get('u')\n    np.zeros(3)\n    os.path.join('a')\n"
        "    Client().get('u')\n    client = Client()\n    client.get('x')\n    d = OrderedDict()\n    d.get('k')\n"
        "    {}.get('k')\n    [].append(1)\n    'a'.join([])\n    unknown.get('k')\n    tx.print('a')\n",
    ),
    "javascript": (
        "src/use.js",
        "import axios from 'axios';\nimport { readFile } from 'fs';\nimport * as fs from 'node:fs';\n"
        "const get = require('lodash/get');\n"
        "export function f(items, el) { items.push(1); items.map(x => x); el.append(2); console.log(1);"
        " fetch('u'); parseInt('1'); get(items, 'a'); readFile('p'); fs.readFile('p'); axios.get('u'); axios('u');"
        " [].map(f); new Map().get(1); setTimeout(f, 1); Promise.resolve(1).then(f); 'a'.get(1); items.get(1); }\n",
    ),
    "typescript": (
        "src/use.ts",
        "import { useState, useEffect } from 'react';\nimport { render } from '@testing/lib';\n"
        "export function f(m: Map<string, number>, k: URLSearchParams, u: any) { useState(1); useEffect(f); m.get('a');"
        " m.set('a', 1); k.get('b'); render(); u.get('a'); u.find(f); const p = new Proxy({}); p.find('a'); }\n",
    ),
    "java": (
        "src/com/shop/Use.java",
        "package com.shop; import java.util.List; import java.util.*; class Use { void f(List<Integer> xs, Map<A, B> m,"
        ' Thread t) { System.out.println("a"); Integer.parseInt("1"); xs.add(1); xs.get(0); m.get(1); List.of(1);'
        ' xs.stream(); String.format("a"); "a".format("b"); t.format("x"); new ArrayList<>().add(1);'
        " Optional.of(1).get(); } }",
    ),
    "csharp": (
        "Use.cs",
        "using System; using System.Linq; namespace Shop; class Use { void F(List<int> xs, HttpClient client, int n) {"
        ' int.TryParse("1", out var i); Int32.TryParse("1", out i); Console.WriteLine("a"); xs.Add(1);'
        ' xs.Select(x => x); client.SendAsync(); int.Parse("1"); DateTime.TryParse("a", out var d);'
        " new List<int>().Add(1); var q = new HttpClient(); q.SendAsync(); n.Add(1); } }",
    ),
    "php": (
        "src/use.php",
        "<?php namespace Shop; use DateTime; use GuzzleHttp\\Client; function f(\\PDO $db, Client $c, $u) { count([]);"
        " strlen('a'); json_encode([]); $d = new DateTime(); $d->format('Y'); $c->get('u'); $db->execute();"
        " $u->get('k'); \\count([]); (new Client())->get('x'); DateTime::format('a'); }",
    ),
    "go": (
        "use/use.go",
        'package use\nimport ("log"; "strings"; "os"; other "github.com/x/shop/log")\n'
        'func F(f *os.File, u Thing) { log.Println("a"); strings.Split("a"); x = append(x, 1); f.Close();'
        ' f.Write(nil); u.Close(); other.Println("x"); log.Printf("a"); print("a"); copy(a, b) }\n',
    ),
    "rust": (
        "src/main.rs",
        "use std::thread; use std::collections::HashMap; use tokio::spawn; use rayon::prelude::*;\n"
        'fn f(v: Vec<i32>, u: Thing) { println!("a"); thread::spawn(1); spawn(2); v.push(1); u.unwrap();'
        " let m = HashMap::new(); m.push(1); Vec::new(); String::new(); u.iter().collect(); std::thread::spawn(3);"
        " Some(1).unwrap(); }\n",
    ),
    "c": (
        "src/use.c",
        "#include <string.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        "int f(char *a, struct s *p) { printf(a); strlen(a); memcpy(a); strcmp(a, a); read(0); p->read(1); (*p)(2);"
        " return 0; }\n",
    ),
    "cpp": (
        "src/use.cpp",
        "#include <vector>\n#include <algorithm>\n#include <utility>\n"
        "int f(std::vector<int> v, Thing &t) { v.push_back(1); v.size(); std::sort(v.begin(), v.end()); std::move(v);"
        " t.insert(1); sort(1); move(2); std::vector<int>().push_back(2); return 0; }\n",
    ),
}


def project_of(files):
    return Project({path: read_facts(path, text.encode()) for path, text in files.items() if text})


@pytest.mark.parametrize("language", OWN)
def test_a_call_into_a_library_is_no_edge_to_a_namesake(language):
    path, text = CALLS[language]
    project = project_of(OWN[language] | {path: text})
    facts = project.files[path]
    assert facts.whole
    assert len(facts.calls) >= 6
    resolver = Resolver(project)
    edges = [(one, meaning) for one in facts.calls if (meaning := resolver.meaning(path, one)).targets]
    assert edges == []


def test_the_set_is_a_set_of_namesakes():
    known = {
        one.plain
        for files in OWN.values()
        for path, text in files.items()
        if text
        for one in read_facts(path, text.encode()).symbols
    }
    called = [
        one.name.rstrip("!") for path, text in CALLS.values() for one in read_facts(path, text.encode()).calls
    ]
    assert sum(name in known for name in called) >= 100
