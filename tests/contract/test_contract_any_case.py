"""A text is found in any case, on every engine alike, with letters beyond ASCII and whole in its length."""

from example_memories import insert, memory
from recortex.storage.database import folded

SAID = (
    "Fürstenstraße Éclair", "FÜRSTENSTRASSE ÉCLAIR", "fürstenstrasse éclair", "ΟΔΟΣ οδός", "ПОЧТА почта",
    "an eﬃcient oﬀer [^a-z]-\\d (?i)x .* ß", "AN EFFICIENT OFFER", "ßss SSß sßs", "long " * 300 + "Ärger",
)  # fmt: skip
SOUGHT = (
    *SAID,
    *map(str.upper, SAID),
    *map(str.lower, SAID),
    *("strasse", "traß", "sss", "ssss", "EFFI", "OFF", "ΔΌΣ", "éC", "[^A", "\\D", "long LONG", "x ."),
)


def test_a_text_is_found_in_any_case(store):
    made = {memory(n, text).id: text for n, text in enumerate(SAID)}
    insert(store, *(memory(n, text) for n, text in enumerate(SAID)))
    for sought in SOUGHT:
        expected = {id_ for id_, text in made.items() if folded(sought) in folded(text)}
        assert set(store.holding(sought)) == expected, sought
