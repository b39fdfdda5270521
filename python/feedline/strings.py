"""Strings, under the names of ``tf.strings``. Strings are bytes; what reads characters in them says so.

>>> import feedline as fl
>>> ds = fl.Dataset.from_tensor_slices(["The cat", "A big dog"])
>>> for words in ds.map(lambda line: fl.strings.split(fl.strings.lower(line))):
...     print(words)
[b'the' b'cat']
[b'a' b'big' b'dog']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _string_ops
from ._checking import checks
from ._constants import convert_to_tensor
from ._convert import as_array
from ._native import Tensor
from ._ops import TensorLike
from ._string_ops import (
    as_string,
    bytes_split,
    lower,
    reduce_join,
    regex_full_match,
    regex_replace,
    strip,
    to_hash_bucket,
    to_hash_bucket_fast,
    to_number,
    upper,
)

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_number",
    "unicode_decode",
    "unicode_encode",
    "unicode_split",
    "unicode_transcode",
    "upper",
]


@checks
def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """How long each string is, as int32: in bytes (``BYTE``) or in characters (``UTF8_CHAR``). As ``tf.strings.length``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors("né").map(lambda x: (fl.strings.length(x), fl.strings.length(x, "UTF8_CHAR")))
    >>> next(iter(ds))
    (np.int32(3), np.int32(2))
    """
    return _string_ops.length(input, unit)


@checks
def substr(input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The ``len`` bytes (``BYTE``) or characters (``UTF8_CHAR``) of each string from ``pos`` on, or those that are there; a
    negative ``pos`` counts from the end. A string that has no such place is an error of its element. As ``tf.strings.substr``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors("feedline").map(lambda x: fl.strings.substr(x, -4, 2))))
    b'li'
    """
    return _string_ops.substr(input, pos, len, unit)


@checks
def join(inputs: Sequence[TensorLike], separator: str = "", name: str | None = None) -> Tensor:
    """Strings of several tensors one behind the other, with a separator between them. As ``tf.strings.join``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors(["a", "b"]).map(lambda x: fl.strings.join(["train", x], "/"))
    >>> next(iter(ds))
    array([b'train/a', b'train/b'], dtype=object)
    """
    if len(inputs) == 0:
        return convert_to_tensor("")
    return _string_ops.join(inputs, separator)


@checks
def format(
    template: str, inputs: TensorLike | Sequence[TensorLike], placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """The template with a tensor in place of each placeholder, for people to read. Of each dimension ``summarize`` entries from each end
    are shown, or all of them where it is negative; strings are in quotes. ``inputs`` is a tensor or a list of them. As
    ``tf.strings.format``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(10).batch(10).map(lambda x: fl.strings.format("{} have the sum {}", (x, fl.reduce_sum(x))))
    >>> next(iter(ds))
    b'[0 1 2 ... 7 8 9] have the sum 45'
    """
    several = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    if not several and placeholder not in template:
        return _string_ops.join([template])
    # Numbers as written keep their own types here, whatever stands beside them.
    tensors = [value if isinstance(value, Tensor) else as_array(value) for value in several]
    return _string_ops.format(tensors, template, placeholder, summarize)


@checks
def split(input: TensorLike, sep: str | None = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of each string between separators, or between runs of white space: of one string a tensor, of a batch of them a
    :class:`feedline.RaggedTensor`. It is cut ``maxsplit`` times at most. As ``tf.strings.split``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensor_slices(["a,b", "c"]).batch(2).map(lambda x: fl.strings.split(x, ","))
    >>> next(iter(ds))
    <fl.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    return _string_ops.split(input, sep or "", maxsplit)


def _encoding(name: str) -> str:
    """The encoding by the name that the engine has for it."""
    return "UTF-8" if name.upper() in ("UTF-8", "UTF8") else name


@checks
def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The characters of each string as numbers: of one string a tensor, of a batch of them a :class:`feedline.RaggedTensor`.
    Bytes that are no UTF-8 become ``replacement_char`` (``errors`` is ``replace``), are left out (``ignore``) or are an error of the
    element (``strict``). As ``tf.strings.unicode_decode``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors("né").map(lambda x: fl.strings.unicode_decode(x, "UTF-8"))))
    array([110, 233], dtype=int32)
    """
    return _string_ops.unicode_decode(
        input, _encoding(input_encoding), errors=errors, replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
    )


@checks
def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """The characters of each string, a string each: see :func:`unicode_decode`. As ``tf.strings.unicode_split``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors("né").map(lambda x: fl.strings.unicode_split(x, "UTF-8")).get_single_element()[0]
    b'n'
    """
    return _string_ops.unicode_split(input, _encoding(input_encoding), errors=errors, replacement_char=replacement_char)


@checks
def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """The string of characters that each list of numbers along the last dimension stands for. As ``tf.strings.unicode_encode``.

    >>> import feedline as fl
    >>> next(iter(fl.Dataset.from_tensors([110, 233]).map(lambda x: fl.strings.unicode_encode(x, "UTF-8")))).decode()
    'né'
    """
    return _string_ops.unicode_encode(input, output_encoding, errors=errors, replacement_char=replacement_char)


@checks
def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Each string with bytes that are no UTF-8 replaced, left out, or an error: see :func:`unicode_decode`. As
    ``tf.strings.unicode_transcode``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors(b"a\\xffb").map(lambda x: fl.strings.unicode_transcode(x, "UTF-8", "UTF-8", errors="ignore")).get_single_element()
    b'ab'
    """
    return _string_ops.unicode_transcode(
        input, _encoding(input_encoding), output_encoding, errors=errors, replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
    )
