"""What became of a function or class between two versions of a project, decided by a written rule.

The rule, from first to last; `form`, name and tokens are those of `symbol_trees.py`, the own name masked:

1. *Fresh*: its file has a symbol of its qualified name and form. Of several with its name (overloads) each
   of the old ones is paired with one of the new: of equal form first, then of a key that only these have
   (types of parameters, the trait of an `impl`), then by the likeness of their tokens.
2. *Edited*: it is paired by name, and the form differs. So, too, where its file was renamed (`git -M`) and
   the new one has the name. Where overloads are paired by likeness alone, and below `LIKE`, either edited or
   gone is right.
3. *Moved*: not paired by name, and one that is new has its form: in its file, where that was renamed to, or
   in another file that was touched. Which of several is the nearest by name and file decides, and equally
   near ones are all right. What is shorter than `TELLING` tokens and differs in name and in file tells
   nothing: moved or gone is right; so is it where the same stands in a touched file and stood there before,
   a copy.
4. *Edited*, renamed and edited at once: a new one of its kind has a Jaccard index of multisets of tokens of
   at least `LIKE`. Within `BAND` of that, for short ones, and where another one that vanished is more like
   it, gone is right as well. So it is where its file is gone, and a new one of its whole name reaches
   `NAMED`.
5. Else *gone*.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from symbol_trees import FAMILY, Known, Word, language_of, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LIKE, BAND, NAMED, TELLING = 0.7, 0.05, 0.4, 20
OLD, NEW = 0, 1


SAME: tuple[Callable[[Known, Known], bool], ...] = (
    lambda one, other: one.form == other.form and one.key == other.key,
    lambda one, other: one.form == other.form,
    lambda one, other: bool(one.key) and one.key == other.key,
)
"""By what overloads are paired, one after the other."""


class Place(NamedTuple):
    """A symbol in a file."""

    path: str
    one: Known


@dataclass
class Truth:
    """What is right.

    Attributes:
        state: fresh, moved, changed or gone; as `Citation` says it.
        right: pairs of a state and where; more than one where nobody can say.
        first: where it is edited: its first changed lines in the new file; empty if unknown.
        cause: what a fresh one lives through: layout, comments or others.
    """

    state: str
    right: dict[str, list[Place]]
    first: tuple[int, ...] = ()
    cause: str = ""
    now: list[Place] = field(default_factory=list)


class Versions:
    """The symbols of touched files in an old and a new version; `text` gives the text of a file in either."""

    def __init__(
        self,
        before: dict[str, list[Known]],
        after: dict[str, list[Known]],
        renamed: dict[str, str],
        text: Callable[[int, str], str],
    ) -> None:
        self.before, self.after, self.renamed, self._text = before, after, renamed, text
        self._bags: dict[tuple[int, Place], Counter[str]] = {}
        self._pairs: dict[str, dict[int, tuple[Known, bool]]] = {}
        self._by_form: dict[str, list[Place]] = defaultdict(list)
        for path, symbols in after.items():
            for one in symbols:
                self._by_form[one.form].append(Place(path, one))
        self._had = {(path, one.name, one.kind) for path, symbols in before.items() for one in symbols}

    def bag(self, side: int, place: Place) -> Counter[str]:
        """The tokens of a symbol."""
        if (side, place) not in self._bags:
            said = words_of(language_of(place.path), self._text(side, place.path), place.one)
            self._bags[side, place] = Counter(word.text for word in said)
        return self._bags[side, place]

    def like(self, old: Place, new: Place) -> float:
        """The Jaccard index of the two multisets of tokens."""
        one, other = self.bag(OLD, old), self.bag(NEW, new)
        return (one & other).total() / max(1, (one | other).total())

    def truth(self, path: str, index: int) -> Truth:
        """What became of one symbol of an old file."""
        was = Place(path, self.before[path][index])
        now = path if path in self.after else self.renamed.get(path, "")
        paired = self._paired(path, now).get(index) if now in self.after else None
        if paired is None:
            found = self._moved(was, now) or self._like(was) or Truth("gone", {"gone": []})
            return self._named(was, found) if path not in self.after else found
        there, sure = Place(now, paired[0]), paired[1]
        if there.one.form == was.one.form:
            state = "fresh" if now == path else "moved"
            same = (there.one.name, there.one.form)
            twins = [Place(now, one) for one in self.after[now] if (one.name, one.form) == same]
            return Truth(state, {state: twins}, cause=self._cause(was, there), now=[there])
        right: dict[str, list[Place]] = {"changed": [there]} | ({} if sure else {"gone": []})
        return Truth("changed", right, first=self.first_changed(was, there), now=[there])

    def _paired(self, path: str, now: str) -> dict[int, tuple[Known, bool]]:
        """By the index of an old symbol: the new one of its name, and whether that is sure."""
        if path not in self._pairs:
            groups: dict[tuple[str, str], tuple[list[int], list[Known]]] = defaultdict(lambda: ([], []))
            for index, one in enumerate(self.before[path]):
                groups[one.name, one.kind][0].append(index)
            for one in self.after[now]:
                groups[one.name, one.kind][1].append(one)
            self._pairs[path] = {}
            for old, new in groups.values():
                self._pair(path, now, old, new)
        return self._pairs[path]

    def _pair(self, path: str, now: str, old: list[int], new: list[Known]) -> None:
        several = len(old) > 1 or len(new) > 1
        for same in SAME:
            for index in list(old):
                one = self.before[path][index]
                likely = [other for other in new if same(one, other)]
                other = likely[0] if likely else None
                if other is not None and (other.form == one.form or len(likely) == 1):
                    self._pairs[path][index] = (other, True)
                    old.remove(index)
                    new.remove(other)
        if not several and old and new:
            self._pairs[path][old[0]] = (new[0], True)
            return
        ranked = [
            (self.like(Place(path, self.before[path][index]), Place(now, other)), index, other)
            for index in old
            for other in new
        ]
        for like, index, other in sorted(ranked, key=lambda row: -row[0]):
            if index in old and other in new:
                self._pairs[path][index] = (other, like >= LIKE)
                old.remove(index)
                new.remove(other)

    def _moved(self, was: Place, now: str) -> Truth | None:
        same = [one for one in self._by_form[was.one.form] if self._can_be(was, one)]
        new = [one for one in same if (one.path, one.one.name, one.one.kind) not in self._had]
        short = self.bag(OLD, was).total() < TELLING
        if new:
            nearest = max(_nearness(was, now, one) for one in new)
            best = [one for one in new if _nearness(was, now, one) == nearest]
            sure = not short or nearest >= (1, 0, 0) or any(one.one.name == was.one.name for one in best)
            sure = sure and not self._others(was, best)
            return Truth("moved", {"moved": best} | ({} if sure else {"gone": []}), now=best)
        if same:
            return Truth("gone", {"gone": [], "moved": same}, now=same)
        return None

    def _others(self, was: Place, new: list[Place]) -> bool:
        """Whether more of its form vanished than there are new ones: which went where is open."""
        vanished = [
            (path, one)
            for path, symbols in self.before.items()
            for one in symbols
            if one.form == was.one.form and not self.stands(path, one)
        ]
        return len(vanished) > len(new)

    def stands(self, path: str, one: Known) -> bool:
        now = path if path in self.after else self.renamed.get(path, "")
        return any((one.name, one.kind) == (other.name, other.kind) for other in self.after.get(now, ()))

    def _like(self, was: Place) -> Truth | None:
        """One that was renamed or moved, and edited as well."""
        likely = [(self.like(was, one), one) for one in self._new(was)]
        if not likely or (most := max(like for like, _ in likely)) < LIKE - BAND:
            return None
        best = [one for like, one in likely if like == most]
        short = self.bag(OLD, was).total() < TELLING
        taken = any(self._nearer(was, one, most) for one in best)
        if most >= LIKE + BAND and not short and not taken:
            first = self.first_changed(was, best[0]) if len(best) == 1 else ()
            near = [one for like, one in likely if like >= LIKE + BAND]
            return Truth("changed", {"changed": near}, first=first, now=best)
        near = [one for like, one in likely if like >= LIKE - BAND]
        return Truth("changed" if most >= LIKE else "gone", {"changed": near, "gone": []}, now=best)

    def _named(self, was: Place, truth: Truth) -> Truth:
        """The same, and where gone is right, also those of its whole name in other files."""
        if "gone" in truth.right:
            likely = [one for one in self._new(was) if one.one.name == was.one.name]
            named = [one for one in likely if self.like(was, one) >= NAMED and one.one.form != was.one.form]
            truth.right["changed"] = [*truth.right.get("changed", ()), *named]
            if not truth.right["changed"]:
                del truth.right["changed"]
        return truth

    def _new(self, was: Place) -> Iterator[Place]:
        for path, symbols in self.after.items():
            for one in symbols:
                place = Place(path, one)
                if (path, one.name, one.kind) not in self._had and self._can_be(was, place):
                    yield place

    def _nearer(self, was: Place, new: Place, like: float) -> bool:
        """Whether another that vanished is more like a new one."""
        return any(
            self.like(Place(path, one), new) > like
            for path, symbols in self.before.items()
            for one in symbols
            if one != was.one and not self.stands(path, one) and self._can_be(Place(path, one), new)
        )

    def _can_be(self, was: Place, now: Place) -> bool:
        """Whether one can become the other: of one kind and of a family of languages, not much longer."""
        return was.one.kind == now.one.kind and _family(was.path) == _family(now.path)

    def _cause(self, was: Place, now: Place) -> str:
        """What changed around a symbol that stands."""
        old, new = self.lines(OLD, was), self.lines(NEW, now)
        if old == new:
            return "others"
        words_old, words_new = (
            [
                word.text
                for word in words_of(language_of(place.path), self._text(after, place.path), place.one)
            ]
            for after, place in ((OLD, was), (NEW, now))
        )
        squeezed = ["".join("".join(lines).split()) for lines in (old, new)]
        if squeezed[0] == squeezed[1]:
            return "layout"
        return "comments" if words_old == words_new else "form"

    def lines(self, side: int, place: Place) -> list[str]:
        """The lines of a symbol."""
        return self._text(side, place.path).split("\n")[place.one.first - 1 : place.one.last]

    def first_changed(self, was: Place, now: Place) -> tuple[int, ...]:
        """The lines in the new file at which tokens begin to differ: by tokens, and by lines of tokens."""
        old = _without_last_commas(words_of(language_of(was.path), self._text(OLD, was.path), was.one))
        new = _without_last_commas(words_of(language_of(now.path), self._text(NEW, now.path), now.one))
        if not new:
            return ()
        rows_old, rows_new = _rows(old), _rows(new)
        by_token = next(
            (b.line for a, b in zip(old, new, strict=False) if a.text != b.text),
            new[min(len(old), len(new) - 1)].line,
        )
        by_line = next(
            (b[0] for a, b in zip(rows_old, rows_new, strict=False) if a[1] != b[1]),
            rows_new[min(len(rows_old), len(rows_new) - 1)][0],
        )
        return tuple(dict.fromkeys((by_line, by_token)))


def _without_last_commas(words: list[Word]) -> list[Word]:
    """Those before a closing bracket, which are layout."""
    after = [*(word.text for word in words[1:]), ""]
    return [word for word, next_ in zip(words, after, strict=True) if word.text != "," or next_ not in ")]}"]


def _rows(words: Iterable[tuple[int, int, str]]) -> list[tuple[int, list[str]]]:
    """The lines that have tokens, with these."""
    rows: dict[int, list[str]] = defaultdict(list)
    for line, _, text in words:
        rows[line].append(text)
    return sorted(rows.items())


def _family(path: str) -> str:
    language = language_of(path)
    return FAMILY.get(language, language)


def _nearness(was: Place, now: str, one: Place) -> tuple[int, int, int]:
    """In its file or what became of it; with its own name; with its whole name."""
    here = one.path in {was.path, now}
    return int(here), int(one.one.plain == was.one.plain), int(one.one.name == was.one.name)
