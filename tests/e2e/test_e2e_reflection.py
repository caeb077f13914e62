"""A long session that remembered nothing is asked once, in the real client, unless that is switched off."""

from agents.script import Call

ASKED = "hooks.reflect"
FACT = "The build fails without `TZ=UTC`, because the fixtures hold local times."
REMEMBER = [Call("mcp__plugin_recortex_recortex__remember", {"text": FACT})]
TOOLS = ("--allowedTools", "mcp__plugin_recortex_recortex")
PROMPTS = [f"Please rename the variable number {number}." for number in range(8)]
DONE = [*["Renamed."] * (len(PROMPTS) - 1), "Renamed; without TZ=UTC the build had failed."]


def asked(ran):
    """The places of the requests that ask, each where it is new."""
    return [place for place, one in enumerate(ran.requests) if ASKED in one.last]


def test_it_is_asked_once_and_the_agent_remembers(person):
    person.memory("remember", "The office closes at six.")
    ran = person.session(
        [*PROMPTS, "Thank you."], [*DONE, REMEMBER, "One fact is kept.", "Welcome."], words=TOOLS
    )
    assert ran.unharmed, ran
    assert asked(ran) == [8]  # after the eighth answer, and never again
    assert len(ran.requests) == len(PROMPTS) + 2 + 1
    person.settle()
    (kept,) = person.about("TZ=UTC")
    assert (kept["text"], kept["origin"], kept["status"]) == (FACT, "agent", "active")
    assert not person.about("reflect")  # what was asked is learned by nobody
    said = person.memory("sessions", ran.ids[0])
    assert ASKED not in str(said)


def test_nobody_is_asked_who_remembered_or_did_not_want_it(newest):
    newest.extra["RECORTEX_HOOKS_REFLECT"] = "false"
    assert not asked(newest.session(PROMPTS, DONE))
    newest.settle()
    del newest.extra["RECORTEX_HOOKS_REFLECT"]
    ran = newest.session(PROMPTS, [REMEMBER, "Kept.", *DONE], words=TOOLS)
    assert ran.unharmed, ran
    assert newest.about("TZ=UTC")
    assert not asked(ran)
    ran = newest.session(PROMPTS[:7], DONE)  # short
    assert not asked(ran)


def test_a_compaction_keeps_what_is_worth_it_and_asks_after_it(newest):
    newest.memory("remember", "The office closes at six.")
    turns = ["The build fails without TZ=UTC: the fixtures hold local times.", REMEMBER, "Kept.", "Welcome."]
    ran = newest.session(["Why is it red?", "/compact", "Go on.", "Thank you."], turns, words=TOOLS)
    assert ran.unharmed, ran
    (summary,) = ran.compactions
    assert "Worth remembering" in summary.text
    assert ASKED in ran.requests[1].text
    newest.settle()
    (kept,) = newest.about("TZ=UTC")
    assert (kept["status"], kept["source"]["tool"]) == ("active", ASKED)


def test_what_was_never_said_waits_for_the_person(newest):
    wrong = [Call("mcp__plugin_recortex_recortex__remember", {"text": FACT.replace("UTC", "Asia/Tokyo")})]
    newest.memory("remember", "The office closes at six.")
    ran = newest.session([*PROMPTS, "Thank you."], [*DONE, wrong, "Kept.", "Welcome."], words=TOOLS)
    assert ran.unharmed, ran
    newest.settle()
    (kept,) = newest.about("Asia/Tokyo")
    assert (kept["status"], kept["source"]["tool"]) == ("proposed", ASKED)
