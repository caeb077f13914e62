"""The index of vectors, as a person meets it."""

import pytest

from recortex import Cortex
from recortex.app.jobs.reembedding import keep_vector_index
from recortex.storage.sqlite import vector_index


@pytest.fixture
def filled(tmp_path, monkeypatch):
    """A store with as many vectors as an index is made for."""
    monkeypatch.setattr(vector_index, "LEAST", 20)
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    with Cortex.open(url=f"sqlite:///{tmp_path}/m.db") as cortex:
        cortex.remember_many([{"text": f"The service {n} listens on port {9000 + n}"} for n in range(40)])
        yield cortex


def said(cortex):
    notices = [one for one in cortex.doctor().findings if "index of" in one.message]
    return [(one.message, one.todo) for one in notices], [
        one for one in cortex.status().notices if "index of" in one
    ]


def test_an_index_that_was_not_made_yet_is_named_and_reembed_makes_it(filled):
    (found, shown) = said(filled)
    assert "not made yet" in found[0][0]
    assert "recortex reembed" in found[0][1]
    assert len(shown) == 1
    filled.reembed()
    assert said(filled) == ([], [])
    assert filled.recall("which port does service 7 listen on?").hits


def test_doctor_sees_a_damaged_index(filled):
    filled.reembed()
    (services,) = filled._app.all_services()
    (file,) = services.location.vectors.glob("*.usearch")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    assert "damaged" in said(filled)[0][0][0]
    assert keep_vector_index(services) == 40
    assert said(filled) == ([], [])


def test_without_usearch_the_line_to_type_is_shown(filled, monkeypatch):
    monkeypatch.setattr("recortex.storage.sqlite.vector_index.find_spec", lambda _: None)
    assert said(filled)[0][0][1] == "pip install 'recortex[scale]'"
