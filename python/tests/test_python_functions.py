"""Functions that run as Python."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from typing import Any, NamedTuple

import numpy as np
import pytest

import feedline as fl

INT = fl.TensorSpec([], fl.int64)


class Pair(NamedTuple):
    x: Any
    y: Any


def test_any_function_runs():
    dataset = fl.Dataset.range(4).map(lambda x: np.full(3, x * 2), python=True)
    assert dataset.element_spec == fl.TensorSpec([None], fl.int64)
    assert [row.tolist() for row in dataset] == [[2 * x] * 3 for x in range(4)]
    pairs = fl.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
    both = pairs.map(lambda n, s: {"n": int(n), "s": s.decode() * int(n)}, python=True)
    assert list(both) == [{"n": 1, "s": b"a"}, {"n": 2, "s": b"bb"}]


def test_results_of_other_sizes_come_too():
    dataset = fl.Dataset.range(4).map(lambda x: np.zeros(int(x)), python=True)
    assert [row.shape for row in dataset] == [(0,), (1,), (2,), (3,)]


def test_what_is_returned_may_be_written_to_again():
    shared = np.zeros(2)

    def fill(x):
        shared[:] = x
        return shared

    assert [row.tolist() for row in fl.Dataset.range(3).map(fill, python=True)] == [[0, 0], [1, 1], [2, 2]]


def test_the_spec_says_the_type():
    dataset = fl.Dataset.range(2).map(lambda x: [1, 2], python=True, output_spec=fl.TensorSpec([2], fl.float32))
    assert [row.dtype for row in dataset] == [np.float32] * 2
    wrong = fl.Dataset.range(2).map(lambda x: np.zeros(3), python=True, output_spec=fl.TensorSpec([2], fl.float64))
    with pytest.raises(fl.UserCodeError, match="its spec says float64"):
        next(iter(wrong))
    with pytest.raises(fl.UserCodeError, match="lambda"):
        next(iter(fl.Dataset.range(2).map(lambda x: (1, 2), python=True, output_spec=INT)))
    with pytest.raises(TypeError, match="float where the spec says int64"):
        next(iter(fl.Dataset.range(2).map(lambda x: 1.5, python=True, output_spec=INT)))
    with pytest.raises(ValueError, match="no first element"):
        fl.Dataset.range(0).map(lambda x: x, python=True)
    with pytest.raises(ValueError, match="output_spec"):
        fl.Dataset.range(2).map(lambda x: x, output_spec=INT)


RETURNED = [
    ([], fl.int64, np.array([], np.int64)),
    ([], fl.string, np.array([], object)),
    (np.array([]), fl.int32, np.array([], np.int32)),
    (np.array([1.5]), fl.float32, np.array([1.5], np.float32)),
    (np.float64(1.5), fl.float32, np.float32(1.5)),
    (np.array([1.5], np.float32), fl.float64, np.array([1.5])),
    (np.array([3]), fl.float32, np.array([3], np.float32)),
    (np.array([3]), fl.uint8, np.array([3], np.uint8)),
    ([np.int64(3)], fl.int32, np.array([3], np.int32)),
    (np.array([True]), fl.int64, np.array([1])),
    # tf.data gives other numbers here, silently.
    (np.array([300]), fl.uint8, None),
    (np.array([1.5]), fl.int64, None),
    (np.array([1]), fl.bool, None),
    (np.array([1]), fl.string, None),
    (np.array(["a"]), fl.float32, None),
]


@pytest.mark.parametrize("value, dtype, expected", RETURNED)
def test_arrays_become_what_the_spec_says_where_they_stay_the_same_numbers(value, dtype, expected):
    spec = fl.TensorSpec(None, dtype)
    ways = [
        fl.Dataset.range(1).map(lambda x: value, python=True, output_spec=spec),
        fl.Dataset.range(1).map(lambda x: value, python=True, output_spec=spec, workers="process"),
        fl.Dataset.from_generator(lambda: iter([value]), output_signature=spec),
    ]
    for dataset in ways:
        if expected is None:
            with pytest.raises((fl.UserCodeError, fl.SchemaError)):
                list(dataset)
            continue
        (result,) = dataset
        assert np.array_equal(result, expected) and result.dtype == expected.dtype


def test_keys_of_a_dict_may_come_in_any_order():
    dataset = fl.Dataset.range(2).map(lambda x: {"z": b"text", "a": 1.5, "m": int(x)}, python=True)
    assert list(dataset) == [{"a": 1.5, "m": 0, "z": b"text"}, {"a": 1.5, "m": 1, "z": b"text"}]


def test_calls_come_in_order_one_at_a_time():
    seen, running, most, lock = [], [0], [0], threading.Lock()

    def watch(x):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        seen.append(int(x))
        with lock:
            running[0] -= 1
        return int(x)

    dataset = fl.Dataset.range(500).map(watch, python=True, output_spec=INT).batch(10)
    assert np.concatenate(list(dataset)).tolist() == list(range(500))
    assert seen == list(range(500)) and most[0] == 1


@pytest.mark.parametrize("calls", [4, fl.AUTOTUNE])
def test_several_calls_at_a_time_on_request(calls, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2})
    running, most, lock = [0], [0], threading.Lock()

    def slow(x):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02)
        with lock:
            running[0] -= 1
        return int(x)

    dataset = fl.Dataset.range(60).map(slow, calls, python=True, output_spec=INT)
    assert [int(x) for x in dataset] == list(range(60))
    assert 2 <= most[0] <= (4 if calls == 4 else 3)


@pytest.mark.parametrize("calls", [None, 2])
def test_inside_datasets_calls_come_one_at_a_time_too(calls):
    running, most, lock = [0], [0], threading.Lock()

    def watch(x):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.002)
        with lock:
            running[0] -= 1
        return int(x)

    numbers, inner = fl.Dataset.range(30), fl.Dataset.range(2).map(watch, calls, python=True, output_spec=INT)
    for dataset in (numbers.flat_map(lambda i: inner), numbers.interleave(lambda i: inner, cycle_length=4)):
        assert sorted(int(x) for x in dataset) == [0] * 30 + [1] * 30
        assert most[0] <= (calls or 1)


#: What runs when the interpreter begins to end, and comes back when it is about to be over.
LEFT_RUNNING = {
    "function that sleeps": "iter(fl.Dataset.range(9).map(lambda x: time.sleep(0.7) or int(x), python=True, output_spec=spec).prefetch(2))",
    "function that computes": "iter(fl.Dataset.range(9).map(computes, python=True, output_spec=spec).prefetch(2))",
    "several at a time": "iter(fl.Dataset.range(9).map(lambda x: time.sleep(0.7) or int(x), 4, python=True, output_spec=spec).prefetch(2))",
    "generator": "iter(fl.Dataset.from_generator(sleeps, output_signature=spec).prefetch(2))",
    "generator that is closed": "iter(fl.Dataset.from_generator(closes, output_signature=spec).prefetch(2))",
    "function that iterates": "iter(fl.Dataset.range(9).map(lambda x: len(list(slow)), python=True, output_spec=spec).prefetch(2))",
}


@pytest.mark.parametrize("name", LEFT_RUNNING)
def test_the_interpreter_ends_before_calls_do(name):
    program = f"""
import sys, time, types, feedline as fl
spec = fl.TensorSpec([], fl.int64)
def computes(x):
    until = time.monotonic() + 0.7
    while time.monotonic() < until:
        pass
    return int(x)
def sleeps():
    while True:
        time.sleep(0.7)
        yield 1
def closes():
    try:
        yield 1
        yield 2
    finally:
        time.sleep(0.7)
slow = fl.Dataset.range(2).map(lambda x: time.sleep(0.35) or int(x), python=True, output_spec=spec)
class Lingers:
    def __del__(self, sleep=time.sleep):
        sleep(0.8)
# Dropped when the interpreter has begun to end; then others who want its lock are not given it any more.
sys.modules["lingers"] = types.ModuleType("lingers")
sys.modules["lingers"].it = Lingers()
it = {LEFT_RUNNING[name]}
next(it)
if {name == "generator that is closed"}:
    del it
time.sleep(0.1)
print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_the_interpreter_ends_in_the_middle_of_calls():
    program = """
import threading, time, feedline as fl
spec = fl.TensorSpec([], fl.int64)
barrier = threading.Barrier(100, timeout=0.05)
def spin(x):
    try:
        barrier.wait()
    except threading.BrokenBarrierError:
        pass
    return sum(range(2000))
its = [iter(fl.Dataset.range(10**6).map(f, 4, python=True, output_spec=spec)) for f in (spin, lambda x: sum(range(int(x) % 500)))]
for it in its:
    next(it)
print("done")
"""
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
        assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_functions_run_beside_the_threads_that_compute():
    names = set()

    def name(x):
        with open("/proc/thread-self/comm") as comm:
            names.add(comm.read().strip())
        return int(x)

    assert len(list(fl.Dataset.range(20).map(name, python=True, output_spec=INT))) == 20
    assert names == {"feedline-io"}


def test_exceptions_surface_unchanged_with_step_and_element():
    def fragile(x):
        if x == 3:
            raise KeyError("three")
        return int(x)

    it = iter(fl.Dataset.range(5).map(fragile, python=True, output_spec=INT))
    assert [int(next(it)) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match="three") as caught:
        next(it)
    (note,) = caught.value.__notes__
    assert "fragile" in note and "(3)" in note
    assert caught.traceback[-1].name == "fragile"
    assert int(next(it)) == 4
    assert [int(x) for x in fl.Dataset.range(5).map(fragile, python=True, output_spec=INT).ignore_errors()] == [0, 1, 2, 4]


def test_notes_say_the_step_and_what_the_function_got():
    def fragile(x, *others):
        if x == 2:
            raise KeyError("two")
        return int(x)

    def values():
        yield from (0, 1)
        raise KeyError("two")

    numbers = fl.Dataset.range(5)
    pairs = numbers.map(lambda x: (x, x * 10))
    cases = {
        "element 2, raised in map(fragile), step 2 of the plan, which got (2)": numbers.map(fragile, python=True),
        "element 2, raised in map(fragile), step 3 of the plan, which got (2, 20)": pairs.map(fragile, python=True),
        "element 2, raised in map(<lambda>), step 3 of the plan, which got ({a: 2})": numbers.map(lambda x: {"a": x}).map(lambda d: fragile(d["a"]), python=True),
        "element 2, raised in filter(fragile), step 3 of the plan, which got (2)": numbers.filter(fragile, python=True),
        "element 2, raised in py_function(fragile), step 3 of the plan, which got (2, 6)": numbers.map(lambda x: fl.py_function(fragile, [x, x * 3], INT) + x),
        "raised in from_generator(values), step 1 of the plan, asked for element 2": fl.Dataset.from_generator(values, output_signature=INT),
    }
    for expected, dataset in cases.items():
        with pytest.raises(KeyError) as caught:
            list(dataset)
        assert caught.value.__notes__ == [f"feedline: {expected}"]
    with pytest.raises(KeyError) as caught:
        pairs.skip(2).map(fragile, python=True)
    (note,) = caught.value.__notes__
    assert re.search(r"map\(fragile\), which got \(.*2.*20.*\), the first element.*output_spec=", note)


def test_explain_marks_them():
    def prepare(x):
        return x

    text = fl.Dataset.range(3).map(prepare, python=True).explain()
    assert re.search(r"map\(python prepare#[0-9a-f]{8} -> int64\[\]", text)


def test_numpy_function_inside_a_traced_one():
    def prepare(x, y):
        low, high = fl.numpy_function(lambda a: (a.min(), a.max()), [x * 2], [fl.TensorSpec([], fl.int64)] * 2)
        third = fl.py_function(lambda a, b: a * 100 + b, [low, y], fl.TensorSpec([], fl.int64))
        return {"range": high - low, "third": third + y}

    x = np.arange(12).reshape(4, 3)
    dataset = fl.Dataset.from_tensor_slices((x, np.arange(4))).map(prepare)
    elements = list(dataset)
    assert [int(e["range"]) for e in elements] == [4] * 4
    assert [int(e["third"]) for e in elements] == [row[0] * 200 + 2 * i for i, row in enumerate(x)]
    with pytest.raises(fl.TraceError, match="in the function of a map"):
        fl.numpy_function(np.sum, [1], fl.int64)
    with pytest.raises(fl.TraceError, match="random"):
        fl.Dataset.range(2).map(lambda x: fl.py_function(np.sum, [fl.random.uniform([2])], fl.float32))


def test_numpy_function_inside_a_filter():
    def is_even(x):
        return fl.py_function(lambda a: int(a) % 2 == 0, [x], fl.TensorSpec([], fl.bool))

    numbers = fl.Dataset.range(8)
    assert [int(x) for x in numbers.filter(is_even)] == [0, 2, 4, 6]
    both = numbers.map(lambda x: Pair(x, {"y": x * 10})).filter(lambda pair: is_even(pair.x) & (pair.y["y"] > 20))
    assert [(type(pair), int(pair.y["y"])) for pair in both] == [(Pair, 40), (Pair, 60)]
    assert [int(x) for x, _ in numbers.map(lambda x: (x, x + 1)).filter(lambda x, y: is_even(y))] == [1, 3, 5, 7]
    nested = fl.Dataset.range(2).flat_map(lambda i: numbers.filter(lambda x: is_even(x + i)))
    assert [int(x) for x in nested] == [0, 2, 4, 6, 1, 3, 5, 7]
    assert [int(x) for x in numbers.filter(is_even).debug()] == [0, 2, 4, 6]
    iterator = iter(numbers.filter(is_even))
    next(iterator)
    assert [int(x) for x in numbers.filter(is_even).iterator(state=iterator.state())] == [2, 4, 6]
    with pytest.raises(fl.SchemaError, match="bool"):
        numbers.filter(lambda x: fl.py_function(lambda a: a, [x], INT))
    with pytest.raises(ZeroDivisionError):
        list(numbers.filter(lambda x: fl.py_function(lambda a: 1 // int(a) == 1, [x], fl.TensorSpec([], fl.bool))))
    with pytest.raises(fl.TraceError, match="in the function of a map"):
        numbers.map(lambda x: fl.cond(x > 2, lambda: is_even(x), lambda: False))


def test_numpy_function_inside_datasets():
    def inner(i):
        twice = fl.Dataset.range(3).map(lambda x: fl.numpy_function(lambda a, b: a * 10 + b, [x + i, i], INT) + i + x)
        return twice.map(lambda y: (y, fl.py_function(lambda a: -a, [y], INT)))

    expected = [(10 * (x + i) + i + i + x, -(10 * (x + i) + i + i + x)) for i in range(3) for x in range(3)]
    flat = fl.Dataset.range(3).flat_map(inner)
    for dataset in (flat, flat.debug(), fl.Dataset.range(3).flat_map(lambda j: fl.Dataset.from_tensors(j).flat_map(inner))):
        assert [(int(y), int(z)) for y, z in dataset] == expected
    assert sorted((int(y), int(z)) for y, z in fl.Dataset.range(3).interleave(inner)) == sorted(expected)
    windows = fl.Dataset.range(4).window(2).flat_map(lambda w: w.map(lambda x: fl.py_function(lambda a: a + 1, [x], INT)))
    assert [int(x) for x in windows] == [1, 2, 3, 4]
    kept = fl.Dataset.range(3).flat_map(lambda i: fl.Dataset.range(9).filter(lambda x: int(x) % 3 == 0, python=True).map(lambda x: x + i))
    assert [int(x) for x in kept] == [x + i for i in range(3) for x in (0, 3, 6)]
    batch = iter(flat)
    next(batch), next(batch)
    assert [(int(y), int(z)) for y, z in flat.iterator(state=batch.state())] == expected[2:]


def test_states_with_python_functions():
    dataset = fl.Dataset.range(20).map(lambda x: int(x) + 1, python=True, output_spec=INT).shuffle(5, seed=1).batch(3)
    whole = [batch.tolist() for batch in dataset.iterator(epoch=0)]
    it = dataset.iterator(epoch=0)
    next(it)
    assert [batch.tolist() for batch in dataset.iterator(state=it.state())] == whole[1:]


def test_without_threads_it_runs_where_it_is_asked(tmp_path):
    threads = []

    def noted(x=1):
        threads.append(threading.current_thread())
        return int(x)

    def generator():
        yield noted()
        yield noted()

    numbers = fl.Dataset.range(2)
    datasets = {
        "map": numbers.map(noted, python=True, output_spec=INT),
        "filter": numbers.filter(lambda x: noted(x) >= 0, python=True),
        "py_function": numbers.map(lambda x: fl.py_function(noted, [x], fl.int64)),
        "from_generator": fl.Dataset.from_generator(generator, output_signature=INT),
        "processes": numbers.map(noted, python=True, output_spec=INT, workers="process"),
    }
    for name, dataset in datasets.items():
        for how, asked_here in {"no threads": dataset.with_options(fl.Options(threads=0)), "debug": dataset.debug()}.items():
            it = iter(asked_here)
            next(it)
            assert (len(list(it)), len(list(asked_here.iterator(state=it.state())))) == (1, 0), name
            asked_here.save(tmp_path / name / how)
            assert set(threads) == {threading.current_thread()}, name
            # Whoever asks, it is his.
            there = threading.Thread(target=list, args=(asked_here,))
            there.start()
            there.join()
            assert set(threads) == {threading.current_thread(), there}, name
            threads.clear()


@pytest.mark.parametrize("options", [{}, {"num_parallel_calls": 2}])
def test_stop_iteration_is_an_error_and_no_end(options):
    dataset = fl.Dataset.range(5).map(
        lambda x: next(iter([])) if x == 2 else x, python=True, output_spec=fl.TensorSpec([], fl.int64), **options
    )
    iterator, seen = iter(dataset), []
    with pytest.raises(RuntimeError, match="StopIteration") as caught:
        seen.extend(int(x) for x in iterator)
    assert isinstance(caught.value.__cause__, StopIteration)
    assert [int(x) for x in iterator] == [3, 4]


def test_several_results_may_be_a_list():
    def both(x):
        return fl.numpy_function(lambda x: [x, x * 2.0], [x], [fl.int64, fl.float64])

    assert [(int(a), float(b)) for a, b in fl.Dataset.range(2).map(both)] == [(0, 0.0), (1, 2.0)]


def test_another_function_of_the_same_name_is_another(tmp_path):
    def adding(number):
        def fn(x):
            return x + number

        return fn

    def of(function):
        return fl.Dataset.range(3).map(function, python=True, output_spec=fl.TensorSpec([], fl.int64))

    def fn(x):
        return x * 1000

    assert of(adding(1)).fingerprint() == of(adding(1)).fingerprint()
    assert len({of(function).fingerprint() for function in [adding(1), adding(2), fn]}) == 3
    iterator = iter(of(adding(1)))
    next(iterator)
    with pytest.raises(fl.CheckpointError, match="fn#"):
        of(fn).iterator(state=iterator.state())
    assert [int(x) for x in of(adding(1)).cache(str(tmp_path / "kept"))] == [1, 2, 3]
    with pytest.raises(Exception, match="another|other"):
        list(of(fn).cache(str(tmp_path / "kept")))


SCALE = 2
TABLE = np.arange(3)
CALLS: list[int] = []
NUM_CALLS = 0


def _scaled(x: Any) -> Any:
    return x * SCALE


def _looked_up(x: Any) -> Any:
    global NUM_CALLS
    NUM_CALLS += 1
    CALLS.append(0)
    return _scaled(TABLE[x]) if x else _looked_up(x + 1)


def test_what_a_function_uses_counts_in_a_plan(monkeypatch):
    of = lambda: fl.Dataset.range(3).map(_looked_up, python=True, output_spec=fl.TensorSpec([], fl.int64)).fingerprint()
    before = of()
    # What it changes itself as it runs, and what it may fill, does not.
    list(fl.Dataset.range(3).map(_looked_up, python=True))
    assert CALLS and NUM_CALLS and of() == before
    seen = {before}
    for name, value in [("SCALE", 3), ("TABLE", np.arange(1, 4)), ("_scaled", lambda x: x + SCALE)]:
        monkeypatch.setitem(globals(), name, value)
        assert of() not in seen, name
        seen.add(of())
        monkeypatch.undo()
    assert of() == before


def test_arguments_and_attributes_make_another_function():
    class Add:
        def __init__(self, number):
            self.number, self.calls = number, []

        def __call__(self, x):
            self.calls.append(x)
            return x + self.number

    def of(function):
        return fl.Dataset.range(3).map(function, python=True, output_spec=INT)

    used = Add(1)
    expected = of(used).fingerprint()
    assert [int(x) for x in of(used)] == [1, 2, 3]
    assert of(used).fingerprint() == of(Add(1)).fingerprint() == expected != of(Add(2)).fingerprint()

    def multiples(*numbers):
        yield from numbers

    def generated(*numbers):
        return fl.Dataset.from_generator(multiples, output_signature=INT, args=numbers)

    assert generated(3, 4).fingerprint() == generated(3, 4).fingerprint()
    several = [generated(3, 4), generated(3, 5), generated(3), generated(np.arange(3)), generated(np.arange(1, 4))]
    assert len({dataset.fingerprint() for dataset in several}) == len(several)
    iterator = iter(generated(3, 4))
    next(iterator)
    with pytest.raises(fl.CheckpointError, match="multiples#"):
        generated(3, 5).iterator(state=iterator.state())


def test_what_a_function_of_ragged_and_sparse_tensors_returns_is_learned():
    ragged = fl.Dataset.range(3).map(lambda x: fl.RaggedTensor.from_row_splits(fl.range(x), [0, 0, x]))
    sparse = fl.Dataset.from_tensors(fl.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2]))
    for workers in ("thread", "process"):
        returned = ragged.map(lambda x: {"a": x}, python=True, workers=workers)
        assert returned.element_spec == {"a": fl.RaggedTensorSpec([None, None], fl.int64, 1)}
        assert [x["a"].to_list() for x in returned] == [[[], []], [[], [0]], [[], [0, 1]]]
        (same,) = sparse.map(lambda x: x, python=True, workers=workers)
        assert same.values.tolist() == [5, 6] and same.dense_shape.tolist() == [3, 2]


@pytest.mark.skipif(getattr(sys, "_is_gil_enabled", lambda: True)(), reason="needs a free-threaded Python")
def test_a_free_threaded_python_uses_threads():
    lock, cores = threading.Lock(), len(os.sched_getaffinity(0))
    together = threading.Barrier(cores)

    def here(x):
        # A lock would not go to another process; calls that come one by one would never meet.
        with lock:
            threads.add(threading.get_ident())
        together.wait(20)
        return x + os.getpid()

    for calls in (None, cores):
        threads = set()
        numbers = fl.Dataset.range(cores).map(here, calls, python=True, output_spec=fl.TensorSpec([], fl.int64), workers="process")
        assert [int(x) - os.getpid() for x in numbers] == list(range(cores))
        assert len(threads) == cores and threading.get_ident() not in threads
    # The module does not want the lock back.
    assert not sys._is_gil_enabled()
