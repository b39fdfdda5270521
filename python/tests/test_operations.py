"""Numbers, arrays, choices, loops and checks, as Python writes them; what they compute is tested in Rust against TensorFlow."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import feedline as fl


def one(function, *tensors):
    """What a traced function gives for an element of these tensors."""
    (result,) = fl.Dataset.from_tensors(tensors).map(function)
    return result


X = np.array([[1.0, -2.0, 0.5], [3.0, 4.0, -1.0]], np.float32)
I = np.array([[5, 2, 9], [1, 7, 3]], np.int32)

# Each as feedline and as numpy have it.
SAME = {
    "sin": (lambda: (fl.sin, np.sin), X),
    "tanh": (lambda: (fl.math.tanh, np.tanh), X),
    "argmax": (lambda: (lambda x: fl.argmax(x, 1), lambda x: x.argmax(1)), I),
    "sort": (lambda: (lambda x: fl.sort(x, direction="DESCENDING"), lambda x: -np.sort(-x)), I),
    "argsort": (lambda: (fl.argsort, lambda x: np.argsort(x, kind="stable").astype(np.int32)), I),
    "cumsum": (lambda: (lambda x: fl.cumsum(x, 1), lambda x: x.cumsum(1, dtype=np.int32)), I),
    "tile": (lambda: (lambda x: fl.tile(x, [2, 1]), lambda x: np.tile(x, [2, 1])), I),
    "repeat": (lambda: (lambda x: fl.repeat(x, [1, 2], 0), lambda x: np.repeat(x, [1, 2], 0)), I),
    "roll": (lambda: (lambda x: fl.roll(x, 1, 1), lambda x: np.roll(x, 1, 1)), I),
    "reverse": (lambda: (lambda x: fl.reverse(x, [1]), lambda x: x[:, ::-1]), I),
    "pad": (lambda: (lambda x: fl.pad(x, [[0, 1], [2, 0]], constant_values=7), lambda x: np.pad(x, [[0, 1], [2, 0]], constant_values=7)), I),
    "reflect": (lambda: (lambda x: fl.pad(x, [[0, 0], [1, 1]], "REFLECT"), lambda x: np.pad(x, [[0, 0], [1, 1]], "reflect")), I),
    "matmul": (lambda: (lambda x: x @ fl.transpose(x), lambda x: x @ x.T), I),
    "matmul with a constant": (lambda: (lambda x: np.ones((2, 2), np.int32) @ x, lambda x: np.ones((2, 2), np.int32) @ x), I),
    "einsum": (lambda: (lambda x: fl.einsum("ij,kj->ik", x, x), lambda x: np.einsum("ij,kj->ik", x, x)), I),
    "norm": (lambda: (lambda x: fl.norm(x, axis=1), lambda x: np.linalg.norm(x, axis=1)), X),
    "norm 1": (lambda: (lambda x: fl.linalg.norm(x, 1, 1), lambda x: np.linalg.norm(x, 1, 1)), X),
    "variance": (lambda: (lambda x: fl.math.reduce_variance(x, 0), lambda x: x.var(0)), X),
    "xor": (lambda: (lambda x: (x ^ 3) | (x << 2) & ~x >> 1, lambda x: (x ^ 3) | (x << 2) & ~x >> 1), I),
    "numpy's": (lambda: (lambda x: np.bitwise_xor(x, 3), lambda x: np.bitwise_xor(x, 3)), I),
    "round": (lambda: (lambda x: round(x), lambda x: np.round(x)), X),
    "eye": (lambda: (lambda x: x @ fl.eye(3), lambda x: x), X),
    "boolean_mask": (lambda: (lambda x: fl.boolean_mask(x, x > 0), lambda x: x[x > 0]), X),
    "places": (lambda: (lambda x: fl.where(x > 0), lambda x: np.argwhere(x > 0)), X),
    "linspace": (lambda: (lambda x: fl.linspace(0.0, 1.0, 5), lambda x: np.linspace(0, 1, 5, dtype=np.float32)), X),
    "zeros": (lambda: (lambda x: fl.zeros([2, 2], fl.int64), lambda x: np.zeros([2, 2], np.int64)), X),
    "ones_like": (lambda: (lambda x: fl.ones_like(x, fl.uint8), lambda x: np.ones_like(x, np.uint8)), X),
    "truncatediv": (lambda: (lambda x: fl.truncatediv(x - 5, 3), lambda x: np.trunc((x - 5) / 3).astype(np.int32)), I),
    "truncatediv by negatives": (lambda: (lambda x: fl.truncatediv(x - 5, -2), lambda x: np.trunc((x - 5) / -2).astype(np.int32)), I),
    "truncatediv of floats": (lambda: (lambda x: fl.truncatediv(x, 0.75), lambda x: np.trunc(x / np.float32(0.75))), X),
    "truncatemod": (lambda: (lambda x: fl.truncatemod(x - 5, 3), lambda x: np.fmod(x - 5, np.int32(3))), I),
    "truncatemod of floats": (lambda: (lambda x: fl.truncatemod(x, -0.75), lambda x: np.fmod(x, np.float32(-0.75))), X),
    "relu": (lambda: (fl.nn.relu, lambda x: np.maximum(x, 0)), X),
}


@pytest.mark.parametrize("name", SAME)
def test_results_are_numpys(name):
    functions, value = SAME[name]
    ours, theirs = functions()
    result, expected = one(ours, value), theirs(value)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_operations_of_several_results():
    first, second = one(lambda x: tuple(fl.split(x, 2, axis=0)), I)
    assert np.array_equal(first, I[:1]) and np.array_equal(second, I[1:])
    (only,) = one(lambda x: tuple(fl.split(x, 1)), I)
    assert np.array_equal(only, I)
    assert [list(part) for part in one(lambda x: tuple(fl.unstack(x, axis=1)), I)] == I.T.tolist()
    values, indices = one(lambda x: tuple(fl.math.top_k(x, 2)), I)
    assert values.tolist() == [[9, 5], [7, 3]] and indices.tolist() == [[2, 0], [1, 2]]
    y, idx, count = one(lambda x: tuple(fl.unique_with_counts(x)), np.array(["b", "a", "b"], object))
    assert y.tolist() == [b"b", b"a"] and idx.tolist() == [0, 1, 0] and count.tolist() == [2, 1]


def test_sizes_may_be_computed():
    ds = fl.Dataset.range(1, 4)
    assert [x.shape for x in ds.map(lambda n: fl.zeros([n, 2]))] == [(1, 2), (2, 2), (3, 2)]
    assert [x.tolist() for x in ds.map(lambda n: fl.range(n))] == [[0], [0, 1], [0, 1, 2]]
    assert [x.shape for x in ds.map(lambda n: fl.reshape(fl.range(n * 2), [n, -1]))] == [(1, 2), (2, 2), (3, 2)]
    assert [x.tolist() for x in ds.map(lambda n: fl.pad(fl.ones([1]), [[0, n]]))][2] == [1.0, 0.0, 0.0, 0.0]
    assert ds.map(lambda n: fl.fill([n, 3], 1.0)).element_spec == fl.TensorSpec([None, 3], fl.float32)
    words = ds.map(lambda n: fl.pad(["a"], [[0, n]]))
    assert list(words)[0].tolist() == [b"a", b""]


def test_choices():
    ds = fl.Dataset.range(5)
    assert [int(x) for x in ds.map(lambda x: fl.cond(x > 0, lambda: 12 // x, lambda: x - 1))] == [-1, 12, 6, 4, 3]
    parts = ds.map(lambda x: fl.cond(x % 2 == 0, lambda: {"a": x, "b": "even"}, lambda: {"a": -x, "b": "odd"}))
    assert [(int(p["a"]), p["b"]) for p in parts][:2] == [(0, b"even"), (-1, b"odd")]
    numbered = ds.map(lambda x: fl.switch_case(x, {1: lambda: x * 10, 0: lambda: x}, default=lambda: x * 100))
    assert [int(x) for x in numbered] == [0, 10, 200, 300, 400]
    first = ds.map(lambda x: fl.case([(x < 1, lambda: x + 1), (x < 3, lambda: x + 10)], default=lambda: x))
    assert [int(x) for x in first] == [1, 11, 12, 3, 4]
    with pytest.raises(fl.SchemaError, match="branch 1 gives float32"):
        ds.map(lambda x: fl.cond(x > 0, lambda: x, lambda: 1.5))
    with pytest.raises(ZeroDivisionError):
        ds.map(lambda x: fl.cond(x > 0, lambda: x, lambda: 1 // 0))
    with pytest.raises(fl.TraceError, match="choice or loop"):
        ds.map(lambda x: fl.cond(x > 0, lambda: fl.py_function(abs, [x], fl.int64), lambda: x))


def test_loops():
    ds = fl.Dataset.from_tensor_slices([1, 6, 27])

    def collatz(n):
        def step(n, count):
            return fl.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), count + 1

        return fl.while_loop(lambda n, count: n != 1, step, (n, 0), maximum_iterations=200)[1]

    assert [int(x) for x in ds.map(collatz)] == [0, 8, 111]
    with pytest.raises(fl.ArgumentError, match="maximum_iterations must be given"):
        ds.map(lambda n: fl.while_loop(lambda n: n > 0, lambda n: n - 1, n))
    one_var = ds.map(lambda n: fl.while_loop(lambda n: n > 1, lambda n: n - 2, n, maximum_iterations=50))
    assert [int(x) for x in one_var] == [1, 0, 1]
    assert one(lambda x: fl.map_fn(lambda row: fl.reduce_sum(row) * x[0, 0], x), I).tolist() == [80, 55]
    both = one(lambda x, y: fl.map_fn(lambda pair: {"sum": pair[0] + pair[1]}, (x, y)), I, I)
    assert both["sum"].tolist() == (I + I).tolist()
    assert one(lambda x: fl.foldl(lambda a, b: a * 2 + b, x), np.array([1, 2, 3])) == 11
    assert one(lambda x: fl.scan(lambda a, b: a + b, x, np.int64(10)), np.array([1, 2, 3])).tolist() == [11, 13, 16]


def test_lists_of_tensors_are_several_tensors():
    """As in TensorFlow 2.21, where a list of tensors is a structure."""
    three = np.arange(3)
    assert one(lambda x: fl.map_fn(lambda both: both[0] + both[1], [x, x * 10]), three).tolist() == [0, 11, 22]
    two = one(lambda x: tuple(fl.map_fn(lambda both: [both[0] + both[1], both[1]], [x, x * 10])), three)
    assert [x.tolist() for x in two] == [[0, 11, 22], [0, 10, 20]]
    said = one(lambda x: tuple(fl.map_fn(lambda e: [e, e * 2], x, fn_output_signature=[fl.int64, fl.int64])), three)
    assert [x.tolist() for x in said] == [[0, 1, 2], [0, 2, 4]]
    sums = one(lambda x: tuple(fl.foldl(lambda a, b: [a[0] + b[0], a[1] + b[1]], [x, x * 10])), three)
    assert [int(x) for x in sums] == [3, 30]
    started = one(lambda x: tuple(fl.foldl(lambda a, b: [a[0] + b, a[1] * b], x, initializer=[np.int64(1), np.int64(1)])), three[1:])
    assert [int(x) for x in started] == [4, 2]
    states = one(lambda x: tuple(fl.scan(lambda a, b: [a[0] + b, a[1] * b], x, initializer=[np.int64(0), np.int64(1)])), three)
    assert [x.tolist() for x in states] == [[0, 1, 3], [0, 0, 0]]
    # Numbers are what TensorFlow refuses; here they are one tensor.
    assert one(lambda x: fl.map_fn(lambda y: y * 2, [1, 2]), three).tolist() == [2, 4]


def test_loops_over_what_has_any_number_of_dimensions():
    def values():
        yield np.int32(5)
        yield np.array([1, 2], np.int32)

    ds = fl.Dataset.from_generator(values, output_signature=fl.TensorSpec(None, fl.int32))
    for loop, expected in [
        (lambda x: fl.map_fn(lambda a: a * 2, x), [2, 4]),
        (lambda x: fl.foldl(lambda a, b: a + b, x, initializer=0), 3),
        (lambda x: fl.scan(lambda a, b: a + b, x, initializer=0), [1, 3]),
    ]:
        it = ds.map(loop).iterator()
        with pytest.raises(fl.InvalidValueError, match="elems has a scalar, which has no first dimension"):
            next(it)
        assert next(it).tolist() == expected
    sized = fl.Dataset.from_generator(lambda: iter([np.array([[5, 6]], np.int32)]), output_signature=fl.TensorSpec([None, None], fl.int32))
    assert [x.tolist() for x in sized.map(lambda x: fl.scan(lambda a, b: a + b, x))] == [[[5, 6]]]
    assert fl.unstack(np.zeros([0, 3])) == []


NAMED = {
    "nn.relu": lambda: fl.nn.relu("text"),
    "norm": lambda: fl.linalg.norm("text"),
    "truncatediv": lambda: fl.truncatediv("text", 2),
    "truncatemod": lambda: fl.truncatemod("text", 2),
    "sequence_mask": lambda: fl.sequence_mask(["text"]),
    "debugging.assert_positive": lambda: fl.debugging.assert_positive("text"),
    "debugging.assert_all_finite": lambda: fl.debugging.assert_all_finite("text", ""),
    "random.choice": lambda: fl.random.choice(3, [2]),
}


@pytest.mark.parametrize("name", NAMED)
def test_errors_name_the_function_that_was_written(name):
    with pytest.raises(fl.SchemaError, match=rf"(^|: ){name}: "):
        fl.Dataset.range(1).map(lambda _: NAMED[name]())
    # Nothing of it is left behind.
    with pytest.raises(fl.SchemaError) as caught:
        fl.Dataset.range(1).map(lambda x: fl.strings.lower(x))
    assert name not in str(caught.value)


def test_errors_of_elements_name_the_function_that_was_written():
    with pytest.raises(fl.InvalidValueError, match="element 1: truncatediv: floordiv: division by zero"):
        list(fl.Dataset.from_tensor_slices([1, 0]).map(lambda x: fl.truncatediv(6, x)))
    # Functions of the user's that are called on the way are their own.
    ragged = fl.ragged.constant([[1, 0]])
    with pytest.raises(fl.InvalidValueError, match="element 0: floordiv: division by zero"):
        list(fl.Dataset.from_tensors(ragged).map(lambda rows: fl.ragged.map_flat_values(lambda y: 6 // y, rows)))


def test_checks_count_whether_or_not_they_are_used():
    def checked(x):
        fl.debugging.assert_less(x, 3, message="too large")
        return x

    results = fl.Dataset.range(5).map(checked)
    assert [int(x) for x in results.ignore_errors()] == [0, 1, 2]
    with pytest.raises(fl.InvalidValueError, match="assert_less: too large: x is not below y: 3 and 3"):
        list(results)

    def in_a_branch(x):
        def odd():
            fl.debugging.assert_positive(x - 2, message="odd ones are above 2")
            return x

        return fl.cond(x % 2 == 1, odd, lambda: x)

    assert [int(x) for x in fl.Dataset.range(5).map(in_a_branch).ignore_errors()] == [0, 2, 3, 4]
    with pytest.raises(fl.SchemaError, match="has 0 dimensions, not 1"):
        fl.Dataset.range(3).map(lambda x: fl.debugging.assert_rank(x, 1))


def test_random_values():
    ds = fl.Dataset.range(500)

    def drawn(function):
        return np.array(list(ds.map(lambda x: function())))

    dice = drawn(lambda: fl.random.uniform([2], 1, 7, fl.int64, seed=1))
    assert dice.dtype == np.int64 and set(dice.flat) == {1, 2, 3, 4, 5, 6}
    assert np.array_equal(dice, drawn(lambda: fl.random.uniform([2], 1, 7, fl.int64, seed=1)))
    noise = drawn(lambda: fl.random.normal([4], 5.0, 0.5, seed=2))
    assert abs(noise.mean() - 5) < 0.1 and abs(noise.std() - 0.5) < 0.05
    assert np.abs(drawn(lambda: fl.random.truncated_normal([4], seed=2))).max() <= 2
    order = drawn(lambda: fl.random.shuffle([1, 2, 3, 4], seed=3))
    assert (np.sort(order, 1) == [1, 2, 3, 4]).all() and len(np.unique(order, axis=0)) == 24
    assert set(drawn(lambda: fl.random.choice([10, 20, 30], seed=4)).tolist()) == {10, 20, 30}
    classes = drawn(lambda: fl.random.categorical([[0.0, 0.0, -100.0]], 3, seed=5))
    assert classes.shape == (500, 1, 3) and set(classes.flat) == {0, 1}
    bounded = fl.Dataset.range(1, 50).map(lambda n: fl.random.uniform([], 0, n, fl.int64, seed=6))
    assert all(0 <= int(x) < n for n, x in enumerate(bounded, 1))
    with pytest.raises(fl.ArgumentError, match="maxval must be given"):
        ds.map(lambda x: fl.random.uniform([], dtype=fl.int32))


def test_without_a_seed_random_values_are_the_same_in_every_process():
    program = """
import sys, feedline as fl
ds = fl.Dataset.range(4).map(lambda x: (fl.random.uniform([]), fl.random.uniform([])))
values = [(float(a), float(b)) for a, b in ds]
assert values[0][0] != values[0][1]
it = ds.iterator(epoch=0); next(it)
if len(sys.argv) > 1:
    assert [(float(a), float(b)) for a, b in ds.iterator(state=bytes.fromhex(sys.argv[1]))] == values[1:]
print(it.state().hex())
"""
    state = ""
    for _ in range(2):
        arguments = [sys.executable, "-c", program] + ([state] if state else [])
        state = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


def test_errors_of_operations_show_the_element():
    iterator = iter(fl.Dataset.from_tensor_slices(([0, 1, 2], [7, 8, 9])).map(lambda x, y: y // (x - 1)))
    next(iterator)
    with pytest.raises(fl.InvalidValueError, match="element 1: floordiv: division by zero") as caught:
        next(iterator)
    assert caught.value.__notes__ == ["feedline: element 1, raised in floordiv, step 2 of the plan, which got (1, 8)"]
    assert isinstance(caught.value, ValueError) and "\nhint: put something else in the place of zeros" in str(caught.value)
    assert int(next(iterator)) == 9


def errors_of(function, *tensors):
    with pytest.raises(fl.InvalidValueError) as error:
        one(function, *tensors)
    return str(error.value)


def test_case_without_a_condition_that_holds_is_an_error():
    sized = lambda x: fl.case([(x < 2, lambda: 1), (x < 4, lambda: 2)])
    assert [int(n) for n in fl.Dataset.range(4).map(sized)] == [1, 1, 2, 2]
    assert "case: none of the conditions holds, and there is no default" in errors_of(sized, 7)
    assert "none of the conditions holds" in errors_of(lambda x: fl.case([(x < 2, lambda: 1)]), 7)
    both = lambda x: fl.case([(x < 2, lambda: 1), (x < 4, lambda: 2)], default=lambda: 3, exclusive=True)
    assert int(one(both, 3)) == 2 and int(one(both, 9)) == 3
    assert "case: several conditions hold, and exclusive is True" in errors_of(both, 1)


# As TensorFlow 2.21 has them: the type, and the values.
TYPED = {
    "one_hot int32": (lambda: fl.one_hot([1], 2, on_value=5), "int32", [[0, 5]]),
    "one_hot off": (lambda: fl.one_hot([1], 2, off_value=2), "int32", [[2, 1]]),
    "one_hot bool": (lambda: fl.one_hot([1], 2, on_value=True, off_value=False), "bool", [[False, True]]),
    "one_hot of numpy": (lambda: fl.one_hot([1], 2, on_value=np.float64(2)), "float64", [[0.0, 2.0]]),
    "one_hot of a tensor": (lambda: fl.one_hot([1], 2, fl.constant(7, fl.int64)), "int64", [[0, 7]]),
    "one_hot as said": (lambda: fl.one_hot([1], 2, on_value=5, dtype=fl.float32), "float32", [[0.0, 5.0]]),
    "one_hot strings": (lambda: fl.one_hot([1], 2, "a", "b", axis=0), "string", [[b"b"], [b"a"]]),
    "range of a fraction": (lambda: fl.range(0, 1, 0.25), "float32", [0.0, 0.25, 0.5, 0.75]),
    "range of two types": (lambda: fl.range(fl.constant(3), fl.constant(5, fl.int64)), "int64", [3, 4]),
    "range to a float": (lambda: fl.range(0, fl.constant(2.5)), "float32", [0.0, 1.0, 2.0]),
    "range of a type": (lambda: fl.range(2, dtype=fl.float32), "float32", [0.0, 1.0]),
    "range of float16": (lambda: fl.range(fl.constant(2.5, fl.float16)), "float16", [0.0, 1.0, 2.0]),
    "range of bfloat16": (lambda: fl.cast(fl.range(fl.cast(2.5, fl.bfloat16)), fl.float64), "float64", [0.0, 1.0, 2.0]),
    "range of float16 and int64": (lambda: fl.range(fl.constant(2.5, fl.float16), fl.constant(5, fl.int64)), "float16", [2.5, 3.5, 4.5]),
    "gather by batches from the end": (lambda: fl.gather([[0, 1, 2], [3, 7, 5]], [0, 1], batch_dims=-1), "int32", [[0, 1], [3, 7]]),
    "gather by one batch from the end": (lambda: fl.gather([[0, 1, 2], [3, 7, 5]], [[0, 1], [1, 2]], batch_dims=-1), "int32", [[0, 1], [7, 5]]),
    "gather_nd by batches": (lambda: fl.gather_nd([[1, 2], [3, 4]], [[0], [1]], batch_dims=1), "int32", [1, 4]),
    "argmax of bools": (lambda: fl.argmax([[False, True], [False, False]], 1), "int64", [1, 0]),
    "argmin of bools": (lambda: fl.argmin([True, True, False]), "int64", 2),
    "places of numbers": (lambda: fl.where([0.0, 2.0, float("nan")]), "int64", [[1], [2]]),
    "empty strings": (lambda: fl.zeros_like([1, 2], dtype=fl.string), "string", [b"", b""]),
    "tile of a scalar": (lambda: fl.tile(5, []), "int32", 5),
    "boolean_mask of nothing": (lambda: fl.boolean_mask(fl.zeros([0], fl.int32), []), "int32", []),
    "join of nothing": (lambda: fl.strings.join([]), "string", b""),
    "unicode_decode": (lambda: fl.strings.unicode_decode("né", "utf8"), "int32", [110, 233]),
    "a backslash before what is no letter": (lambda: fl.strings.regex_full_match("a_ b", r"a\_\ b"), "bool", True),
    "linspace of integers": (lambda: fl.linspace(0, 4, 3), "float64", [0.0, 2.0, 4.0]),
    "linspace of tensors": (lambda: fl.linspace(fl.constant([0, 1]), fl.constant([4, 5]), 3), "float64", [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]),
    "linspace of small ones": (lambda: fl.linspace(fl.constant(0, fl.int8), fl.constant(4, fl.int8), 2), "float32", [0.0, 4.0]),
    "linspace along the last": (lambda: fl.linspace([0.0, 1.0], [1.0, 5.0], 3, axis=-1), "float32", [[0.0, 0.5, 1.0], [1.0, 3.0, 5.0]]),
    "linspace of none": (lambda: fl.linspace(0.0, 1.0, 0), "float32", []),
    "linspace of none along the last": (lambda: fl.linspace([0.0, 1.0], [4.0, 5.0], 0, axis=-1), "float32", [[], []]),
    "linspace of many": (lambda: fl.size(fl.linspace([0.0, 1.0], [1.0, 2.0], 10**6)), "int32", 2 * 10**6),
    "linspace of a number that is computed": (lambda: fl.linspace([0.0], 1.0, fl.size(fl.where([True, False, True]))), "float32", [[0.0], [1.0]]),
    "linspace of one": (lambda: fl.linspace([1.0], [2.0], 1), "float32", [[1.0]]),
    "argmax": (lambda: fl.argmax([1, 3, 2], output_type=fl.uint16), "uint16", 1),
    "argmin": (lambda: fl.argmin([1, 3, 2], output_type=fl.int16), "int16", 0),
    "as_string": (lambda: fl.strings.as_string(["ab"], width=5), "string", [b"   ab"]),
    "as_string to the left": (lambda: fl.strings.as_string(["ab", "abcdef"], width=5, fill="-"), "string", [b"ab   ", b"abcdef"]),
    "scan": (lambda: fl.scan(lambda a, x: a + x, fl.constant([1, 2, 3])), "int32", [1, 3, 6]),
    "scan from the end": (lambda: fl.scan(lambda a, x: a * 2 + x, [1, 2, 3], reverse=True), "int32", [17, 8, 3]),
    "scan from the end with a start": (lambda: fl.scan(lambda a, x: a + x, [1, 2, 3], 10, reverse=True), "int32", [16, 15, 13]),
    "decode_raw": (lambda: fl.io.decode_raw(["ab", "cdefg"], fl.uint8, fixed_length=4), "uint8", [[97, 98, 0, 0], [99, 100, 101, 102]]),
    "decode_raw, big": (lambda: fl.io.decode_raw(["ab", "cdefg"], fl.int16, False, 4), "int16", [[24930, 0], [25444, 25958]]),
}


@pytest.mark.parametrize("name", TYPED)
def test_types_and_arguments_are_tensorflows(name):
    function, dtype, expected = TYPED[name]
    dataset = fl.Dataset.range(1).map(lambda _: function())
    assert dataset.element_spec.dtype == dtype
    (value,) = dataset
    assert (value.tolist() if hasattr(value, "tolist") else value) == expected


def test_checks_of_types_and_shapes():
    fl.Dataset.range(1).map(lambda x: (fl.debugging.assert_integer(x), fl.debugging.assert_type(x, fl.int64), x)[2])
    for wrong, message in {
        lambda x: fl.debugging.assert_integer(x / 2): "assert_integer: x is fl.float64",
        lambda x: fl.debugging.assert_type(x, fl.int32, "sizes"): "sizes: debugging.assert_type: tensor is fl.int64, and must be fl.int32",
        lambda x: fl.debugging.assert_rank_in(x, [1, 2]): r"assert_rank_in: x has the shape \(\)",
        lambda x: fl.debugging.assert_shapes([(x, (2,))]): r"shape \(\), and must have \(2,\)",
        lambda x: fl.debugging.assert_shapes({fl.zeros([2, 3]): "ab", fl.zeros([4]): "b"}): "dimension 0 of a tensor of shape .4,. is 4, and must be b, which is 3",
        lambda x: fl.debugging.assert_shapes(x): "shapes is a list of pairs",
        lambda x: fl.debugging.assert_near(1, 2): "assert_near: x is fl.int32, and must be floats",
    }.items():
        with pytest.raises((fl.SchemaError, TypeError), match=message):
            fl.Dataset.range(1).map(lambda x: (wrong(x), x)[1])

    def same_sizes(n):
        fl.debugging.assert_shapes([(fl.zeros([n]), ("size",)), (fl.zeros([2, 2]), (..., "size"))])
        return n

    assert [int(n) for n in fl.Dataset.range(4).map(same_sizes).ignore_errors()] == [2]
    any_rank = lambda text: fl.debugging.assert_rank_in(fl.io.parse_tensor(text, fl.int32), [1])
    texts = [one(fl.io.serialize_tensor, value) for value in (1, [1])]
    assert [x.tolist() for x in fl.Dataset.from_tensor_slices(texts).map(any_rank).ignore_errors()] == [[1]]


def test_near_is_as_near_as_the_type_can_tell():
    near = lambda x, y, **how: fl.debugging.assert_near(x, y, **how)
    assert float(one(lambda x: near(x, 1.0), np.float32(1 + 1e-6))) > 1
    assert "not near" in errors_of(lambda x: near(x, np.float64(1)), np.float64(1 + 1e-6))
    assert float(one(lambda x: near(x, 1.0, rtol=0.5, atol=0.0), np.float32(1.25))) == 1.25


def test_files_are_written_whether_or_not_their_names_are_used(tmp_path):
    def kept(x):
        fl.io.write_file(fl.strings.join([str(tmp_path), "/", fl.strings.as_string(x)]), fl.strings.as_string(x * 2))
        return x

    assert [int(x) for x in fl.Dataset.range(3).map(kept)] == [0, 1, 2]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"0": "0", "1": "2", "2": "4"}


def test_whole_numbers_at_random():
    drawn = fl.Dataset.range(100).map(lambda x: fl.random.int([], 1, 4, seed=1))
    assert drawn.element_spec == fl.TensorSpec([], fl.int64) and {int(x) for x in drawn} == {1, 2, 3}
    large = fl.Dataset.range(1).map(lambda x: (fl.random.int([9], 0, 2**40, seed=1), fl.random.uniform([9], 2**31, 2**31 + 9, fl.int64, seed=1)))
    ((wide, high),) = large
    assert 2**31 < wide.max() < 2**40 and (2**31 <= high).all() and (high < 2**31 + 9).all()
    with pytest.raises(fl.ArgumentError, match="random.int: dtype is int32 or int64"):
        fl.Dataset.range(1).map(lambda x: fl.random.int([], 1, 4, fl.float32))


@pytest.mark.parametrize("dtype, bits", [("float16", 11), ("bfloat16", 8), ("float32", 24), ("float64", 53)])
def test_floats_at_random_have_all_their_bits_and_never_reach_the_end(dtype, bits):
    def drawn(*bounds):
        def draw(x):
            return fl.cast(fl.random.uniform([100_000], *(bound(x) if callable(bound) else bound for bound in bounds), dtype=dtype, seed=1), fl.float64)

        return one(draw, np.float64(0))

    units = drawn()
    assert units.min() >= 0 and units.max() < 1 and abs(units.mean() - 0.5) < 0.01
    scaled = units * 2.0**bits
    assert (scaled == scaled.astype(np.int64)).all() and (scaled.astype(np.int64) % 2 == 1).any(), "the last bit is drawn, too"
    five = lambda x: fl.cast(x + 5, dtype)  # noqa: E731
    for low, high in [(5.0, 6.0), (five, 6.0), (five, lambda x: fl.cast(x + 6, dtype))]:
        values = drawn(low, high)
        assert values.min() >= 5 and values.max() < 6
        if bits <= 11:
            places, counts = np.unique(values, return_counts=True)
            assert len(places) == 2 ** (bits - 3), "every float there is"
            assert counts.max() < 2 * counts.min(), "each as likely as the others"
    assert drawn(6.0, 5.0).min() >= 5, "the other way round, as in TensorFlow"


def test_datasets_in_functions_know_how_many_they_are():
    counts = fl.Dataset.range(7).window(3).map(lambda window: (window.cardinality(), window.batch(2).cardinality()))
    assert counts.element_spec == (fl.TensorSpec([], fl.int64), fl.TensorSpec([], fl.int64))
    assert [(int(one), int(two)) for one, two in counts] == [(3, 2), (3, 2), (1, 1)]
    assert int(next(iter(fl.Dataset.range(1).map(lambda x: fl.Dataset.range(5).cardinality() + x)))) == 5
    classes = fl.Dataset.range(10).rejection_resample(lambda x: fl.cast(x % 2, fl.int32), [0.5, 0.5], [0.5, 0.5])
    assert classes.element_spec[0].dtype == fl.int32 and {int(label) for label, _ in classes} == {0, 1}


NUMBER = fl.io.FixedLenFeature([], fl.int64)
JSON = {
    "lists nobody asked for": ('{"b": [[1]], "a": 1}', {"a": NUMBER}, {"a": 1}),
    "objects nobody asked for": ('{"b": [{"c": 1}], "a": 1}', {"a": NUMBER}, {"a": 1}),
    "places of lists": ('{"a": {"b": [{"c": 4}, {"c": 5}]}}', {"a.b.1.c": NUMBER}, {"a.b.1.c": 5}),
    "lists of lists": ('{"a": [[1, 2], [3, 4]]}', {"a": fl.io.FixedLenFeature([2, 2], fl.int64)}, {"a": [[1, 2], [3, 4]]}),
    "bools": ('{"a": true, "b": [false, true]}', {"a": NUMBER, "b": fl.io.RaggedFeature(fl.bool)}, {"a": 1, "b": [False, True]}),
    "a bool that is not there": ("{}", {"a": fl.io.FixedLenFeature([], fl.bool, True)}, {"a": True}),
    "a batch": (['{"a": 1}', '{"a": 2, "b": [3]}'], {"a": NUMBER, "b": fl.io.RaggedFeature(fl.int64)}, {"a": [1, 2], "b": [[], [3]]}),
}


@pytest.mark.parametrize("name", JSON)
def test_objects_of_json(name):
    text, features, expected = JSON[name]
    found = one(lambda x: fl.io.decode_json(x, features), text)
    assert {key: value.to_list() if isinstance(value, fl.RaggedTensor) else value.tolist() for key, value in found.items()} == expected


def test_what_objects_of_json_have_not():
    for text, message in {
        '{"a": [1]}': "'b' is not there, and has no default",
        '{"b": {"c": 1}}': "'b' is an object",
        '{"b": [1, null]}': "'b' has null in its list",
        '{"b": 1, "c": [1,}': "not a row of JSON",
    }.items():
        with pytest.raises(fl.CorruptDataError, match=message):
            one(lambda x: fl.io.decode_json(x, {"b": NUMBER}), text)


def test_counters_of_fractions():
    """As TensorFlow 2.21."""
    counted = fl.Dataset.counter(0.5, 0.25, fl.float32).take(3)
    assert counted.element_spec == fl.TensorSpec([], fl.float32) and [float(x) for x in counted] == [0.5, 0.75, 1.0]
    assert [float(x) for x in fl.Dataset.counter(2, 3, fl.float32).take(3)] == [2.0, 5.0, 8.0]
    with pytest.raises(TypeError, match="counter: start is a whole number, not 0.5"):
        fl.Dataset.counter(0.5)


def test_counters_of_floats_add_to_the_number_before():
    # As tf.data: 2048 + 1 is 2048 in float16.
    counted = [float(x) for x in fl.Dataset.counter(2045, dtype=fl.float16).take(6)]
    assert counted == [2045, 2046, 2047, 2048, 2048, 2048]
    with pytest.raises(TypeError, match="start"):
        fl.Dataset.counter("a", dtype=fl.float32)
