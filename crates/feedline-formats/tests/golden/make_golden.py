"""Records golden data from TensorFlow itself: TFRecord files, serialized Examples, and what its Example parsers answer.

Run by hand, in an environment with TensorFlow (pip install tensorflow-cpu), never in CI:

    TF_CPP_MIN_LOG_LEVEL=3 python make_golden.py

The files beside this script were made with TensorFlow 2.21.0 and protobuf 7.36.2 (upb). Output is the same on every run.
README.md says what each file holds.
"""

import json
import random
from pathlib import Path

import numpy as np
import tensorflow as tf

import parse_cases
import sequence_cases
from tf_run import float_bits

HERE = Path(__file__).resolve().parent


def write_json(name, rows):
    """A list, one row a line, so that a change shows as the rows it touches."""
    names = [row["name"] for row in rows if isinstance(row, dict)]
    assert len(set(names)) == len(names), "two cases of one name"
    text = "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
    (HERE / name).write_text(text, encoding="utf-8")
    print(f"{name}: {len(rows)} rows, {len(text)} bytes")


# Example messages, from the same plain description that goes into examples.json.
def fill_feature(feature, value):
    """`value`: {"int64": [...]} | {"float": [bits]} | {"bytes": [hex]} | {}"""
    if "int64" in value:
        feature.int64_list.SetInParent()
        feature.int64_list.value.extend(value["int64"])
    elif "float" in value:
        feature.float_list.SetInParent()
        feature.float_list.value.extend(np.asarray(value["float"], np.uint32).view(np.float32))
    elif "bytes" in value:
        feature.bytes_list.SetInParent()
        feature.bytes_list.value.extend(bytes.fromhex(v) for v in value["bytes"])


def fill_features(features, values):
    for key, value in values.items():
        fill_feature(features.feature[key], value)


def ints(*values):
    return {"int64": list(values)}


def floats(*values):
    return {"float": float_bits(values)}


def strings(*values):
    return {"bytes": [v.hex() for v in values]}


def example_rows():
    # No signalling NaN: Python floats are doubles, and the way there quiets it. parse_cases.json has one, on the wire.
    specials = {"float": [0x7FC00000, 0xFFC12345, 0x7F800000, 0xFF800000, 0x80000000, 0, 1, 0x7F7FFFFF]}
    examples = {
        "nothing": {},
        "unset_kind": {"a": {}},
        "int_zero": {"a": ints(0)},
        "int_one": {"a": ints(1)},
        "int_negative": {"a": ints(-1)},
        "int_extremes": {"a": ints(-(2**63), 2**63 - 1)},
        "int_varint_edges": {"a": ints(*[v for k in range(7, 63, 7) for v in (2**k - 1, 2**k)])},
        "int_many": {"a": ints(*range(-100, 400, 3))},
        "int_empty": {"a": ints()},
        "float_one": {"a": floats(1.5)},
        "float_specials": {"a": specials},
        "float_many": {"a": floats(*[k / 7 for k in range(100)])},
        "float_empty": {"a": floats()},
        "bytes_one": {"a": strings(b"hello")},
        "bytes_empty_value": {"a": strings(b"")},
        "bytes_several": {"a": strings(b"x", b"", b"yy", b"\0", b"\xff\xfe")},
        "bytes_empty": {"a": strings()},
        "bytes_127": {"a": strings(b"p" * 127)},
        "bytes_128": {"a": strings(b"p" * 128)},
        "bytes_long": {"a": strings(bytes(range(256)) * 3)},
        "all_kinds": {"f": floats(0.5, -0.5), "i": ints(3, 4), "s": strings(b"t"), "u": {}},
        "all_kinds_empty": {"f": floats(), "i": ints(), "s": strings(), "u": {}},
        "key_empty": {"": ints(7)},
        "key_empty_and_others": {"b": ints(2), "": ints(0), "a": ints(1)},
        "key_unicode": {"größe": ints(1), "尺寸": floats(2), "😀": strings(b"x")},
        "key_order_case": {"b": ints(1), "B": ints(2), "a": ints(3), "A": ints(4), "_": ints(5), "0": ints(6)},
        "key_order_prefixes": {"abc": ints(1), "ab": ints(2), "a": ints(3), "abcd": ints(4), "b": ints(5), "aa": ints(6)},
        "key_order_numbers": {f"f{k}": ints(k) for k in (10, 9, 1, 2, 100, 20)},
        "key_order_non_ascii": {"é": ints(1), "e": ints(2), "z": ints(3), "~": ints(4), "\x7f": ints(5), "\u0080": ints(6)},
        # U+FFFF sorts after U+1F600 in UTF-16, before it in UTF-8.
        "key_order_beyond_bmp": {"\uffff": ints(1), "😀": ints(2), "\ue000": ints(3)},
        "key_with_zero_byte": {"a\0b": ints(1), "a": ints(2), "a\0": ints(3)},
        "key_of_128_bytes": {"k" * 128: ints(1), "k" * 127: ints(2)},
        "forty_features": {**{f"f{k:02}": floats(k / 8) for k in range(13)}, **{f"i{k:02}": ints(k * k * k) for k in range(26)}, "label": ints(3)},
        "image_like": {"image/encoded": strings(bytes((7 * k) % 256 for k in range(600))), "image/height": ints(480), "image/width": ints(640),
                       "image/class/label": ints(17), "image/format": strings(b"jpeg"), "image/object/bbox/xmin": floats(0.1, 0.25)},
    }
    rows = []
    for name, values in examples.items():
        message = tf.train.Example()
        if name != "nothing":
            message.features.SetInParent()
        fill_features(message.features, values)
        serialized = message.SerializeToString(deterministic=True)
        for value in values.values():
            assert np.asarray(value.get("float", []), "<u4").tobytes() in serialized, "float bits changed on the way"
        rows.append({"name": name, "kind": "example", "features": values, "deterministic_hex": serialized.hex()})
    sequences = {
        "sequence_nothing": ({}, {}),
        "sequence_context_only": ({"id": ints(5), "name": strings(b"n")}, {}),
        "sequence_lists_only": ({}, {"t": [ints(1), ints(2, 3), ints()]}),
        "sequence_both": ({"id": ints(5)}, {"words": [strings(b"a"), strings(b"bc")], "scores": [floats(0.5), floats(1.5)]}),
        "sequence_empty_list": ({}, {"t": []}),
        "sequence_unset_steps": ({}, {"t": [{}, ints(1), {}]}),
        "sequence_key_order": ({"b": ints(1), "B": ints(2), "": ints(3)}, {"é": [ints(1)], "e": [ints(2)], "ab": [], "a": [{}]}),
    }
    for name, (context, feature_lists) in sequences.items():
        message = tf.train.SequenceExample()
        # A sub-message that holds nothing is left out altogether.
        if context:
            fill_features(message.context, context)
        for key, values in feature_lists.items():
            feature_list = message.feature_lists.feature_list[key]
            for value in values:
                fill_feature(feature_list.feature.add(), value)
        rows.append({"name": name, "kind": "sequence_example", "context": context, "feature_lists": feature_lists,
                     "deterministic_hex": message.SerializeToString(deterministic=True).hex()})
    return rows


def record_payloads(examples):
    generator = random.Random(20240607)
    words = [bytes(generator.choices(b"abcdefgh", k=12)) for _ in range(16)]
    compressible = b"".join(generator.choices(words, k=500))[:5000]
    payloads = [b"", b"x", b"hello world", "größe 尺寸\n".encode(), b"\0" * 16, bytes(range(256)), compressible, b"", b"a" * 1000]
    wanted = ("int_one", "int_extremes", "float_specials", "bytes_several", "key_unicode", "forty_features", "image_like",
              "all_kinds", "sequence_both", "int_many", "nothing")
    by_name = {row["name"]: row for row in examples}
    return payloads + [bytes.fromhex(by_name[name]["deterministic_hex"]) for name in wanted]


def write_records(payloads):
    for suffix, compression in (("none", ""), ("gzip", "GZIP"), ("zlib", "ZLIB")):
        path = HERE / f"records_{suffix}.tfrecord"
        with tf.io.TFRecordWriter(str(path), tf.io.TFRecordOptions(compression_type=compression)) as writer:
            for payload in payloads:
                writer.write(payload)
        read_back = list(tf.data.TFRecordDataset(str(path), compression_type=compression).as_numpy_iterator())
        assert read_back == payloads
        print(f"{path.name}: {len(payloads)} records, {path.stat().st_size} bytes")


def main():
    examples = example_rows()
    write_json("examples.json", examples)
    payloads = record_payloads(examples)
    write_json("records.json", [payload.hex() for payload in payloads])
    write_records(payloads)
    write_json("parse_cases.json", list(parse_cases.all_cases()))
    write_json("sequence_cases.json", list(sequence_cases.all_cases()))


if __name__ == "__main__":
    main()
