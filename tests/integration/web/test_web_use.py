"""The JSON API in use: by a generated client, and by many at once."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import httpx2
import pytest

pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]


# -- A client that a generator makes of the OpenAPI document runs a script of twenty calls.
GENERATOR = "openapi-python-client==0.29.1"
SCRIPT = """
import sys
from memory.client import AuthenticatedClient
from memory.models import *
from memory.api.default import (
    context, edit, explain, feedback, forget, get, history, kinds, link, list_, purge, recall, related,
    remember, remember_many, review, sessions, status, undo, why,
)

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
done = []

def call(operation, body=None, wanted=200):
    answer = operation.sync_detailed(client=client, **({"body": body} if body is not None else {}))
    assert answer.status_code == wanted, (operation.__name__, answer.content[:300])
    done.append(operation.__name__.rpartition(".")[2])
    return answer.parsed

kept = call(remember, RememberBody(text="Deploys go out on Thursdays", kind="procedural")).data
more = call(remember, RememberBody(text="The deploy script is deploy.sh", kind="environment")).data
both = call(remember_many, RememberManyBody(memories=[
    RememberManyBodyMemoriesItem.from_dict({"text": f"A fact with the number {n}"}) for n in range(3)])).data
found = call(recall, RecallBody(query="when do deploys go out?")).data
assert found.hits[0].memory.id == kept.id, found
assert call(get, GetBody(id=kept.id)).data.text == "Deploys go out on Thursdays"
assert call(list_, ListBody(limit=2)).data.total == 5
call(link, LinkBody(id=kept.id, target=more.id))
assert call(related, RelatedBody(id=kept.id)).data.neighbours
call(edit, EditBody(id=kept.id, text="Deploys go out on Fridays"))
assert len(call(history, HistoryBody(id=kept.id)).data.versions) == 2
call(undo, UndoBody(id=kept.id))
call(feedback, FeedbackBody.from_dict({"id": kept.id, "answer": "confirm"}))
call(context, ContextBody(task="prepare a deploy"))
call(explain, ExplainBody(about=kept.id))
call(why, WhyBody(about=kept.id))
call(review)
call(sessions)
call(status)
call(kinds)
call(forget, ForgetBody(id=more.id))
call(purge, PurgeBody(id=more.id), wanted=409)
call(purge, PurgeBody(id=more.id, confirm=True))
call(get, GetBody(id=more.id), wanted=404)
print(len(done), len(set(done)))
"""


@pytest.fixture(scope="module")
def generator(tmp_path_factory):
    """The Python of an environment with the generator and what its clients need."""
    folder = tmp_path_factory.mktemp("generator") / "venv"
    uv = str(Path(sys.executable).parent / "uv")
    for words in (
        ["venv", "--python", sys.executable, str(folder)],
        ["pip", "install", "--quiet", "--python", str(folder), GENERATOR],
    ):
        subprocess.run([uv, *words], check=True, capture_output=True)
    return folder / "bin"


def test_a_generated_client_runs_twenty_calls(generator, serving, tmp_path):
    with serving() as served:
        document = tmp_path / "openapi.json"
        document.write_bytes(served.program("read").get("/api/v1/openapi.json").content)
        made = subprocess.run(
            [
                generator / "openapi-python-client", "generate", "--path", document, "--output-path",
                tmp_path / "memory", "--meta", "none",
            ],
            capture_output=True, text=True, check=True,
            env={**os.environ, "PATH": f"{generator}{os.pathsep}{os.environ['PATH']}"},
        )  # fmt: skip
        assert "WARNING" not in made.stdout
        ran = subprocess.run(
            [generator / "python", "-c", SCRIPT, served.base, served.token()],
            capture_output=True, text=True, cwd=tmp_path, check=False,
        )  # fmt: skip
        assert ran.stdout.split() == ["23", "20"], ran.stderr


# -- Many clients at once, and a server that is killed while they write.
CLIENTS, SECONDS = 200, 20


def test_two_hundred_clients_get_no_error(served):
    answers = Counter()
    headers = {"authorization": f"Bearer {served.token('write')}"}

    async def visit(client, number, until):
        for turn in range(10_000):
            name, body = [
                ("list", {"limit": 5}),
                ("recall", {"query": f"what did client {number} say?"}),
                ("remember", {"text": f"Client {number} says in turn {turn} what it saw"}),
                ("get", {"id": "none"}),
            ][(turn + number) % 4]
            answer = await client.post(f"/api/v1/{name}", json=body)
            answers[name, answer.status_code] += 1
            if time.monotonic() > until:
                return

    async def crowd():
        limits = httpx2.Limits(max_connections=CLIENTS)
        async with httpx2.AsyncClient(
            base_url=served.base, headers=headers, limits=limits, timeout=300
        ) as client:
            until = time.monotonic() + SECONDS
            await asyncio.gather(*(visit(client, number, until) for number in range(CLIENTS)))

    asyncio.run(crowd())
    wanted = {("list", 200), ("recall", 200), ("remember", 200), ("get", 404)}
    assert set(answers) == wanted
    assert served.run("list", "--limit", "1")["total"] == answers["remember", 200]


def test_what_was_acknowledged_survives_a_kill(serving):
    kept, stop = [], threading.Event()
    with serving() as served:
        headers = {"authorization": f"Bearer {served.token('write')}"}

        def write(number):
            with httpx2.Client(base_url=served.base, headers=headers, timeout=300) as client:
                turn = 0
                while not stop.is_set():
                    turn += 1
                    try:
                        text = f"Writer {number} wrote statement {turn}"
                        answer = client.post("/api/v1/remember", json={"text": text})
                    except httpx2.HTTPError:
                        return
                    kept.append(answer.json()["data"]["id"])

        writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for one in writers:
            one.start()
        deadline = time.monotonic() + 300
        while len(kept) < 40 and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(served.pid, signal.SIGKILL)
        stop.set()
        for one in writers:
            one.join()
        known = {one["id"] for one in served.run("list", "--limit", "1000")["memories"]}
    assert len(kept) >= 40
    assert set(kept) <= known
