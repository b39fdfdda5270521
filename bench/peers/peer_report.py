"""What the peer scripts share: timing with repeats, one JSON line a setting, and the features they agree on."""

import importlib.metadata
import json
import resource
import statistics
import time

FLOAT_KEYS = [f"f{k:02}" for k in range(13)]
INT_KEYS = [f"i{k:02}" for k in range(26)]
LABEL_KEY = "label"


def quiet_tensorflow():
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")


def row_values(row):
    """The 40 values of one row; the Rust writer has the same formulas, so files can be compared byte for byte."""
    floats = [((row * 31 + k * 17) % 1000) / 8.0 for k in range(len(FLOAT_KEYS))]  # exact in float32
    ints = [(row * 2654435761 + k * 40503) % (10 ** (1 + k % 7)) for k in range(len(INT_KEYS))]
    return floats, ints, row % 10


def feature_spec(keys=None):
    import tensorflow as tf

    spec = {key: tf.io.FixedLenFeature([], tf.float32) for key in FLOAT_KEYS}
    spec |= {key: tf.io.FixedLenFeature([], tf.int64) for key in INT_KEYS + [LABEL_KEY]}
    return spec if keys is None else {key: spec[key] for key in keys}


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


_running = []


def elements(dataset):
    """The elements of a dataset, its iterator left to be ended after the time is taken.

    To end one means to wait for the thread of tf.data's tuner, whose sleep doubles from 10 ms on: a pass of 0.7 s was seen to take
    1.3 s and one of 1.4 s to take 2.6, of which a training run pays nothing.
    """
    _running.append(iter(dataset))
    yield from _running[-1]


class Report:
    """Times settings, checks what each returns, prints a line for each, and in the end the best."""

    def __init__(self, question, expected, records, num_bytes, repeat, peer="tf.data", package="tensorflow-cpu", **common):
        self.peer, self.version = peer, importlib.metadata.version(package)
        self.question, self.expected, self.records, self.num_bytes = question, expected, records, num_bytes
        self.repeat, self.common, self.lines = repeat, common, []

    def measure(self, setting, run, group="all", warm_up=True):
        """`run()` does the whole work once and returns the checksum. Returns the median seconds."""
        if warm_up:
            start = time.perf_counter()
            self.check(setting, run())  # traces, starts threads, fills caches: what a long epoch does not pay for
            taken = time.perf_counter() - start
            _running.clear()
            best = min((line["median_seconds"] for line in self.lines if line["group"] == group), default=None)
            if best is not None and taken > 3 * best + 2:
                return taken  # hopeless: the best is three times as fast, start-up allowed for
        seconds, cpu_before = [], cpu_seconds()
        for _ in range(self.repeat):
            start = time.perf_counter()
            found = run()
            seconds.append(time.perf_counter() - start)
            _running.clear()
            self.check(setting, found)
        line = self.line(group, setting, seconds, (cpu_seconds() - cpu_before) / sum(seconds))
        self.lines.append(line)
        print(json.dumps(line), flush=True)
        return line["median_seconds"]

    def check(self, setting, found):
        """Each key a setting can tell must be right; which keys those are differs between settings."""
        for key, value in found.items():
            if value != self.expected[key]:
                raise SystemExit(f"{setting}: {key} is {value}, expected {self.expected[key]}")

    def line(self, group, setting, seconds, cores):
        median = statistics.median(seconds)
        return {
            "peer": self.peer, "version": self.version, "question": self.question, "group": group, "setting": setting,
            "records": self.records, "bytes": self.num_bytes, "seconds": [round(s, 6) for s in seconds],
            "median_seconds": round(median, 6), "min_seconds": round(min(seconds), 6),
            "records_per_s": round(self.records / median), "mb_per_s": round(self.num_bytes / median / 1e6, 1),
            "cores_used": round(cores, 2), "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "checksum": self.expected, **self.common,
        }

    def finish(self):
        for group in dict.fromkeys(line["group"] for line in self.lines):
            best = min((line for line in self.lines if line["group"] == group), key=lambda line: line["median_seconds"])
            print(json.dumps({"best": True, **best}), flush=True)
