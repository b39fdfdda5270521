"""What is written with operators and brackets of ragged tensors. Symbolic ones give symbolic ones; of those with arrays the engine computes the result."""

from __future__ import annotations

from typing import Any

from . import _bitwise_ops, _ops
from ._composite import Composite
from ._errors import ArgumentError, SchemaError
from ._native import Tensor, call

__all__ = ["RaggedOperators", "computed", "is_symbolic"]


def is_symbolic(*values: Any) -> bool:
    """Whether a tensor that is computed later is among them, or a part of one."""
    return any(
        isinstance(value, Tensor)
        or (isinstance(value, Composite) and is_symbolic(*value.parts()))
        or (isinstance(value, (list, tuple)) and is_symbolic(*value))
        for value in values
    )


def computed(result: Any, *inputs: Any) -> Any:
    """What was traced of these: as it is where one of them is symbolic, else its value."""
    if is_symbolic(*inputs):
        return result
    from ._dataset import Dataset

    (value,) = Dataset.range(1).map(lambda _: result)
    return value


class RaggedOperators(Composite):
    """Operators, each of the values at the same place: with a number, a ragged tensor that has the same rows, or a tensor with one value a row."""

    __slots__ = ()
    #: Leaves `array * ragged` to the ragged tensor.
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]  # as equality is by value

    def __add__(self, other: Any) -> Any:
        return computed(_ops.add(self, other), self, other)

    def __radd__(self, other: Any) -> Any:
        return computed(_ops.add(other, self), self, other)

    def __sub__(self, other: Any) -> Any:
        return computed(_ops.subtract(self, other), self, other)

    def __rsub__(self, other: Any) -> Any:
        return computed(_ops.subtract(other, self), self, other)

    def __mul__(self, other: Any) -> Any:
        return computed(_ops.multiply(self, other), self, other)

    def __rmul__(self, other: Any) -> Any:
        return computed(_ops.multiply(other, self), self, other)

    def __truediv__(self, other: Any) -> Any:
        return computed(_ops.truediv(self, other), self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return computed(_ops.truediv(other, self), self, other)

    def __floordiv__(self, other: Any) -> Any:
        return computed(_ops.floordiv(self, other), self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return computed(_ops.floordiv(other, self), self, other)

    def __mod__(self, other: Any) -> Any:
        return computed(_ops.floormod(self, other), self, other)

    def __rmod__(self, other: Any) -> Any:
        return computed(_ops.floormod(other, self), self, other)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any) -> Any:
        return computed(_ops.pow(self, other), self, other)

    def __rpow__(self, other: Any) -> Any:
        return computed(_ops.pow(other, self), self, other)

    def __neg__(self) -> Any:
        return computed(_ops.negative(self), self)

    def __abs__(self) -> Any:
        return computed(_ops.abs(self), self)

    def __invert__(self) -> Any:
        invert = _ops.logical_not if self._is_bool() else _bitwise_ops.invert
        return computed(invert(self), self)

    def __and__(self, other: Any) -> Any:
        both = _ops.logical_and if self._is_bool() else _bitwise_ops.bitwise_and
        return computed(both(self, other), self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        either = _ops.logical_or if self._is_bool() else _bitwise_ops.bitwise_or
        return computed(either(self, other), self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        one = _ops.logical_xor if self._is_bool() else _bitwise_ops.bitwise_xor
        return computed(one(self, other), self, other)

    __rxor__ = __xor__

    def __eq__(self, other: Any) -> Any:
        if other is None:
            return NotImplemented
        return computed(_ops.equal(self, other), self, other)

    def __ne__(self, other: Any) -> Any:
        if other is None:
            return NotImplemented
        return computed(_ops.not_equal(self, other), self, other)

    def __lt__(self, other: Any) -> Any:
        return computed(_ops.less(self, other), self, other)

    def __le__(self, other: Any) -> Any:
        return computed(_ops.less_equal(self, other), self, other)

    def __gt__(self, other: Any) -> Any:
        return computed(_ops.greater(self, other), self, other)

    def __ge__(self, other: Any) -> Any:
        return computed(_ops.greater_equal(self, other), self, other)

    def __bool__(self) -> bool:
        if is_symbolic(self):
            from ._tracing import refusal

            raise refusal("bool")
        raise SchemaError("a ragged tensor of several values is neither true nor false\nhint: fl.reduce_all(x) and fl.reduce_any(x) are one value")

    def _is_bool(self) -> bool:
        return bool(self.dtype == "bool")  # type: ignore[attr-defined]


def item(ragged: Any, index: Any) -> Any:
    """``ragged[index]``: rows, and parts of them; numbers and bounds of the first dimension may be symbolic."""
    entries = index if isinstance(index, tuple) else (index,)
    for entry in entries:
        for part in (entry.start, entry.stop, entry.step) if isinstance(entry, slice) else (entry,):
            if part is not None and part is not Ellipsis and not isinstance(part, Tensor) and not hasattr(part, "__index__"):
                raise ArgumentError(f"{part!r} is no index of a ragged tensor\nhint: x[i], x[a:b], x[:, a:b] are; fl.gather(x, indices) takes several rows")
    if entries and _is_symbolic_entry(entries[0]):
        rows = _ops.range(0, ragged.nrows("int64") if is_symbolic(ragged) else len(ragged), 1)
        numbers = _ops.cast(rows, "int64")[entries[0]]
        chosen = _ops.gather(ragged, numbers)
        # One row has lost its dimension.
        rest = entries[1:] if isinstance(entries[0], Tensor) else (slice(None), *entries[1:])
        return chosen[rest] if entries[1:] else chosen
    if any(_is_symbolic_entry(entry) for entry in entries):
        raise ArgumentError("a symbolic index of a ragged tensor, behind its first dimension\nhint: x.to_tensor() is a plain tensor, which takes it")
    return computed(call("strided_slice", [ragged], [index]), ragged)


def _is_symbolic_entry(entry: Any) -> bool:
    parts = (entry.start, entry.stop, entry.step) if isinstance(entry, slice) else (entry,)
    return any(isinstance(part, Tensor) for part in parts)
