"""Manifests: names, versions and lines in eight ecosystems; what is malformed is reported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.codebase.manifests import LARGEST, ecosystem_of, read_manifest

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
        ("package.json", "{"),
        ("package.json", "[" * 100_000),
        ("pyproject.toml", "[project\n"),
        ("pyproject.toml", "[project]\ndependencies = 3\n"),
        ("pom.xml", '<!DOCTYPE x [<!ENTITY a "b">]><project>&a;</project>'),
        ("pom.xml", "<project>"),
        ("setup.py", "def ("),
        ("Cargo.toml", "x" * (LARGEST + 1)),
    ],
)
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
