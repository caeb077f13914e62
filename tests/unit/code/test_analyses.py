"""Queries over facts: circles of imports, guards, settings."""

from snippets import sources

from recortex.code.detecting import detect
from recortex.code.findings import cycles, environment, import_graph, that_run, unguarded_routes


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
    (found,) = cycles(that_run(project, import_graph(project)))
    assert [place.path for place in found.related] == ["src/a.py", "src/b.py"]


def test_a_long_chain_of_imports_needs_no_recursion():
    graph = {f"{number}": (f"{number + 1}",) for number in range(5_000)} | {"5000": ("0",)}
    assert len(cycles(graph)[0].related) == 5_001


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


def test_environment_variables_are_read_by_calls():
    project = sources(
        {
            "a.py": 'import os\nA = os.getenv("ONE")\nB = os.environ.get("TWO")\n',
            "a.go": 'package a\nimport "os"\nfunc f() { os.Getenv("THREE") }\n',
        }
    )
    assert [one.place.name for one in environment(project)] == ["ONE", "THREE", "TWO"]
