"""Requests to learn from a session survive whatever happens between two jobs."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recortex.app.hooks import context as capture_requests
from recortex.app.hooks.context import ATTEMPTS, Request


def request(name: str = "a", *, final: bool = False) -> Request:
    return Request(session=name, transcript=f"/t/{name}.jsonl", final=final)


def test_a_request_waits_until_it_is_done(tmp_path: Path):
    capture_requests.put(tmp_path / "q", request())
    [(claimed, found)] = capture_requests.claim(tmp_path / "q")
    assert found == request()
    assert capture_requests.waiting(tmp_path / "q") == 1
    capture_requests.done(claimed)
    assert capture_requests.waiting(tmp_path / "q") == 0


def test_what_a_killed_job_had_claimed_is_taken_up_again(tmp_path: Path):
    capture_requests.put(tmp_path, request())
    next(iter(capture_requests.claim(tmp_path)))  # and then it was killed
    assert [found for _, found in capture_requests.claim(tmp_path)] == [replace(request(), attempts=1)]


def test_a_request_that_always_fails_is_given_up(tmp_path: Path):
    capture_requests.put(tmp_path, request())
    tries = 0
    while capture_requests.waiting(tmp_path):
        for claimed, found in capture_requests.claim(tmp_path):
            capture_requests.failed(claimed, found)
            tries += 1
    assert tries == ATTEMPTS


@given(
    st.binary(max_size=80)
    | st.sampled_from(
        [b"{}", b'{"session": 1, "transcript": "x"}', b'{"transcript": "x", "session": "", "final": "yes"}']
    )
)
def test_a_file_that_is_no_request_is_dropped(tmp_path_factory, garbage: bytes):
    queue = tmp_path_factory.mktemp("queue")
    (queue / "x.json").write_bytes(garbage)
    assert list(capture_requests.claim(queue)) == []
    assert capture_requests.waiting(queue) == 0


def test_an_ended_session_is_urgent_and_stays_so(tmp_path: Path):
    capture_requests.put(tmp_path, request())
    assert not capture_requests.urgent(tmp_path)
    capture_requests.put(tmp_path, replace(request(), urgent=True))
    capture_requests.put(tmp_path, request())
    assert capture_requests.urgent(tmp_path)
