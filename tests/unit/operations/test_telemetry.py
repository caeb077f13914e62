"""What operations and jobs report, and that reporting breaks nothing."""

import json
import logging
import subprocess
import sys
from contextlib import contextmanager

import pytest

from recortex import telemetry
from recortex.telemetry import Record, count, event, ignore, listen, span, to_logging


@contextmanager
def listening(listener):
    """Give every record to a listener while the block runs."""
    listen(listener)
    try:
        yield
    finally:
        ignore(listener)


@pytest.fixture
def heard():
    """Every record of the test."""
    records: list[Record] = []
    with listening(records.append):
        yield records


def test_operations_and_jobs_report_their_time(cortex, heard):
    cortex.remember("Retries are bounded at five")
    cortex.gc()
    spans = [one for one in heard if one.kind == "span"]
    told = [(one.name, one.fields.get("operation") or one.fields.get("job")) for one in spans]
    assert ("operation", "remember") in told
    assert ("operation", "gc") in told
    assert ("job", "growth") in told
    assert all(one.seconds > 0 and not one.error for one in spans)
    assert "samples" in {one.fields.get("counter") for one in heard if one.kind == "count"}


def test_no_text_of_a_memory_is_reported(cortex, heard):
    cortex.remember("Retries are bounded at five")
    cortex.recall("how often do we retry?")
    assert "five" not in repr(heard)
    assert "retry" not in repr(heard)


def test_a_listener_that_fails_breaks_nothing(cortex):
    def broken(_):
        raise ValueError

    with listening(broken):
        cortex.remember("Retries are bounded at five")
    assert telemetry._listeners == ()


def test_records_go_to_logging_with_their_fields(caplog):
    with listening(to_logging()), caplog.at_level(logging.DEBUG, "recortex"):
        with span("operation", operation="recall"):
            event("index", rebuilt=True)
            count("hit", 3, layer="words")
        with pytest.raises(KeyError), span("job", job="backup"):
            raise KeyError
    told = [(one.levelname, one.name, one.fields) for one in caplog.records]
    assert told[0] == ("DEBUG", "recortex.index", {"rebuilt": True})
    assert told[1] == ("DEBUG", "recortex.hit", {"layer": "words", "number": 3})
    assert told[2][:2] == ("INFO", "recortex.operation")
    assert told[2][2]["operation"] == "recall"
    assert told[3][:2] == ("WARNING", "recortex.job")
    assert told[3][2]["error"] == "KeyError"


def test_the_command_line_logs_lines_of_json_where_it_is_asked_to(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_LOG", "info")
    command = [sys.executable, "-m", "recortex", "status"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert [(one["logger"], one["operation"]) for one in lines] == [("recortex.operation", "status")]
