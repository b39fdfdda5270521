"""The cases of parse_cases.json: what tf.io.parse_example is asked. The answers come from running it."""

from tf_run import fixed, float_bits, ragged, run_parse_case, sequence, var
from wire import *  # the whole wire vocabulary, by design

VALUE_MAKERS = {
    "int64": lambda n, start=1: ints(*range(start, start + n)),
    "float32": lambda n, start=1: floats(*[i / 2 for i in range(start, start + n)]),
    "string": lambda n, start=1: strings(*[b"s%d" % i for i in range(start, start + n)]),
}
EMPTY_LISTS = {"int64": ints(), "float32": floats(), "string": strings()}
DEFAULTS = {
    "int64": lambda n: [-1 - i for i in range(n)],
    "float32": lambda n: float_bits([-0.5 - i for i in range(n)]),
    "string": lambda n: [(b"d%d" % i).hex() for i in range(n)],
}
OTHER_DTYPES = {"int64": ["float32", "string"], "float32": ["int64", "string"], "string": ["int64", "float32"]}


def specs_of_every_kind(key, dtype, count, with_default=True):
    """The feature asked for in each of the ways there are; `count` is what the fixed shape wants."""
    yield "fixed_len", fixed(key, dtype, [count])
    if with_default:
        yield "fixed_len_default", fixed(key, dtype, [count], DEFAULTS[dtype](count))
    yield "var_len", var(key, dtype)
    yield "fixed_len_sequence", sequence(key, dtype)
    yield "ragged", ragged(key, dtype)


def odd_lists():
    """(name, note, Feature body, dtype, number of values a tolerant reader would find): oddities inside one Feature."""
    pi, ui, pf, uf, bv = packed_ints, unpacked_ints, packed_floats, unpacked_floats, byte_values
    yield "unpacked", "", int64_list(ui([1, 2, 3])), "int64", 3
    yield "unpacked", "", float_list(uf([0.5, 1.5, -2])), "float32", 3
    yield "packed_then_unpacked", "", int64_list(pi([1, 2]) + ui([3])), "int64", 3
    yield "packed_then_unpacked", "", float_list(pf([1, 2]) + uf([3])), "float32", 3
    yield "unpacked_then_packed", "", int64_list(ui([1]) + pi([2, 3])), "int64", 3
    yield "unpacked_then_packed", "", float_list(uf([1]) + pf([2, 3])), "float32", 3
    yield "packed_in_two_chunks", "", int64_list(pi([1, 2]) + pi([3])), "int64", 3
    yield "packed_in_two_chunks", "", float_list(pf([1, 2]) + pf([3])), "float32", 3
    yield "packed_in_three_chunks_one_empty", "", int64_list(pi([1, 2]) + pi([]) + pi([3])), "int64", 3
    yield "packed_first_chunk_empty", "", float_list(pf([]) + pf([1, 2, 3])), "float32", 3
    yield "packed_of_nothing", "the packed field is there with length 0", int64_list(pi([])), "int64", 0
    yield "packed_of_nothing", "the packed field is there with length 0", float_list(pf([])), "float32", 0
    yield "two_lists_of_one_type", "protobuf merges them", int64_list(pi([1, 2])) + int64_list(pi([3])), "int64", 3
    yield "two_lists_of_one_type", "protobuf merges them", float_list(pf([1, 2])) + float_list(pf([3])), "float32", 3
    yield "two_lists_of_one_type", "protobuf merges them", bytes_list(bv([b"p", b"q"])) + bytes_list(bv([b"r"])), "string", 3
    yield "two_lists_first_empty", "", int64_list(b"") + int64_list(pi([1, 2])), "int64", 2
    yield "two_lists_second_empty", "", int64_list(pi([1, 2])) + int64_list(b""), "int64", 2
    yield "wrong_list_then_right_list", "oneof: the last is the one set", float_list(pf([9])) + int64_list(pi([1, 2])), "int64", 2
    yield "right_list_then_wrong_list", "oneof: the last is the one set", int64_list(pi([1, 2])) + float_list(pf([9])), "int64", 2
    yield "right_list_then_wrong_empty_list", "oneof: the last is the one set", int64_list(pi([1, 2])) + float_list(b""), "int64", 2
    yield "wrong_empty_list_then_right_list", "", bytes_list(b"") + int64_list(pi([1, 2])), "int64", 2
    yield "right_wrong_right", "oneof: 1,2 is dropped by protobuf", int64_list(pi([1, 2])) + bytes_list(bv([b"x"])) + int64_list(
        pi([3])), "int64", 1
    for wire_type, unknown in UNKNOWN_FIELDS.items():
        yield f"unknown_{wire_type}_before_list", "", unknown + int64_list(pi([1, 2])), "int64", 2
        yield f"unknown_{wire_type}_after_list", "", int64_list(pi([1, 2])) + unknown, "int64", 2
        yield f"unknown_{wire_type}_inside_list", "in the Int64List, after the values", int64_list(pi([1, 2]) + unknown), "int64", 2
    yield "unknown_varint_inside_list_first", "", int64_list(UNKNOWN_FIELDS["varint"] + pi([1, 2])), "int64", 2
    yield "unknown_varint_before_list", "", UNKNOWN_FIELDS["varint"] + float_list(pf([1, 2])), "float32", 2
    yield "unknown_varint_inside_list", "", float_list(pf([1, 2]) + UNKNOWN_FIELDS["varint"]), "float32", 2
    yield "unknown_varint_before_list", "", UNKNOWN_FIELDS["varint"] + bytes_list(bv([b"p", b"q"])), "string", 2
    yield "unknown_varint_inside_list", "", bytes_list(bv([b"p", b"q"]) + UNKNOWN_FIELDS["varint"]), "string", 2
    yield "unknown_only", "a Feature with nothing but an unknown field", UNKNOWN_FIELDS["varint"], "int64", 0
    yield "list_field_as_varint", "field 3 with wire type 0", field_varint(3, 7), "int64", 0
    yield "values_as_fixed64", "Int64List field 1 with wire type 1", int64_list(field_fixed64(1, 7)), "int64", 0
    yield "values_as_fixed32", "Int64List field 1 with wire type 5", int64_list(field_fixed32(1, 7)), "int64", 0
    yield "values_as_varint", "FloatList field 1 with wire type 0", float_list(field_varint(1, 7)), "float32", 0
    yield "values_as_fixed64", "FloatList field 1 with wire type 1", float_list(field_fixed64(1, 7)), "float32", 0
    yield "values_as_varint", "BytesList field 1 with wire type 0", bytes_list(field_varint(1, 7)), "string", 0
    yield "nonminimal_list_tag", "tag 3 written in two bytes", field_bytes(3, pi([1, 2]), tag_width=2), "int64", 2
    yield "nonminimal_list_length", "", field_bytes(3, pi([1, 2]), length_width=3), "int64", 2
    yield "nonminimal_packed_tag", "", int64_list(field_bytes(1, b"\x01\x02", tag_width=2)), "int64", 2
    yield "nonminimal_packed_length", "", int64_list(field_bytes(1, b"\x01\x02", length_width=2)), "int64", 2
    yield "nonminimal_values", "1 and 2 in five bytes each", int64_list(field_bytes(1, varint(1, 5) + varint(2, 5))), "int64", 2
    yield "nonminimal_packed_tag", "", float_list(field_bytes(1, b"\0\0\x80\x3f", tag_width=2)), "float32", 1
    yield "nonminimal_value_tag", "", bytes_list(field_bytes(1, b"p", tag_width=2)), "string", 1
    yield "negative_values", "", ints(-1, -(2**63), 2**63 - 1), "int64", 3
    ten_high = b"\xff" * 9 + b"\x7f"
    yield "ten_byte_varint_with_high_bits", "bits past the 64th are set", int64_list(field_bytes(1, ten_high)), "int64", 1
    yield "ten_byte_varint_with_high_bits_unpacked", "", int64_list(b"\x08" + ten_high), "int64", 1
    yield "ten_byte_varint_tenth_byte_2", "", int64_list(field_bytes(1, b"\x81" + b"\x80" * 8 + b"\x02")), "int64", 1
    yield "eleven_byte_varint", "", int64_list(field_bytes(1, b"\x81" + b"\x80" * 9 + b"\x00")), "int64", 1
    yield "eleven_byte_varint_unpacked", "", int64_list(b"\x08\x81" + b"\x80" * 9 + b"\x00"), "int64", 1
    yield "packed_ends_inside_a_varint", "", int64_list(field_bytes(1, b"\x01\x82")), "int64", 1
    yield "packed_varint_runs_past_its_chunk", "the chunk of one byte ends in a continuation bit", int64_list(
        field_bytes(1, b"\x82") + b"\x08\x01"), "int64", 1
    yield "packed_floats_length_5", "", float_list(field_bytes(1, b"\0\0\x80\x3f\0")), "float32", 1
    yield "packed_floats_length_3", "", float_list(field_bytes(1, b"\0\0\x80")), "float32", 1
    yield "packed_floats_length_6_in_two_chunks", "2 + 6 bytes: a whole number of floats only together", float_list(
        field_bytes(1, b"\0\0") + field_bytes(1, b"\x80\x3f\0\0\x80\x3f")), "float32", 2
    yield "packed_length_past_list", "packed length 9 in a list of 4 bytes", int64_list(b"\x0a\x09\x01\x02"), "int64", 2
    yield "packed_length_past_list", "packed length 8 in a list of 6 bytes", float_list(b"\x0a\x08\0\0\x80\x3f"), "float32", 1
    yield "value_length_past_list", "", bytes_list(b"\x0a\x09ab"), "string", 1
    yield "list_length_past_feature", "list length 9 in a Feature of 6 bytes", b"\x1a\x09\x0a\x02\x01\x02", "int64", 2
    yield "list_length_huge", "list length 2^63", b"\x1a" + varint(2**63) + b"\x0a\x02\x01\x02", "int64", 2
    yield "packed_length_huge", "packed length 2^32 + 2", int64_list(b"\x0a" + varint(2**32 + 2) + b"\x01\x02"), "int64", 2
    yield "packed_length_past_list_two_wanted", "packed length 8 in a list of 6 bytes", float_list(b"\x0a\x08\0\0\x80\x3f"), "float32", 2
    yield "packed_length_past_list_one_wanted", "the Example goes on after the Feature", float_list(b"\x0a\x06\0\0\x80\x3f"), "float32", 1
    yield "garbage_after_list", "bytes that are no field follow the list", ints(1, 2) + b"\xff\xff", "int64", 2
    yield "garbage_after_list", "bytes that are no field follow the list", floats(1, 2) + b"\xff\xff", "float32", 2
    yield "garbage_after_list", "bytes that are no field follow the list", strings(b"p", b"q") + b"\xff\xff", "string", 2
    yield "garbage_after_packed_values", "", int64_list(pi([1, 2]) + b"\xff\xff"), "int64", 2
    yield "garbage_after_packed_values", "", float_list(pf([1, 2]) + b"\xff\xff"), "float32", 2
    yield "garbage_after_unpacked_values", "", int64_list(ui([1, 2]) + b"\xff\xff"), "int64", 2
    yield "garbage_after_unpacked_values", "", float_list(uf([1, 2]) + b"\xff\xff"), "float32", 2
    yield "garbage_after_values", "", bytes_list(bv([b"p", b"q"]) + b"\xff\xff"), "string", 2
    yield "list_tag_only", "the Feature ends after the tag", b"\x1a", "int64", 0
    yield "unpacked_fixed32_cut", "the FloatList ends inside a value", float_list(b"\x0d\0\0"), "float32", 1
    yield "field_number_zero_in_feature", "", b"\x00\x01" + ints(1, 2), "int64", 2
    yield "end_group_in_feature", "a stray end-group tag", b"\x4c" + ints(1, 2), "int64", 2


def odd_maps():
    """(name, note, record, count): oddities of maps and messages, seen through the int64 feature "a"."""
    a, b = b"a", b"b"
    right, wrong = ints(1, 2), floats(9)
    yield "no_features", "Example with no Features message at all: a zero-length record", b"", 2
    yield "features_empty", "", example(), 2
    yield "missing_key", "", example(entry(b, right)), 2
    yield "unset_kind", "the feature is there, no list is", example(entry(a, UNSET)), 2
    yield "empty_list", "1A 00", example(entry(a, ints())), 2
    yield "dup_right_right", "", example(entry(a, ints(3, 4)), entry(a, right)), 2
    yield "dup_right_right_other_between", "", example(entry(a, ints(3, 4)), entry(b, wrong), entry(a, right)), 2
    yield "dup_three_times", "", example(entry(a, ints(5, 6)), entry(a, ints(3, 4)), entry(a, right)), 2
    yield "dup_wrong_right", "", example(entry(a, wrong), entry(a, right)), 2
    yield "dup_right_wrong", "", example(entry(a, right), entry(a, wrong)), 2
    yield "dup_unset_right", "", example(entry(a, UNSET), entry(a, right)), 2
    yield "dup_right_unset", "", example(entry(a, right), entry(a, UNSET)), 2
    yield "dup_empty_right", "", example(entry(a, ints()), entry(a, right)), 2
    yield "dup_right_empty", "", example(entry(a, right), entry(a, ints())), 2
    yield "dup_right_wrong_empty", "", example(entry(a, right), entry(a, floats())), 2
    yield "dup_short_right", "the first has one value where two are wanted", example(entry(a, ints(1)), entry(a, right)), 2
    yield "dup_right_short", "", example(entry(a, right), entry(a, ints(1))), 2
    yield "dup_malformed_right", "the overridden one is cut inside a varint", example(
        entry(a, int64_list(field_bytes(1, b"\x01\x82"))), entry(a, right)), 2
    yield "two_features_messages", "concatenated Examples, different keys", example(entry(b, wrong)) + example(entry(a, right)), 2
    yield "two_features_messages_override", "", example(entry(a, ints(3, 4))) + example(entry(a, right)), 2
    yield "two_features_messages_override_wrong_first", "", example(entry(a, wrong)) + example(entry(a, right)), 2
    yield "two_features_messages_override_wrong_last", "", example(entry(a, right)) + example(entry(a, wrong)), 2
    yield "two_features_messages_second_empty", "", example(entry(a, right)) + example(), 2
    yield "value_before_key", "", example(raw_entry(value_field(right) + key_field(a))), 2
    yield "entry_without_value", "", example(raw_entry(key_field(a))), 2
    yield "entry_without_key", "asked for is a, the entry's key is the empty string", example(raw_entry(value_field(right))), 2
    yield "entry_without_key_then_a", "", example(raw_entry(value_field(wrong)), entry(a, right)), 2
    yield "entry_empty", "", example(raw_entry(b""), entry(a, right)), 2
    yield "entry_key_twice", "the second key is a", example(raw_entry(key_field(b) + key_field(a) + value_field(right))), 2
    yield "entry_key_twice_last_other", "the first key is a", example(raw_entry(key_field(a) + key_field(b) + value_field(right))), 2
    yield "entry_key_value_key", "the second key is b", example(raw_entry(key_field(a) + value_field(right) + key_field(b))), 2
    yield "entry_key_twice_without_value", "two fields are what an entry has", example(raw_entry(key_field(b) + key_field(a))), 2
    yield "entry_value_twice_without_key", "", example(raw_entry(value_field(wrong) + value_field(right)), entry(a, right)), 2
    yield "entry_value_twice", "protobuf merges: 1, 2, 3", example(raw_entry(key_field(a) + value_field(right) + value_field(ints(3)))), 3
    yield "entry_value_twice_second_unset", "", example(raw_entry(key_field(a) + value_field(right) + value_field(UNSET))), 2
    yield "entry_value_twice_wrong_right", "", example(raw_entry(key_field(a) + value_field(wrong) + value_field(right))), 2
    for wire_type, unknown in UNKNOWN_FIELDS.items():
        yield f"unknown_{wire_type}_in_entry_first", "", example(raw_entry(unknown + key_field(a) + value_field(right))), 2
        yield f"unknown_{wire_type}_in_entry_between", "", example(raw_entry(key_field(a) + unknown + value_field(right))), 2
        yield f"unknown_{wire_type}_in_entry_last", "", example(raw_entry(key_field(a) + value_field(right) + unknown)), 2
        yield f"unknown_{wire_type}_in_features_first", "", example(unknown + entry(a, right)), 2
        yield f"unknown_{wire_type}_in_features_last", "", example(entry(a, right) + unknown), 2
        yield f"unknown_{wire_type}_in_example_first", "", unknown + example(entry(a, right)), 2
        yield f"unknown_{wire_type}_in_example_last", "", example(entry(a, right)) + unknown, 2
    yield "unknown_two_fields_in_features", "", example(
        UNKNOWN_FIELDS["bytes"] + UNKNOWN_FIELDS["varint"] + entry(a, right) + UNKNOWN_FIELDS["fixed32"]), 2
    yield "unknown_field_2_in_features", "field 2, length-delimited", example(field_bytes(2, b"\x01") + entry(a, right)), 2
    yield "sequence_example_as_example", "context parses as features; field 2 is unknown", context(entry(a, right)) + feature_lists(
        entry(b"l", feature_list(ints(1)))), 2
    yield "features_as_varint", "field 1 of the Example with wire type 0", field_varint(1, 3) + example(entry(a, right)), 2
    yield "entry_as_varint", "field 1 of Features with wire type 0", example(field_varint(1, 3) + entry(a, right)), 2
    yield "key_as_varint", "", example(raw_entry(field_varint(1, 97) + value_field(right))), 2
    yield "value_as_varint", "", example(raw_entry(key_field(a) + field_varint(2, 1))), 2
    body = entry(a, right)
    yield "nonminimal_features_tag", "8A 00", field_bytes(1, body, tag_width=2), 2
    yield "nonminimal_features_tag_5_bytes", "", field_bytes(1, body, tag_width=5), 2
    yield "nonminimal_features_tag_6_bytes", "", field_bytes(1, body, tag_width=6), 2
    yield "nonminimal_features_tag_10_bytes", "", field_bytes(1, body, tag_width=10), 2
    yield "nonminimal_features_length", "", field_bytes(1, body, length_width=4), 2
    yield "nonminimal_features_length_5_bytes", "", field_bytes(1, body, length_width=5), 2
    yield "nonminimal_features_length_6_bytes", "", field_bytes(1, body, length_width=6), 2
    yield "nonminimal_features_length_10_bytes", "", field_bytes(1, body, length_width=10), 2
    yield "nonminimal_entry_tag", "", example(field_bytes(1, key_field(a) + value_field(right), tag_width=2)), 2
    yield "nonminimal_entry_length", "", example(field_bytes(1, key_field(a) + value_field(right), length_width=3)), 2
    yield "nonminimal_key_tag", "", example(raw_entry(field_bytes(1, a, tag_width=2) + value_field(right))), 2
    yield "nonminimal_key_length", "", example(raw_entry(field_bytes(1, a, length_width=2) + value_field(right))), 2
    yield "nonminimal_value_tag", "", example(raw_entry(key_field(a) + field_bytes(2, right, tag_width=2))), 2
    yield "nonminimal_value_length", "", example(raw_entry(key_field(a) + field_bytes(2, right, length_width=2))), 2
    yield "tag_high_bits_5th_byte", "tag of 5 bytes whose fifth has bits past the 32nd", b"\x8a\x80\x80\x80\x10" + varint(
        len(body)) + body, 2
    yield "field_number_zero_first", "", b"\x02\x00" + example(body), 2
    yield "field_number_zero_in_features", "", example(b"\x00\x01" + body), 2
    yield "wire_type_6", "", example(body) + b"\x0e\x01", 2
    yield "wire_type_7", "", example(body) + b"\x0f\x01", 2
    yield "stray_end_group", "", example(body) + b"\x4c", 2
    yield "unclosed_group", "", example(body) + b"\x4b\x08\x05", 2
    yield "mismatched_group", "", example(body) + b"\x4b\x08\x05\x54", 2
    yield "zero_bytes_after", "three zero bytes after a whole Example", example(body) + b"\0\0\0", 2
    yield "zero_byte_after", "", example(body) + b"\0", 2
    yield "garbage_text", "", b"this is not a protobuf at all", 2
    yield "garbage_ff", "", b"\xff" * 12, 2
    yield "garbage_zeros", "", b"\0" * 8, 2
    whole = example(entry(b, wrong), entry(a, right))
    for cut in range(1, len(whole)):
        yield f"truncated_at_{cut:02}_of_{len(whole)}", "features b (float) then a", whole[:cut], 2
    yield "features_length_past_end", "", b"\x0a" + varint(len(body) + 1) + body, 2
    yield "features_length_short", "the last byte of the entry falls outside", b"\x0a" + varint(len(body) - 1) + body, 2
    inner = key_field(a) + value_field(right)
    yield "entry_length_past_features", "", field_bytes(1, b"\x0a" + varint(len(inner) + 3) + inner), 2
    yield "entry_length_short", "", field_bytes(1, b"\x0a" + varint(len(inner) - 1) + inner), 2
    yield "key_length_past_entry", "", example(raw_entry(b"\x0a\x40a" + value_field(right))), 2
    yield "value_length_past_entry", "", example(raw_entry(key_field(a) + b"\x12" + varint(len(right) + 5) + right)), 2
    yield "value_length_past_entry_into_next_entry", "", example(
        raw_entry(key_field(a) + b"\x12" + varint(len(right) + 5) + right), entry(b, ints(1, 2, 3))), 2
    yield "unasked_feature_malformed", "b is not asked for and cut inside", example(
        entry(b, int64_list(field_bytes(1, b"\x01\x82"))), entry(a, right)), 2
    yield "unasked_feature_list_length_past", "b is not asked for", example(entry(b, b"\x1a\x30\x0a"), entry(a, right)), 2
    yield "unasked_feature_two_types", "b is not asked for", example(entry(b, right + wrong), entry(a, right)), 2
    yield "unasked_key_not_utf8", "", example(entry(b"\xff\xfe", right), entry(a, right)), 2
    yield "unasked_empty_key", "", example(entry(b"", right), entry(a, right)), 2
    yield "many_unasked", "projection: 1 of 40", example(*[entry(b"f%02d" % i, floats(i)) for i in range(39)], entry(a, right)), 2


def plain_cases():
    for dtype, make in VALUE_MAKERS.items():
        two = [example(entry(b"a", make(6))), example(entry(b"a", make(6, 11)))]
        one = [example(entry(b"a", make(1))), example(entry(b"a", make(1, 11)))]
        for shape, records in (([], one), ([1], one), ([1, 1], one), ([6], two), ([2, 3], two), ([3, 1, 2], two)):
            label = "x".join(map(str, shape)) or "scalar"
            yield f"plain/{dtype}/fixed_len_{label}", "", records, [fixed("a", dtype, shape)]
        uneven = [example(entry(b"a", make(n, 10 * n))) for n in (2, 0, 6, 4)]
        yield f"plain/{dtype}/var_len", "rows of 2, 0, 6, 4 values", uneven, [var("a", dtype)]
        yield f"plain/{dtype}/ragged", "rows of 2, 0, 6, 4 values", uneven, [ragged("a", dtype)]
        for shape in ([], [1], [2], [2, 1]):
            label = "x".join(map(str, shape)) or "scalar"
            yield f"plain/{dtype}/fixed_len_sequence_{label}", "rows of 2, 0, 6, 4 values: padded", uneven, [sequence("a", dtype, shape)]
        yield f"plain/{dtype}/fixed_len_sequence_default", "padded with a default", uneven, [
            sequence("a", dtype, [2], DEFAULTS[dtype](1))]
        yield f"sequence_not_divisible/{dtype}", "three values, steps of two", [
            example(entry(b"a", make(2))), example(entry(b"a", make(3)))], [sequence("a", dtype, [2])]
        yield f"sequence_missing_everywhere/{dtype}", "", [example(), example()], [sequence("a", dtype, [2])]
        yield f"sequence_missing_in_one/{dtype}", "", [example(), example(entry(b"a", make(2)))], [sequence("a", dtype, [2])]
        yield f"sequence_missing_in_one_default/{dtype}", "", [example(), example(entry(b"a", make(2)))], [
            sequence("a", dtype, [2], DEFAULTS[dtype](1))]
        yield f"var_len_missing_everywhere/{dtype}", "", [example(), example()], [var("a", dtype)]
        yield f"ragged_missing_everywhere/{dtype}", "", [example(), example()], [ragged("a", dtype)]
        yield f"too_few/{dtype}", "", [example(entry(b"a", make(2)))], [fixed("a", dtype, [3])]
        yield f"too_many/{dtype}", "", [example(entry(b"a", make(4)))], [fixed("a", dtype, [3])]
        yield f"too_few_default/{dtype}", "", [example(entry(b"a", make(2)))], [fixed("a", dtype, [3], DEFAULTS[dtype](3))]
        yield f"too_many_scalar/{dtype}", "", [example(entry(b"a", make(2)))], [fixed("a", dtype)]
        yield f"shape_of_no_values/{dtype}", "shape [0], empty list", [example(entry(b"a", EMPTY_LISTS[dtype]))], [fixed("a", dtype, [0])]
        yield f"shape_of_no_values_one_given/{dtype}", "shape [0], one value", [example(entry(b"a", make(1)))], [fixed("a", dtype, [0])]
        yield f"shape_of_no_values_missing/{dtype}", "shape [0]", [example()], [fixed("a", dtype, [0])]
        yield f"scalar_default_missing/{dtype}", "", [example(), example(entry(b"a", make(1)))], [fixed("a", dtype, [], DEFAULTS[dtype](1))]
        yield f"matrix_default_missing/{dtype}", "", [example(), example(entry(b"a", make(4)))], [
            fixed("a", dtype, [2, 2], DEFAULTS[dtype](4))]
        yield f"scalar_default_for_vector/{dtype}", "is a bare default broadcast to the shape?", [example()], [
            fixed("a", dtype, [2], DEFAULTS[dtype](1), default_is_scalar=True)]
        yield f"scalar_default_for_vector_of_one/{dtype}", "", [example()], [
            fixed("a", dtype, [1], DEFAULTS[dtype](1), default_is_scalar=True)]
        yield f"default_of_one_for_scalar/{dtype}", "default [d] for shape []", [example()], [fixed("a", dtype, [], DEFAULTS[dtype](1))]
        yield f"default_of_wrong_size/{dtype}", "", [example()], [fixed("a", dtype, [2], DEFAULTS[dtype](3))]
        # Empty, unset and wrongly typed lists, through every way of asking.
        contents = {"unset_kind": UNSET, "empty_list": EMPTY_LISTS[dtype]}
        for other in OTHER_DTYPES[dtype]:
            contents[f"wrong_dtype_{other}"] = VALUE_MAKERS[other](2)
            contents[f"wrong_dtype_{other}_empty"] = EMPTY_LISTS[other]
        for content, body in contents.items():
            for kind, spec in specs_of_every_kind("a", dtype, 2):
                yield f"{content}/{dtype}/{kind}", "", [example(entry(b"a", body)), example(entry(b"a", make(2)))], [spec]
    yield "fixed_len_unknown_dimension", "shape [None]", [example(entry(b"a", ints(1)))], [fixed("a", "int64", [None])]
    yield "sequence_allow_missing_false", "", [example(entry(b"a", ints(1)))], [sequence("a", "int64", [], None, False)]
    yield "batch_of_nothing", "no records", [], [fixed("a", "int64"), var("b", "float32"), sequence("c", "int64"), ragged("d", "string")]
    special = [float("nan"), float("inf"), float("-inf"), -0.0, 1e-45, 3.4028235e38]
    yield "float_specials", "", [example(entry(b"a", floats(*special)))], [fixed("a", "float32", [6])]
    signalling = float_list(field_bytes(1, struct.pack("<II", 0x7F800001, 0xFFC12345)))
    yield "float_nan_payloads", "bits are kept", [example(entry(b"a", signalling))], [fixed("a", "float32", [2])]
    yield "float_nan_payloads_unpacked", "bits are kept", [
        example(entry(b"a", float_list(b"\x0d" + struct.pack("<I", 0x7F800001) + b"\x0d" + struct.pack("<I", 0xFFC12345))))
    ], [fixed("a", "float32", [2])]
    yield "int64_extremes", "", [example(entry(b"a", ints(-(2**63), 2**63 - 1, 0, -1, 127, 128, 2**32)))], [fixed("a", "int64", [7])]
    yield "string_specials", "empty, zero bytes, not UTF-8", [example(entry(b"a", strings(b"", b"\0\0", b"\xff\xfe", b"x" * 300)))], [
        fixed("a", "string", [4])]
    yield "key_empty", "", [example(entry(b"", ints(5)))], [fixed("", "int64")]
    yield "key_empty_by_absence", "an entry with no key field has the empty key", [example(raw_entry(value_field(ints(5))))], [fixed("", "int64")]
    yield "key_unicode", "", [example(entry("größe/尺寸".encode(), ints(5)))], [fixed("größe/尺寸", "int64")]
    yield "key_not_utf8", "the key asked for is the bytes FF FE, given as key_hex", [example(entry(b"\xff\xfe", ints(5)))], [
        {**fixed("\\xff\\xfe", "int64"), "key_hex": "fffe"}]
    yield "key_with_zero_byte", "", [example(entry(b"a\0b", ints(5)), entry(b"a", ints(6)))], [fixed("a\0b", "int64"), fixed("a", "int64")]
    yield "key_prefixes", "", [example(entry(b"a", ints(1)), entry(b"aa", ints(2)), entry(b"A", ints(3)))], [
        fixed("aa", "int64"), fixed("A", "int64"), fixed("a", "int64")]


def several_features_cases():
    many = [example(*[entry(b"f%02d" % i, floats(i + r)) for i in range(20)], *[entry(b"i%02d" % i, ints(i * r)) for i in range(20)])
            for r in range(3)]
    yield "projection_3_of_40", "", many, [fixed("f03", "float32"), fixed("i07", "int64"), fixed("i19", "int64")]
    yield "projection_with_absent_default", "", many, [fixed("f03", "float32"), fixed("zz", "int64", [], [4])]
    mixed = [example(entry(b"s", strings(b"p")), entry(b"v", ints(1, 2)), entry(b"q", floats(1, 2, 3, 4)), entry(b"r", ints(5))),
             example(entry(b"r", ints(6, 7)), entry(b"s", strings(b"q"))),
             example(entry(b"q", floats(5, 6)), entry(b"v", ints(3)), entry(b"s", strings(b"")))]
    every = [fixed("s", "string"), var("v", "int64"), sequence("q", "float32", [2], float_bits([-1])), ragged("r", "int64")]
    yield "all_four_kinds", "", mixed, every
    yield "all_four_kinds_single_record", "", mixed[1:2], every
    yield "same_key_order_of_spec", "spec order differs from record order", mixed[:1], every[::-1]
    both_bad = example(entry(b"b", floats(1)), entry(b"a", floats(1)))
    yield "two_bad_features_record_order", "b comes first in the record, a in the spec", [both_bad], [fixed("a", "int64"), fixed("b", "int64")]
    yield "two_missing", "which one is named?", [example()], [fixed("b", "int64"), fixed("a", "int64")]
    yield "missing_and_bad", "", [example(entry(b"b", floats(1)))], [fixed("a", "int64"), fixed("b", "int64")]
    yield "two_bad_records", "which record is named?", [example(entry(b"a", ints(1))), example(), example(entry(b"a", floats(1)))], [
        fixed("a", "int64")]
    forty = [example(entry(b"a", ints(*range(r, r + r % 4))), *([entry(b"a", ints(r))] if r % 10 == 3 else [])) for r in range(40)]
    for kind, spec in specs_of_every_kind("a", "int64", 1, with_default=False):
        if kind != "fixed_len":
            yield f"batch_of_forty/{kind}", "0 to 3 values each, every tenth record gives the key twice", forty, [spec]
    for dtype, make in VALUE_MAKERS.items():
        twice = {"dup_right_right": [make(2), make(2, 5)], "dup_right_unset": [make(2), UNSET], "dup_right_empty": [make(2), EMPTY_LISTS[dtype]],
                 "dup_unset_unset": [UNSET, UNSET], "dup_three_last_unset": [make(2), make(2, 5), UNSET]}
        for name, bodies in twice.items():
            for kind, spec in specs_of_every_kind("a", dtype, 2):
                yield f"{name}/{dtype}/{kind}", "", [example(*[entry(b"a", body) for body in bodies]), example(entry(b"a", make(2, 9)))], [spec]
    good = lambda r: example(entry(b"a", ints(10 * r, 10 * r + 1)))
    odd_ones = {
        "missing": example(), "unset": example(entry(b"a", UNSET)), "empty": example(entry(b"a", ints())),
        "wrong_dtype": example(entry(b"a", floats(1, 2))), "wrong_dtype_empty": example(entry(b"a", floats())),
        "too_many": example(entry(b"a", ints(1, 2, 3))), "dup": example(entry(b"a", ints(1, 2)), entry(b"a", ints(3, 4))),
        "dup_right_unset": example(entry(b"a", ints(1, 2)), entry(b"a", UNSET)),
        "dup_right_empty": example(entry(b"a", ints(1, 2)), entry(b"a", ints())),
        "dup_short_right": example(entry(b"a", ints(1)), entry(b"a", ints(3, 4))),
        "dup_right_wrong": example(entry(b"a", ints(1, 2)), entry(b"a", floats(3, 4))),
        "two_messages": example(entry(b"a", ints(1, 2))) + example(entry(b"a", ints(3, 4))),
        "unpacked": example(entry(b"a", int64_list(unpacked_ints([1, 2])))),
        "two_lists": example(entry(b"a", ints(1) + ints(2))),
        "two_types": example(entry(b"a", floats(1) + ints(1, 2))),
        "truncated": example(entry(b"a", ints(1, 2)))[:-1], "zero_length": b"",
    }
    for name, record in odd_ones.items():
        for kind, spec in specs_of_every_kind("a", "int64", 2):
            yield f"odd_in_batch/{name}/{kind}", "second of four records is odd", [good(1), record, good(2), good(3)], [spec]


def all_cases():
    for name, note, records, specs in plain_cases():
        yield run_parse_case(name, note, records, specs)
    for name, note, records, specs in several_features_cases():
        yield run_parse_case(name, note, records, specs, odd=1 if name.startswith("odd_in_batch") else 0)
    for name, note, body, dtype, count in odd_lists():
        records = [example(entry(b"a", body)), example(entry(b"a", VALUE_MAKERS[dtype](count, 7)))]
        for kind, spec in specs_of_every_kind("a", dtype, count, with_default=count == 0):
            if kind in kinds_worth_asking(name):
                yield run_parse_case(f"list/{name}/{dtype}/{kind}", note, records, [spec])
    for name, note, record, count in odd_maps():
        records = [record, example(entry(b"a", VALUE_MAKERS["int64"](count, 7)))]
        for kind, spec in specs_of_every_kind("a", "int64", count):
            if kind in kinds_worth_asking(name):
                yield run_parse_case(f"map/{name}/{kind}", note, records, [spec])


def kinds_worth_asking(name):
    """All of them, but for long families where the answers were seen not to depend on it."""
    if name.startswith(("truncated_", "unknown_")) and not name.startswith("unknown_varint"):
        return ("fixed_len", "var_len")
    if name.startswith(("unknown_", "nonminimal_")):
        return ("fixed_len", "var_len", "fixed_len_sequence", "ragged")
    return ("fixed_len", "fixed_len_default", "var_len", "fixed_len_sequence", "ragged")
