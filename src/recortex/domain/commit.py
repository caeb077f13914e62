"""A commit of a repository, as far as its message and files tell something worth keeping."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit.

    Attributes:
        hash: of it, in full.
        parents: hashes; two or more: it is a merge.
        at: when it was written (the author's time, which a rebase keeps).
        author: the name.
        email: of the author.
        message: whole, as it was written.
        files: that it changed against its first parent, from the top of the working tree.
    """

    hash: str
    at: datetime
    author: str
    message: str
    parents: tuple[str, ...] = ()
    email: str = ""
    files: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0].strip()

    @property
    def body(self) -> str:
        """The message without its first line."""
        return self.message.partition("\n")[2].strip()


@dataclass(frozen=True, slots=True)
class FileHistory:
    """When a file came into the repository, with which commit, and when it changed last."""

    first: datetime
    commit: str
    last: datetime
