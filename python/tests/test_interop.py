"""Hand-over to torch, JAX and TensorFlow, where they are installed."""

from __future__ import annotations

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
    array = np.zeros((1, 1 << 20), np.float32)
    (tensor,) = fl.Dataset.from_tensor_slices(array).to_torch()
    assert tensor.data_ptr() == array.ctypes.data, "not copied"
    loader = torch.utils.data.DataLoader(dataset.to_torch(), batch_size=None, num_workers=0)
    assert [batch["x"].tolist() for batch in loader] == [batch["x"].tolist() for batch in batches]
    with pytest.raises(ValueError, match="num_workers=0"):
        list(torch.utils.data.DataLoader(dataset.to_torch(), batch_size=None, num_workers=1))


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


def test_jax():
    jax = pytest.importorskip("jax")
    dataset = fl.Dataset.range(4).map(lambda x: (fl.cast(x, fl.float32), "a")).batch(2)
    numbers = [batch[0] for batch in dataset.to_jax()]
    assert all(isinstance(batch, jax.Array) for batch in numbers)
    assert [batch.tolist() for batch in numbers] == [[0, 1], [2, 3]]
    on_device = next(iter(dataset.to_jax(jax.devices()[0])))
    assert on_device[0].tolist() == [0, 1]


def test_tensorflow():
    tf = pytest.importorskip("tensorflow")
    dataset = fl.Dataset.range(4).map(lambda x: {"x": x, "s": "a"}).batch(3)
    converted = dataset.to_tf()
    assert converted.element_spec["x"] == tf.TensorSpec([None], tf.int64)
    assert [e["x"].numpy().tolist() for e in converted] == [[0, 1, 2], [3]] and int(converted.cardinality()) == 2
    assert [e["s"].numpy().tolist() for e in converted.take(1)] == [[b"a"] * 3]
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
