"""What became of symbols, in files that were edited as people do it."""

from __future__ import annotations

import pytest

from recortex.codebase.syntax.extraction import read_facts
from recortex.engines.code.freshness import MOST_LINES, link_of
from recortex.engines.code.freshness import judged as both_judged

FILE = b'''import files


class Store:
    """Keeps things."""

    def open(self, path):
        # The first time it is made.
        if path:
            return files.open(path)
        return self.open("default")

    def shut(self):
        files.flush()
        files.close()
'''


def _facts(data: bytes, path="store.py"):
    facts = read_facts(path, data)
    assert facts is not None
    return facts


def _link(name: str, data=FILE, path="store.py"):
    facts = _facts(data, path)
    return link_of(path, facts, next(one for one in facts.symbols if one.name == name))


def judged(*args, **named):
    return both_judged(*args, **named)[0]


def _after(name: str, *changes: tuple[str, str], elsewhere=()):
    data = FILE
    for old, new in changes:
        assert old.encode() in data
        data = data.replace(old.encode(), new.encode())
    return judged(_link(name), _facts(data), lambda _: elsewhere, _facts(FILE))


@pytest.mark.parametrize(
    ("changes", "now"),
    [
        ((("def open", "def connect"), ("self.open", "self.connect")), "Store.connect"),
        ((("class Store", "class Files"),), "Files.open"),
    ],
)
def test_a_new_name_is_followed(changes, now):
    found = _after("Store.open", *changes)
    assert (found.state, found.renamed) == ("moved", now)
    assert found.outcome == f"Store.open (store.py:7-11) is now {now} (store.py:7-11)"


def test_what_was_deleted_is_gone():
    at = FILE.index(b"    def shut")
    found = judged(_link("Store.shut"), _facts(FILE[:at]))
    assert (found.state, found.standing) == ("gone", 0.0)
    assert judged(_link("Store.shut"), None).what == "its file is gone"


def test_the_first_line_of_what_was_renamed_is_not_that_of_its_name():
    body = "".join(f"    g({n})\n" for n in range(9))
    before, after = (
        _facts(f"def {name}():\n{text}".encode())
        for name, text in (("f", body), ("h", body.replace("7", "8")))
    )
    found = judged(link_of("store.py", before, before.symbols[0]), after, before=before)
    assert (found.state, found.renamed, found.what) == ("changed", "h", "edited at line 9")


def test_the_first_line_of_a_long_symbol_is_told_as_far_as_its_lines_are_known():
    body = "".join(f"    g({n})\n" for n in range(900))
    before, after = _facts(f"def f():\n{body}".encode()), _facts(f"def f():\n{body}    h()\n".encode())
    link = link_of("store.py", before, before.symbols[0])
    assert judged(link, after, before=before).what == "edited at line 902"
    assert judged(link, after).what == f"edited after line {MOST_LINES}"
