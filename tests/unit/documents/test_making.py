"""Chunks are redacted, stand where the file has them, and have an area."""

from datetime import UTC, datetime

from recortex.documents.making import Source, make
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
