"""What `code` shows: conventions, libraries, patterns, and memories that name them."""

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snippets import sources

from privacy_rules import expand
from recortex import Cortex
from recortex.code.counting import LEAST_AGREEMENT, LEAST_SUPPORT, conventions_of
from recortex.code.detecting import FOLDER, detect, detectors, read
from recortex.code.populations import returned
from recortex.codebase.manifests import LARGEST, ecosystem_of, read_manifest
from recortex.errors import InvalidInputError, RecortexError

# -- The operation: of the working tree it is asked in, with what the memory knows of a symbol.
STORE = "class Store:\n    def open(self):\n        return check(1)\n\n\ndef check(x):\n    return x\n"
USE = "from store import Store, check\n\n\ndef use(s: Store):\n    s.open()\n    return check(2)\n"
TEST = "from use import use\n\n\ndef test_use():\n    assert use(None)\n"


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    for name, text in (("store.py", STORE), ("use.py", USE), ("tests/test_use.py", TEST)):
        (root / name).write_text(text)
    git(root, "init", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-m", "one")
    return root


def git(root, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


def test_callers_and_impact_name_functions_tests_and_memories(project):
    with Cortex.open(project) as cortex:
        known = cortex.remember(
            "check never raises, callers rely on it.", kind="tribal", files=["store.py:6-7"]
        )
        cortex.remember("Unrelated: the top of the file.", kind="tribal", files=["store.py:1"])
        called = cortex.code("callers", "check")
        assert [(one.path, one.line, one.caller, one.certainty) for one in called.calls] == [
            ("store.py", 3, "Store.open", "resolved"),
            ("use.py", 6, "use", "resolved"),
        ]
        found = cortex.code("impact", "check")
        assert [(one.name, one.distance) for one in found.reached] == [("Store.open", 1), ("use", 1)]
        assert [(one.name, one.distance) for one in found.tests] == [("test_use", 2)]
        assert [(one.id, one.because) for one in found.memories] == [(known.id, "cites store.py:6")]


@pytest.mark.parametrize("text", ["Store.open", "Store::open", "store.py:open", "store.py:3", "open()"])
def test_a_symbol_is_named_in_several_ways(project, text):
    with Cortex.open(project) as cortex:
        found = cortex.code("callers", text)
        assert [one.name for one in found.symbols] == ["Store.open"]
        assert [(one.path, one.line) for one in found.calls] == [("use.py", 5)]


def test_find_puts_the_nearest_first_and_says_when_there_is_more(project):
    with Cortex.open(project) as cortex:
        assert [one.name for one in cortex.code("find", "use").symbols] == ["use", "test_use"]
        assert cortex.code("find", "e", limit=1).more


def test_what_is_not_there_is_told_with_what_is_near(project):
    with Cortex.open(project) as cortex:
        with pytest.raises(RecortexError, match="Nothing is called 'chec'") as caught:
            cortex.code("callers", "chec")
        assert caught.value.code == "symbol_not_found"
        assert "check" in caught.value.hint
        with pytest.raises(InvalidInputError, match="Which symbol"):
            cortex.code("impact")
        with pytest.raises(InvalidInputError, match="tokens"):
            cortex.code("map", tokens=1)


def test_a_map_fits_its_budget_and_begins_with_what_is_in_play(project):
    with Cortex.open(project) as cortex:
        whole = cortex.code("map", tokens=1_000)
        assert {"store.py", "use.py"} <= set(whole.text.splitlines())
        assert "  6: def check(x)" in whole.text.splitlines()
        asked = cortex.code("map", "fix test_use", tokens=100)
        assert asked.text.startswith("tests/test_use.py")
        assert asked.tokens <= 100


def test_a_worktree_has_its_own_code(project, tmp_path):
    other = tmp_path / "other"
    git(project, "worktree", "add", str(other), "-b", "other")
    (other / "store.py").write_text(STORE.replace("def check", "def renamed"))
    with Cortex.open(project) as main, Cortex.open(other) as linked:
        assert main.code().status.parsed == 3
        assert linked.code().status.parsed == 1
        assert linked.code("find", "renamed").symbols
        assert not main.code("find", "renamed").symbols


def test_what_code_says_and_is_given_is_kept_without_secrets(project):
    token = expand("gh" + "p_<<A36>>")
    (project / "login.py").write_text(
        f'@signed(password="gulhixdorf", user="app")\n@issued("{token}")\ndef enter():\n'
        f'    """Enter with the password gulhix-7dorf, or with {token}."""\n    send("{token}")\n\n\n'
        f"# The key of the gate: {token}\nGATE = 1\n"
    )
    secrets = [token, "gulhixdorf", "gulhix-7dorf"]
    with Cortex.open(project) as cortex:
        (found,) = cortex.code("find", "enter", limit=1).symbols
        assert found.doc == "Enter with the password [PASSWORD_SPOKEN], or with [GITHUB_TOKEN]."
        home = cortex._app.project.home
        read = b"".join(one.read_bytes() for one in home.rglob("*") if one.is_file())
        assert [secret for secret in secrets if secret.encode() in read] == []


def test_patterns_tell_what_is_used_and_how_it_is_written(cortex, project):
    (project / "requirements.txt").write_text("fastapi==0.115.0\n")
    routes = "\n\n".join(
        f'@app.get("/kilns/{{number}}/part{number}")\n'
        f"async def part{number}(number: int) -> Answer:\n    return 1"
        for number in range(6)
    )
    (project / "app.py").write_text(f"from fastapi import FastAPI\n\napp = FastAPI()\n\n\n{routes}\n")
    found = cortex.code("patterns")
    (fastapi,) = [one for one in found.used if one.name == "FastAPI"]
    assert fastapi.version == "==0.115.0"
    assert ("GET", "/kilns/{number}/part3") in {(one.method, one.address) for one in fastapi.routes}


# -- Conventions: counted over populations, told with numbers and exceptions, where they say something.
FASTAPI = {"requirements.txt": "fastapi\n"}


def found(files):
    project = sources(files)
    return conventions_of(project, detect(project))


def told(files):
    return [one.statement for one in found(files)]


def handlers(good, bad=0):
    """An API of handlers of which the good ones return Result and the bad ones nothing of the kind."""
    head = "from fastapi import APIRouter\nrouter = APIRouter()\n\n\n"
    one = '@router.get("/{0}")\ndef {0}() -> {1}:\n    return {1}()\n\n\n'
    parts = [one.format(f"read{number}", "Result") for number in range(good)]
    parts += [one.format(f"ping{number}", "Other") for number in range(bad)]
    return {**FASTAPI, "src/api/routes.py": head + "".join(parts)}


def test_what_nearly_all_handlers_return_is_told_with_the_exception():
    files = handlers(14, 1)
    assert "14 of 15 FastAPI handlers return `Result`; exception: ping0." in told(files)
    one = next(one for one in found(files) if one.trait == "return")
    assert (one.support, one.total, one.value) == (14, 15, "Result")
    assert [place.name for place in one.exceptions] == ["ping0"]
    assert one.exceptions[0].path == "src/api/routes.py"


@given(st.integers(0, 12), st.integers(0, 12))
def test_support_and_agreement_are_always_enough(good, bad):
    rows = found(handlers(good, bad))
    assert all(one.support >= LEAST_SUPPORT and one.agreement >= LEAST_AGREEMENT for one in rows)
    assert all(one.total - one.support == len(one.exceptions) for one in rows)
    # What handlers return is told of eight or more.
    enough = max(good, bad) >= 8 and max(good, bad) >= LEAST_AGREEMENT * (good + bad)
    assert any(one.trait == "return" for one in rows) == enough


def test_what_the_language_does_by_itself_is_not_told():
    files = {f"app/read_file_{number}.py": "def read_it():\n    return 1\n" for number in range(8)}
    assert not any("snake_case" in one for one in told(files))


@pytest.mark.parametrize(
    ("base", "number", "files", "expected"),
    [("Plugin", 7, 7, True), ("Plugin", 6, 6, False), ("Plugin", 7, 1, False), ("Library", 7, 7, False)],
)
def test_a_base_class_is_told_where_it_is_the_projects_own_and_in_several_files(
    base, number, files, expected
):
    project = {"app/base.py": "class Plugin:\n    pass\n"}
    for one in range(number):
        path = f"app/tools/tool{one % files}.py"
        project[path] = project.get(path, "") + f"class Thing{one}{'x' * one}({base}):\n    x = 1\n\n\n"
    said = any(f"extend or implement `{base}`" in one for one in told(project))
    assert said == expected


@pytest.mark.parametrize(("mark", "expected"), [("Audited", True), ("Path", False), ("lib.Audited", False)])
def test_a_mark_of_classes_of_one_last_word_is_told_where_it_is_the_projects_own(mark, expected):
    files = {"app/audit.py": "def Audited(one):\n    return one\n"}
    for n in range(8):
        files[f"app/a{n}/it.py"] = f"@{mark}\nclass Some{'x' * n}Record:\n    x = 1\n"
        files[f"app/b{n}/it.py"] = f"class Some{'x' * n}Other:\n    x = 1\n"
    assert any("have the mark" in one for one in told(files)) == expected


def test_a_helper_is_told_of_tests_that_share_it_not_where_each_file_has_its_own():
    test = "def test_it{0}():\n    helper()\n\n\n"
    own = {f"tests/a/test_{n}.py": "def helper():\n    pass\n\n\n" + test.format(n) for n in range(12)}
    shared = {path: text.partition("\n\n\n")[2] for path, text in own.items()}
    shared["tests/a/helpers.py"] = "def helper():\n    pass\n"
    assert not any("call `helper`" in one for one in told(own))
    assert any("call `helper`" in one for one in told(shared))


def test_imports_tests_and_calls_have_a_style():
    files = {
        "package.json": '{"devDependencies": {"vitest": "1"}}',
        "src/lib/log.ts": "export const logger = 1;\n",
    }
    for number in range(20):
        files[f"src/pages/some-page-{number}.ts"] = (
            f"import {{ logger }} from '@/lib/log';\nexport function page{number}() {{ logger.info('x'); }}\n"
        )
        files[f"src/pages/some-page-{number}.test.ts"] = f"it('should open {number}', () => {{}});\n"
    said = told(files)
    assert "All 20 imports of own modules are written with `@/`." in said
    assert "All 20 test cases are written with `it(…)`." in said
    assert "All 20 test files stand beside the file that they test." in said
    assert any("named in kebab-case" in one for one in said)


def test_two_marks_of_the_same_classes_are_one_sentence():
    files = {
        f"src/main/java/a/{name}Param.java": f"@Getter\n@JsonRootName\npublic class {name}Param {{}}\n"
        for name in ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")
    }
    assert any("have the marks `@Getter` and `@JsonRootName`" in one for one in told(files))


@pytest.mark.parametrize(
    ("signature", "name", "language", "value"),
    [
        ("def f(a) -> Result[int]:", "f", "python", "Result[…]"),
        ("def f(a) -> None:", "f", "python", ""),
        ("def f(a):", "f", "python", None),
        ("async load(id: string): Promise<Page<User>>", "load", "typescript", "Page<…>"),
        ("public ResponseEntity<Owner> get(long id)", "get", "java", "ResponseEntity<…>"),
        ("public async Task<IResult> Get(int id)", "Get", "csharp", "IResult"),
        ("pub async fn f(x: u8) -> Result<Json<T>>", "f", "rust", "Result<…>"),
        ("public function get(int $id): Response", "get", "php", "Response"),
        ("func (s *S) Do(a int) http.Handler", "Do", "go", "http.Handler"),
        ("func (s *S) Do(a int) error", "Do", "go", ""),
        ("def f(" + "a" * 200, "f", "python", None),
    ],
)
def test_what_a_signature_returns(signature, name, language, value):
    assert returned(signature, name, language) == value


@given(st.text(max_size=210), st.text(max_size=20), st.sampled_from(["python", "go", "rust", "java", "php"]))
def test_any_signature_is_read(signature, name, language):
    returned(signature, name, language)


# -- Detection: a snippet in the form of each library's documentation, and what must not be found.
def cases(kind):
    """The programs of `detected.txt` of a kind: library, manifest, other files, and what is found in them."""
    text = Path(__file__).with_name("detected.txt").read_text(encoding="utf-8")
    for program in text.split("\n@@ ")[1:]:
        head, *parts = program.rstrip("\n").split("\n-- ")
        its_kind, name, found = (one.strip() for one in head.split("|"))
        (path, _, manifest), *files = (f"{one}\n".partition("\n") for one in parts)
        if its_kind == kind:
            yield (
                name,
                {path: manifest},
                {one: source for one, _, source in files},
                found.split("; ") * bool(found),
            )


FRAMEWORKS, MAPPERS = list(cases("framework")), list(cases("orm"))
ALL = [*FRAMEWORKS, *MAPPERS]
NAMES = [case[0] for case in ALL]


def test_every_framework_and_mapper_has_a_case():
    assert sorted(NAMES) == sorted(one.name for one in detectors() if one.kind != "practice")
    assert (len(FRAMEWORKS), len(MAPPERS)) == (21, 16)


@pytest.mark.parametrize(
    ("name", "manifest", "files", "routes"), FRAMEWORKS, ids=[one[0] for one in FRAMEWORKS]
)
def test_a_framework_is_found_with_its_routes(name, manifest, files, routes):
    found = detect(sources({**manifest, **files})).named(name)
    assert found is not None
    assert [f"{one.method} {one.address}" for one in found.routes] == routes
    assert all(one.place.path in files and one.place.line >= 1 for one in found.routes)


@pytest.mark.parametrize(("name", "manifest", "files", "tables"), MAPPERS, ids=[one[0] for one in MAPPERS])
def test_a_mapper_is_found_with_its_tables(name, manifest, files, tables):
    found = detect(sources({**manifest, **files})).named(name)
    assert found is not None
    assert sorted({one.name for one in found.tables}) == tables
    assert found.manifest.path in manifest


@pytest.mark.parametrize(("name", "manifest", "files", "_"), ALL, ids=NAMES)
def test_a_manifest_without_use_is_not_enough(name, manifest, files, _):
    ending = next(iter(files)).rpartition(".")[2]
    assert detect(sources({**manifest, f"src/empty.{ending}": ""})).named(name) is None


@pytest.mark.parametrize(("name", "files"), [(one[0], one[2]) for one in ALL], ids=NAMES)
def test_use_without_a_manifest_is_not_enough(name, files):
    found = detect(sources(files)).named(name)
    assert (found is not None) == (name == "net/http")  # it belongs to the language


@pytest.mark.parametrize(("name", "manifest", "files", "_"), ALL, ids=NAMES)
def test_what_only_tests_use_is_not_used(name, manifest, files, _):
    moved = {f"tests/{path}": text for path, text in files.items()}
    assert detect(sources({**manifest, **moved})).named(name) is None


@pytest.mark.parametrize(("name", "manifest", "files"), [one[:3] for one in cases("namesake")])
def test_namesakes_are_not_found(name, manifest, files):
    assert detect(sources({**manifest, **files})).named(name) is None


def test_a_copied_header_stands_for_a_manifest():
    files = {"src/main.cpp": '#include "crow_all.h"\nint main() { CROW_ROUTE(app, "/x"); }\n'}
    found = detect(sources(files, more=("include/crow_all.h",))).named("Crow")
    assert (found.manifest.path, found.routes[0].address) == ("include/crow_all.h", "/x")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.toml")), ids=lambda path: path.stem)
def test_a_file_of_rules_loads(path):
    assert all(one.name for one in read(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'name = "X"\nkind = "framework"\nlanguages = ["go"]\nstandard = true\nimport = ["x"]\n',
            "unknown field `import`",
        ),
        ('name = "X"\nkind = "framework"\nlanguages = ["cobol"]\n', "cobol"),
        ('name = "X"\nkind = "framework"\nlanguages = ["go"]\nimports = ["x"]\n', "no evidence in manifests"),
        ('name = "X"\nkind = "framework"\nlanguages = ["go"]\nmanifest.go = ["x"]\n', "no evidence in code"),
        (
            'name = "X"\nkind = "orm"\nlanguages = ["go"]\nstandard = true\n[[uses]]\non = "call"\n',
            "needs names",
        ),
        (
            (
                'name = "X"\nkind = "orm"\nlanguages = ["go"]\nstandard = true\n[[uses]]\non = "path"\n'
                'pattern = "("\n'
            ),
            "missing )",
        ),
        ("name =", "x.toml"),
    ],
)
def test_a_slip_in_a_file_of_rules_is_an_error(tmp_path: Path, text, said):
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=re.escape(said)):
        list(read(path))


# -- Manifests: names, versions and lines in eight ecosystems; what is malformed is reported.
CASES = [
    (
        "package.json",
        '{\n "dependencies": {"express": "^4"},\n "devDependencies": {"jest": "29"}\n}',
        "npm",
        [("express", "^4", 2), ("jest", "29", 3)],
    ),
    (
        "pyproject.toml",
        '[project]\ndependencies = [\n "FastAPI[all]>=0.1,<1",\n "flask_sqlalchemy"\n]\n',
        "pypi",
        [("fastapi", ">=0.1,<1", 3), ("flask-sqlalchemy", "", 4)],
    ),
    (
        "pyproject.toml",
        '[tool.poetry.dependencies]\nDjango = {version = "^5", extras = ["x"]}\n',
        "pypi",
        [("django", "^5", 2)],
    ),
    ("requirements/base.txt", "# all\n-r x.txt\nDjango==5.1.2 # web\n", "pypi", [("django", "==5.1.2", 3)]),
    ("requirements-dev.txt", "pytest\n", "pypi", [("pytest", "", 1)]),
    (
        "setup.py",
        "from setuptools import setup\nsetup(install_requires=['sqlalchemy<2'])\n",
        "pypi",
        [("sqlalchemy", "<2", 2)],
    ),
    ("Pipfile", '[packages]\nflask = "*"\n', "pypi", [("flask", "*", 2)]),
    (
        "go.mod",
        (
            "module x.org/a\n\nrequire (\n\tgithub.com/a/b v1.0.0 // indirect\n"
            "\tgithub.com/labstack/echo/v4 v4.1.16\n)\n"
        ),
        "go",
        [("github.com/a/b", "v1.0.0", 4), ("github.com/labstack/echo/v4", "v4.1.16", 5)],
    ),
    (
        "Cargo.toml",
        '[dependencies]\naxum = "0.8"\nweb = { package = "actix-web", version = "4" }\n',
        "cargo",
        [("axum", "0.8", 2), ("actix-web", "4", 3)],
    ),
    (
        "pom.xml",
        (
            "<project xmlns='http://maven.apache.org/POM/4.0.0'><dependencies>\n"
            "<dependency><groupId>org.hibernate"
            "</groupId><artifactId>hibernate-core</artifactId><version>5.6</version></dependency>"
            "</dependencies></project>"
        ),
        "maven",
        [("org.hibernate:hibernate-core", "5.6", 2)],
    ),
    (
        "build.gradle",
        (
            "plugins { id 'org.springframework.boot' version '3.1.0' }\n"
            "dependencies { implementation 'org.springframework.boot:spring-boot-starter-web' }\n"
        ),
        "maven",
        [
            ("org.springframework.boot:spring-boot-starter-web", "", 2),
            ("plugin:org.springframework.boot", "3.1.0", 1),
        ],
    ),
    (
        "gradle/libs.versions.toml",
        '[libraries]\nweb = { module = "org.x:web", version = "1" }\n',
        "maven",
        [("org.x:web", "1", 2)],
    ),
    (
        "src/App.csproj",
        (
            '<Project Sdk="Microsoft.NET.Sdk.Web">\n<ItemGroup>'
            '<PackageReference Include="Dapper" Version="2.0" /></ItemGroup></Project>'
        ),
        "nuget",
        [("microsoft.net.sdk.web", "", 1), ("dapper", "2.0", 2)],
    ),
    (
        "composer.json",
        '{"require": {"laravel/framework": "^11"}}',
        "composer",
        [("laravel/framework", "^11", 1)],
    ),
    (
        "CMakeLists.txt",
        "find_package(Qt6 REQUIRED COMPONENTS Widgets) # all\n",
        "cpp",
        [("qt6", "", 1), ("required", "", 1), ("components", "", 1), ("widgets", "", 1)],
    ),
    ("app.pro", "QT += core gui\n", "cpp", [("qt::core", "", 1), ("qt::gui", "", 1)]),
    ("conanfile.txt", "[requires]\nboost/1.83.0\n", "cpp", [("boost", "1.83.0", 2)]),
    (
        "vcpkg.json",
        '{"dependencies": ["crow", {"name": "boost-beast"}]}',
        "cpp",
        [("crow", "", 1), ("boost-beast", "", 1)],
    ),
]


@pytest.mark.parametrize(("path", "text", "ecosystem", "rows"), CASES)
def test_a_manifest_says_what_it_depends_on_and_where(path, text, ecosystem, rows):
    found = read_manifest(path, text)
    assert (found.ecosystem, found.problem) == (ecosystem, "")
    assert ecosystem_of(path) == ecosystem_of(f"a/b/{path}") == ecosystem
    lines = [(one.name, one.version, one.line) for one in found.dependencies]
    assert [(name, version) for name, version, _ in lines] == [(name, version) for name, version, _ in rows]
    if not path.endswith((".pro",)):
        assert [line for *_, line in lines] == [line for *_, line in rows]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "{"), ("package.json", "[" * 100_000), ("pyproject.toml", "[project\n"),
        ("pyproject.toml", "[project]\ndependencies = 3\n"),
        ("pom.xml", '<!DOCTYPE x [<!ENTITY a "b">]><project>&a;</project>'),
        ("pom.xml", "<project>"), ("setup.py", "def ("), ("Cargo.toml", "x" * (LARGEST + 1)),
    ],
)  # fmt: skip
def test_a_malformed_manifest_is_reported_and_never_fatal(path, text):
    found = read_manifest(path, text)
    assert found.problem
    assert found.dependencies == ()


@pytest.mark.parametrize(
    "sign",
    [
        *(" ", "id ", "a:a ", "a = "),
        *(
            pytest.param(one, marks=pytest.mark.full)
            for one in ("\n", "a\n", "QT\n", "'a'", "((", "/", "<a>", "group=")
        ),
    ],
)
def test_no_pattern_is_quadratic_on_hostile_manifests(sign):
    """Where one is, this takes hours, and the time limit of all tests ends it."""
    for path in sorted({path for path, *_ in CASES}):
        assert read_manifest(path, sign * (LARGEST // len(sign))) is not None


@given(st.sampled_from(sorted({path for path, *_ in CASES})), st.text(max_size=400))
def test_any_text_is_read_or_reported(path, text):
    found = read_manifest(path, text)
    assert all(one.name and one.line >= 1 for one in found.dependencies)
