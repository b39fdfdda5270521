"""feedline feeds accelerators: training data from storage to batches, on every core, with tf.data's names and results.

>>> import feedline as fl
>>> ds = fl.Dataset.range(6).map(lambda x: x * x).batch(3)
>>> for batch in ds:
...     print(batch)
[0 1 4]
[ 9 16 25]
"""

from . import debugging, image, io, math, random
from ._arguments import AUTOTUNE
from ._dataset import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from ._dtypes import DType, as_dtype
from ._errors import (
    ArgumentError,
    CheckpointError,
    CorruptDataError,
    FeedlineError,
    InternalError,
    ResourceError,
    SchemaError,
    TraceError,
    UserCodeError,
)
from ._files import TextLineDataset, TFRecordDataset
from ._functions import numpy_function, py_function
from ._interop import numpy_input, pandas_input
from ._iterator import DatasetIterator
from ._native import Tensor, set_seed
from ._ops import (
    abs,
    add,
    cast,
    clip_by_value,
    concat,
    equal,
    exp,
    expand_dims,
    floor,
    gather,
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
    one_hot,
    pow,
    rank,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    reshape,
    round,
    shape,
    sign,
    size,
    sqrt,
    square,
    squeeze,
    stack,
    subtract,
    transpose,
    truediv,
    where,
)
from ._options import Options
from ._spec import TensorSpec

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

__all__ = [
    "AUTOTUNE",
    "ArgumentError",
    "CheckpointError",
    "CorruptDataError",
    "DType",
    "Dataset",
    "DatasetIterator",
    "FeedlineError",
    "INFINITE_CARDINALITY",
    "InternalError",
    "Options",
    "ResourceError",
    "SchemaError",
    "TFRecordDataset",
    "Tensor",
    "TensorSpec",
    "TextLineDataset",
    "TraceError",
    "UNKNOWN_CARDINALITY",
    "UserCodeError",
    "abs",
    "add",
    "as_dtype",
    "bfloat16",
    "bool",
    "cast",
    "clip_by_value",
    "concat",
    "debugging",
    "divide",
    "equal",
    "exp",
    "expand_dims",
    "float16",
    "float32",
    "float64",
    "floor",
    "gather",
    "greater",
    "greater_equal",
    "image",
    "int16",
    "int32",
    "int64",
    "int8",
    "io",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "math",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "not_equal",
    "numpy_function",
    "numpy_input",
    "one_hot",
    "pandas_input",
    "pow",
    "py_function",
    "random",
    "rank",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "reshape",
    "round",
    "set_seed",
    "shape",
    "sign",
    "size",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "string",
    "subtract",
    "transpose",
    "truediv",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "where",
]
