"""What iterating gives: arrays over the engine's memory, saved states, waits that can be interrupted."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import feedline as fl


def test_batches_are_views_that_keep_their_memory():
    it = iter(fl.Dataset.range(1000).map(lambda x: x + 1).batch(100))
    first = next(it)
    part = first[10:20]
    del first, it
    gc.collect()
    assert part.tolist() == list(range(11, 21))
    assert not part.flags.writeable and not part.flags.owndata


def test_a_large_batch_costs_no_copy():
    array = np.zeros((64, 224, 224, 3), np.float32)
    (batch,) = fl.Dataset.from_tensors(array)
    assert np.shares_memory(array, batch)


def test_memory_is_given_back():
    it = fl.Dataset.range(64).map(lambda x: fl.cast(fl.expand_dims(x, 0), fl.float64)).batch(32).iterator()
    held = next(it)
    next(it)
    assert it.metrics()["held_by_caller_bytes"] > 0
    del held
    assert list(it) == []
    gc.collect()
    assert it.metrics()["held_by_caller_bytes"] == 0


def test_memory_is_given_back_when_the_last_view_of_it_goes():
    dataset = fl.Dataset.range(32).map(lambda x: fl.fill([100_000], x)).batch(4)
    for options in (fl.Options(), fl.Options(threads=0)):
        it = dataset.with_options(options).iterator()
        for number in range(8):
            batch = next(it)
            view = batch[1:, :2]
            del batch
            assert it.metrics()["held_by_caller_bytes"] == 3_200_000
            del view
            assert it.metrics()["held_by_caller_bytes"] == 0
            if number == 5:
                assert [int(x[0, 0]) for x in dataset.iterator(state=it.state())] == [24, 28]


def test_scalars_strings_and_empty_arrays():
    types = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
    for scalar in [*types, np.float16, np.float32, np.float64]:
        (value,) = fl.Dataset.from_tensors(scalar(1))
        assert type(value) is scalar and value == 1
        (empty,) = fl.Dataset.from_tensors(np.zeros((0, 3), scalar))
        assert empty.shape == (0, 3) and empty.dtype == scalar
    (value,) = fl.Dataset.from_tensors("ä")
    assert value == "ä".encode()
    (value,) = fl.Dataset.from_tensors([["a"], ["bc"]])
    assert value.dtype == object and value.tolist() == [[b"a"], [b"bc"]]
    (value,) = fl.Dataset.from_tensors(np.zeros((2, 0), object))
    assert value.shape == (2, 0)


def test_states():
    dataset = fl.Dataset.range(50).shuffle(10, seed=3).map(lambda x: x * 2).batch(7)
    whole = [batch.tolist() for batch in dataset.iterator(epoch=0)]
    for taken in range(len(whole) + 1):
        it = dataset.iterator(epoch=0)
        for _ in range(taken):
            next(it)
        saved = it.state()
        assert isinstance(saved, bytes) and len(saved) < 4096
        assert [batch.tolist() for batch in dataset.iterator(state=saved)] == whole[taken:]
        other = dataset.iterator()
        other.set_state(it.get_state())
        assert [batch.tolist() for batch in other] == whole[taken:]


def test_states_of_others_are_refused():
    saved = fl.Dataset.range(5).iterator().state()
    with pytest.raises(fl.CheckpointError, match="another plan"):
        fl.Dataset.range(6).iterator(state=saved)
    with pytest.raises(fl.CheckpointError, match="no saved state"):
        fl.Dataset.range(6).iterator(state=b"{}")
    for wrong in ("abc", b"abc", None):
        with pytest.raises(fl.CheckpointError, match="set_state"):
            fl.Dataset.range(6).iterator().set_state(wrong)
    with pytest.raises(ValueError):
        fl.Dataset.range(5).iterator(state=saved, epoch=1)


def test_epochs():
    dataset = fl.Dataset.range(20).shuffle(20, seed=1)
    first, second = list(dataset), list(dataset)
    assert first != second and sorted(first) == sorted(second)
    assert list(dataset.iterator(epoch=1)) == second


def test_epochs_go_on_behind_one_that_was_restored():
    def shuffled():
        return fl.Dataset.range(20).shuffle(20, seed=1)

    whole = shuffled()
    epochs = [[int(x) for x in whole] for _ in range(4)]
    iterator = shuffled().iterator(epoch=1)
    next(iterator)
    restored = shuffled()
    assert [int(x) for x in restored.iterator(state=iterator.state())] == epochs[1][1:]
    assert [[int(x) for x in restored] for _ in range(2)] == epochs[2:]


def test_an_iterator_is_closed_while_another_thread_waits_for_it():
    iterator = iter(fl.Dataset.range(10**15).filter(lambda x: x < 0))
    told = []

    def wait():
        try:
            next(iterator)
        except fl.ArgumentError as error:
            told.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.2)  # likely in the middle of waiting; it ends in any case
    iterator.close()
    thread.join(20)
    assert not thread.is_alive() and all("closed" in message for message in told)


def test_the_state_is_told_while_another_thread_waits():
    called, gate, taken = threading.Event(), threading.Event(), []

    def waits(x):
        if x == 1:
            called.set()
            assert gate.wait(60)
        return x

    dataset = fl.Dataset.range(3).map(waits, python=True, output_spec=fl.TensorSpec([], fl.int64))
    it = dataset.iterator()
    thread = threading.Thread(target=lambda: taken.extend(it))
    thread.start()
    assert called.wait(60)
    while not taken:  # the first is on its way, and the wait for the second begins as soon as it is there
        time.sleep(0.01)
    # The other one waits for what this thread lets go on afterwards.
    state, spec, steps = it.state(), it.element_spec, it.metrics()["steps"]
    gate.set()
    thread.join(60)
    assert [int(x) for x in taken] == [0, 1, 2]
    assert [int(x) for x in dataset.iterator(state=state)] == [1, 2]
    assert spec == fl.TensorSpec([], fl.int64) and steps[0]["name"] == "range(0, 3, 1)"


def test_exceptions_are_not_kept():
    class Heavy(ValueError):
        pass

    def fails(x):
        raise Heavy(x)

    for _ in range(3):
        dataset = fl.Dataset.range(3).map(fails, python=True, output_spec=fl.TensorSpec([], fl.int64))
        iterator = iter(dataset)
        with pytest.raises(Heavy):
            next(iterator)
        del dataset, iterator
    # Calls that were under way end on their own.
    deadline = time.monotonic() + 20
    while kept := [kept for kept in gc.get_objects() if isinstance(kept, Heavy)]:
        assert time.monotonic() < deadline, kept
        del kept
        time.sleep(0.05)
        gc.collect()


@pytest.mark.parametrize("wrong", [{"threads": -1}, {"stall_after_s": float("nan")}, {"stall_after_s": -1}, {"stall_after_s": float("inf")}])
def test_wrong_options_are_named(wrong):
    with pytest.raises(fl.ArgumentError, match=next(iter(wrong))):
        fl.Dataset.range(3).with_options(fl.Options(**wrong))


def test_closing():
    it = fl.Dataset.range(10).iterator()
    with it:
        next(it)
    with pytest.raises(ValueError, match="closed"):
        next(it)


def test_many_threads_share_an_iterator():
    it = iter(fl.Dataset.range(20_000).map(lambda x: x + 1))
    seen, lock = [], threading.Lock()

    def work():
        own = [int(x) for x in it]
        with lock:
            seen.extend(own)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(1, 20_001))


def test_the_interpreter_runs_while_an_element_is_waited_for():
    gate = threading.Event()
    threading.Timer(0.2, gate.set).start()
    dataset = fl.Dataset.range(1).map(lambda x: gate.wait(10), python=True, output_spec=fl.TensorSpec([], fl.bool))
    assert list(dataset) == [True]


SLOW = "map(lambda x: time.sleep(30) or 1, python=True, output_spec=spec)"
LONG = "fl.reduce_max(fl.sort(fl.random.uniform([60_000_000], seed=1)))"
WAITS = {
    "python function": f"next(iter(fl.Dataset.range(1).{SLOW}))",
    "python function in a process": f"next(iter(fl.Dataset.range(1).{SLOW[:-1]}, workers='process')))",
    "generator": "next(iter(fl.Dataset.from_generator(lambda: iter(lambda: time.sleep(30) or 1, 0), output_signature=spec)))",
    "filter that drops everything": "next(iter(fl.Dataset.range(10**12).filter(lambda x: x < 0)))",
    "skip": "next(iter(fl.Dataset.range(10**12).map(lambda x: x + 1).filter(lambda x: x > 0).skip(10**12)))",
    "shuffle that fills": "next(iter(fl.Dataset.range(10**12).filter(lambda x: x < 0).shuffle(1000)))",
    "interleave of slow datasets": "next(iter(fl.Dataset.range(4).interleave(lambda x: fl.Dataset.range(10**12).filter(lambda y: y < 0))))",
    "prefetch": f"next(iter(fl.Dataset.range(9).{SLOW}.batch(3).prefetch(2)))",
    "cache": f"next(iter(fl.Dataset.range(1).{SLOW}.cache()))",
    "for loop": "[x for x in fl.Dataset.range(10**12).filter(lambda x: x < 5)]",
    "python function on the calling thread": f"next(iter(fl.Dataset.range(1).{SLOW}.debug()))",
    "filter on the calling thread": "next(iter(fl.Dataset.range(10**12).filter(lambda x: x < 0).debug()))",
    "skip on the calling thread": "next(iter(fl.Dataset.range(10**12).filter(lambda x: x > 0).skip(10**12).batch(2).debug()))",
    "operation that takes long": "next(iter(fl.Dataset.range(1).map(lambda x: fl.sort(fl.random.uniform([60_000_000], seed=1)))))",
    "loop that takes long": "next(iter(fl.Dataset.range(1).map(lambda x: fl.while_loop(lambda i: i >= 0, lambda i: (i + 1,), (x,), maximum_iterations=10**9))))",
    "probe of a function": "fl.Dataset.range(10**12).filter(lambda x: x < 0).map(lambda x: x, python=True)",
    "a state that is far away": "fl.Dataset.range(10**12).filter(lambda x: x < 0).iterator(state=far).__next__()",
    "write_tfrecords": "fl.Dataset.range(10**12).filter(lambda x: x < 0).map(lambda x: {'x': x}).write_tfrecords(folder + '/a')",
    "save": "fl.Dataset.range(10**12).filter(lambda x: x < 0).save(folder + '/saved')",
    "reduce": "fl.Dataset.range(10**12).reduce(np.int64(0), lambda total, x: total + x, progress=True)",
    "list_files": "fl.Dataset.list_files(folder + '/classes/*/*')",
    "image_folder": "fl.Dataset.image_folder(folder + '/classes')",
    # A call of the system's that does not return.
    "load": "os.mkfifo(folder + '/dataset.json') or fl.Dataset.load(folder)",
    "load that waits": "fl.Dataset.load(folder + '/none', wait=True)",
    "load that waits and opens": "os.mkfifo(folder + '/dataset.json') or fl.Dataset.load(folder, wait=True)",
    # One operation that works for long, where no worker does it.
    **{
        f"{operation} {where}": f"next(iter(fl.Dataset.range(1).map(lambda x: {code}).{run}))"
        for operation, code in {
            "sort": "fl.sort(fl.random.uniform([60_000_000], seed=1))",
            "matmul": "fl.linalg.matmul(fl.random.uniform([3000, 3000], seed=1), fl.random.uniform([3000, 3000], seed=2))",
            "regex": "fl.strings.regex_replace(fl.fill([30_000_000], 'a cat sat'), '(c.)t', r'\\1p')",
            "loop": "fl.while_loop(lambda i: i >= 0, lambda i: (i + 1,), (x,), maximum_iterations=10**9)",
        }.items()
        for where, run in {"in debug()": "debug()", "without threads": "with_options(fl.Options(threads=0))"}.items()
    },
    "operation that nobody does ahead": f"next(iter(fl.Dataset.range(1).filter(lambda x: {LONG} < 2.0).with_options(fl.Options(optimizer=False))))",
    "save on the calling thread": f"fl.Dataset.range(1).map(lambda x: {LONG}).debug().save(folder + '/saved')",
    "a state that is far away on the calling thread": "fl.Dataset.range(10**12).filter(lambda x: x < 0).debug().iterator(state=far).__next__()",
    # Nobody waits for an operation that works on: not who closes the iterator, and who looks at it can leave, too.
    "closing": f"with fl.Dataset.range(1).map(lambda x: {LONG}).debug().iterator() as it: next(it)",
    "an iterator that another thread waits for": f"it = iter(fl.Dataset.range(1).{SLOW}); another(it); next(it)",
    "metrics in the middle of an operation": f"it = iter(fl.Dataset.range(1).map(lambda x: {LONG}).debug()); another(it); it.metrics()",
    # Hashing of data.
    "state": "it = iter(fl.Dataset.from_tensors(much)); it.state()",
    "fingerprint": "fl.Dataset.from_tensors(much).fingerprint()",
    "cache in files": "iter(fl.Dataset.from_tensors(much).cache(folder + '/cache'))",
    "snapshot": "iter(fl.Dataset.from_tensors(much).snapshot(folder + '/snapshot'))",
    "pickling": "pickle.dumps(fl.Dataset.from_tensors(much))",
    # What is compressed and written.
    "record": "with fl.io.TFRecordWriter(folder + '/written', 'GZIP') as writer: writer.write(np.random.default_rng(1).bytes(10**7) * 20)",
}


# What Python and numpy have becomes the engine's: what is there before, and what is done with it.
CONVERSIONS = {
    "hash table": ("keys = np.arange(10_000_000)", "fl.lookup.StaticHashTable(fl.lookup.KeyValueTensorInitializer(keys, keys), -1)"),
    "hash table of strings": (
        "keys = np.array([str(n) for n in range(3_000_000)], object)",
        "fl.lookup.StaticHashTable(fl.lookup.KeyValueTensorInitializer(keys, np.arange(len(keys))), -1)",
    ),
    "lookup in a table": (
        "keys = np.arange(10_000_000); table = fl.lookup.StaticHashTable(fl.lookup.KeyValueTensorInitializer(keys, keys), -1)",
        "fl.Dataset.range(3).map(table.lookup)",
    ),
    "vocabulary file": (
        "pathlib.Path(folder, 'words').write_bytes(b'word\\n' * 8_000_000)",
        "fl.lookup.TextFileInitializer(folder + '/words', fl.string, fl.lookup.TextFileIndex.WHOLE_LINE, fl.int64, fl.lookup.TextFileIndex.LINE_NUMBER)",
    ),
    "numbers in a file": (
        "pathlib.Path(folder, 'words').write_bytes(b'1234\\n' * 8_000_000)",
        "fl.lookup.TextFileInitializer(folder + '/words', fl.int64, fl.lookup.TextFileIndex.WHOLE_LINE, fl.int64, fl.lookup.TextFileIndex.LINE_NUMBER)",
    ),
    "list of numbers": ("numbers = [1.5] * 40_000_000", "fl.Dataset.from_tensor_slices(numbers)"),
    "list of lists": ("numbers = [[1, 2, 3, 4]] * 10_000_000", "fl.Dataset.from_tensor_slices(numbers)"),
    "list of strings": ("texts = ['abc'] * 20_000_000", "fl.Dataset.from_tensor_slices(texts)"),
    "constant of a list": ("numbers = [1] * 40_000_000", "fl.constant(numbers, fl.int64)"),
    "transposed array": ("array = np.zeros((12_000, 12_000), np.float32).T", "fl.Dataset.from_tensor_slices(array)"),
    "strided array": ("array = np.zeros((20_000, 50_000), np.uint8)[:, ::2]", "fl.Dataset.from_tensor_slices(array)"),
    "array of another byte order": ("array = np.zeros(10**8, '>f4')", "fl.Dataset.from_tensors(array)"),
    "Example of an array": ("array = np.zeros(10**8, np.float32)", "fl.io.example({'a': array})"),
    "column in chunks": (
        "pa = pytest.importorskip('pyarrow'); column = pa.array(np.zeros(10**8)); table = pa.table({'a': pa.chunked_array([column, column])})",
        "fl.Dataset.from_tensor_slices(table)",
    ),
    "column of a dictionary": (
        "pa = pytest.importorskip('pyarrow'); column = pa.DictionaryArray.from_arrays(np.arange(10**8, dtype=np.int32) % 9, np.zeros(9)); "
        "table = pa.table({'a': column})",
        "fl.Dataset.from_tensor_slices(table)",
    ),
    "constant in a function": ("array = np.zeros(10**8, np.float32)", "fl.Dataset.range(3).map(lambda x: fl.gather(array, x))"),
}


def tree(folder):
    """A few files, and classes of images that are one folder by very many names: looking through them takes minutes."""
    (folder / "some").mkdir()
    (folder / "classes").mkdir()
    for number in range(1000):
        (folder / "some" / f"{number}.jpg").touch()
    for number in range(20_000):
        os.symlink(folder / "some", folder / "classes" / str(number))


@pytest.mark.parametrize("name", [*WAITS, *CONVERSIONS])
def test_ctrl_c(name, tmp_path):
    before, code = CONVERSIONS.get(name, ("", WAITS.get(name)))
    program = f"""
import os, pathlib, pickle, threading, time, numpy as np, pytest, feedline as fl
spec, folder = fl.TensorSpec([], fl.int64), {str(tmp_path)!r}
far = fl.Dataset.range(10**12).filter(lambda x: x < 0).iterator().state()
much = (np.zeros(10**9, np.uint8),) * 64  # which takes no memory: nobody writes to it
def another(it):
    threading.Thread(target=next, args=(it,), daemon=True).start()
    time.sleep(0.2)
{before}
try:
    print("waiting", flush=True)
    {"while True: " * (name in CONVERSIONS)}{code}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    if name in ("list_files", "image_folder"):
        tree(tmp_path)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "waiting\n"
    time.sleep(0.5)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    taken = time.monotonic() - sent
    # 0.2 s is the aim, and a machine with four times as many programs as cores takes 0.04; this one may be busier.
    print(f"{name}: {taken:.3f} s")
    assert taken < 1.0
    process.wait(timeout=20)


def test_other_threads_go_on_while_a_large_constant_is_taken():
    program = """
import threading, time, numpy as np, feedline as fl
array, gaps, is_over = np.zeros(10**8, np.float32), [0.0], threading.Event()
def beat():
    last = time.monotonic()
    while not is_over.is_set():
        time.sleep(0.001)
        gaps.append(time.monotonic() - last)
        last += gaps[-1]
beating = threading.Thread(target=beat)
beating.start()
began = time.monotonic()
for _ in range(3):
    fl.Dataset.range(3).map(lambda x: fl.gather(array, x))
taken = time.monotonic() - began
is_over.set()
beating.join()
print(taken, max(gaps))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=True)
    taken, gap = map(float, done.stdout.split())
    # Each of the three holds the interpreter for no longer than a moment.
    assert gap < max(0.1, taken / 6), (gap, taken)


# A signal may come at any instruction, also between an iterator's answer and the line that keeps it, where no iterator
# can help. So elements are taken by `list.extend`, which has no instruction in between, and a handler raises only while
# the loop is armed for it, once.
INTERRUPTS = """
armed = False
def interrupt(*_):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt
"""
TAKES_ALL = """
it, seen, states = iter(dataset), [], {}
while True:
    try:
        armed = True
        seen.extend(it)
        armed = False
        break
    except KeyboardInterrupt:
        states[len(seen)] = it.state()
signal.setitimer(signal.ITIMER_REAL, 0)  # an interpreter that ends has no handlers any more, and dies of a timer
seen = [int(x) for x in seen]
print(seen, len(states) > 0, all([int(x) for x in dataset.iterator(state=state)] == seen[count:] for count, state in states.items()))
"""


def output_of(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True).stdout


def test_an_element_that_comes_with_the_signal_is_not_lost():
    program = """
import os, signal, feedline as fl
signal.signal(signal.SIGINT, interrupt)
def interrupting(x):
    os.kill(os.getpid(), signal.SIGINT)
    return x
dataset = fl.Dataset.range(5).map(interrupting, python=True, output_spec=fl.TensorSpec([], fl.int64))
"""
    assert output_of(INTERRUPTS + program + TAKES_ALL) == "[0, 1, 2, 3, 4] True True\n"


SLOWLY = {
    "python function": ".map(lambda x: time.sleep(0.4) or x, python=True, output_spec=spec)",
    "operation": ".map(long)",
    "operation on the calling thread": ".map(long).debug()",
    "operation without threads": ".map(long).with_options(fl.Options(threads=0))",
    # Python that comes up when who waited is gone: the next one who waits does it.
    "python function behind an operation": ".map(long).map(lambda x: int(x), python=True, output_spec=spec).debug()",
}


@pytest.mark.parametrize("name", SLOWLY)
def test_interrupted_nothing_is_lost(name):
    program = f"""
import signal, time, feedline as fl
def where_it_waits(number, frame):
    # What a signal raises in code of the user's is that code's error.
    if frame.f_code.co_name in ("<module>", "__next__"):
        interrupt()
def long(x):
    values = fl.sort(fl.random.uniform([300_000], seed=1))
    return x + fl.cast(values[0], fl.int64)
spec = fl.TensorSpec([], fl.int64)
dataset = fl.Dataset.range(3){SLOWLY[name]}
signal.signal(signal.SIGALRM, where_it_waits)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
"""
    assert output_of(INTERRUPTS + program + TAKES_ALL) == "[0, 1, 2] True True\n"


def in_a_forked_child(work):
    """Whether ``work()`` is true in a forked child, which is ended if it hangs."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def test_a_forked_child_has_iterators_of_its_own():
    dataset = fl.Dataset.range(100).map(lambda x: x + 1).batch(10)
    inherited = iter(dataset)
    next(inherited)

    def work():
        with pytest.raises(fl.ResourceError, match="fork"):
            next(inherited)
        return sum(int(batch.sum()) for batch in dataset) == 5050

    assert in_a_forked_child(work)
    assert sum(int(batch.sum()) for batch in inherited) == 5050 - 55


def test_a_forked_child_reads_files_and_runs_python(tmp_path):
    path = tmp_path / "lines"
    path.write_text("one\ntwo\n" * 10)
    spec = fl.TensorSpec([], fl.int64)
    datasets = [
        fl.TextLineDataset(path),
        fl.Dataset.range(20).map(lambda x: int(x), python=True, output_spec=spec),
        fl.Dataset.from_generator(lambda: iter(range(20)), output_signature=spec),
        fl.Dataset.range(20).map(lambda x: x + 1).cache(),
    ]
    for dataset in datasets:
        # The threads these run on are there already, in this process.
        assert len(list(dataset)) == 20
    assert in_a_forked_child(lambda: all(len(list(dataset)) == 20 for dataset in datasets))


def test_the_interpreter_ends_with_iterators_alive():
    program = """
import feedline as fl
def endless():
    while True:
        yield 1
its = [iter(fl.Dataset.range(10**9).map(lambda x: x + 1, python=python).batch(10)) for python in (False, True)]
its.append(iter(fl.Dataset.from_generator(endless, output_signature=fl.TensorSpec([], fl.int64)).batch(7)))
for it in its:
    next(it)
print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    assert (done.stdout, done.stderr) == ("done\n", "")


def num_threads():
    return len(os.listdir("/proc/self/task"))


def num_files():
    return len(os.listdir("/proc/self/fd"))


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def abandonable(folder):
    path = os.path.join(folder, "lines")
    with open(path, "w") as lines:
        lines.write("line\n" * 5000)
    spec, numbers = fl.TensorSpec([], fl.int64), fl.Dataset.range(3000)
    slow = numbers.map(lambda x: time.sleep(0.001) or int(x), 3, python=True, output_spec=spec)
    return [
        numbers.shuffle(100).map(lambda x: x * 2).batch(8).prefetch(2),
        numbers.filter(lambda x: x % 2 == 0).repeat(3).batch(7),
        numbers.interleave(lambda x: fl.Dataset.range(x), cycle_length=4).batch(5),
        numbers.map(lambda x: 10 // (x % 3)).ignore_errors().batch(4),
        fl.TextLineDataset([path] * 3).shuffle(50).batch(9).prefetch(3),
        fl.Dataset.from_generator(lambda: iter(range(3000)), output_signature=spec).batch(3),
        slow.batch(2).prefetch(2),
        fl.Dataset.zip(numbers, slow).batch(3),
        numbers.map(lambda x: x + 1).cache().batch(6),
        numbers.with_options(fl.Options(threads=0)).shuffle(10).batch(4),
    ]


def abandon(dataset, way, taken):
    it = dataset.iterator()
    for _ in range(taken):
        next(it)
    if way == "dropped":
        del it
    elif way == "closed":
        it.close()
    elif way == "held by a batch":
        batch = next(it)
        del it
        del batch
    elif way == "left by an exception":
        try:
            for _ in it:
                raise KeyError
        except KeyError:
            pass
    elif way == "restored":
        saved = it.state()
        it.close()
        next(dataset.iterator(state=saved))


WAYS = ["dropped", "closed", "held by a batch", "left by an exception", "restored"]


def test_pipelines_abandoned_at_every_kind_of_point_leave_nothing_behind(tmp_path):
    datasets = abandonable(tmp_path)

    def abandon_all(times):
        for dataset in datasets:
            for turn in range(times):
                for way in WAYS:
                    abandon(dataset, way, turn % 4)

    abandon_all(2)
    gc.collect()
    threads, files, memory = num_threads(), num_files(), resident()
    abandon_all(8)
    gc.collect()
    deadline = time.monotonic() + 20
    # A call that was running ends in its own time; threads for files may be up to 64, and stay for ten idle seconds.
    while (num_files() > files or num_threads() > max(threads, 70)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert num_files() <= files and num_threads() <= max(threads, 70)
    assert resident() - memory < 64 << 20


def test_memory_stays_flat():
    # `make soak-python` asks for a million.
    batches = int(os.environ.get("FEEDLINE_SOAK_BATCHES", "50000"))
    spec = fl.TensorSpec([], fl.int64)
    traced = fl.Dataset.range(512).repeat().map(lambda x: (x, fl.cast(x, fl.float32), "a string")).batch(8)
    called = fl.Dataset.range(512).repeat().map(lambda x: int(x), python=True, output_spec=spec).batch(8)
    for dataset in (traced, called):
        it = iter(dataset)
        for _ in range(5_000):
            next(it)
        before = resident()
        for _ in range(batches):
            next(it)
        assert resident() - before < 16 << 20
