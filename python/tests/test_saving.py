"""Datasets in files and folders, and how far a long call is."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import feedline as fl


def same(one, other):
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
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
}


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("shards", [1, 3])
def test_what_is_saved_is_loaded(name, shards, tmp_path):
    dataset = DATASETS[name]()
    dataset.save(tmp_path / "saved", "GZIP" if shards == 3 else None, shards=shards)
    loaded = fl.Dataset.load(tmp_path / "saved", dataset.element_spec)
    assert loaded.element_spec == dataset.element_spec
    before, after = list(dataset), list(loaded)
    assert len(before) == len(after) and all(map(same, before, after))


def test_what_cannot_be_saved_or_loaded(tmp_path):
    dataset = fl.Dataset.range(3)
    dataset.save(tmp_path)
    with pytest.raises(FileExistsError, match="another one"):
        dataset.save(tmp_path)
    with pytest.raises(ValueError, match="infinite"):
        dataset.repeat().save(tmp_path / "endless")
    with pytest.raises(ValueError, match="shards"):
        dataset.save(tmp_path / "other", shard_func=lambda x: x)
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


def test_what_cannot_be_saved_is_refused_before_anything_is_written(tmp_path):
    ragged = fl.Dataset.from_tensors("a b").batch(1).map(lambda x: fl.strings.split(x))
    with pytest.raises(fl.ArgumentError, match="no plain tensor"):
        ragged.save(tmp_path / "ragged")
    with pytest.raises(fl.ArgumentError, match="infinite"):
        fl.Dataset.range(2).repeat().save(tmp_path / "endless")
    assert list(tmp_path.iterdir()) == []


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
