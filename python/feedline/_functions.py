"""Python functions inside traced ones."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Sequence
from typing import Any

from . import _native, _tracing
from ._checking import checks
from ._identity import function_label
from ._spec import TensorSpec

__all__ = ["numpy_function", "py_function"]

# Functions run on threads that the interpreter knows nothing of, and would end in the middle of a call.
atexit.register(_native.end_calls)
os.register_at_fork(after_in_child=_native.forget_calls)


@checks
def numpy_function(
    func: Callable[..., Any], inp: Sequence[Any], Tout: Any, stateful: bool = True, name: str | None = None
) -> Any:
    """What ``func`` gives for the arrays ``inp``, run as Python when the dataset is iterated. ``Tout`` is the dtype of
    what it returns, or a list of them for a tuple; a :class:`TensorSpec` says the shape too.

    >>> import feedline as fl, numpy as np
    >>> def prepare(x):
    ...     return fl.numpy_function(np.median, [x], fl.TensorSpec([], fl.float32)) + 1
    >>> [float(x) for x in fl.Dataset.from_tensor_slices([[1.0, 2.0, 9.0]]).map(prepare)]
    [3.0]
    """
    _tracing.check_calls_of_python()
    label = name or function_label(func)
    if isinstance(Tout, (list, tuple)):
        return _native.py_function(label, _returning_tuple(func), tuple(inp), _output(Tout), False)
    return _native.py_function(label, func, tuple(inp), _output(Tout), False)


@checks
def py_function(func: Callable[..., Any], inp: Sequence[Any], Tout: Any, name: str | None = None) -> Any:
    """As :func:`numpy_function`.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(3).map(lambda x: fl.py_function(lambda n: 2 ** int(n), [x], fl.TensorSpec([], fl.int64)))
    >>> [int(x) for x in ds]
    [1, 2, 4]
    """
    return numpy_function(func, inp, Tout, True, name)


def _returning_tuple(func: Callable[..., Any]) -> Callable[..., Any]:
    """TensorFlow takes a list for several results, too."""

    def called(*arguments: Any) -> Any:
        results = func(*arguments)
        return tuple(results) if isinstance(results, list) else results

    return called


def _output(kinds: Any) -> Any:
    if isinstance(kinds, (list, tuple)):
        return tuple(_output(kind) for kind in kinds)
    return kinds if isinstance(kinds, TensorSpec) else TensorSpec(None, kinds)
