"""Choices and loops inside traced functions. What a branch computes is computed for the elements that take it, so errors of
the other branch do not occur."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _native
from ._errors import ArgumentError
from ._native import Tensor
from ._ops import TensorLike
from ._tracing import checked

__all__ = ["case", "cond", "foldl", "map_fn", "scan", "switch_case", "vectorized_map", "while_loop"]

Branch = Callable[[], Any]


def cond(pred: TensorLike, true_fn: Branch, false_fn: Branch, name: str | None = None) -> Any:
    """What ``true_fn()`` gives where ``pred``, one bool, holds, and ``false_fn()`` elsewhere: tensors, tuples or dictionaries
    of the same types. What was computed before the functions is computed for all. As ``tf.cond``.

    >>> import feedline as fl
    >>> halves = fl.Dataset.range(4).map(lambda x: fl.cond(x > 0, lambda: 6 // x, lambda: x))
    >>> [int(x) for x in halves]
    [0, 6, 3, 2]
    """
    return _native.choose(pred, [checked(true_fn), checked(false_fn)], True)


def switch_case(
    branch_index: TensorLike, branch_fns: Any, default: Branch | None = None, name: str | None = None
) -> Any:
    """What function number ``branch_index`` gives; where there is none of that number ``default``, or the last. The functions
    are a list, or a dictionary or pairs with their numbers. As ``tf.switch_case``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(3).map(lambda x: fl.switch_case(x, [lambda: x + 10, lambda: x + 20, lambda: x * 0]))
    >>> [int(x) for x in ds]
    [10, 21, 0]
    """
    if isinstance(branch_fns, dict):
        branch_fns = list(branch_fns.items())
    numbered = [pair if isinstance(pair, tuple) else (number, pair) for number, pair in enumerate(branch_fns)]
    branches: list[Branch] = [function for _, function in sorted(numbered, key=lambda pair: int(pair[0]))]
    if sorted(int(number) for number, _ in numbered) != list(range(len(branches))):
        raise ArgumentError("switch_case: branch_fns are numbered from 0 on, without gaps")
    return _native.choose(branch_index, [checked(function) for function in [*branches, *([default] if default else [])]], False)


def case(
    pred_fn_pairs: Sequence[tuple[TensorLike, Branch]],
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str | None = None,
) -> Any:
    """What the function of the first condition that holds gives; ``default``, or the last, where none does. As ``tf.case``."""
    pairs = list(pred_fn_pairs)
    if exclusive:
        raise ArgumentError("case: exclusive is True, it can only be False")
    if not pairs:
        raise ArgumentError("case: there is no pair")
    otherwise = pairs.pop()[1] if default is None else default
    for pred, function in reversed(pairs):
        otherwise = _otherwise(pred, function, otherwise)
    return otherwise()


def _otherwise(pred: TensorLike, function: Branch, otherwise: Branch) -> Branch:
    return lambda: cond(pred, function, otherwise)


def while_loop(
    cond: Callable[..., TensorLike],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: int | None = None,
    name: str | None = None,
) -> Any:
    """``loop_vars`` after ``body(*loop_vars)`` was applied as long as ``cond(*loop_vars)`` holds, ``maximum_iterations`` times at
    most, which must be given: a loop that never ends would hold up the whole dataset. Shapes may change on the way. As
    ``tf.while_loop``.

    >>> import feedline as fl
    >>> def digits(x):
    ...     count, _ = fl.while_loop(lambda n, x: x > 0, lambda n, x: (n + 1, x // 10), (0, x), maximum_iterations=20)
    ...     return count
    >>> [int(x) for x in fl.Dataset.from_tensor_slices([0, 7, 12345]).map(digits)]
    [0, 1, 5]
    """
    if maximum_iterations is None:
        raise ArgumentError("while_loop: maximum_iterations must be given\nhint: the most turns any element takes")
    is_one = not isinstance(loop_vars, (list, tuple))
    values = (loop_vars,) if is_one else tuple(loop_vars)

    def applied(function: Callable[..., Any]) -> Callable[[Any], Any]:
        return lambda values: function(*values)

    def again(values: Any) -> Any:
        result = body(*values)
        return tuple(result) if isinstance(result, (list, tuple)) else (result,)

    result = _native.while_loop(checked(applied(cond)), checked(again), values, maximum_iterations)
    return result[0] if is_one else result


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """What ``fn`` gives for each entry of the first dimension of ``elems``, stacked. ``elems`` may be a tuple or dictionary of
    tensors, and so may the result; its types follow from ``fn``. As ``tf.map_fn``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.map_fn(fl.reduce_sum, x))
    >>> print(next(iter(ds)))
    [3 7]
    """
    return _native.map_fn(checked(fn), elems)


def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True) -> Any:
    """As :func:`map_fn`, which computes all entries at once, too. As ``tf.vectorized_map``."""
    return map_fn(fn, elems)


def foldl(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """What ``fn(state, entry)`` gives for one entry of the first dimension of ``elems`` after the other; the first state is
    ``initializer``, or else the first entry. As ``tf.foldl``."""
    elems, initializer = _started(elems, initializer)
    return _native.fold(checked(fn), elems, initializer, False)


def scan(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, reverse: bool = False, name: str | None = None
) -> Any:
    """As :func:`foldl`, all states on the way, stacked. The first state is ``initializer``, which must be given. As ``tf.scan``."""
    if initializer is None or reverse:
        raise ArgumentError("scan: initializer must be given, and reverse can only be False")
    return _native.fold(checked(fn), elems, initializer, True)


def _started(elems: Any, initializer: Any) -> tuple[Any, Any]:
    if initializer is not None:
        return elems, initializer
    if not isinstance(elems, Tensor):
        raise ArgumentError("foldl: without an initializer elems is one tensor")
    return elems[1:], elems[0]
