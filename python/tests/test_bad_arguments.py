"""What arguments of functions cannot be is told by their names, where the function is called."""

from __future__ import annotations

import inspect
import tracemalloc

import numpy as np
import pytest

import feedline as fl
from feedline._checking import _kind_of

NAMES = "bitwise debugging image io linalg lookup math nn ragged random sparse strings".split()
MODULES = [fl, *(getattr(fl, name) for name in NAMES)]


def functions():
    found = {}
    for module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) and not value.__module__.endswith("_ops"):
                found[f"{value.__module__.removeprefix('feedline.')}.{name}"] = value
    return found


FUNCTIONS = functions()
# Made of anything, or of any function: there is nothing to check by type.
UNCHECKED = {"_constants.constant", "_constants.convert_to_tensor", "_dtypes.as_dtype", "random.set_seed", "_interop.numpy_input", "_interop.pandas_input", "ragged.map_flat_values"}


def test_functions_check_their_arguments():
    assert {name for name, function in FUNCTIONS.items() if not hasattr(function, "__wrapped__")} <= UNCHECKED


# What hardly any argument is. A function is left out: what it does when it is called is its own.
WRONG = [None, -1, 2**70, 1.5, "x", b"y", [], [[1], [2, 3]], {}, np.zeros((2, 2)), np.array(["a"], object), float("nan"), object(), fl.int32, True]
# They run code of the user's, set what all others use, or touch files.
LEFT_OUT = {"set_seed", "py_function", "numpy_function", "write_file", "read_file", "numpy_input", "pandas_input", "index_table_from_file"}


def every_function():
    for module in MODULES:
        for name in module.__all__:
            if inspect.isfunction(getattr(module, name)) and name not in LEFT_OUT:
                yield f"{module.__name__.removeprefix('feedline').lstrip('.')}.{name}".lstrip("."), getattr(module, name)


EVERY = dict(every_function())


@pytest.mark.parametrize("name", EVERY)
def test_no_value_of_any_argument_raises_an_error_without_its_name(name):
    function = EVERY[name]
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "name" and p.kind in kinds]
    rows = fl.Dataset.range(4).batch(2)
    for as_given in (lambda x: x, fl.strings.as_string):
        for parameter in parameters:
            for wrong in WRONG:

                def called(x, parameter=parameter.name, wrong=wrong, as_given=as_given):
                    given = {p.name: as_given(x) for p in parameters if p.default is p.empty}
                    return function(**{**given, parameter: wrong})

                try:
                    rows.map(called)
                except fl.InternalError:
                    raise
                except fl.FeedlineError:
                    pass  # which says what is wrong in words of its own
                except (TypeError, ValueError) as error:
                    assert parameter.name in str(error), f"{parameter.name}={wrong!r}: {error!r}"


CASES = [
    (name, parameter.name)
    for name, function in FUNCTIONS.items()
    if hasattr(function, "__wrapped__")
    for parameter in inspect.signature(function).parameters.values()
    if _kind_of(parameter.annotation) is not None and parameter.name != "name" and parameter.annotation != "None"
]


@pytest.mark.parametrize("name, parameter", CASES, ids=[f"{name}-{parameter}" for name, parameter in CASES])
def test_what_an_argument_cannot_be_is_told_by_its_name(name, parameter):
    class Wrong:
        def __repr__(self):
            return "something wrong"

    with pytest.raises((fl.ArgumentError, TypeError), match=f"{parameter} is .*, not something wrong"):
        FUNCTIONS[name](**{parameter: Wrong()})


KEYS = fl.lookup.KeyValueTensorInitializer(["a"], [1])
WORDS = fl.lookup.KeyValueTensorInitializer(["a"], [0], value_dtype=fl.int64)
CALLS = {
    "sort direction": (lambda x: fl.sort([1], direction=3), "sort: direction is a string, not 3"),
    "pad mode": (lambda x: fl.pad([1], [[1, 1]], mode=3), "pad: mode is a string, not 3"),
    "table": (lambda x: fl.lookup.StaticHashTable(5, 1), "initializer is a KeyValueTensorInitializer or a TextFileInitializer, not 5"),
    "default": (lambda x: fl.lookup.StaticHashTable(KEYS, "x"), "default_value: 'x' is no int32"),
    "no default": (lambda x: fl.lookup.StaticHashTable(KEYS, [1, 2]), "default_value is one int32, as the values are"),
    "keys": (lambda x: fl.lookup.KeyValueTensorInitializer(["a"], [1], key_dtype=fl.int64), "keys: .'a'. is no int64"),
    "symbolic keys": (lambda x: fl.lookup.KeyValueTensorInitializer([x], [1]), "keys must be known when the plan is built"),
    "buckets": (lambda x: fl.lookup.StaticVocabularyTable(None, "x"), "num_oov_buckets is a whole number, not 'x'"),
    "vocabulary": (lambda x: fl.lookup.StaticVocabularyTable("words.txt", 1), "initializer is a KeyValueTensorInitializer"),
    "turns": (lambda x: fl.while_loop(lambda i: i < x, lambda i: i + 1, 0, maximum_iterations="a"), "maximum_iterations is a whole number or None, not 'a'"),
    "branch": (lambda x: fl.cond(x > 1, x, x), "cond: true_fn is a function without arguments, not <Tensor"),
    "branches": (lambda x: fl.switch_case(x, [x]), "branch_fns has <Tensor.*, which is no function\nhint: lambda: x"),
    "no branches": (lambda x: fl.switch_case(x, x), "branch_fns is a list of functions"),
    "numbers of branches": (lambda x: fl.switch_case(x, {"a": lambda: x}), "number of a function in branch_fns is a whole number, not 'a'"),
    "cases": (lambda x: fl.case([(x > 1, x)], default=lambda: x), "case: pred_fn_pairs has <Tensor.*, which is no function"),
    "function": (lambda x: fl.map_fn(3, [1, 2]), "map_fn: fn is a function, not 3"),
    "sparse": (lambda x: fl.sparse.to_dense(x), "sparse.to_dense: sp_input is a fl.SparseTensor, not <Tensor"),
    "bytes at random": (lambda x: fl.random.uniform([], 0, 10, fl.uint8), "random.uniform: dtype is a type of floats, int32 or int64, not fl.uint8"),
    "bools at random": (lambda x: fl.random.uniform([2], dtype=fl.bool), "random.uniform: dtype is a type of floats"),
    "normal integers": (lambda x: fl.random.normal([2], dtype=fl.int32), "random.normal: dtype is a type of floats, not fl.int32"),
    "half a number": (lambda x: fl.random.uniform([], 0, 1.5, fl.int32), "random.uniform: maxval is 1.5, and must be fl.int32"),
    "half an int": (lambda x: fl.random.int([], 0.5, 10), "random.int: minval is 0.5, and must be fl.int64"),
    "an int too large": (lambda x: fl.random.uniform([], 0, 2**40, fl.int32), "random.uniform: maxval is 1099511627776, and must be fl.int32"),
    "half a default": (lambda x: fl.lookup.StaticHashTable(KEYS, 1.5), "default_value: 1.5 is no int32"),
    "large default": (lambda x: fl.lookup.StaticHashTable(KEYS, 2**40), "default_value: 1099511627776 is no int32"),
    "large value": (lambda x: fl.lookup.KeyValueTensorInitializer(["a"], [300], value_dtype=fl.uint8), "values: .300. is no uint8"),
    "half a value": (lambda x: fl.lookup.KeyValueTensorInitializer(["a"], [1.7], value_dtype=fl.int64), "values: .1.7. is no int64"),
    "half a key": (lambda x: fl.lookup.KeyValueTensorInitializer([1.5], [1], key_dtype=fl.int64), "keys: .1.5. is no int64"),
    "keys of strings": (lambda x: fl.lookup.KeyValueTensorInitializer([1, 2], [1, 2], key_dtype=fl.string), "keys: .1, 2. is no string"),
    "type of what is looked up": (lambda x: fl.lookup.StaticVocabularyTable(WORDS, 1, fl.int32), "lookup_key_dtype: the keys: .* is no int32"),
    "no type of keys": (lambda x: fl.lookup.StaticVocabularyTable(None, 1, fl.float32), "lookup_key_dtype is string, int32 or int64, not float32"),
    "axis of two numbers": (lambda x: fl.linspace(0.0, 1.0, 3, axis=9), "linspace.*: there is no axis 9"),
    "sizes in a shape": (lambda x: fl.debugging.assert_shapes([(x, [1.5])]), "assert_shapes: shapes: .1.5. is no shape"),
    "values that are cold": (lambda x: fl.one_hot([0, 1], 3, off_value=[1, 2]), "one_hot: off_value is one value, not .1, 2."),
    "sizes": (lambda x: fl.TensorShape(["a"]), "TensorShape: dims is numbers and None, not"),
    "size below zero": (lambda x: fl.TensorShape([-2]), "TensorShape: .-2. is no shape"),
    "spec without a shape": (lambda x: fl.TensorSpec(object()), "TensorSpec: shape is numbers and None, not"),
    "ragged spec without a shape": (lambda x: fl.RaggedTensorSpec(object()), "RaggedTensorSpec: shape is numbers and None, not"),
    "sparse spec without a shape": (lambda x: fl.SparseTensorSpec([None, "a"]), "SparseTensorSpec: shape is numbers and None, not"),
    "row splits": (lambda x: fl.RaggedTensor([1], 3), "RaggedTensor: nested_row_splits is a list of row splits, not 3"),
    "places of values": (lambda x: fl.SparseTensor([["a", "b"]], [1], [2, 2]), "SparseTensor: indices is whole numbers, not"),
    "shape of values": (lambda x: fl.SparseTensor([[0, 1]], [1], None), "SparseTensor: dense_shape is whole numbers, not None"),
    "too large a constant": (lambda x: fl.constant(5, shape=10**18), "constant: shape 1000000000000000000 has more values than a tensor may"),
    "no constant": (lambda x: fl.constant(2**70), "constant: value: 1180591620717411303424"),
    "joined": (lambda x: fl.strings.join("abc"), "strings.join: inputs is a list, not 'abc'"),
}


def test_a_shape_that_is_one_number():
    with pytest.raises(fl.SchemaError, match=r"debugging.assert_shapes: a tensor has the shape \(\), and must have \(1,\)"):
        fl.debugging.assert_shapes({"a": 1})


def test_padded_shapes_may_be_a_tensor_or_a_tensor_shape():
    rows = fl.Dataset.range(3).map(lambda x: fl.fill([x], x))
    for shapes, width in ((fl.constant([4], dtype=fl.int64), 4), (fl.TensorShape([4]), 4), (fl.TensorShape([None]), 2)):
        assert next(iter(rows.padded_batch(3, padded_shapes=shapes))).shape == (3, width)


@pytest.mark.parametrize("name", CALLS)
def test_wrong_calls(name):
    call, message = CALLS[name]
    with pytest.raises((fl.ArgumentError, TypeError), match=message):
        fl.Dataset.range(3).map(call)


NUMBER = fl.io.FixedLenFeature([], fl.int64)
LATER_ERRORS = {
    "type of map_fn": (lambda x: fl.map_fn(lambda y: y / 2, fl.range(3), fn_output_signature=fl.int32), "fn_output_signature says fl.int32"),
    "shape of map_fn": (lambda x: fl.map_fn(lambda y: y, fl.range(3), fn_output_signature=fl.TensorSpec([2], fl.int32)), "fn_output_signature says TensorSpec"),
    "number of map_fn": (lambda x: fl.map_fn(lambda y: (y, y), fl.range(3), fn_output_signature=fl.int32), "gives 2 tensors, fn_output_signature has 1"),
    "both names": (lambda x: fl.map_fn(lambda y: y, fl.range(3), fl.int32, fn_output_signature=fl.int32), "one of fn_output_signature and dtype"),
    "split": (lambda x: fl.split([1, 2], [1, 1], 0, num=3), "num is 3, and num_or_size_splits has 2 sizes"),
    "uniform": (lambda x: fl.random.uniform([], 5, 1, fl.int32), "minval is 5, it must be below maxval, which is 1"),
    "reflected": (lambda x: fl.pad([1, 2], [[2, 0]], "REFLECT"), r"paddings has \[2, 0\] for dimension 0, and REFLECT can take 1 of its 2"),
    "mirrored": (lambda x: fl.pad([1, 2], [[3, 0]], "symmetric"), r"SYMMETRIC can take 2 of its 2"),
    "sparse": (lambda x: fl.SparseTensor([[0, 0]], [1], [1]), "indices, values and dense_shape are of shapes .1, 2., .1,. and .1,."),
    "json": (lambda x: fl.io.decode_json("{}", {"a": NUMBER, "a.b": NUMBER}), "'a' as a value and 'a.b', for which it is an object"),
}


@pytest.mark.parametrize("name", LATER_ERRORS)
def test_what_would_fail_for_every_element_is_told_when_it_is_built(name):
    call, message = LATER_ERRORS[name]
    with pytest.raises((fl.ArgumentError, fl.SchemaError), match=message):
        fl.Dataset.range(3).map(call)


def test_steps_that_would_fail_for_every_element(tmp_path):
    numbers = fl.Dataset.range(3)
    for step in ("take", "skip"):
        with pytest.raises(TypeError, match=f"{step}: count is a whole number, not None"):
            getattr(numbers, step)(None)
    with pytest.raises(TypeError, match="pack: length is a whole number, not True"):
        numbers.batch(2).pack(True)
    with pytest.raises(fl.SchemaError, match="shard_func gives one integer, not fl.float64"):
        numbers.save(tmp_path / "saved", shard_func=lambda x: x / 2)
    with pytest.raises(fl.ArgumentError, match="save: path is empty"):
        numbers.save("")
    with pytest.raises(fl.SchemaError, match="group_by_window: reduce_func returned 5, not a dataset"):
        numbers.group_by_window(lambda x: x, lambda key, window: 5, 2)
    with pytest.raises(fl.SchemaError, match="padded_batch: padding_values: nan is no int64"):
        numbers.padded_batch(2, padding_values=float("nan"))
    with pytest.raises(fl.SchemaError, match="take_while: predicate returns one bool, not None"):
        numbers.take_while(lambda x: None)
    with pytest.raises(fl.ArgumentError, match=r"target_dist must be numbers from 0, not all 0, not \[NaN, 0.5\]"):
        numbers.rejection_resample(lambda x: x, [float("nan"), 0.5])
    for class_func in (lambda x: fl.cast(x, fl.float32), lambda x: "a", lambda x: [x, x]):
        with pytest.raises(fl.SchemaError, match="class_func gives one integer, the class, not"):
            numbers.rejection_resample(class_func, [0.5, 0.5])
    for sizes in (np.int64(3), np.array(3), [3]):
        assert [x.tolist() for x in fl.Dataset.range(6).batch(2).rebatch(sizes)] == [[0, 1, 2], [3, 4, 5]]
    (mirrored,) = fl.Dataset.from_tensors([1, 2]).map(lambda x: fl.pad(x, [[1, 1]], "REFLECT"))
    assert mirrored.tolist() == [2, 1, 2, 1]


FILES = {
    "vocab_size='x'": "vocab_size is a whole number or None, not 'x'",
    "key_dtype='foo'": "key_dtype is a dtype, not 'foo'",
    "vocab_size=-1": "vocab_size is a number from 1 on, not -1",
    "key_index='a'": "key_index is a whole number, not 'a'",
    "delimiter=''": "delimiter is what stands between two columns, such as a tab, not ''",
    "value_index_offset=1.5": "value_index_offset is a whole number, not 1.5",
}


@pytest.mark.parametrize("argument", FILES)
def test_arguments_of_tables_from_files(argument, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("cat\ndog\n")
    index = fl.lookup.TextFileIndex
    given = {"key_dtype": fl.string, "key_index": index.WHOLE_LINE, "value_dtype": fl.int64, "value_index": index.LINE_NUMBER}
    with pytest.raises((fl.ArgumentError, TypeError), match=FILES[argument]):
        fl.lookup.TextFileInitializer(path, **{**given, **eval(f"dict({argument})")})


OUTSIDE = {
    "fl.RaggedTensor.from_row_lengths([1, 2], 'x')": "from_row_lengths: row_lengths is a list of whole numbers, not 'x'",
    "fl.RaggedTensor.from_row_splits([1, 2], 'x')": "from_row_splits: row_splits is a list of whole numbers, not 'x'",
    "fl.RaggedTensor.from_row_splits({'a': 1}, [0, 1])": "from_row_splits: values: .* is no tensor",
    "fl.RaggedTensor.from_row_splits([1], [[0, 1]])": "row_splits is a list of whole numbers",
    "fl.RaggedTensor.from_nested_row_splits([1, 2], fl.int32)": "from_nested_row_splits: nested_row_splits is a list, not fl.int32",
    "fl.RaggedTensor.from_nested_row_splits([1, 2], ['a'])": "nested_row_splits is a list of whole numbers, not 'a'",
    "fl.RaggedTensor.from_tensor([[1]], ragged_rank='')": "from_tensor: ragged_rank is a whole number, not ''",
    "fl.RaggedTensor.from_tensor([[1]], row_splits_dtype=0)": "from_tensor: row_splits_dtype is a dtype, not 0",
    "fl.lookup.KeyValueTensorInitializer(['a'], [1], key_dtype=7)": "key_dtype is a dtype or None, not 7",
    "fl.lookup.KeyValueTensorInitializer(fl.int32, [1])": "KeyValueTensorInitializer: keys: fl.int32 .* is no tensor",
    "fl.constant([1], dtype='foo')": "constant: dtype: 'foo' is no dtype",
    "fl.pandas_input([1, 2])": "pandas_input: df is a data frame, not list",
    "fl.strings.split(['a'], b'\\xff')": "split: sep is .*, which is no UTF-8",
}


@pytest.mark.parametrize("call", OUTSIDE)
def test_arguments_of_calls_outside_of_functions(call):
    with pytest.raises((fl.ArgumentError, TypeError), match=OUTSIDE[call]):
        eval(call)


def test_a_scalar_is_no_sparse_tensor():
    with pytest.raises(fl.SchemaError, match="from_dense.*: tensor has no dimension"):
        fl.Dataset.range(2).map(lambda x: fl.sparse.from_dense(x))


COMPUTED = {
    "perm": lambda x: fl.transpose([[1, 2]], [x, 1 - x]),
    "axis": lambda x: fl.reduce_sum([[1, 2]], x),
    "depth": lambda x: fl.one_hot([1], x),
    "num_or_size_splits": lambda x: tuple(fl.split([1, 2], x)),
    "maximum_iterations": lambda x: fl.while_loop(lambda i: i < 9, lambda i: i + 1, 0, maximum_iterations=x),
}


@pytest.mark.parametrize("argument", COMPUTED)
def test_what_must_be_known_when_the_plan_is_built_is_told_by_its_name(argument):
    with pytest.raises(fl.ArgumentError, match=f"{argument} .*must be known when the plan is built.*\nhint: "):
        fl.Dataset.range(3).map(COMPUTED[argument])


def test_random_values_have_shapes_that_are_computed():
    numbers = fl.Dataset.range(1, 4)
    for draw in (fl.random.uniform, fl.random.normal, fl.random.truncated_normal):
        computed = [x for x in numbers.map(lambda n: draw([n, 2], seed=1))]
        assert [x.shape for x in computed] == [(1, 2), (2, 2), (3, 2)]
        assert len({float(value) for x in computed for value in x.ravel()}) == 12, "each is drawn on its own"
        known = numbers.map(lambda n: draw(fl.constant([2]), seed=1))
        assert known.element_spec.shape == (2,)
        assert [x.tolist() for x in known] == [x.tolist() for x in numbers.map(lambda n: draw([2], seed=1))]
    dice = numbers.map(lambda n: fl.random.uniform(fl.shape(fl.zeros([n, 50])), 1, 7, fl.int32, seed=2))
    assert {int(value) for x in dice for value in x.ravel()} == {1, 2, 3, 4, 5, 6}
    letters = numbers.map(lambda n: fl.random.choice(["a", "b"], [n], seed=1))
    assert [x.shape for x in letters] == [(1,), (2,), (3,)]
    far = numbers.map(lambda n: fl.random.normal([2], fl.cast(n, fl.float32) * 1000, 1.0, seed=1))
    assert [round(float(x.mean()), -3) for x in far] == [1000, 2000, 3000]
    with pytest.raises(fl.ArgumentError, match="random.uniform: shape is a list of numbers"):
        numbers.map(lambda n: fl.random.uniform("x"))


def test_a_fixed_length_takes_no_memory_while_tracing():
    strings = fl.Dataset.from_tensors([b"ab"])
    with pytest.raises(fl.ArgumentError, match="decode_raw: fixed_length is 1099511627776"):
        strings.map(lambda x: fl.io.decode_raw(x, fl.uint8, fixed_length=2**40))
    (filled,) = strings.map(lambda x: fl.io.decode_raw(x, fl.uint8, fixed_length=(1 << 21) + 3))
    assert filled.shape == (1, (1 << 21) + 3) and filled[0, :3].tolist() == [97, 98, 0] and not filled[0, 2:].any()
    tracemalloc.start()
    try:
        strings.map(lambda x: fl.io.decode_raw(x, fl.uint8, fixed_length=1 << 28))
        assert tracemalloc.get_traced_memory()[1] < 1 << 27
    finally:
        tracemalloc.stop()


def test_shapes_that_are_none_are_told_by_name():
    for shape in ("", b"", [[1], [2, 3]]):
        with pytest.raises(fl.ArgumentError, match=r"random\.uniform: shape is a list of numbers"):
            fl.Dataset.range(1).map(lambda x, shape=shape: fl.random.uniform(shape))
    with pytest.raises(fl.ArgumentError, match=r"padded_batch: (.|\n)* in padded_shapes is no shape"):
        fl.Dataset.range(4).padded_batch(2, padded_shapes=np.zeros((2, 2)))
