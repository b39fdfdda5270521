"""Question: how fast does Python with TensorFlow write TFRecord files of Examples with 40 numeric features?

Run:   python tf_write.py OUT [--records 200000] [--repeat 5]
With:  TensorFlow 2.21.0 (tensorflow-cpu), protobuf 7.36.2 (upb).

Two answers: `build_and_write` makes each Example from Python numbers, serializes and writes it; `write_only` writes bytes that are
serialized already. OUT is left holding the deterministic serialization (map keys in byte order) of the rows, whose sha256 a writer in
another language can be compared with: f_k(r) = ((r*31 + k*17) mod 1000) / 8 as float32 (f00..f12),
i_k(r) = (r*2654435761 + k*40503) mod 10^(1 + k mod 7) (i00..i25), label = r mod 10.
"""

import argparse
import hashlib
import os

import tensorflow as tf

from peer_report import FLOAT_KEYS, INT_KEYS, LABEL_KEY, Report, quiet_tensorflow, row_values


def build(values):
    floats, ints, label = values
    example = tf.train.Example()
    feature = example.features.feature
    for key, value in zip(FLOAT_KEYS, floats):
        feature[key].float_list.value.append(value)
    for key, value in zip(INT_KEYS, ints):
        feature[key].int64_list.value.append(value)
    feature[LABEL_KEY].int64_list.value.append(label)
    return example


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    quiet_tensorflow()
    out, scratch = arguments.out, arguments.out + ".unordered"

    rows = [row_values(r) for r in range(arguments.records)]  # making the numbers is not part of the question
    serialized = [build(row).SerializeToString(deterministic=True) for row in rows]
    payload_bytes = sum(map(len, serialized))

    def build_and_write():
        with tf.io.TFRecordWriter(scratch) as writer:
            for row in rows:
                writer.write(build(row).SerializeToString())
        return {"size": os.path.getsize(scratch)}

    def write_only():
        with tf.io.TFRecordWriter(out) as writer:
            for record in serialized:
                writer.write(record)
        return {"size": os.path.getsize(out)}

    write_only()
    expected = {"size": payload_bytes + 16 * len(rows), "sha256": sha256(out)}
    report = Report("write Examples", expected, len(rows), payload_bytes, arguments.repeat, file_bytes=expected["size"])
    try:
        report.measure("build, serialize, write", build_and_write, group="build_and_write", warm_up=False)
    finally:
        if os.path.exists(scratch):
            os.remove(scratch)
    report.measure("write serialized bytes", write_only, group="write_only")
    assert sha256(out) == expected["sha256"]
    report.finish()


if __name__ == "__main__":
    main()
