"""A team server and the people of a team, all by the real command: each with a checkout and a home."""

import os
import re
import subprocess
from contextlib import contextmanager

from patient_recortex import command

LINK = re.compile(r"recortex sync join '(\S+)'")


@contextmanager
def serving(url, *more):
    """`recortex serve --team`; gives the URL of the workspace, and the token that it printed, if any."""
    words = [*command(), "serve", "--team", url, "--workspace", "acme", "--admin", "ada", *more]
    program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        told = ""
        while "Ctrl-C" not in told:
            line = program.stdout.readline()
            assert line, told
            told += line
        link = LINK.search(told)
        yield link[1] if link else re.search(r"Team server: (\S+)", told)[1]
    finally:
        program.terminate()
        program.wait()
        program.stdout.close()


class People:
    """Runs a command in a person's checkout, with a home of their own."""

    def __init__(self, folder):
        self.folder = folder

    def home(self, person):
        return self.folder / f"home of {person}"

    def words(self, person, *words):
        """What to start, and where."""
        checkout = self.folder / person
        if not checkout.exists():
            checkout.mkdir()
            subprocess.run(["git", "init", "-q"], cwd=checkout, check=True)
        environment = os.environ | {"RECORTEX_HOME": str(self.home(person))}
        return {"args": [*command(), *words], "cwd": checkout, "env": environment, "text": True}

    def __call__(self, person, *words, fails=False):
        done = subprocess.run(**self.words(person, *words), capture_output=True, check=False)
        assert (done.returncode != 0) == fails, (words, done.stdout, done.stderr)
        return done.stdout + done.stderr
