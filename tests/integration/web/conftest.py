"""A server in a process of its own over a small project, a browser's session and a program's token."""

import json
import os
import re
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest

import patient_recortex
import ready_recortex

LINK = re.compile(r"http://127\.0\.0\.1:(\d+)/enter\?token=\S+")


class Served(NamedTuple):
    """A running server: where it is, the link that it printed, and how to run a command of its user."""

    base: str
    link: str
    run: object
    until: ExitStack
    pid: int
    home: Path

    def token(self, right="admin", **more):
        """The secret of a new token."""
        words = [f"--{name}={value}" for name, value in more.items()]
        name = f"{right} {os.urandom(4).hex()}"
        return self.run("tokens", "add", "--name", name, "--right", right, *words)["secret"]

    def program(self, right="admin"):
        """A program with a token of that right."""
        headers = {"authorization": f"Bearer {self.token(right)}"}
        return self.until.enter_context(httpx2.Client(base_url=self.base, headers=headers, timeout=300))


class Browser:
    """A browser as far as the server sees it: a cookie, and the CSRF token of the page that it is on."""

    def __init__(self, served):
        self.base = served.base
        headers = {"accept": "text/html", "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate"}
        client = httpx2.Client(base_url=served.base, follow_redirects=True, headers=headers, timeout=300)
        self.client = served.until.enter_context(client)
        self.page = self.client.get(served.link)

    def get(self, path):
        self.page = self.client.get(path)
        return self.page

    @property
    def csrf(self):
        return re.search(r'"X-CSRF-Token": "([^"]+)"', self.page.text)[1]

    def post(self, path, **form):
        return self.client.post(path, data={"csrf": self.csrf, **form}, headers={"origin": self.base})


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    """Start a server with options; it is ended at the end of the block."""

    @contextmanager
    def started(*words, tokens=0):
        folder = tmp_path_factory.mktemp("served")
        project = folder / "project"
        project.mkdir()
        environment = {**os.environ, "RECORTEX_HOME": str(folder / "home"), "RECORTEX_EMBEDDER": "hashed"}

        def run(*more):
            done = ready_recortex.run(*more, "--json", cwd=project, env=environment)
            return json.loads(done.stdout)["data"]

        for number in range(tokens):
            run("tokens", "add", "--name", f"first {number}")
        command = [
            *patient_recortex.command(), "serve", "--no-open", "--port", "0", "--project", str(project),
            *words,
        ]  # fmt: skip
        log = (folder / "log").open("w+")
        server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            found = LINK.search(server.stdout.readline())
            log.seek(0)
            assert found, log.read()
            with ExitStack() as until:
                yield Served(
                    f"http://127.0.0.1:{found[1]}", found[0], run, until, server.pid, folder / "home"
                )
        finally:
            server.terminate()
            server.wait(300)
            server.stdout.close()
            log.close()

    return started


@pytest.fixture(scope="module")
def served(serving):
    with serving() as one:
        yield one


@pytest.fixture(scope="module")
def browser(served):
    return Browser(served)


@pytest.fixture(scope="module")
def program(served):
    return served.program()
