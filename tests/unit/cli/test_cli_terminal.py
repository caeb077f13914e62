"""Text for a terminal: width, colour, and nothing that it would obey."""

from __future__ import annotations

import io
from types import SimpleNamespace

from recortex import terminal as drawing
from recortex.terminal import ProgressLine, line, terminal_of


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
