"""Choices and loops inside traced functions. What a branch computes is computed for the elements that take it, so errors of
the other branch do not occur."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _native, _ops
from ._arguments import whole
from ._checking import checks
from ._composite import Composite
from ._constants import convert_to_tensor
from ._dtypes import as_dtype
from ._errors import ArgumentError, ArgumentTypeError, SchemaError
from ._native import Tensor
from ._ops import TensorLike
from ._structure import leaves_of
from ._tracing import checked, note_check

__all__ = ["case", "cond", "foldl", "map_fn", "scan", "switch_case", "vectorized_map", "while_loop"]

Branch = Callable[[], Any]


@checks
def cond(pred: TensorLike, true_fn: Branch, false_fn: Branch, name: str | None = None) -> Any:
    """What ``true_fn()`` gives where ``pred``, one bool, holds, and ``false_fn()`` elsewhere: tensors, tuples or dictionaries
    of the same types. What was computed before the functions is computed for all. As ``tf.cond``.

    >>> import feedline as fl
    >>> halves = fl.Dataset.range(4).map(lambda x: fl.cond(x > 0, lambda: 6 // x, lambda: x))
    >>> [int(x) for x in halves]
    [0, 6, 3, 2]
    """
    return _native.choose(pred, [checked(true_fn), checked(false_fn)], True)


@checks
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
    if not isinstance(branch_fns, (list, tuple)) or not branch_fns:
        raise ArgumentTypeError(f"switch_case: branch_fns is a list of functions, or a dict of them, not {branch_fns!r}")
    numbered = [pair if isinstance(pair, tuple) else (number, pair) for number, pair in enumerate(branch_fns)]
    for pair in numbered:
        _check_pair("switch_case", "branch_fns", pair)
    numbers = [whole("switch_case", "the number of a function in branch_fns", number) for number, _ in numbered]
    if sorted(numbers) != list(range(len(numbered))):
        raise ArgumentError(f"switch_case: branch_fns are numbered from 0 on, without gaps, not {numbers}")
    branches: list[Branch] = [function for _, (_, function) in sorted(zip(numbers, numbered, strict=True), key=lambda pair: pair[0])]
    return _native.choose(branch_index, [checked(function) for function in [*branches, *([default] if default else [])]], False)


@checks
def case(
    pred_fn_pairs: Any,
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str | None = None,
) -> Any:
    """What the function of the first condition that holds gives; where none does ``default``, or, without one, it is an error of the element. With
    ``exclusive`` it is an error, too, where several hold. As ``tf.case``.

    >>> import feedline as fl
    >>> def size_of(x):
    ...     return fl.case([(x < 2, lambda: "small"), (x < 4, lambda: "middle")], default=lambda: "large")
    >>> list(fl.Dataset.range(0, 6, 2).map(size_of))
    [b'small', b'middle', b'large']
    """
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise ArgumentTypeError(f"case: pred_fn_pairs is a list of pairs, not {pred_fn_pairs!r}")
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    for pair in pairs:
        _check_pair("case", "pred_fn_pairs", pair)
    if not pairs:
        raise ArgumentError("case: pred_fn_pairs has no pair")
    if exclusive:
        held = sum((_ops.cast(pred, "int32") for pred, _ in pairs[1:]), _ops.cast(pairs[0][0], "int32"))
        note_check(_ops.assert_less_equal(held, 1, "case: several conditions hold, and exclusive is True"))
    otherwise = _last_resort(*pairs.pop()) if default is None else default
    for pred, function in reversed(pairs):
        otherwise = _otherwise(pred, function, otherwise)
    return otherwise()


def _last_resort(pred: TensorLike, function: Branch) -> Branch:
    """The last function, whose condition must hold where it is reached."""

    def last() -> Any:
        note_check(_ops.assert_equal(pred, True, "case: none of the conditions holds, and there is no default"))
        return function()

    return checked(last)


def _check_pair(what: str, argument: str, pair: Any) -> None:
    if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[1]):
        shown = pair[1] if isinstance(pair, tuple) and len(pair) == 2 else pair
        raise ArgumentTypeError(f"{what}: {argument} has {shown!r}, which is no function\nhint: lambda: x makes one that gives x")


def _otherwise(pred: TensorLike, function: Branch, otherwise: Branch) -> Branch:
    return lambda: cond(pred, function, otherwise)


@checks
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


@checks
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
    """What ``fn`` gives for each entry of the first dimension of ``elems``, or for each row of a ragged tensor, stacked. ``elems`` may be a tuple, list or dictionary of
    tensors, and so may the result; its types follow from ``fn``, and must be those of ``fn_output_signature`` (``dtype`` is its old name) where
    that is given. As ``tf.map_fn``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.map_fn(fl.reduce_sum, x))
    >>> print(next(iter(ds)))
    [3 7]
    """
    if dtype is not None and fn_output_signature is not None:
        raise ArgumentError("map_fn: give one of fn_output_signature and dtype, which mean the same")
    signature = dtype if fn_output_signature is None else fn_output_signature
    is_listed = isinstance(signature, list) or (signature is None and _is_structure(elems))
    fn = _structured(fn) if is_listed else fn
    mapped = _native.map_fn(checked(fn if signature is None else _signed(fn, signature)), _elems(elems))
    return list(mapped) if is_listed and type(mapped) is tuple else mapped


def _signed(fn: Callable[[Any], Any], signature: Any) -> Callable[[Any], Any]:
    """``fn``, whose results must be of these types, and shapes where specs say them."""

    def call(entry: Any) -> Any:
        result = fn(entry)
        given, said = leaves_of(result), leaves_of(tuple(signature) if isinstance(signature, list) else signature)
        for value, spec in zip(given, said, strict=len(given) == len(said)):
            tensor = convert_to_tensor(value)
            shape = getattr(spec, "shape", None)
            if tensor.dtype != as_dtype(getattr(spec, "dtype", spec)) or not _fits(tensor.shape, shape):
                raise SchemaError(
                    f"map_fn: the function gives {tensor.dtype!r} of shape {tensor.shape}, fn_output_signature says {spec!r}\nhint: fl.cast(x, dtype) converts"
                )
        if len(given) != len(said):
            raise SchemaError(f"map_fn: the function gives {len(given)} tensors, fn_output_signature has {len(said)}")
        return result

    return call


def _fits(shape: tuple[int | None, ...] | None, said: tuple[int | None, ...] | None) -> bool:
    if shape is None or said is None:
        return True
    return len(shape) == len(said) and all(None in pair or pair[0] == pair[1] for pair in zip(shape, said, strict=True))


@checks
def vectorized_map(
    fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """As :func:`map_fn`, which computes all entries at once, too. As ``tf.vectorized_map``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([[1, 2], [3, 4]]).map(lambda x: fl.vectorized_map(fl.reduce_sum, x)).get_single_element()
    array([3, 7], dtype=int32)
    """
    return map_fn(fn, elems)


@checks
def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """What ``fn(state, entry)`` gives for one entry of the first dimension of ``elems`` after the other; the first state is
    ``initializer``, or else the first entry. A list is several tensors, for each of which ``fn`` gives one. As ``tf.foldl``.

    >>> import feedline as fl
    >>> fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: fl.foldl(lambda total, entry: total * 10 + entry, x)).get_single_element()
    np.int32(123)
    """
    is_listed = isinstance(initializer, list) or (initializer is None and _is_structure(elems))
    elems, initializer = _started(_elems(elems), _state(initializer))
    folded = _native.fold(checked(_structured(fn) if is_listed else fn), elems, initializer, False)
    return list(folded) if is_listed else folded


@checks
def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """As :func:`foldl`, all states on the way, stacked. Without ``initializer`` the first state is the first entry, as it is; with ``reverse`` it begins
    with the last. As ``tf.scan``.

    >>> import feedline as fl
    >>> ds = fl.Dataset.from_tensors([1, 2, 3]).map(lambda x: (fl.scan(lambda a, b: a + b, x), fl.scan(lambda a, b: a + b, x, reverse=True)))
    >>> next(iter(ds))
    (array([1, 3, 6], dtype=int32), array([6, 5, 3], dtype=int32))
    """
    is_listed = isinstance(initializer, list) or (initializer is None and _is_structure(elems))
    fn = _structured(fn) if is_listed else fn
    elems, initializer = _mapped(_tensor, _elems(elems)), _state(initializer)
    if reverse:
        elems = _mapped(lambda tensor: _ops.reverse(tensor, [0]), elems)
    if initializer is None:
        first, rest = _mapped(lambda tensor: tensor[:1], elems), _mapped(lambda tensor: tensor[1:], elems)
        states = _native.fold(checked(fn), rest, _mapped(lambda tensor: tensor[0], elems), True)
        states = _joined(first, states)
    else:
        states = _native.fold(checked(fn), elems, initializer, True)
    states = _mapped(lambda tensor: _ops.reverse(tensor, [0]), states) if reverse else states
    return list(states) if is_listed else states


def _is_structure(elems: Any) -> bool:
    """Whether a list is several tensors, as it is in TensorFlow. One of numbers, or of scalars, is what TensorFlow refuses; here it is the tensor of them."""
    return isinstance(elems, list) and any(_has_entries(part) for part in elems)


def _has_entries(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_has_entries(part) for part in value)
    return isinstance(value, (dict, Composite)) or (isinstance(value, (Tensor, np.ndarray)) and value.shape != ())


def _elems(elems: Any) -> Any:
    """Lists that are several tensors as tuples of them."""
    if isinstance(elems, dict):
        return {key: _elems(part) for key, part in elems.items()}
    if _is_structure(elems) or type(elems) is tuple:
        return tuple(_elems(part) for part in elems)
    return elems


def _state(state: Any) -> Any:
    """What a loop begins with; a list is several tensors."""
    if isinstance(state, dict):
        return {key: _state(part) for key, part in state.items()}
    return tuple(_state(part) for part in state) if isinstance(state, list) or type(state) is tuple else state


def _structured(fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn``, of which a list is several results."""

    def call(*arguments: Any) -> Any:
        result = fn(*arguments)
        return tuple(result) if isinstance(result, list) else result

    return call


def _started(elems: Any, initializer: Any) -> tuple[Any, Any]:
    if initializer is not None:
        return elems, initializer
    elems = _mapped(_tensor, elems)
    return _mapped(lambda tensor: tensor[1:], elems), _mapped(lambda tensor: tensor[0], elems)


def _tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


def _mapped(function: Callable[[Any], Any], structure: Any) -> Any:
    """What a function gives for each tensor of a structure."""
    if isinstance(structure, dict):
        return {key: _mapped(function, part) for key, part in structure.items()}
    if isinstance(structure, tuple):
        parts = [_mapped(function, part) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)
    return function(structure)


def _joined(first: Any, rest: Any) -> Any:
    """Each tensor of one structure behind that of the other."""
    if isinstance(first, dict):
        return {key: _joined(first[key], rest[key]) for key in first}
    if isinstance(first, tuple):
        return tuple(_joined(one, two) for one, two in zip(first, rest, strict=True))
    return _ops.concat([first, rest], 0)
