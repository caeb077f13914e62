"""A provider's key, from the environment or the system's keyring; never from a project's file."""

from __future__ import annotations

from recortex.errors import EmbeddingError

SERVICE = "recortex"
"""The service name of the keys in the keyring; the user name is the provider's name."""


def key_of(provider: str, variable: str, given: str, *, needed: bool) -> str:
    """The key of a provider; empty if there is none and none is needed.

    Args:
        provider: its name.
        variable: the environment variable for the key, for the hint.
        given: the value of that variable.
        needed: False for the person's own server, which may need no key.

    Raises:
        EmbeddingError: one is needed and there is none, or the keyring cannot be read.
    """
    given = given.strip()  # keys read from files often end with a line break
    if given or not needed:
        return given
    missing = f"There is no key for {provider}."
    try:
        import keyring
    except ImportError:
        raise EmbeddingError(
            missing, hint=f"Set {variable}, or keep the key in the keyring: {_line(provider, install=True)}"
        ) from None
    try:
        found = keyring.get_password(SERVICE, provider)
    except Exception as error:  # each keyring backend has its own errors
        raise EmbeddingError(
            f"{missing[:-1]}: the keyring cannot be read.", hint=f"Set {variable}."
        ) from error
    if not found:
        raise EmbeddingError(missing, hint=f"Set {variable}, or type: {_line(provider, install=False)}")
    return found.strip()


def _line(provider: str, *, install: bool) -> str:
    keep = f"keyring set {SERVICE} {provider}"
    return f"pip install 'recortex[keyring]' && {keep}" if install else keep
