"""What is typed, and what a terminal shows of it."""

from __future__ import annotations

import io
import json
import sys
from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest

from recortex import terminal as drawing
from recortex.cli import UsageError, split
from recortex.cli.main import run
from recortex.cli.parser import parse, shape_of, source, spoken
from recortex.domain.kinds import Kind
from recortex.domain.vocabulary import Importance
from recortex.errors import InvalidInputError, InvalidKindError
from recortex.operations.registry import operation, operations_of
from recortex.terminal import ProgressLine, line, terminal_of


# -- A command line split at its verb, and what is answered without any operation.
def test_the_verb_is_the_first_word_that_is_no_option():
    line = split(["--json", "--project", "recall", "get", "abc", "--debug"])
    assert (line.verb, line.arguments) == ("get", ("--json", "--project", "recall", "abc", "--debug"))
    assert line.json
    assert line.debug


def test_a_word_that_is_not_utf_8():
    with pytest.raises(UsageError, match="not valid UTF-8"):
        split(["remember", b"caf\xe9".decode("utf-8", "surrogateescape")])


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]])
def test_help(words, capsys):
    assert run(words) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Long-term memory")
    assert not told.err


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("recortex ")


def test_no_verb_shows_the_help_and_is_wrong_usage(capsys):
    assert run([]) == 2
    told = capsys.readouterr()
    assert "usage: recortex VERB" in told.out
    assert not told.err


def test_errors_in_json(capsysbinary):
    assert run(["--json", "--nothing"]) == 2
    told = capsysbinary.readouterr()
    answer = json.loads(told.out)
    assert answer["status"] == "error"
    assert answer["error"]["code"] == "usage"
    assert set(answer["error"]) == {"code", "message", "hint"}
    assert not told.err


# -- A parser made from a signature.
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


# -- One word of the command line to a typed value.
def test_scalars():
    assert shape_of(int).read("12") == 12
    assert shape_of(float | None).read("0.5") == 0.5
    assert shape_of(Annotated[str, "note"]).read("a,b") == "a,b"
    assert shape_of(Path).read("a/b") == Path("a/b")
    assert shape_of(bool).flag
    assert shape_of(bool | None).flag


def test_a_time_is_iso_8601_and_utc_without_a_zone():
    assert shape_of(datetime | None).read("2026-03-01") == datetime(2026, 3, 1, tzinfo=UTC)
    with pytest.raises(InvalidInputError, match="not a date"):
        shape_of(datetime).read("yesterday")


@pytest.mark.parametrize(
    ("hint", "word"), [(int, "a"), (float, "b"), (Importance, "urgent"), (Literal["a", "b"], "c")]
)
def test_a_word_that_does_not_fit_is_named(hint, word):
    with pytest.raises(ArgumentTypeError, match=f"'{word}'"):
        shape_of(hint).read(word)


def test_a_kind_may_be_an_alias():
    assert shape_of(Kind).read("gotcha") == "tribal"
    with pytest.raises(InvalidKindError):
        shape_of(Kind).read("wisdom")


def test_a_union_with_text_takes_any_word():
    assert shape_of(Importance | str).read("anything") == "anything"
    assert shape_of(Mapping[str, Any] | str | None).read("session-1") == "session-1"
    assert shape_of(Mapping[str, Any] | str | None).read('{"session": "s"}') == {"session": "s"}


def test_rows_are_an_array_or_lines(tmp_path):
    rows = shape_of(Sequence[Mapping[str, Any]])
    assert rows.read('[{"a": 1}, {"a": 2}]') == [{"a": 1}, {"a": 2}]
    file = tmp_path / "rows.jsonl"
    file.write_text('{"a": 1}\n\n{"a": 2}\n', encoding="utf-8")
    assert rows.read(f"@{file}") == [{"a": 1}, {"a": 2}]
    file.write_text('{"a": 1}\n{"a": \n', encoding="utf-8")
    with pytest.raises(InvalidInputError, match="Line 2"):
        rows.read(f"@{file}")


def test_nothing_to_read_is_said(tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(InvalidInputError, match="nothing to read"):
        shape_of(Sequence[Mapping[str, Any]]).read(f"@{empty}")


def test_a_file_that_is_not_there_or_not_utf_8(tmp_path):
    with pytest.raises(InvalidInputError, match="cannot be read"):
        source(f"@{tmp_path / 'none'}")
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(InvalidInputError, match="not UTF-8"):
        source(f"@{tmp_path / 'latin'}")


def test_standard_input_loses_its_last_line_break_only(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ein Satz,\nzwei Zeilen\n")))
    assert spoken("-") == "ein Satz,\nzwei Zeilen"
    assert spoken("text") == "text"


# -- Text for a terminal: width, colour, and nothing that it would obey.
class Watched(io.StringIO):
    """A stream that a person watches."""

    def isatty(self):
        return True


def test_colours_only_for_a_person_who_wants_them(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal_of(Watched()).colour
    assert not terminal_of(io.StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal_of(Watched()).colour
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not terminal_of(Watched()).colour


def test_the_width_is_bounded(monkeypatch):
    for columns, width in (("10", 40), ("80", 80), ("400", 120)):
        monkeypatch.setenv("COLUMNS", columns)
        assert terminal_of(Watched()).width == width


def test_progress_is_drawn_for_a_person_alone(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(drawing, "time", SimpleNamespace(monotonic=lambda: now[0]))
    stream = io.StringIO()
    ProgressLine(stream)("reading", 1, 2)
    assert not stream.getvalue()
    watched = Watched()
    progress = ProgressLine(watched)
    progress("reading", 1, 4)
    now[0] += 0.09
    progress("reading", 2, 4)  # too soon to be drawn
    now[0] += 0.02
    progress("reading", 3, 4)
    progress("reading", 4, 4)
    progress.clear()
    drawn = [line("reading", done, 4) for done in (1, 3, 4)]
    assert watched.getvalue().split("\r\x1b[K")[1:] == [*drawn, ""]


def test_a_progress_line():
    assert line("reading", 1, 2) == f"reading [{'#' * 12}{'-' * 12}] 1/2"
    assert line("reading", 7, 0) == "reading 7"
    assert line("reading", 2_500_000, 5_000_000).endswith(" 50%")
