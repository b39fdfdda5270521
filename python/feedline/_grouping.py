"""Datasets as elements: runs of elements, elements of one key, elements of about the same length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _native, _tracing
from ._arguments import Values, naming, positive
from ._batching import padding_values_of, shapes_of
from ._checking import checks_arguments
from ._errors import ArgumentError, SchemaError
from ._form import form_with
from ._steps import Steps

if TYPE_CHECKING:
    from ._dataset import Dataset


@checks_arguments
class Grouping(Steps):
    """The methods of a dataset that make datasets of its elements."""

    def window(
        self,
        size: int,
        shift: int | None = None,
        stride: int = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Runs of ``size`` elements, ``stride`` apart, each as a dataset; the next begins ``shift`` elements further on, ``size`` unless given. Of
        elements that are tuples or dicts each tensor is a dataset of its own.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(7).window(3, shift=2, drop_remainder=True)
        >>> [[int(x) for x in window] for window in ds]
        [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
        >>> list(ds.flat_map(lambda window: window.batch(3)))
        [array([0, 1, 2]), array([2, 3, 4]), array([4, 5, 6])]
        """
        size = positive("window", "size", size)
        shift = size if shift is None else positive("window", "shift", shift)
        stride = positive("window", "stride", stride)
        return self._with(_native.window(self._inner, size, shift, stride, drop_remainder))

    def collect(self) -> Dataset:
        """All elements as one, which is a dataset, also where there are none: for functions that make a dataset of each element.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(4).flat_map(lambda n: fl.Dataset.range(n).collect())
        >>> [[int(x) for x in inner] for inner in ds]
        [[], [0], [0, 1], [0, 1, 2]]
        """
        return self._as(_native.collect(self._inner), None)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[[Any, Dataset], Dataset],
        window_size: int | None = None,
        window_size_func: Callable[[Any], Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of the datasets that ``reduce_func`` makes of a key and a dataset of elements of that key: of ``window_size`` of them, or
        as many as ``window_size_func`` gives for the key, as soon as there are, and of what is left at the end, in the order of keys.
        ``key_func`` gives an int64 for an element.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(7).group_by_window(lambda x: x % 2, lambda key, window: window.batch(2), 2)
        >>> list(ds)
        [array([0, 2]), array([1, 3]), array([4, 6]), array([5])]
        """
        if (window_size is None) == (window_size_func is None):
            raise ArgumentError("group_by_window: give one of window_size and window_size_func")
        size_of: Callable[[Any], Any]
        if window_size_func is None:
            size = positive("group_by_window", "window_size", window_size)
            size_of = lambda key: size  # noqa: E731
        else:
            size_of = _tracing.traced_function(window_size_func, "group_by_window")
        key_of = _tracing.element_function(key_func, "group_by_window", self._form)
        reduced = _tracing.traced_function(reduce_func, "group_by_window")
        form = None

        def reduce(key: Any, window: Dataset) -> Any:
            nonlocal form
            result = reduced(key, window._formed(self._form))
            if not hasattr(result, "element_spec"):
                raise SchemaError(f"group_by_window: reduce_func returned {result!r}, not a dataset\nhint: window.batch(n) makes one of the elements of a key")
            form = getattr(result, "_form", None)
            return result

        _tracing.label_as(reduce, reduced)
        return self._as(_native.group_by_window(self._inner, key_of, size_of, reduce), form)

    def pack(
        self,
        length: Any,
        *,
        num_open: int = 64,
        fit: str = "first",
        padding: int = 0,
        truncate: bool = False,
    ) -> Dataset:
        """Sequences of tokens side by side in rows of ``length``, so that next to nothing of a batch is padding.

        Each row is ``(values, segments, positions)``, each structured as the elements are: the tokens; which sequence of the row each one is of,
        from 1 on (0 is padding); and its place in that sequence. ``num_open`` rows are filled at a time. A sequence goes to the first of them
        that has room (``fit="first"``) or to the one it fills best (``fit="best"``). A row that is full comes out at once; where none has room for a
        sequence, the one begun first does. A sequence without tokens takes no place in a row, and has no number. One that is
        longer than a row is an error of its element, or is cut with ``truncate``. Where the sequences of an element are to have rows of different
        lengths, ``length`` is a tuple or dict of them, structured as the elements are. The same rows in every run, and after a resume.

        >>> import feedline as fl
        >>> sequences = fl.Dataset.range(6).batch(4)  # one of four tokens, one of two
        >>> for values, segments, positions in sequences.pack(7):
        ...     print(values, segments, positions)
        [0 1 2 3 4 5 0] [1 1 1 1 2 2 0] [0 1 2 3 0 1 0]
        """
        positive("pack", "num_open", num_open)
        lengths = [length] if isinstance(length, int) else _lengths(length, self._inner.element_spec())
        for each in lengths:
            positive("pack", "length", each)
        return self._as(self._inner.pack(lengths, num_open, fit, padding, truncate), form_with((self._form,) * 3))

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Values | None = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements whose lengths, which ``element_length_func`` gives, are in the same bucket: shorter than its boundary, and not than
        the one before. They are filled up to the longest of the batch, or with ``pad_to_bucket_boundary`` to the longest the bucket takes,
        or with ``no_padding`` not at all.

        >>> import feedline as fl
        >>> words = fl.Dataset.from_tensor_slices(["a", "bcdef", "gh", "i", "jklmno"])
        >>> letters = words.map(lambda word: fl.io.decode_raw(word, fl.uint8))
        >>> ds = letters.bucket_by_sequence_length(fl.size, bucket_boundaries=[4], bucket_batch_sizes=[2, 2])
        >>> [batch.shape for batch in ds]
        [(2, 2), (2, 6), (1, 1)]
        """
        boundaries = [int(bound) for bound in bucket_boundaries]
        sizes = [positive("bucket_by_sequence_length", "bucket_batch_sizes", size) for size in bucket_batch_sizes]
        shapes = None if padded_shapes is None else shapes_of("bucket_by_sequence_length", padded_shapes)
        length = _tracing.element_function(element_length_func, "bucket_by_sequence_length", self._form)
        values = padding_values_of("bucket_by_sequence_length", padding_values)
        with naming("bucket_by_sequence_length", "padding_values"):
            options = (values, pad_to_bucket_boundary, no_padding, drop_remainder)
            return self._with(_native.bucket_by_sequence_length(self._inner, length, boundaries, sizes, shapes, *options))


def _lengths(lengths: Any, spec: Any) -> list[int]:
    """Those of each tensor, in the order of the elements' tensors."""
    if isinstance(spec, dict) and isinstance(lengths, dict) and lengths.keys() == spec.keys():
        return [length for key in sorted(spec) for length in _lengths(lengths[key], spec[key])]
    if isinstance(spec, tuple) and isinstance(lengths, (list, tuple)) and len(lengths) == len(spec):
        return [length for own, part in zip(lengths, spec, strict=True) for length in _lengths(own, part)]
    if isinstance(spec, (dict, tuple)) or not isinstance(lengths, int):
        raise ArgumentError(f"pack: length {lengths!r} is not structured as the elements are: {spec}")
    return [lengths]
