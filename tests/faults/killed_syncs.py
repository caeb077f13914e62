"""Ada's sync is killed before its first step, its fourth, its seventh …, until one comes to its end.

    python tests/faults/killed_syncs.py FOLDER [LINK_OF_ADA LINK_OF_BOB URL_OF_ADA_S_STORE]

Over a git branch, or with links over a team server; Ada's store is then on a PostgreSQL server.

Prints a line of JSON with the status of each of these processes. It runs in a process of its own: whoever
forks must have no other thread, for a lock that such a thread holds is never given back in the child.
"""

import faulthandler
import json
import os
import random
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from example_exchanges import grow, said, say
from recortex.sync import git_branch, http, membership
from recortex.sync.records import SyncRecords
from replicas import Person

STEPS = ("append", "put_state", "put_heads", "put_replica", "hollow")
SECONDS = 100
"""After which a process that hangs says where, and ends."""
MOST_STEPS = 300
LINKS, URLS = {}, {}
"""Of those who use a server, and of stores on one."""


def main(folder, *given):
    """Kill one sync after the other."""
    if given:
        LINKS.update(zip(("Ada", "Bob"), given, strict=False))
        URLS["Ada"] = given[2]
    else:
        subprocess.run(["git", "init", "-q", "--bare", folder / "origin.git"], check=True)
        done_in_child(lambda _, way: way.found("team"), folder, "Bob")
    ends = []
    for step in range(1, MOST_STEPS, 3):
        done_in_child(worked(step), folder, "Ada")
        done_in_child(worked(step), folder, "Bob")
        ends.append(in_child(killed(step), folder, "Ada"))
        if ends[-1] == 0:
            break
        if step % 2:  # else the next one is killed over what this one left
            done_in_child(killed(0), folder, "Ada")
    print(json.dumps(ends))  # noqa: T201  it is a program


def way_of(person, folder):
    """The way over the branch, or to the server."""
    if link := LINKS.get(person.name):
        vault, me = person.team.vault, person.team.me()
        place, token = http.read_link(link)
        if not vault.get(f"token {place.url} {me.replica}"):
            membership.join(vault, me, place, token, 1)
        return membership.transport_of(vault, me, place.url)
    return git_branch.GitBranch(str(folder / "origin.git"), folder / person.name / "sync.git", person.clock())


def killing(step):
    """Let this process be killed before a step: a write, or a call of git or the server; from 1."""
    left = count(step, -1)

    def before(act):
        def counted(*given, **more):
            if next(left) == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*given, **more)

        return counted

    for name in STEPS:
        setattr(SyncRecords, name, before(getattr(SyncRecords, name)))
    git_branch.GitBranch._git = before(git_branch.GitBranch._git)
    http.HttpTransport._once = before(http.HttpTransport._once)


def in_child(act, folder, name):
    """How a process ended in which somebody did something."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 1
    try:
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        person = Person(folder / name, name, url=URLS.get(name))
        act(person, way_of(person, folder))
        person.close()
        status = 0
    except Exception:  # noqa: BLE001  the child ends here, whatever it is
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


def done_in_child(act, folder, name):
    """The same of what must come to its end."""
    if status := in_child(act, folder, name):
        raise SystemExit(f"{name}'s process ended with the status {status}: see above.")


def worked(number):
    """Somebody does something, and Bob synchronises it."""

    def act(person, way):
        person.shares()
        person.remember(f"{person.name} decided on limit {number} for queue {number}.")
        ids = sorted(one.id for one in person.cortex.list(limit=1000).memories)
        person.cortex.edit(ids[number % len(ids)], tags=[f"{person.name}{number}"])
        drawing = random.Random(number)  # noqa: S311  seeded
        say(person, drawing, 2 * number + (person.name == "Ada"))
        grow(person, drawing, number)
        known = [*said(person), *ids]
        shared = [one for one in known if one in person.heads() or f"exchange:{one}" in person.heads()]
        if number % 2 and shared:
            person.cortex.purge(drawing.choice(shared))
        if person.name == "Bob":
            person.sync(way)

    return act


def killed(step):
    """A sync that is killed before that step; at 0 it is not."""

    def act(person, way):
        person.shares()
        killing(step)
        person.sync(way)

    return act


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
