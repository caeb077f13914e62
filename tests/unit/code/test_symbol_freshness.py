"""What became of symbols, in files that were edited as people do it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recortex.codebase.syntax.extraction import read_facts
from recortex.engines.code.freshness import MOST_LINES, Found, link_of
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


def test_it_is_found_in_another_file():
    facts = _facts(FILE, "files/kept.py")
    there = [Found("files/kept.py", facts, one) for one in facts.symbols]
    found = judged(_link("Store.shut"), None, lambda _: there)
    assert (found.state, found.path, found.outcome) == (
        "moved",
        "files/kept.py",
        "Store.shut (store.py:13-15) is now in files/kept.py:13-15",
    )


def test_what_was_deleted_is_gone():
    at = FILE.index(b"    def shut")
    found = judged(_link("Store.shut"), _facts(FILE[:at]))
    assert (found.state, found.standing) == ("gone", 0.0)
    assert judged(_link("Store.shut"), None).what == "its file is gone"


def test_a_short_function_is_not_taken_for_another_that_reads_the_same():
    one = b"def first(a):\n    return None\n"
    found = judged(_link("first", one), _facts(b"def second(a):\n    return None\n"))
    assert found.state == "gone"


def test_of_overloads_the_one_with_as_many_parameters_is_the_same():
    file = b"class A {\n  int f(int a) { return a + 1; }\n  int f(int a, int b) { return a + b; }\n}\n"
    facts = _facts(file, "A.java")
    both = [link_of("A.java", facts, one) for one in facts.symbols if one.name == "A.f"]
    now = _facts(file.replace(b"a + b", b"a * b"), "A.java")
    assert [judged(one, now).state for one in both] == ["fresh", "changed"]
    gone = _facts(file.replace(b"  int f(int a) { return a + 1; }\n", b""), "A.java")
    assert [judged(one, gone, before=facts).state for one in both] == ["gone", "fresh"]


def test_a_copy_that_stood_beside_it_is_not_where_it_moved_to():
    facts = _facts(FILE, "bundle/all.py")
    there = [Found("bundle/all.py", facts, one) for one in facts.symbols]
    copied = replace(_link("Store.open"), copies=1)
    assert judged(copied, None, lambda _: there).state == "gone"
    twice = [*there, *(one._replace(path="files/kept.py") for one in there)]
    assert judged(copied, None, lambda _: twice).state == "moved"


def test_of_methods_of_one_name_each_becomes_its_own():
    file = b"class A {\n%b%b}\n"
    one = b"  int f(int a) {\n    int b = a;\n    b += 1;\n    return b;\n  }\n"
    other = b"  int f(long c) {\n    log(c);\n    save(c);\n    return 0;\n  }\n"
    facts = _facts(file % (one, other), "A.java")
    first, second = [link_of("A.java", facts, it) for it in facts.symbols if it.name == "A.f"]
    now = _facts(file % (b"", other.replace(b"0", b"1")), "A.java")
    assert judged(first, now, before=facts).state == "gone"
    assert judged(second, now, before=facts).what == "edited at line 5"


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
