"""Git as tests call it: by somebody, at a time, whatever the person's own settings are."""

import os
import subprocess

SOMEBODY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")


def git(folder, *words, at=None, message=None):
    """Run it in a folder, with a message on its input; returns what it says."""
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
    done = subprocess.run(
        ["git", *SOMEBODY, *words],
        cwd=folder, env=os.environ | dates, input=message, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()
