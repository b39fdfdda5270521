"""Records what TensorFlow answers for the operations of strings. README.md says how to run it and what it writes."""

import itertools
import random

import numpy as np
import tensorflow as tf

from attributes import flag, integer, ints, text
from recording import Cases, Lists

S = tf.strings
RANDOM = random.Random(20270102)
WORDS = [b"", b" ", b"a", b"Ab C", b" \t\x0b\x0c\r\n a b\x00 ", "é€😀".encode(), b"\xff\xfeA", b"\xe2\x82", b"\x80\x80a", b"x" * 100]
BYTES = [bytes(RANDOM.randrange(256) for _ in range(size)) for size in [*range(67), 127, 128, 129, 192, 193, 200]]
NUMBERS = [
    "1", " 1 ", "+1", "-1", "1e3", "1.5", "0x10", "0x1p3", "-0x1.8p-2", "0x", "inf", "-Infinity", "nan", "NaN", "", "1_000", "1,0", "1f",
    ".5", "5.", ".", "1e", "1e400", "1e-400", "1e-45", "7e-46", "4294967296", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "\t1\n", "\v1", "1\0", "--1", "+-1", "+ 1", "0b1", "INF", "infinit", "+inf", "00012", "-0", "0X1A", "1 2",
    "- 1", "1.7976931348623159e308", "3.4028236e38", "2147483647", "-2147483648", "2147483648", "-2147483649", "16777217", "0.1", "é",
    "123456789012345678901234567890", "2.2250738585072011e-308", "0.000000000000000000000000000001", "1E5", "e5", "1e+5", "1e-5", "nan(abc)", "-NaN(_1)", "nan()", "nan(a b)", "nan(", "nan(a)b",
]


def dtype_of(value):
    return {"d_type": value.name}


def axes(value):
    return "none" if value is None else integer(value) if isinstance(value, int) else ints(value)


def record_format(cases):
    def add(template, inputs, placeholder="{}", summarize=3):
        # An input alone is not unpacked, as a list of one is.
        cases.add("strings.format", lambda *x: S.format(template, list(x), placeholder, summarize), inputs,
                  [text(template), text(placeholder), integer(summarize)])

    # Nothing so small that TensorFlow takes it for zero.
    floats = [1.5, 0.1, 1e10, 1e-10, 1e5, 1e6, 1234567.0, 123456789.0, 16777216.0, 1 / 3, 1e-5, 1e-4, 1e15, 1e16, 1e17, 1e-300, 1e300,
              -2.25, 0.0, -0.0, float("nan"), float("inf"), -float("inf"), 3.4028234663852886e38]
    for dtype in [tf.float16, tf.bfloat16, tf.float32, tf.float64]:
        add("{}", [tf.cast(tf.constant(floats, tf.float64), dtype)], summarize=-1)
        add("{}", [tf.cast(tf.constant(0.1, tf.float64), dtype)])
    for dtype in [tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64]:
        add("{}", [tf.constant([0, 1, dtype.max, dtype.min], dtype)])
    add("{}", [tf.constant([True, False])])
    add("{}", [tf.constant(True)])
    for word in [*WORDS, bytes(range(256)), b"{}"]:
        add("{}", [tf.constant(word)])
    add("{}", [tf.constant(WORDS)])
    shapes = [(), (1,), (6,), (7,), (0,), (2, 2), (7, 7), (10, 1), (1, 0), (2, 0), (0, 2), (3, 3, 3), (7, 2, 8), (2, 0, 3), (2, 7, 2, 3)]
    for shape, summarize in itertools.product(shapes, [3, 1, 0, 2, -1, -2]):
        add("<{}>", [tf.reshape(tf.range(int(np.prod(shape))), shape)], summarize=summarize)
    number, words = tf.constant(7), tf.constant(["a", "{}"])
    for template, inputs, placeholder in [
        ("{} and {}", [number, words], "{}"), ("{}{}", [words, number], "{}"), ("{{}}", [number], "{}"), ("aaa", [number], "aa"),
        ("%t, not {}", [number], "%t"), ("é {} €", [words], "{}"), ("{}", [words, number], "{}"), ("{} {}", [number], "{}"), ("no", [number], "{}"),
    ]:
        add(template, inputs, placeholder)


def main():
    cases, lists = Cases(), Lists()
    many = tf.constant(WORDS).numpy()
    for name, function in [("lower", S.lower), ("upper", S.upper)]:
        for encoding in ["", "utf-8", "latin1"]:
            # TensorFlow stops at a zero byte where there is an encoding; ours goes on.
            words = [word for word in WORDS if b"\0" not in word or not encoding]
            words += ["ÀΣ".encode(), "ΑΣ Σ".encode(), "ßẞİǅŉﬁıέ".encode()]
            cases.add(f"strings.{name}", lambda x, f=function, e=encoding: f(x, encoding=e), [words], [text(encoding)])
    cases.add("strings.strip", S.strip, [many])
    cases.add("strings.strip", S.strip, [b" a "])
    for unit in ["BYTE", "UTF8_CHAR", "CHAR"]:
        cases.add("strings.length", lambda x, u=unit: S.length(x, unit=u), [many], [text(unit)])
        if unit == "CHAR":
            continue  # neither has it
        for word in [b"hello", "hé€llo".encode() + b"\xff", b"\x80\x80a", b"\xe2\x82", b""]:
            for pos, length in itertools.product([0, 1, 5, 6, 7, -1, -5, -6, -7], [0, 1, 100, -1]):
                cases.add("strings.substr", lambda x, p, n, u=unit: S.substr(x, p, n, unit=u),
                          [word, np.int32(pos), np.int32(length)], [text(unit)])
    rows = [
        ([b"abc", b"def"], [0, 1], [1, 2]), ([b"abc", b"def"], 1, [1, 2]), ([[b"abc"], [b"def"]], [0, 1], [1, 2]),
        (b"abc", [0, 1], [1, 2]), ([b"abc", b"def"], [0], [1]), ([b"abc", b"def"], [0, 1, 2], [1, 1, 1]), ([b"abc", b"d"], 2, 1),
        ([[b"abc", b"xyz"], [b"def", b"uvw"]], [[0], [1]], [[1], [2]]),
    ]
    for dtype in [np.int32, np.int64]:
        for words, pos, length in rows:
            cases.add("strings.substr", lambda x, p, n: S.substr(x, p, n), [words, np.array(pos, dtype), np.array(length, dtype)], [text("BYTE")])
    for separator in ["", ", "]:
        for inputs in [[b"a"], [b"a", b"b"], [b"a", [b"b", b"c"]], [[b"a", b"b"], b"-", [b"c", b"d"]], [[b"a"], [b"b", b"c"]],
                       [[[b"a"], [b"b"]], [[b"c"], [b"d"]]], [[b"a", b"b"], [[b"c", b"d"]]]]:
            cases.add("strings.join", lambda *x, s=separator: S.join(x, s), inputs, [text(separator)])
        grid = np.array([b"%d" % i for i in range(12)], dtype=object).reshape(2, 3, 2)
        for axis in [None, 0, 1, 2, -1, (0, 1), (1, 0), (2, 0, 1), (), 3, (0, 0)]:
            for keep in [False, True]:
                cases.add("strings.reduce_join", lambda x, a=axis, k=keep, s=separator: S.reduce_join(x, a, k, s),
                          [tf.constant(grid)], [axes(axis), flag(keep), text(separator)])
        for tensor, axis in [(tf.constant("a"), None), (tf.zeros([0], tf.string), None), (tf.zeros([2, 0], tf.string), 1), (tf.zeros([0, 2], tf.string), 1)]:
            cases.add("strings.reduce_join", lambda x, a=axis, s=separator: S.reduce_join(x, a, False, s), [tensor], [axes(axis), flag(False), text(separator)])
    patterns = [
        r"a.*", r"\d+", r"\w+", r"[A-Z]b C", r"", r".", r"é€.", r"(a|b)*", r"[[:alpha:]]+", r"\s*a\s*", r"(", r"a**", r"[^\d]+", r"x{100}", r"\Qa\E",
        r"(?i)AB c", r"\p{L}+.*", r"\b", r"[[]", r"a{,2}", r"\1", r"(?=a)", r"\C+", r"[]a]", r"\x41b C", r"\101b C", r"^a$", r"(?s).*", r"(?x)a",
    ]
    for pattern in patterns:
        cases.add("strings.regex_full_match", lambda x, p=pattern: S.regex_full_match(x, p), [many], [text(pattern)])
    texts = [b"hello world 12", b"", b"aaa", b"a1b22c333", "é€a".encode(), b"x\xffy", b"no", b"tel: 555-1234, 555-9876"]
    for pattern, rewrite in [
        (r"\d+", "#"), (r"a", "b"), (r"a*", "-"), (r"(\w)(\d)", r"\2\1"), (r"(\w+) (\w+)", r"\2 \1"), (r"", "."), (r"x*", "<\\0>"), (r"b*?", "!"),
        (r"(\d+)-(\d+)", r"\2-\1"), (r"(a)|(b)", r"[\1\2]"), (r"\b", "|"), (r"^", "^"), (r"$", "$"), (r".", r"\\"), (r"[^a]", ""), (r"(", "x"),
    ]:
        for is_global in [True, False]:
            cases.add("strings.regex_replace", lambda x, p=pattern, r=rewrite, g=is_global: S.regex_replace(x, p, r, g), [texts],
                      [text(pattern), text(rewrite), flag(is_global)])
    for dtype in [tf.float32, tf.float64, tf.int32, tf.int64, tf.uint32, tf.uint64, tf.int8, tf.float16]:
        for number in NUMBERS:
            cases.add("strings.to_number", lambda x, d=dtype: S.to_number(x, d), [number], [dtype_of(dtype)])
        cases.add("strings.to_number", lambda x, d=dtype: S.to_number(x, d), [["1", "22"]], [dtype_of(dtype)])
    floats = [0.0, -0.0, 1.5, -2.25, 2.5, 0.5, 1e20, 1e-5, 1e-4, 123456789.0, 999999.5, 1 / 3, 1e-300, 1e300, float("inf"), float("-inf"), float("nan")]
    options = [
        {}, {"precision": 3}, {"precision": 0}, {"scientific": True}, {"shortest": True}, {"scientific": True, "precision": 2},
        {"shortest": True, "precision": 2}, {"shortest": True, "precision": 0}, {"width": 10}, {"width": 10, "fill": "0"}, {"width": 10, "fill": "-"},
        {"width": 10, "fill": " "}, {"width": 10, "fill": "+"}, {"fill": "+"}, {"fill": "ab"}, {"fill": "*"}, {"fill": "#", "precision": 0},
        {"scientific": True, "shortest": True}, {"width": 8, "fill": "0", "precision": 2}, {"shortest": True, "width": 12, "fill": "0"},
    ]
    for option in options:
        attributes = [
            integer(option.get("precision", -1)), flag(option.get("scientific", False)), flag(option.get("shortest", False)),
            integer(option.get("width", -1)), text(option.get("fill", "")),
        ]
        for dtype in [tf.float16, tf.bfloat16, tf.float32, tf.float64]:
            cases.add("strings.as_string", lambda x, o=option: S.as_string(x, **o), [tf.cast(tf.constant(floats, tf.float64), dtype)], attributes)
        for dtype in [tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64]:
            values = tf.constant([0, 1, dtype.max, dtype.min], dtype)
            cases.add("strings.as_string", lambda x, o=option: S.as_string(x, **o), [values], attributes)
        cases.add("strings.as_string", lambda x, o=option: S.as_string(x, **o), [[True, False]], attributes)
        if "width" not in option and "fill" not in option:
            cases.add("strings.as_string", lambda x, o=option: S.as_string(x, **o), [[b"a", b""]], attributes)
    record_format(cases)
    for buckets in [1, 7, 1000, 2**62, 0, -1]:
        for name, function in [("to_hash_bucket_fast", S.to_hash_bucket_fast), ("to_hash_bucket", S.to_hash_bucket)]:
            cases.add(f"strings.{name}", lambda x, f=function, b=buckets: f(x, b),
                      [BYTES if buckets == 2**62 else WORDS], [integer(buckets)])
    codes = [tf.constant([97, 233, 0x20AC, 0x1F600]), tf.constant([0xD800, 97]), tf.constant([0x110000]), tf.constant([-1, 98]), tf.constant([0]),
             tf.constant([[97, 98], [99, 100]]), tf.zeros([0], tf.int32), tf.zeros([2, 0], tf.int32)]
    for errors in ["replace", "ignore", "strict", "xml"]:
        for value in codes:
            cases.add("strings.unicode_encode", lambda x, e=errors: S.unicode_encode(x, "UTF-8", e), [value],
                      [text("UTF-8"), text(errors), integer(65533)])
        for controls in [False, True]:
            for word in [*WORDS, b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"a\xe2\x82b", b"a\x01\x7f\xc2\x80\n\t\0"]:
                cases.add("strings.unicode_transcode", lambda x, e=errors, c=controls: S.unicode_transcode(x, "UTF-8", "UTF-8", e, 63, c), [word],
                          [text("UTF-8"), text("UTF-8"), text(errors), integer(63), flag(controls)])
                lists.add("strings.unicode_decode", lambda x, e=errors, c=controls: S.unicode_decode(x, "UTF-8", e, 63, c), [word],
                          [text("UTF-8"), text(errors), integer(63), flag(controls)])
        lists.add("strings.unicode_split", lambda x, e=errors: S.unicode_split(x, "UTF-8", e, 63), [WORDS], [text("UTF-8"), text(errors), integer(63)])
        lists.add("strings.unicode_split", lambda x, e=errors: S.unicode_split(x, "UTF-8", e, 63), [[["ab".encode()], ["é".encode()]]],
                  [text("UTF-8"), text(errors), integer(63)])
    shapes = [b"abc", b"", [b"ab", b"", b"c"], tf.zeros([0], tf.string), [[b"ab", b""], [b"c", b"def"]], [[[b"a"], [b"bc"]]]]
    for value in shapes:
        lists.add("strings.bytes_split", S.bytes_split, [value])
    for separator, limit in itertools.product(["", ",", "b,", "aa"], [-1, 0, 1, 2]):
        for value in [b"a b  c ", b"", b"  ", b"a,b,,c", b",", b"\tab\n c\x0b d", b"aaaa", [b"a b", b"c", b""], [[b"a,b", b"c"], [b"", b"d e"]], tf.zeros([0], tf.string)]:
            lists.add("strings.split", lambda x, s=separator, n=limit: S.split(x, s or None, n), [value], [text(separator), integer(limit)])
    cases.write("strings.json")
    lists.write("string_lists.json")


main()
