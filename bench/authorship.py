"""Trains what tells a person's own sentences from material in their messages, and measures it.

    python bench/authorship.py SESSIONS_DIR [--write] [--show PROJECT]

Learned are the letters of `bench/labels/statements` that say whose word a sentence is: `p` typed, `x`
pasted or quoted. Since most pastes of sessions are long, sentences of the same projects are also put
into the frames of `authorship_frames.txt`: what agents and pastes say as material, what people typed as
both (people quote people, too). Every figure leaves one project out: neither its labels nor its
sentences were learned from.

`extraction/authorship.json` is what `--write` makes of all projects.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recortex.engines.extraction.authorship import TABLE, featured
from recortex.engines.words import sections
from session_text import messages

if TYPE_CHECKING:
    from collections.abc import Iterator

LABELS = Path(__file__).parent / "labels" / "statements"
FRAMED, PENALTY, LEAST_SPREAD, STEPS = 6, 60.0, 0.03, 15
"""Framed messages for each frame and project; the penalty on the squared weights."""
REAL = 4.0
"""What a labelled sentence counts beside a framed one."""
LIMITS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Example(NamedTuple):
    """A sentence; `worth` where a reader wrote that it is worth keeping."""

    project: str
    source: str  # real, framed
    material: bool
    message: str
    features: dict[str, float]
    worth: bool = False


def labelled(sessions: Path, project: str) -> Iterator[tuple[str, str, tuple[int, int], str]]:
    """The labelled sentences of a project: who sent the message, its text, the characters, the label."""
    texts: dict[str, dict[int, Any]] = {}
    for line in (LABELS / f"{project}.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        name = one["session"]
        if name not in texts:
            path = sessions / project / name
            texts[name] = {said.ref: said for said in messages(path)} if path.is_file() else {}
        said = texts[name].get(one["ref"])
        if said is not None:
            start, end = one["span"]
            yield said.role, said.text, (start, end), one["label"]


known: dict[str, Any] = {}


def real(project: str, role: str, text: str, span: tuple[int, int], label: str) -> Iterator[Example]:
    whose = label[4]
    if role != "person" or whose not in "px":
        return
    if text not in known:
        known[text] = featured(text)
    for (start, end), found in zip(*known[text], strict=True):
        if start < span[1] and span[0] < end:
            yield Example(project, "real", whose == "x", text, found, label[0] == "k")
            return


def frames() -> dict[str, list[str]]:
    """The frames of each section; a blank line within one is written as a line of its own."""
    found = {}
    for name, written in sections(str(Path(__file__).with_name("authorship_frames.py"))).items():
        found[name] = _frames(written)
    return found


def _frames(written: str) -> list[str]:
    """A frame ends where the next line begins one: after a line with a text that nothing goes on."""
    found: list[list[str]] = [[]]
    lines = written.strip("\n").split("\n")
    for place, line in enumerate(lines):
        found[-1].append(line)
        after = lines[place + 1] if place + 1 < len(lines) else ""
        goes_on = not after or after.startswith(("- {", "* {", "// {", "# {", "  -", "    {", "> {", "2. {"))
        goes_on |= after.startswith(("{text}", "lee", "dana: {text}", "body", "def ", "Best", "DESC", "“"))
        goes_on |= "{text}" not in "".join(found[-1]) or not line
        if not goes_on:
            found.append([])
    return ["\n".join(one) for one in found if "{text}" in "".join(one)]


def framed(project: str, pools: dict[str, list[str]], random: Random) -> Iterator[Example]:
    for name, templates in frames().items():
        for template in templates:
            for _ in range(FRAMED):
                pool = pools["any" if name == "given" else "typed"]
                if len(pool) < 10:
                    continue
                text, spans = template, []
                while (at := text.find("{text}")) >= 0:
                    said = random.choice(pool)
                    text = text[:at] + said + text[at + 6 :]
                    spans.append((at, at + len(said)))
                for (start, end), found in zip(*featured(text), strict=True):
                    inside = any(start < last and first < end for first, last in spans)
                    yield Example(project, "framed", inside and name == "given", text, found)


def examples(sessions: Path) -> list[Example]:
    found: list[Example] = []
    for path in sorted(LABELS.glob("*.jsonl")):
        project, pools = path.stem, defaultdict(list)
        for role, text, span, label in labelled(sessions, project):
            said = " ".join(text[slice(*span)].split())
            found += real(project, role, text, span, label)
            if 15 < len(said) < 300 and said[0] not in "#|>`<{[":
                pools["typed" if label[4] == "p" else "other"].append(said)
        random = Random(f"frames of {project}")
        others = pools["other"]
        pools["any"] = [*pools["typed"], *random.sample(others, min(len(others), len(pools["typed"]) + 60))]
        found += framed(project, pools, random)
    return found


def fitted(rows: Any, wanted: Any, weight: Any) -> tuple[float, Any]:
    """A logistic regression with a penalty on the squared standardised weights; bias and raw weights."""
    centre, spread = rows.mean(axis=0), np.maximum(rows.std(axis=0), LEAST_SPREAD)
    whole = np.hstack([np.ones((len(rows), 1)), (rows - centre) / spread])
    ridge = np.full(whole.shape[1], PENALTY)
    ridge[0] = 1e-9
    found = np.zeros(whole.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(whole @ found, -30, 30)))
        slope = whole.T @ (weight * (chance - wanted)) + ridge * found
        bend = (whole * (weight * chance * (1 - chance))[:, None]).T @ whole + np.diag(ridge)
        found -= np.linalg.solve(bend, slope)
    raw = found[1:] / spread
    return float(found[0] - centre @ raw), raw


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--write", action="store_true", help="write the package's table")
    parser.add_argument("--show", default="", help="print what is told wrongly of a project")
    options = parser.parse_args()
    every = examples(options.sessions)
    names = sorted(every[0].features)
    rows = np.array([[one.features[name] for name in names] for one in every])
    wanted = np.array([float(one.material) for one in every])
    projects = np.array([one.project for one in every])
    is_real = np.array([one.source == "real" for one in every])
    weight = np.where(is_real, REAL, 1.0)
    chances = np.zeros(len(every))
    for project in sorted(set(projects)):
        train, test = projects != project, projects == project
        bias, weights = fitted(rows[train], wanted[train], weight[train])
        chances[test] = 1 / (1 + np.exp(-np.clip(bias + rows[test] @ weights, -30, 30)))
    kept = is_real & np.array([one.worth for one in every])
    for title, part in (("real", is_real), ("real, typed and worth keeping", kept), ("framed", ~is_real)):
        typed, material = part & (wanted == 0), part & (wanted == 1)
        print(f"{title}, projects left out: {typed.sum()} typed, {material.sum()} material sentences")
        for limit in LIMITS:
            lost, told = (chances[typed] >= limit).mean(), (chances[material] >= limit).mean()
            print(f"  from {limit}: {told:.3f} of material, {lost:.3f} of what was typed")
    if options.show:
        for one, chance in zip(every, chances, strict=True):
            if one.project == options.show and one.source == "real" and (chance >= 0.5) != one.material:
                print(f"{chance:.2f} {'material' if one.material else 'typed'}: {one.message[:200]!r}")
    if options.write:
        bias, weights = fitted(rows, wanted, weight)
        told = {name: float(f"{value:.4g}") for name, value in zip(names, weights, strict=True)}
        record = {"script": "bench/authorship.py", "sentences": len(every), "real": int(is_real.sum())}
        TABLE.write_text(
            json.dumps({"record": record, "bias": round(bias, 4), "weights": told}, indent=0) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
