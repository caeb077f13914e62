"""Keeping what is said in a session, while its transcript is read."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.naming import of_info, shown
from recortex.app.turn_places import TurnPlaces
from recortex.codebase.files import relative
from recortex.codebase.project import working_tree
from recortex.engines.exchanges.building import SessionBuilder
from recortex.engines.exchanges.deciding import decision
from recortex.engines.exchanges.terms import terms
from recortex.engines.privacy import redact
from recortex.formats.transcripts import open_transcript

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime

    from recortex.app.store_services import StoreServices
    from recortex.domain.exchange import Exchange
    from recortex.domain.transcript import Turn
    from recortex.formats.transcripts import TranscriptReader


def make_again(services: StoreServices, path: Path, *, now: datetime, keep: Collection[str]) -> set[str]:
    """Make the exchanges of a session again from its whole transcript; returns the session's id.

    Args:
        services: of the store that keeps them.
        path: the transcript.
        now: when that is.
        keep: sessions of which another file was read just now: what is kept of others goes first.

    Raises:
        FormatError: the file is no transcript that Recortex reads.
    """
    reader = open_transcript(path)
    listener = ExchangeListener(services, reader)
    deque(listener.hearing(TurnPlaces.of(services).own(reader, reader)), maxlen=0)
    with services.store.transaction():
        session = of_info(reader.info).session_id
        if session not in keep:
            services.store.exchanges.delete_session(session)
        listener.keep(now)
    return {session}


class ExchangeListener:
    """Builds exchanges out of the turns that pass by, and keeps them.

    Args:
        services: of the store that keeps them.
        reader: of the transcript.
        branch, folder: where the session works, if known; for a transcript that does not say it.
    """

    def __init__(
        self, services: StoreServices, reader: TranscriptReader, *, branch: str = "", folder: str = ""
    ) -> None:
        self._store = services.store
        self._reader = reader
        self._branch, self._folder = branch, folder
        self._builder: SessionBuilder | None = None

    def hearing(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """The turns, each after it was taken into account."""
        for turn in turns:
            if self._builder is None:
                self._builder = self._resumed()
            self._builder.take(turn)
            yield turn

    def keep(self, now: datetime) -> int:
        """Keep what has come or grown; returns how many exchanges changed."""
        if self._reader.interrupted:
            self._builder = self._builder or self._resumed()
            self._builder.ends("interrupted")
        if self._builder is None or not self._builder.changed:
            return 0
        changed = map(_named_safely, self._builder.changed.values())
        found = [(one, terms(one, _decided_files(one))) for one in changed]
        with self._store.transaction():
            return self._store.exchanges.put(found, now)

    def _resumed(self) -> SessionBuilder:
        """From where the last pass ended; from nothing where the file is read from its beginning."""
        info = of_info(self._reader.info)
        info = replace(info, branch=info.branch or self._branch, cwd=info.cwd or self._folder)
        builder = SessionBuilder(info, _without_secrets)
        if self._reader.resumed:
            builder.current, builder.work = self._store.exchanges.growing(info.session_id)
        return builder


def _named_safely(exchange: Exchange) -> Exchange:
    """The exchange as it is kept: without secrets in the names of its branch and folder."""
    return replace(exchange, branch=shown(exchange.branch), folder=shown(exchange.folder))


def _decided_files(exchange: Exchange) -> list[str]:
    """The files that an exchange decided something about, relative to the checkout, as memories name them."""
    if not decision(exchange):
        return []
    folder = Path(exchange.folder)
    tree = working_tree(folder) if folder.is_dir() else folder
    return [shown(relative(str(folder / file), tree)) for file in exchange.files]


def _without_secrets(text: str) -> str:
    return redact(text).text
