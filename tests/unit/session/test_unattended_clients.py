"""Prompts that a program gives to a client whose transcript does not say so: hooks see how it was started."""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from recortex import hooks
from recortex.app.hooks.context import HookContext
from recortex.app.hooks.dispatch import handle
from recortex.app.past_sessions import TurnPlaces
from recortex.domain.session import HookEvent
from recortex.domain.vocabulary import Scope
from recortex.formats.transcripts import open_transcript

GEMINI = ("node", "--max-old-space-size=12052", "/usr/bin/gemini", "-m", "gemini-2.5-flash", "-y")
QWEN = ("node", "--expose-gc", "/lib/@qwen-code/qwen-code/cli.js", "-y")


@pytest.mark.parametrize(
    ("client", "words", "piped", "expected"),
    [
        ("gemini", (*GEMINI, "-p", "Sum up."), False, True),
        ("gemini", (*GEMINI, "--prompt=Sum up."), True, True),
        ("gemini", GEMINI, True, True),
        ("gemini", GEMINI, False, False),
        ("gemini", (*GEMINI, "Begin with the tests."), False, False),
        ("gemini", (*GEMINI, "-i", "Begin with the tests."), False, False),
        ("gemini", (*GEMINI, "-i", "-p"), False, False),
        ("gemini", (*GEMINI, "--acp"), True, False),
        ("gemini", (*GEMINI, "--experimental-acp"), True, False),
        ("gemini", ("node", "/lib/a2a-server.mjs"), True, False),
        ("qwen", (*QWEN, "-p", "Sum up."), True, True),
        ("qwen", (*QWEN, "--prompt-interactive", "Begin."), False, False),
        ("qwen", QWEN, True, True),
        ("qwen", (*QWEN, "--acp"), True, False),
    ],
)
def test_how_a_client_was_started_tells_who_gives_it_its_prompts(client, words, piped, expected):
    assert hooks.is_unattended(client, words, piped=piped) is expected


@pytest.mark.skipif(not shutil.which("ps"), reason="there is no ps")
def test_where_there_is_no_proc_ps_tells_the_words_and_the_age_of_a_process():
    age, words = hooks._asked_words(os.getpid())
    assert Path(words[0]).name.startswith("python") or words[0] == sys.executable
    assert 0 < age < time.clock_gettime(time.CLOCK_MONOTONIC) + 60
    assert hooks._asked_words(2**22 + 1) == (0.0, [])


def chat(path: Path, *said: tuple[datetime, str]) -> Path:
    head = {"sessionId": "s", "projectHash": "h", "startTime": said[0][0].isoformat(), "kind": "main"}
    lines = [
        {"id": str(number), "timestamp": at.isoformat(), "type": "user", "content": [{"text": text}]}
        for number, (at, text) in enumerate(said)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in [head, *lines]))
    return path


@pytest.mark.parametrize("name", ["user-prompt-submit", "stop"])
def test_only_what_was_said_while_a_program_ran_the_client_is_the_programs(
    context: HookContext, event: Callable[..., HookEvent], tmp_path: Path, name: str
):
    now = context.clock()
    began = (now - timedelta(seconds=5)).timestamp()
    handle(context, event(name, prompt="Sum up the week.", client="gemini", unattended_since=began))
    handle(context, event(name, session="other", prompt="Go on.", client="gemini"))
    path = chat(
        tmp_path / "session-1.jsonl",
        (now - timedelta(minutes=5), "Before."),
        (now + timedelta(milliseconds=100), "Sum up the week."),
        (now + timedelta(minutes=5), "After."),
    )
    reader = open_transcript(path)
    places = TurnPlaces.from_services(context.app.services(Scope.PROJECT))
    found = [(turn.author, turn.text) for turn in places.own(reader, reader)]
    assert found == [("person", "Before."), ("program", "Sum up the week."), ("person", "After.")]
