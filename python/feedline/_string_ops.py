"""The operations, as functions of symbolic tensors, under TensorFlow's names.

Made from the catalogue in crates/feedline-plan/src/expr by tools/generate_python_ops.py: do not edit.
"""

# ruff: noqa
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ._dtypes import DTypeLike
from ._native import Tensor, call
from ._several import several
from ._spec import ShapeLike

TensorLike: TypeAlias = Any
"""A symbolic tensor, a number, a string, a list of them, or a numpy array."""


def lower(input: TensorLike, encoding: str = '', name: str | None = None) -> Tensor:
    """Capital letters as small ones: those of ASCII, or with the encoding `utf-8` all that Unicode has, where bytes
    that are no UTF-8 become U+FFFD. As ``tf.strings.lower``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors("The CAT").map(lambda x: fl.strings.lower(x)).get_single_element()
    b'the cat'
    """
    return call('strings.lower', [input], [encoding])  # type: ignore[no-any-return]


def upper(input: TensorLike, encoding: str = '', name: str | None = None) -> Tensor:
    """Small letters as capital ones: those of ASCII, or with the encoding `utf-8` all that Unicode has, where bytes
    that are no UTF-8 become U+FFFD. As ``tf.strings.upper``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors("The cat").map(lambda x: fl.strings.upper(x)).get_single_element()
    b'THE CAT'
    """
    return call('strings.upper', [input], [encoding])  # type: ignore[no-any-return]


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Without the ASCII white space at both ends. Shares the memory of what it gets. As ``tf.strings.strip``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(" the cat\\n").map(lambda x: fl.strings.strip(x)).get_single_element()
    b'the cat'
    """
    return call('strings.strip', [input], [])  # type: ignore[no-any-return]


def length(input: TensorLike, unit: str, name: str | None = None) -> Tensor:
    """How long each string is, as int32: in bytes (`BYTE`) or in characters (`UTF8_CHAR`). As ``tf.strings.length``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors("né").map(lambda x: (fl.strings.length(x), fl.strings.length(x, "UTF8_CHAR")))
    >>> next(iter(ds))
    (np.int32(3), np.int32(2))
    """
    return call('strings.length', [input], [unit])  # type: ignore[no-any-return]


def substr(input: TensorLike, pos: TensorLike, len: TensorLike, unit: str, name: str | None = None) -> Tensor:
    """The `len` bytes (`unit` is `BYTE`) or characters (`UTF8_CHAR`) of each string from `pos` on, or those that are
    there; a negative `pos` counts from the end. `pos` and `len` have one shape, which is broadcast with that of the
    strings. A negative `len` is all the rest of the bytes, or no character. A string that has no place `pos` is an
    error of its element. Shares the memory of what it gets. As ``tf.strings.substr``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors("feedline").map(lambda x: fl.strings.substr(x, -4, 2))))
    b'li'
    """
    return call('strings.substr', [input, pos, len], [unit])  # type: ignore[no-any-return]


def join(inputs: Sequence[TensorLike], separator: str = '', name: str | None = None) -> Tensor:
    """Strings of several tensors one behind the other, with a separator between them. The tensors have one shape;
    single strings go with any. As ``tf.strings.join``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors(["a", "b"]).map(lambda x: fl.strings.join(["train", x], "/"))
    >>> next(iter(ds))
    array([b'train/a', b'train/b'], dtype=object)
    """
    return call('strings.join', [*several('join', 'inputs', inputs)], [separator])  # type: ignore[no-any-return]


def reduce_join(inputs: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, separator: str = '', name: str | None = None) -> Tensor:
    """The strings along some dimensions, or all, as one, with a separator between them. Of several dimensions the one
    named first changes fastest; of all of them the last. As ``tf.strings.reduce_join``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(["the", "cat"]).map(lambda x: fl.strings.reduce_join(x, separator=" ")).get_single_element()
    b'the cat'
    """
    return call('strings.reduce_join', [inputs], [axis, keepdims, separator])  # type: ignore[no-any-return]


def regex_full_match(input: TensorLike, pattern: str, name: str | None = None) -> Tensor:
    """Whether a pattern of RE2's syntax matches all of a string. As ``tf.strings.regex_full_match``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(["img_12.png", "notes.txt"]).map(lambda x: fl.strings.regex_full_match(x, r"img_\\d+\\.png")).get_single_element()
    array([ True, False])
    """
    return call('strings.regex_full_match', [input], [pattern])  # type: ignore[no-any-return]


def regex_replace(input: TensorLike, pattern: str, rewrite: str, replace_global: bool = True, name: str | None = None) -> Tensor:
    """Each match of a pattern of RE2's syntax, or without `replace_global` the first, replaced by `rewrite`, in which
    `\\1` to `\\9` are what the groups matched, `\\0` is all of the match and `\\\\` a backslash. As
    ``tf.strings.regex_replace``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors("img_12.png").map(lambda x: fl.strings.regex_replace(x, r"img_(\\d+)", r"\\1_img")).get_single_element()
    b'12_img.png'
    """
    return call('strings.regex_replace', [input], [pattern, rewrite, replace_global])  # type: ignore[no-any-return]


def to_number(input: TensorLike, out_type: DTypeLike = 'float32', name: str | None = None) -> Tensor:
    """The number that each string is, as float32, float64, int32, int64, uint32 or uint64, with white space around it
    or without. Floats may be hexadecimal, `inf` or `nan`. What is no number of the type is an error of its element.
    As ``tf.strings.to_number``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(["1.5", " 2 "]).map(lambda x: fl.strings.to_number(x)).get_single_element()
    array([1.5, 2. ], dtype=float32)
    """
    return call('strings.to_number', [input], [out_type])  # type: ignore[no-any-return]


def as_string(input: TensorLike, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = '', name: str | None = None) -> Tensor:
    """Each number as a string, as C's `printf` writes it: floats with `precision` digits behind the point (6 where it
    is negative), `scientific` with an exponent, `shortest` the shorter of both. `width` is the least length, which
    `fill` makes up for with spaces in front, zeros (`0`), spaces behind (`-`), or with a sign for positive numbers
    (`+`) or a space in its place (` `). As ``tf.strings.as_string``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1.5, 2.0]).map(lambda x: fl.strings.as_string(x, precision=2)).get_single_element()
    array([b'1.50', b'2.00'], dtype=object)
    """
    return call('strings.as_string', [input], [precision, scientific, shortest, width, fill])  # type: ignore[no-any-return]


def format(inputs: Sequence[TensorLike], template: str, placeholder: str, summarize: int = 3, name: str | None = None) -> Tensor:
    """One string: the template with a tensor in place of each placeholder, in their order. Of each dimension
    `summarize` entries from each end are shown, or all of them where it is negative. Floats have as many digits as
    it takes to read back the same, bools are 1 and 0, strings are in quotes with escapes. As ``tf.strings.format``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(10).batch(10).map(lambda x: fl.strings.format("{} have the sum {}", (x, fl.reduce_sum(x))))
    >>> next(iter(ds))
    b'[0 1 2 ... 7 8 9] have the sum 45'
    """
    return call('strings.format', [*several('format', 'inputs', inputs)], [template, placeholder, summarize])  # type: ignore[no-any-return]


def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A number from 0 to below `num_buckets` for each string, by a fast hash: `FarmHash`'s Fingerprint64. As
    ``tf.strings.to_hash_bucket_fast``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(["cat", "dog"]).map(lambda x: fl.strings.to_hash_bucket_fast(x, 1000)).get_single_element()
    array([ 96, 112])
    """
    return call('strings.to_hash_bucket_fast', [input], [num_buckets])  # type: ignore[no-any-return]


def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A number from 0 to below `num_buckets` for each string, by TensorFlow's oldest hash, a kind of `MurmurHash`. As
    ``tf.strings.to_hash_bucket``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(["cat", "cow"]).map(lambda x: fl.strings.to_hash_bucket(x, 1000)).get_single_element()
    array([335, 417])
    """
    return call('strings.to_hash_bucket', [input], [num_buckets])  # type: ignore[no-any-return]


def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """The bytes of each string, a string each: of one string a tensor of one dimension, of a tensor of them a ragged
    one. As ``tf.strings.bytes_split``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors("cat").map(lambda x: fl.strings.bytes_split(x)).get_single_element()
    array([b'c', b'a', b't'], dtype=object)
    """
    return call('strings.bytes_split', [input], [])


def split(input: TensorLike, sep: str = '', maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of each string between separators, or, where the separator is empty, between runs of ASCII white
    space: of one string a tensor of one dimension, of a tensor of them a ragged one. It is cut `maxsplit` times at
    most; −1 is no limit. Parts share the memory of what they are of. As ``tf.strings.split``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices(["a,b", "c"]).batch(2).map(lambda x: fl.strings.split(x, ","))
    >>> next(iter(ds))
    <fl.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    return call('strings.split', [input], [sep, maxsplit])


def unicode_decode(input: TensorLike, input_encoding: str, errors: str, replacement_char: int = 65533, replace_control_characters: bool = False, name: str | None = None) -> Any:
    """The characters of each string as numbers (int32): of one string a tensor of one dimension, of a tensor of them a
    ragged one. The encoding is `UTF-8`. Bytes that are none become `replacement_char` (`errors` is `replace`), are
    left out (`ignore`) or are an error of the element (`strict`). With `replace_control_characters` characters
    below 32 are treated likewise. As ``tf.strings.unicode_decode``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors("né").map(lambda x: fl.strings.unicode_decode(x, "UTF-8"))))
    array([110, 233], dtype=int32)
    """
    return call('strings.unicode_decode', [input], [input_encoding, errors, replacement_char, replace_control_characters])


def unicode_split(input: TensorLike, input_encoding: str, errors: str, replacement_char: int = 65533, name: str | None = None) -> Any:
    """The characters of each string, a string each: of one string a tensor of one dimension, of a tensor of them a
    ragged one. The rest is as in `unicode_decode`. As ``tf.strings.unicode_split``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors("né").map(lambda x: fl.strings.unicode_split(x, "UTF-8")).get_single_element()[0]
    b'n'
    """
    return call('strings.unicode_split', [input], [input_encoding, errors, replacement_char])


def unicode_encode(input: TensorLike, output_encoding: str, errors: str, replacement_char: int = 65533, name: str | None = None) -> Tensor:
    """The string of characters that each list of numbers (int32) along the last dimension stands for, in `UTF-8`.
    Numbers that are no character become `replacement_char` (`errors` is `replace`), are left out (`ignore`) or are
    an error of the element (`strict`). As ``tf.strings.unicode_encode``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors([110, 233]).map(lambda x: fl.strings.unicode_encode(x, "UTF-8")))).decode()
    'né'
    """
    return call('strings.unicode_encode', [input], [output_encoding, errors, replacement_char])  # type: ignore[no-any-return]


def unicode_transcode(input: TensorLike, input_encoding: str, output_encoding: str, errors: str, replacement_char: int = 65533, replace_control_characters: bool = False, name: str | None = None) -> Tensor:
    """Each string with bytes that are no `UTF-8` replaced, left out, or an error of the element: see `unicode_decode`.
    As ``tf.strings.unicode_transcode``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(b"a\\xffb").map(lambda x: fl.strings.unicode_transcode(x, "UTF-8", "UTF-8", errors="ignore")).get_single_element()
    b'ab'
    """
    return call('strings.unicode_transcode', [input], [input_encoding, output_encoding, errors, replacement_char, replace_control_characters])  # type: ignore[no-any-return]
