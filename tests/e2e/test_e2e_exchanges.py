"""What one session only mentions in passing, a later one asks for and gets through the agent's `recall`."""

from agents.script import Call

STORIES = (
    (
        "The importer hung again this morning, Ms Okafor from the ledger team had to restart pod 7.",
        "I looked at the logs: pod 7 waits for a lock that nobody holds.",
        "who restarted the importer when it hung?", "Okafor",
    ),
    (
        "ok, b then",
        "Done: the thumbnails are made by the worker now, and the web process no longer loads libvips.",
        "where are the thumbnails made since we moved them?", "worker",
    ),
    (
        "hm, the tests took 19 minutes on the old runner, let me know what you see",
        "On the new runner they take 6 minutes; most of it is the browser suite.",
        "how long did the tests take on the old runner?", "19 minutes",
    ),
    (
        "can you look why invoices of Norwegian customers show two currencies?",
        "The template takes the symbol from the locale and the amount from the order, which is in EUR.",
        "why did Norwegian invoices show two currencies?", "locale",
    ),
    (
        "yes go ahead, and leave the gateway alone, Priya is in there today",
        "All but the gateway is renamed.", "why was the gateway left out of the renaming?", "Priya",
    ),
    (
        "what was that flag called to replay the events?",
        "It is `--from-snapshot`; without it the replay begins at the first event and takes hours.",
        "which flag replays the events from a snapshot?", "--from-snapshot",
    ),
    (
        "the demo for Halvorsen moved to the 14th, so no rush with the export",
        "Then I take the export after the migration.", "when is the demo for Halvorsen?", "14th",
    ),
    (
        "why is the nightly crawl so slow?",
        "It resolves each host again: caching DNS answers for an hour brought it from 52 to 9 minutes.",
        "what made the nightly crawl faster?", "DNS",
    ),
    (
        "nope, table driven please, like in the parser tests",
        "Rewritten: one table with 14 rows, one loop.", "in what style did I want the tests rewritten?",
        "table driven",
    ),
    (
        "I pasted the wrong key before, the sandbox one ends in 4471 as far as I remember",
        "The sandbox answers now; the other key was for production.", "what did the sandbox key end in?",
        "4471",
    ),
)  # fmt: skip


def test_ten_things_mentioned_in_passing_are_recalled(newest):
    for half in (STORIES[:5], STORIES[5:]):
        ran = newest.session([one[0] for one in half], [one[1] for one in half])
        assert ran.unharmed, ran
        newest.settle()
    asked = [[Call("mcp__plugin_recortex_recortex__recall", {"query": one[2]})] for one in STORIES]
    words = ("--allowedTools", "mcp__plugin_recortex_recortex")
    ran = newest.session(["Look these up, please."], [*asked, "Found."], words=words)
    assert ran.unharmed, ran
    answers = [request.last for request in ran.requests[1:]]
    missed = [one[2] for one, answer in zip(STORIES, answers, strict=True) if one[3] not in answer]
    assert missed == []
