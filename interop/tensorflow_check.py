"""Does TensorFlow read what feedline writes, and feedline what TensorFlow writes, through the real programs?

Run by hand, in an environment with tensorflow-cpu:  python interop/tensorflow_check.py target/release/feedline
The shipped tests need no TensorFlow: they use golden data recorded from it (crates/feedline-formats/tests/golden/).
Last run with TensorFlow 2.21.0.
"""

import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import tensorflow as tf

COMPRESSIONS = {"none": "", "gzip": "GZIP", "zlib": "ZLIB"}


def run(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return done.stdout


def rows(count):
    source = random.Random(7)
    for index in range(count):
        text = "".join(source.choice('ab ,"é\n') for _ in range(source.randrange(12)))
        yield {"id": index, "height": source.randrange(-4000, 4000) / 8, "text": text or "-"}


def read_with_tensorflow(files, compression):
    spec = {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "height": tf.io.FixedLenFeature([], tf.float32),
        "text": tf.io.FixedLenFeature([], tf.string),
    }
    records = tf.data.TFRecordDataset(sorted(map(str, files)), compression_type=COMPRESSIONS[compression])
    for batch in records.batch(100).map(lambda batch: tf.io.parse_example(batch, spec)):
        for number, height, text in zip(batch["id"].numpy(), batch["height"].numpy(), batch["text"].numpy()):
            yield {"id": int(number), "height": float(height), "text": text.decode()}


def feedline_to_tensorflow(feedline, folder):
    expected = list(rows(5000))
    with open(folder / "rows.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["id", "height", "text"])
        writer.writeheader()
        writer.writerows(expected)
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in expected), encoding="utf-8")
    for source in ("rows.csv", "rows.jsonl"):
        for compression in COMPRESSIONS:
            prefix = folder / f"{source}-{compression}"
            types = "id=int64,height=float32,text=string"
            run(feedline, "convert", folder / source, prefix, "--shards", 3, "--compression", compression, "--types", types)
            files = list(folder.glob(f"{source}-{compression}-*-of-00003.tfrecord*"))
            files = [file for file in files if "index" not in file.name]
            found = list(read_with_tensorflow(files, compression))
            assert found == expected, f"{source} {compression}: TensorFlow reads something else"
            print(f"TensorFlow reads {source} as converted by feedline, compression {compression}: {len(found)} rows")


def tensorflow_to_feedline(feedline, folder):
    for compression, name in COMPRESSIONS.items():
        path = folder / f"by-tensorflow-{compression}.tfrecord"
        with tf.io.TFRecordWriter(str(path), tf.io.TFRecordOptions(compression_type=name)) as writer:
            for row in rows(2000):
                features = {
                    "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[row["id"]])),
                    "height": tf.train.Feature(float_list=tf.train.FloatList(value=[row["height"]])),
                    "text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[row["text"].encode()])),
                }
                example = tf.train.Example(features=tf.train.Features(feature=features))
                writer.write(example.SerializeToString())
        run(feedline, "verify", path)
        # Through feedline and back: the records are the same bytes.
        run(feedline, "convert", path, folder / f"again-{compression}", "--shards", 1)
        again = next(folder.glob(f"again-{compression}-00000-of-00001.tfrecord*"))
        before = list(tf.data.TFRecordDataset(str(path), compression_type=name).as_numpy_iterator())
        assert before == list(tf.data.TFRecordDataset(str(again)).as_numpy_iterator())
        print(f"feedline reads what TensorFlow wrote, compression {compression}: {len(before)} records")


def sequences(count):
    """SequenceExamples, with the steps of their lists as plain numbers."""
    source = random.Random(3)
    int_feature = lambda values: tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    for index in range(count):
        steps = [[source.randrange(-9, 9) for _ in range(2)] for _ in range(source.randrange(5))]
        record = tf.train.SequenceExample(
            context=tf.train.Features(feature={"id": int_feature([index])}),
            feature_lists=tf.train.FeatureLists(
                feature_list={"steps": tf.train.FeatureList(feature=[int_feature(step) for step in steps])}
            ),
        )
        yield record.SerializeToString(deterministic=True), steps


def sequences_both_ways(feedline, folder):
    """TensorFlow's SequenceExamples through feedline and back; and the spec feedline infers reads them in TensorFlow."""
    path = folder / "sequences.tfrecord"
    expected = list(sequences(500))
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record, _ in expected:
            writer.write(record)
    verified = json.loads(run(feedline, "verify", "--json", path))
    assert verified["files"][0]["kind"] == "SequenceExample" and verified["records"] == len(expected)
    for index in (0, 17, 499):
        shown = json.loads(run(feedline, "inspect", "--json", "--record", index, path))
        assert (shown["features"]["id"], shown["lists"]["steps"]) == ([index], expected[index][1])
    run(feedline, "convert", path, folder / "sequences-again", "--shards", 3)
    files = sorted(map(str, folder.glob("sequences-again-*-of-00003.tfrecord")))
    assert list(tf.data.TFRecordDataset(files).as_numpy_iterator()) == [record for record, _ in expected]
    names = {}
    exec(run(feedline, "inspect", "--spec", path).replace("import feedline as fl", "import tensorflow as fl"), names)
    for record, steps in expected:
        _, lists = tf.io.parse_single_sequence_example(record, names["context_features"], names["sequence_features"])
        assert lists["steps"].numpy().tolist() == steps
    print(f"SequenceExamples of TensorFlow through feedline and back, by the spec feedline infers: {len(expected)} records")


def main():
    feedline = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        feedline_to_tensorflow(feedline, pathlib.Path(folder))
        tensorflow_to_feedline(feedline, pathlib.Path(folder))
        sequences_both_ways(feedline, pathlib.Path(folder))
    print(f"all equal, TensorFlow {tf.__version__}")


main()
