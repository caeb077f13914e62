"""Documents: how they are read, cut and ranked."""

import json
import random
from datetime import UTC, datetime

import pytest

from recortex.documents.making import Source, cut, make
from recortex.documents.reading import front_matter, read
from recortex.documents.retrieval import WEAK, rated
from recortex.domain.search import MOST_TOKENS, Facts
from recortex.engines.retrieval.scorer import Considered, Scored, Support
from recortex.engines.retrieval.weights import COMMON, PROSE, Compared, Spoken
from recortex.errors import FormatError
from recortex.text.tokens import TokenCounter


# -- Documents are read in their form and encoding; what is no text is refused.
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


# -- AsciiDoc is read by its sections; a title in front matter alone stands above the parts of its page.
def asciidoc_titles(text):
    blocks = read(text.encode(), "asciidoc", lambda whole: whole).blocks
    return [(block.level, block.title) for block in blocks if block.level]


def test_sections_are_headings_and_delimited_blocks_hold_none():
    text = (
        "= The *plug-in*\n:toc:\n\nIntroduction.\n\n[#setup]\n== Set `up`\n\n[source,sh]\n----\n"
        "== no section\n----\n"
        "\n|===\n|= cell\n\n== no section either\n|===\n\n=== See xref:other.adoc[the others] ===\n"
    )
    assert asciidoc_titles(text) == [(1, "The plug-in"), (2, "Set up"), (3, "See the others")]


@pytest.mark.parametrize("path", ["guide.adoc", "guide.asciidoc"])
def test_a_file_is_read_as_asciidoc_by_its_name(path):
    text = b"= Guide\n\n== Ports\n\n" + b"The server listens on port 8080. " * 20
    made = make(Source(path, text, "docs", datetime(2026, 1, 1, tzinfo=UTC), None), datetime.now(UTC), len)
    assert made.document.form == "asciidoc"
    assert made.document.title == "Guide"
    assert made.chunks[-1][0].headings == ("Guide", "Ports")


def test_a_page_that_has_its_title_in_front_matter_alone_stands_under_it():
    text = b"---\ntitle: Codecs\n---\n\n## Inverting\n\n" + b"Both directions work. " * 30
    source = Source("codecs.mdx", text, "docs", datetime(2026, 1, 1, tzinfo=UTC), None)
    made = make(source, datetime.now(UTC), lambda part: len(part.split()))
    assert {chunk.headings for chunk, _ in made.chunks} == {("Codecs", "Inverting")}
    own = b"---\ntitle: Codecs\n---\n\n# Codecs of dates\n\n" + b"Both directions work. " * 30
    made = make(source._replace(data=own), datetime.now(UTC), lambda part: len(part.split()))
    assert {chunk.headings for chunk, _ in made.chunks} == {("Codecs of dates",)}


# -- Cutting a document takes time in proportion to its length, whatever its lines are like.
LENGTH = 120_000
TIMES = 5
"""How often a character's tokens are counted at most, on the average."""
count = TokenCounter().count


def _words(separator):
    draw = random.Random(5)  # noqa: S311  a draw for a test
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(1, 11))) for _ in range(2_000)]
    return separator.join(draw.choices(words, k=LENGTH // 7))


TEXTS = {
    "one line of words": _words(" "), "one line of sentences": _words(" ").replace(" ab", ". Ab"),
    "one line without a space": _words(""), "one sign again and again": "a" * LENGTH,
    "spaces": " " * LENGTH + "x", "tabs and words": _words("\t\t\t"),
    "Chinese": "".join(chr(0x4E00 + 7 * place % 20_000) for place in range(LENGTH // 3)),
    "marks": "# " + "*`<[" * (LENGTH // 4),
    "short, then long, then short": f"# Short\n\nfew words\n{_words(' ')}\nfew words\n\n## End\n",
    "a fence of blank lines": "```\n" + "\n" * LENGTH + "```\n",
    "words that grow": " ".join("x" * length for length in range(1, 480)),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=() if one == "one line of words" else pytest.mark.full) for one in TEXTS],
)
def test_a_text_is_counted_a_few_times_over_however_long_its_lines_are(name):
    counted = 0

    def counting(text):
        nonlocal counted
        counted += len(text)
        return count(text)

    cuts = cut(read(TEXTS[name].encode(), "markdown", lambda text: text).blocks, counting)
    assert counted <= TIMES * len(TEXTS[name])
    assert all(one.tokens == count(one.text) <= MOST_TOKENS for one in cuts)


@pytest.mark.parametrize("name", ["one line of words", "one line without a space", "Chinese"])
def test_the_parts_of_a_long_line_are_nearly_as_long_as_they_may_be(name):
    cuts = cut(read(TEXTS[name].encode(), "markdown", lambda text: text).blocks, count)
    assert sum(one.tokens for one in cuts) / len(cuts) > 0.8 * MOST_TOKENS


def test_many_small_headings_are_not_counted_again_for_each_that_joins_them():
    text = "# a\n" * (LENGTH // 4)
    counted = 0

    def counting(part):
        nonlocal counted
        counted += len(part)
        return count(part)

    cut(read(text.encode(), "markdown", lambda one: one).blocks, counting)
    assert counted <= 2 * TIMES * len(text)


# -- Chunks are redacted, stand where the file has them, and have an area.
NOW = datetime(2026, 3, 1, tzinfo=UTC)
KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEAwJb2Q0lIYw\n" * 6 + "-----END RSA PRIVATE KEY-----"
)


def made(text, path="docs/a.md", domain=None):
    return make(Source(path, text.encode(), "docs", NOW, domain), NOW, count)


def test_secrets_are_gone_and_the_lines_below_them_keep_their_numbers():
    text = f"# Setup\n\n{KEY}\n\n" + "fill the gap with words. " * 90 + "\n\n## Last\n\n" + "the end " * 60
    found = made(text)
    assert found.redacted == 1
    assert all("MIIE" not in chunk.text for chunk, _ in found.chunks)
    lines = text.split("\n")
    last = found.chunks[-1][0]
    assert lines[last.last_line - 1].strip() == last.text.split("\n")[-1].strip()


# -- Parts of documents are ranked with the probability that they answer; pages of news stand after others.
SUPPORT = Support(coverage=0.5, unknown=0.0, unknown_names=0.0, likeness=0.6)


def part(key, keyword, semantic, vector=b"x"):
    facts = Facts(
        key=key, kind="core", session="", turn=None, speaker="", valid_from=0, recorded_at=0,
        last_accessed_at=None, confidence=1.0, priority=5, traits=0, access_count=0, vector=vector,
    )  # fmt: skip
    compared = Compared(keyword=keyword, semantic=semantic)
    return Scored(facts, 0.0, PROSE.bare, compared, Spoken(), COMMON, compared)


def chances(parts, query="where is the port set?", paths=None, support=SUPPORT):
    found = rated(query, Considered(parts, support), lambda keys: paths or dict.fromkeys(keys, "docs/a.md"))
    return {one.facts.key: chance for one, chance in found}


def test_what_stands_out_is_sure_and_what_does_not_is_weak():
    many = [part(key, 0.1, 0.3) for key in range(2, 12)]
    assert chances([part(1, 0.6, 0.6), *many])[1] > 0.8
    assert max(chances([part(1, 0.1, 0.3), *many]).values()) < WEAK
