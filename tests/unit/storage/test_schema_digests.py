"""A store of ours is known by the digest of its schema: making all schemas takes longer than a hook may."""

from recortex.storage.sqlite import migrations
from recortex.storage.sqlite.migrations import DIGESTS, digest, expected


def test_every_schema_of_ours_is_known_by_its_digest():
    assert {digest(expected(version)): version for version in range(migrations.newest() + 1)} == DIGESTS
