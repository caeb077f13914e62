"""AsciiDoc is read by its sections; a title in front matter alone stands above the parts of its page."""

from datetime import UTC, datetime

import pytest

from recortex.documents.making import Source, make
from recortex.documents.reading import read


def titles(text):
    blocks = read(text.encode(), "asciidoc", lambda whole: whole).blocks
    return [(block.level, block.title) for block in blocks if block.level]


def test_sections_are_headings_and_delimited_blocks_hold_none():
    text = (
        "= The *plug-in*\n:toc:\n\nIntroduction.\n\n[#setup]\n== Set `up`\n\n[source,sh]\n----\n"
        "== no section\n----\n"
        "\n|===\n|= cell\n\n== no section either\n|===\n\n=== See xref:other.adoc[the others] ===\n"
    )
    assert titles(text) == [(1, "The plug-in"), (2, "Set up"), (3, "See the others")]


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
