"""Documents are read in their form and encoding; what is no text is refused."""

import json

import pytest

from recortex.documents.reading import front_matter, read
from recortex.errors import FormatError


def plain(text):
    return text


def titles(data, form):
    return [(block.level, block.title) for block in read(data, form, plain).blocks if block.level]


def test_headings_of_markdown():
    text = b"# One {#one}\n\n```sh\n# no heading\n```\n\nTwo\n---\n\n> # quoted\n\n- item\n---\n\n"
    text += b"### [Three](x) ###\n"
    assert titles(text, "markdown") == [(1, "One"), (2, "Two"), (3, "Three")]


def test_levels_of_restructured_text_are_by_their_order():
    text = b"=====\nTitle\n=====\n\nPart\n====\n\ntext\n\nDeeper\n------\n\n"
    text += b"=====  =====\nA      B\n=====  =====\n"
    assert titles(text, "rst") == [(1, "Title"), (2, "Part"), (3, "Deeper")]


@pytest.mark.parametrize(
    ("encoding", "noted"),
    [("utf-8", False), ("utf-8-sig", False), ("utf-16", False), ("utf-32", False), ("latin-1", True)],
)
def test_encodings(encoding, noted):
    read_ = read("# Größe\n\nfür alle\n".encode(encoding), "markdown", plain)
    assert [block.lines[0].text for block in read_.blocks] == ["# Größe", "für alle"]
    assert bool(read_.notes) is noted


@pytest.mark.parametrize("data", [b"PK\x03\x04\0\0", bytes(range(256)) * 4, b"\xff\xfeA"])
def test_what_is_no_text_is_refused(data):
    with pytest.raises(FormatError):
        read(data, "text", plain)


def test_front_matter_is_metadata_and_no_text():
    text = (
        "---\ntitle: 'Log in'\ntags: [auth, \"web\"]\nauthors:\n  - Ada\n  - Grace\nabout: >\n  two\n"
        "  lines\n"
        "nested:\n  key: value\n---\n# Log in\n"
    )
    read_ = read(text.encode(), "markdown", plain)
    assert read_.metadata == {
        "title": "Log in", "tags": ["auth", "web"], "authors": ["Ada", "Grace"], "about": "two lines",
        "nested": "  key: value",
    }  # fmt: skip
    assert [(block.title, block.lines[0].number) for block in read_.blocks] == [("Log in", 13)]


def test_toml_front_matter_and_fields():
    assert front_matter(["+++", 'title = "A"', "draft = true", "+++"]) == ({"title": "A", "draft": True}, 4)
    assert read(b":author: Ada\n:tags: a\n  b\n\nText\n", "rst", plain).metadata == {
        "author": "Ada",
        "tags": "a b",
    }


@pytest.mark.parametrize("lines", [["---", "a: 1"], ["text", "---"], [], ["+++", "no toml", "+++"]])
def test_what_is_no_front_matter_does_no_harm(lines):
    metadata, taken = front_matter(lines)
    assert taken in {0, 3}
    assert metadata == ({"front matter": "no toml"} if taken else {})


def test_a_notebook_tells_its_cells():
    cells = [
        {"cell_type": "markdown", "source": ["# Data\n", "about it"]},
        {"cell_type": "code", "source": "load()", "outputs": [{"data": {"image/png": "A" * 999}}]},
        {"cell_type": "raw", "source": ""},
        {"cell_type": "markdown", "source": "the end"},
    ]
    read_ = read(json.dumps({"nbformat": 4, "cells": cells}).encode(), "notebook", plain)
    places = [read_.places[block.lines[0].number - 1] for block in read_.blocks]
    assert [block.lines[0].text for block in read_.blocks] == ["# Data", "about it", "```", "the end"]
    assert places == [1, 1, 2, 4]


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"cells": 3}', b"[" * 100_000])
def test_what_is_no_notebook_is_refused(data):
    with pytest.raises(FormatError):
        read(data, "notebook", plain)


def test_a_picture_in_the_text_is_left_out():
    read_ = read(b"![x](data:image/png;base64," + b"QUJD" * 500 + b") after", "markdown", plain)
    assert read_.blocks[0].lines[0].text == "![x](data:image/png;base64,) after"
