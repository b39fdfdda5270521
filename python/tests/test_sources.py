"""Where elements come from."""

from __future__ import annotations

import gc
import gzip
import pathlib
import threading

import numpy as np
import pytest

import feedline as fl


def values(dataset):
    return [np.asarray(element).tolist() for element in dataset]


def test_range():
    assert values(fl.Dataset.range(3)) == [0, 1, 2]
    assert values(fl.Dataset.range(5, 0, -2)) == [5, 3, 1]
    assert fl.Dataset.range(3, output_type=fl.float32).element_spec == fl.TensorSpec([], fl.float32)
    with pytest.raises(ValueError, match="1 to 3"):
        fl.Dataset.range()
    with pytest.raises(ValueError, match="step"):
        fl.Dataset.range(0, 5, 0)


def test_types_are_tensorflows():
    cases = [
        ([1, 2], fl.int32),
        ([1.5], fl.float32),
        ([2**40], fl.int64),
        ([True], fl.bool),
        (["a", "b"], fl.string),
        ([b"a"], fl.string),
        (np.array([1, 2]), fl.int64),
        (np.array([1.0]), fl.float64),
        (np.array([1], np.uint8), fl.uint8),
        (np.array([1], np.float16), fl.float16),
        ([np.int64(1)], fl.int64),
        (np.array([1], ">i4"), fl.int32),
    ]
    for value, dtype in cases:
        assert fl.Dataset.from_tensor_slices(value).element_spec.dtype == dtype, value


def test_numbers_as_leaves_have_the_type_they_need():
    for number, dtype in [(1, fl.int32), (2**31 - 1, fl.int32), (2**31, fl.int64), (-(2**40), fl.int64), (2**63, fl.uint64)]:
        made = fl.Dataset.range(1).map(lambda x, number=number: number)
        pair = fl.Dataset.range(1).map(lambda x, number=number: {"x": x, "n": (number, 1)}).map(lambda e: e["n"][0])
        for dataset in (fl.Dataset.from_tensors(number), fl.Dataset.from_tensors((number, 1)).map(lambda n, _: n), made, pair):
            assert dataset.element_spec.dtype == dtype and int(dataset.get_single_element()) == number
    with pytest.raises(fl.SchemaError, match="no tensor"):
        fl.Dataset.from_tensors(2**64)
    with pytest.raises(fl.SchemaError, match="cast"):  # beside a tensor it has the tensor's type, or none
        fl.Dataset.range(1).map(lambda x: fl.cast(x, fl.int32) + 2**40)


def test_structures():
    tensors = {"a": [1, 2], "b": (np.zeros((2, 3)), ["x", "y"])}
    elements = list(fl.Dataset.from_tensor_slices(tensors))
    assert [set(element) for element in elements] == [{"a", "b"}] * 2
    assert elements[1]["a"] == 2 and elements[1]["b"][1] == b"y" and elements[1]["b"][0].shape == (3,)
    (whole,) = fl.Dataset.from_tensors(tensors)
    assert whole["b"][1].tolist() == [b"x", b"y"] and whole["b"][1].dtype == object


def test_bad_tensors_are_named():
    with pytest.raises(TypeError, match="differ in shape"):
        fl.Dataset.from_tensors([[1], [1, 2]])
    with pytest.raises(TypeError, match="complex128"):
        fl.Dataset.from_tensors(np.zeros(1, complex))
    with pytest.raises(TypeError, match="object"):
        fl.Dataset.from_tensors(object())
    with pytest.raises(ValueError, match="scalar"):
        fl.Dataset.from_tensor_slices(3)
    with pytest.raises(ValueError, match=r"\['b'\]|3"):
        fl.Dataset.from_tensor_slices({"a": [1, 2], "b": [1, 2, 3]})


def test_arrays_are_not_copied():
    array = np.arange(1_000_000, dtype=np.float32)
    batch = next(iter(fl.Dataset.from_tensor_slices(array).batch(1000)))
    assert np.shares_memory(array, batch)


def test_arrays_that_cannot_be_shared_are_copied():
    for array in [np.arange(12).reshape(3, 4).T, np.arange(10)[::2], np.arange(4, dtype=">i8")]:
        assert values(fl.Dataset.from_tensor_slices(array)) == array.tolist()


def test_an_array_lives_as_long_as_its_dataset():
    dataset = fl.Dataset.from_tensor_slices(np.arange(1000)).batch(1000)
    assert next(iter(dataset)).sum() == 499_500


def test_frames_and_tables():
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    columns = {"n": np.arange(3), "name": ["a", "b", "c"]}
    expected = [(0, b"a"), (1, b"b"), (2, b"c")]
    tables = [
        pandas.DataFrame(columns),
        pyarrow.table({"n": columns["n"], "name": columns["name"]}),
        polars.DataFrame(columns),
    ]
    for table in tables:
        elements = list(fl.Dataset.from_tensor_slices(table))
        assert [(int(e["n"]), e["name"]) for e in elements] == expected, type(table)
    labels = pandas.Series([1.5, 2.5, 3.5])
    assert values(fl.Dataset.from_tensor_slices(labels)) == [1.5, 2.5, 3.5]
    with pytest.raises(TypeError, match="missing"):
        fl.Dataset.from_tensor_slices(pandas.DataFrame({"n": pandas.array([1, None], "Int64")}))
    with pytest.raises(TypeError, match="missing"):
        fl.Dataset.from_tensor_slices(pandas.DataFrame({"n": pandas.array([1.5, None], "Float64")}))
    assert values(fl.Dataset.from_tensor_slices(pandas.array([1.5, 2.5], "Float64"))) == [1.5, 2.5]
    for table in (pyarrow.table([[1], [2]], names=["a", "a"]), pandas.DataFrame([[1, 2]], columns=["a", "a"])):
        with pytest.raises(TypeError, match="several columns 'a'"):
            fl.Dataset.from_tensor_slices(table)


def test_masked_values_are_no_values():
    masked = np.ma.array([1, 2, 3], mask=[False, True, True])
    for make in (fl.Dataset.from_tensor_slices, fl.Dataset.from_tensors, fl.constant, lambda x: fl.Dataset.from_tensors({"a": (x, 1)})):
        with pytest.raises(TypeError, match="2 masked values"):
            make(masked)
    assert values(fl.Dataset.from_tensor_slices(masked.filled(0))) == [1, 0, 0]
    assert values(fl.Dataset.from_tensor_slices(np.ma.array([1, 2]))) == [1, 2]


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="numpy 2 has them")
def test_numpys_own_strings():
    words = np.array([["a", "a word that is longer"], ["", "é"]], np.dtypes.StringDType())
    assert values(fl.Dataset.from_tensor_slices(words)) == [[b"a", b"a word that is longer"], [b"", "é".encode()]]
    with pytest.raises(TypeError, match="nan .*among strings is no string"):
        fl.Dataset.from_tensors(np.array(["a", np.nan], np.dtypes.StringDType(na_object=np.nan)))


def test_columns_of_a_frame_are_not_copied():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": np.arange(100_000, dtype=np.float64)})
    batch = next(iter(fl.Dataset.from_tensor_slices(frame).batch(100)))
    assert np.shares_memory(frame["x"].to_numpy(), batch["x"])


def test_strings_of_arrow_in_a_frame_are_not_copied():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    words = [f"word {n}" * 10 for n in range(1000)]
    before = pyarrow.total_allocated_bytes()
    for dtype in (pandas.ArrowDtype(pyarrow.string()), pandas.StringDtype("pyarrow")):
        frame = pandas.DataFrame({"word": pandas.Series(words, dtype=dtype), "n": range(1000)})
        dataset = fl.Dataset.from_tensor_slices(frame)
        # The array of pandas is gone, and its memory is not: the dataset has it.
        del frame
        gc.collect()
        assert pyarrow.total_allocated_bytes() - before > len("".join(words)) // 2
        assert [(e["word"], int(e["n"])) for e in dataset.skip(998)] == [(words[n].encode(), n) for n in (998, 999)]
        del dataset
        with pytest.raises(TypeError, match="1 missing values"):
            fl.Dataset.from_tensor_slices(pandas.DataFrame({"word": pandas.Series(["a", None], dtype=dtype)}))
    lists = pandas.DataFrame({"n": pandas.Series([[1], [2, 3]], dtype=pandas.ArrowDtype(pyarrow.list_(pyarrow.int64())))})
    assert [element["n"].tolist() for element in fl.Dataset.from_tensor_slices(lists)] == [[1], [2, 3]]


@pytest.fixture
def shards(tmp_path: pathlib.Path) -> pathlib.Path:
    for shard in range(3):
        with fl.io.TFRecordWriter(tmp_path / f"part-{shard}.tfrecord", "GZIP" if shard == 1 else None) as writer:
            for n in range(4):
                writer.write(f"{shard}{n}".encode())
        (tmp_path / f"part-{shard}.txt").write_text(f"a{shard}\nb{shard}\n")
    return tmp_path


def test_records_of_one_size(tmp_path):
    (tmp_path / "a").write_bytes(b"HHaabbccF")
    (tmp_path / "b").write_bytes(b"HHddF")
    paths = [tmp_path / "a", tmp_path / "b"]
    assert list(fl.FixedLengthRecordDataset(paths, 2, 2, 1)) == [b"aa", b"bb", b"cc", b"dd"]
    turns = fl.FixedLengthRecordDataset(paths, 2, 2, 1, num_parallel_reads=2)
    assert list(turns) == [b"aa", b"dd", b"bb", b"cc"]
    listed = fl.Dataset.list_files(str(tmp_path / "*"), shuffle=False)
    assert list(fl.FixedLengthRecordDataset(listed, 2, header_bytes=2, footer_bytes=1))[3] == b"dd"
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"aabb"))
    assert list(fl.FixedLengthRecordDataset(tmp_path / "a.gz", 2, compression_type="GZIP")) == [b"aa", b"bb"]
    with pytest.raises(fl.CorruptDataError, match="no multiple of a record"):
        list(fl.FixedLengthRecordDataset(tmp_path / "a", 2))
    for arguments, message in [
        ((0,), "record_bytes must be greater than zero"),
        ((2, -1), "header_bytes cannot be less than zero"),
        ((2, 0, -1), "footer_bytes cannot be less than zero"),
        ((2, 0, 0, None, "XZ"), "compression_type is"),
    ]:
        with pytest.raises(fl.ArgumentError, match=message):
            fl.FixedLengthRecordDataset(tmp_path / "a", *arguments)


def test_csv_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('id;text\n1;"two\nlines"\n;x\n3;"a""b"\n')
    rows = fl.CsvDataset(path, [0, fl.string], header=True, field_delim=";")
    assert rows.element_spec == (fl.TensorSpec([], fl.int32), fl.TensorSpec([], fl.string))
    assert list(rows) == [(1, b"two\nlines"), (0, b"x"), (3, b'a"b')]
    assert list(fl.CsvDataset(path, [[7]], header=True, field_delim=";", exclude_cols=[1])) == [(1,), (7,), (3,)]
    assert list(fl.CsvDataset([path, path], [fl.string], field_delim=";", select_cols=[1]).skip(5)) == [
        (b"two\nlines",),
        (b"x",),
        (b'a"b',),
    ]
    listed = fl.Dataset.list_files(str(path))
    assert len(list(fl.CsvDataset(listed, [0, fl.string], header=True, field_delim=";"))) == 3
    for arguments, message in [
        ({"record_defaults": []}, "record_defaults"),
        ({"record_defaults": [0], "field_delim": ";;"}, "field_delim"),
        ({"record_defaults": [0], "field_delim": '"'}, "field_delim"),
        ({"record_defaults": [0], "select_cols": [0, 1]}, "select_cols"),
        ({"record_defaults": [0], "select_cols": [0], "exclude_cols": [1]}, "exclude_cols"),
        ({"record_defaults": [[1, 2]]}, r"record_defaults\[0\]"),
    ]:
        with pytest.raises(fl.ArgumentError, match=message):
            fl.CsvDataset(path, **arguments)


def test_files(shards):
    paths = sorted(str(path) for path in shards.glob("*.tfrecord"))
    records = [f"{shard}{n}".encode() for shard in range(3) for n in range(4)]
    assert list(fl.TFRecordDataset(paths)) == records
    assert list(fl.TFRecordDataset(shards / "part-1.tfrecord")) == records[4:8]
    assert list(fl.TFRecordDataset(list(reversed(paths)))) == records[8:] + records[4:8] + records[:4]
    assert list(fl.TFRecordDataset(fl.Dataset.list_files(str(shards / "*.tfrecord"), shuffle=False))) == records
    in_turn = [f"{shard}{n}".encode() for n in range(4) for shard in range(3)]
    assert list(fl.TFRecordDataset(paths, num_parallel_reads=3)) == in_turn
    listed = fl.Dataset.list_files(str(shards / "*.tfrecord"), shuffle=False)
    assert list(listed.interleave(fl.TFRecordDataset, cycle_length=3)) == in_turn
    assert list(fl.TextLineDataset(shards / "part-2.txt")) == [b"a2", b"b2"]
    assert list(listed.take(1).map(fl.io.read_file).map(fl.size)) == [1]


def test_list_files(shards):
    pattern = str(shards / "*.txt")
    sorted_paths = sorted(str(path).encode() for path in shards.glob("*.txt"))
    assert list(fl.Dataset.list_files(pattern, shuffle=False)) == sorted_paths
    assert sorted(fl.Dataset.list_files([pattern])) == sorted_paths
    seeded = fl.Dataset.list_files(pattern, seed=3)
    assert list(seeded.iterator(epoch=0)) == list(seeded.iterator(epoch=0))
    with pytest.raises(FileNotFoundError, match="nothing"):
        fl.Dataset.list_files(str(shards / "nothing-*"))
    with pytest.raises(FileNotFoundError, match=r"list_files"):
        fl.TFRecordDataset(str(shards / "part-*.tfrecord"))
    with pytest.raises(ValueError, match="compression_type"):
        fl.TFRecordDataset(str(shards / "part-0.tfrecord"), "SNAPPY")


def test_zip():
    a, b = fl.Dataset.range(3), fl.Dataset.range(10, 20)
    assert [(int(x), int(y)) for x, y in fl.Dataset.zip(a, b)] == [(0, 10), (1, 11), (2, 12)]
    assert list(fl.Dataset.zip(datasets={"a": a, "b": (a, b)}))[2] == {"a": 2, "b": (2, 12)}
    assert len(fl.Dataset.zip((a, b))) == 3
    with pytest.raises(ValueError):
        fl.Dataset.zip()


def test_generators():
    def pairs(stop):
        for n in range(stop):
            yield n, [n] * n

    signature = (fl.TensorSpec([], fl.int64), fl.TensorSpec([None], fl.float32))
    dataset = fl.Dataset.from_generator(pairs, output_signature=signature, args=(4,))
    assert [(int(n), row.tolist()) for n, row in dataset] == [(n, [float(n)] * n) for n in range(4)]
    assert len(list(dataset.repeat(2))) == 8
    old = fl.Dataset.from_generator(pairs, (fl.int64, fl.float32), ([], [None]), args=(2,))
    assert old.element_spec == signature
    it = dataset.iterator()
    next(it)
    assert [int(n) for n, _ in dataset.iterator(state=it.state())] == [1, 2, 3]


NO_TENSORS = [
    ((1, "a"), r"\[1, 'a'\] is no int64"),
    (((1, 2), (3,)), r"\[\(1, 2\), \(3,\)\] is no int64"),
    ((1, 2.5), r"\[1, 2.5\] is a float where the spec says int64"),
]


@pytest.mark.parametrize("value, reason", NO_TENSORS)
def test_a_tuple_that_is_no_tensor_is_told(value, reason):
    dataset = fl.Dataset.from_generator(lambda: iter([value]), output_signature=fl.TensorSpec(None, fl.int64))
    with pytest.raises(fl.SchemaError, match=f"a tuple of 2 where the spec says a tensor, and none can be made of it: {reason}"):
        list(dataset)


@pytest.mark.parametrize("how", ["dropped", "closed", "behind a prefetch", "in the thread that asks"])
def test_a_generator_that_is_left_is_closed(how):
    closed = threading.Event()

    def numbers():
        try:
            yield from range(10**9)
        finally:
            closed.set()

    dataset = fl.Dataset.from_generator(numbers, output_signature=fl.TensorSpec([], fl.int64))
    if how == "behind a prefetch":
        dataset = dataset.map(lambda x: x + 1).prefetch(2)
    if how == "in the thread that asks":
        dataset = dataset.with_options(fl.Options(threads=0))
    it = dataset.iterator()
    next(it)
    if how == "closed":
        it.close()
    else:
        del it
    # Nothing else is asked of the interpreter meanwhile that would have it look for what was left.
    assert closed.wait(60)


def test_arguments_of_a_generator_are_numpys():
    got = []

    def noted(*args):
        got.append([(type(arg), getattr(arg, "dtype", None)) for arg in args])
        yield len(args)

    args = (3, "s", 2.5, [1, 2], fl.constant(4, fl.int64), np.zeros(2))
    assert list(fl.Dataset.from_generator(noted, output_signature=fl.TensorSpec([], fl.int64), args=args)) == [6]
    # As in TensorFlow 2.21.
    expected = [(np.int32, "int32"), (bytes, None), (np.float32, "float32"), (np.ndarray, "int32"), (np.int64, "int64"), (np.ndarray, "float64")]
    assert got == [expected]


def test_a_generator_of_each_element_is_told_with_the_remedy():
    def nested(n):
        return fl.Dataset.from_generator(lambda k: range(k), output_signature=fl.TensorSpec([], fl.int64), args=(n,))

    with pytest.raises(fl.TraceError, match=r"(?s)args\[0\] is computed for each element.*unbatch\(\)"):
        fl.Dataset.range(3).flat_map(nested)
    spec = fl.TensorSpec([None], fl.int64)
    dataset = fl.Dataset.range(4).map(lambda n: np.array(list(range(n))), python=True, output_spec=spec).unbatch()
    assert [int(x) for x in dataset] == [0, 0, 1, 0, 1, 2]


def test_a_generator_that_raises():
    def broken():
        yield 1
        raise LookupError("no more")

    it = iter(fl.Dataset.from_generator(broken, output_signature=fl.TensorSpec([], fl.int64)))
    assert next(it) == 1
    with pytest.raises(LookupError, match="no more") as caught:
        next(it)
    assert "broken" in caught.value.__notes__[0]
    with pytest.raises(StopIteration):
        next(it)


def test_records_of_listed_files_are_shuffled_as_a_whole(tmp_path):
    for name in "ab":
        with fl.io.TFRecordWriter(tmp_path / f"{name}.tfrecord") as writer:
            for number in range(5):
                writer.write(f"{name}{number}".encode())
    listed = fl.Dataset.list_files(tmp_path / "*.tfrecord")
    plain = fl.TFRecordDataset(sorted(tmp_path.iterdir())).global_shuffle(seed=1)
    expected = [record for record in plain]
    assert len(set(expected)) == 10
    for records in (fl.TFRecordDataset(listed), listed.interleave(fl.TFRecordDataset)):
        assert list(records.global_shuffle(seed=1)) == expected
    with pytest.raises(ValueError, match="not after flat_map"):
        fl.TFRecordDataset(listed.take(1)).global_shuffle()


def test_one_damaged_record_is_one_error(tmp_path):
    path = tmp_path / "a.tfrecord"
    with fl.io.TFRecordWriter(path) as writer:
        for number in range(3):
            writer.write(f"record {number}".encode())
    data = bytearray(path.read_bytes())
    data[data.index(b"record 1")] ^= 1
    path.write_bytes(data)
    records = iter(fl.TFRecordDataset(path))
    assert next(records) == b"record 0"
    with pytest.raises(fl.CorruptDataError, match=r"a\.tfrecord: record 1 \(byte 24\): data checksum"):
        next(records)
    assert list(records) == [b"record 2"]
