"""One word of the command line to a typed value."""

from __future__ import annotations

import io
import sys
from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from recortex.cli.parser import shape_of, source, spoken
from recortex.domain.kinds import Kind
from recortex.domain.vocabulary import Importance
from recortex.errors import InvalidInputError, InvalidKindError


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
