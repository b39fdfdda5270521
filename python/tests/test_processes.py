"""Python functions in processes of their own."""

from __future__ import annotations

import builtins
import collections
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import feedline as fl
from feedline import _processes
from test_iteration import in_a_forked_child

# What functions do here that are to run elsewhere (end their process, say) must not be done in this one.
pytestmark = pytest.mark.skipif(
    not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="a free-threaded Python uses threads (test_python_functions.py); PYTHON_GIL=1 runs these there"
)

INT = fl.TensorSpec([], fl.int64)


def in_processes(dataset, function, calls=2, output_spec=INT):
    return dataset.map(function, calls, python=True, output_spec=output_spec, workers="process")


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the second if it goes between opening and reading
        return False


def wait_until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


def test_results_are_those_of_a_call_here():
    array = np.arange(24, dtype=np.float32).reshape(4, 2, 3)
    rows = fl.Dataset.from_tensor_slices({"x": array, "name": ["a", "bc", "", "ä"], "more": ([[1, 2]] * 4, [True, False] * 2)})

    def mixed(row):
        (pair, flag) = row["more"]
        return {
            "sum": row["x"].sum(),
            "turned": row["x"].T,
            "name": row["name"] + b"!",
            "names": np.array([row["name"], b"z"], object),
            "list": [1.5, float(pair[0])],
            "flag": (not flag, {"empty": np.zeros((0, 3), np.uint8)}),
            "half": row["x"][0].astype(np.float16),
            "swapped": row["x"].astype(">f4"),
        }

    here = list(rows.map(mixed, python=True))
    there = list(rows.map(mixed, python=True, workers="process", num_parallel_calls=2))
    for one, other in zip(here, there, strict=True):
        assert one.keys() == other.keys()
        for key in one:
            if key == "flag":
                assert one[key][0] == other[key][0] and other[key][1]["empty"].shape == (0, 3)
            else:
                assert np.array_equal(one[key], other[key]), key
                assert getattr(one[key], "dtype", None) == getattr(other[key], "dtype", None), key


def test_ragged_and_sparse_tensors_go_both_ways():
    ragged = fl.Dataset.range(1, 4).map(lambda n: (fl.fill([n], n), n * 100)).ragged_batch(3)
    examples = [fl.io.example({"word": ["a", "b"][:count], "n": count}) for count in range(3)]
    features = {"word": fl.io.VarLenFeature(fl.string), "n": fl.io.FixedLenFeature([], fl.int64)}
    sparse = fl.Dataset.from_tensor_slices(examples).batch(3).map(lambda x: fl.io.parse_example(x, features))
    cases = [
        (ragged, lambda rows, label: f"{rows!r} {label!r}", fl.TensorSpec([], fl.string)),
        (ragged, lambda rows, label: (label, {"rows": rows}), (fl.TensorSpec([None], fl.int64), {"rows": fl.RaggedTensorSpec([None, None], fl.int64)})),
        (sparse, lambda x: f"{sorted(x)} {x['word']!r} {x['word'].values!r} {x['n']!r}", fl.TensorSpec([], fl.string)),
        (sparse, lambda x: (x["n"], x["word"]), (fl.TensorSpec([None], fl.int64), fl.SparseTensorSpec([None, None], fl.string))),
    ]
    for dataset, function, spec in cases:
        here, there = (
            repr(dataset.map(function, python=True, output_spec=spec, workers=workers).get_single_element()) for workers in ("thread", "process")
        )
        assert here == there
    # One that comes where another was said is told as it is in a thread.
    for workers in ("thread", "process"):
        with pytest.raises(fl.FeedlineError, match="agged"):
            list(ragged.map(lambda rows, label: rows, python=True, output_spec=INT, workers=workers))


def test_a_dataset_inside_an_element_stays_here():
    with pytest.raises(fl.ArgumentError, match="batch it first"):
        in_processes(fl.Dataset.range(4).window(2), lambda window: 1)


def test_what_numpy_has_not_is_told_and_the_process_lives_on(monkeypatch):
    halves = fl.Dataset.range(2).map(lambda x: fl.cast(x, fl.bfloat16))
    # The process has the paths of this one: a module that cannot be imported stands in for one that is not there.
    monkeypatch.syspath_prepend(os.path.join(os.path.dirname(__file__), "without_ml_dtypes"))
    elements = iter(in_processes(halves, lambda x: os.getpid(), 1))
    for _ in range(2):
        with pytest.raises(fl.ArgumentError, match="ml_dtypes"):
            next(elements)


def test_without_workers_it_runs_here():
    dataset = in_processes(fl.Dataset.range(3), lambda x: os.getpid())
    for asked_here in (dataset.debug(), dataset.with_options(fl.Options(threads=0))):
        assert {int(process) for process in asked_here} == {os.getpid()}
    assert os.getpid() not in {int(process) for process in dataset}


def test_order_is_kept_and_the_work_is_shared():
    def late(x):
        time.sleep(0.02 if x % 3 == 0 else 0)
        return np.array([int(x), os.getpid()])

    pairs = list(in_processes(fl.Dataset.range(60), late, 2, fl.TensorSpec([2], fl.int64)))
    assert [int(x) for x, _ in pairs] == list(range(60))
    processes = {int(process) for _, process in pairs}
    assert len(processes) == 2 and os.getpid() not in processes


def test_large_arrays_both_ways_however_long_they_are_held():
    rows = np.random.default_rng(1).integers(0, 255, (100, 50_000), np.uint8)
    dataset = in_processes(fl.Dataset.from_tensor_slices(rows), lambda x: x + np.uint8(1), 2, fl.TensorSpec([None], fl.uint8))
    held = list(dataset)
    assert all(np.array_equal(row, rows[number] + np.uint8(1)) for number, row in enumerate(held))
    shuffled = dataset.shuffle(90, seed=1).batch(7)
    assert sorted(row.tobytes() for batch in shuffled for row in batch) == sorted(row.tobytes() for row in rows + np.uint8(1))


def test_sizes_may_change():
    sizes = [0, 1, 5000, 3, 1_000_000, 7, 0, 2_000_000]
    dataset = fl.Dataset.from_generator(
        lambda: (np.full(n, n) for n in sizes), output_signature=fl.TensorSpec([None], fl.int64)
    )
    doubled = in_processes(dataset, lambda x: np.concatenate([x, x]), 1, fl.TensorSpec([None], fl.int64))
    assert [(row.size, set(row.tolist())) for row in doubled] == [(2 * n, {n} if n else set()) for n in sizes]


def test_what_the_function_keeps_stays_as_it_was():
    def previous(x, _kept=collections.deque(maxlen=2)):
        _kept.append(x[:1])
        return int(_kept[0][0])

    rows = np.arange(1000).repeat(10).reshape(1000, 10)
    dataset = in_processes(fl.Dataset.from_tensor_slices(rows), previous, 1)
    assert [int(x) for x in dataset] == [0, *range(999)]


def test_results_go_when_the_next_call_comes():
    """Without a collection of circles, which in a process that makes few objects comes after a hundred calls."""

    def alive(x):
        import gc
        import weakref

        gc.disable()
        results = alive.__dict__.setdefault("results", [])
        result = np.full((100, 100), sum(other() is not None for other in results))
        results.append(weakref.ref(result))
        return result

    dataset = in_processes(fl.Dataset.range(10), alive, 1, fl.TensorSpec([100, 100], fl.int64))
    assert [int(counts.max()) for counts in dataset] == [0] * 10


def test_results_of_a_batch_are_not_kept_beside_it():
    """In the memory that processes share there are those that are on their way, and not all of the batch that is being made."""

    def shared_bytes():
        with open("/proc/self/smaps") as maps:
            lines = maps.read().splitlines()
        sizes, is_shared = 0, False
        for line in lines:
            if not line.split()[0].endswith(":"):
                is_shared = "memfd:feedline" in line
            elif is_shared and line.startswith("Rss:"):
                sizes += int(line.split()[1]) << 10
        return sizes

    spec = fl.TensorSpec([1 << 18], fl.float32)
    dataset = in_processes(fl.Dataset.range(60), lambda x: np.full(1 << 18, x, np.float32), 2, spec).batch(30)
    batches = iter(dataset)
    assert next(batches)[:, 0].tolist() == list(range(30))
    assert shared_bytes() < 12 << 20
    assert next(batches)[:, -1].tolist() == list(range(30, 60))


def test_inputs_are_read_only():
    def write(x):
        x[0] = 1
        return 1

    with pytest.raises(ValueError, match="read-only"):
        list(in_processes(fl.Dataset.from_tensors(np.zeros(3)), write))


class OwnError(Exception):
    def __init__(self, code, *, detail):
        super().__init__(code)
        self.detail = detail


class ErrorOfTwo(Exception):
    def __init__(self, first, second):
        super().__init__(f"{first}-{second}")
        self.first, self.second = first, second


def test_exceptions_surface_unchanged_with_step_and_element():
    def fragile(x):
        if x == 3:
            raise KeyError("three")
        return int(x)

    it = iter(in_processes(fl.Dataset.range(6), fragile))
    assert [int(next(it)) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match="three") as caught:
        next(it)
    there, here = caught.value.__notes__
    assert 'raise KeyError("three")' in there and "fragile" in here and "(3)" in here
    assert [int(x) for x in it] == [4, 5]

    def unpicklable(x):
        raise OwnError(int(x), detail=threading.Lock())

    with pytest.raises(fl.UserCodeError, match="OwnError: 0"):
        next(iter(in_processes(fl.Dataset.range(1), unpicklable)))


def test_exceptions_whose_class_takes_other_arguments_come_back_as_they_are():
    def keyword(x):
        raise OwnError(int(x), detail=1)

    with pytest.raises(OwnError, match="^0") as caught:
        next(iter(in_processes(fl.Dataset.range(1), keyword)))
    assert caught.value.args == (0,) and caught.value.detail == 1

    def several(x):
        raise ErrorOfTwo("a", "b")

    with pytest.raises(ErrorOfTwo, match="^a-b") as caught:
        next(iter(in_processes(fl.Dataset.range(1), several)))
    assert (caught.value.first, caught.value.second) == ("a", "b") and "several" in caught.value.__notes__[0]


def test_results_that_are_not_what_was_said():
    for function in (lambda x: 1.5, lambda x: (1, 2), lambda x: np.zeros(3, np.int64), lambda x: {1: 2}):
        texts = []
        for workers in ("thread", "process"):
            dataset = fl.Dataset.range(1).map(function, python=True, output_spec=INT, workers=workers)
            with pytest.raises((fl.UserCodeError, fl.SchemaError)) as caught:
                next(iter(dataset))
            # The steps differ: one call at a time, or as many as there are processes.
            texts.append(str(caught.value).partition("\nin step")[0])
        assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("how", "told"),
    {
        "os.kill(os.getpid(), 9)": "killed (signal 9)",
        "os.kill(os.getpid(), 11)": "signal 11",
        "os._exit(3)": "exit code 3",
        "os._exit(0)": "exit code 0",
    }.items(),
)
def test_a_process_that_dies_is_an_error_of_its_element(how, told):
    def fatal(x):
        if x == 2:
            exec(f"import os; {how}")
        return int(x)

    it = iter(in_processes(fl.Dataset.range(5), fatal))
    assert [int(next(it)) for _ in range(2)] == [0, 1]
    with pytest.raises(fl.UserCodeError) as caught:
        next(it)
    assert told in str(caught.value) and "(2)" in caught.value.__notes__[0] and "fatal" in caught.value.__notes__[0]
    assert [int(x) for x in it] == [3, 4]


def test_processes_go_with_the_dataset():
    dataset = in_processes(fl.Dataset.range(4), lambda x: os.getpid())
    processes = {int(x) for x in dataset}
    assert {int(x) for x in dataset} <= processes, "used again, though maybe not both"
    assert all(map(is_alive, processes))
    del dataset
    wait_until(lambda: not any(map(is_alive, processes)))


def test_processes_that_have_nothing_to_do_end_and_others_take_their_place(monkeypatch):
    monkeypatch.setattr(_processes, "IDLE_LIMIT_S", 0.2)
    dataset = in_processes(fl.Dataset.range(1), lambda x: os.getpid(), 1)
    (first,) = dataset
    wait_until(lambda: not is_alive(int(first)))
    (second,) = dataset
    assert first != second


@pytest.mark.parametrize("busy", [False, True])
def test_processes_end_with_their_parent(busy):
    program = f"""
        import os, time, feedline as fl
        def work(x):
            os.write(1, b"%d\\n" % os.getpid())  # in one piece, unlike print
            if {busy}:
                time.sleep(60)
            return int(x)
        it = iter(fl.Dataset.range(4).map(work, 2, python=True, workers="process", output_spec=fl.TensorSpec([], fl.int64)))
        next(it)
        time.sleep(60)
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    process = int(parent.stdout.readline())
    assert is_alive(process)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_until(lambda: not is_alive(process))


def test_a_forked_child_has_processes_of_its_own():
    dataset = in_processes(fl.Dataset.range(4), lambda x: os.getpid())
    own = {int(x) for x in dataset}

    def work():
        theirs = {int(x) for x in dataset}
        return bool(theirs) and not theirs & own

    assert in_a_forked_child(work)
    assert {int(x) for x in dataset} <= own


OFFSET = 7


def offset_by(x):
    return int(x) + OFFSET


def test_functions_without_cloudpickle(monkeypatch):
    imported = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "cloudpickle":
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    factor = np.int64(3)

    def factorial(n):
        return 1 if n <= 1 else n * factorial(n - 1)

    cases = [
        (offset_by, [7, 8, 9]),
        (lambda x, more=4: int(x * factor) + more + OFFSET, [11, 14, 17]),
        (lambda x: sum(int(np.sqrt(x)) for _ in range(2)), [0, 2, 2]),
        (lambda x: factorial(int(x)), [1, 1, 2]),
    ]
    for function, expected in cases:
        assert [int(x) for x in in_processes(fl.Dataset.range(3), function)] == expected
    program = """
        import feedline as fl
        STEP = 5
        def helper(x): return x + STEP
        def main_function(x): return helper(int(x))
        class Own:
            def __call__(self, x): return 1
        ds = fl.Dataset.range(2)
        spec = fl.TensorSpec([], fl.int64)
        print([int(x) for x in ds.map(main_function, python=True, workers="process", output_spec=spec)])
        try:
            ds.map(Own(), python=True, workers="process", output_spec=spec)
        except ValueError as error:
            print(error)
    """
    block = "import sys; sys.modules['cloudpickle'] = None\n"
    done = subprocess.run([sys.executable, "-c", block + textwrap.dedent(program)], capture_output=True, text=True, timeout=50)
    assert done.stdout.startswith("[5, 6]\n"), done.stderr
    assert "Own is of the main program" in done.stdout and "pip install cloudpickle" in done.stdout


def test_functions_that_cannot_go():
    import threading

    lock = threading.Lock()
    with pytest.raises(ValueError, match="cannot go to another process"):
        in_processes(fl.Dataset.range(2), lambda x: lock.locked())
    with pytest.raises(ValueError, match="'thread' or 'process'"):
        fl.Dataset.range(2).map(offset_by, python=True, workers="processes")
    with pytest.raises(ValueError, match="workers"):
        fl.Dataset.range(2).map(lambda x: x, workers="process")


def test_states():
    dataset = in_processes(fl.Dataset.range(20), lambda x: int(x) * 2).shuffle(5, seed=1).batch(3)
    whole = [batch.tolist() for batch in dataset.iterator(epoch=0)]
    it = dataset.iterator(epoch=0)
    next(it)
    assert [batch.tolist() for batch in dataset.iterator(state=it.state())] == whole[1:]


def test_abandoned_in_the_middle_of_a_call():
    def slow(x):
        time.sleep(0.3)
        return os.getpid()

    dataset = in_processes(fl.Dataset.range(10), slow)
    it = iter(dataset)
    process = int(next(it))
    began = time.monotonic()
    del it, dataset
    assert time.monotonic() - began < 5
    wait_until(lambda: not is_alive(process))


def test_a_call_that_nobody_waits_for_is_ended(tmp_path):
    begun = tmp_path / "begun"

    def hangs(x):
        if x == 1:
            unfinished = begun.with_suffix(".unfinished")
            unfinished.write_text(str(os.getpid()))
            unfinished.rename(begun)
            time.sleep(3600)
        return x

    dataset = in_processes(fl.Dataset.range(4), hangs)
    it = iter(dataset)
    next(it)
    wait_until(begun.exists)
    process = int(begun.read_text())
    assert is_alive(process)
    it.close()
    # The dataset is still there, and may be iterated again.
    wait_until(lambda: not is_alive(process))
    assert int(next(iter(dataset))) == 0
