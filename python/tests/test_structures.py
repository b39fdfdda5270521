"""Named tuples, classes of attrs and dicts keep what they are from step to step, as in tf.data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import feedline as fl

Dataset = fl.Dataset
NUMBER = fl.TensorSpec([], fl.int64)


class Point(NamedTuple):
    x: Any
    y: Any


class Size:
    """What `attrs.define` makes, as far as anybody looks."""

    class _Field:
        def __init__(self, name):
            self.name = name

    __attrs_attrs__ = (_Field("width"), _Field("height"))

    def __init__(self, width, height):
        self.width, self.height = width, height


def points(count=4):
    return Dataset.range(count).map(lambda n: Point(n, n * 10))


KEPT = {
    "map": lambda: points(),
    "map of points": lambda: points().map(lambda point: Point(point.x, point.x * 10)),
    "filter": lambda: points().filter(lambda point: point.y >= 0),
    "python filter": lambda: points().filter(lambda point: point.y >= 0, python=True),
    "take_while": lambda: points().take_while(lambda point: point.y < 1000),
    "shuffle": lambda: points().shuffle(1).repeat(1).take(9).skip(0).shard(1, 0).cache().prefetch(1),
    "python": lambda: points().map(lambda point: Point(point.x, point.x * 10), python=True),
    "python with a spec": lambda: points().map(lambda point: (point.x, point.y), python=True, output_spec=Point(NUMBER, NUMBER)),
    "flat_map": lambda: Dataset.range(1).flat_map(lambda _: points()),
    "interleave": lambda: Dataset.range(1).interleave(lambda _: points()),
    "concatenate": lambda: points(2).concatenate(points().skip(2)),
    "batches taken apart": lambda: points().batch(3).unbatch(),
    "scan": lambda: points().scan(Point(np.int64(0), 1), lambda state, point: (Point(state.x + 1, state.y), Point(state.x, point.y))),
    "group_by_window": lambda: points().group_by_window(lambda p: p.x * 0, lambda key, w: w.map(lambda p: Point(p.x, p.y)), 2),
    "from_tensor_slices": lambda: Dataset.from_tensor_slices(Point(np.arange(4), np.arange(4) * 10)),
    "from_generator": lambda: Dataset.from_generator(
        lambda: (Point(n, n * 10) for n in range(4)), output_signature=Point(NUMBER, NUMBER)
    ),
    "zip": lambda: Dataset.zip(Point(Dataset.range(4), Dataset.range(0, 40, 10))),
    "choose": lambda: Dataset.choose_from_datasets([points()], Dataset.range(1).repeat()),
    "options": lambda: points().with_options(fl.Options(threads=1)),
    "on_error": lambda: points().on_error("replace", replacement=Point(0, 0)),
    "debug": lambda: points().debug(),
}


@pytest.mark.parametrize("name", KEPT)
def test_named_tuples_are_kept(name):
    dataset = KEPT[name]()
    assert dataset.element_spec == Point(NUMBER, NUMBER) and type(dataset.element_spec) is Point
    elements = list(dataset)
    assert all(type(element) is Point for element in elements)
    assert [(int(element.x), int(element.y)) for element in elements] == [(0, 0), (1, 10), (2, 20), (3, 30)]
    it = dataset.iterator()
    next(it)
    assert int(next(dataset.iterator(state=it.state())).x) == 1


def test_named_tuples_inside_others():
    for index, (number, point) in enumerate(points().enumerate()):
        assert number == index and type(point) is Point
    pair = next(iter(Dataset.zip((points(), {"b": points(), "a": Dataset.range(3)}))))
    assert type(pair[0]) is Point and type(pair[1]["b"]) is Point and list(pair[1]) == ["b", "a"]
    total = points().reduce(Point(np.int64(0), np.int64(0)), lambda state, p: Point(state.x + p.x, state.y + p.y))
    assert type(total) is Point and int(total.y) == 60
    assert next(iter(points().map(lambda point: (point.x, point.y)).map(lambda x, y: x + y))) == 0
    # Another structure of two parts is none of the first's.
    assert type(next(iter(points().map(lambda point: (point, point.x)).batch(2)))) is tuple


def test_processes_get_named_tuples():
    dataset = points().map(lambda point: (point.x, point.y), python=True, workers="process", num_parallel_calls=1)
    assert [tuple(map(int, element)) for element in dataset.take(2)] == [(0, 0), (1, 10)]


def test_classes_of_attrs():
    dataset = Dataset.range(3).map(lambda n: Size(n, {"h": n + 1})).map(lambda size: Size(size.width, size.height["h"]))
    assert [(type(size) is Size, int(size.width), int(size.height)) for size in dataset] == [(True, n, n + 1) for n in range(3)]
    slices = Dataset.from_tensor_slices(Size(np.arange(2), np.arange(2)))
    assert [int(size.width) for size in slices.map(lambda size: Size(size.width + 1, 0), python=True, output_spec=Size(NUMBER, fl.TensorSpec([], fl.int32)))] == [1, 2]


def test_dicts_keep_the_order_of_their_keys():
    dataset = Dataset.range(3).map(lambda n: {"z": n, "a": {"y": n, "b": n}})
    for kept in (dataset, dataset.batch(2), dataset.map(lambda d: d), Dataset.from_tensor_slices({"z": [1], "a": {"y": [1], "b": [1]}})):
        element = next(iter(kept))
        assert list(element) == ["z", "a"] == list(kept.element_spec) and list(element["a"]) == ["y", "b"]
    seen = []
    dataset.map(lambda d: seen.extend(d) or d["z"])
    assert seen == ["z", "a"]


def _nothing(x):
    return x, None


def _numbered(x):
    return {2: x, 10: x * 2}


def _both(x):
    return {1: (x, None, {2: None, 3: x})}


@pytest.mark.parametrize("make", [_nothing, _numbered, _both])
def test_none_and_keys_that_are_no_strings_stay(make):
    """As in tf.data, through every step that hands elements on."""
    numbers = fl.Dataset.range(4)
    dataset = numbers.map(make)
    expected = [make(x) for x in range(4)]
    assert list(dataset) == expected
    spec = fl.TensorSpec([], fl.int64)
    assert repr(dataset.element_spec) == repr(make(_Times(spec)))
    same = {
        "map": dataset.map(lambda *parts: parts if len(parts) > 1 else parts[0]),
        "python": dataset.map(lambda *parts: parts if len(parts) > 1 else parts[0], python=True),
        "python function that makes it": numbers.map(make, python=True),
        "filter": dataset.filter(lambda *parts: True),
        "python filter": dataset.filter(lambda *parts: True, python=True),
        "flat_map": dataset.flat_map(lambda *parts: fl.Dataset.from_tensors(parts if len(parts) > 1 else parts[0])),
        "generator": fl.Dataset.from_generator(lambda: iter(dataset), output_signature=dataset.element_spec),
        "unbatch": dataset.batch(2).unbatch(),
        "enumerate": dataset.enumerate().map(lambda number, element: element),
        "zip": fl.Dataset.zip(dataset, dataset).map(lambda one, other: other),
        "scan": dataset.scan(0, lambda state, element: (state, element)),
        "cache": dataset.cache(),
        "concatenate": dataset.take(2).concatenate(dataset.skip(2)),
        "on_error": dataset.on_error("replace", replacement=expected[0]),
    }
    for step, changed in same.items():
        assert list(changed) == expected, step
    processes = numbers.take(1).map(make, python=True, workers="process").map(_as_it_is, python=True, workers="process")
    assert list(processes) == expected[:1]
    assert str(next(iter(dataset.batch(2)))) == str(make(np.array([0, 1])))


class _Times:
    """A spec that stays itself times two."""

    def __init__(self, spec):
        self.spec = spec

    def __mul__(self, other):
        return self

    def __repr__(self):
        return repr(self.spec)


def _as_it_is(*parts):
    return parts if len(parts) > 1 else parts[0]


def test_what_a_structure_cannot_be():
    with pytest.raises(fl.SchemaError, match="same as texts"):
        fl.Dataset.from_tensors({1: 2, "1": 3})
    with pytest.raises(fl.SchemaError, match="None .* is no tensor"):
        fl.Dataset.range(2).map(lambda x: None)
    with pytest.raises(TypeError, match="zip: .*not None"):
        fl.Dataset.zip(fl.Dataset.range(2), None)


def test_columns_of_a_data_frame_keep_their_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({0: [1, 2], 1: [3.0, 4.0]})
    assert list(fl.Dataset.from_tensor_slices(frame)) == [{0: 1, 1: 3.0}, {0: 2, 1: 4.0}]
    ((features, labels),) = fl.pandas_input(frame, 0, shuffle=False)
    assert list(features) == [1] and labels.tolist() == [1, 2]
    with pytest.raises(fl.ArgumentError, match="no column 'x'\nhint: there are 0, 1"):
        fl.pandas_input(frame, "x")


def test_none_is_not_saved(tmp_path):
    with pytest.raises(fl.SchemaError, match="save: .*None"):
        fl.Dataset.range(2).map(_nothing).save(tmp_path / "none")


def test_sparse_tensors_of_lists_with_symbolic_values():
    def both_ends(x):
        return fl.sparse.to_dense(fl.SparseTensor([[0], [x]], [x, x + 1], (x + 1,)))

    rows = fl.Dataset.range(1, 3).map(both_ends)
    assert [row.tolist() for row in rows] == [[1, 2], [2, 0, 3]]
