"""The health of a store: its size, its growth, and what a person might do about them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recortex.app.jobs.maintenance import SMALL_FILE
from recortex.domain.vocabulary import Status
from recortex.engines.maintenance.growth import bytes_per_day, days_until, fragmentation

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices
    from recortex.settings import Settings

SAMPLES = 400
"""Sizes of the store that growth is computed from: more than its window holds."""
SOON_DAYS = 30
"""How long before a store reaches its threshold a notice is given."""
_MONTH = 30
_MEGABYTE = 1024 * 1024
_STAMP = "%Y%m%dT%H%M%S%f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The health of a store.

    Attributes:
        active: memories with that status, as everywhere.
        archived: memories that are archived or pruned.
        fragmentation: the share that holds nothing, from 0 to 1, as of the last maintenance.
        bytes_per_month: by which it grows; None where too little is known.
        days_to_threshold: until it has the size of `gc.threshold_mb`; None where it will not, as things are.
        last_gc, last_backup: when maintenance was done, and when a backup was made; None: never.
    """

    bytes: int
    active: int
    archived: int
    vector_bytes: int
    index_bytes: int
    fragmentation: float
    bytes_per_month: int | None
    days_to_threshold: int | None
    last_gc: datetime | None
    last_backup: datetime | None


def health(services: StoreServices, settings: Settings) -> Health:
    """Measure the health of a store."""
    store = services.store
    space = store.compaction.space()
    archived = store.maintenance.archived()
    rate = bytes_per_day(store.maintenance.samples(SAMPLES))
    left = days_until(space.total, settings["gc.threshold_mb"] * _MEGABYTE, rate)
    runs = store.maintenance.all()
    done = [run.done_at for name, run in runs.items() if name not in {"growth", "backup"}]
    waste = max(runs["compaction"].outcome.get("waste_bytes", 0) if "compaction" in runs else 0, space.free)
    return Health(
        bytes=space.total,
        active=sum(statuses.get(Status.ACTIVE, 0) for statuses in store.memories.counts().values()),
        archived=archived,
        vector_bytes=space.vectors,
        index_bytes=space.keyword_index,
        fragmentation=fragmentation(waste, space.total),
        bytes_per_month=None if rate is None else round(rate * _MONTH),
        days_to_threshold=None if left is None else math.ceil(left),
        last_gc=max(done, default=None),
        last_backup=_last_backup(services),
    )


def notices(value: Health, settings: Settings) -> list[str]:
    """What a person might do about a store's size."""
    found = []
    if value.days_to_threshold is not None and value.days_to_threshold <= SOON_DAYS:
        size = f"{settings['gc.threshold_mb']:,} MB (gc.threshold_mb)"
        when = (
            f"will have {size} in {value.days_to_threshold} days"
            if value.days_to_threshold
            else f"has {size}"
        )
        found.append(f"The store {when}: `recortex gc --all --dry-run` shows what can go.")
    if value.fragmentation > settings["gc.fragmentation"] and value.bytes > SMALL_FILE:
        share = f"{value.fragmentation:.0%} of the store's file holds nothing"
        found.append(f"{share}: run `recortex gc --full` when nobody works with it.")
    return found


def _last_backup(services: StoreServices) -> datetime | None:
    """The time in the newest backup's name; None for one that a person named."""
    stamps = (path.name.partition("-")[0] for path in services.store.backups.all())
    return max(filter(None, map(_stamped, stamps)), default=None)


def _stamped(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
