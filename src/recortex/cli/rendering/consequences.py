"""What would be missing without a memory, and what to update when it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.amounts import plural
from recortex.cli.rendering.memories import line_of, short, walked
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.cli.terminal import Terminal
    from recortex.domain.memory import Memory
    from recortex.operations.consequences import Counterfactual, Intervention, Missing, Touched
    from recortex.operations.graphing import Reached
    from recortex.operations.inferring import Inference, LikelyCause

_LOSSES = {"falls": "falls", "possible": "could happen"}


def counterfactual(value: Counterfactual, terminal: Terminal) -> str:
    """Its effects, each with whether it would fall."""
    if not value.missing:
        return f"{_walk(value.memory, (), terminal)}\nNothing is known that would be missing without it."
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
        return "Nothing new was found." + _later(value)
    would = "would be suggested" if value.dry_run else "suggested"
    lines = [line for one in value.causes for line in likely_cause(one, terminal)]
    return "\n".join([f"{plural(value.found, 'cause')} {would}:", *lines]) + _later(value)


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


def _later(value: Inference) -> str:
    return "\nThere was no time for all sessions." if value.partly else ""


def _walk(memory: Memory, steps: Sequence[Reached], terminal: Terminal) -> str:
    return walked(memory, [(one.depth, one.path[-1], one.memory) for one in steps], terminal)


def _loss(one: Missing) -> str:
    return _LOSSES.get(one.loss) or f"keeps {', '.join(map(short, one.others))}"


def _touched(one: Touched) -> str:
    return f"{clean(one.name)} ({plural(len(one.memories), 'memory')})"


def _more(*, more: bool) -> str:
    return "\n  There may be more: give a greater --limit." if more else ""
