"""The part of a command line that is the same for every verb, read before anything heavy is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.errors import InvalidInputError, RecortexError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Sequence


# -- errors before an operation begins: wrong arguments, nobody to confirm, an interruption; and exit codes


DONE, FAILED, WRONG_USAGE = 0, 1, 2


class UsageError(InvalidInputError):
    """The command line was not understood."""

    code = "usage"
    hint = "See `recortex --help`."


class NotConfirmedError(RecortexError):
    """This removes something and nobody confirmed it."""

    code = "not_confirmed"
    hint = "Add `--yes` to do it without being asked, or `--dry-run` to see what it would do."


class InterruptedByPersonError(RecortexError):
    """Interrupted."""

    code = "interrupted"
    hint = "What was already acknowledged is kept; the same command may be run again."


class InternalError(RecortexError):
    """Recortex made a mistake."""

    code = "internal_error"
    hint = "Run it again with `--debug` and report what it prints; nothing that was stored is lost."


def exit_code(error: RecortexError) -> int:
    """2 for input that does not fit, 1 for everything else that fails."""
    return WRONG_USAGE if isinstance(error, InvalidInputError) else FAILED


# -- the part of a command line that is the same for every verb, read before anything heavy is imported


# Known before the verb is, as they may stand before it.
WITH_VALUE = ("--project", "--url")
FLAGS = ("--json", "--debug", "--help", "-h", "--version", "--yes", "-y", "--dry-run", "--full")


class Invocation(NamedTuple):
    """A command line split at its verb.

    Attributes:
        verb: empty where there is none.
        arguments: everything else in order; options of every verb may stand before the verb or after it.
    """

    verb: str
    arguments: tuple[str, ...]

    @property
    def json(self) -> bool:
        """Whether the answer, also an error, is one JSON object."""
        return "--json" in self._options()

    @property
    def debug(self) -> bool:
        """Whether a mistake of the program shows where it was made."""
        return "--debug" in self._options()

    def wants(self, *options: str) -> bool:
        """Whether one of the options is there."""
        return not set(options).isdisjoint(self._options())

    def _options(self) -> tuple[str, ...]:
        # What follows `--` is text, also where it looks like an option.
        return self.arguments[: self.arguments.index("--")] if "--" in self.arguments else self.arguments


class Command(NamedTuple):
    """A verb that is no operation: it talks with a person or a protocol for as long as it runs.

    No dataclass, whose machinery would cost `--help` a tenth of its time.

    Attributes:
        summary: its line in `recortex --help`.
        run: reads the rest of the command line and returns an exit code; raises RecortexError.
        takes: its options for the shells' completion, as `--once`, `--url=` or `--tools=default|full`; its
            words without dashes.
    """

    summary: str
    run: Callable[[Invocation], int]
    takes: tuple[str, ...] = ()


def split(argv: Sequence[str]) -> Invocation:
    """Find the verb: the first word that is neither an option nor an option's value.

    Raises:
        UsageError: an option before the verb is none of those that every verb has, or a word is not UTF-8.
    """
    words = [_checked(word) for word in argv]
    place = 0
    while place < len(words) and words[place].startswith("-"):
        name, given, _ = words[place].partition("=")
        if name not in WITH_VALUE and words[place] not in FLAGS:
            raise UsageError(
                f"There is no option {words[place][:60]!r} before the verb.",
                hint="Write `recortex VERB [options]`; `recortex --help` lists the verbs.",
            )
        # The next word is the option's value, unless `=` gave it already.
        place += 2 if name in WITH_VALUE and not given else 1
    rest = words[:place] + words[place + 1 :]
    return Invocation(words[place] if place < len(words) else "", tuple(rest))


def _checked(word: str) -> str:
    try:
        # Python keeps arguments' bytes that are no UTF-8 as lone surrogates, which no store takes.
        word.encode("utf-8")
    except UnicodeEncodeError:
        shown = word.encode("utf-8", "backslashreplace").decode("utf-8")
        raise UsageError(
            f"The argument '{shown[:60]}' is not valid UTF-8.",
            hint="Give text in UTF-8, or through standard input with `-`.",
        ) from None
    return word


def add_common(parser: ArgumentParser) -> None:
    """Give a verb the options that every verb has."""
    group = parser.add_argument_group("options of every verb")
    group.add_argument("--json", action="store_true", help="Print one JSON object.")
    group.add_argument(
        "--project", metavar="DIR", help="Use the project in this folder instead of the current one."
    )
    group.add_argument(
        "--url", metavar="URL", help="Use this store: sqlite:///FILE or postgresql://HOST/DATABASE."
    )
    group.add_argument("--debug", action="store_true", help="Show the traceback of an error.")
    group.add_argument("-h", "--help", action="help", help="Show this help.")
