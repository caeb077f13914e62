"""Chunks are redacted, stand where the file has them, and have an area."""

from datetime import UTC, datetime

import pytest

from recortex.documents.making import Source, guess, make
from recortex.documents.retrieval import passage
from recortex.domain.vocabulary import Domain
from recortex.text.tokens import TokenCounter

NOW = datetime(2026, 3, 1, tzinfo=UTC)
count = TokenCounter().count
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


def test_a_chunk_keeps_its_id_while_its_text_and_path_stay():
    text = "# A\n\n" + "one " * 200 + "\n\n# B\n\n" + "two " * 200 + "\n"
    before = {chunk.text: chunk.id for chunk, _ in made(text).chunks}
    after = {chunk.text: chunk.id for chunk, _ in made(text + "\n# C\n\n" + "three " * 99).chunks}
    assert before.items() <= after.items()
    assert not {*before.values()} & {chunk.id for chunk, _ in made(text, "docs/b.md").chunks}


def test_the_same_text_twice_has_two_ids():
    chunks = made("# A\n\n" + "say it. " * 100 + "\n\n# A\n\n" + "say it. " * 100, "a.md").chunks
    assert len({chunk.id for chunk, _ in chunks}) == len(chunks)


def test_a_document_is_found_by_its_path_and_what_it_says_of_itself():
    _, terms = made("---\ntags: [zebra]\n---\n# Words\n\ngetUserName\n", "docs/how_to/log_in.md").chunks[0]
    assert {"zebra", "log", "how_to", "user", "name"} <= {
        *terms.replace("'", " ").replace("[", " ").replace("]", " ").split()
    }


@pytest.mark.parametrize(
    ("text", "name", "domain"),
    [
        ("Users log in with OAuth; the session token is a JWT in a cookie.", "docs/login.md", Domain.AUTH),
        ("Each migration adds a column or an index to a table of PostgreSQL.", "a.md", Domain.DB),
        ("The endpoint answers a POST request with JSON.", "docs/api.md", Domain.API),
        ("Run pytest; a fixture mocks the clock.", "testing.md", Domain.TEST),
        ("A button opens the dialog in the sidebar of the page.", "a.md", Domain.UI),
        ("Build the Docker image and deploy it from CI.", "a.md", Domain.DEV),
        ("We meet on Mondays.", "notes.md", Domain.GENERAL),
    ],
)
def test_areas_are_guessed(text, name, domain):
    assert guess(text, [name]) is domain


def test_what_is_shown_of_a_chunk_are_lines_of_the_file():
    text = "# A\n\n" + "\n\n".join(f"Sentence {number} about nothing much at all." for number in range(40))
    text = text.replace("Sentence 30 about nothing", "Sentence 30 about the walrus")
    (chunk, _), *_ = made(text).chunks
    shown, first, last = passage(chunk, ["walrus"], 60, count)
    assert "walrus" in shown
    assert shown == "\n".join(text.split("\n")[first - 1 : last]).strip("\n")
    assert count(shown) <= 60
