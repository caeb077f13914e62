"""When the end of a turn asks what is worth remembering: once, and never where a hook made it go on."""

import json

import pytest

from recortex.app.hooks.context import LONG, QUESTION, SOME, SUMMARY
from recortex.app.hooks.dispatch import handle
from recortex.app.jobs.capture import ASKED_FOR, check
from recortex.domain.session import Signal


@pytest.fixture
def asking(context, event):
    """A session; returns what the end of a turn says after some prompts."""

    def ended(prompts=LONG, **given):
        for _ in range(prompts):
            handle(context, event("user-prompt-submit", prompt="go on"))
        return handle(context, event("stop", **({"ending": True} | given)))

    return ended


def test_a_long_session_is_asked_once(asking):
    assert asking(LONG - 1) == ""
    assert asking(1) == QUESTION
    assert asking() == ""


def test_a_shorter_session_is_asked_that_mended_something(asking, context, event):
    assert asking(SOME) == ""
    for ok in (False, True):
        handle(context, event("post-tool-use", command="just test", ok=ok))
    assert asking(0) == QUESTION


def test_nobody_is_asked_who_does_not_want_it(asking, context, monkeypatch):
    monkeypatch.setattr(context, "settings", context.settings.with_values({"hooks.reflect": False}))
    assert asking() == ""


@pytest.mark.parametrize("given", [{"ending": False}, {"client": "gemini"}, {"agent": "a1"}])
def test_no_client_is_asked_that_may_not_end_by_itself(asking, given):
    assert asking(**given) == ""


def test_a_session_that_remembered_is_not_asked(asking, cortex):
    assert asking(1) == ""
    cortex.remember("Parcels are keyed by `parcel_id`, since names change.")
    assert asking() == ""


def test_a_session_in_which_the_person_decided_something_is_asked_sooner(asking, context):
    asking(SOME)
    context.note([Signal(session="s", at=context.clock(), name="decided", subject="")])
    assert asking(0) == QUESTION


def test_a_compaction_keeps_what_is_worth_it_and_asks_after_it(asking, context, event):
    assert asking(1) == ""
    assert handle(context, event("pre-compact")) == SUMMARY
    assert QUESTION in handle(context, event("session-start", source="compact"))
    assert handle(context, event("pre-compact")) == ""
    assert QUESTION not in handle(context, event("session-start", source="compact"))
    assert asking() == ""


def test_a_session_that_remembered_is_compacted_as_it_is(asking, context, event, cortex):
    asking(1)
    cortex.remember("Parcels are keyed by `parcel_id`, since names change.")
    assert handle(context, event("pre-compact")) == ""
    assert QUESTION not in handle(context, event("session-start", source="compact"))


@pytest.fixture
def remembered(asking, context, cortex, transcript, clock):
    """Lets the agent remember something when asked; returns it as it stands after the turn was read."""

    def remember(text, said, *, elsewhere=False):
        file = transcript().says("user", said).says("assistant", "Done.")
        assert asking() == QUESTION
        clock.pass_(seconds=2)
        kept = cortex.remember(text, origin="agent")
        call = {"type": "tool_use", "id": "r", "name": "mcp__recortex__remember", "input": {"text": text}}
        known = "another" if elsewhere else kept.id
        answer = {"type": "tool_result", "tool_use_id": "r", "content": json.dumps({"id": known})}
        file._add("assistant", [call], "2026-03-01T12:01:00Z")._add("user", [answer], "2026-03-01T12:01:00Z")
        check(context, context.sessions.get("s"), file.path)
        return cortex.get(kept.id)

    return remember


def test_what_was_asked_for_is_told_apart(remembered):
    found = remembered("The export needs `TZ=UTC` and 3 workers.", "The export of 3 workers needs TZ=UTC.")
    assert (found.status, found.source.tool, found.source.session) == ("active", ASKED_FOR, "s")


def test_what_was_not_said_waits(remembered):
    found = remembered("The export needs `TZ=UTC` and 30 workers.", "The export of 3 workers needs TZ=UTC.")
    assert (found.status, found.source.tool) == ("proposed", ASKED_FOR)


def test_what_another_session_remembered_is_left_alone(remembered):
    found = remembered("The export needs 30 workers.", "The export is slow.", elsewhere=True)
    assert (found.status, found.source.tool) == ("active", "")
