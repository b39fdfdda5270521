"""The exceptions feedline raises. Each is also the built-in exception a caller would look for."""

from __future__ import annotations


class FeedlineError(Exception):
    """Any error of feedline's. Its text says where, what was found, and on a line ``hint: …`` what to do.

    >>> import feedline as fl
    >>> try:
    ...     fl.Dataset.range(5).batch(0)
    ... except fl.FeedlineError as error:
    ...     print(error)
    batch: batch_size must be greater than zero, not 0
    """


class ArgumentError(FeedlineError, ValueError):
    """An argument has a value it cannot have.

    >>> import feedline as fl
    >>> try:
    ...     fl.Dataset.range(5).batch(0)
    ... except fl.ArgumentError as error:
    ...     print(isinstance(error, ValueError))
    True
    """


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument is of a type it cannot be of."""


class SchemaError(FeedlineError, TypeError, ValueError):
    """Types, shapes or structures do not fit together.

    >>> import feedline as fl
    >>> try:
    ...     fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.reshape(x, [3]))
    ... except fl.SchemaError as error:
    ...     print(isinstance(error, TypeError), "reshape" in str(error))
    True True
    """


class TraceError(FeedlineError, TypeError):
    """A function does something with a symbolic value that only Python could do.

    >>> import feedline as fl
    >>> try:
    ...     fl.Dataset.range(5).map(lambda x: 1 if x > 2 else 0)
    ... except fl.TraceError as error:
    ...     print("fl.where" in str(error))
    True
    """


class TensorAttributeError(TraceError, AttributeError):
    """An attribute that arrays have and symbolic tensors have not."""


class CorruptDataError(FeedlineError, ValueError):
    """Bytes that are damaged or are not what they should be: a record, an image, a file.

    >>> import feedline as fl, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "no.tfrecord")
    >>> _ = path.write_bytes(bytes(100))
    >>> try:
    ...     list(fl.TFRecordDataset(path))
    ... except fl.CorruptDataError as error:
    ...     print("record 0" in str(error))
    True
    """


class InvalidValueError(FeedlineError, ValueError):
    """A value that an operation or a step cannot use: a division by zero, elements of different shapes in a batch.

    >>> import feedline as fl
    >>> try:
    ...     list(fl.Dataset.range(3).map(lambda x: 6 // x))
    ... except fl.InvalidValueError as error:
    ...     print("by zero" in str(error))
    True
    """


class CheckpointError(FeedlineError, ValueError):
    """A saved state that does not belong to this pipeline or these files.

    >>> import feedline as fl
    >>> state = fl.Dataset.range(5).iterator().state()
    >>> try:
    ...     fl.Dataset.range(6).iterator(state=state)
    ... except fl.CheckpointError as error:
    ...     print(isinstance(error, ValueError))
    True
    """


class ResourceError(FeedlineError, OSError):
    """Not enough memory, a file that cannot be read or written, a process that has forked.

    >>> import feedline as fl
    >>> issubclass(fl.ResourceError, OSError)
    True
    """


class UserCodeError(FeedlineError, RuntimeError):
    """A function of the user's returned something else than its spec says.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(1).map(lambda x: [1, 2], python=True, output_spec=fl.TensorSpec([], fl.int64))
    >>> try:
    ...     list(ds)
    ... except fl.UserCodeError as error:
    ...     print(isinstance(error, RuntimeError))
    True
    """


class InternalError(FeedlineError, RuntimeError):
    """A bug in feedline.

    >>> import feedline as fl
    >>> issubclass(fl.InternalError, fl.FeedlineError)
    True
    """
