"""The symbols that memories hang on are kept alike on every engine."""

from dataclasses import replace
from datetime import timedelta

from example_memories import AT, id_of, insert, memory, update
from recortex.domain.memory import SymbolLink
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Status

OPEN = SymbolLink(
    "src/store.py", "Store.open", "method", 2, "a" * 32, 10, 22, b"\1\2\0\0", "c" * 40, b"k" * 32
)
SHUT = replace(OPEN, name="Store.shut", first=24, last=30)
USED = replace(OPEN, path="src/files.py", name="read", role="caller")


def put(store, number, *links, role="about"):
    (one,) = store.memories.get([id_of(number)])
    with store.transaction():
        store.symbols.put(one, links, role)
        store.symbols.looked(one, f"said {number}")


def kept(store, number):
    return store.symbols.find_links([id_of(number)]).get(id_of(number), [])


def test_links_are_given_back_as_they_were_and_put_in_place_of_former_ones(store):
    insert(store, memory(1), memory(2))
    put(store, 1, OPEN, SHUT)
    put(store, 1, USED, role="caller")
    put(store, 2, SHUT)
    assert kept(store, 1) == [OPEN, SHUT, USED]
    put(store, 1, replace(OPEN, hash="b" * 32, last=25))
    assert kept(store, 1) == [replace(OPEN, hash="b" * 32, last=25), USED]
    assert kept(store, 2) == [SHUT]
    assert store.symbols.find_hashes([id_of(1), id_of(9)]) == {id_of(1): "said 1"}


def test_a_memory_is_looked_at_once_in_each_of_its_states(store):
    insert(store, memory(1), memory(2), memory(3, status=Status.ARCHIVED))
    assert store.symbols.unlinked(9) == [id_of(2), id_of(1)]
    put(store, 2)
    assert store.symbols.unlinked(9) == [id_of(1)]
    (old,) = store.memories.get([id_of(2)])
    update(store, old, replace(old, text="Another text.", updated_at=AT + timedelta(hours=1)))
    assert store.symbols.unlinked(1) == [id_of(2)]
    put(store, 1, OPEN)
    assert store.symbols.linked(9) == [id_of(1)]


def test_what_hangs_on_functions_of_a_file_is_found_with_its_role(store):
    insert(store, memory(1), memory(2), memory(3, status=Status.PROPOSED))
    put(store, 1, OPEN, SHUT)
    put(store, 2, replace(OPEN, role="caller"), role="caller")
    put(store, 3, OPEN)
    rows = [(id_of(1), "about", "Store.open"), (id_of(2), "caller", "Store.open")]
    assert store.symbols.hanging("src/store.py", ["open", "close"]) == rows
    assert store.symbols.hanging("src/other.py", ["open"]) == []
    assert store.sessions.cited(["src/store.py", "src/other.py"]) == ["src/store.py"]


def test_a_function_is_searched_by_either_of_its_names(store):
    insert(store, memory(1), memory(2))
    put(store, 1, OPEN)
    put(store, 2, replace(OPEN, role="caller"), role="caller")
    for name in ("open", "Store.open"):
        assert [one.id for one in store.memories.find(MemoryQuery(functions=(name,)))] == [id_of(1)]
    assert store.memories.count(MemoryQuery(functions=("shut",))) == 0


def test_what_hangs_on_a_symbol_is_about_its_file(store):
    insert(store, memory(1), memory(2))
    put(store, 1, OPEN)
    put(store, 2, replace(OPEN, role="caller"), role="caller")
    for path in ("src/store.py", "src/"):
        assert [one.id for one in store.memories.find(MemoryQuery(files=(path,)))] == [id_of(1)]


def test_links_go_with_their_memory(store):
    insert(store, memory(1))
    put(store, 1, OPEN)
    with store.transaction():
        store.memories.delete(id_of(1))
    assert store.symbols.hanging("src/store.py", ["open"]) == []
    assert store.symbols.unlinked(9) == []
