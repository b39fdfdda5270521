"""What cannot be done with a value that is not there yet, and what to write instead."""

from __future__ import annotations

import ast
import linecache
import os
import re
from types import FrameType, ModuleType

import numpy as np

#: By what was asked of a symbolic tensor: what is wrong with that, and what does it.
REFUSALS = {
    "bool": (
        "`if`, `while`, `and`, `or` and `not` need the value of a symbolic tensor, which has none yet",
        "write fl.where(condition, a, b) or fl.cond(condition, lambda: a, lambda: b) for `a if condition else b`, "
        "fl.while_loop for `while`, and `&`, `|`, `~` for `and`, `or`, `not`; Dataset.filter drops elements",
    ),
    "iter": (
        "a symbolic tensor cannot be iterated over: how many values it has is not known yet",
        "write the loop as one operation on the whole tensor (fl.reduce_sum(x), fl.where(…), x * 2), or as "
        "fl.map_fn(function, x)",
    ),
    "contains": ("`in` needs the values of a symbolic tensor, which has none yet", "fl.reduce_any(tensor == value) tells it"),
    "none": (
        "a symbolic tensor is never None, and nothing in it is",
        "write `x is None`; fl.math.is_nan(x) tells of numbers that are missing, x == '' of strings",
    ),
    "hash": (
        "a dict, a set and `in` of them look for a symbolic tensor by its value, which it has not yet",
        "fl.lookup.StaticHashTable(initializer, default) looks values up as a dict does, fl.reduce_any(x == [a, b]) tells whether x is one of several, "
        "fl.where(condition, a, b) chooses",
    ),
    "len": ("the length of a symbolic tensor is not known yet", "fl.shape(x)[0] is the length as a tensor"),
    "int": ("int() needs the value of a symbolic tensor, which has none yet", "fl.cast(x, fl.int64) is a tensor"),
    "float": ("float() needs the value of a symbolic tensor, which has none yet", "fl.cast(x, fl.float32) is a tensor"),
    "index": (
        "a symbolic tensor is no Python index, since it has no value yet",
        "fl.gather(values, x) takes the entries at x; x[i] takes the entries at a symbolic i",
    ),
    "path": (
        "a symbolic tensor is no path, since it has no value yet",
        "fl.io.read_file(path) reads a file, and fl.strings.join([folder, name], '/') makes a path",
    ),
    "str": (
        "str() and f-strings need the value of a symbolic tensor, which has none yet",
        "fl.strings.as_string(x) is a number as a string, fl.strings.format('… {} …', x) a text with it in, and `+` "
        "puts strings one behind the other; repr(x) says what is known of it",
    ),
    "array": ("numpy needs the values of a symbolic tensor, which has none yet", "use the function of that name in fl"),
    "elements": (
        "a dataset made of an element, such as a window, has no elements while the function is traced",
        "w.batch(n), in the function of a flat_map, gives them as a tensor, w.map(function) makes something of each, "
        "w.reduce(state, function) one thing of all",
    ),
    "num_elements": (
        "how many elements a dataset made of an element has, such as a window, is not known while the function is traced",
        "w.cardinality() is their number as a tensor",
    ),
}

#: Calls of Python's that ask a tensor for its values, and what to write in their place.
_CALLS = {
    "max": "fl.maximum(x, y) is the larger of two tensors, fl.reduce_max(x) the largest value of one",
    "min": "fl.minimum(x, y) is the smaller of two tensors, fl.reduce_min(x) the smallest value of one",
    "sum": "fl.reduce_sum(x) does it",
    "any": "fl.reduce_any(x) does it",
    "all": "fl.reduce_all(x) does it",
    "sorted": "fl.sort(x) does it",
    "reversed": "fl.reverse(x, [0]) does it",
    "range": "fl.range(n) is a tensor; fl.map_fn(function, fl.range(n)) or fl.while_loop is a loop",
    "zip": "fl.map_fn(function, (x, y)) goes through two tensors at a time",
    "map": "fl.map_fn(function, x) does it",
    "enumerate": "fl.map_fn(function, (fl.range(fl.shape(x)[0]), x)) does it",
    "open": "fl.io.read_file(path) reads a file",
    "os.path.join": "fl.strings.join([folder, name], '/') does it",
    "isinstance": "x.dtype tells what it is",
}

#: Functions of modules that need values, by where they are from, and what to write in their place.
_FUNCTIONS_OF_MODULES = {
    "numpy.frombuffer": "fl.io.decode_raw(x, dtype) does it",
    "numpy.array": "x is a tensor as it is; fl.cast(x, dtype) gives it another type",
    "numpy.asarray": "x is a tensor as it is; fl.cast(x, dtype) gives it another type",
    "re.sub": "fl.strings.regex_replace(x, pattern, rewrite) does it",
    "re.match": "fl.strings.regex_full_match(x, pattern) tells whether all of x matches",
    "re.search": "fl.strings.regex_full_match(x, '.*pattern.*') tells whether it is in x",
    "re.fullmatch": "fl.strings.regex_full_match(x, pattern) does it",
    "re.split": "fl.strings.split(x, sep) does it for a separator",
    "base64.b64decode": "fl.io.decode_base64(x) does it for the web's alphabet ('-' and '_')",
    "base64.urlsafe_b64decode": "fl.io.decode_base64(x) does it",
    "base64.urlsafe_b64encode": "fl.io.encode_base64(x) does it",
    "zlib.decompress": "fl.io.decode_compressed(x, 'ZLIB') does it",
    "gzip.decompress": "fl.io.decode_compressed(x, 'GZIP') does it",
    "posixpath.join": "fl.strings.join([folder, name], '/') does it",
    "ntpath.join": "fl.strings.join([folder, name], '/') does it",
    "PIL.Image.open": "fl.io.decode_image(x) decodes the bytes of an image, and fl.io.read_file(path) reads them",
    "_io.BytesIO": "fl.io.decode_image(x) decodes the bytes of an image, fl.io.decode_raw(x, dtype) numbers",
}

#: numpy's functions of values that are an operation under another name; Python's `math` has some of them, too.
UFUNCS = {
    "true_divide": "truediv",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "floormod",
    "fmod": "floormod",
    "mod": "floormod",
    "power": "pow",
    "float_power": "pow",
    "absolute": "abs",
    "fabs": "abs",
    "isnan": "is_nan",
    "isfinite": "is_finite",
    "isinf": "is_inf",
    "rint": "round",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
}

#: numpy's functions that an operator of Python's does, by the type of what it gets: the names of its methods.
OPERATORS = {
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "invert": "invert",
    "left_shift": "lshift",
    "right_shift": "rshift",
    "matmul": "matmul",
}

#: torch's functions that are neither called as numpy's nor as ours.
_OF_TORCH = {
    "cat": "concat",
    "hstack": "concat",
    "unsqueeze": "expand_dims",
    "permute": "transpose",
    "clamp": "clip_by_value",
    "arange": "range",
    "full": "fill",
    "flatten": "reshape",
    "mm": "matmul",
    "bmm": "matmul",
    "masked_select": "boolean_mask",
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "div": "truediv",
    "neg": "negative",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "topk": "top_k",
    "tensor": "convert_to_tensor",
    "as_tensor": "convert_to_tensor",
    "from_numpy": "convert_to_tensor",
}

#: numpy's other functions, of whose arguments fl's differ.
FUNCTIONS = {
    "sum": "reduce_sum",
    "mean": "reduce_mean",
    "average": "reduce_mean",
    "max": "reduce_max",
    "amax": "reduce_max",
    "min": "reduce_min",
    "amin": "reduce_min",
    "prod": "reduce_prod",
    "any": "reduce_any",
    "all": "reduce_all",
    "std": "reduce_std",
    "var": "reduce_variance",
    "clip": "clip_by_value",
    "concatenate": "concat",
    "hstack": "concat",
    "vstack": "stack",
    "take": "gather",
    "flip": "reverse",
    "flipud": "reverse",
    "fliplr": "reverse",
    "rot90": "rot90",
    "swapaxes": "transpose",
    "moveaxis": "transpose",
    "permute_dims": "transpose",
    "ravel": "reshape",
    "dot": "matmul",
    "round": "round",
    "around": "round",
    "digitize": "bucketize",
    "full_like": "fill",
    "nonzero": "where",
    "argwhere": "where",
    "astype": "cast",
}

#: What Python says of something that it cannot do with a symbolic tensor, and what to write instead.
_SAID = {
    "support item assignment": "fl.tensor_scatter_nd_update(x, [[i]], [value]) or fl.where(mask, value, x) is a tensor with another value",
    "support item deletion": "fl.concat([x[:i], x[i + 1:]], 0) is the tensor without it",
    "number is required, not": "fl.strings.as_string(x) is a number as a string, fl.strings.format('… {} …', x) a text with it in",
    "bytes-like object": "strings are bytes already, `+` puts one behind the other, and fl.strings.format('… {} …', x) is a text with them in",
    "object to bytes": "strings are bytes already, and fl.io.decode_raw(x, dtype) gives their numbers",
    "is not an iterator": "x[0] is the first entry, and fl.map_fn(function, x) a loop",
    "must support iteration": "fl.foldl(function, x) does it",
    "expected a sequence of integers or": "fl.zeros(shape), fl.ones(shape) and fl.fill(dims, value) take a symbolic shape",
    "attribute 'shape' of": "fl.reshape(x, shape) gives it another shape, x.set_shape(shape) says what it is",
    "cannot pickle": "x itself is its copy: nothing changes it",
    "expected string of length 1": "fl.strings.unicode_decode(x, 'UTF-8') gives the numbers of characters",
    "is not callable": "x is a tensor, and no function",
    "is not a mapping": "x is a tensor, and no dict",
    "context manager": "x is a tensor, and nothing to open",
    "'Dataset' object is not subscriptable": "w.skip(n) is a dataset without the first n elements, w.take(n) of these alone, w.batch(n) one of tensors",
    "argument of type 'Dataset'": "w.reduce(False, lambda found, x: found | (x == value)) tells whether a value is among its elements",
}

#: What operators say of a symbolic tensor, and what to write instead.
_OPERATIONS: dict[tuple[type[ast.expr], str], str] = {
    (ast.Subscript, "no dict"): "element['name'] takes a part of a dict: here it is a part itself",
    (ast.Subscript, "out of bounds"): "x[-1] is the last entry, x[a:b] ends where the tensor does, and x.shape tells how many there are",
    (ast.Subscript, "of 0 dimensions"): "x is a single value; fl.strings.substr(x, pos, len) is a part of a string, fl.expand_dims(x, 0) a tensor of one",
    (ast.Subscript, "indices for a tensor"): "x.shape tells its dimensions, and fl.expand_dims(x, -1) adds one",
    (ast.Compare, "takes numbers, not string"): "strings are compared by == and !=; fl.strings.to_number(x) is a number",
    (ast.UnaryOp, "takes signed numbers"): "fl.cast(x, fl.int32) is a signed number, fl.strings.to_number(x) that of a string",
    (ast.UnaryOp, "takes bools"): "`~` is `not` of bools: compare first (~(x > 0)), or fl.cast(x, fl.int32) for the bits of integers",
    (ast.BinOp, "takes integers"): "fl.cast(x, fl.int32) is an integer; `&` and `|` join conditions in parentheses: (x > 0) & (x < 3)",
    (ast.BinOp, "takes tensors, not"): "a list, and no tuple or dict, stands for a tensor; fl.concat([x, y], 0) puts two one behind the other",
}

#: What an array of numpy's, a tensor of torch's or a string has and a symbolic tensor has not, and what to write instead.
_ATTRIBUTES = {
    "astype": "fl.cast(x, dtype)",
    "to": "fl.cast(x, dtype)",
    "float": "fl.cast(x, fl.float32)",
    "long": "fl.cast(x, fl.int64)",
    "sum": "fl.reduce_sum(x, axis)",
    "mean": "fl.reduce_mean(x, axis)",
    "max": "fl.reduce_max(x, axis)",
    "min": "fl.reduce_min(x, axis)",
    "prod": "fl.reduce_prod(x, axis)",
    "any": "fl.reduce_any(x, axis)",
    "all": "fl.reduce_all(x, axis)",
    "std": "fl.math.reduce_std(x, axis)",
    "var": "fl.math.reduce_variance(x, axis)",
    "argmax": "fl.argmax(x, axis)",
    "argmin": "fl.argmin(x, axis)",
    "argsort": "fl.argsort(x)",
    "sort": "fl.sort(x)",
    "cumsum": "fl.cumsum(x, axis)",
    "clip": "fl.clip_by_value(x, low, high)",
    "round": "fl.round(x)",
    "reshape": "fl.reshape(x, shape)",
    "view": "fl.reshape(x, shape)",
    "flatten": "fl.reshape(x, [-1])",
    "ravel": "fl.reshape(x, [-1])",
    "transpose": "fl.transpose(x, perm)",
    "permute": "fl.transpose(x, perm)",
    "swapaxes": "fl.transpose(x, perm)",
    "T": "fl.transpose(x)",
    "squeeze": "fl.squeeze(x, axis)",
    "unsqueeze": "fl.expand_dims(x, axis)",
    "repeat": "fl.repeat(x, repeats, axis)",
    "take": "fl.gather(x, indices, axis=axis)",
    "dot": "fl.matmul(x, y)",
    "fill": "fl.fill(dims, value)",
    "copy": "x itself, which nothing changes",
    "clone": "x itself, which nothing changes",
    "size": "fl.size(x)",
    "ndim": "fl.rank(x), or len(x.shape)",
    "split": "fl.strings.split(x, sep) for strings, fl.split(x, num) for tensors",
    "strip": "fl.strings.strip(x)",
    "lower": "fl.strings.lower(x)",
    "upper": "fl.strings.upper(x)",
    "replace": "fl.strings.regex_replace(x, pattern, rewrite)",
    "startswith": "fl.strings.regex_full_match(x, 'prefix.*')",
    "endswith": "fl.strings.regex_full_match(x, '.*suffix')",
    "join": "fl.strings.join([x, y], separator)",
    "decode": "x itself: strings are bytes, and fl.strings.unicode_decode(x, 'UTF-8') gives characters",
    "encode": "x itself: strings are bytes",
    "numpy": "nothing: it has no value yet",
    "item": "nothing: it has no value yet",
    "tolist": "nothing: it has no value yet",
}


def of_call(frame: FrameType, what: str) -> tuple[str, str] | None:
    """What is wrong with what a frame is doing, which asks for ``what``, if it is a call of Python's, `values[x]` or `x in y`, and what does it;
    ``None`` for others."""
    expression = expression_of(frame)
    parsed = _parsed(expression)
    if isinstance(parsed, ast.Subscript) and what in ("array", "index", "iter", "len"):
        return REFUSALS["index"]
    name, bracket, _ = expression.partition("(")
    if isinstance(parsed, ast.Call):
        name = ast.unparse(parsed.func)
    remedy = _of_function(frame, name) if bracket else None
    if remedy is not None:
        return f"{name}() needs the value of a symbolic tensor, which has none yet", remedy
    # On Python 3.11 the expression of a loop begins with its `for`.
    is_loop = " for " in f" {expression}"
    return REFUSALS["contains"] if " in " in expression and not is_loop else None


def of_other_call(frame: FrameType) -> tuple[str, str] | None:
    """As ``of_call``, of a call that nothing is known about."""
    parsed = _parsed(expression_of(frame))
    if not isinstance(parsed, ast.Call):
        return None
    return f"{ast.unparse(parsed.func)}() needs the value of a symbolic tensor, which has none yet", "there is no fl function for it"


def of_failed_call(frame: FrameType, instruction: int, said: str) -> str | None:
    """What does what the frame did at ``instruction``, which raised something that ``said`` so; ``None`` where nothing is known."""
    parsed = _parsed(expression_of(frame, instruction))
    remedy = _of_function(frame, ast.unparse(parsed.func)) if isinstance(parsed, ast.Call) else None
    return remedy or next((remedy for part, remedy in _SAID.items() if part in said), None)


def of_failed_operation(frame: FrameType, instruction: int, said: str) -> str | None:
    """What to write in place of an operation of feedline's at ``instruction`` that ``said`` why it failed; ``None`` where it said that itself."""
    if "\nhint: " in said:
        return None
    parsed = _parsed(expression_of(frame, instruction))
    return next((remedy for (kind, part), remedy in _OPERATIONS.items() if isinstance(parsed, kind) and part in said), None)


def is_of_feedline(frame: FrameType, instruction: int) -> bool:
    """Whether what the frame did at ``instruction`` is a call of a function of feedline's, which as Python would not be there either."""
    parsed = _parsed(expression_of(frame, instruction))
    if not isinstance(parsed, ast.Call):
        return False
    called = _named(frame, ast.unparse(parsed.func))
    return str(getattr(called, "__module__", "")).partition(".")[0] == "feedline"


def _of_function(frame: FrameType, name: str) -> str | None:
    if name in _CALLS:
        return _CALLS[name]
    called = _named(frame, name)
    module, function = getattr(called, "__module__", None), getattr(called, "__name__", "")
    if isinstance(getattr(called, "__self__", None), re.Pattern):
        module = "re"
    if module == "math":
        return _does_it(UFUNCS.get(function, function))
    if _is_of_torch(called):
        name = name.rpartition(".")[2]
        return _does_it({**UFUNCS, **FUNCTIONS, **_OF_TORCH}.get(name, name))
    if isinstance(called, type) and issubclass(called, (np.number, np.bool_)):
        return "fl.cast(x, dtype) is a tensor"
    if isinstance(called, type) and issubclass(called, os.PathLike):
        return REFUSALS["path"][1]  # pathlib asks what is no path for one, and from Python 3.12 on tells what came of it in words of its own
    return _FUNCTIONS_OF_MODULES.get(f"{module}.{function}")


def _does_it(operation: str) -> str:
    found = public_name(operation)
    return f"{found} does it" if found else "there is no fl function for it yet"


def _is_of_torch(called: object) -> bool:
    """Whether it is a function of torch's; those in C tell no module of theirs, but have a class whose it is."""
    module = getattr(called, "__module__", None) or getattr(getattr(called, "__self__", None), "__module__", None)
    return str(module).partition(".")[0] == "torch"


def _parsed(expression: str) -> ast.expr | None:
    try:
        return ast.parse(expression, mode="eval").body
    except SyntaxError:  # a part of a line, or nothing
        return None


def _named(frame: FrameType, name: str) -> object:
    """What ``name``, with dots in it, is where the frame is; ``None`` if it is no such name, or unknown."""
    first, *attributes = name.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for attribute in attributes:
        if isinstance(value, re.Pattern):
            value = getattr(value, attribute, None)
        else:
            value = vars(value).get(attribute) if isinstance(value, ModuleType) else None
    return value


def of_attribute(name: str) -> str | None:
    """What to write instead of ``x.name``; ``None`` where nothing is known."""
    return _ATTRIBUTES.get(name)


def public_name(operation: str) -> str | None:
    """How users write an operation: ``fl.sqrt``, ``fl.math.is_nan``; ``None`` if there is none of that name."""
    import feedline

    places: list[tuple[str, ModuleType]] = [("fl", feedline)]
    places += [(f"fl.{name}", getattr(feedline, name)) for name in ("math", "nn", "linalg", "image", "strings")]
    for place, module in places:
        if callable(getattr(module, operation, None)) and operation in getattr(module, "__all__", dir(module)):
            return f"{place}.{operation}"
    return None


def expression_of(frame: FrameType, instruction: int | None = None) -> str:
    """The text of what a frame is doing, or did at ``instruction``: the call or operation, not the whole line; empty where the source is not known."""
    positions = list(frame.f_code.co_positions())
    place = frame.f_lasti if instruction is None else instruction
    line, end_line, start, end = positions[place // 2] if place >= 0 else (None,) * 4
    if line is None or start is None:
        return ""
    text = linecache.getline(frame.f_code.co_filename, line).encode()
    return text[start : end if end_line == line else None].decode(errors="replace")
