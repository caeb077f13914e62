"""Requests to learn from a session survive whatever happens between two jobs."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recortex.app.hooks.context import (
    ATTEMPTS,
    Request,
    claim_requests,
    end_request,
    fail_request,
    put_request,
    urgent_request,
    waiting_requests,
)


def request(name: str = "a", *, final: bool = False) -> Request:
    return Request(session=name, transcript=f"/t/{name}.jsonl", final=final)


def test_a_request_waits_until_it_is_done(tmp_path: Path):
    put_request(tmp_path / "q", request())
    [(claimed, found)] = claim_requests(tmp_path / "q")
    assert found == request()
    assert waiting_requests(tmp_path / "q") == 1
    end_request(claimed)
    assert waiting_requests(tmp_path / "q") == 0


def test_what_a_killed_job_had_claimed_is_taken_up_again(tmp_path: Path):
    put_request(tmp_path, request())
    next(iter(claim_requests(tmp_path)))  # and then it was killed
    assert [found for _, found in claim_requests(tmp_path)] == [replace(request(), attempts=1)]


def test_a_request_that_always_fails_is_given_up(tmp_path: Path):
    put_request(tmp_path, request())
    tries = 0
    while waiting_requests(tmp_path):
        for claimed, found in claim_requests(tmp_path):
            fail_request(claimed, found)
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
    assert list(claim_requests(queue)) == []
    assert waiting_requests(queue) == 0


def test_an_ended_session_is_urgent_and_stays_so(tmp_path: Path):
    put_request(tmp_path, request())
    assert not urgent_request(tmp_path)
    put_request(tmp_path, replace(request(), urgent=True))
    put_request(tmp_path, request())
    assert urgent_request(tmp_path)
