"""Which lines of a transcript the person took back: those that lead nowhere."""

from __future__ import annotations

from typing import NamedTuple


class _TrailEntry(NamedTuple):
    """An entry: the one that it follows, as far as the client says; the one before it in the file."""

    parent: str | None
    before: str
    prompt: bool


class Trail:
    """The entries of one transcript, added in the order of the file; keys are the client's ids or places.

    Args:
        end: the number of the first entry of which another file says that it was taken back, if there is one.

    Attributes:
        tip: the entry after which the conversation goes on.
        dropped: the entries from there on, as far as they are numbered.
    """

    def __init__(self, end: int | None = None) -> None:
        self.end = end
        self._entries: dict[str, _TrailEntry] = {}
        self._doubtful: set[str] = set()  # prompts that begin anew, if the client stood at what came of them
        self._leaves: list[str] = []
        self.tip = ""
        self.dropped: set[str] = set()

    @property
    def keys(self) -> frozenset[str]:
        """All entries."""
        return frozenset(self._entries)

    def add(self, key: str, parent: str | None = None, *, prompt: bool = False) -> None:
        """Add an entry.

        Args:
            key: of the entry; one that is known is a copy and changes nothing.
            parent: what it follows: empty for nothing, None where the client does not say.
            prompt: a prompt begins with it.
        """
        if key in self._entries:
            return
        if parent == "" and prompt and self._entries:
            self._doubtful.add(key)
        self._entries[key] = _TrailEntry(self.tip if parent is None else parent, self.tip, prompt)
        self.tip = key

    def stands_at(self, key: str, *, surely: bool = False) -> None:
        """The client says that the conversation stands at an entry, or `surely` that it went back there."""
        if key in self._entries:
            self._leaves.append(key)
            self.tip = key if surely else self.tip

    def begins_anew(self) -> None:
        """The client says that the prompt to which the last entry belongs follows nothing."""
        prompt = self._prompt_of({}, self.tip)
        if prompt:
            self._entries[prompt] = self._entries[prompt]._replace(parent="", before="")

    def back_before(self, key: str) -> bool:
        """The person went back to where the conversation stood before an entry; False if there is none."""
        known = key in self._entries
        self.tip = self._entries[key].before if known else self.tip
        return known

    def prompts(self) -> list[str]:
        """The prompts on the way to where the conversation stands, the last first."""
        found: dict[str, None] = {}
        prompt = self._prompt_of({}, self.tip)
        while prompt and prompt not in found:
            found[prompt] = None
            prompt = self._prompt_of({}, self._parent(prompt))
        return list(found)

    def taken_back(self) -> frozenset[str]:
        """The entries that were taken back."""
        for key in [key for key in self._doubtful if any(self._leads(leaf, key) for leaf in self._leaves)]:
            self._doubtful.remove(key)
        standing, owner = set(self.prompts()), dict[str, str]()
        return frozenset(
            key for key in self._entries if (prompt := self._prompt_of(owner, key)) and prompt not in standing
        )

    def _leads(self, leaf: str, root: str) -> bool:
        seen = set[str]()
        while leaf and leaf not in seen and leaf != root:
            seen.add(leaf)
            leaf = self._parent(leaf)
        return leaf == root

    def _parent(self, key: str) -> str:
        """What an entry follows; where the client names nothing that is here, what stands before it."""
        entry = self._entries[key]
        if entry.parent in self._entries or (entry.parent == "" and key not in self._doubtful):
            return entry.parent
        return entry.before

    def _prompt_of(self, owner: dict[str, str], key: str) -> str:
        """The prompt that an entry belongs to; empty before the first. `owner` keeps what was found."""
        passed: dict[str, None] = {}
        while key and key not in owner and key not in passed:
            if self._entries[key].prompt:
                owner[key] = key
                break
            passed[key] = None
            key = self._parent(key)
        found = owner.get(key, "")
        owner.update(dict.fromkeys(passed, found))
        return found
