"""Datasets in files and folders, and how far a long call is."""

from __future__ import annotations

import collections
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import feedline as fl
from feedline import _saving


def same(one, other):
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (fl.RaggedTensor, fl.SparseTensor)):
        return type(one) is type(other) and all(map(same, one.parts(), other.parts()))
    return type(one) is type(other) and np.array_equal(one, other) and getattr(one, "dtype", 0) == getattr(other, "dtype", 0)


def rows(shape):
    def generate():
        for n in range(5):
            yield np.full([n if dim is None else dim for dim in shape], n, np.float32), np.array([b"s%d" % n] * n, object)

    spec = (fl.TensorSpec(shape, fl.float32), fl.TensorSpec([None], fl.string))
    return fl.Dataset.from_generator(generate, output_signature=spec)


DATASETS = {
    "scalars of every type": lambda: fl.Dataset.range(3).map(
        lambda x: {t: fl.cast(x, t) for t in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()}
    ),
    "nested": lambda: fl.Dataset.from_tensor_slices(({"b": [[1, 2], [3, 4]], "a": ["x", "yz"]}, ([1.5, 2.5], [b"", b"\0"]))),
    "one unknown size": lambda: rows([None, 2]),
    "several unknown sizes": lambda: rows([None, None, 2]),
    "unknown shape": lambda: rows([None, None]).map(lambda x, s: (s, x)),
    "nothing": lambda: fl.Dataset.range(0),
    "ragged": lambda: fl.Dataset.from_tensor_slices({"r": fl.ragged.constant([[["a", "b"], []], [], [["c"]]]), "n": [1, 2, 3]}),
    "sparse": lambda: fl.Dataset.from_tensor_slices((fl.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4]), [1, 2, 3])),
}


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("shards", [1, 3])
def test_what_is_saved_is_loaded(name, shards, tmp_path):
    dataset = DATASETS[name]()
    dataset.save(tmp_path / "saved", "GZIP" if shards == 3 else None, shards=shards)
    loaded = fl.Dataset.load(tmp_path / "saved", dataset.element_spec)
    assert loaded.element_spec == dataset.element_spec
    assert len(loaded) == loaded.cardinality() == len(list(dataset))
    before, after = list(dataset), list(loaded)
    assert len(before) == len(after) and all(map(same, before, after))


def test_what_cannot_be_saved_or_loaded(tmp_path):
    dataset = fl.Dataset.range(3)
    dataset.save(tmp_path)
    with pytest.raises(FileExistsError, match="another one"):
        dataset.save(tmp_path)
    with pytest.raises(ValueError, match="infinite"):
        dataset.repeat().save(tmp_path / "endless")
    with pytest.raises(ValueError, match="give one of them"):
        dataset.save(tmp_path / "other", shard_func=lambda x: x, shards=2)
    with pytest.raises(TypeError, match="shard_func gives one integer"):
        dataset.save(tmp_path / "other", shard_func=lambda x: fl.stack([x, x]))
    with pytest.raises(TypeError, match="int64"):
        fl.Dataset.load(tmp_path, fl.TensorSpec([], fl.float32))
    with pytest.raises(FileNotFoundError, match="no dataset"):
        fl.Dataset.load(tmp_path / "nowhere")
    (tmp_path / "dataset.json").write_text("{}")
    with pytest.raises(fl.CorruptDataError, match="damaged"):
        fl.Dataset.load(tmp_path)


def test_half_a_dataset_is_none(tmp_path):
    broken = fl.Dataset.range(3).map(lambda x: 6 // (x - 2))
    with pytest.raises(fl.FeedlineError):
        broken.save(tmp_path)
    with pytest.raises(FileNotFoundError):
        fl.Dataset.load(tmp_path)


def test_progress(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    dataset = fl.Dataset.range(10).map(lambda x: {"x": x})
    dataset.write_tfrecords(tmp_path / "a")
    assert capsys.readouterr().err == ""
    dataset.write_tfrecords(tmp_path / "b", progress=True)
    assert "write_tfrecords: 10 of 10 (100 %)" in capsys.readouterr().err
    dataset.filter(lambda row: row["x"] < 4).save(tmp_path / "c", progress=True)
    assert "save: 4, " in capsys.readouterr().err
    assert fl.Dataset.range(10).map(lambda x: x + 1).reduce(np.int64(0), lambda total, x: total + x, progress=True) == 55
    assert "reduce: 10 of 10 (100 %)" in capsys.readouterr().err
    fl.Dataset.range(10).filter(lambda x: x < 4).reduce(np.int64(0), lambda total, x: total + x, progress=True)
    assert "reduce: 4, " in capsys.readouterr().err
    for name in ("cats/1.jpg", "dogs/1.jpg", "dogs/2.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert len(fl.Dataset.list_files(f"{tmp_path}/*/*.jpg", progress=True)) == 3
    assert "list_files: 3, " in capsys.readouterr().err
    assert len(fl.Dataset.image_folder(tmp_path, class_names=["dogs"], progress=True)) == 2
    assert "image_folder: 2, " in capsys.readouterr().err


def test_progress_shows_while_it_runs(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    slow = fl.Dataset.range(10).map(lambda x: time.sleep(0.1) or x, python=True, output_spec=fl.TensorSpec([], fl.int64))
    assert slow.reduce(np.int64(0), lambda total, x: total + x, progress=True) == 45
    counts = [int(line.split()[1]) for line in capsys.readouterr().err.split("\r") if line]
    assert len(counts) > 1 and counts == sorted(counts) and 0 < counts[0] < counts[-1] == 10


def test_tqdm_knows_the_length(tmp_path, capsys):
    tqdm = pytest.importorskip("tqdm")
    dataset = fl.Dataset.range(10).batch(4)
    assert tqdm.tqdm(dataset).total == 3
    assert tqdm.tqdm(dataset.filter(lambda x: x[0] > 1)).total is None
    dataset.unbatch().map(lambda x: {"x": x}).write_tfrecords(tmp_path / "a", progress=True)
    assert "write_tfrecords: 10 elements" in capsys.readouterr().err


def test_image_folder(tmp_path):
    for name in ("dogs/2.JPG", "dogs/1.png", "cats/deep/3.jpeg", "cats/notes.txt", ".hidden/4.jpg"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    dataset = fl.Dataset.image_folder(tmp_path)
    assert dataset.class_names == ["cats", "dogs"] and len(dataset) == len(dataset.file_paths) == 3
    assert [(image, int(label)) for image, label in dataset] == [(b"cats/deep/3.jpeg", 0), (b"dogs/1.png", 1), (b"dogs/2.JPG", 1)]
    chosen = fl.Dataset.image_folder(tmp_path, class_names=["dogs", "cats"])
    assert [int(label) for _, label in chosen] == [0, 0, 1]
    assert len(list(chosen.shuffle(10).batch(2))) == 2
    with pytest.raises(ValueError, match="birds"):
        fl.Dataset.image_folder(tmp_path, class_names=["birds"])
    with pytest.raises(FileNotFoundError, match="folder of its own"):
        fl.Dataset.image_folder(tmp_path / "dogs")
    with pytest.raises(FileNotFoundError, match="no folder"):
        fl.Dataset.image_folder(tmp_path / "nowhere")


def test_files_of_a_saved_dataset_in_another_order(tmp_path):
    folder = tmp_path / "saved"
    fl.Dataset.range(6).map(lambda x: {"x": x, "name": fl.strings.as_string(x)}).save(folder, shards=3)

    def read(files):
        return files.skip(1).interleave(lambda file: file.take(1), cycle_length=2)

    assert [int(element["x"]) for element in fl.Dataset.load(folder, reader_func=read)] == [1, 2]
    one_by_one = fl.Dataset.load(folder, reader_func=lambda files: files.flat_map(lambda file: file))
    assert [element["name"] for element in one_by_one] == [b"0", b"3", b"1", b"4", b"2", b"5"]
    shuffled = fl.Dataset.load(folder, reader_func=lambda files: files.shuffle(3, seed=1).interleave(lambda file: file))
    assert sorted(int(element["x"]) for element in shuffled) == list(range(6))
    with pytest.raises(fl.SchemaError, match="reader_func returns a dataset"):
        fl.Dataset.load(folder, reader_func=lambda files: 3)


def test_forms_and_keys_stay_in_order(tmp_path):
    Point = collections.namedtuple("Point", ["x", "y"])
    ordered = fl.Dataset.range(2).map(lambda x: {"z": x, "a": (x + 1, {"c": x + 2, "b": x + 3})})
    ordered.save(tmp_path / "a", shards=2)
    loaded = fl.Dataset.load(tmp_path / "a")
    assert list(loaded.element_spec) == ["z", "a"] and list(loaded.element_spec["a"][1]) == ["c", "b"]
    assert [str(element) for element in loaded] == [str(element) for element in ordered]
    by_shard = fl.Dataset.load(tmp_path / "a", reader_func=lambda shards: shards.flat_map(lambda shard: shard))
    assert [str(element) for element in by_shard] == [str(element) for element in ordered]
    # The numbers of tensors follow the order of keys, as those of earlier versions did.
    (record, *_) = fl.TFRecordDataset(sorted(tmp_path.glob("a/*.tfrecord")))
    features = {str(number): fl.io.FixedLenFeature([], "string") for number in range(4)}
    parsed = next(iter(fl.Dataset.from_tensors(record).map(lambda record: fl.io.parse_single_example(record, features))))
    assert [int.from_bytes(parsed[str(number)], "little") for number in range(4)] == [0, 1, 2, 3]
    points = fl.Dataset.range(4).map(lambda x: Point(x, x * x))
    points.save(tmp_path / "b", shard_func=lambda point: point.y % 2)
    assert [(int(x), int(y)) for x, y in fl.Dataset.load(tmp_path / "b")] == [(0, 0), (1, 1), (2, 4), (3, 9)]


def test_a_save_can_be_interrupted(tmp_path):
    def late(x):
        if x == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return x

    slow = fl.Dataset.range(10**9).map(late, python=True, output_spec=fl.TensorSpec([], fl.int64))
    with pytest.raises(KeyboardInterrupt):
        slow.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="not saved to the end"):
        fl.Dataset.load(tmp_path)
    with pytest.raises(fl.ArgumentError, match="compression is None"):
        fl.Dataset.range(3).save(tmp_path / "other", "LZ4")


def test_what_cannot_be_saved_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(fl.ArgumentError, match="no tensor"):
        fl.Dataset.range(4).window(2).save(tmp_path / "windows")
    with pytest.raises(fl.ArgumentError, match="infinite"):
        fl.Dataset.range(2).repeat().save(tmp_path / "endless")
    assert list(tmp_path.iterdir()) == []


def numbers(dataset):
    return [int(x) for x in dataset]


def test_shards_are_those_that_shard_func_gives(tmp_path):
    fl.Dataset.range(7).save(tmp_path / "a", shard_func=lambda x: 5 - x % 2 * 2)
    assert numbers(fl.Dataset.load(tmp_path / "a")) == [1, 0, 3, 2, 5, 4, 6]
    one_by_one = fl.Dataset.load(tmp_path / "a", reader_func=lambda shards: shards.flat_map(lambda shard: shard))
    assert numbers(one_by_one) == [1, 3, 5, 0, 2, 4, 6]
    pairs = fl.Dataset.range(4).map(lambda x: (x, {"y": x * x}))
    pairs.save(tmp_path / "b", shard_func=lambda x, rest: rest["y"] % 2)
    assert [(int(x), int(rest["y"])) for x, rest in fl.Dataset.load(tmp_path / "b")] == [(0, 0), (1, 1), (2, 4), (3, 9)]
    fl.Dataset.range(0).save(tmp_path / "c", shard_func=lambda x: x)
    assert numbers(fl.Dataset.load(tmp_path / "c")) == []


SCRIPT = """
import os, signal, sys
import feedline as fl
from feedline import _saving

folder, shards = sys.argv[1], int(sys.argv[2])
killed_at = [int(sys.argv[3])]  # a list: another number would be another function
_saving.CHUNK_BYTES = 300
called = 0

def tripled(x):
    global called
    if called == killed_at[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    called += 1
    with open(folder + ".log", "a") as log:
        log.write(f"{int(x) * 3} ")
    return x * 3

elements = fl.Dataset.range(100).shuffle(20).map(tripled, python=True, num_parallel_calls=1, output_spec=fl.TensorSpec([], fl.int64))
# One by one, so that those before the one it is killed at are written.
elements.debug().save(folder, shards=shards)
"""


@pytest.mark.parametrize("shards", [1, 3])
def test_a_save_that_was_killed_goes_on(shards, tmp_path):
    script, folder, log = tmp_path / "script.py", tmp_path / "saved", tmp_path / "saved.log"
    script.write_text(SCRIPT)

    def run(killed_at):
        log.write_text("")
        return subprocess.run([sys.executable, script, folder, str(shards), str(killed_at)], timeout=60).returncode

    kept = []
    for _ in range(2):
        assert run(40) == -signal.SIGKILL
        with pytest.raises(FileNotFoundError, match="not saved to the end: .*\n.*save again"):
            fl.Dataset.load(folder)
        # The order of the first run, though nobody gave a seed, and nothing that was kept is computed again.
        before, kept = kept, committed(folder, tmp_path / "copy")
        assert len(before) < len(kept) and kept[: len(before)] == before
        assert not {int(x) for x in log.read_text().split()} & set(before)
    # Another dataset would make a mixture of it.
    with pytest.raises(fl.CheckpointError, match="of another dataset"):
        fl.Dataset.range(100).save(folder, shards=shards)
    assert run(1000) == 0
    written = numbers(fl.Dataset.load(folder))
    assert written[: len(kept)] == kept and sorted(written) == [x * 3 for x in range(100)]
    assert sorted(path.suffix for path in folder.iterdir() if path.suffix != ".tfrecord") == [".json", ".lock"]


def committed(folder, copy):
    """The elements that a save which was killed has kept."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    journal = json.loads((folder / "save.json").read_text())
    description = {
        "feedline_dataset": 2,
        "elements": journal["elements"],
        "shards": list(journal["files"].values()),
        "element_spec": {"dtype": "int64", "shape": []},
    }
    (copy / "dataset.json").write_text(json.dumps(description))
    elements = numbers(fl.Dataset.load(copy))
    assert len(elements) == journal["elements"]
    return elements


def test_what_a_killed_save_left_is_removed_and_one_saves_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(_saving, "CHUNK_BYTES", 100)
    broken = fl.Dataset.range(40).map(lambda x: 6 // (x - 30))
    with pytest.raises(fl.FeedlineError):
        broken.save(tmp_path, shards=2)
    left = tmp_path / "elements-00000-000099.tfrecord"
    left.write_bytes(b"half")
    with pytest.raises(fl.CheckpointError, match="shards=2, not 3"):
        broken.save(tmp_path, shards=3)
    (tmp_path / "other").mkdir()
    with open(tmp_path / "other" / "save.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(FileExistsError, match="another process"):
            fl.Dataset.range(3).save(tmp_path / "other")
    with pytest.raises(fl.FeedlineError):
        broken.save(tmp_path, shards=2)
    assert not left.exists()


def test_datasets_of_the_first_format_are_read(tmp_path):
    for shard in range(2):
        with fl.io.TFRecordWriter(tmp_path / f"elements-{shard:05}-of-00002.tfrecord") as writer:
            for number in range(shard, 5, 2):
                writer.write(fl.io.example({"0": np.int64(number).tobytes()}))
    files = sorted(path.name for path in tmp_path.iterdir())
    spec = {"dtype": "int64", "shape": []}
    (tmp_path / "dataset.json").write_text(json.dumps({"feedline_dataset": 1, "elements": 5, "files": files, "element_spec": spec}))
    assert numbers(fl.Dataset.load(tmp_path)) == [0, 1, 2, 3, 4]


def test_snapshots_in_shards(tmp_path):
    log = tmp_path / "log"

    def noted(x):
        with open(log, "a") as file:
            file.write(f"{int(x)} ")
        return x

    def calls():
        return [int(x) for x in log.read_text().split()]

    def made(**arguments):
        elements = fl.Dataset.range(8).map(noted, python=True, num_parallel_calls=1, output_spec=fl.TensorSpec([], fl.int64))
        return elements.snapshot(tmp_path / "kept", **arguments)

    one_by_one = made(reader_func=lambda shards: shards.flat_map(lambda shard: shard), shard_func=lambda x: -(x % 3))
    assert numbers(one_by_one) == [2, 5, 1, 4, 7, 0, 3, 6]
    assert calls() == list(range(8))
    # From files from here on, whoever reads, and in the same order.
    assert numbers(one_by_one) == [2, 5, 1, 4, 7, 0, 3, 6]
    assert numbers(made()) == list(range(8))
    assert numbers(made(shard_func=lambda x: x % 2)) == list(range(8))
    assert sorted(numbers(made(reader_func=lambda shards: shards.interleave(lambda shard: shard.shuffle(8))))) == list(range(8))
    assert calls() == list(range(8))
    with pytest.raises(TypeError, match="reader_func returns a dataset of elements"):
        made(reader_func=lambda shards: shards)


@pytest.mark.parametrize("compression", [None, "AUTO", "GZIP", "SNAPPY"])
def test_snapshots_are_compressed(compression, tmp_path):
    zeros = fl.Dataset.range(20_000).map(lambda x: x * 0)
    for _ in range(2):
        assert sum(1 for _ in zeros.snapshot(tmp_path, compression=compression)) == 20_000
    size = sum(path.stat().st_size for path in tmp_path.rglob("*.chunk"))
    assert (size < 20_000) == (compression is not None)
    with pytest.raises(ValueError, match="compression"):
        zeros.snapshot(tmp_path, compression="LZ4")


def test_a_writer_is_flushed(tmp_path):
    path = tmp_path / "a.tfrecord"
    with fl.io.TFRecordWriter(path) as writer:
        writer.write(b"one")
        (unfinished,) = tmp_path.iterdir()
        assert unfinished.stat().st_size == 0
        writer.flush()
        assert unfinished.stat().st_size == 3 + 16 and not path.exists()
        writer.write(b"two")
    assert list(fl.TFRecordDataset(path)) == [b"one", b"two"]
    with pytest.raises(ValueError, match="the file is closed"):
        writer.flush()


def test_a_dataset_that_is_not_there_yet_is_waited_for(tmp_path):
    folder = tmp_path / "saved"
    is_asked = threading.Event()

    def save():
        is_asked.wait()
        fl.Dataset.range(3).save(folder)

    saving = threading.Thread(target=save)
    saving.start()
    is_asked.set()
    assert [int(x) for x in fl.Dataset.load(folder, wait=True)] == [0, 1, 2]
    saving.join()


def test_options_of_record_files_that_do_nothing_are_refused(tmp_path):
    with pytest.raises(fl.ArgumentError, match="there is no compression_level"):
        fl.io.TFRecordOptions("GZIP", compression_level=9)
    with fl.io.TFRecordWriter(tmp_path / "a", fl.io.TFRecordOptions()) as writer:
        writer.write(b"x")
    assert list(fl.TFRecordDataset(tmp_path / "a")) == [b"x"]


def test_a_writer_that_is_dropped_closes_its_file(tmp_path):
    writer = fl.io.TFRecordWriter(tmp_path / "a")
    writer.write(b"x")
    with pytest.warns(ResourceWarning, match="a was not closed"):
        del writer
    assert list(fl.TFRecordDataset(tmp_path / "a")) == [b"x"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, leave in (("closed", fl.io.TFRecordWriter.close), ("left", lambda writer: writer.__exit__(ValueError, None, None))):
            writer = fl.io.TFRecordWriter(tmp_path / name)
            leave(writer)
            del writer
        with pytest.raises(OSError):
            fl.io.TFRecordWriter(tmp_path / "closed" / "below a file")
    assert sorted(os.listdir(tmp_path)) == ["a", "closed"]


@pytest.mark.parametrize(
    ("record", "remedy"),
    [({"a": 1}, r"fl\.io\.example\(record\)"), ("text", r"record\.encode\(\)"), (3, r"fl\.io\.example"), (None, r"fl\.io\.example")],
)
def test_a_record_is_bytes_and_the_error_says_how_to_make_some(tmp_path, record, remedy):
    with fl.io.TFRecordWriter(tmp_path / "a.tfrecord") as writer:
        with pytest.raises(TypeError, match=remedy):
            writer.write(record)
        writer.write(bytearray(b"one"))
        writer.write(memoryview(b"two"))
    assert list(fl.TFRecordDataset(tmp_path / "a.tfrecord")) == [b"one", b"two"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_was_forked_leaves_the_file_of_a_writer_alone(tmp_path):
    path = tmp_path / "a.tfrecord"
    writer = fl.io.TFRecordWriter(path)
    writer.write(b"one")
    writer.flush()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        text = "nothing"
        try:
            writer.write(b"of the child")
        except fl.ResourceError as error:
            text = str(error)
        writer.__exit__(ValueError, None, None)
        os.write(tell, text.encode())
        # As where the interpreter ends and frees its objects.
        del writer
        os._exit(0)
    os.waitpid(child, 0)
    assert b"written by another process" in os.read(told, 1000)
    writer.write(b"two")
    writer.close()
    assert list(fl.TFRecordDataset(path)) == [b"one", b"two"]


LARGE_FEATURES = {
    "bools": np.arange(200_000) % 2 == 0,
    "small integers": (np.arange(200_000) % 251).astype(np.uint8),
    "large integers": np.arange(200_000).astype(np.uint64) + np.uint64(2**62),
    "floats": np.arange(200_000) / 7,
    "halves": (np.arange(200_000) % 100).astype(np.float16),
    "too large for 32 bits": np.full(200_000, 1e300),
    "transposed": np.arange(200_000.0).reshape(2, 100_000).T,
    "more than are copied at once": np.arange(5_000_000, dtype=np.float32),
    "strings": np.array([b"abc", b"", b"long " * 1_000_000] * 2, object),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", LARGE_FEATURES)
def test_large_features_of_an_example(name):
    array = LARGE_FEATURES[name]
    kind = {"f": fl.float32, "O": fl.string}.get(array.dtype.kind, fl.int64)
    record = fl.io.example({"a": array, "b": 7})
    features = {"a": fl.io.FixedLenFeature(array.shape, kind), "b": fl.io.FixedLenFeature([], fl.int64)}
    parsed = fl.Dataset.from_tensors(record).map(lambda x: fl.io.parse_single_example(x, features)).get_single_element()
    with np.errstate(over="ignore"):
        expected = array if kind == fl.string else array.astype(kind.as_numpy_dtype)
    assert parsed["b"] == 7 and np.array_equal(parsed["a"], expected)


def test_a_number_among_many_that_has_not_64_bits_is_told():
    array = np.zeros((2, 200_000), np.uint64)
    array[1, 7] = 2**63 + 5
    with pytest.raises(fl.SchemaError, match=f"the feature 'a' has {2**63 + 5}, which is no number of 64 bits"):
        fl.io.example({"a": array})


def test_all_kinds_of_bytes_are_bytes_of_an_example():
    expected = fl.io.example({"k": b"jpg"})
    assert fl.io.example({"k": bytearray(b"jpg")}) == expected
    assert fl.io.example({"k": memoryview(b"jpg")}) == expected
    assert fl.io.example({"k": [bytearray(b"a"), memoryview(b"b")]}) == fl.io.example({"k": [b"a", b"b"]})
