"""The operations, as functions of symbolic tensors, under TensorFlow's names.

Made from the catalogue in crates/feedline-plan/src/expr by tools/generate_python_ops.py: do not edit.
"""

# ruff: noqa
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ._dtypes import DTypeLike
from ._native import Tensor, call
from ._spec import ShapeLike

TensorLike: TypeAlias = Any
"""A symbolic tensor, a number, a string, a list of them, or a numpy array."""


def lower(input: TensorLike, encoding: str = '', name: str | None = None) -> Tensor:
    """Capital letters as small ones: those of ASCII, or with the encoding `utf-8` all that Unicode has, where bytes
    that are no UTF-8 become U+FFFD. As ``tf.strings.lower``."""
    return call('strings.lower', [input], [encoding])  # type: ignore[no-any-return]


def upper(input: TensorLike, encoding: str = '', name: str | None = None) -> Tensor:
    """Small letters as capital ones: those of ASCII, or with the encoding `utf-8` all that Unicode has, where bytes
    that are no UTF-8 become U+FFFD. As ``tf.strings.upper``."""
    return call('strings.upper', [input], [encoding])  # type: ignore[no-any-return]


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Without the ASCII white space at both ends. Shares the memory of what it gets. As ``tf.strings.strip``."""
    return call('strings.strip', [input], [])  # type: ignore[no-any-return]


def length(input: TensorLike, unit: str, name: str | None = None) -> Tensor:
    """How long each string is, as int32: in bytes (`BYTE`) or in characters (`UTF8_CHAR`). As ``tf.strings.length``."""
    return call('strings.length', [input], [unit])  # type: ignore[no-any-return]


def substr(input: TensorLike, pos: TensorLike, len: TensorLike, unit: str, name: str | None = None) -> Tensor:
    """The `len` bytes (`unit` is `BYTE`) or characters (`UTF8_CHAR`) of each string from `pos` on, or those that are
    there; a negative `pos` counts from the end. `pos` and `len` have one shape, which is broadcast with that of the
    strings. A negative `len` is all the rest of the bytes, or no character. A string that has no place `pos` is an
    error of its element. Shares the memory of what it gets. As ``tf.strings.substr``."""
    return call('strings.substr', [input, pos, len], [unit])  # type: ignore[no-any-return]


def join(inputs: Sequence[TensorLike], separator: str = '', name: str | None = None) -> Tensor:
    """Strings of several tensors one behind the other, with a separator between them. The tensors have one shape;
    single strings go with any. As ``tf.strings.join``."""
    return call('strings.join', [*inputs], [separator])  # type: ignore[no-any-return]


def reduce_join(inputs: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, separator: str = '', name: str | None = None) -> Tensor:
    """The strings along some dimensions, or all, as one, with a separator between them. Of several dimensions the one
    named first changes fastest; of all of them the last. As ``tf.strings.reduce_join``."""
    return call('strings.reduce_join', [inputs], [axis, keepdims, separator])  # type: ignore[no-any-return]


def regex_full_match(input: TensorLike, pattern: str, name: str | None = None) -> Tensor:
    """Whether a pattern of RE2's syntax matches all of a string. As ``tf.strings.regex_full_match``."""
    return call('strings.regex_full_match', [input], [pattern])  # type: ignore[no-any-return]


def regex_replace(input: TensorLike, pattern: str, rewrite: str, replace_global: bool = True, name: str | None = None) -> Tensor:
    """Each match of a pattern of RE2's syntax, or without `replace_global` the first, replaced by `rewrite`, in which
    `\\1` to `\\9` are what the groups matched, `\\0` is all of the match and `\\\\` a backslash. As
    ``tf.strings.regex_replace``."""
    return call('strings.regex_replace', [input], [pattern, rewrite, replace_global])  # type: ignore[no-any-return]


def to_number(input: TensorLike, out_type: DTypeLike = 'float32', name: str | None = None) -> Tensor:
    """The number that each string is, as float32, float64, int32, int64, uint32 or uint64, with white space around it
    or without. Floats may be hexadecimal, `inf` or `nan`. What is no number of the type is an error of its element.
    As ``tf.strings.to_number``."""
    return call('strings.to_number', [input], [out_type])  # type: ignore[no-any-return]


def as_string(input: TensorLike, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = '', name: str | None = None) -> Tensor:
    """Each number as a string, as C's `printf` writes it: floats with `precision` digits behind the point (6 where it
    is negative), `scientific` with an exponent, `shortest` the shorter of both. `width` is the least length, which
    `fill` makes up for with spaces in front, zeros (`0`), spaces behind (`-`), or with a sign for positive numbers
    (`+`) or a space in its place (` `). As ``tf.strings.as_string``."""
    return call('strings.as_string', [input], [precision, scientific, shortest, width, fill])  # type: ignore[no-any-return]


def format(inputs: Sequence[TensorLike], template: str, placeholder: str, summarize: int = 3, name: str | None = None) -> Tensor:
    """One string: the template with a tensor in place of each placeholder, in their order. Of each dimension
    `summarize` entries from each end are shown, or all of them where it is negative. Floats have as many digits as
    it takes to read back the same, bools are 1 and 0, strings are in quotes with escapes. As ``tf.strings.format``."""
    return call('strings.format', [*inputs], [template, placeholder, summarize])  # type: ignore[no-any-return]


def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A number from 0 to below `num_buckets` for each string, by a fast hash: `FarmHash`'s Fingerprint64. As
    ``tf.strings.to_hash_bucket_fast``."""
    return call('strings.to_hash_bucket_fast', [input], [num_buckets])  # type: ignore[no-any-return]


def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A number from 0 to below `num_buckets` for each string, by TensorFlow's oldest hash, a kind of `MurmurHash`. As
    ``tf.strings.to_hash_bucket``."""
    return call('strings.to_hash_bucket', [input], [num_buckets])  # type: ignore[no-any-return]


def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """The bytes of each string, a string each: of one string a tensor of one dimension, of a tensor of them a ragged
    one. As ``tf.strings.bytes_split``."""
    return call('strings.bytes_split', [input], [])


def split(input: TensorLike, sep: str = '', maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of each string between separators, or, where the separator is empty, between runs of ASCII white
    space: of one string a tensor of one dimension, of a tensor of them a ragged one. It is cut `maxsplit` times at
    most; −1 is no limit. Parts share the memory of what they are of. As ``tf.strings.split``."""
    return call('strings.split', [input], [sep, maxsplit])


def unicode_decode(input: TensorLike, input_encoding: str, errors: str, replacement_char: int = 65533, replace_control_characters: bool = False, name: str | None = None) -> Any:
    """The characters of each string as numbers (int32): of one string a tensor of one dimension, of a tensor of them a
    ragged one. The encoding is `UTF-8`. Bytes that are none become `replacement_char` (`errors` is `replace`), are
    left out (`ignore`) or are an error of the element (`strict`). With `replace_control_characters` characters
    below 32 are treated likewise. As ``tf.strings.unicode_decode``."""
    return call('strings.unicode_decode', [input], [input_encoding, errors, replacement_char, replace_control_characters])


def unicode_split(input: TensorLike, input_encoding: str, errors: str, replacement_char: int = 65533, name: str | None = None) -> Any:
    """The characters of each string, a string each: of one string a tensor of one dimension, of a tensor of them a
    ragged one. The rest is as in `unicode_decode`. As ``tf.strings.unicode_split``."""
    return call('strings.unicode_split', [input], [input_encoding, errors, replacement_char])


def unicode_encode(input: TensorLike, output_encoding: str, errors: str, replacement_char: int = 65533, name: str | None = None) -> Tensor:
    """The string of characters that each list of numbers (int32) along the last dimension stands for, in `UTF-8`.
    Numbers that are no character become `replacement_char` (`errors` is `replace`), are left out (`ignore`) or are
    an error of the element (`strict`). As ``tf.strings.unicode_encode``."""
    return call('strings.unicode_encode', [input], [output_encoding, errors, replacement_char])  # type: ignore[no-any-return]


def unicode_transcode(input: TensorLike, input_encoding: str, output_encoding: str, errors: str, replacement_char: int = 65533, replace_control_characters: bool = False, name: str | None = None) -> Tensor:
    """Each string with bytes that are no `UTF-8` replaced, left out, or an error of the element: see `unicode_decode`.
    As ``tf.strings.unicode_transcode``."""
    return call('strings.unicode_transcode', [input], [input_encoding, output_encoding, errors, replacement_char, replace_control_characters])  # type: ignore[no-any-return]
