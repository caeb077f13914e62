"""What went wrong is found again, and the log of it has an end."""

from pathlib import Path

from recortex.app.hooks.context import LOG, MOST_LOGGED, log_error, logged_errors
from recortex.app.projects import Location


def location(folder: Path) -> Location:
    return Location(folder / "cortex.db", folder)


def test_a_failure_is_found_again_on_one_line(tmp_path: Path):
    place = location(tmp_path / "store")
    log_error(place, "stop", "StorageError: first\nsecond " + "x" * 900)
    [found] = logged_errors(place)
    assert found.event == "stop"
    assert found.error.startswith("StorageError: first second x")
    assert place.place(LOG).stat().st_mode & 0o777 == 0o600


def test_the_log_has_an_end(tmp_path: Path):
    place = location(tmp_path / ".recortex")
    for _ in range(1_000):
        log_error(place, "stop", "x" * 300)
    assert place.place(LOG).stat().st_size < MOST_LOGGED + 1_000
    assert logged_errors(place)


def test_lines_that_are_none_of_ours_are_left_out(tmp_path: Path):
    place = location(tmp_path)
    place.place(LOG).write_bytes(b'\xff\n{}\n[1]\n{"at": "soon", "event": 1, "error": 2}\n')
    assert logged_errors(place) == []
