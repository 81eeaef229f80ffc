"""A cross-encoder of four words and three operations: a passage scores one for each ``pump`` in it.

It is a real ONNX model with a real tokenizer, written by hand (the wire format of protocol buffers), so that what loads
and runs cross-encoders is run by a test although no model can be downloaded there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tokenizers import Tokenizer, models, pre_tokenizers

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = {"[PAD]": 0, "[UNK]": 1, "pump": 2, "valve": 3}
_INT64, _FLOAT = 7, 1


def write_tiny_cross_encoder(folder: Path) -> None:
    """The files that fastembed reads: model, tokenizer and their settings."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel(_WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
    settings = {"model_max_length": 64, "pad_token": "[PAD]"}
    files = {"config.json": {"pad_token_id": 0}, "tokenizer_config.json": settings, "special_tokens_map.json": special}
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    (folder / "model.onnx").write_bytes(_model())


def _model() -> bytes:
    nodes = [
        _node("Equal", ["input_ids", "wanted"], "is_wanted"),
        _node("Cast", ["is_wanted"], "counted", _text(1, "to") + _number(3, _FLOAT) + _number(20, 2)),
        _node("ReduceSum", ["counted", "axis"], "scores"),
    ]
    graph = b"".join(_message(1, node) for node in nodes)
    graph += _text(2, "pumps") + _message(5, _constant("wanted", _WORDS["pump"])) + _message(5, _constant("axis", 1))
    graph += _message(11, _value("input_ids", _INT64, "length")) + _message(12, _value("scores", _FLOAT, "one"))
    return _number(1, 8) + _message(7, graph) + _message(8, _text(1, "") + _number(2, 13))


def _node(operation: str, inputs: list[str], output: str, attribute: bytes = b"") -> bytes:
    told = b"".join(_text(1, name) for name in inputs) + _text(2, output) + _text(4, operation)
    return told + (_message(5, attribute) if attribute else b"")


def _constant(name: str, value: int) -> bytes:
    return _number(1, 1) + _number(2, _INT64) + _text(8, name) + _message(9, value.to_bytes(8, "little"))


def _value(name: str, kind: int, second: str) -> bytes:
    shape = _message(1, _text(2, "batch")) + _message(1, _text(2, second))
    return _text(1, name) + _message(2, _message(1, _number(1, kind) + _message(2, shape)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode())


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    said = bytearray()
    while value > 0x7F:
        said.append(value & 0x7F | 0x80)
        value >>= 7
    said.append(value)
    return bytes(said)
