"""Membership of a workspace on a team server: logging in, joining, inviting others, ending their access."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx2
import jwt

from recortex.codec import loads
from recortex.errors import InvalidInputError, RecortexError
from recortex.lean import Value
from recortex.sync.http import HttpTransport, Place, read_link
from recortex.sync.protocol import Access, parse
from recortex.terminal import clean
from recortex.transport import objection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from recortex.app.access import Right
    from recortex.sync.keys import Identity, Vault

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Signatures with public keys only: with others, the client's id would be a secret that anybody knows."""
_OLDEST = 600
"""Seconds after which an ID token opens nothing any more, whatever it says itself."""
_LEEWAY = 60
_TIMEOUT = 15.0
_MOST_BYTES = 256 * 1024
_SLOWER = 5.0
"""Seconds that a provider which says `slow_down` wants to be added between two questions."""
_LONGEST = 60.0
"""Seconds between two questions that a provider may ask for, and that one is tried that cannot be reached."""
_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_USED = "jwks_uri", "device_authorization_endpoint", "token_endpoint"


class LoginError(RecortexError):
    """The log-in did not succeed."""

    code = "login_failed"
    hint = "Log in again; `recortex sync join LINK` with a link of an admin works without a provider."


class UnreachableError(LoginError):
    """The provider did not answer."""


class Provider(NamedTuple):
    """An OpenID provider, and what Recortex is called there.

    Attributes:
        issuer: its URL.
        client: the id of a public client that may use the device flow.
    """

    issuer: str
    client: str

    def endpoints(self) -> Mapping[str, str]:
        """The URLs that the provider publishes.

        Raises:
            LoginError: it cannot be reached, or publishes something else.
        """
        if why := objection(self.issuer, secret=True, setting="The issuer"):
            raise LoginError(why, hint="Start the team server with another --issuer.")
        found = _asked("GET", self.issuer.rstrip("/") + "/.well-known/openid-configuration")[1]
        if found.get("issuer") != self.issuer:
            raise LoginError(f"The provider calls itself {str(found.get('issuer'))[:100]!r}.")
        given = {name: found[name] for name in _USED if isinstance(found.get(name), str)}
        if any(objection(one.partition("?")[0], secret=True, setting="It") for one in given.values()):
            raise LoginError("The provider publishes an address that is not encrypted.")
        return given


class Checker:
    """Checks ID tokens of one provider; its keys are fetched at the first one, and again for unknown keys."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self._lock = threading.Lock()
        self._keys: jwt.PyJWKClient | None = None

    def email(self, token: str) -> str:
        """The verified address of whoever an ID token was given to just now.

        Raises:
            LoginError: the token is not acceptable.
        """
        try:
            with self._lock:
                if self._keys is None:
                    self._keys = jwt.PyJWKClient(self.provider.endpoints()["jwks_uri"], timeout=_TIMEOUT)
            key = self._keys.get_signing_key_from_jwt(token)
            claims = jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                audience=self.provider.client,
                issuer=self.provider.issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "iat", "aud", "iss", "sub"]},
            )
        except (jwt.PyJWTError, KeyError, ValueError) as error:
            raise LoginError(f"The provider's token is refused: {str(error)[:200]}.") from None
        if claims.get("azp", self.provider.client) != self.provider.client:
            raise LoginError("The provider's token is refused: it was given to another program.")
        if time.time() - claims["iat"] > _OLDEST:
            raise LoginError("The provider's token is refused: it is too old.")
        email = claims.get("email")
        if not isinstance(email, str) or claims.get("email_verified") is not True:
            raise LoginError(
                "The provider does not say that the address is verified.",
                hint="Let the client have the scope `email`, and verify the address at the provider.",
            )
        return email


def by_device(provider: Provider, tell: Callable[[str, str], None]) -> str:
    """Let a person log in; returns the ID token.

    Args:
        provider: where.
        tell: is given the page that the person is to open, and the code to type there.

    Raises:
        LoginError: the person refused, or took too long, or the provider cannot do this.
    """
    endpoints = provider.endpoints()
    if not {"device_authorization_endpoint", "token_endpoint"} <= endpoints.keys():
        raise LoginError("The provider does not offer the device flow.")
    form = {"client_id": provider.client, "scope": "openid email"}
    status, begun = _asked("POST", endpoints["device_authorization_endpoint"], form)
    code, shown = begun.get("device_code"), begun.get("user_code")
    page = begun.get("verification_uri_complete") or begun.get("verification_uri")
    if status != httpx2.codes.OK or not all(isinstance(one, str) for one in (code, shown, page)):
        raise LoginError(f"The provider did not begin a log-in: {str(begun.get('error'))[:100]}.")
    tell(str(page), str(shown))
    pause = _seconds(begun.get("interval"), 5.0, most=_LONGEST)
    until = time.monotonic() + _seconds(begun.get("expires_in"), 600.0, most=1_800.0)
    poll = {"grant_type": _GRANT, "device_code": str(code), "client_id": provider.client}
    while time.monotonic() < until:
        time.sleep(pause)
        try:
            answer = _asked("POST", endpoints["token_endpoint"], poll)[1]
        except UnreachableError:  # the code is good even so: networks change while somebody types it
            pause *= 2
            if pause > _LONGEST:
                raise
            continue
        if isinstance(token := answer.get("id_token"), str):
            return token
        error = str(answer.get("error"))
        if (longer := pause_after(error, pause)) is None:
            said = {"access_denied": "You refused it.", "expired_token": "The code is too old."}
            raise LoginError(said.get(error, f"The provider gave no ID token: {error[:100]}."))
        pause = longer
    raise LoginError("Nobody entered the code in time.")


def pause_after(error: str, pause: float) -> float | None:
    """Seconds until the provider is asked again after an error (RFC 8628, 3.5); None: it gives no token."""
    return {"authorization_pending": pause, "slow_down": pause + _SLOWER}.get(error)


def _seconds(value: object, usual: float, *, most: float) -> float:
    return min(float(value), most) if isinstance(value, int | float) and value > 0 else usual


def _asked(method: str, url: str, form: Mapping[str, str] | None = None) -> tuple[int, dict[str, Any]]:
    """The status and the JSON object of an answer."""
    try:
        with (
            httpx2.Client(trust_env=False, follow_redirects=False, timeout=_TIMEOUT) as client,
            client.stream(
                method, url, data=form, headers={"accept": "application/json", "accept-encoding": "identity"}
            ) as answer,
        ):
            body = bytearray()
            for chunk in answer.iter_raw():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise LoginError("The provider's answer is too large.")
            found = loads(bytes(body))
    except httpx2.HTTPError as error:
        raise UnreachableError(f"The provider cannot be reached ({type(error).__name__}).") from None
    except InvalidInputError:
        raise LoginError("The provider's answer is not JSON.") from None
    if not isinstance(found, dict):
        raise LoginError("The provider's answer is not a JSON object.")
    return answer.status_code, found


# -- membership of a workspace on a team server: joining it, inviting others, ending their access


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
    by_url = f"token {place.url}"  # how former programs kept it
    token = vault.get(_name(place, me.replica)) or vault.get(by_url)
    return HttpTransport(place, token, me.replica, me.key)


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
        vault.put(_name(place, me.replica), transport.secret)


def renewed(vault: Vault, transport: HttpTransport, me: Identity, since: int) -> None:
    """Go on as another replica: the server gives it a token of its own."""
    transport.become(me.replica, me.key, me.card(since))
    vault.put(_name(transport.place, me.replica), transport.secret)


def invite(transport: HttpTransport, member: str, scope: Right, days: int) -> str:
    """A link by which somebody joins; admins alone may make one."""
    answer = transport.ask("invite", {"member": member, "scope": scope, "days": days})
    return f"{transport.place.url}#{parse(answer, _Token).token}"


def accesses(transport: HttpTransport) -> tuple[Access, ...]:
    """All tokens of the workspace; admins alone may see them."""
    return parse(transport.ask("members"), tuple[Access, ...])


def _name(place: Place, replica: str) -> str:
    """The name of a token in the vault: a keyring is one for all stores of the machine."""
    return f"token {place.url} {replica}"


def _logged_in(place: Place, me: Identity) -> str:
    """The token that the server gives to a person who logs in with its provider."""
    with HttpTransport(place, "", me.replica, me.key) as transport:
        provider = parse(transport.ask("login"), _Provider)
        token = by_device(Provider(provider.issuer, provider.client), tell)
        return parse(transport.ask("log-in", {"id_token": token}), _Token).token


def tell(page: str, code: str) -> None:
    """Say on the terminal where to log in, without anything of the provider's that a terminal obeys."""
    sys.stderr.write(clean(f"Open {page} in a browser and enter the code {code}.\n"))
    sys.stderr.flush()
