"""Why an answer is one, what follows from a memory, what contradicts it or says it twice, what to heed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.memories import hit, line_of, walked
from recortex.terminal import clean, plural, short
from recortex.why.reasons import marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.code.operations import IndexedCode
    from recortex.domain.context import (
        Claim,
        GenerationContext,
        GenerationOutcome,
        Suggestion,
        Suggestions,
        Warned,
        Warnings,
        Why,
    )
    from recortex.domain.memory import Memory
    from recortex.domain.reports import Issue, Learned, Question, Severity, State
    from recortex.domain.search import Understood
    from recortex.operations.browsing import Reached, Traversal
    from recortex.operations.recording import Feedback
    from recortex.operations.reviewing import Finding, Inference, LikelyCause, Validation
    from recortex.terminal import Style, Terminal
    from recortex.why.explaining import (
        Counterfactual,
        Explanation,
        Intervention,
        LeftOut,
        Missing,
        Touched,
    )


_EXPLAINED = 14


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
        head = terminal.style("Close, but not shown:", "bold")
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
    rows = ((name, text) for name, text in _understood_rows(value) if text)
    return "\n".join(
        [
            head,
            *(terminal.wrap(text, indent=_EXPLAINED, first=f"{name:<{_EXPLAINED}}") for name, text in rows),
        ]
    )


def _understood_rows(value: Understood) -> Iterator[tuple[str, str]]:
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
    yield (
        "certainty",
        f"{value.sure:.2f}; {value.floor:.2f} is needed" + (f": {evidence}" if evidence else ""),
    )


_LOSSES = {"falls": "falls", "possible": "could happen"}


def counterfactual(value: Counterfactual, terminal: Terminal) -> str:
    """Its effects, each with whether it would fall."""
    if not value.missing:
        return f"{_walk(value.memory, (), terminal)}\nNothing known would be missing without it."
    text = _walk(value.memory, [one.reached for one in value.missing], terminal)
    losses = [f"  {short(one.reached.memory.id)}  {_loss(one)}" for one in value.missing]
    return "\n".join([text, "", "Without it:", *losses]) + _more(more=value.more)


def intervention(value: Intervention, terminal: Terminal) -> str:
    """What rests on it, and what all of them are linked to."""
    parts = [_walk(value.memory, value.dependents, terminal)]
    for name in ("files", "tests", "functions", "patterns"):
        touched: Sequence[Touched] = getattr(value, name)
        if touched:
            parts += ["", f"{name.capitalize()}:", *(f"  {_touched(one)}" for one in touched)]
    return "\n".join(parts) + _more(more=value.more)


def inference(value: Inference, terminal: Terminal) -> str:
    """What was inferred, each relation with its evidence and how to decide about it."""
    if not value.found:
        return "Nothing new was found." + _no_time(value)
    would = "would be suggested" if value.dry_run else "suggested"
    lines = [line for one in value.causes for line in likely_cause(one, terminal)]
    return "\n".join([f"{plural(value.found, 'cause')} {would}:", *lines]) + _no_time(value)


def likely_cause(value: LikelyCause, terminal: Terminal) -> list[str]:
    """A cause and its effect, why it is thought so, and the commands that decide."""
    relation = value.relation
    ends = f"{short(relation.source_id)} {short(relation.target_id)}"
    return [
        "",
        f"  {line_of(value.cause, terminal)}",
        f"  {terminal.style('may have led to', 'green')}  {line_of(value.effect, terminal)}",
        f"    {clean(' '.join(relation.evidence))}",
        f"    yes: recortex link {ends} --relation {relation.type}   no: recortex unlink {ends}",
    ]


def _no_time(value: Inference) -> str:
    return "\nThere was no time for all sessions." if value.partly else ""


def _walk(memory: Memory, steps: Sequence[Reached], terminal: Terminal) -> str:
    return walked(memory, [(one.depth, one.path[-1], one.memory) for one in steps], terminal)


def _loss(one: Missing) -> str:
    return _LOSSES.get(one.loss) or f"keeps {', '.join(map(short, one.others))}"


def _touched(one: Touched) -> str:
    return f"{clean(one.name)} ({plural(len(one.memories), 'memory')})"


def _more(*, more: bool) -> str:
    return "\n  There may be more: give a greater --limit." if more else ""


_OUTCOMES = {"added": "Learned", "updated": "Known, and surer now", "known": "Known already"}


def learned(value: Learned, terminal: Terminal) -> str:
    """The principle, and what it bears on."""
    return "\n".join(_learned(value, terminal))


def _learned(value: Learned, terminal: Terminal) -> Iterator[str]:
    head = "Would be learned" if value.dry_run else _OUTCOMES[value.outcome]
    yield terminal.style(f"{head}: {value.category.value.replace('_', ' ')}", "bold")
    yield line_of(value.memory, terminal)
    yield from (f"  {one.type.words} {one.other(value.memory.id)[:8]}" for one in value.relations)
    if value.contradicted:
        yield "It disagrees with; `recortex review` decides:"
        yield from (line_of(one, terminal) for one in value.contradicted)


def feedback(value: Feedback, terminal: Terminal) -> str:
    """The memory as it is now, and what became of its confidence."""
    before, after = value.confidence
    said = {"confirm": "Confirmed", "reject": "Rejected", "modify": "Changed"}[value.answer]
    return f"{said}: {before:.0%} sure before, {after:.0%} now.\n{line_of(value.memory, terminal)}"


def questions(found: tuple[Question, ...], terminal: Terminal) -> str:
    """What to ask a person, the most important first."""
    if not found:
        return "No memory is in doubt."
    return "\n".join([*(_question(one, terminal) for one in found), "", _HOW])


_HOW = "`recortex feedback ID confirm`, `reject` or `modify --text TEXT` answers."


def _question(one: Question, terminal: Terminal) -> str:
    other = [f"  against {line_of(one.against, terminal)}"] if one.against else []
    return "\n".join([line_of(one.memory, terminal), *other, terminal.wrap(one.question, indent=4)])


def indexed(value: IndexedCode, terminal: Terminal) -> str:
    """The pair, and what it stands for now."""
    word = "Indexed" if value.changed else "Known already"
    former = f"; {plural(len(value.superseded), 'memory')} superseded" if value.superseded else ""
    secret = f"; {plural(value.redacted, 'secret')} taken out" if value.redacted else ""
    code = f"{line_of(value.description, terminal)}\n{line_of(value.code, terminal)}"
    return f"{word}{former}{secret}:\n{code}"


def traversal(value: Traversal, terminal: Terminal) -> str:
    """A memory and what is reached from it, indented by distance, with the last relation of the path."""
    text = walked(value.memory, [(one.depth, one.path[-1], one.memory) for one in value.reached], terminal)
    return f"{text}\n  There may be more: give a greater --limit." if value.more else text


_SOURCES = (
    "`recortex import git` and `recortex import adr` read why, from commits and decision records; "
    "`recortex remember` keeps one that you know."
)


def why(value: Why, terminal: Terminal) -> str:
    """The picture where one was asked for, else the sentences, and what had no room."""
    if value.picture:
        return value.picture
    left = f", {plural(value.left_out, 'sentence')} left out" if value.left_out else ""
    size = f"{plural(len(value.claims), 'sentence')}, {value.tokens} tokens{left}"
    if value.claims:
        return f"{clean(value.text)}\n\n{terminal.style(size, 'dim')}"
    return f"{clean(value.text)}\n{terminal.wrap(_SOURCES)}"


_HEADINGS = {
    "check": "To be checked",
    "follow": "How it is done here",
    "related": "Related",
    "waiting": "Waits for review",
}


def warnings(value: Warnings, terminal: Terminal) -> str:
    """A line for each warning, the gravest first."""
    if not value.warnings:
        return "Nothing known to watch out for here."
    lines = [_warned(one, terminal) for one in value.warnings]
    more = [terminal.style(f"{value.more} more: give a greater --limit", "dim")] if value.more else []
    return "\n".join((*lines, *more))


def _warned(one: Warned, terminal: Terminal) -> str:
    style: Style = "bold" if one.severity in {"critical", "error"} else "dim"
    state = f" (the cited code is {one.freshness})" if one.freshness in {"changed", "gone"} else ""
    about = f" {', '.join(map(clean, one.about))}:" if one.about else ""
    head = f"{terminal.style(one.severity, style)}{about} {clean(one.text)}{state} [{short(one.id)}]"
    more = [one.advice] if one.advice else []
    return "\n  ".join([head, *map(clean, (*more, *one.pattern_state))])


def generation(value: GenerationContext, terminal: Terminal) -> str:
    """The text as the agent gets it, the comments to use, and what may conflict."""
    if not value.text:
        return "Nothing known bears on this."
    parts = [clean(value.text), terminal.style("Comments that say where it had influence", "bold")]
    parts += [clean(one.comment) for one in value.provenance]
    if value.conflicts:
        parts.append(terminal.style("May conflict", "bold"))
        parts += [
            f"line {one.line}: {clean(one.found)}: {clean(one.because)} [{short(one.id)}]"
            for one in value.conflicts
        ]
    size = f"{value.tokens} tokens; tell the outcome: recortex generation-outcome {value.generation} accepted"
    return "\n".join((*parts, terminal.style(size, "dim")))


def outcome(value: GenerationOutcome, terminal: Terminal) -> str:
    """The confidence of what had influence, as it is now."""
    if not value.confidence:
        return "The outcome was told before: nothing changed."
    lines = [f"{short(id_)}  {confidence:.2f}" for id_, confidence in value.confidence.items()]
    return "\n".join((terminal.style(f"{value.outcome}: confidence now", "bold"), *lines))


def suggestions(value: Suggestions, terminal: Terminal) -> str:
    """The suggestions under a heading for each reason."""
    if not value.suggestions:
        return "Nothing else is known here."
    parts = []
    for reason, heading in _HEADINGS.items():
        found = [one for one in value.suggestions if one.reason == reason]
        if found:
            parts.append("\n".join((terminal.style(heading, "bold"), *map(_suggested, found))))
    return "\n".join(parts)


def _suggested(one: Suggestion) -> str:
    id_ = one.id if one.kind == "document" else short(one.id)
    return f"- {one.kind}: {clean(one.text)} ({clean(one.because)}) [{id_}]"


_STYLES: dict[Severity, Style] = {"minor": "dim", "moderate": "yellow", "severe": "red"}

_STATES: dict[State, Style] = {"valid": "green", "stale": "yellow", "flagged": "red"}


def validation(value: Validation, terminal: Terminal) -> str:
    """The counts, then each finding, the gravest first."""
    found = f"{value.valid:,} valid, {value.stale:,} stale, {value.flagged:,} flagged"
    healed = f", {value.healed:,} healed" if value.healed else ""
    lines = [f"{plural(value.total, 'memory')} validated: {found}{healed}."]
    for one in value.findings:
        lines += ["", *_validated(one, terminal)]
    if value.more:
        lines += ["", terminal.style(f"{value.more} more: give a greater --limit", "dim")]
    return "\n".join(lines)


def _validated(value: Finding, terminal: Terminal) -> Iterator[str]:
    state = terminal.style(value.state, _STATES[value.state])
    name = terminal.style(short(value.id), "cyan")
    yield f"{name}  {value.kind}  {state}  score {value.score:.2f}, confidence {value.confidence:.2f}"
    yield terminal.wrap(clean(value.text), indent=6)
    yield from (_issue(one, terminal) for one in value.issues)
    for done in value.done:
        yield terminal.wrap(clean(done), indent=10, first=f"  {terminal.style('healed', 'green')}  ")


def _issue(value: Issue, terminal: Terminal) -> str:
    todo = f" {clean(value.todo)}" if value.todo else ""
    word = f"{value.severity:<8}"
    text = terminal.wrap(f"{value.dimension}: {clean(value.what)}.{todo}", indent=12, first=f"  {word}  ")
    return text.replace(word, terminal.style(word, _STYLES[value.severity]), 1)
