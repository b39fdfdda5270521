"""Tensors that are kept as several plain ones, and what is known of them: what ragged and sparse ones share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

__all__ = ["Composite", "of_parts"]


class Composite:
    """A tensor made of several, its parts; or the spec of one."""

    kind: ClassVar[str]
    """``ragged`` or ``sparse``."""

    def parts(self) -> list[Any]:
        """The parts, in the order that the engine keeps them in."""
        raise NotImplementedError


def of_parts(kind: str, parts: Sequence[Any]) -> Any:
    """The tensor of these parts, or, where they are specs, its spec. A ragged one without ragged dimensions is a plain one."""
    from ._ragged import RaggedTensor, RaggedTensorSpec
    from ._sparse import SparseTensor, SparseTensorSpec
    from ._spec import TensorSpec

    if isinstance(parts[0], TensorSpec):
        return RaggedTensorSpec.of_parts(parts) if kind == "ragged" else SparseTensorSpec.of_parts(parts)
    if kind == "sparse":
        return SparseTensor(*parts)
    return RaggedTensor(parts[0], parts[1:]) if len(parts) > 1 else parts[0]
