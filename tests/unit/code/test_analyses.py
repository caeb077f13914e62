"""Queries over facts: tests, cycles, coupling, risky calls, guards, SQL, settings, constants, wrappers."""

from snippets import sources

from recortex.engines.code.analyses.calls import (
    composed_sql,
    environment,
    hidden_errors,
    repeated_constants,
    unguarded_routes,
    wrappers,
)
from recortex.engines.code.analyses.graph import import_graph
from recortex.engines.code.analyses.structure import coupling, cycles, that_run, topology
from recortex.engines.code.detection.detecting import detect


def test_a_test_is_known_by_its_import_or_its_name():
    project = sources(
        {
            "app/__init__.py": "",
            "app/store.py": "def read():\n    pass\n",
            "app/other.py": "",
            "tests/test_reading.py": "from app.store import read\n\n\ndef test_read():\n    read()\n",
            "tests/test_other.py": "def test_nothing():\n    pass\n",
        }
    )
    found = {one.place.path: one for one in topology(project, import_graph(project))}
    assert [place.path for place in found["app/store.py"].related] == ["tests/test_reading.py"]
    assert found["app/store.py"].certainty == "certain"
    assert found["app/other.py"].certainty == "likely"
    assert "app/__init__.py" not in found


def test_files_that_import_each_other_are_a_cycle():
    project = sources(
        {
            "src/a.ts": "import { b } from './b';\n",
            "src/b.ts": "import { c } from './c';\n",
            "src/c.ts": "import { a } from './a';\n",
            "src/d.ts": "import { a } from './a';\n",
        }
    )
    found = cycles(import_graph(project))
    assert [[place.path for place in one.related] for one in found] == [["src/a.ts", "src/b.ts", "src/c.ts"]]


def test_circles_are_told_where_an_import_runs_the_other_file():
    files = {
        "src/A.java": "package a;\nimport a.B;\nclass A {}\n",
        "src/B.java": "package a;\nimport a.A;\nclass B {}\n",
        "src/a.py": "from src.b import b\n",
        "src/b.py": "from src.a import a\n",
        "src/c.py": "from src.d import d\n",
        "src/d.py": "def d():\n    from src.c import c\n",
    }
    project = sources(files)
    (found,) = cycles(that_run(project, import_graph(project, loading=True)))
    assert [place.path for place in found.related] == ["src/a.py", "src/b.py"]


def test_a_long_chain_of_imports_needs_no_recursion():
    graph = {f"{number}": (f"{number + 1}",) for number in range(5_000)} | {"5000": ("0",)}
    assert len(cycles(graph)[0].related) == 5_001


def test_folders_that_many_import_from_are_told_and_those_that_need_each_other():
    files = {"src/core/index.ts": "import { x } from '../f0/a';\n"}
    for number in range(5):
        files[f"src/f{number}/a.ts"] = "import { core } from '../core';\n"
    project = sources(files)
    said = [one.text for one in coupling(project, import_graph(project))]
    assert said == ["5 folders import from src/core.", "src/core and src/f0 import from each other."]


def test_calls_that_end_the_process_are_counted_outside_of_tests():
    text = 'fn a() { panic!("x"); panic!("y"); }\nmod tests {\n  fn b() { panic!("z"); }\n}\n'
    found = hidden_errors(sources({"src/lib.rs": text, "tests/a.rs": 'fn a() { panic!("x"); }\n'}))
    assert [one.text for one in found] == ["src/lib.rs calls `panic!` 2 times; it ends the thread."]


def test_what_is_meant_to_end_the_process_is_not_told():
    go = "package a\nfunc MustOpen() { panic(1) }\nfunc open() { panic(1) }\n"
    rust = 'fn a() { x.expect("a home is set"); x.unwrap(); }\n'
    found = hidden_errors(sources({"a.go": go, "src/lib.rs": rust}))
    assert [(one.place.path, len(one.related)) for one in found] == [("a.go", 1)]


def test_a_handler_without_the_guard_of_the_others_is_possible():
    body = "".join(
        f'  {"" if name in {"erase", "ping"} else "@PreAuthorize(x)"}\n  @GetMapping("/{name}")\n'
        f"  public R {name}() {{ return r; }}\n"
        for name in ("one", "two", "three", "erase", "ping")
    )
    pom = (
        "<project><dependencies><dependency><groupId>org.springframework.boot</groupId>"
        "<artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>"
    )
    head = "package a;\nimport org.springframework.web.bind.annotation.*;\n@RestController\n"
    java = f"{head}public class A {{\n{body}}}\n"
    project = sources({"pom.xml": pom, "src/main/java/a/A.java": java})
    found = unguarded_routes(detect(project), project)
    assert [(one.place.name.rpartition(".")[2], one.certainty) for one in found] == [("erase", "possible")]


def test_sql_with_values_in_its_text_is_likely_composed():
    project = sources(
        {
            "a.js": "db.query(`SELECT * FROM users WHERE id = ${id}`);\n"
            "db.query('SELECT * FROM users WHERE id = ?');\n"
        }
    )
    assert [one.place.line for one in composed_sql(project)] == [1]


def test_environment_variables_are_read_by_calls():
    project = sources(
        {
            "a.py": 'import os\nA = os.getenv("ONE")\nB = os.environ.get("TWO")\n',
            "a.go": 'package a\nimport "os"\nfunc f() { os.Getenv("THREE") }\n',
        }
    )
    assert [one.place.name for one in environment(project)] == ["ONE", "THREE", "TWO"]


def test_constants_of_one_name_are_compared():
    project = sources(
        {"a.py": "LIMIT = 5\nSIZE = 1\n", "b.py": "LIMIT = 5\nSIZE = 2\n", "c.py": "OTHER = 1\n"}
    )
    assert [one.text for one in repeated_constants(project)] == [
        "LIMIT is defined in 2 files, with the same value.",
        "SIZE is defined in 2 files, with different values.",
    ]


def test_a_function_that_only_calls_another_is_a_wrapper():
    project = sources(
        {"a.py": "def read(path):\n    return load(path)\n\n\ndef two(a):\n    one(a)\n    two(a)\n"}
    )
    assert [one.text for one in wrappers(project)] == ["read does nothing but call `load`."]
