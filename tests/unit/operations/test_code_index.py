"""Code and its description: a pair, found by the prose, never embedded, replaced when indexed again."""

import os
import sys

import pytest

from places import store_folder
from recortex import Cortex
from recortex.domain.vocabulary import Importance, Origin, RelationType
from recortex.errors import InvalidInputError

SOURCE = """import hmac


def same_signature(body, given, secret):
    made = hmac.new(secret, body, "sha256").hexdigest()
    return hmac.compare_digest(made, given)


def other():
    return 1
"""
SAID = "Checks the signature of an incoming webhook in constant time, so that timing tells nothing"
QUESTION = "how is the signature of a webhook checked?"


@pytest.fixture
def file(project):
    path = project / "src" / "hooks.py"
    path.parent.mkdir()
    path.write_text(SOURCE, encoding="utf-8")
    return path


@pytest.fixture
def indexed(cortex, file):
    assert file.exists()
    return cortex.index("src/hooks.py:4-6", SAID, tags=["security"], importance="high")


def relations(cortex):
    return cortex._app.all_services()[0].store.relations.all()


def active(cortex):
    return {one.id for one in cortex.list().memories}


DOCUMENTED = SOURCE.replace("secret):\n", 'secret):\n    """Compare two signatures of a body."""\n')


def test_a_symbol_without_a_description_keeps_the_one_that_was_given(cortex, file):
    file.write_text(DOCUMENTED)
    place = "src/hooks.py:same_signature"
    cortex.index(place, SAID)
    assert not cortex.index(place).changed
    file.write_text(DOCUMENTED.replace("sha256", "sha512"))
    again = cortex.index(place)
    assert again.changed
    assert again.description.text == SAID
    assert "sha512" in again.code.text


def test_a_pair_is_two_memories_joined(cortex, indexed):
    description, code = indexed.description, indexed.code
    assert (description.kind, code.kind) == ("code_description", "code")
    assert description.text == SAID
    assert code.text == "".join(SOURCE.splitlines(keepends=True)[3:6])
    for one in (description, code):
        (link,) = one.files
        assert (link.path, link.line_start, link.line_end) == ("src/hooks.py", 4, 6)
        assert len(link.content_hash) == 64
        assert (one.origin, one.importance, one.tags) == (Origin.CODE_INDEX, Importance.HIGH, ("security",))
        assert cortex.get(one.id) == one
    (relation,) = relations(cortex)
    assert (relation.source_id, relation.type, relation.target_id) == (
        description.id, RelationType.SOURCE_OF, code.id,
    )  # fmt: skip


def test_the_commit_is_kept(cortex, file, project):
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (project / ".git" / "refs" / "heads").mkdir(parents=True)
    (project / ".git" / "refs" / "heads" / "main").write_text("c0ffee" * 6 + "c0ff\n")
    assert file.exists()
    assert cortex.index("src/hooks.py", SAID).code.files[0].commit == "c0ffee" * 6 + "c0ff"


def test_a_recall_brings_the_code_of_a_description(cortex, indexed, file):
    (hit,) = cortex.recall(QUESTION).hits
    assert hit.memory.id == indexed.description.id
    assert [code.id for code in hit.code] == [indexed.code.id]
    assert hit.freshness == "fresh"
    file.write_text(SOURCE.replace("sha256", "sha512"), encoding="utf-8")
    (hit,) = cortex.recall(QUESTION).hits
    assert hit.freshness == "changed"
    assert "sha256" in hit.code[0].text


def test_raw_code_is_a_hit_only_where_it_is_asked_for(cortex, indexed):
    words = "same_signature hmac compare_digest hexdigest"
    for floor in (True, False):
        assert all(hit.memory.kind != "code" for hit in cortex.recall(words, floor=floor).hits)
    asked = cortex.recall(words, kinds=["code"])
    assert [(hit.memory.id, hit.code) for hit in asked.hits] == [(indexed.code.id, ())]


def test_code_gets_no_vector(project, file, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    assert file.exists()
    with Cortex.open(project, clock=clock) as cortex:
        pair = cortex.index("src/hooks.py:4-6", SAID)
        cortex.backfill()
        vectors = cortex._app.all_services()[0].store.vectors
        model = cortex._app.probe_embedder()
        assert set(vectors.codes_of([pair.description.id, pair.code.id], model)) == {pair.description.id}
        assert vectors.count_pending() == 0


def test_the_same_again_changes_nothing(cortex, indexed, clock):
    clock.pass_(days=1)
    again = cortex.index("src/hooks.py:4-6", f" {SAID} ", tags=["security"], importance="high")
    assert not again.changed
    assert (again.description.id, again.code.id) == (indexed.description.id, indexed.code.id)
    assert cortex.list().total == 2
    assert len(relations(cortex)) == 1


def test_a_piece_that_moved_is_recognised(cortex, indexed, file):
    file.write_text("# a line\n" * 30 + SOURCE, encoding="utf-8")
    moved = cortex.index("src/hooks.py:34-36", "Compares signatures")
    assert set(moved.superseded) == {indexed.description.id, indexed.code.id}


def test_other_pieces_stay(cortex, indexed, file):
    for path in ("src/hooks.py:9-10", "src/hooks.py"):
        assert cortex.index(path, f"About {path}").superseded == ()
    (file.parent / "copy.py").write_text(SOURCE, encoding="utf-8")
    copy = cortex.index("src/copy.py:4-6", SAID)
    assert copy.changed
    assert copy.superseded == ()
    assert indexed.description.id in active(cortex)
    assert cortex.list().total == 8


def test_secrets_do_not_get_in(cortex, project, file):
    token = "ghp_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"
    file.write_text(f"def key():\n    return '{token}'\n", encoding="utf-8")
    kept = cortex.index("src/hooks.py", f"The key {token} of the service")
    assert kept.redacted == 2
    assert token not in kept.code.text + kept.description.text
    assert not any(
        token.encode() in path.read_bytes() for path in store_folder(project).rglob("*") if path.is_file()
    )


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("src/none.py", "cannot be read"), ("src", "no file"), ("../outside.py", "outside"),
        ("/etc/hostname", "outside|read"), ("src/link.py", "outside"), ("src/circle.py", "cannot be read"),
        ("src/hooks.py:40-50", "10 lines"), ("src/hooks.py:4-11", "10 lines"),
        ("src/hooks.py:6-4", "is not a file"), ("src/hooks.py:2-3", "nothing"), ("src/binary.bin", "binary"),
        ("src/latin.txt", "UTF-8"), ("src/large.py", "65,536"), ("src/huge.py", "MB"), ("", "is not a file"),
        ("src/a\0b.py", "cannot be read"), ("src/pipe", "no file"),
    ],
)  # fmt: skip
def test_what_cannot_be_indexed(cortex, project, file, path, why):
    (project.parent / "outside.py").write_text("x = 1\n")
    folder = file.parent
    (folder / "link.py").symlink_to(project.parent / "outside.py")
    (folder / "circle.py").symlink_to(folder / "circle.py")
    (folder / "binary.bin").write_bytes(b"a\0b")
    (folder / "latin.txt").write_bytes("für".encode("latin-1"))
    (folder / "large.py").write_text("x = 1\n" * 11_000)
    (folder / "huge.py").write_bytes(b"x" * (5 * 1024 * 1024))
    os.mkfifo(folder / "pipe")
    with pytest.raises(InvalidInputError, match=why):
        cortex.index(path, SAID)
    assert cortex.list().total == 0


def test_a_description_must_say_something(cortex, file):
    assert file.exists()
    with pytest.raises(InvalidInputError, match="empty"):
        cortex.index("src/hooks.py", "  ")


STORE = '''class Store:
    """Keeps rows."""

    @cached
    def open(self, path):
        """Opens the file of the store,
        and makes it where it is not there.

        Args:
            path: of the file.
        """
        return path


def close(store):
    pass
'''
GO = """package kiln

// Fire heats the kiln to a temperature,
// slowly, since clay cracks.
//
// It waits.
func Fire(degrees int) error {
	return nil
}
"""


@pytest.fixture
def code(file):
    (file.parent / "store.py").write_text(STORE, encoding="utf-8")
    (file.parent / "kiln.go").write_text(GO, encoding="utf-8")
    return file.parent


def test_documentation_above_a_symbol_is_read_to_its_first_gap(cortex, code):
    assert code.exists()
    kept = cortex.index("Fire")
    said = "Fire heats the kiln to a temperature, slowly, since clay cracks."
    assert kept.description.text == f"{said}\n\nThe function `Fire`: `func Fire(degrees int) error`"
    assert cortex.index("Fire", "Heats the kiln").description.text == "Heats the kiln"
    assert cortex.index("close").description.text == "The function `close`: `def close(store)`"


def test_names_of_several_symbols_list_them_and_each_can_be_given(cortex, code):
    (code / "other.py").write_text("def close():\n    pass\n\n\ndef close():\n    return 1\n")
    with pytest.raises(InvalidInputError, match="3 symbols") as caught:
        cortex.index("close")
    for place in ("src/store.py:15-16", "src/other.py:1-2", "src/other.py:5-6"):
        assert place in caught.value.hint
        assert cortex.index(place, "Closes").changed


@pytest.mark.parametrize("name", ["Stor", "src/store.py:Stor"])
def test_what_is_no_symbol_is_told_with_what_is_near(cortex, code, name):
    assert code.exists()
    with pytest.raises(InvalidInputError, match="neither a file nor a symbol") as caught:
        cortex.index(name)
    assert name.startswith("src/") or "Store" in caught.value.hint


def test_without_the_extra_files_are_indexed_and_a_symbol_says_what_to_type(cortex, code, monkeypatch):
    assert code.exists()
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    assert cortex.index("src/store.py:4-11", "Opens it").changed
    for name in ("Store.open", "src/store.py:open"):
        with pytest.raises(InvalidInputError, match="cannot be read") as caught:
            cortex.index(name)
        assert 'pip install "recortex[code]"' in caught.value.hint
