"""Compares a question with texts word by word, each of its pieces with the piece of a text most like it."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]


class AskedPieces(NamedTuple):
    """The word pieces of a question, as its embedder tells them (`ports/embedding.py`).

    Attributes:
        rows: of unit length, shape (pieces, numbers).
        telling: for each piece, whether it says what the question is about; at least one does.
    """

    rows: Rows
    telling: npt.NDArray[np.bool_]


class Wording(NamedTuple):
    """How near the words of a text are to those of a question, as cosines.

    Attributes:
        words: the mean over the question's pieces of the best cosine in the text.
        weakest: the best cosine of the telling piece that is matched worst.
        passage: the mean over the telling pieces of the best cosine in the text and those around it.
        pieces: how many pieces of the text are kept: different words that it has.
    """

    words: float
    weakest: float
    passage: float
    pieces: int


def wordings(
    asked: AskedPieces, codes: Mapping[int, bytes], around: Mapping[int, Sequence[int]]
) -> dict[int, Wording]:
    """The wording of each text that has pieces, by its key.

    Args:
        asked: the question.
        codes: the signs of the pieces of texts, and of those around them, a bit each; of another width than
            the question's they are left out.
        around: keys of the texts around one, by its key.
    """
    width = -(-asked.rows.shape[1] // 8)
    known = {key: code for key, code in codes.items() if code and not len(code) % width}
    if not known:
        return {}
    best = _best(asked.rows, known, width)
    place = {key: number for number, key in enumerate(known)}
    near = [[place[key], *(place[one] for one in around.get(key, ()) if one in place)] for key in known]
    telling = asked.telling
    columns = (
        best.mean(axis=1).tolist(),
        best[:, telling].min(axis=1).tolist(),
        _highest(best[:, telling][list(chain.from_iterable(near))], map(len, near)).mean(axis=1).tolist(),
        [len(code) // width for code in known.values()],
    )
    return dict(zip(known, map(Wording, *columns), strict=True))


def _best(rows: Rows, codes: Mapping[int, bytes], width: int) -> Rows:
    """The best cosine of each piece of the question in each text, shape (texts, pieces).

    The signs of a text stand for numbers of one size, ±1 / sqrt(n). They are looked up eight at a time, which
    takes a fifth of what a product of matrices does, and no threads of the linear algebra library.
    """
    import numpy as np

    packed = np.frombuffer(b"".join(codes.values()), np.uint8).reshape(-1, width)
    sums = np.zeros((len(packed), len(rows)), np.float32)
    for place, found in enumerate(_of_bytes(rows, width)):
        sums += found.take(packed[:, place], axis=0)
    return _highest(sums, (len(code) // width for code in codes.values()))


def _of_bytes(rows: Rows, width: int) -> Rows:
    """What each byte of a text's signs adds to a cosine, by place and value, shape (width, 256, pieces)."""
    import numpy as np

    signs = 2 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32) - 1
    padded = np.zeros((len(rows), 8 * width), np.float32)
    padded[:, : rows.shape[1]] = rows / np.sqrt(rows.shape[1])
    found: Rows = signs @ padded.reshape(len(rows), width, 8).transpose(1, 2, 0)
    return found


def _highest(rows: Rows, lengths: Iterable[int]) -> Rows:
    """The highest values of each stretch of rows."""
    import numpy as np

    starts = [0, *accumulate(lengths)][:-1]
    highest: Rows = np.maximum.reduceat(rows, starts, axis=0)
    return highest
