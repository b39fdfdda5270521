"""Protobuf wire bytes by hand, so that cases can say what no protobuf library would ever write.

Field numbers: Example.features 1; Features.feature (map) 1; map entry key 1, value 2; Feature bytes_list 1, float_list 2,
int64_list 3; each list's value 1; SequenceExample.context 1, feature_lists 2; FeatureLists.feature_list (map) 1;
FeatureList.feature 1.
"""

import struct


def varint(value, width=0):
    """LEB128 of `value` mod 2^64, padded with redundant continuation bytes to at least `width` bytes."""
    value &= (1 << 64) - 1
    out = []
    while True:
        byte, value = value & 0x7F, value >> 7
        out.append(byte)
        if value == 0 and len(out) >= width:
            break
    return bytes([b | 0x80 for b in out[:-1]] + out[-1:])


def tag(field, wire_type, width=0):
    return varint(field << 3 | wire_type, width)


def field_varint(field, value):
    return tag(field, 0) + varint(value)


def field_fixed64(field, value):
    return tag(field, 1) + struct.pack("<Q", value)


def field_fixed32(field, value):
    return tag(field, 5) + struct.pack("<I", value)


def field_bytes(field, payload, tag_width=0, length_width=0):
    return tag(field, 2, tag_width) + varint(len(payload), length_width) + payload


def field_group(field, payload):
    return tag(field, 3) + payload + tag(field, 4)


# One unknown field of every wire type, for placing before or after the known ones.
UNKNOWN_FIELDS = {
    "varint": field_varint(9, 300),
    "fixed64": field_fixed64(9, 0x0102030405060708),
    "fixed32": field_fixed32(9, 0x01020304),
    "bytes": field_bytes(9, b"xyz"),
    "group": field_group(9, field_varint(1, 5)),
    "empty_group": field_group(9, b""),
    "large_number": field_varint(536870911, 1),
}


# The three value lists: what lies inside Int64List / FloatList / BytesList.
def packed_ints(values):
    return field_bytes(1, b"".join(varint(v) for v in values))


def unpacked_ints(values):
    return b"".join(field_varint(1, v) for v in values)


def packed_floats(values):
    return field_bytes(1, b"".join(struct.pack("<f", v) for v in values))


def unpacked_floats(values):
    return b"".join(tag(1, 5) + struct.pack("<f", v) for v in values)


def byte_values(values):
    return b"".join(field_bytes(1, v) for v in values)


# Feature bodies: a list inside its oneof field.
def int64_list(list_body):
    return field_bytes(3, list_body)


def float_list(list_body):
    return field_bytes(2, list_body)


def bytes_list(list_body):
    return field_bytes(1, list_body)


def ints(*values):
    return int64_list(packed_ints(values) if values else b"")


def floats(*values):
    return float_list(packed_floats(values) if values else b"")


def strings(*values):
    return bytes_list(byte_values(values))


UNSET = b""


# Maps and messages.
def entry(key, value):
    """A map entry with its field header: of Features (value: Feature) or of FeatureLists (value: FeatureList)."""
    return field_bytes(1, field_bytes(1, key) + field_bytes(2, value))


def raw_entry(body):
    return field_bytes(1, body)


def key_field(key):
    return field_bytes(1, key)


def value_field(value):
    return field_bytes(2, value)


def example(*entries):
    return field_bytes(1, b"".join(entries))


def feature_list(*features):
    return b"".join(field_bytes(1, f) for f in features)


def context(*entries):
    return field_bytes(1, b"".join(entries))


def feature_lists(*entries):
    return field_bytes(2, b"".join(entries))
