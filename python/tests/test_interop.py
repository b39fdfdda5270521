"""Hand-over to torch, JAX and TensorFlow, where they are installed."""

from __future__ import annotations

import gc
import json
import os
import pickle
import socket
import subprocess
import sys
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

import feedline as fl


class Pair(NamedTuple):
    x: Any
    y: Any


def test_torch():
    torch = pytest.importorskip("torch")
    (pair,) = fl.Dataset.from_tensors(Pair(1, [2.0])).to_torch()
    assert type(pair) is Pair and isinstance(pair.y, torch.Tensor)
    dataset = fl.Dataset.range(10).map(lambda x: {"x": fl.cast(x, fl.float32), "name": "a"}).batch(4)
    batches = list(dataset.to_torch())
    assert [batch["x"].tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert isinstance(batches[0]["x"], torch.Tensor) and batches[0]["name"].tolist() == [b"a"] * 4
    loader = torch.utils.data.DataLoader(dataset.to_torch(), batch_size=None, num_workers=0)
    assert [batch["x"].tolist() for batch in loader] == [batch["x"].tolist() for batch in batches]
    with pytest.raises(ValueError, match=r"process of its own(.|\n)*num_workers=0"):
        list(torch.utils.data.DataLoader(dataset.to_torch(), batch_size=None, num_workers=1))


@pytest.mark.parametrize("handed", ["to_torch", "to_jax"])
def test_what_is_handed_over_is_pickled_without_the_iteration_at_hand(handed):
    pytest.importorskip(handed.removeprefix("to_"))
    begun = getattr(fl.Dataset.range(3), handed)()
    iterator = iter(begun)
    next(iterator)
    state = begun.state_dict()
    copy = pickle.loads(pickle.dumps(begun))
    assert [int(x) for x in copy] == [0, 1, 2] and [int(x) for x in iterator] == [1, 2]
    begun.load_state_dict(state)
    assert [int(x) for x in pickle.loads(pickle.dumps(begun))] == [1, 2]


def test_torch_gets_the_memory_itself_where_nobody_else_has_it(monkeypatch):
    pytest.importorskip("torch")
    from feedline import _torch

    places = []
    plain = _torch._tensor

    def noted(array):
        tensor = plain(array)
        places.append((array.ctypes.data, tensor.data_ptr(), array.base is None))
        return tensor

    monkeypatch.setattr(_torch, "_tensor", noted)
    rows = fl.Dataset.range(6).map(lambda x: fl.fill([1000], fl.cast(x, fl.float32)))
    for batches in (rows.batch(3), rows.batch(3).prefetch(2), rows.shuffle(6).batch(3), rows.batch(2).rebatch(3)):
        places.clear()
        assert len(list(batches.to_torch())) == 2
        assert len(places) == 2 and all(own == theirs and not is_copy for own, theirs, is_copy in places)


def test_tensors_of_torch_may_be_written_to(tmp_path):
    pytest.importorskip("torch")
    array = np.ones((6, 2), np.float32)
    rows = fl.Dataset.from_tensor_slices(array)
    made = rows.map(lambda x: x * 1)
    cases = {
        "rows": rows,
        "batches": rows.batch(3),
        "repeated": fl.Dataset.from_tensors(array).repeat(3),
        "constants": fl.Dataset.range(3).map(lambda x: fl.constant([1.0, 1.0])),
        "batches of repeated": rows.repeat(2).batch(6),
        "one twice": made.batch(3).map(lambda x: (x, x)),
        "cached rows": made.cache(),
        "cached batches": made.batch(3).cache(),
        "cached in files": made.batch(3).cache(tmp_path / "cache"),
        "snapshot": made.batch(3).snapshot(tmp_path / "snapshot"),
        "processes": rows.batch(3).map(_ones, python=True, workers="process"),
    }
    for name, dataset in cases.items():
        adapter = dataset.to_torch()
        for _ in range(3):
            for element in adapter:
                parts = element if isinstance(element, tuple) else (element,)
                for part in parts:
                    assert part.min() == part.max() == 1, name
                    part.div_(2)
    assert (array == 1).all()


def _ones(x):
    return np.ones((100, 100), np.float32)


@pytest.mark.parametrize("is_there", [True, False])
def test_bfloat16(is_there, monkeypatch):
    torch = pytest.importorskip("torch")
    if is_there:
        pytest.importorskip("ml_dtypes")
    else:
        monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    dataset = fl.Dataset.range(4).map(lambda x: fl.cast(x, fl.bfloat16) / 2)
    for elements in (dataset, dataset.batch(4)):
        tensors = list(elements.to_torch())
        assert {tensor.dtype for tensor in tensors} == {torch.bfloat16}
        assert torch.stack(tensors).flatten().tolist() == [0, 0.5, 1, 1.5]


def test_tensors_of_torch_are_taken(monkeypatch):
    torch = pytest.importorskip("torch")
    pytest.importorskip("ml_dtypes")
    halves = torch.tensor([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]], dtype=torch.bfloat16)
    for tensor in (halves, halves.T, halves[:, ::2], halves[0, 0]):
        dataset = fl.Dataset.from_tensors({"x": tensor})
        assert dataset.element_spec == {"x": fl.TensorSpec(tensor.shape, fl.bfloat16)}
        (element,) = dataset.to_torch()
        assert torch.equal(element["x"], tensor)
    assert [float(x) for x in fl.Dataset.range(2).map(lambda x: fl.gather(halves[1], x))] == [3.5, 4.5]
    assert fl.Dataset.from_tensor_slices(torch.ones(2, 3)).element_spec == fl.TensorSpec([3], fl.float32)
    for tensor, remedy in ((torch.ones(2, requires_grad=True), r"x\.detach\(\)"), (torch.ones(2).to(torch.float8_e5m2), r"x\.float\(\)")):
        with pytest.raises(fl.SchemaError, match=rf"from_tensor_slices: tensors: a tensor of torch's, .* is none that numpy can have(.|\n)*{remedy}"):
            fl.Dataset.from_tensor_slices(tensor)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(fl.ArgumentError, match="numpy has no bfloat16\nhint: pip install ml_dtypes"):
        fl.Dataset.from_tensor_slices(halves)


def test_what_others_have_not_is_told_with_the_remedy():
    ragged = fl.Dataset.from_tensors(["a b", "c"]).map(lambda x: fl.strings.split(x))
    sparse = fl.Dataset.from_tensors(fl.SparseTensor([[0], [2]], [1, 2], [4]))
    windows = fl.Dataset.range(4).window(2)
    cases = [(ragged, "to_tensor"), (sparse, "to_dense"), (windows, "window.batch")]
    for library, convert in [("torch", "to_torch"), ("jax", "to_jax"), ("tensorflow", "to_tf")]:
        try:
            __import__(library)
        except ImportError:
            continue
        for dataset, remedy in cases:
            with pytest.raises(fl.ArgumentError, match=f"(?s){convert}: .* is no plain tensor.*hint: .*{remedy}"):
                getattr(dataset, convert)()


def test_functions_of_torch_are_told_what_does_it():
    torch = pytest.importorskip("torch")
    arrays = fl.Dataset.from_tensors(np.arange(4, dtype=np.float32))
    cases = [
        (lambda x: torch.sin(x), "fl.sin does it"),
        (lambda x: torch.cat([x, x]), "fl.concat does it"),
        (lambda x: torch.nn.functional.relu(x), "fl.nn.relu does it"),
        (lambda x: torch.sum(x), "fl.reduce_sum does it"),
        (lambda x: torch.clamp(x, 0, 1), "fl.clip_by_value does it"),
        (lambda x: torch.from_numpy(x), "fl.convert_to_tensor does it"),
        (lambda x: torch.fft.fft(x), "there is no fl function for it yet"),
    ]
    for function, told in cases:
        with pytest.raises(TypeError) as caught:
            arrays.map(function)
        message = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
        assert told in message and "test_interop.py:" in message and message.endswith(".map(fn, python=True)"), message


TORCH_FIRST_IMPORTED = """
import sys, warnings, feedline as fl
assert "torch" not in sys.modules
def draws(x):
    import torch
    return x + int(torch.randint(9, []))
def only_imports(x):
    import torch
    return x
for function in (%s):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fl.Dataset.range(3).map(function)
    print(len([w for w in told if "fl.random.uniform" in str(w.message)]))
"""


def test_frozen_chance_of_torch_is_told():
    torch = pytest.importorskip("torch")
    own = torch.Generator()
    functions = [
        lambda x: x + int(torch.randint(9, [])),
        lambda x: fl.cast(x, fl.float32) + torch.rand(3).numpy(),
        lambda x: x + int(torch.randint(9, [], generator=own)),
        lambda x: x + int(torch.randint(9, [], generator=torch.Generator())),
    ]
    for function in functions:
        with pytest.warns(UserWarning, match="drew random numbers from Python, numpy or torch.*fl.random.uniform"):
            fl.Dataset.range(3).map(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fl.Dataset.range(3).map(lambda x: x if isinstance(x, torch.Tensor) else x + torch.ones(3, dtype=torch.int64).numpy())
        fl.Dataset.range(3).map(lambda x: fl.numpy_function(lambda y: y + int(torch.randint(9, [])), [x], fl.int64))
    for names, told in (("draws, draws", "1\n1\n"), ("only_imports, draws", "0\n1\n")):
        program = [sys.executable, "-c", TORCH_FIRST_IMPORTED % names]
        assert subprocess.run(program, capture_output=True, text=True, check=True, timeout=55).stdout == told


def test_torch_ranks_agree_on_the_order(tmp_path):
    pytest.importorskip("torch")
    for name in "abcdefgh":
        (tmp_path / name).write_text(name)

    def pipelines():
        yield fl.Dataset.range(60).shuffle(20).batch(2)
        yield fl.Dataset.range(60).global_shuffle().batch(2)
        yield fl.Dataset.list_files(str(tmp_path / "*")).batch(2)
        nested = fl.Dataset.range(6).shuffle(6).flat_map(lambda x: fl.Dataset.range(x * 10, x * 10 + 10).shuffle(10))
        yield nested.assert_cardinality(60).batch(2)

    # As each process builds its own.
    for ranks in zip(*(pipelines() for _ in range(2)), strict=True):
        adapters = [dataset.to_torch(rank=rank, world_size=2) for rank, dataset in enumerate(ranks)]
        epochs = []
        for _ in range(2):
            batches = [list(adapter) for adapter in adapters]
            assert len(batches[0]) == len(batches[1])
            epochs.append([list(np.asarray(batch)) for pair in zip(*batches, strict=True) for batch in pair])
        everything = sorted(x for batch in ranks[0] for x in batch)
        assert all(sorted(x for batch in epoch for x in batch) == everything for epoch in epochs)
        assert epochs[0] != epochs[1], "each epoch has an order of its own"


def test_states_at_the_end_of_an_epoch():
    pytest.importorskip("torch")

    def fresh():
        return fl.Dataset.range(5).shuffle(5, seed=3).to_torch()

    adapter = fresh()
    epochs = [[int(x) for x in adapter] for _ in range(3)]
    adapter = fresh()
    for _ in adapter:
        before = adapter.state_dict()  # the last time when all elements have come, and the loop does not know it yet
    behind = adapter.state_dict()
    again = fresh()
    again.load_state_dict(behind)
    assert again.state_dict() == behind
    assert [[int(x) for x in again] for _ in range(2)] == epochs[1:]
    again.load_state_dict(before)
    assert [[int(x) for x in again] for _ in range(2)] == [[], epochs[1]]


def test_states_before_the_first_element():
    pytest.importorskip("torch")
    dataset = fl.Dataset.range(8).shuffle(8, seed=1)
    assert len(list(dataset)) == 8
    adapter = dataset.to_torch()
    state = adapter.state_dict()
    assert adapter.state_dict() == state
    order = [int(x) for x in adapter]
    for again in (dataset.to_torch(), fl.Dataset.range(8).shuffle(8, seed=1).to_torch()):
        again.load_state_dict(state)
        assert [int(x) for x in again] == order
    assert [int(x) for x in adapter] != order
    for wrong in ({"x": 1}, {"feedline": "abc"}, b"abc"):
        with pytest.raises(fl.CheckpointError, match="what state_dict"):
            adapter.load_state_dict(wrong)


@pytest.mark.parametrize("handed", ["to_torch", "to_jax", "to_tf"])
def test_an_iteration_that_ended_or_was_left_is_let_go(handed):
    pytest.importorskip({"to_tf": "tensorflow"}.get(handed, handed.removeprefix("to_")))

    def iterations():
        gc.collect()
        return sum(type(thing) is fl.DatasetIterator for thing in gc.get_objects())

    before = iterations()
    dataset = fl.Dataset.range(20).map(lambda x: fl.fill([1000], x)).batch(2)
    adapter = getattr(dataset, handed)()
    assert len(list(adapter)) == 10 and iterations() == before
    for element in adapter:
        assert iterations() == before + 1
        break
    del element
    assert iterations() == before


@pytest.mark.parametrize("handed", ["to_torch", "to_jax"])
def test_states_of_iterations_that_are_gone(handed):
    pytest.importorskip(handed.removeprefix("to_"))
    dataset = fl.Dataset.range(6).shuffle(6, seed=2)
    adapter = getattr(dataset, handed)()
    first, second = ([int(x) for x in adapter] for _ in range(2))
    adapter = getattr(fl.Dataset.range(6).shuffle(6, seed=2), handed)()
    for number, x in enumerate(adapter):
        assert int(x) == first[number]
        if number == 3:
            within = adapter.state_dict()
            break
    assert adapter.state_dict() == within
    again = getattr(fl.Dataset.range(6).shuffle(6, seed=2), handed)()
    again.load_state_dict(within)
    assert [int(x) for x in again] == first[4:]
    ended = iter(again)
    assert [int(x) for x in ended] == second and list(ended) == []
    behind = again.state_dict()
    del ended
    assert again.state_dict() == behind and behind["has_ended"]


def test_torch_asks_for_its_rank_when_it_is_iterated(monkeypatch):
    torch = pytest.importorskip("torch")
    adapter = fl.Dataset.range(8).to_torch()
    early = adapter.state_dict()
    assert len(adapter) == 8
    # As `init_process_group` does.
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_rank", lambda: 1)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
    assert [int(x) for x in adapter] == [1, 3, 5, 7] and len(adapter) == 4
    assert adapter.state_dict() != early
    shuffled = fl.Dataset.range(8).shuffle(8, seed=1).to_torch()
    assert [int(x) for x in shuffled] != [int(x) for x in shuffled]


def test_a_rank_that_is_no_number(monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setenv("RANK", "")
    with pytest.raises(fl.ArgumentError, match="the environment variable RANK is ''"):
        fl.Dataset.range(8).to_torch()


def test_torch_states_and_ranks():
    pytest.importorskip("torch")
    dataset = fl.Dataset.range(11)
    adapter = dataset.to_torch()
    it = iter(adapter)
    assert [int(next(it)) for _ in range(3)] == [0, 1, 2]
    again = dataset.to_torch()
    again.load_state_dict(adapter.state_dict())
    assert [int(x) for x in again] == list(range(3, 11)) and len(list(again)) == 11
    parts = [[int(x) for x in dataset.to_torch(rank=rank, world_size=3)] for rank in range(3)]
    assert parts == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert len(list(dataset.to_torch(rank=0, world_size=3, even=False))) == 4
    assert len(dataset.to_torch(rank=0, world_size=3)) == 3
    with pytest.raises(ValueError, match="even=False"):
        dataset.filter(lambda x: x > 1).to_torch(rank=0, world_size=2)


class DataLoaderDispatcher:
    """As accelerate's: one process reads for all."""

    def __init__(self, loader, rank, world_size):
        self.loader, self.rank, self.world_size = loader, rank, world_size

    def __len__(self):
        return len(self.loader) // self.world_size

    def __iter__(self):
        for number, element in enumerate(self.loader):
            if number % self.world_size == self.rank:
                yield element


class IterableDatasetShard:
    """As accelerate's: each process reads all, and keeps its part."""

    def __init__(self, dataset, batch_size, rank, world_size):
        self.dataset, self.batch_size, self.rank, self.world_size = dataset, batch_size, rank, world_size

    def set_epoch(self, epoch):
        self.dataset.set_epoch(epoch)

    def __len__(self):
        return len(self.dataset) // (self.batch_size * self.world_size) * self.batch_size

    def __iter__(self):
        turn = self.batch_size * self.world_size
        for number, element in enumerate(self.dataset):
            if number % turn // self.batch_size == self.rank:
                yield element


def test_who_deals_out_elements_gets_all_of_them(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)

    def on_each_rank(wrapped, epochs=2, **asked):
        of_ranks = []
        for rank in range(2):
            monkeypatch.setattr(torch.distributed, "get_rank", lambda rank=rank: rank)
            dataset = fl.Dataset.range(16).shuffle(16).batch(2).to_torch(**asked)
            loader = wrapped(dataset, rank)
            assert sum(1 for _ in dataset) == 4, "who iterates it directly gets its rank's part"
            if hasattr(loader, "set_epoch"):
                loader.set_epoch(0)
            assert len(loader) == (4 if not asked else 2)
            of_ranks.append([sorted(int(x) for batch in loader for x in batch) for _ in range(epochs)])
            assert (len(dataset), sum(1 for _ in dataset)) == (4 if asked else 8, 4)
        return list(zip(*of_ranks, strict=True))

    def loaded(dataset):
        return torch.utils.data.DataLoader(dataset, batch_size=None)

    wrappers = {
        "dispatched": lambda dataset, rank: DataLoaderDispatcher(loaded(dataset), rank, 2),
        "each": lambda dataset, rank: IterableDatasetShard(dataset, 1, rank, 2),
        "each, two at a time": lambda dataset, rank: IterableDatasetShard(dataset, 2, rank, 2),
        "each, of batches": lambda dataset, rank: IterableDatasetShard(dataset, None, rank, 2),
    }
    for name, wrapped in wrappers.items():
        epochs = on_each_rank(wrapped)
        for one, other in epochs:
            assert len(one) == len(other) == 8 and sorted(one + other) == list(range(16)), name
        assert epochs[0] != epochs[1], name
        # A place that is given is this process's.
        for one, other in on_each_rank(wrapped, rank=0, world_size=2):
            assert len(one) == len(other) == 4, name


PREPARED = """
import itertools, json, warnings
warnings.filterwarnings("ignore")
import feedline as fl, torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from accelerate.utils import DataLoaderConfiguration
from torch.utils.data import DataLoader

batches = lambda: DataLoader(fl.Dataset.range(16).shuffle(16).batch(2).to_torch(), batch_size=None)
single = lambda: DataLoader(fl.Dataset.range(16).shuffle(16).to_torch(), batch_size=2)
for number, (loader, dispatch, split) in enumerate(itertools.product((batches, single), (None, True, False), (False, True))):
    if loader is batches and split:
        continue  # which accelerate refuses: it asks for a batch_size
    AcceleratorState._reset_state()
    accelerator = Accelerator(cpu=True, dataloader_config=DataLoaderConfiguration(dispatch_batches=dispatch, split_batches=split))
    prepared = accelerator.prepare(loader())
    epochs = [[batch.tolist() for batch in prepared] for _ in range(2)]
    print("EPOCHS", json.dumps([f"{loader is batches} {dispatch} {split}", len(prepared), epochs]), flush=True)
torch.distributed.destroy_process_group()
"""


def test_accelerate():
    pytest.importorskip("accelerate")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    ranks = []
    for rank in range(2):
        place = {"RANK": rank, "WORLD_SIZE": 2, "LOCAL_RANK": rank, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        environment = os.environ | {name: str(value) for name, value in place.items()}
        ranks.append(subprocess.Popen([sys.executable, "-c", PREPARED], stdout=subprocess.PIPE, env=environment, text=True))
    try:
        outputs = [process.communicate(timeout=55)[0] for process in ranks]
    finally:
        for process in ranks:
            process.kill()
    told = [[json.loads(line.removeprefix("EPOCHS ")) for line in output.splitlines() if line.startswith("EPOCHS ")] for output in outputs]
    assert len(told[0]) == len(told[1]) == 9
    for (case, length, one), (_, _, other) in zip(*told, strict=True):
        for epoch in zip(one, other, strict=True):
            assert [len(batches) for batches in epoch] == [length] * 2, case
            assert sorted(x for batches in epoch for batch in batches for x in batch) == list(range(16)), case
        assert one[0] != one[1], case


def test_jax():
    jax = pytest.importorskip("jax")
    dataset = fl.Dataset.range(4).map(lambda x: (fl.cast(x, fl.float32), "a")).batch(2)
    numbers = [batch[0] for batch in dataset.to_jax()]
    assert all(isinstance(batch, jax.Array) for batch in numbers)
    assert [batch.tolist() for batch in numbers] == [[0, 1], [2, 3]]
    on_device = next(iter(dataset.to_jax(jax.devices()[0])))
    assert on_device[0].tolist() == [0, 1]


def test_jax_changes_no_values_silently():
    jax = pytest.importorskip("jax")
    large = fl.Dataset.from_tensor_slices([[1, 2], [2**40, 1], [-(2**40), 1], [3, 4]])
    elements = iter(large.to_jax())
    assert next(elements).tolist() == [1, 2]
    for found in ("1099511627776", "-1099511627776"):
        with pytest.raises(fl.InvalidValueError, match=f"{found} is no int32.*\n.*jax_enable_x64"):
            next(elements)
    assert next(elements).tolist() == [3, 4]
    with pytest.warns(UserWarning, match="(?s)float32.*jax_enable_x64") as told:
        fl.Dataset.from_tensors(np.float64(0.1)).to_jax()
    assert told[0].filename == __file__
    jax.config.update("jax_enable_x64", True)
    try:
        assert [x.tolist() for x in large.to_jax()][1] == [2**40, 1]
    finally:
        jax.config.update("jax_enable_x64", False)


def test_jax_iterates_again_and_behind_errors():
    pytest.importorskip("jax")
    adapter = fl.Dataset.range(6).shuffle(6, seed=1).to_jax()
    first, second = [[int(x) for x in adapter] for _ in range(2)]
    assert len(adapter) == 6 and sorted(first) == sorted(second) == list(range(6)) and first != second
    it = iter(fl.Dataset.range(3).map(lambda x: 6 // (x - 1)).to_jax())
    assert int(next(it)) == -6
    with pytest.raises(fl.InvalidValueError):
        next(it)
    assert int(next(it)) == 6
    dataset = fl.Dataset.range(4)
    adapter = dataset.to_jax()
    next(iter(adapter))
    again = dataset.to_jax()
    again.load_state_dict(adapter.state_dict())
    assert [int(x) for x in again] == [1, 2, 3]


def test_tensorflow():
    tf = pytest.importorskip("tensorflow")
    dataset = fl.Dataset.range(4).map(lambda x: {"x": x, "s": "a"}).batch(3)
    converted = dataset.to_tf()
    assert converted.element_spec["x"] == tf.TensorSpec([None], tf.int64)
    assert [e["x"].numpy().tolist() for e in converted] == [[0, 1, 2], [3]] and int(converted.cardinality()) == 2
    assert [e["s"].numpy().tolist() for e in converted.take(1)] == [[b"a"] * 3]
    filtered = fl.Dataset.range(10).filter(lambda x: x > 3).to_tf()
    assert [int(x) for x in filtered] == [4, 5, 6, 7, 8, 9] and int(filtered.cardinality()) == -2
    assert int(fl.Dataset.range(3).repeat().to_tf().cardinality()) == -1
    with pytest.raises(fl.ArgumentError, match="no plain tensor"):
        fl.Dataset.from_tensors("a b").batch(1).map(lambda x: fl.strings.split(x)).to_tf()


def test_tensorflow_gets_the_memory_itself(monkeypatch):
    pytest.importorskip("tensorflow")
    from feedline import _tensorflow

    given = []
    plain = _tensorflow._tensor

    def noted(leaf):
        tensor = plain(leaf)
        given.append((leaf.ctypes.data, np.from_dlpack(tensor).ctypes.data))
        return tensor

    monkeypatch.setattr(_tensorflow, "_tensor", noted)
    batches = fl.Dataset.range(3000).map(lambda x: fl.cast(x, fl.float32)).batch(1000).to_tf()
    assert [float(batch[-1]) for batch in batches] == [999, 1999, 2999]
    assert len(given) == 3 and all(own == theirs for own, theirs in given)


def test_inputs_of_the_old_guide():
    batches = list(fl.numpy_input(np.arange(10), batch_size=4, num_epochs=2, seed=1))
    assert sorted(np.concatenate(batches).tolist()) == sorted([*range(10)] * 2)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "label": [0.5, 1.5]})
    ((features, labels),) = fl.pandas_input(frame, "label", shuffle=False)
    assert list(features) == ["a"] and labels.tolist() == [0.5, 1.5]
    for target in (frame["label"], ["label"], frame):
        with pytest.raises(TypeError, match="the name of a column"):
            fl.pandas_input(frame, target)


def test_debug():
    import threading

    threads = []
    spec = fl.TensorSpec([], fl.int64)
    dataset = fl.Dataset.range(3).map(lambda x: threads.append(threading.current_thread()) or int(x), python=True, output_spec=spec)
    assert [int(x) for x in dataset.debug()] == [0, 1, 2] and set(threads) == {threading.main_thread()}
    order = []
    twice = fl.Dataset.range(2).map(lambda x: order.append(("a", int(x))) or int(x), python=True, output_spec=spec)
    twice = twice.map(lambda x: order.append(("b", int(x))) or int(x), python=True, output_spec=spec)
    assert len(list(twice.debug())) == 2 and order == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]


def test_write_tfrecords(tmp_path):
    records = fl.Dataset.from_tensor_slices(["a", "b", "c"])
    paths = records.write_tfrecords(tmp_path / "raw", shards=2, compression="GZIP")
    assert [list(fl.TFRecordDataset(path)) for path in paths] == [[b"a", b"c"], [b"b"]]
    with pytest.raises(TypeError, match="dict"):
        fl.Dataset.range(3).write_tfrecords(tmp_path / "wrong")
    assert not list(tmp_path.glob("wrong*"))


WRONG_FEATURES = [
    ({"a": 2**63}, "the feature 'a' has 9223372036854775808, which is no number of 64 bits"),
    ({"a": np.array([2**64 - 1], np.uint64)}, "the feature 'a' has 18446744073709551615"),
    ({"a": [1, "s"]}, r"the feature 'a' has 1 \(int\) among strings"),
    ({1: 2}, r"the name of a feature is a string, not 1\nhint: {'1': …}"),
    ({"a": None}, "the feature 'a' is None\nhint: leave it out"),
    ({"a": {"b": 1}}, "the feature 'a' is a dict(?s:.*)such as 'a/b'"),
    ({"a": [[1], [2, 3]]}, "the feature 'a': .* differ in shape"),
    ({"a": [None]}, "the feature 'a': .* is no tensor"),
    ([1], "features is a dict, not"),
]


@pytest.mark.parametrize("features, message", WRONG_FEATURES)
def test_what_cannot_be_written_names_the_feature(features, message):
    with pytest.raises(TypeError, match=f"example: {message}"):
        fl.io.example(features)
