"""feedline feeds accelerators: training data from storage to batches, on every core, with tf.data's names and results.

>>> import feedline as fl
>>> ds = fl.Dataset.range(6).map(lambda x: x * x).batch(3)
>>> for batch in ds:
...     print(batch)
[0 1 4]
[ 9 16 25]
"""

import typing as _typing

from . import bitwise, debugging, image, io, linalg, lookup, math, nn, ragged, random, sparse, strings
from ._arguments import AUTOTUNE
from ._arrays import (
    argsort,
    boolean_mask,
    broadcast_to,
    einsum,
    fill,
    gather,
    gather_nd,
    identity,
    linspace,
    one_hot,
    ones,
    ones_like,
    pad,
    range,
    repeat,
    reshape,
    roll,
    scatter_nd,
    searchsorted,
    sequence_mask,
    sort,
    split,
    tile,
    transpose,
    truncatediv,
    truncatemod,
    unique,
    unique_with_counts,
    unstack,
    where,
    zeros,
    zeros_like,
)
from ._control import case, cond, foldl, map_fn, scan, switch_case, vectorized_map, while_loop
from ._constants import constant, convert_to_tensor
from ._dataset import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from ._dtypes import DType, as_dtype
from ._errors import (
    ArgumentError,
    CheckpointError,
    CorruptDataError,
    FeedlineError,
    InternalError,
    InvalidValueError,
    ResourceError,
    SchemaError,
    TraceError,
    UserCodeError,
)
from ._files import CsvDataset, FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from ._functions import numpy_function, py_function
from ._interop import numpy_input, pandas_input
from ._iterator import DatasetIterator
from ._native import Tensor
from ._ops import (
    abs,
    acos,
    acosh,
    add,
    argmax,
    argmin,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cast,
    clip_by_value,
    concat,
    cos,
    cosh,
    cumsum,
    ensure_shape,
    equal,
    exp,
    expand_dims,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    rank,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    reverse,
    round,
    shape,
    sigmoid,
    sign,
    sin,
    sinh,
    size,
    slice,
    sqrt,
    square,
    squeeze,
    stack,
    subtract,
    tan,
    tanh,
    tensor_scatter_nd_update,
    truediv,
)
from ._options import Options
from ._ragged import RaggedTensor, RaggedTensorSpec
from ._sparse import SparseTensor, SparseTensorSpec
from ._spec import DatasetSpec, TensorShape, TensorSpec
from .debugging import assert_equal, assert_greater, assert_less, assert_rank
from .linalg import eye, matmul, norm
from .random import set_seed
from .strings import as_string

divide = truediv

bool = as_dtype("bool")
int8 = as_dtype("int8")
int16 = as_dtype("int16")
int32 = as_dtype("int32")
int64 = as_dtype("int64")
uint8 = as_dtype("uint8")
uint16 = as_dtype("uint16")
uint32 = as_dtype("uint32")
uint64 = as_dtype("uint64")
float16 = as_dtype("float16")
bfloat16 = as_dtype("bfloat16")
float32 = as_dtype("float32")
float64 = as_dtype("float64")
string = as_dtype("string")

#: A new dimension of one, among indices.
newaxis = None


__version__: str

# Checkers of types would take every name for one of the package's.
if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> str:
        """``__version__``, which takes longer to find than all else here takes to import."""
        if name == "__version__":
            from importlib.metadata import version

            return version("feedline")
        raise AttributeError(f"module 'feedline' has no attribute {name!r}")


__all__ = [
    "AUTOTUNE",
    "ArgumentError",
    "CheckpointError",
    "CorruptDataError",
    "CsvDataset",
    "DType",
    "Dataset",
    "DatasetIterator",
    "DatasetSpec",
    "FeedlineError",
    "FixedLengthRecordDataset",
    "INFINITE_CARDINALITY",
    "InternalError",
    "InvalidValueError",
    "Options",
    "RaggedTensor",
    "RaggedTensorSpec",
    "ResourceError",
    "SchemaError",
    "SparseTensor",
    "SparseTensorSpec",
    "TFRecordDataset",
    "Tensor",
    "TensorShape",
    "TensorSpec",
    "TextLineDataset",
    "TraceError",
    "UNKNOWN_CARDINALITY",
    "UserCodeError",
    "abs",
    "acos",
    "acosh",
    "add",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "as_string",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "atan",
    "atan2",
    "atanh",
    "bfloat16",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_to",
    "case",
    "cast",
    "clip_by_value",
    "concat",
    "cond",
    "constant",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "debugging",
    "divide",
    "einsum",
    "ensure_shape",
    "equal",
    "exp",
    "expand_dims",
    "eye",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "foldl",
    "gather",
    "gather_nd",
    "greater",
    "greater_equal",
    "identity",
    "image",
    "int16",
    "int32",
    "int64",
    "int8",
    "io",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "lookup",
    "map_fn",
    "math",
    "matmul",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "newaxis",
    "nn",
    "norm",
    "not_equal",
    "numpy_function",
    "numpy_input",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "pandas_input",
    "pow",
    "py_function",
    "ragged",
    "random",
    "range",
    "rank",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "repeat",
    "reshape",
    "reverse",
    "roll",
    "round",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "set_seed",
    "shape",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "sparse",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "string",
    "strings",
    "subtract",
    "switch_case",
    "tan",
    "tanh",
    "tensor_scatter_nd_update",
    "tile",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unique",
    "unique_with_counts",
    "unstack",
    "vectorized_map",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]
