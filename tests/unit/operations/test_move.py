"""A memory goes from one store to the other with its history, and is never in neither."""

import pytest

from recortex.domain.vocabulary import Scope
from recortex.errors import AmbiguousIdError, InvalidInputError, MemoryNotFoundError
from recortex.operations import moving

TEXT = "Releases are cut on Thursdays"


@pytest.fixture
def kept(cortex):
    """A project's memory with a former state, tags and a relation."""
    memory = cortex.remember(TEXT, tags=["release"])
    other = cortex.remember("The release notes are written by hand")
    cortex.link(memory.id, other.id, relation="supports")
    cortex.edit(memory.id, text=f"{TEXT}, never on Fridays")
    return memory


def stores_of(cortex, id_):
    return [services.scope for services in cortex._app.all_services() if services.store.memories.get([id_])]


def test_it_goes_with_its_history_and_tells_what_stays(cortex, kept):
    moved = cortex.move(kept.id[:8], to="global")
    assert moved.memory.id == kept.id
    assert moved.memory.scope is Scope.GLOBAL
    assert moved.memory.tags == ("release",)
    assert [one.split()[0] for one in moved.left] == ["supports"]
    assert stores_of(cortex, kept.id) == [Scope.GLOBAL]
    history = cortex.history(kept.id)
    assert [(one.memory.text, one.memory.scope) for one in history.versions] == [
        (f"{TEXT}, never on Fridays", Scope.GLOBAL),
        (TEXT, Scope.GLOBAL),
    ]
    assert cortex.recall("when are releases cut?").hits[0].memory.id == kept.id


def test_there_and_back_is_where_it_was(cortex, kept):
    for to in ("global", "project", "global", "project"):
        cortex.move(kept.id, to=to)
    assert stores_of(cortex, kept.id) == [Scope.PROJECT]
    assert cortex.get(kept.id).text == f"{TEXT}, never on Fridays"
    cortex.undo(kept.id)
    assert cortex.get(kept.id).text == TEXT
    assert stores_of(cortex, kept.id) == [Scope.PROJECT]


def test_an_interrupted_move_loses_nothing_and_is_finished(cortex, kept, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(moving, "_taken_out", killed)
        with pytest.raises(KeyboardInterrupt):
            cortex.move(kept.id, to="global")
    assert stores_of(cortex, kept.id) == [Scope.PROJECT, Scope.GLOBAL]
    with pytest.raises(AmbiguousIdError, match="in the project's store and in the global one") as told:
        cortex.get(kept.id)
    assert "recortex move" in told.value.hint
    cortex.move(kept.id, to="global")
    assert stores_of(cortex, kept.id) == [Scope.GLOBAL]
    assert len(cortex.history(kept.id).versions) == 2


def test_what_is_there_already_or_nowhere_is_refused(cortex, kept):
    with pytest.raises(InvalidInputError, match="already"):
        cortex.move(kept.id, to="project")
    with pytest.raises(MemoryNotFoundError):
        cortex.move("ffffffff", to="global")
    twin = cortex.remember(f"{TEXT}, never on Fridays", scope="global")
    with pytest.raises(InvalidInputError, match=twin.id):
        cortex.move(kept.id, to="global")
    assert stores_of(cortex, kept.id) == [Scope.PROJECT]


def test_what_went_and_was_purged_there_is_gone(cortex, kept):
    cortex.move(kept.id, to="global")
    cortex.purge(kept.id)
    assert cortex.history(kept.id).gone is not None
