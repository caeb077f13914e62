"""Many clients at once, and a server that is killed while they write."""

import asyncio
import os
import signal
import threading
import time
from collections import Counter

import httpx2
import pytest

pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]

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
