"""Four stories of four sessions in a person's careless words: what the last one asks is true then.

Some of it the agent remembers when it is told, some of it only the person says. In the last session every
question is answered with what holds by then, and no memory of what ended is told as if it held.
"""

import json
from typing import NamedTuple

import pytest
from agents.script import Call

REMEMBER, RECALL = (f"mcp__plugin_recortex_recortex__{verb}" for verb in ("remember", "recall"))
WORDS = ("--allowedTools", "mcp__plugin_recortex_recortex")


class Turn(NamedTuple):
    """What the person says, what the agent remembers of it (mostly nothing), and what it answers."""

    said: str
    kept: str = ""
    answer: str = "OK."


class Question(NamedTuple):
    """What is asked in the last session: a part of every right answer, and one of none."""

    asked: str
    holds: str
    ended: str = ""


class Story(NamedTuple):
    """Three sessions, and the questions of the fourth."""

    sessions: tuple[tuple[Turn, ...], ...]
    questions: tuple[Question, ...]


STORIES = {
    "the shop": Story(
        (
            (
                Turn(
                    "ok so ci is on travis, dont ask me why",
                    "CI runs on Travis.",
                ),
                Turn("always run make check before you commit pls"),
            ),
            (
                Turn(
                    "travis is dead to us, ci moved to github actions last night",
                    "CI runs on GitHub Actions now.",
                ),
                Turn(
                    "the cart keeps 30 days bc legal said so", "The cart is kept for 30 days, as legal asked."
                ),
            ),
            (
                Turn("cart is 60 days now, legal changed there mind", "The cart is kept for 60 days now."),
                Turn("can you fix the typo in the footer"),
            ),
        ),
        (
            Question("where does ci run", "GitHub Actions", "on Travis."),
            Question("how long is the cart kept", "60 days", "for 30 days"),
            Question("what do I run before I commit", "make check"),
        ),
    ),
    "the router": Story(
        (
            (
                Turn("we use chi for routing here", "HTTP routes are declared with chi."),
                Turn(
                    "postgres listens on 5433 on this box btw",
                    "Postgres listens on port 5433 on this machine.",
                ),
            ),
            (
                Turn(
                    "throw chi out and use ServeMux, stdlib is enough",
                    "Use ServeMux for HTTP routes instead of chi.",
                ),
                Turn("hm the tests are slow again"),
            ),
            (
                Turn("redis listens on 6380 here", "Redis listens on port 6380 on this machine."),
                Turn("never touch vendor/, its generated"),
            ),
        ),
        (
            Question("what do we use for http routes", "ServeMux", "declared with chi"),
            Question("which port does postgres listen on", "5433"),
            Question("which port does redis listen on", "6380"),
            Question("may i touch vendor", "never touch vendor"),
        ),
    ),
    "the release": Story(
        (
            (
                Turn("we release on tuesdays", "We release on Tuesdays."),
                Turn("squash merge the PRs please", "Pull requests are squash merged."),
            ),
            (
                Turn(
                    "no more squash merges, we keep the merge commits",
                    "No more squash merges: merge commits are kept.",
                ),
                Turn(
                    "main is protected so u need a PR for everything",
                    "Everything needs a pull request: main is protected.",
                ),
            ),
            (
                Turn("releases moved to mondays", "Releases moved from Tuesdays to Mondays."),
                Turn("whats the weather lol"),
            ),
        ),
        (
            Question("on which day do we release", "Mondays", "We release on Tuesdays"),
            Question("how are pull requests merged", "merge commits", "are squash merged."),
            Question("can i push to main directly", "pull request"),
        ),
    ),
    "the queue": Story(
        (
            (
                Turn("jobs go thru rabbitmq", "Jobs go through RabbitMQ."),
                Turn("issue 41 was the leak in the tokenizer", "Issue #41 was a leak in the tokenizer."),
            ),
            (
                Turn("issue 42 is the leak in the parser, other thing", "Issue #42 is a leak in the parser."),
                Turn("logs are json", "Logs are written as JSON."),
            ),
            (
                Turn("lets replace rabbitmq with sqs", "RabbitMQ was replaced with SQS for jobs."),
                Turn(
                    "forget what i said about json logs, plain text is fine",
                    "Logs are plain text, no longer JSON.",
                ),
            ),
        ),
        (
            Question("what do jobs go through", "SQS", "Jobs go through RabbitMQ."),
            Question("in which format are logs written", "plain text", "Logs are written as JSON."),
            Question("what was issue 41", "tokenizer"),
            Question("what was issue 42", "parser"),
        ),
    ),
}


def replies(turns):
    """What the agent does at each turn: remembers where something is to be kept, then answers."""
    found = []
    for turn in turns:
        if turn.kept:
            found.append([Call(REMEMBER, {"text": turn.kept, "kind": "decision"})])
        found.append(turn.answer)
    return found


@pytest.mark.parametrize("name", STORIES)
def test_the_last_session_is_served_what_is_true_then(newest, name):
    story = STORIES[name]
    for turns in story.sessions:
        ran = newest.session([turn.said for turn in turns], replies(turns), words=WORDS)
        assert ran.unharmed, ran
        newest.settle()
    asked = [[Call(RECALL, {"query": one.asked})] for one in story.questions]
    ran = newest.session(["look these up pls"], [*asked, "Found."], words=WORDS)
    assert ran.unharmed, ran
    answers = [request.last for request in ran.requests[1:]]
    for one, answer in zip(story.questions, answers, strict=True):
        assert one.holds.lower() in answer.lower(), (one, answer)
        hits = json.loads(answer)["hits"]
        held = [hit["memory"]["text"] for hit in hits if not hit.get("disputed")]
        assert not one.ended or not any(one.ended in text for text in held), (one, answer)
