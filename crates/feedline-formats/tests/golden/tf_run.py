"""Runs cases through TensorFlow and turns what comes back, tensors or errors, into plain JSON values."""

import re

import numpy as np
import tensorflow as tf

DTYPES = {"int64": tf.int64, "float32": tf.float32, "string": tf.string}


# Specs. `default` is a flat list of encoded values, or null; `default_is_scalar` says the list's one value was passed bare.
def fixed(key, dtype, shape=(), default=None, default_is_scalar=False):
    spec = {"key": key, "kind": "fixed_len", "dtype": dtype, "shape": list(shape), "default": default}
    if default_is_scalar:
        spec["default_is_scalar"] = True
    return spec


def var(key, dtype):
    return {"key": key, "kind": "var_len", "dtype": dtype, "shape": [], "default": None}


def sequence(key, dtype, shape=(), default=None, allow_missing=True):
    return {"key": key, "kind": "fixed_len_sequence", "dtype": dtype, "shape": list(shape), "default": default,
            "allow_missing": allow_missing}


def ragged(key, dtype):
    return {"key": key, "kind": "ragged", "dtype": dtype, "shape": [], "default": None}


def float_bits(values):
    return [int(b) for b in np.asarray(values, np.float32).reshape(-1).view(np.uint32)]


def decode_default(spec):
    if spec["default"] is None:
        return None
    if spec["dtype"] == "string":
        values = [bytes.fromhex(v) for v in spec["default"]]
    elif spec["dtype"] == "float32":
        values = [float(v) for v in np.asarray(spec["default"], np.uint32).view(np.float32)]
    else:
        values = list(spec["default"])
    if spec.get("default_is_scalar") or spec["kind"] == "fixed_len_sequence":
        return values[0]
    if all(d is not None for d in spec["shape"]) and len(values) == int(np.prod(spec["shape"])):
        return np.asarray(values, object if spec["dtype"] == "string" else DTYPES[spec["dtype"]].as_numpy_dtype).reshape(
            spec["shape"]).tolist()
    return values


def to_tf(specs):
    features = {}
    for spec in specs:
        dtype = DTYPES[spec["dtype"]]
        if spec["kind"] == "fixed_len":
            feature = tf.io.FixedLenFeature(spec["shape"], dtype, decode_default(spec))
        elif spec["kind"] == "var_len":
            feature = tf.io.VarLenFeature(dtype)
        elif spec["kind"] == "fixed_len_sequence":
            feature = tf.io.FixedLenSequenceFeature(spec["shape"], dtype, spec["allow_missing"], decode_default(spec))
        else:
            feature = tf.io.RaggedFeature(dtype)
        features[bytes.fromhex(spec["key_hex"]) if "key_hex" in spec else spec["key"]] = feature
    return features


# Results.
def encode_values(array):
    flat = np.asarray(array).reshape(-1)
    if flat.dtype == np.float32:
        return float_bits(flat)
    if flat.dtype == object:
        return [v.hex() for v in flat]
    return [int(v) for v in flat]


def encode_tensor(value):
    if isinstance(value, tf.SparseTensor):
        return {"indices": value.indices.numpy().tolist(), "dense_shape": value.dense_shape.numpy().tolist(),
                "values": encode_values(value.values.numpy())}
    if isinstance(value, tf.RaggedTensor):
        splits = [s.numpy().tolist() for s in value.nested_row_splits]
        named = {"row_splits": splits[0]} if len(splits) == 1 else {"nested_row_splits": splits}
        return {**named, "values": encode_values(value.flat_values.numpy())}
    array = value.numpy()
    if isinstance(array, bytes):
        return {"shape": [], "values": [array.hex()]}
    return {"shape": list(array.shape), "values": encode_values(array)}


def encode_dict(tensors):
    def name(key):
        return key.decode("utf-8", "backslashreplace") if isinstance(key, bytes) else key
    return {name(key): encode_tensor(tensors[key]) for key in sorted(tensors)}


def clean_message(error):
    """The kernel's message, without the eager runtime's wrapping (the node before it, the op name after it)."""
    if isinstance(error, UnicodeDecodeError):
        # The message quotes the record raw and Python cannot make it a str; the bytes are still there.
        message = error.object.decode("utf-8", "backslashreplace")
    else:
        message = error.message if isinstance(error, tf.errors.OpError) else str(error)
    message = re.sub(r"\{\{function_node [^}]*\}\} ?", "", message)
    return re.sub(r" \[Op:[^\]]*\]( name: ?\S*)?\s*$", "", message)


def outcome(function):
    """("result", value) or ("error", message, class)."""
    try:
        return ("result", function())
    except (tf.errors.OpError, ValueError, TypeError) as error:
        not_text = isinstance(error, UnicodeDecodeError)
        return ("error", clean_message(error), "InvalidArgumentError" if not_text else type(error).__name__)


def parse_batch(records, specs):
    return outcome(lambda: encode_dict(tf.io.parse_example(tf.constant(records, tf.string, [len(records)]), to_tf(specs))))


def parse_single(record, specs):
    return outcome(lambda: encode_dict(tf.io.parse_single_example(record, to_tf(specs))))


def as_batch_of_one(single, specs):
    """A parse_single_example result written as parse_example would write it for a batch of one."""
    batched = {}
    for spec in specs:
        value = single[spec["key"]]
        if spec["kind"] == "var_len":
            batched[spec["key"]] = {"indices": [[0] + i for i in value["indices"]], "dense_shape": [1] + value["dense_shape"],
                                    "values": value["values"]}
        elif spec["kind"] == "ragged":
            batched[spec["key"]] = {"row_splits": [0, len(value["values"])], "values": value["values"]}
        else:
            batched[spec["key"]] = {"shape": [1] + value["shape"], "values": value["values"]}
    return batched


def store(target, found, prefix=""):
    if found[0] == "result":
        target[prefix + "result"] = found[1]
    else:
        target[prefix + "error"] = found[1]
        if found[2] != "InvalidArgumentError":
            target[prefix + "error_class"] = found[2]


def through_protobuf(message_class, record):
    """The record as protobuf's own parser understands it, serialized again; None where that parser refuses it."""
    try:
        message = message_class.FromString(record)
        message.DiscardUnknownFields()
        return message.SerializeToString(deterministic=True)
    except Exception:  # DecodeError, and for keys that are not UTF-8 whatever the implementation raises
        return None


def run_parse_case(name, note, records, specs, odd=0):
    case = {"name": name, "note": note, "records": [r.hex() for r in records], "spec": specs}
    batch = parse_batch(records, specs)
    store(case, batch)
    if records:
        single = parse_single(records[0], specs)
        if single[0] == "error":
            store(case, single, "single_")
        else:
            first = batch if len(records) == 1 else parse_batch(records[:1], specs)
            if batch[0] == "error" or first[0] == "error" or as_batch_of_one(single[1], specs) != first[1]:
                store(case, single, "single_")
        canonical = through_protobuf(tf.train.Example, records[odd])
        case["protobuf"] = "error" if canonical is None else "ok"
        if canonical is not None and canonical != records[odd]:
            again = parse_batch(records[:odd] + [canonical] + records[odd + 1:], specs)
            if again != batch:
                store(case, again, "protobuf_")
    return case


def parse_sequence_batch(records, context_specs, list_specs):
    def call():
        context, lists, lengths = tf.io.parse_sequence_example(
            tf.constant(records, tf.string, [len(records)]), to_tf(context_specs) or None, to_tf(list_specs) or None)
        return {"context": encode_dict(context), "feature_lists": encode_dict(lists), "lengths": encode_dict(lengths)}
    return outcome(call)


def parse_sequence_single(record, context_specs, list_specs):
    def call():
        context, lists = tf.io.parse_single_sequence_example(record, to_tf(context_specs) or None, to_tf(list_specs) or None)
        return {"context": encode_dict(context), "feature_lists": encode_dict(lists)}
    return outcome(call)


def run_sequence_case(name, note, records, context_specs, list_specs, odd=0):
    case = {"name": name, "note": note, "records": [r.hex() for r in records], "context_spec": context_specs,
            "feature_lists_spec": list_specs}
    batch = parse_sequence_batch(records, context_specs, list_specs)
    store(case, batch)
    if records:
        store(case, parse_sequence_single(records[0], context_specs, list_specs), "single_")
        canonical = through_protobuf(tf.train.SequenceExample, records[odd])
        case["protobuf"] = "error" if canonical is None else "ok"
        if canonical is not None and canonical != records[odd]:
            again = parse_sequence_batch(records[:odd] + [canonical] + records[odd + 1:], context_specs, list_specs)
            if again != batch:
                store(case, again, "protobuf_")
    return case
