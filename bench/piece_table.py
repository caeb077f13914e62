"""Makes the table that word pieces are turned by (`embeddings/pieces.py`), and tells what it keeps of them.

    RECORTEX_BENCH_DATA=… python bench/piece_table.py [--sessions FOLDER] [--write]

The directions are principal components of telling pieces of four kinds of text, as many of each: turns of
dialogue (LoCoMo's development half), functions (CoSQA), messages of sessions (folders of FOLDER, unpacked),
and notes (developer_notes.json, small_stores.json). No question is read and nothing is fitted to answers. A
random rotation mixes the directions, so that each sign tells about as much.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recortex.embeddings.building import COMMON
from recortex.embeddings.onnx import MODEL_FOLDER, PIECES_FILE, VOCABULARY_FILE, OnnxEmbedder
from retrieval_data import load
from session_text import messages

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBERS = 192
"""Signs of a piece. With 128 and 384 LoCoMo's R@10 is as high within 0.1, but 128 lose 0.3 of CoSQA's MRR."""
OF_EACH, SEED = 14_000, 0
_MARKS = 999  # the word list begins with marks and unused places


def telling() -> Any:
    """For each piece of the word list, whether it says what a text is about."""
    pieces = (MODEL_FOLDER / VOCABULARY_FILE).read_text(encoding="utf-8").split("\n")
    return np.array(
        [
            number >= _MARKS and any(map(str.isalnum, piece)) and piece not in COMMON
            for number, piece in enumerate(pieces)
            if piece
        ]
    )


def texts(sessions: Path | None) -> dict[str, list[str]]:
    """The texts by their kind."""
    found = {
        "dialogue": [
            f"{item.speaker}: {item.text}" for store in load("locomo", "dev") for item in store.items
        ],
        "code": [item.text for item in load("cosqa", "dev")[0].items],
        "notes": [
            item.text for name in ("notes", "small") for one in load(name, "dev") for item in one.items
        ],
    }
    if sessions:
        paths = sorted(path for path in sessions.rglob("*") if path.is_file())
        found["sessions"] = [one.text for path in paths for one in messages(path)]
    return found


def pieces(kind: list[str], flags: Any) -> Iterator[Any]:
    """The telling pieces of texts drawn from a kind, of unit length."""
    model, count = OnnxEmbedder(), 0
    for place in np.random.default_rng(SEED).permutation(len(kind)):
        for run in model._runs([kind[place]]):  # noqa: SLF001
            kept = flags[np.array(run.ids)]
            count += int(kept.sum())
            yield run.states[kept] / np.linalg.norm(run.states[kept], axis=1, keepdims=True)
        if count >= OF_EACH:
            return


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    flags, random = telling(), np.random.default_rng(SEED)
    drawn = {
        name: np.vstack(list(pieces(kind, flags)))[:OF_EACH] for name, kind in texts(options.sessions).items()
    }
    rows = np.vstack(list(drawn.values()))
    centre = rows.mean(axis=0)
    directions = np.linalg.svd(rows - centre, full_matrices=False)[2][:NUMBERS].T
    rotation = directions @ np.linalg.qr(random.normal(size=(NUMBERS, NUMBERS)))[0]
    scale = np.float32(np.abs(rotation).max() / 127)
    whole = np.rint(rotation / scale).astype(np.int8)
    for name, one in drawn.items():
        turned = (one - centre) @ (whole * scale)
        kept = (turned**2).sum() / ((one - centre) ** 2).sum()
        signs = np.abs(turned).sum(axis=1) / np.linalg.norm(turned, axis=1) / np.sqrt(NUMBERS)
        cosine = signs.mean()
        print(f"{name:10} {len(one):6} pieces; {kept:.3f} of the variance; cosine of the signs {cosine:.3f}")
    if options.write:
        np.savez(
            MODEL_FOLDER / PIECES_FILE,
            centre=centre.astype(np.float16),
            rotation=whole,
            scale=scale,
            telling=np.packbits(flags),
        )
        print(f"{PIECES_FILE}: {(MODEL_FOLDER / PIECES_FILE).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
