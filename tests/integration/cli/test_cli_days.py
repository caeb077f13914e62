"""A session has one day, whatever zone the person's machine is in: on screens, in pipes and for `--since`."""

import json

import pytest

RULE = "From now on every handler in this repository returns a dataclass."


@pytest.fixture
def told(project):
    """A session of 22:00 UTC, which is the next day in the east."""
    line = {
        "type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s1", "cwd": str(project.folder),
        "version": "2.1.332", "isSidechain": False, "timestamp": "2026-02-03T22:00:00.000Z",
        "message": {"role": "user", "content": RULE},
    }  # fmt: skip
    path = project.folder / "s1.jsonl"
    path.write_text(json.dumps(line) + "\n")
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
