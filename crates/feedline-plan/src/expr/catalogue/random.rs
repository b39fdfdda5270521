//! Random values, each a function of the seed, the place in the plan and the element: `fl.random` in Python.

use super::Operation;

catalogue! {
    "";
    /// Random values. All of them are in [`ops`](crate::ops), too.
    functions {}

    /// Random floats of one shape with a normal distribution. Which, is a function of the seed and the element alone: the same whatever the
    /// number of threads, also after a resume.
    ///
    /// ```python
    /// >>> values = [float(x) for x in fl.Dataset.range(1000).map(lambda x: fl.random.normal([], 10.0, 2.0, seed=1))]
    /// >>> 9.8 < sum(values) / 1000 < 10.2
    /// True
    /// ```
    random_normal(shape: Shape, mean: Float = 0.0, stddev: Float = 1.0, dtype: DType = DType::Float32, seed: Int)
        "tf.random.normal (other values)", infer::random_normal, Light, is_random;
    /// As `random_normal`, but what is more than two deviations from the mean is drawn again.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.range(1000).map(lambda x: fl.random.truncated_normal([], 10.0, 2.0, seed=1))
    /// >>> all(6 <= x <= 14 for x in ds)
    /// True
    /// ```
    random_truncated_normal(shape: Shape, mean: Float = 0.0, stddev: Float = 1.0, dtype: DType = DType::Float32, seed: Int)
        "tf.random.truncated_normal (other values)", infer::random_normal, Light, is_random;
    /// Random integers of one shape, from `minval` to before `maxval`, each as likely as the others. Where there are none, it is an error of
    /// its element.
    ///
    /// ```python
    /// >>> dice = fl.Dataset.range(100).map(lambda x: fl.random.uniform([], 1, 7, fl.int32, seed=3))
    /// >>> sorted({int(x) for x in dice})
    /// [1, 2, 3, 4, 5, 6]
    /// ```
    random_integers(minval: Tensor, maxval: Tensor, shape: Shape, seed: Int)
        "tf.random.uniform (other values)", infer::random_integers, Light, can_fail, is_random;
    /// The entries of the first dimension in a random order.
    ///
    /// ```python
    /// >>> ds = fl.Dataset.range(2).map(lambda x: fl.random.shuffle([1, 2, 3, 4], seed=1))
    /// >>> [sorted(x.tolist()) for x in ds]
    /// [[1, 2, 3, 4], [1, 2, 3, 4]]
    /// ```
    random_shuffle(value: Tensor, seed: Int) "tf.random.shuffle (another order)", infer::random_shuffle, Light, can_fail, is_random;
    /// Random classes: of each row of `logits`, the logarithms of what the probabilities of its classes are in proportion to, `num_samples`.
    ///
    /// ```python
    /// >>> likely = fl.Dataset.range(1).map(lambda x: fl.random.categorical([[0.0, -100.0]], 5, seed=1))
    /// >>> likely.get_single_element()
    /// array([[0, 0, 0, 0, 0]])
    /// ```
    random_categorical(logits: Tensor, num_samples: Int, dtype: DType = DType::Int64, seed: Int)
        "tf.random.categorical (other values)", infer::random_categorical, Light, can_fail, is_random;
}
