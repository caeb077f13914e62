"""Detection: a snippet in the form of each library's documentation, and what must not be found."""

import re
from pathlib import Path

import pytest
from snippets import sources

from recortex.code.detecting import FOLDER, detect, detectors, read
from recortex.errors import InvalidInputError


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
