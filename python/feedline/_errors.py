"""The exceptions feedline raises. Each is also the built-in exception a caller would look for."""

from __future__ import annotations


class FeedlineError(Exception):
    """Any error of feedline's. Its text says where, what was found, and on a line ``hint: …`` what to do."""


class ArgumentError(FeedlineError, ValueError):
    """An argument has a value it cannot have."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument is of a type it cannot be of."""


class SchemaError(FeedlineError, TypeError, ValueError):
    """Types, shapes or structures do not fit together."""


class TraceError(FeedlineError, TypeError):
    """A function does something with a symbolic value that only Python could do."""


class TensorAttributeError(TraceError, AttributeError):
    """An attribute that arrays have and symbolic tensors have not."""


class CorruptDataError(FeedlineError, ValueError):
    """Bytes that are damaged or are not what they should be: a record, an image, a file."""


class InvalidValueError(FeedlineError, ValueError):
    """A value that an operation or a step cannot use: a division by zero, elements of different shapes in a batch."""


class CheckpointError(FeedlineError, ValueError):
    """A saved state that does not belong to this pipeline or these files."""


class ResourceError(FeedlineError, OSError):
    """Not enough memory, a file that cannot be read or written, a process that has forked."""


class UserCodeError(FeedlineError, RuntimeError):
    """A function of the user's returned something else than its spec says."""


class InternalError(FeedlineError, RuntimeError):
    """A bug in feedline."""
