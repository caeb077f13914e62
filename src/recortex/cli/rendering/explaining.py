"""Why a question is answered as it is, and why a memory is found or is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.amounts import plural
from recortex.cli.rendering.memories import hit, line_of, short
from recortex.cli.terminal import clean
from recortex.engines.reasons.telling import marks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.cli.terminal import Terminal
    from recortex.domain.explanation import Understood
    from recortex.domain.reasons import Claim
    from recortex.operations.explaining import Explanation, LeftOut

_LABEL = 14


def explanation(value: Explanation, terminal: Terminal) -> str:
    """The question as it is taken, then the answers, or the memory that was asked about."""
    parts = [_understood(one, terminal) for one in value.understood]
    parts += _about_memory(value, terminal) if value.memory else _answers(value, terminal)
    return "\n\n".join(parts)


def _about_memory(value: Explanation, terminal: Terminal) -> Iterator[str]:
    """Why one memory is an answer, or is none."""
    assert value.memory is not None  # noqa: S101  the caller looked
    yield hit(value.hit, terminal) if value.hit else line_of(value.memory, terminal)
    if value.question:
        head = terminal.style("Found" if value.found else "Not found", "bold")
    else:
        head = terminal.style("Can be found" if not value.reasons else "Cannot be found as it is", "bold")
    because = "; ".join(one.text for one in value.reasons)
    lines = [f"{head}: {clean(because)}." if because else f"{head}."]
    times = plural(value.given, "session")
    lines += [f"Given in {times}, used in {value.used}."] if value.given else ["Not given in any session."]
    yield "\n".join(lines)
    if value.claims:
        yield "\n".join(_claim(one, terminal) for one in value.claims)


def _claim(value: Claim, terminal: Terminal) -> str:
    """A sentence with its evidence."""
    said = terminal.wrap(value.text, indent=2, first="- ")
    return f"{said} {terminal.style(marks(value.evidence), 'dim')}"


def _answers(value: Explanation, terminal: Terminal) -> Iterator[str]:
    yield from (hit(one, terminal) for one in value.hits)
    if not value.hits:
        yield "No memory answers this."
    if value.left_out:
        head = terminal.style("Came near, and was not told:", "bold")
        yield "\n".join([head, *(_left_out(one, terminal) for one in value.left_out)])


def _left_out(value: LeftOut, terminal: Terminal) -> str:
    head = f"{value.score:.2f}  {terminal.style(short(value.id), 'cyan')}  {clean(value.kind)}"
    because = "; ".join(one.text for one in value.reasons)
    return "\n".join(
        [head, terminal.wrap(value.text, indent=6), terminal.style(terminal.wrap(because, indent=6), "dim")]
    )


def _understood(value: Understood, terminal: Terminal) -> str:
    """How one store takes the question, and what speaks for an answer."""
    head = terminal.style(f"{value.scope}: {plural(value.store, 'memory')}", "bold")
    rows = ((name, text) for name, text in _rows(value) if text)
    return "\n".join(
        [head, *(terminal.wrap(text, indent=_LABEL, first=f"{name:<{_LABEL}}") for name, text in rows)]
    )


def _rows(value: Understood) -> Iterator[tuple[str, str]]:
    yield "words", ", ".join(f"{word} (in {count:,})" for word, count in value.words.items())
    yield "unknown", ", ".join(value.unknown)
    yield "instead", ", ".join(value.instead)
    yield "too common", ", ".join(value.common)
    yield "names", ", ".join(value.names)
    yield "files", ", ".join(value.paths)
    yield "dates", ", ".join(value.dates)
    yield "asks for", value.asks_for
    yield "kinds", ", ".join(value.kinds)
    yield "intent", value.intent
    evidence = ", ".join(f"{name} {logits:+.1f}" for name, logits in value.for_an_answer.items())
    yield "an answer", f"{value.sure:.2f} of {value.floor:.2f} needed" + (f": {evidence}" if evidence else "")
