"""The cases of sequence_cases.json: what tf.io.parse_sequence_example and parse_single_sequence_example are asked."""

from parse_cases import DEFAULTS, EMPTY_LISTS, VALUE_MAKERS
from tf_run import fixed, ragged, run_sequence_case, sequence, var
from wire import *  # the whole wire vocabulary, by design


def lists(*entries):
    return feature_lists(*entries)


def steps(dtype, *counts):
    """A FeatureList with so many values in each step, all different."""
    start, features = 1, []
    for count in counts:
        features.append(VALUE_MAKERS[dtype](count, start) if count else EMPTY_LISTS[dtype])
        start += count
    return feature_list(*features)


def list_specs_of_every_kind(key, dtype, shape=()):
    yield "fixed_len_sequence", sequence(key, dtype, shape, allow_missing=False)
    yield "fixed_len_sequence_allow_missing", sequence(key, dtype, shape)
    yield "var_len", var(key, dtype)
    yield "ragged", ragged(key, dtype)


def plain_cases():
    """(name, note, records, context specs, list specs)"""
    for dtype in VALUE_MAKERS:
        two = [lists(entry(b"l", steps(dtype, 1, 1, 1))), lists(entry(b"l", steps(dtype, 1)))]
        for kind, spec in list_specs_of_every_kind("l", dtype):
            yield f"plain/{dtype}/{kind}", "three steps and one step", two, [], [spec]
        pairs = [lists(entry(b"l", steps(dtype, 2, 2))), lists(entry(b"l", steps(dtype, 2)))]
        yield f"plain/{dtype}/fixed_len_sequence_of_2", "steps of two values", pairs, [], [sequence("l", dtype, [2], allow_missing=False)]
        yield f"plain/{dtype}/fixed_len_sequence_of_2x1", "", pairs, [], [sequence("l", dtype, [2, 1])]
        uneven = [lists(entry(b"l", steps(dtype, 2, 0, 1))), lists(entry(b"l", steps(dtype, 3)))]
        for kind, spec in list_specs_of_every_kind("l", dtype):
            yield f"uneven_steps/{dtype}/{kind}", "steps of 2, 0, 1 values; then one of 3", uneven, [], [spec]
        for content, body in {"unset_step": UNSET, "wrong_dtype_step": VALUE_MAKERS["string" if dtype == "int64" else "int64"](1)}.items():
            odd = [lists(entry(b"l", feature_list(VALUE_MAKERS[dtype](1), body, VALUE_MAKERS[dtype](1, 2)))),
                   lists(entry(b"l", steps(dtype, 1)))]
            for kind, spec in list_specs_of_every_kind("l", dtype):
                yield f"{content}/{dtype}/{kind}", "the second of three steps", odd, [], [spec]
    both = [context(entry(b"c", ints(5)), entry(b"v", strings(b"x", b"y"))) + lists(entry(b"l", steps("int64", 1, 1)), entry(b"m", steps("float32", 2, 0))),
            context(entry(b"c", ints(6))) + lists(entry(b"m", steps("float32", 1)), entry(b"l", steps("int64", 1)))]
    yield "context_and_lists", "", both, [fixed("c", "int64"), var("v", "string")], [sequence("l", "int64", [], allow_missing=False), var("m", "float32")]
    yield "context_and_lists_ragged", "", both, [fixed("c", "int64"), ragged("v", "string")], [ragged("l", "int64"), ragged("m", "float32")]
    yield "context_only", "", both, [fixed("c", "int64")], []
    yield "lists_before_context", "", [lists(entry(b"l", steps("int64", 1))) + context(entry(b"c", ints(5)))], [fixed("c", "int64")], [
        sequence("l", "int64", [])]
    yield "same_key_in_context_and_lists", "", [context(entry(b"k", ints(5))) + lists(entry(b"k", steps("float32", 1)))], [fixed("k", "int64")], [
        sequence("k", "float32", [])]
    yield "batch_of_nothing", "no records", [], [fixed("c", "int64")], [sequence("l", "int64", []), var("m", "float32")]


def odd_lists():
    """(name, note, record): oddities of feature lists, seen through the int64 list "l" with one value a step."""
    l, m = b"l", b"m"
    right = feature_list(ints(1), ints(2))
    yield "no_feature_lists", "a zero-length record", b""
    yield "feature_lists_empty", "", lists()
    yield "missing_list", "", lists(entry(m, right))
    yield "list_of_no_steps", "", lists(entry(l, feature_list()))
    yield "one_unset_step_only", "", lists(entry(l, feature_list(UNSET)))
    yield "one_empty_step_only", "", lists(entry(l, feature_list(ints())))
    yield "wrong_dtype", "", lists(entry(l, feature_list(floats(1), floats(2))))
    yield "wrong_dtype_empty_step", "", lists(entry(l, feature_list(floats())))
    yield "two_values_in_a_step", "", lists(entry(l, feature_list(ints(1), ints(2, 3))))
    yield "unpacked", "", lists(entry(l, feature_list(int64_list(unpacked_ints([1])), int64_list(unpacked_ints([2])))))
    yield "packed_in_two_chunks", "", lists(entry(l, feature_list(int64_list(packed_ints([1]) + packed_ints([2])))))
    yield "two_lists_in_a_step", "", lists(entry(l, feature_list(ints(1) + ints(2))))
    yield "two_types_in_a_step_right_last", "", lists(entry(l, feature_list(floats(9) + ints(1))))
    yield "two_types_in_a_step_wrong_last", "", lists(entry(l, feature_list(ints(1) + floats(9))))
    yield "dup_right_right", "", lists(entry(l, feature_list(ints(8), ints(9), ints(10))), entry(l, right))
    yield "dup_wrong_right", "", lists(entry(l, feature_list(floats(8))), entry(l, right))
    yield "dup_right_wrong", "", lists(entry(l, right), entry(l, feature_list(floats(8))))
    yield "dup_right_no_steps", "", lists(entry(l, right), entry(l, feature_list()))
    yield "dup_no_steps_right", "", lists(entry(l, feature_list()), entry(l, right))
    yield "two_feature_lists_messages", "", lists(entry(m, right)) + lists(entry(l, right))
    yield "two_feature_lists_messages_override", "", lists(entry(l, feature_list(ints(9)))) + lists(entry(l, right))
    yield "value_before_key", "", lists(raw_entry(value_field(right) + key_field(l)))
    yield "entry_without_value", "", lists(raw_entry(key_field(l)))
    yield "entry_without_key", "", lists(raw_entry(value_field(right)))
    yield "entry_key_twice", "", lists(raw_entry(key_field(m) + key_field(l) + value_field(right)))
    yield "entry_value_twice", "", lists(raw_entry(key_field(l) + value_field(right) + value_field(feature_list(ints(3)))))
    for wire_type in ("varint", "fixed32", "fixed64", "bytes", "group"):
        unknown = UNKNOWN_FIELDS[wire_type]
        yield f"unknown_{wire_type}_in_record_first", "", unknown + lists(entry(l, right))
        yield f"unknown_{wire_type}_in_record_last", "", lists(entry(l, right)) + unknown
    for wire_type in ("varint", "bytes"):
        unknown = UNKNOWN_FIELDS[wire_type]
        yield f"unknown_{wire_type}_in_feature_lists_first", "", lists(unknown + entry(l, right))
        yield f"unknown_{wire_type}_in_feature_lists_last", "", lists(entry(l, right) + unknown)
        yield f"unknown_{wire_type}_in_entry_first", "", lists(raw_entry(unknown + key_field(l) + value_field(right)))
        yield f"unknown_{wire_type}_in_entry_last", "", lists(raw_entry(key_field(l) + value_field(right) + unknown))
        yield f"unknown_{wire_type}_in_list_first", "", lists(entry(l, unknown + right))
        yield f"unknown_{wire_type}_in_list_last", "", lists(entry(l, right + unknown))
        yield f"unknown_{wire_type}_in_step_first", "", lists(entry(l, feature_list(unknown + ints(1), ints(2))))
        yield f"unknown_{wire_type}_in_step_last", "", lists(entry(l, feature_list(ints(1) + unknown, ints(2))))
        yield f"unknown_{wire_type}_in_values_last", "", lists(entry(l, feature_list(int64_list(packed_ints([1]) + unknown), ints(2))))
    body = entry(l, right)
    yield "nonminimal_feature_lists_tag", "", field_bytes(2, body, tag_width=2)
    yield "nonminimal_feature_lists_length", "", field_bytes(2, body, length_width=3)
    yield "nonminimal_step_tag", "", lists(entry(l, field_bytes(1, ints(1), tag_width=2)))
    yield "nonminimal_step_length", "", lists(entry(l, field_bytes(1, ints(1), length_width=2)))
    yield "packed_ends_inside_a_varint", "", lists(entry(l, feature_list(int64_list(field_bytes(1, b"\x82")))))
    yield "step_length_past_list", "", lists(entry(l, b"\x0a\x20" + ints(1)))
    yield "feature_lists_length_past_end", "", b"\x12" + varint(len(body) + 1) + body
    yield "unasked_list_malformed", "m is not asked for", lists(entry(m, b"\x0a\x20\x1a"), body)
    yield "unasked_list_key_not_utf8", "", lists(entry(b"\xff", right), body)
    yield "garbage_text", "", b"this is not a protobuf at all"
    yield "garbage_ff", "", b"\xff" * 12
    yield "zero_byte_after", "", lists(body) + b"\0"
    whole = context(entry(b"c", ints(5))) + lists(body)
    for cut in (1, 2, len(whole) - len(lists(body)), len(whole) - len(lists(body)) + 1, len(whole) - 8, len(whole) - 4, len(whole) - 1):
        yield f"truncated_at_{cut:02}_of_{len(whole)}", "", whole[:cut]


def odd_contexts():
    """(name, note, record): oddities of the context, seen through its int64 feature "c" of two values."""
    c = b"c"
    right = ints(1, 2)
    yield "missing", "", context()
    yield "unset_kind", "", context(entry(c, UNSET))
    yield "empty_list", "", context(entry(c, ints()))
    yield "wrong_dtype", "", context(entry(c, floats(1, 2)))
    yield "wrong_dtype_empty", "", context(entry(c, floats()))
    yield "too_many", "", context(entry(c, ints(1, 2, 3)))
    yield "dup_right_right", "", context(entry(c, ints(8, 9)), entry(c, right))
    yield "dup_wrong_right", "", context(entry(c, floats(9)), entry(c, right))
    yield "dup_right_wrong", "", context(entry(c, right), entry(c, floats(9)))
    yield "dup_right_unset", "", context(entry(c, right), entry(c, UNSET))
    yield "dup_right_empty", "", context(entry(c, right), entry(c, ints()))
    yield "two_contexts_override", "", context(entry(c, ints(8, 9))) + context(entry(c, right))
    yield "unpacked", "", context(entry(c, int64_list(unpacked_ints([1, 2]))))
    yield "packed_in_two_chunks", "", context(entry(c, int64_list(packed_ints([1]) + packed_ints([2]))))
    yield "two_lists_of_one_type", "", context(entry(c, ints(1) + ints(2)))
    yield "wrong_list_then_right_list", "", context(entry(c, floats(9) + right))
    yield "right_list_then_wrong_list", "", context(entry(c, right + floats(9)))
    yield "unknown_varint_before_list", "", context(entry(c, UNKNOWN_FIELDS["varint"] + right))
    yield "unknown_varint_after_list", "", context(entry(c, right + UNKNOWN_FIELDS["varint"]))
    yield "unknown_varint_in_features", "", context(UNKNOWN_FIELDS["varint"] + entry(c, right))
    yield "unknown_varint_in_entry_last", "", context(raw_entry(key_field(c) + value_field(right) + UNKNOWN_FIELDS["varint"]))
    yield "value_before_key", "", context(raw_entry(value_field(right) + key_field(c)))
    yield "entry_without_value", "", context(raw_entry(key_field(c)))
    yield "entry_key_twice", "", context(raw_entry(key_field(b"d") + key_field(c) + value_field(right)))
    yield "nonminimal_context_tag", "", field_bytes(1, entry(c, right), tag_width=2)
    yield "packed_length_past_list", "", context(entry(c, int64_list(b"\x0a\x09\x01\x02")))


def context_specs_of_every_kind(key):
    yield "fixed_len", fixed(key, "int64", [2])
    yield "fixed_len_default", fixed(key, "int64", [2], DEFAULTS["int64"](2))
    yield "var_len", var(key, "int64")
    yield "ragged", ragged(key, "int64")


def all_cases():
    for name, note, records, context_specs, list_specs in plain_cases():
        yield run_sequence_case(name, note, records, context_specs, list_specs)
    good = lists(entry(b"l", feature_list(ints(7))))
    for name, note, record in odd_lists():
        for kind, spec in list_specs_of_every_kind("l", "int64"):
            yield run_sequence_case(f"list/{name}/{kind}", note, [record, good], [], [spec])
    for name, note, record in odd_contexts():
        for kind, spec in context_specs_of_every_kind("c"):
            yield run_sequence_case(f"context/{name}/{kind}", note, [record, context(entry(b"c", ints(7, 8)))], [spec], [])
    for name in ("missing_list", "dup_right_right", "wrong_dtype", "list_of_no_steps"):
        record = {n: r for n, _, r in odd_lists()}[name]
        for kind, spec in list_specs_of_every_kind("l", "int64"):
            yield run_sequence_case(f"odd_in_batch/{name}/{kind}", "second of three records is odd", [good, record, good], [], [spec], odd=1)
