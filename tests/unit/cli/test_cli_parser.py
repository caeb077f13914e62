"""A parser made from a signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest

from recortex.cli.invocation import UsageError
from recortex.cli.parser import parse
from recortex.domain.vocabulary import Importance
from recortex.operations.registry import operation, operations_of


class Toys:
    """A facade with one operation of each shape."""

    @operation()
    def keep(
        self,
        text: str = "",
        *,
        limit: int = 8,
        importance: Importance | None = None,
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        pinned: bool = False,
        link: bool = True,
        exact: bool | None = None,
        content: Mapping[str, Any] | None = None,
        valid_from: str = "",
    ) -> None:
        """Keep a thing: 100% of it.

        The second paragraph says more.

        Args:
            text: what to keep,
                on two lines.
            limit: how many.
            tags: words.
        """

    @operation(destructive=True)
    def drop(self, ids: Sequence[str], *, mode: Literal["soft", "hard"]) -> None:
        """Drop things."""

    @operation(destructive=True)
    def wipe(self, id: str, *, dry_run: bool = False) -> None:  # noqa: A002
        """Wipe one."""

    @operation()
    def keep_many(self, rows: Sequence[Mapping[str, Any]], *, embed: bool = True) -> None:
        """Keep many."""


TOYS = operations_of(Toys)


def arguments(verb: str, *words: str) -> dict[str, Any]:
    return parse(TOYS[verb], words).arguments


def test_options_of_every_shape():
    assert arguments(
        "keep", "t", "--limit", "3", "--importance", "high", "--tags", "a,b", "--tags", "c", "--files", "x,y",
        "--pinned", "--no-link", "--exact", "--content", '{"a": 1}', "--valid-from", "now",
    ) == {
        "text": "t", "limit": 3, "importance": Importance.HIGH, "tags": ("a", "b", "c"), "files": ("x,y",),
        "pinned": True, "link": False, "exact": True, "content": {"a": 1}, "valid_from": "now",
    }  # fmt: skip


def test_consent_is_asked_of_destructive_verbs_alone():
    call = parse(TOYS["drop"], ["a", "b", "--mode", "soft", "--yes", "--dry-run"])
    assert (call.arguments, call.yes, call.dry_run) == ({"ids": ("a", "b"), "mode": "soft"}, True, True)
    call = parse(TOYS["wipe"], ["a", "--dry-run", "-y"])
    assert (call.arguments, call.yes, call.dry_run) == ({"id": "a", "dry_run": True}, True, True)
    with pytest.raises(UsageError):
        parse(TOYS["keep"], ["--yes"])


def test_rows_are_given_inline_too():
    assert arguments("keep_many", '[{"text": "a"}]', "--no-embed") == {
        "rows": [{"text": "a"}],
        "embed": False,
    }
