"""Conventions: counted over populations, told with numbers and exceptions, where they say something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snippets import sources

from recortex.code.counting import LEAST_AGREEMENT, LEAST_SUPPORT, conventions_of
from recortex.code.detecting import detect
from recortex.code.populations import returned

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
