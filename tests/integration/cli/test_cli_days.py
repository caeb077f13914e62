"""A session has one day, whatever zone the person's machine is in: on screens, in pipes and for `--since`."""

import pytest

from claude_sessions import claude_session

RULE = "From now on every handler in this repository returns a dataclass."


@pytest.fixture
def told(project):
    """A session of 22:00 UTC, which is the next day in the east."""
    path = project.folder / "s1.jsonl"
    claude_session(path, project.folder, RULE, at="2026-02-03T22:00:00.000Z")
    project.data("import", "claude-code", str(path))
    return project


@pytest.mark.parametrize("zone", ["Asia/Seoul", "America/Los_Angeles", "Asia/Kathmandu", "UTC"])
def test_a_session_has_one_day_in_every_zone(told, zone):
    shown = told.run("sessions", env={"TZ": zone}).text
    assert "2026-02-03 22:00 UTC" in shown
    for since, found in (
        ("2026-02-03", 1),
        ("2026-02-04", 0),
        ("2026-02-03T21:59:00Z", 1),
        ("2026-02-04T06:59:00+09:00", 1),
        ("2026-02-04T07:01:00+09:00", 0),
        ("2026-02-03T14:00:00-08:00", 1),
    ):
        ran = told.run("sessions", "--since", since, "--json", env={"TZ": zone})
        assert len(ran.data["sessions"]) == found, (zone, since)
