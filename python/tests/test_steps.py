"""Steps beyond the usual, through Python: their arguments, and what is wrong with them at the line it is written on."""

from __future__ import annotations

import numpy as np
import pytest

import feedline as fl

Dataset = fl.Dataset


def plain(dataset):
    return [np.asarray(element).tolist() for element in dataset]


def letters(*words):
    return Dataset.from_tensor_slices(list(words)).map(lambda word: fl.io.decode_raw(word, fl.uint8))


def test_padded_batches():
    ds = letters("a", "bcd", "")
    assert plain(ds.padded_batch(2)) == [[[97, 0, 0], [98, 99, 100]], [[]]]
    assert plain(ds.padded_batch(3, padded_shapes=[4], padding_values=1))[0][0] == [97, 1, 1, 1]
    assert plain(ds.padded_batch(2, [None], drop_remainder=True)) == [[[97, 0, 0], [98, 99, 100]]]
    pairs = Dataset.zip(ds, ds)
    first, second = next(iter(pairs.padded_batch(2, ([None], [4]), (7, None))))
    assert first.tolist() == [[97, 7, 7], [98, 99, 100]] and second.tolist() == [[97, 0, 0, 0], [98, 99, 100, 0]]
    dicts = ds.map(lambda x: {"x": x})
    assert next(iter(dicts.padded_batch(1, {"x": [2]}, {"x": 3})))["x"].tolist() == [[97, 3]]
    assert next(iter(pairs.padded_batch(2, padding_values=5)))[1].tolist() == [[97, 5, 5], [98, 99, 100]]


def test_what_cannot_be_padded():
    with pytest.raises(ValueError, match="more than the 2"):
        list(letters("abc").padded_batch(1, [2]))
    for shapes in ([1, 2], 5, [["a"]], ([None], [None])):
        with pytest.raises((ValueError, TypeError), match="padded_batch"):
            letters("abc").padded_batch(1, shapes)
    with pytest.raises(ValueError, match="padding_values must be one"):
        Dataset.range(3).padded_batch(2, padding_values=np.float32(1))
    with pytest.raises(ValueError, match="batch_size must be greater than zero"):
        Dataset.range(3).padded_batch(0)


def test_what_is_done_with_errors_is_counted(tmp_path):
    ds = Dataset.range(-2, 4).map(lambda x: 6 // (x * (x - 1)))
    steps = [ds.on_error("skip"), ds.on_error("replace", replacement=7), ds.ignore_errors()]
    for step in steps:
        with step.iterator() as it:
            list(it)
            counted = {each["name"].partition("(")[0]: each for each in it.metrics()["steps"]}
        handled = counted.get("on_error") or counted["ignore_errors"]
        assert (handled["errors"], handled["handled_errors"]) == (0, 2)
        assert (counted["map"]["errors"], counted["map"]["handled_errors"]) == (2, 0)
    with pytest.raises(fl.InvalidValueError, match="zero"):
        list(ds.on_error("raise"))
    for wrong in ({"limit": 1}, {"quarantine": tmp_path / "q"}, {"replacement": 1}):
        with pytest.raises(ValueError, match="are for 'skip' and 'replace'"):
            ds.on_error("raise", **wrong)
    with pytest.raises(ValueError, match="the policy is 'raise', 'skip' or 'replace', not 'stop'"):
        ds.on_error("stop")


def test_plans_as_graphs():
    ds = Dataset.range(3).map(lambda x: x + 1).map(lambda x: x * 2)
    assert ds.explain("dot").startswith("digraph plan {") and "as it runs" in ds.explain(format="dot")
    assert ds.explain() == ds.explain("text")
    with pytest.raises(ValueError, match="explain: format is 'text' or 'dot', not 'svg'"):
        ds.explain("svg")


def test_rebatch():
    ds = Dataset.range(8).batch(4)
    assert plain(ds.rebatch(3)) == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert plain(ds.rebatch([1, 2], drop_remainder=True)) == [[0], [1, 2], [3], [4, 5], [6]]
    for size in (0, -1, [], [0], [2, -1]):
        with pytest.raises(ValueError, match="rebatch: batch_size must be"):
            ds.rebatch(size)


def test_folds():
    ds = Dataset.range(5)
    assert plain(ds.scan(np.int64(0), lambda total, x: (total + x, total))) == [0, 0, 1, 3, 6]
    pair = ds.reduce((np.int64(0), np.int64(0)), lambda state, x: (state[0] + x, state[1] + 1))
    assert tuple(int(part) for part in pair) == (10, 5)
    with pytest.raises(TypeError, match="scan: the function returns a pair"):
        ds.scan(np.int64(0), lambda total, x: total)
    with pytest.raises(TypeError, match="the state is int32 to begin with, and int64 afterwards"):
        ds.scan(0, lambda total, x: (x, x))
    with pytest.raises(ZeroDivisionError):
        ds.scan(np.int64(0), lambda total, x: 1 / 0)
    assert plain(ds.take_while(lambda x: x < 2)) == [0, 1]
    assert plain(Dataset.from_tensor_slices(["b", "a", "b"]).unique()) == [b"b", b"a"]
    assert len(ds.filter(lambda x: x > 1).assert_cardinality(3)) == 3
    with pytest.raises(ValueError, match="expected to have 2 elements, and has at least 3"):
        list(ds.assert_cardinality(2))
    with pytest.raises(ValueError, match="expected_cardinality is a number from 0"):
        ds.assert_cardinality(-2)
    with pytest.raises(ValueError, match="more than one element"):
        ds.get_single_element()
    with pytest.raises(ValueError, match="no element"):
        ds.take(0).get_single_element()


def test_choices():
    a, b = Dataset.range(3), Dataset.range(10, 14)
    assert plain(Dataset.choose_from_datasets([a, b], Dataset.range(2).repeat())) == [0, 10, 1, 11, 2, 12]
    constants = [Dataset.from_tensors(n).repeat() for n in range(3)]
    # Recorded from TensorFlow 2.21.
    expected = [2, 2, 2, 2, 1, 2, 1, 0, 0, 2]
    assert plain(Dataset.sample_from_datasets(constants, [0.2, 0.3, 0.5], seed=42).take(10)) == expected
    assert plain(Dataset.sample_from_datasets([a, b], np.array([0.0, 1.0]))) == [10, 11, 12, 13]
    shares = lambda step: fl.stack([fl.cast(step < 5, fl.float32), fl.cast(step >= 5, fl.float32)])  # noqa: E731
    assert plain(Dataset.sample_from_datasets(constants[:2], shares, exact=True).take(8)) == [0] * 5 + [1] * 3
    with pytest.raises(ValueError, match="datasets must not be empty"):
        Dataset.sample_from_datasets([])
    with pytest.raises(ValueError, match="weights must be one for each dataset: 1 for 2"):
        Dataset.sample_from_datasets([a, b], [1.0])
    with pytest.raises(TypeError, match="weights is a list of numbers"):
        Dataset.sample_from_datasets([a, b], ["x", "y"])
    with pytest.raises(TypeError, match="datasets is a list of datasets"):
        Dataset.sample_from_datasets(a)
    with pytest.raises(TypeError, match="choice_dataset is a dataset"):
        Dataset.choose_from_datasets([a, b], [0, 1])
    with pytest.raises(TypeError, match="must be one int64"):
        Dataset.choose_from_datasets([a, b], Dataset.from_tensors(1.0))


def test_windows():
    ds = Dataset.range(7).window(2, shift=3)
    assert [plain(window) for window in ds] == [[0, 1], [3, 4], [6]]
    assert ds.element_spec == fl.DatasetSpec(fl.TensorSpec([], fl.int64)) and len(ds) == 3
    assert plain(ds.interleave(lambda window: window, cycle_length=2)) == [0, 3, 1, 4, 6]
    pairs = Dataset.from_tensor_slices({"a": [1, 2, 3], "b": [1.0, 2.0, 3.0]}).window(2)
    zipped = pairs.flat_map(lambda w: Dataset.zip({"a": w["a"].batch(2), "b": w["b"].batch(2)}))
    assert [element["a"].tolist() for element in zipped] == [[1, 2], [3]]
    assert plain(ds.map(lambda window: window).take(1).flat_map(lambda window: window)) == [0, 1]
    for arguments in ({"size": 0}, {"size": 1, "shift": 0}, {"size": 1, "stride": 0}):
        with pytest.raises(ValueError, match="window: .* must be greater than zero"):
            ds.window(**arguments)
    with pytest.raises(TypeError, match="batch: elements that are datasets"):
        ds.batch(2)
    with pytest.raises(TypeError, match="flat_map and interleave are for functions that return datasets"):
        ds.map(lambda window: window.batch(2))


def test_groups():
    ds = Dataset.range(6)
    doubled = ds.group_by_window(lambda x: x % 2, lambda key, w: w.map(lambda x: x * 10 + key), window_size=2)
    assert plain(doubled) == [0, 20, 11, 31, 40, 51]
    sized = ds.group_by_window(lambda x: x % 2, lambda key, w: w.batch(9), window_size_func=lambda key: key + 1)
    assert plain(sized) == [[0], [2], [1, 3], [4], [5]]
    with pytest.raises(ValueError, match="give one of window_size and window_size_func"):
        ds.group_by_window(lambda x: x, lambda key, w: w)
    with pytest.raises(TypeError, match="key_func must give one int64"):
        ds.group_by_window(lambda x: fl.cast(x, fl.float32), lambda key, w: w, 2)
    with pytest.raises(ZeroDivisionError):
        ds.group_by_window(lambda x: x, lambda key, w: 1 / 0, 2)
    with pytest.raises(TypeError, match="not a dataset"):
        ds.group_by_window(lambda x: x, lambda key, w: key, 2)


def test_buckets():
    ds = letters("a", "bcdef", "gh", "i", "jklmno")
    shapes = lambda **options: [batch.shape for batch in ds.bucket_by_sequence_length(fl.size, [4], [2, 2], **options)]  # noqa: E731
    assert shapes() == [(2, 2), (2, 6), (1, 1)]
    assert shapes(drop_remainder=True) == [(2, 2), (2, 6)]
    assert shapes(padded_shapes=[8]) == [(2, 8), (2, 8), (1, 8)]
    with pytest.raises(ValueError, match="bucket_boundaries"):
        shapes(pad_to_bucket_boundary=True)
    with pytest.raises(ValueError, match="bucket_batch_sizes must be one more than bucket_boundaries"):
        ds.bucket_by_sequence_length(fl.size, [4], [2])


def test_states_resume_inside_windows_and_groups():
    for ds in (
        Dataset.range(9).window(4, shift=2).flat_map(lambda window: window),
        Dataset.range(9).group_by_window(lambda x: x % 2, lambda key, window: window, 3),
        Dataset.range(9).scan(np.int64(0), lambda total, x: (total + x, total)),
    ):
        whole = plain(ds)
        for passed in range(len(whole)):
            with ds.iterator(epoch=0) as it:
                for _ in range(passed):
                    next(it)
                state = it.state()
            assert plain(ds.iterator(state=state)) == whole[passed:]


def test_random_numbers_and_fingerprints():
    assert plain(Dataset.random(seed=1).take(2)) == [2870909127, 3455438759]
    assert plain(Dataset.counter(2, 3, dtype=fl.int32).take(2)) == [2, 5]
    assert Dataset.range(3).fingerprint() == Dataset.range(3).fingerprint() != Dataset.range(4).fingerprint()


def test_resampling_and_snapshots(tmp_path):
    ds = Dataset.range(1000).rejection_resample(lambda x: x % 2, [0.25, 0.75], seed=1)
    labels = [int(label) for label, _ in ds]
    assert 0.65 < sum(labels) / len(labels) < 0.85
    with pytest.raises(ValueError, match="target_dist must be numbers from 0"):
        Dataset.range(3).rejection_resample(lambda x: x, [-1.0, 2.0])
    with pytest.raises(TypeError, match="initial_dist is a list of numbers or None"):
        Dataset.range(3).rejection_resample(lambda x: x, [0.5, 0.5], ["a"])
    shuffled = Dataset.range(20).shuffle(20).snapshot(tmp_path)
    assert plain(shuffled) == plain(Dataset.range(20).shuffle(20).snapshot(tmp_path))


def test_each_tensor_is_packed_to_a_length_of_its_own():
    pairs = letters("abc", "de", "f").map(lambda x: {"in": x, "out": x[:1]})
    (values, segments, positions), *others = pairs.pack({"out": 3, "in": 6})
    assert values["in"].tolist() == [97, 98, 99, 100, 101, 102] and values["out"].tolist() == [97, 100, 102]
    assert segments["out"].tolist() == [1, 2, 3] and positions["in"].tolist() == [0, 1, 2, 0, 1, 0] and others == []
    assert pairs.pack(6).element_spec[0]["out"].shape == (6,)
    for wrong in ({"in": 6}, (6, 3), "6", {"in": 6, "out": (3,)}):
        with pytest.raises(ValueError, match="not structured as the elements are"):
            pairs.pack(wrong)
    with pytest.raises(ValueError, match="pack: length"):
        pairs.pack({"in": 6, "out": 0})


def test_ragged_batches():
    ds = letters("a", "bcd", "")
    assert [batch.to_list() for batch in ds.ragged_batch(2)] == [[[97], [98, 99, 100]], [[]]]
    assert len(list(ds.ragged_batch(2, drop_remainder=True))) == 1
    with pytest.raises(ValueError, match="ragged_batch: row_splits_dtype"):
        ds.ragged_batch(2, row_splits_dtype=fl.int32)
    with pytest.raises(ValueError, match="batch_size must be greater than zero"):
        ds.ragged_batch(0)


def test_the_one_element_of_a_dataset_is_a_value():
    def total(dataset):
        return dataset.reduce(np.int64(0), lambda total, x: total + x)

    ds = fl.Dataset.range(5).map(lambda n: (n, total(fl.Dataset.range(n))))
    assert [(int(n), int(sum)) for n, sum in ds] == [(0, 0), (1, 0), (2, 1), (3, 3), (4, 6)]
    assert len(ds) == 5
    rows = fl.Dataset.range(6).map(lambda x: {"x": x, "y": x * 2}).window(3)
    batched = rows.map(lambda window: {key: part.batch(3).get_single_element() for key, part in window.items()})
    assert [element["y"].tolist() for element in batched] == [[0, 2, 4], [6, 8, 10]]
    assert [int(x) for x in fl.Dataset.range(6).filter(lambda n: total(fl.Dataset.range(n)) > 3)] == [4, 5]
    with pytest.raises(fl.FeedlineError, match="more than one element"):
        list(fl.Dataset.range(2, 3).map(lambda n: fl.Dataset.range(n).get_single_element()))
    with pytest.raises(fl.ArgumentError, match="get it in a map before"):
        fl.Dataset.range(3).scan(np.int64(0), lambda sum, x: (sum + fl.Dataset.range(1).get_single_element(), x))


def test_a_list_of_results_is_several_results():
    pairs = fl.Dataset.range(2).map(lambda x: [x, fl.cast(x, fl.float32)])
    assert pairs.element_spec == (fl.TensorSpec([], fl.int64), fl.TensorSpec([], fl.float32))
    assert [int(x) for x in pairs.map(lambda a, b: a + fl.cast(b, fl.int64))] == [0, 2]
    # Inside a structure it is a tensor, as in tf.data.
    assert fl.Dataset.range(2).map(lambda x: {"both": [x, x]}).element_spec == {"both": fl.TensorSpec([2], fl.int64)}
