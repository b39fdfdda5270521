"""Chains of steps as texts over `Dataset` and `ops`, which mean the same with tf.data's Dataset and TensorFlow as with feedline's and feedline.

Some are written, by the step they are about; more are drawn at random."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from value_texts import ARGUMENTS, COMPUTED, CONSTANTS

LIMIT = 40
"""Elements looked at of each iteration: some chains have no end."""

GENERAL = """
Dataset.range(10).shuffle(3, seed=42)
Dataset.range(10).shuffle(10, seed=1).repeat(3)
Dataset.range(10).shuffle(4, seed=7, reshuffle_each_iteration=False).repeat(2)
Dataset.range(10).repeat(3).shuffle(7, seed=5).batch(4)
Dataset.range(100).shuffle(200, seed=3).take(30)
Dataset.range(100).shuffle(-2, seed=3).take(30)
Dataset.range(30).filter(lambda x: x % 3 != 1).shuffle(-2, seed=5).repeat(3)
Dataset.range(10).shuffle(3, seed=1).shuffle(5, seed=2)
Dataset.range(10).shuffle(3, seed=1).cache().repeat(2)
Dataset.range(20).batch(6, drop_remainder=True).unbatch()
Dataset.range(20).batch(3).batch(2)
Dataset.range(7).enumerate(start=5)
Dataset.zip((Dataset.range(5), Dataset.range(3, 20, 4)))
Dataset.range(5).concatenate(Dataset.range(3)).shard(3, 2)
Dataset.range(6).interleave(lambda x: Dataset.range(x), cycle_length=3, block_length=2)
Dataset.range(6).interleave(lambda x: Dataset.from_tensors(x).repeat(x + 1), cycle_length=4)
Dataset.range(4).flat_map(lambda x: Dataset.range(x).map(lambda y: x * 10 + y))
Dataset.range(4).flat_map(lambda x: Dataset.range(5).shuffle(3, seed=1).map(lambda y: x * 10 + y))
Dataset.range(3).flat_map(lambda x: Dataset.range(3).batch(2))
Dataset.from_tensor_slices([[1, 2, 3], [4, 5, 6]]).flat_map(Dataset.from_tensor_slices)
Dataset.from_tensor_slices({"a": [1, 2], "b": [1.5, 2.5]}).map(lambda d: {"c": d["a"], "d": d["b"] * 2.0})
Dataset.from_tensor_slices(([1, 2], ["x", "y"])).map(lambda n, s: (s, n + 1))
Dataset.range(10).filter(lambda x: x % 3 == 1)
Dataset.range(10).map(lambda x: x // 3)
Dataset.range(10).map(lambda x: (x - 5) % 3)
Dataset.range(10).map(lambda x: (x - 5) // 2)
Dataset.range(10).map(lambda x: x / 4)
Dataset.range(10).map(lambda x: ops.cast(x, ops.float32) / 3.0)
Dataset.range(10).map(lambda x: ops.cast(x * 100, ops.uint8))
Dataset.range(10).map(lambda x: ops.cast(x, ops.float32) ** 2.0)
Dataset.range(10).map(lambda x: -x)
Dataset.range(10).map(lambda x: abs(x - 5))
Dataset.range(10).map(lambda x: ops.where(x > 4, x, -x))
Dataset.range(10).map(lambda x: ops.one_hot(x, 5))
Dataset.range(10).map(lambda x: ops.one_hot(x, 4, on_value=7, off_value=-1, dtype=ops.int32))
Dataset.range(10).map(lambda x: ops.stack([x, x * 2]))
Dataset.range(10).map(lambda x: ops.concat([ops.expand_dims(x, 0), ops.expand_dims(x + 1, 0)], 0))
Dataset.range(10).map(lambda x: ops.clip_by_value(x, 2, 7))
Dataset.range(10).map(lambda x: ops.minimum(x, 4) + ops.maximum(x, 6))
Dataset.range(24).batch(6).map(lambda x: ops.reshape(x, [2, 3]))
Dataset.range(24).batch(6, drop_remainder=True).map(lambda x: ops.reshape(x, [-1, 2]))
Dataset.range(24).batch(6).map(lambda x: ops.reduce_sum(x))
Dataset.range(24).batch(6).map(lambda x: ops.reduce_mean(x))
Dataset.range(24).batch(6).map(lambda x: ops.reduce_max(x) - ops.reduce_min(x))
Dataset.range(24).batch(4).batch(2).map(lambda x: ops.reduce_sum(x, axis=1))
Dataset.range(24).batch(4).batch(2).map(lambda x: ops.reduce_sum(x, axis=0, keepdims=True))
Dataset.range(24).batch(4).batch(2).map(lambda x: ops.transpose(x))
Dataset.range(24).batch(4).batch(2).map(lambda x: x[:, 1:3])
Dataset.range(24).batch(4).batch(2).map(lambda x: x[..., ::-1])
Dataset.range(24).batch(4).batch(2).map(lambda x: x[-1, None])
Dataset.range(24).batch(4).map(lambda x: ops.gather(x, [3, 0]))
Dataset.range(24).batch(4).map(lambda x: ops.shape(x))
Dataset.range(24).batch(4).map(lambda x: ops.size(x))
Dataset.range(10).map(lambda x: ops.math.log1p(ops.cast(x, ops.float64)))
Dataset.range(10).map(lambda x: ops.sqrt(ops.cast(x, ops.float32)))
Dataset.range(10).map(lambda x: ops.round(ops.cast(x, ops.float32) / 4.0))
Dataset.range(10).map(lambda x: ops.floor(ops.cast(x, ops.float32) / 4.0))
Dataset.range(10).map(lambda x: (x > 3) & (x < 8) | (x == 9))
Dataset.range(10).map(lambda x: ~(x > 3))
Dataset.range(10).map(lambda x: ops.equal(x, 3))
Dataset.range(10).map(lambda x: ops.gather(table, x))
Dataset.range(3).map(lambda x: (1, 2.5, True, "a", [1, 2]))
Dataset.range(5).map(lambda x: {"b": x, "a": (x, x + 1)})
Dataset.from_generator(lambda: iter([1, 2, 3]), output_signature=ops.TensorSpec([], ops.int64))
Dataset.range(10).skip(3).take(4).repeat(2).prefetch(1)
Dataset.range(10).repeat(0)
Dataset.range(10).apply(lambda d: d.filter(lambda x: x > 5))
"""

FILES = """
Dataset.list_files(folder + "/*.txt", shuffle=False).map(lambda p: ops.io.read_file(p))
Dataset.list_files(folder + "/*.txt", shuffle=False).interleave(lines, cycle_length=2)
Dataset.list_files(folder + "/*.txt", shuffle=False).map(lambda p: ops.strings.regex_replace(p, ".*/", ""))
lines([folder + "/b.txt", folder + "/a.txt"])
lines(folder + "/a.txt").map(lambda s: ops.strings.length(s))
records(folder + "/a.tfrecord").map(lambda r: ops.io.parse_single_example(r, {"n": ops.io.FixedLenFeature([], ops.int64), "x": ops.io.FixedLenFeature([2], ops.float32)}))
records(folder + "/a.tfrecord").batch(4).map(lambda r: ops.io.parse_example(r, {"n": ops.io.FixedLenFeature([], ops.int64), "m": ops.io.FixedLenFeature([], ops.int64, default_value=9)}))
records(folder + "/a.tfrecord").shuffle(3, seed=9).batch(2).repeat(2)
records([folder + "/a.tfrecord", folder + "/a.tfrecord"]).shard(4, 1)
Dataset.range(7).map(lambda x: x * x).snapshot(folder + "/" + run + "-snapshot")
Dataset.range(7).batch(3).snapshot(folder + "/" + run + "-snapshots").unbatch().repeat(2)
Dataset.range(7).cache(folder + "/" + run + "-cache").repeat(2)
saved(Dataset.range(7).map(lambda x: (x, ops.cast(x, ops.float32) / 2.0)), folder + "/" + run + "-saved")
saved(Dataset.range(0), folder + "/" + run + "-saved-nothing")
"""

WINDOWS = """
Dataset.range(7).window(3).flat_map(lambda w: w.batch(3))
Dataset.range(7).window(3, drop_remainder=True).flat_map(lambda w: w.batch(3))
Dataset.range(7).window(3, 1).flat_map(lambda w: w.batch(3))
Dataset.range(7).window(3, 1, 2, True).flat_map(lambda w: w.batch(3))
Dataset.range(10).window(2, 3).flat_map(lambda w: w)
Dataset.range(10).window(3, shift=2, stride=4).flat_map(lambda w: w.batch(5))
Dataset.range(6).window(2).flat_map(lambda w: w.map(lambda x: x * 2).concatenate(w))
Dataset.range(6).window(4, 2).interleave(lambda w: w.repeat(2), cycle_length=2, block_length=3)
Dataset.from_tensor_slices({"a": [1, 2, 3, 4], "b": [5, 6, 7, 8]}).window(2).flat_map(lambda w: Dataset.zip((w["a"], w["b"])))
Dataset.zip((Dataset.range(5), Dataset.range(5, 10))).window(2).flat_map(lambda a, b: Dataset.zip((a.batch(2), b.skip(1).batch(2))))
Dataset.range(0).window(3).flat_map(lambda w: w)
Dataset.range(12).group_by_window(key_func=lambda x: x % 3, reduce_func=lambda key, w: w.batch(2), window_size=2)
Dataset.range(12).group_by_window(key_func=lambda x: x % 2, reduce_func=lambda key, w: w.map(lambda x: x * 10 + key), window_size=4)
Dataset.range(12).group_by_window(key_func=lambda x: x % 2, reduce_func=lambda key, w: w.batch(5), window_size_func=lambda key: key + 2)
Dataset.range(5).group_by_window(key_func=lambda x: x * 0, reduce_func=lambda key, w: w.batch(100), window_size=100)
Dataset.range(12).shuffle(5, seed=3).group_by_window(key_func=lambda x: x // 5, reduce_func=lambda key, w: w.batch(3), window_size=3)
Dataset.range(1, 9).map(lambda x: ops.range(x)).bucket_by_sequence_length(lambda x: ops.shape(x)[0], [3, 5], [2, 2, 2])
Dataset.range(1, 9).map(lambda x: ops.range(x)).bucket_by_sequence_length(lambda x: ops.shape(x)[0], [3, 5], [2, 3, 1], drop_remainder=True)
Dataset.range(1, 9).map(lambda x: ops.range(x)).bucket_by_sequence_length(lambda x: ops.shape(x)[0], [4], [3, 3], padding_values=np.int64(-1))
Dataset.range(1, 6).map(lambda x: ops.range(x)).bucket_by_sequence_length(lambda x: ops.shape(x)[0], [3, 7], [2, 2, 2], pad_to_bucket_boundary=True)
"""

BATCHES = """
Dataset.range(1, 6).map(lambda x: ops.range(x)).padded_batch(2)
Dataset.range(1, 6).map(lambda x: ops.range(x)).padded_batch(2, padded_shapes=[6])
Dataset.range(1, 6).map(lambda x: ops.range(x)).padded_batch(3, padded_shapes=[None], padding_values=np.int64(-1), drop_remainder=True)
Dataset.range(1, 6).map(lambda x: ops.range(x)).padded_batch(2, padded_shapes=[3])
Dataset.range(1, 5).map(lambda x: (ops.range(x), x)).padded_batch(3, padded_shapes=([None], []))
Dataset.range(1, 5).map(lambda x: {"a": ops.fill([x, 2], x), "b": x}).padded_batch(2, padded_shapes={"a": [None, None], "b": []})
Dataset.range(4).padded_batch(3)
Dataset.from_tensor_slices(["a", "bc"]).map(lambda s: ops.strings.bytes_split(s)).padded_batch(2, padding_values="-")
Dataset.range(10).batch(4).rebatch(3)
Dataset.range(10).batch(4).rebatch(3, drop_remainder=True)
Dataset.range(10).batch(2).rebatch([1, 3, 2])
Dataset.range(10).batch(3).rebatch([2, 0, 3])
Dataset.range(10).batch(3).rebatch([4, 1], drop_remainder=True)
Dataset.range(3).batch(5).rebatch(2)
Dataset.range(1, 5).map(lambda x: ops.range(x)).ragged_batch(2).map(lambda r: r.to_tensor())
Dataset.range(1, 5).map(lambda x: ops.range(x)).ragged_batch(3, drop_remainder=True).map(lambda r: r.row_lengths())
Dataset.range(1, 5).map(lambda x: ops.range(x)).ragged_batch(3).map(lambda r: r.flat_values)
Dataset.range(4).ragged_batch(3)
Dataset.range(10).batch(3).unbatch().batch(4)
Dataset.range(8).batch(2).map(lambda x: (x, x + 1)).unbatch()
Dataset.from_tensors(([1, 2], [3.0, 4.0])).unbatch()
Dataset.range(3).batch(0)
"""

FOLDS = """
Dataset.range(8).scan(np.int64(0), lambda state, x: (state + x, state))
Dataset.range(8).scan((np.int64(0), np.int64(1)), lambda s, x: ((s[1], s[0] + s[1]), s[0]))
Dataset.range(5).scan(1.5, lambda state, x: (state * 2.0, (state, x)))
Dataset.range(4).repeat(2).scan(np.int64(10), lambda s, x: (s - x, s * x)).batch(3)
Dataset.range(20).take_while(lambda x: x < 7)
Dataset.range(20).take_while(lambda x: x % 5 < 4).repeat(2)
Dataset.range(5).take_while(lambda x: x > 0)
Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique()
Dataset.from_tensor_slices(["a", "b", "a", "", "b", ""]).unique()
Dataset.range(12).map(lambda x: x % 5).unique().repeat(2)
Dataset.from_tensor_slices([[1, 2], [1, 2], [2, 1]]).map(lambda x: x[0]).unique()
Dataset.from_tensors(Dataset.range(6).reduce(np.int64(0), lambda s, x: s + x))
Dataset.from_tensors(Dataset.range(6).reduce((np.int64(0), 1.0), lambda s, x: (s[0] + x, s[1] * 2.0)))
Dataset.from_tensors(Dataset.from_tensors(5).get_single_element())
"""

CHOICES = """
Dataset.choose_from_datasets([Dataset.range(5), Dataset.range(10, 15), Dataset.range(20, 25)], Dataset.range(3).repeat(4))
Dataset.choose_from_datasets([Dataset.range(2), Dataset.range(10, 15)], Dataset.range(2).repeat(4), stop_on_empty_dataset=False)
Dataset.choose_from_datasets([Dataset.range(2), Dataset.range(10, 15)], Dataset.range(2).repeat(4), stop_on_empty_dataset=True)
Dataset.choose_from_datasets([Dataset.range(3), Dataset.range(10, 12)], Dataset.from_tensor_slices([0, 1, 1, 0]).map(lambda x: ops.cast(x, ops.int64)))
Dataset.sample_from_datasets([Dataset.range(10), Dataset.range(100, 110)], seed=3)
Dataset.sample_from_datasets([Dataset.range(10), Dataset.range(100, 110)], weights=[0.8, 0.2], seed=4, stop_on_empty_dataset=True)
Dataset.sample_from_datasets([Dataset.range(3), Dataset.range(100, 110)], weights=[0.5, 0.5], seed=5, stop_on_empty_dataset=False)
Dataset.sample_from_datasets([Dataset.range(6), Dataset.range(10, 16), Dataset.range(20, 26)], weights=[0.2, 0.3, 0.5], seed=6)
Dataset.sample_from_datasets([Dataset.range(6), Dataset.range(10, 16)], weights=[1.0, 0.0], seed=7)
Dataset.sample_from_datasets([Dataset.range(4).repeat(), Dataset.range(10, 14).repeat()], weights=[0.5, 0.5], seed=8)
Dataset.random(seed=4).take(8)
Dataset.random(seed=4, rerandomize_each_iteration=False).take(5)
Dataset.counter().take(5)
Dataset.counter(5, -2).take(4)
Dataset.counter(1, 3, dtype=ops.int32).take(4)
"""

OPERATIONS = """
Dataset.from_tensor_slices([" a b ", "c", "", "d  e"]).map(lambda s: ops.strings.strip(s))
Dataset.from_tensor_slices(["a,b", "c", ",", ""]).map(lambda s: ops.strings.split(s, ","))
Dataset.from_tensor_slices(["a b", " c  d ", ""]).map(lambda s: ops.strings.split(s))
Dataset.from_tensor_slices(["a b c", " c  d ", "", "e f"]).map(lambda s: ops.strings.split(s, maxsplit=1))
Dataset.from_tensor_slices(["a b c", "d"]).batch(2).map(lambda s: ops.strings.split(s).to_tensor())
Dataset.from_tensor_slices(["aB1", "ZZ"]).map(lambda s: (ops.strings.lower(s), ops.strings.upper(s)))
Dataset.from_tensor_slices(["a1b22", "333", "x"]).map(lambda s: ops.strings.regex_replace(s, "[0-9]+", "<\\\\0>"))
Dataset.from_tensor_slices(["a1b22", "333", "x"]).map(lambda s: ops.strings.regex_replace(s, "[0-9]", "#", replace_global=False))
Dataset.from_tensor_slices(["word1", "word", "1word"]).map(lambda s: ops.strings.regex_full_match(s, "word1?"))
Dataset.from_tensor_slices(["1.5", " 2 ", "-3e2", "nan"]).map(lambda s: ops.strings.to_number(s))
Dataset.from_tensor_slices(["1", "-7", "2147483647"]).map(lambda s: ops.strings.to_number(s, ops.int32))
Dataset.from_tensor_slices(["x"]).map(lambda s: ops.strings.to_number(s))
Dataset.range(5).map(lambda x: ops.strings.as_string(x * 11))
Dataset.range(9).batch(8).map(lambda x: ops.strings.format("{} and {}", (x, ops.cast(x, ops.float32) / 3), summarize=1))
Dataset.from_tensor_slices(["ab", "abc"]).map(lambda s: ops.strings.substr(s, 1, 1))
Dataset.from_tensor_slices(["ab", "a"]).map(lambda s: ops.strings.substr(s, 2, 1))
Dataset.from_tensor_slices(["ab", "c"]).map(lambda s: ops.strings.join([s, s], "-"))
Dataset.from_tensor_slices(["ab", "c", ""]).map(lambda s: ops.strings.to_hash_bucket_fast(s, 100))
Dataset.from_tensor_slices(["1,2.5,x", "3,,\\"y,z\\""]).map(lambda s: tuple(ops.io.decode_csv(s, [[0], [7.5], ["-"]])))
Dataset.from_tensor_slices(["1,2", "1"]).map(lambda s: tuple(ops.io.decode_csv(s, [[0], [0]])))
Dataset.from_tensor_slices(["YWI", "Yw"]).map(lambda s: ops.io.decode_base64(s))
Dataset.range(3).map(lambda x: ops.io.parse_tensor(ops.io.serialize_tensor(ops.stack([x, x])), ops.int64))
Dataset.range(6).map(lambda x: ops.cond(x % 2 == 0, lambda: x * 10, lambda: -x))
Dataset.range(4).map(lambda x: ops.switch_case(ops.cast(x, ops.int32), [lambda: x, lambda: x * 10, lambda: x * 100]))
Dataset.range(5).map(lambda x: ops.while_loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), [np.int64(0), np.int64(0)], maximum_iterations=9)[1])
Dataset.range(4).map(lambda x: ops.map_fn(lambda y: y * x, ops.range(3, dtype=ops.int64)))
Dataset.range(1, 5).map(lambda x: ops.sort(ops.stack([x * 3 % 5, x, x * 7 % 4])))
Dataset.range(1, 5).map(lambda x: ops.argsort(ops.stack([x * 3 % 5, x, x * 7 % 4])))
Dataset.range(1, 5).map(lambda x: ops.math.top_k(ops.stack([x * 3 % 5, x, x * 7 % 4]), 2)[0])
Dataset.range(1, 5).map(lambda x: ops.cumsum(ops.range(x)))
Dataset.range(1, 5).map(lambda x: ops.cumsum(ops.range(x), exclusive=True, reverse=True))
Dataset.range(4).map(lambda x: ops.pad(ops.stack([x, x]), [[1, 2]]))
Dataset.range(4).map(lambda x: ops.tile(ops.stack([x, x + 1]), [2]))
Dataset.range(4).map(lambda x: ops.repeat(ops.stack([x, x + 1]), [1, 2]))
Dataset.range(4).map(lambda x: ops.reverse(ops.stack([x, x + 1]), [0]))
Dataset.range(4).map(lambda x: ops.roll(ops.stack([x, x + 1, x + 2]), 1, 0))
Dataset.range(4).map(lambda x: ops.fill([2, x], x))
Dataset.range(4).map(lambda x: ops.range(x, 10, 3))
Dataset.range(4).map(lambda x: ops.boolean_mask(ops.stack([x, x + 1, x + 2]), ops.stack([x > 1, x > 2, x > 0])))
Dataset.range(4).map(lambda x: ops.unique(ops.stack([x % 2, x % 3, x % 2]))[0])
Dataset.range(4).map(lambda x: ops.searchsorted(np.array([1, 2, 4]), ops.stack([x, x + 2])))
Dataset.range(4).map(lambda x: ops.einsum("ij,j->i", ops.reshape(ops.range(x, x + 4), [2, 2]), ops.stack([x, x])))
Dataset.range(4).map(lambda x: ops.matmul(ops.reshape(ops.range(x, x + 4), [2, 2]), ops.reshape(ops.range(x, x + 4), [2, 2])))
Dataset.range(4).map(lambda x: ops.bitwise.bitwise_xor(x, x + 3))
Dataset.range(6).map(lambda x: ops.math.floormod(x, 4) + ops.math.floordiv(x, 4))
Dataset.range(6).map(lambda x: ops.reduce_any(ops.stack([x > 3, x == 0])))
Dataset.range(6).map(lambda x: ops.reduce_prod(ops.stack([x, x + 1, x + 2])))
Dataset.range(5).map(lambda x: ops.debugging.check_numerics(1.0 / ops.cast(x, ops.float32), "no"))
"""

VALUES = """
Dataset.from_tensors(ops.ragged.constant([[1, 2], [], [3]]))
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]]))
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).batch(2).unbatch().batch(3)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).shuffle(3, seed=1).batch(3)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).shuffle(2, seed=5).repeat(2).batch(4)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).filter(lambda x: ops.size(x) > 0).batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).skip(1).take(1).batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).map(lambda x: ops.reduce_sum(x)).batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).map(lambda x: x + 1).batch(1)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).map(lambda x: x + 1).batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).concatenate(Dataset.from_tensor_slices(ops.ragged.constant([[4]]))).batch(4)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).window(2).flat_map(lambda w: w.batch(2))
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).batch(3).rebatch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).padded_batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).ragged_batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).cache().repeat(2).batch(5, drop_remainder=True)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).unbatch()
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).enumerate().batch(2)
Dataset.from_tensor_slices((ops.ragged.constant([[1, 2], [], [3]]), [7, 8, 9])).shuffle(3, seed=2).batch(2)
Dataset.from_tensor_slices((ops.ragged.constant([[1, 2], [], [3]]), [7, 8]))
Dataset.from_tensor_slices({"r": ops.ragged.constant([["a", "b"], [], ["c"]])}).batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[1, 2], [], [3]])).group_by_window(key_func=lambda x: ops.cast(ops.size(x) % 2, ops.int64), reduce_func=lambda k, w: w.batch(2), window_size=2)
Dataset.from_tensor_slices(ops.ragged.constant([[[1, 2], []], [], [[3]]]))
Dataset.from_tensor_slices(ops.ragged.constant([[[1, 2], []], [], [[3]]])).batch(2)
Dataset.from_tensors(ops.ragged.constant([[[1, 2], []], [], [[3]]])).unbatch().unbatch().batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[[1, 2], []], [], [[3]]])).shuffle(3, seed=3).unbatch().batch(3)
Dataset.from_tensor_slices(ops.ragged.constant([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)).batch(2)
Dataset.from_tensor_slices(ops.ragged.constant([[[1, 2], []], [], [[3]]])).map(lambda x: x.to_tensor(-1))
Dataset.from_tensor_slices(ops.ragged.constant([[[1, 2], []], [], [[3]]])).map(lambda x: x.to_sparse()).batch(3)
Dataset.from_tensors(ops.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4]))
Dataset.from_tensor_slices(ops.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4]))
Dataset.from_tensor_slices(ops.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4])).batch(2)
Dataset.from_tensor_slices(ops.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4])).shuffle(3, seed=1).repeat(2).batch(4)
Dataset.from_tensor_slices(ops.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4])).map(lambda x: ops.sparse.to_dense(x))
Dataset.from_tensor_slices((ops.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4]), ["a", "b", "c"])).skip(1).batch(2)
Dataset.from_tensors(ops.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4])).unbatch().filter(lambda x: ops.size(x.values) > 0).batch(2)
Dataset.from_tensor_slices(ops.SparseTensor([[2, 1], [0, 0]], [5, 6], [3, 4]))
Dataset.from_tensor_slices(ops.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4])).window(2).flat_map(lambda w: w.batch(2))
records(folder + "/a.tfrecord").map(lambda r: ops.io.parse_single_example(r, {"t": ops.io.VarLenFeature(ops.int64)}))
records(folder + "/a.tfrecord").map(lambda r: ops.io.parse_single_example(r, {"n": ops.io.FixedLenFeature([], ops.int64), "t": ops.io.VarLenFeature(ops.int64)})).batch(4)
records(folder + "/a.tfrecord").map(lambda r: ops.io.parse_single_example(r, {"t": ops.io.VarLenFeature(ops.int64)})["t"]).batch(3).unbatch().batch(4)
records(folder + "/a.tfrecord").batch(4).map(lambda r: ops.io.parse_example(r, {"t": ops.io.VarLenFeature(ops.int64), "x": ops.io.VarLenFeature(ops.float32)}))
records(folder + "/a.tfrecord").batch(4).map(lambda r: ops.io.parse_example(r, {"t": ops.io.RaggedFeature(ops.int64)}))
records(folder + "/a.tfrecord").batch(4).map(lambda r: ops.sparse.to_dense(ops.io.parse_example(r, {"t": ops.io.VarLenFeature(ops.int64)})["t"], default_value=-1))
records(folder + "/a.tfrecord").map(lambda r: ops.sparse.to_dense(ops.io.parse_single_example(r, {"t": ops.io.VarLenFeature(ops.int64)})["t"])).padded_batch(4)
records(folder + "/a.tfrecord").map(lambda r: ops.io.parse_single_example(r, {"t": ops.io.VarLenFeature(ops.int64)})["t"].values)
records(folder + "/a.tfrecord").map(lambda r: ops.io.parse_single_example(r, {"absent": ops.io.VarLenFeature(ops.string)})).batch(4)
saved(Dataset.from_tensor_slices(ops.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4])), folder + "/" + run + "-saved-sparse")
saved(Dataset.from_tensor_slices(ops.ragged.constant([[[1, 2], []], [], [[3]]])), folder + "/" + run + "-saved-ragged")
"""

CAPTURES = """
Dataset.range(4).flat_map(lambda x: Dataset.range(3).filter(lambda y: y != x))
Dataset.range(4).flat_map(lambda x: Dataset.range(3).map(lambda y: (x, {"both": x * y})))
Dataset.range(3).flat_map(lambda x: Dataset.range(2).flat_map(lambda y: Dataset.range(2).map(lambda z: 100 * x + 10 * y + z)))
Dataset.range(3).interleave(lambda x: Dataset.range(2).interleave(lambda y: Dataset.from_tensors(x + y).repeat(x), cycle_length=2), cycle_length=2)
Dataset.range(3).flat_map(lambda x: Dataset.range(5).take(x).concatenate(Dataset.range(2).map(lambda y: y - x)))
Dataset.range(3).flat_map(lambda x: Dataset.range(4).scan(x, lambda s, y: (s + y, s * x)))
Dataset.range(3).flat_map(lambda x: Dataset.range(6).take_while(lambda y: y < x * 2))
Dataset.range(3).flat_map(lambda x: Dataset.range(6).window(2).flat_map(lambda w: w.map(lambda y: y * x)))
Dataset.range(3).flat_map(lambda x: Dataset.range(6).group_by_window(lambda y: (x + y) % 2, lambda k, w: w.map(lambda y: k * 100 + x * 10 + y).batch(2), window_size=2))
Dataset.range(4).map(lambda x: Dataset.range(3).reduce(np.int64(0), lambda s, y: s + x * y))
Dataset.range(4).map(lambda x: Dataset.range(3).map(lambda y: y + x).reduce(x, lambda s, y: s + y))
Dataset.range(4).filter(lambda x: Dataset.range(3).reduce(np.int64(0), lambda s, y: s + x * y) > 3)
Dataset.range(4).flat_map(lambda x: Dataset.from_tensors(ops.cond(x > 1, lambda: x, lambda: -x)).map(lambda y: ops.cond(y > 0, lambda: x + y, lambda: x)))
Dataset.range(4).map(lambda x: ops.map_fn(lambda y: y + x, ops.stack([x, x * 2])))
Dataset.range(3).map(lambda x: ops.while_loop(lambda i: i < x, lambda i: (i + 1 + x,), (np.int64(-3),), maximum_iterations=9)[0])
Dataset.zip((Dataset.range(3), Dataset.range(3, 6))).flat_map(lambda a, b: Dataset.range(a).map(lambda y: (b, y)))
"""

INDICES = """
Dataset.range(12).batch(6).map(lambda x: x[:x[1]])
Dataset.range(5).map(lambda i: ops.range(10)[i:i + 2])
Dataset.range(12).map(lambda i: ops.range(10)[i - 3:i + 2])
Dataset.range(-12, 12).map(lambda i: ops.range(4)[i:])
Dataset.range(-12, 12).map(lambda i: ops.range(4)[:i])
Dataset.range(-6, 6).map(lambda i: ops.range(4)[i::-1])
Dataset.range(-6, 6).map(lambda i: ops.range(4)[:i:-1])
Dataset.range(-6, 6).map(lambda i: ops.range(9)[i::2])
Dataset.range(1, 5).map(lambda i: ops.range(9)[::i])
Dataset.range(-4, 0).map(lambda i: ops.range(9)[7:1:i])
Dataset.range(-4, 4).map(lambda i: ops.range(4)[i])
Dataset.range(4, 6).map(lambda i: ops.range(4)[i])
Dataset.range(-6, -4).map(lambda i: ops.range(4)[i])
Dataset.range(3).map(lambda i: ops.reshape(ops.range(12), [3, 4])[:, i])
Dataset.range(3).map(lambda i: ops.reshape(ops.range(12), [3, 4])[i, i])
Dataset.range(3).map(lambda i: ops.reshape(ops.range(12), [3, 4])[i, i:])
Dataset.range(3).map(lambda i: ops.reshape(ops.range(24), [2, 3, 4])[..., i])
Dataset.range(3).map(lambda i: ops.reshape(ops.range(24), [2, 3, 4])[1, ..., i, None])
Dataset.range(3).map(lambda i: ops.reshape(ops.range(24), [2, 3, 4])[None, :, i:i + 1, ::-1])
Dataset.range(2).map(lambda i: ops.reshape(ops.range(24), [2, 3, 4])[i, i:i + 2, i:i + 2])
Dataset.range(6).batch(3).map(lambda x: x[..., None])
Dataset.range(6).batch(3).map(lambda x: x[::-1])
Dataset.range(6).batch(3).map(lambda x: x[x > 1])
Dataset.range(6).batch(3).map(lambda x: x[np.array([True, False, True])])
Dataset.range(6).batch(3).map(lambda x: x[[0, 2]])
Dataset.range(6).batch(3).map(lambda x: x[1.5])
Dataset.range(6).batch(3).map(lambda x: x[ops.cast(x[0], ops.float32)])
Dataset.range(5).map(lambda i: ops.range(10)[ops.cast(i, ops.int32):7])
Dataset.from_tensor_slices(["a", "b"]).map(lambda s: s + "x")
Dataset.from_tensor_slices(["a", "b"]).map(lambda s: "x" + s + s)
Dataset.from_tensor_slices(["a", "b"]).batch(2).map(lambda s: s + ["x", "yz"])
Dataset.from_tensor_slices(["a", "b"]).batch(2).map(lambda s: ops.add("/", s))
Dataset.from_tensor_slices(["a", "b"]).map(lambda s: s + 1)
"""

CHAINS = [
    line
    for part in (GENERAL, FILES, WINDOWS, BATCHES, FOLDS, CHOICES, OPERATIONS, VALUES, CAPTURES, INDICES, CONSTANTS, ARGUMENTS, COMPUTED)
    for line in part.splitlines()
    if line
]


def random_chain(draw: random.Random) -> str:
    """A chain of steps on numbers; every step keeps the elements int64 scalars."""
    number = draw.randint
    key = lambda: f"lambda x: x % {number(1, 4)}"  # noqa: E731
    steps = [
        lambda: f".map(lambda x: x * {number(-3, 3)} + {number(-9, 9)})",
        lambda: f".map(lambda x: (x {draw.choice(['//', '%'])} {draw.choice([-3, -2, 2, 3, 5])}))",
        lambda: f".map(lambda x: ops.where(x > {number(-5, 9)}, x, x - {number(1, 9)}))",
        lambda: f".map(lambda x: ops.cond(x % 2 == 0, lambda: x + {number(1, 9)}, lambda: x * {number(2, 4)}))",
        lambda: f".filter(lambda x: x % {number(1, 4)} == 0)",
        lambda: f".shuffle({number(1, 12)}, seed={number(0, 99)}, reshuffle_each_iteration={draw.random() < 0.7})",
        lambda: f".repeat({number(1, 3)})",
        lambda: f".take({number(-1, 15)})",
        lambda: f".skip({number(0, 5)})",
        lambda: f".shard({number(1, 3)}, 0)",
        lambda: f".batch({number(1, 5)}, drop_remainder={draw.random() < 0.5}).unbatch()",
        lambda: f".batch({number(1, 5)}).map(lambda x: ops.reduce_sum(x))",
        lambda: f".batch({number(1, 4)}).rebatch({number(1, 5)}, drop_remainder={draw.random() < 0.5}).unbatch()",
        lambda: f".window({number(1, 4)}, {number(1, 4)}, {number(1, 3)}, {draw.random() < 0.5}).flat_map(lambda w: w)",
        lambda: (
            f".group_by_window(key_func={key()}, reduce_func=lambda k, w: w.map(lambda x: x + k), "
            f"window_size={number(1, 4)})"
        ),
        lambda: f".scan(np.int64({number(0, 9)}), lambda s, x: ((s + x) % 100, s))",
        lambda: f".take_while(lambda x: x % 10 != {number(0, 9)})",
        lambda: ".unique()",
        lambda: ".cache()",
        lambda: f".prefetch({number(0, 3)})",
        lambda: f".concatenate(Dataset.range({number(0, 5)}))",
        lambda: f".enumerate().map(lambda i, x: i * {number(1, 3)} + x)",
        lambda: f".flat_map(lambda x: Dataset.range({number(0, 3)}).map(lambda y: x + y))",
        lambda: (
            f".interleave(lambda x: Dataset.from_tensors(x).repeat({number(0, 4)}), "
            f"cycle_length={number(1, 5)}, block_length={number(1, 3)})"
        ),
    ]
    return f"Dataset.range({number(0, 20)})" + "".join(draw.choice(steps)() for _ in range(number(1, 7)))


def plain(element: object) -> object:
    """An element as what JSON has: a tensor is its type, its shape and its values; an int64 alone is a number."""
    if hasattr(element, "dense_shape"):
        return {"sparse": [plain(element.indices), plain(element.values), np.asarray(element.dense_shape).tolist()]}
    if hasattr(element, "nested_row_splits"):
        splits = [np.asarray(splits).tolist() for splits in element.nested_row_splits]
        return {"ragged": [plain(element.flat_values), splits]}
    if hasattr(element, "numpy"):
        return plain(element.numpy())
    if isinstance(element, tuple):
        return {"tuple": [plain(part) for part in element]}
    if isinstance(element, dict):
        return {"dict": {key: plain(part) for key, part in sorted(element.items())}}
    if isinstance(element, bytes):
        return {"bytes": element.decode("latin-1")}
    array = np.asarray(element)
    if array.dtype == np.int64 and array.shape == ():
        return int(array)
    if array.dtype == object:
        return ["string", list(array.shape), [value.decode("latin-1") for value in array.ravel()]]
    if array.dtype.kind == "f":
        # The shortest that reads back the same, also for what is no number.
        return [str(array.dtype), list(array.shape), [repr(float(value)) for value in array.ravel()]]
    return [str(array.dtype), list(array.shape), array.ravel().tolist()]


def outcome(text: str, names: dict[str, object]) -> list[object] | str:
    """The first elements of two iterations, or that the chain is an error and of which kind."""
    # With a repeat behind a shuffle, but not next to it, tf.data's second iteration leaves out an order (COMPARE.md).
    iterations = 1 if ".repeat(" in text and ".shuffle(" in text else 2
    try:
        dataset = eval(text, names)
        return [[plain(e) for _, e in zip(range(LIMIT), dataset)] for _ in range(iterations)]
    except Exception as error:  # whichever: whose class it is differs, that there is one must not
        return f"error: {type(error).__name__}: {str(error)[:200]}"


RECORDS = [{"n": [n], "x": [n / 2, n / 3], "t": [n] * (n % 3)} for n in range(10)]
"""The examples in `a.tfrecord`: integers and floats, and a list of any length."""


def write_texts(folder: str) -> None:
    """The files of lines that chains read."""
    for name in "ab":
        with open(f"{folder}/{name}.txt", "w") as file:
            file.write(f"{name}1\n{name}2\n{name}3")


def names(ops: Any, data: Any, folder: str, run: str) -> dict[str, object]:
    """What chains are written with: `ops` is TensorFlow or feedline, `data` what has their datasets, `run` keeps files apart."""

    def saved(dataset: Any, path: str) -> Any:
        dataset.save(path)
        return data.Dataset.load(path)

    return {
        "np": np,
        "ops": ops,
        "Dataset": data.Dataset,
        "lines": data.TextLineDataset,
        "records": data.TFRecordDataset,
        "saved": saved,
        "table": np.arange(10) * 3,
        "folder": folder,
        "run": run,
    }
