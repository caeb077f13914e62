"""A worker of a PostgreSQL store: takes jobs from its queue until it is stopped."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.backends import queue
from recortex.app.jobs.running import run, run_due
from recortex.app.jobs.table import AFTER_SESSION, MAINTENANCE, QUEUED
from recortex.domain.vocabulary import Scope
from recortex.errors import RecortexError

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.app.application import Application
    from recortex.domain.address import Address

OPEN = 16
"""Workspaces that a worker keeps open: each has a connection or two."""
EVERY = "*/15 * * * *"
"""How often every workspace is looked after, as cron has it."""
ATTEMPTS = 5
"""How often a job that fails is run; then it waits for the next round of `EVERY`."""
GRACE = 30.0
"""Seconds that a worker may take to finish its job when it is told to stop: most take less, and one that is
cut off goes on the next time."""

_LOG = logging.getLogger(__name__)


class JobCounts(NamedTuple):
    """What a worker did: runs that succeeded, and runs that failed."""

    done: int = 0
    failed: int = 0


class Worker:
    """Does the jobs of all workspaces that its role may see.

    Args:
        address: of the store; its workspace is looked after in any case.
        open_app: opens the application of a workspace by its URL.
    """

    def __init__(self, address: Address, open_app: Callable[[str], Application]) -> None:
        self._address = address
        self._open_app = open_app
        self._apps: OrderedDict[str, Application] = OrderedDict()
        self.counts = JobCounts()

    def work(self, *, once: bool) -> JobCounts:
        """Take jobs until told to stop, or, once, until none waits.

        Raises:
            ConfigError: procrastinate is not installed.
            StorageError: the server cannot be reached, or the role may not make the queue's tables.
        """
        queue.prepare(self._address)
        self.queue_all()
        from procrastinate import App, PsycopgConnector, RetryStrategy

        jobs = App(
            connector=PsycopgConnector(**queue.options(self._address.conninfo), min_size=1, max_size=3)
        )
        for name in QUEUED:
            retry = RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=4)
            jobs.task(name=name, retry=retry)(self._task(name))
        rounds = jobs.task(name="rounds", queueing_lock="rounds")(self._rounds)
        jobs.periodic(cron=EVERY)(rounds)
        logging.getLogger("procrastinate").setLevel(logging.CRITICAL)  # it shows tracebacks; `_task` says why
        try:
            with queue.guarded():
                jobs.run_worker(
                    wait=not once,
                    concurrency=1,
                    delete_jobs="always",
                    name="recortex",
                    shutdown_graceful_timeout=GRACE,
                    install_signal_handlers=True,
                )
        finally:
            for app in self._apps.values():
                app.close()
        return self.counts

    def queue_all(self) -> int:
        """Put the jobs of every workspace into the queue, and those back that a killed worker left.

        Returns how many are new.
        """
        with queue.guarded(), queue.opened(self._address.conninfo) as jobs:
            queue.take_back(jobs)
            names = [self._address.workspace, *queue.workspaces(self._address)]
            return sum(queue.defer(jobs, name, QUEUED) for name in dict.fromkeys(names))

    def _task(self, name: str) -> Callable[[str], None]:
        def task(workspace: str) -> None:
            self.counts = self.counts._replace(failed=self.counts.failed + 1)  # until it is known to be done
            try:
                self.do(name, workspace)
            except Exception as error:
                _LOG.warning("%s of %s failed: %s", name, workspace, _describe_failure(error))
                raise  # the queue tries again, and gives up after some tries
            self.counts = JobCounts(self.counts.done + 1, self.counts.failed - 1)

        return task

    def _rounds(self, timestamp: int) -> None:  # noqa: ARG002  the queue gives it
        self.queue_all()

    def do(self, name: str, workspace: str) -> None:
        """Do one job for a workspace.

        Raises:
            RecortexError: it failed, or one of the maintenance jobs; the others were done.
        """
        app = self._app(workspace)
        services = app.services(Scope.PROJECT)
        if name == MAINTENANCE:
            done = run_due(services, app.clock, app.settings)
        else:
            jobs = [job for job in AFTER_SESSION if job.name == name]
            done = run(services, app.clock, app.settings, jobs)
        if failed := [f"{one.name}: {one.note}" for one in done if one.state == "failed"]:
            raise RecortexError("; ".join(failed), hint="`recortex status` shows it until it works again.")

    def _app(self, workspace: str) -> Application:
        if workspace not in self._apps:
            self._apps[workspace] = self._open_app(self._address.url(workspace))
        self._apps.move_to_end(workspace)
        while len(self._apps) > OPEN:
            self._apps.popitem(last=False)[1].close()
        return self._apps[workspace]


def _describe_failure(error: Exception) -> str:
    """Why a job failed, in a line."""
    if isinstance(error, RecortexError):
        return f"{error.message} {error.hint}"
    return f"{type(error).__name__}: {error}".partition("\n")[0]
