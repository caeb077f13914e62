"""Where a machine keeps the keys of its replicas, the numbers they signed, and the tokens of team servers.

In the system's keyring, where there is one that works; else in a file that only this user can read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.codec import convert, dumps, loads
from recortex.errors import InvalidInputError, StoreBusyError, UntrustedFileError
from recortex.filesystem import alone, read_own, replace_text

if TYPE_CHECKING:
    from pathlib import Path

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
