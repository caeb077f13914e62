"""How fast `recortex serve` answers: each page and route alone, then 200 clients at the same time.

    python bench/serving.py --project DIR [--seconds 60] [--clients 200]

Starts the server of a project's own store (its user's data by RECORTEX_HOME), asks every page twenty times,
then lets clients read, search and write for a while. Prints medians and p95 in milliseconds, errors, and the
server's memory at its highest.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx2

PAGES = (
    "", "search?q=how+are+tests+run", "review", "memories", "memories?kind=decision&offset=100", "sessions",
    "decisions", "map", "map.json", "documents", "code", "health", "projects", "tokens",
)  # fmt: skip
QUESTIONS = ("how are tests run", "which database is used", "why was it changed", "login", "deploy", "error")
TIMES = 20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=200)
    options = parser.parse_args()
    project = ["--project", str(options.project)]
    program = [sys.executable, "-m", "recortex"]
    began = time.perf_counter()
    server = subprocess.Popen(
        [*program, "serve", "--no-open", "--port", "0", *project], stdout=subprocess.PIPE, text=True
    )
    try:
        link = re.search(r"(http://\S+)/enter\?\S+", server.stdout.readline() if server.stdout else "")
        assert link, "the server did not start"
        print(f"link printed after {time.perf_counter() - began:.2f} s")
        words = ["tokens", "add", "--name", f"bench {time.time()}", "--right", "write", "--json", *project]
        made = subprocess.run([*program, *words], capture_output=True, check=True)
        _pages(link[0], link[1])
        asyncio.run(_crowd(link[1], json.loads(made.stdout)["data"]["secret"], options))
        # Pages of the store that several connections map count once in Pss, and each time in Rss.
        told = Path(f"/proc/{server.pid}/smaps_rollup").read_text()
        memory = {name: int(size) // 1024 for name, size in re.findall(r"(Rss|Pss|Anonymous):\s+(\d+)", told)}
        print(f"server's memory in MB: {memory}")
    finally:
        server.terminate()
        server.wait()


def _pages(link: str, base: str) -> None:
    headers = {"accept": "text/html", "sec-fetch-site": "same-origin"}
    with httpx2.Client(base_url=base, follow_redirects=True, headers=headers, timeout=60) as browser:
        browser.get(link)
        found = re.search(r"/memories/([\w-]+)", browser.get("/p/here/memories").text)
        pages = [*PAGES, *([f"memories/{found[1]}"] if found else [])]
        for path in pages:
            taken = []
            for _ in range(TIMES):
                began = time.perf_counter()
                answer = browser.get(f"/p/here/{path}")
                taken.append((time.perf_counter() - began) * 1000)
                assert answer.status_code == 200, (path, answer.status_code)
            size = len(answer.content) / 1000
            middle, slow = _at(taken, 0.5), _at(taken, 0.95)
            print(f"{path or 'home':40} {taken[0]:7.0f} {middle:6.0f} {slow:6.0f} ms  {size:6.0f} kB")


async def _crowd(base: str, secret: str, options: argparse.Namespace) -> None:
    until, taken, answers = time.monotonic() + options.seconds, [], Counter[int | str]()
    limits = httpx2.Limits(max_connections=options.clients)
    headers = {"authorization": f"Bearer {secret}"}
    async with httpx2.AsyncClient(base_url=base, headers=headers, limits=limits, timeout=120) as client:

        async def visit(number: int) -> None:
            turn = 0
            while time.monotonic() < until:
                turn += 1
                asked: tuple[str, dict[str, object]] = ("list", {"limit": 20})
                if turn % 3 == 0:
                    asked = ("recall", {"query": QUESTIONS[(number + turn) % len(QUESTIONS)]})
                if turn % 20 == 10:
                    asked = ("remember", {"text": f"Client {number} said in turn {turn} of {base}"})
                began = time.perf_counter()
                try:
                    answer = await client.post(f"/api/v1/{asked[0]}", json=asked[1])
                    answers[answer.status_code] += 1
                except httpx2.HTTPError as error:
                    answers[type(error).__name__] += 1
                taken.append((time.perf_counter() - began) * 1000)

        await asyncio.gather(*map(visit, range(options.clients)))
    middle, slow = _at(taken, 0.5), _at(taken, 0.95)
    print(f"{options.clients} clients: {dict(answers)}, p50 {middle:.0f}, p95 {slow:.0f} ms")


def _at(taken: list[float], share: float) -> float:
    return statistics.quantiles(taken, n=100, method="inclusive")[round(share * 100) - 1]


if __name__ == "__main__":
    main()
