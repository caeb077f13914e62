"""A tiny ONNX model: a table gives each token's vector, so that results can be worked out by hand."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", "the", "cache", "parser", "reads"]
WIDTH = 4
TABLE = np.random.default_rng(5).normal(size=(len(WORDS), WIDTH)).astype(np.float32)


def ids_of(*words: str) -> list[int]:
    return [WORDS.index(word) for word in ("[CLS]", *words, "[SEP]")]


def write_model(
    path: Path,
    *,
    inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
    output: str = "last_hidden_state",
    kind: int = TensorProto.INT64,
    table: np.ndarray = TABLE,
) -> None:
    """A graph that looks tokens up, adds the segment of each, and pools where `output` says so."""
    pooled = output == "sentence_embedding"
    looked_up = "tokens" if pooled or len(inputs) > 2 else output
    nodes = [helper.make_node("Gather", ["table", "input_ids"], [looked_up], axis=0)]
    for extra in inputs[2:]:
        nodes.append(helper.make_node("Cast", [extra], [f"{extra}_number"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Unsqueeze", [f"{extra}_number", "last"], [f"{extra}_column"]))
        summed = f"with_{extra}" if pooled or extra != inputs[-1] else output
        nodes.append(helper.make_node("Add", [looked_up, f"{extra}_column"], [summed]))
        looked_up = summed
    if pooled:
        nodes.append(helper.make_node("ReduceMax", [looked_up, "second"], [output], keepdims=0))
    shape = ["batch", WIDTH] if pooled else ["batch", "tokens", WIDTH]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, kind, ["batch", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
            numpy_helper.from_array(np.array([1], dtype=np.int64), "second"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))


def write_other(path: Path, output: str) -> None:
    """A graph whose output is a sequence of tensors, or words."""
    if output == "sequence":
        nodes = [
            helper.make_node("Gather", ["table", "input_ids"], ["tokens"], axis=0),
            helper.make_node("SequenceConstruct", ["tokens"], ["found"]),
        ]
        found = helper.make_tensor_sequence_value_info("found", TensorProto.FLOAT, None)
    else:
        words = helper.make_tensor("words", TensorProto.STRING, [1, 1, 2], [b"the", b"cache"])
        nodes = [helper.make_node("Constant", [], ["found"], value=words)]
        found = helper.make_tensor_value_info("found", TensorProto.STRING, [1, 1, 2])
    given = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    graph = helper.make_graph(nodes, "other", given, [found], [numpy_helper.from_array(TABLE, "table")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), str(path))


def write_words(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")


def write_tokenizer(folder: Path, words: list[str] = WORDS) -> None:
    """The same words as a tokenizer.json of an uncased BERT."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    numbers = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))  # noqa: S106  no secret
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(mark, numbers[mark]) for mark in ("[CLS]", "[SEP]")]
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_pieces(folder: Path, pieces: list[str]) -> None:
    """A tokenizer.json as multilingual models have it: pieces of words by their likelihood, spaces as `▁`."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    marks = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.Unigram([(one, 0.0) for one in (*marks, *pieces)], unk_id=3))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
