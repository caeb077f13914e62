"""What a session taught is kept once, whatever happened to the job."""

from dataclasses import replace
from pathlib import Path

import pytest

from recortex.app.hooks import Request, put_request, waiting_requests
from recortex.app.hooks.dispatch import _catch_up, request_capture
from recortex.app.jobs import capture
from recortex.app.jobs.capture import LastMessage, fulfil_requests
from recortex.domain.session import Session
from recortex.domain.vocabulary import Actor, Status
from recortex.engines.decay import UNUSED

UV = "please remember that we use uv and not pip in this repository"


@pytest.fixture(autouse=True)
def _no_wait(monkeypatch):
    monkeypatch.setattr(capture, "LAG", 0.0)


def begin(context, transcript, **more) -> Session:
    session = Session(
        id="s", started_at=context.clock(), seen_at=context.clock(), transcript=str(transcript.path), **more
    )
    context.sessions.put(session)
    return session


def texts(cortex) -> list[str]:
    return sorted(memory.text for memory in cortex.list(statuses=()).memories)


def test_a_session_is_learned_from_once(cortex, context, transcript):
    said = transcript().says("user", UV).says("assistant", "Understood.")
    session = begin(context, said)
    for _ in range(3):
        request_capture(context, session, final=True)
        fulfil_requests(context, LastMessage())
    [memory] = cortex.list().memories
    assert "uv" in memory.text
    assert memory.evidence == 1
    assert waiting_requests(context.queue) == 0
    assert context.sessions.get("s").captured_size == said.path.stat().st_size


def test_a_long_session_is_read_in_parts_that_are_kept_one_by_one(cortex, context, transcript):
    said = transcript()
    for number in range(40):
        said.says("user", f"step {number}: " + "lorem ipsum dolor " * 400).says("assistant", "Done.")
    said.says("user", UV)
    session = begin(context, said)
    request_capture(context, session, final=True)
    fulfil_requests(context, LastMessage())
    assert len(texts(cortex)) == 1
    import json

    assert json.loads(context.location.place("status.json").read_text())["last"]["passes"] > 1


def test_a_job_that_is_killed_leaves_its_request(cortex, context, transcript, monkeypatch):
    said = transcript().says("user", UV)
    session = begin(context, said)
    request_capture(context, session, final=True)
    with monkeypatch.context() as patch:
        patch.setattr("recortex.app.jobs.learning._move_checkpoint", _killed)
        with pytest.raises(KeyboardInterrupt):
            fulfil_requests(context, LastMessage())
    fulfil_requests(context, LastMessage())
    [memory] = cortex.list().memories
    assert memory.evidence == 1


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_transcript_that_is_not_there_teaches_nothing(context, tmp_path: Path):
    put_request(context.queue, Request(session="s", transcript=str(tmp_path / "none.jsonl")))
    fulfil_requests(context, LastMessage())
    assert waiting_requests(context.queue) == 0


def test_a_killed_session_is_learned_from_at_the_next_start(cortex, context, transcript, monkeypatch):
    monkeypatch.setattr("recortex.app.hooks.dispatch.start_capture", lambda *_, **__: None)
    said = transcript().says("user", UV)
    begin(context, said, process=2**22 + 1)  # beyond every process number: it is dead
    context.sessions.put(Session(id="new", started_at=context.clock(), seen_at=context.clock()))
    _catch_up(context, context.sessions.get("new"))
    fulfil_requests(context, LastMessage())
    assert len(texts(cortex)) == 1
    _catch_up(context, context.sessions.get("new"))
    assert waiting_requests(context.queue) == 0


def test_a_session_that_runs_elsewhere_is_left_alone(context, transcript):
    import os

    said = transcript().says("user", UV)
    begin(context, said, process=os.getpid())
    current = Session(id="new", started_at=context.clock(), seen_at=context.clock())
    context.sessions.put(current)
    _catch_up(context, current)
    assert waiting_requests(context.queue) == 0


ASKED = (
    "add a test", "rename the parser", "what does `load` return?", "update the screenshot",
    "is the build green?", "sort the imports", "split that file in two", "how long does it take?",
    "try again", "open a pull request", "where is the log?", "thanks",
)  # fmt: skip
"""What the person asks for, something else each time: what is asked in many sessions is worth keeping."""


def test_injected_text_never_comes_back(cortex, context, transcript, event):
    """Round after round, what was given is in the transcript; the store does not grow."""
    said = transcript().says("user", UV).says("assistant", "Understood.")
    session = begin(context, said)
    request_capture(context, session, final=True)
    fulfil_requests(context, LastMessage())
    before = cortex.list(statuses=()).total
    for round_, asked in enumerate(ASKED):
        text = cortex.attend(event("session-start", f"r{round_}", source="startup"))
        text += cortex.attend(event("user-prompt-submit", f"q{round_}", prompt="do we use uv or pip?"))
        assert "uv" in text or round_ >= UNUSED  # what no session used is given no more
        later = transcript(f"r{round_}").says("user", f"{text}\n{asked}").says("assistant", f"{text}\nDone.")
        request_capture(context, replace(session, id=f"r{round_}", transcript=str(later.path)), final=True)
        fulfil_requests(context, LastMessage())
    assert cortex.list(statuses=()).total == before


def test_an_agent_that_repeats_what_it_was_given_proves_nothing(cortex, context, transcript, event):
    fact = "The root cause of the nightly drift was that `parse_date` drops the timezone of each row"
    [memory] = [cortex.remember(fact, kind="tribal", files=["src/dates.py"])]
    assert "parse_date" in cortex.attend(event("session-start", source="startup"))
    said = transcript().says("user", "what do you know?").says("assistant", f"From memory:\n- {fact}.")
    request_capture(context, replace(context.sessions.get("s"), transcript=str(said.path)), final=True)
    fulfil_requests(context, LastMessage())
    assert cortex.get(memory.id).evidence == 1
    assert len(texts(cortex)) == 1


def test_a_proposal_that_is_used_is_active(cortex, context, transcript, event):
    text = "The migrations of the billing tables have to run before the deploy of the worker"
    memory = cortex.remember(text, kind="decision")
    cortex.attend(event("user-prompt-submit", prompt="when do the billing migrations run?"))
    services = cortex._app.services(memory.scope)
    services.ingestion.change(
        memory, replace(memory, status=Status.PROPOSED), now=memory.recorded_at, actor=Actor.USER,
        operation="doubt",
    )  # fmt: skip
    said = transcript().says("user", "when do the billing migrations run?")
    said.says("assistant", f"{text}, so first.", at="2026-03-01T12:01:00Z")
    request_capture(context, replace(context.sessions.get("s"), transcript=str(said.path)), final=True)
    fulfil_requests(context, LastMessage())
    assert cortex.get(memory.id).status is Status.ACTIVE
    assert cortex.history(memory.id).audit[-1].operation == "confirm"


def test_a_session_that_no_hook_could_note_is_learned_from_later(
    cortex, context, transcript, clock, monkeypatch
):
    """As when the disk was full while it ran: its transcript lies beside the next one's."""
    import os

    monkeypatch.setattr("recortex.app.hooks.dispatch.start_capture", lambda *_, **__: None)
    lost = transcript("lost").says("user", UV)
    older = transcript("older").says("user", "please remember that the staging database is read-only")
    now = clock.pass_(days=1)
    os.utime(lost.path, (now.timestamp() - 600,) * 2)
    os.utime(older.path, (now.timestamp() - 99_999_999,) * 2)
    current = replace(begin(context, transcript("s").says("user", "hello")), cwd=str(context.root))
    _catch_up(context, current)
    fulfil_requests(context, LastMessage())
    [text] = texts(cortex)
    assert "uv" in text
    _catch_up(context, current)
    assert waiting_requests(context.queue) == 0


def test_a_sub_agent_is_learned_from_once(cortex, context, transcript, event, monkeypatch):
    """Its own transcript is read when it stops; what the main one repeats of it is the same evidence."""
    monkeypatch.setattr("recortex.app.hooks.dispatch.start_capture", lambda *_, **__: None)
    own = transcript("agent-a1").says("user", "look into the drift").ran("just test").ran("just test")
    stop = event("subagent-stop", agent="a1", agent_type="general-purpose", agent_transcript=str(own.path))
    for _ in range(2):
        cortex.attend(stop)
        fulfil_requests(context, LastMessage())
    [memory] = cortex.list(statuses=()).memories
    assert memory.evidence == 1
    nameless = event("subagent-stop", agent="a2", agent_type="", agent_transcript=str(own.path))
    cortex.attend(nameless)
    assert waiting_requests(context.queue) == 0
