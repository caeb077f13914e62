"""Membership of a workspace on a team server: joining it, inviting others, ending their access."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from recortex.lean import Value
from recortex.sync.http import HttpTransport, Place, read_link
from recortex.sync.protocol import parse
from recortex.sync.wire import Access
from recortex.terminal import clean

if TYPE_CHECKING:
    from recortex.app.access import Right
    from recortex.sync.keys import Identity
    from recortex.sync.vault import Vault


class _Token(Value, frozen=True):
    token: str


class _Whose(Value, frozen=True):
    member: str


class _Provider(Value, frozen=True):
    issuer: str
    client: str


def transport_of(vault: Vault, me: Identity, way: str) -> HttpTransport:
    """The requests of a replica to the workspace of a URL."""
    place = read_link(way)[0]
    return HttpTransport(place, vault.get(_name(place)), me.replica, me.key)


def join(vault: Vault, me: Identity, place: Place, token: str, since: int) -> None:
    """Make a replica one of a workspace, and its author the member of the token.

    Args:
        vault: where the token is kept.
        me: the replica.
        place: the workspace.
        token: of the link; empty: the person logs in.
        since: milliseconds since 1970.

    Raises:
        OfflineError: the server cannot be reached.
        RefusedError: the link was used, or is over.
        LoginError: the person did not log in.
    """
    with HttpTransport(place, token or _logged_in(place, me), me.replica, me.key) as transport:
        me.author = parse(transport.ask("token"), _Whose).member
        transport.join(me.card(since))
        vault.put(_name(place), transport.secret)


def renewed(vault: Vault, transport: HttpTransport, me: Identity, since: int) -> None:
    """Go on as another replica: the server gives it a token of its own."""
    transport.become(me.replica, me.key, me.card(since))
    vault.put(_name(transport.place), transport.secret)


def invite(transport: HttpTransport, member: str, scope: Right, days: int) -> str:
    """A link by which somebody joins; admins alone may make one."""
    answer = transport.ask("invite", {"member": member, "scope": scope, "days": days})
    return f"{transport.place.url}#{parse(answer, _Token).token}"


def accesses(transport: HttpTransport) -> tuple[Access, ...]:
    """All tokens of the workspace; admins alone may see them."""
    return parse(transport.ask("members"), tuple[Access, ...])


def _name(place: Place) -> str:
    """The name of the token in the vault."""
    return f"token {place.url}"


def _logged_in(place: Place, me: Identity) -> str:
    """The token that the server gives to a person who logs in with its provider."""
    from recortex.sync.login import Provider, by_device

    with HttpTransport(place, "", me.replica, me.key) as transport:
        provider = parse(transport.ask("login"), _Provider)
        token = by_device(Provider(provider.issuer, provider.client), tell)
        return parse(transport.ask("log-in", {"id_token": token}), _Token).token


def tell(page: str, code: str) -> None:
    """Say on the terminal where to log in, without anything of the provider's that a terminal obeys."""
    sys.stderr.write(clean(f"Open {page} in a browser and enter the code {code}.\n"))
    sys.stderr.flush()
