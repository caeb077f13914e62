"""When the end of a turn asks what is worth remembering: once, and never where a hook made it go on."""

import json

import pytest

from recortex.app.hooks.context import LONG, QUESTION, SOME
from recortex.app.hooks.dispatch import handle
from recortex.formats.hook_events import parse


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


@pytest.mark.parametrize(("said", "ending"), [(False, True), (True, False), (None, False), ("false", False)])
def test_a_turn_that_a_hook_made_go_on_does_not_end_by_itself(said, ending):
    given = {"session_id": "s", "hook_event_name": "Stop"} | (
        {} if said is None else {"stop_hook_active": said}
    )
    found = parse("stop", json.dumps(given).encode())
    assert found is not None
    assert found.ending is ending
