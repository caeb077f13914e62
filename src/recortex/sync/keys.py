"""Secrets by name, in the keyring of the system or a file; the key of a replica (Ed25519), and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.codec import convert, dumps, loads
from recortex.errors import ConfigError, InvalidInputError, StoreBusyError, UntrustedFileError
from recortex.filesystem import alone, read_own, replace_text
from recortex.lean import replace
from recortex.sync.protocol import (
    Applied,
    Card,
    RefusedError,
    SyncVersion,
    check_version,
    named,
    replica_of,
    signed,
    signed_applied,
    signed_card,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_SERVICE = "recortex-sync"
_FILE = "sync-keys.json"
_MOST_BYTES = 1024 * 1024
_PATIENCE = 5.0  # seconds to wait for another process that changes the file


class Vault:
    """Secrets by name.

    Args:
        home: the folder of the person's data.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / _FILE

    def get(self, name: str) -> str:
        """The secret of a name; empty where there is none.

        Raises:
            UntrustedFileError: the file is another user's, a link, or not what was written here.
        """
        # The file is looked at first: asking a keyring may open a window.
        kept = self._read().get(name, "")
        return kept or _from_keyring("get_password", name) or ""

    def put(self, name: str, secret: str) -> str:
        """Keep a secret, in place of a former one; returns where: `keyring`, or the file.

        Raises:
            StoreBusyError: another process keeps the file for too long.
            OSError: the file cannot be written.
        """
        _from_keyring("set_password", name, secret)
        held = _from_keyring("get_password", name) == secret
        self._write(name, "" if held else secret)
        return "keyring" if held else str(self._path)

    def noted(self, name: str) -> str:
        """What was noted under a name; empty where nothing was."""
        return self._read().get(name, "")

    def note(self, name: str, value: str) -> None:
        """Keep what is no secret, without asking a keyring: in the file.

        Raises:
            StoreBusyError: another process keeps the file for too long.
            OSError: the file cannot be written.
        """
        self._write(name, value)

    def forget(self, name: str) -> None:
        """Keep it no longer."""
        _from_keyring("delete_password", name)
        self._write(name, "")

    def _read(self) -> dict[str, str]:
        try:
            return convert(loads(read_own(self._path, _MOST_BYTES)), dict[str, str])
        except FileNotFoundError:
            return {}
        except InvalidInputError as error:
            raise UntrustedFileError(
                f"{self._path} cannot be read: {error.message}",
                hint="Delete it and join the workspace again with a new link.",
            ) from None

    def _write(self, name: str, secret: str) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(self._path.with_name(f"{_FILE}.lock"), patience=_PATIENCE) as held:
            if not held:
                raise StoreBusyError("Another process changes the keys.", hint="Try again.")
            known = self._read()
            changed = {**known, name: secret} if secret else {k: v for k, v in known.items() if k != name}
            if changed != known:
                replace_text(self._path, dumps(changed).decode())


def _from_keyring(act: str, *words: str) -> Any:
    """What the system's keyring answers; None where there is none that works."""
    try:
        import keyring

        return getattr(keyring, act)(_SERVICE, *words)
    except Exception:  # noqa: BLE001  each keyring has its own errors; the file takes its place
        return None


# -- the key of a replica, Ed25519: signing, and checking what others signed


EXTRA = "pip install 'recortex[team]'"
_BYTES = 32


def _ed25519() -> type[Ed25519PrivateKey]:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as error:
        raise ConfigError("Sync needs a package that is not installed: cryptography.", hint=EXTRA) from error
    return Ed25519PrivateKey


class Identity:
    """A replica that can sign.

    Attributes:
        replica, public: its id, and its public key in hex.
        key: signs.
        team: the workspace that it signs for.
        author: whose it is.
    """

    def __init__(self, private: bytes, team: str, author: str) -> None:
        self.key = _ed25519().from_private_bytes(private)
        self.public = self.key.public_key().public_bytes_raw().hex()
        self.replica = replica_of(self.public)
        self.team, self.author = team, author

    def sign(self, version: SyncVersion) -> SyncVersion:
        """The version with a signature."""
        return replace(version, signature=self.key.sign(signed(version, self.team)).hex())

    def card(self, since: int) -> Card:
        """The replica's own card."""
        card = Card(replica=self.replica, public=self.public, author=self.author, since=since)
        return replace(card, signature=self.key.sign(signed_card(card, self.team)).hex())

    def vouch(self, card: Card) -> Card:
        """Another replica's card, with this one's word that it is the same person's."""
        signature = self.key.sign(signed_card(card, self.team)).hex()
        return replace(card, voucher=self.replica, vouch=signature)

    def acknowledge(self, vector: dict[str, int], clock: int) -> Applied:
        """What this replica has applied."""
        applied = Applied(replica=self.replica, vector=vector, clock=clock)
        return replace(applied, signature=self.key.sign(signed_applied(applied, self.team)).hex())


def identity(vault: Vault, replica: str, team: str, author: str) -> Identity:
    """A replica whose key is kept here; a new one where it is not, as in a store that was copied here.

    Args:
        vault: where keys are kept.
        replica: its id; empty for a new one.
        team: that it signs for.
        author: whose it is.

    Raises:
        ConfigError: what is needed is not installed.
        UntrustedFileError: the file with keys is somebody else's.
    """
    kind = _ed25519()
    if replica and (kept := vault.get(f"replica {replica}")):
        return Identity(bytes.fromhex(kept), team, author)
    private = kind.generate().private_bytes_raw()
    made = Identity(private, team, author)
    vault.put(f"replica {made.replica}", private.hex())
    return made


def check_card(card: Card, team: str, known: Mapping[str, Card]) -> Card:
    """The same card, if its signatures are right.

    Args:
        card: as it arrived.
        team: the workspace.
        known: cards by replica: who vouches must be known.

    Raises:
        RefusedError: they are not.
    """
    good = named(card.author) and _is_key(card.public) and card.replica == replica_of(card.public)
    if not good or not _is_signed(card.public, signed_card(card, team), card.signature):
        raise RefusedError(f"The card of the replica {card.replica[:8]!r} was refused: it is forged.")
    voucher = known.get(card.voucher)
    vouched = voucher is not None and voucher.author == card.author
    if card.voucher and not (
        vouched and voucher and _is_signed(voucher.public, signed_card(card, team), card.vouch)
    ):
        return replace(card, voucher="", vouch="")
    return card


def check_signature(version: SyncVersion, team: str, card: Card | None, *, purged: bool = False) -> None:
    """Take a version only if it is what its replica signed.

    Raises:
        RefusedError: it is not.
    """
    check_version(version, purged=purged)
    what = f"Version {version.id[:12]} of {version.replica[:8]} was refused"
    if card is None:
        raise RefusedError(f"{what}: nobody knows that replica.")
    if card.author != version.author:
        raise RefusedError(f"{what}: it claims to be {version.author!r}, and is {card.author!r}.")
    if not _is_signed(card.public, signed(version, team), version.signature):
        raise RefusedError(f"{what}: its signature is wrong.")


def check_applied(applied: Applied, team: str, card: Card | None) -> bool:
    """Whether an acknowledgement is its replica's own."""
    return card is not None and _is_signed(card.public, signed_applied(applied, team), applied.signature)


def _is_key(public: str) -> bool:
    try:
        return len(bytes.fromhex(public)) == _BYTES and public == public.lower()
    except ValueError:
        return False


def _is_signed(public: str, said: bytes, signature: str) -> bool:
    _ed25519()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), said)
    except (InvalidSignature, ValueError):
        return False
    return True
