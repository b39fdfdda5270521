"""Datasets: where elements come from and what is done to them, with tf.data's names, arguments and results."""

from __future__ import annotations

import functools
import itertools
import os
import reprlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from . import _native, _tracing
from ._arguments import (
    AUTOTUNE,
    PathLike,
    Values,
    count_of,
    naming,
    of_element,
    parallel_calls,
    paths_of,
    positive,
    spec_of_result,
    whole,
)
from ._batching import Batching
from ._checking import checks_arguments, known_values
from ._choosing import Choosing
from ._convert import plain_array, table_columns
from ._dtypes import DTypeLike, as_dtype
from ._errors import ArgumentError, ArgumentTypeError, FeedlineError, SchemaError, TraceError
from ._folding import Folding
from ._form import called, called_with, form_of, form_with, plain, shaped
from ._grouping import Grouping
from ._identity import function_label
from ._iterator import DatasetIterator
from ._options import Options
from ._progress import bar
from ._spec import DTypes, SpecLike, TensorSpec, spec_of
from ._structure import filled, leaves_of

if TYPE_CHECKING:
    from ._image_folder import ImageFolder

__all__ = ["INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]

INFINITE_CARDINALITY: Final = -1
UNKNOWN_CARDINALITY: Final = -2


@checks_arguments
class Dataset(Batching, Choosing, Folding, Grouping):
    """A data set: a plan of where elements come from and what is done to them. Making one does no work; iterating does.

    Methods are tf.data's. Each returns a new dataset; a mistake raises at the line it is made on.

    >>> import feedline as fl
    >>> ds = fl.Dataset.range(10).map(lambda x: x * 2).shuffle(10, seed=42).batch(4)
    >>> for batch in ds:
    ...     print(batch)
    [10 18 12  8]
    [14  2  4 16]
    [6 0]
    """

    def __init__(self, native: _native.Dataset) -> None:
        self._inner = native

    # Sources.

    @staticmethod
    def range(*args: Any, output_type: DTypeLike = "int64", name: str | None = None) -> Dataset:
        """The numbers of Python's ``range(*args)``, as int64.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(1, 10, 3)]
        [1, 4, 7]
        """
        if not 1 <= len(args) <= 3:
            raise ArgumentError(f"range takes 1 to 3 numbers (stop; start, stop; start, stop, step), not {len(args)}")
        given = [
            number if isinstance(number, _native.Tensor) else whole("range", argument, number)
            for argument, number in zip(("stop",) if len(args) == 1 else ("start", "stop", "step"), args, strict=False)
        ]
        start, stop, step = (0, given[0], 1) if len(given) == 1 else (*given, 1)[:3]
        numbers = Dataset(_native.Dataset.range(start, stop, step))
        if output_type == "int64":
            return numbers
        from . import _ops

        return numbers.map(lambda x: _ops.cast(x, output_type))

    @staticmethod
    def counter(start: float = 0, step: float = 1, dtype: DTypeLike = "int64", name: str | None = None) -> Dataset:
        """The numbers from ``start`` by ``step``, without end. With a ``dtype`` of floats they may be fractions.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.counter(5, -2).take(3)]
        [5, 3, 1]
        """
        if as_dtype(dtype).is_floating:
            from . import _ops

            for name, value in (("start", start), ("step", step)):
                if not isinstance(value, float):
                    whole("counter", name, value)

            # As tf.data's: each number is the one before it and the step, rounded.
            first = _ops.cast(np.float64(start), dtype)
            return Dataset.range(1).repeat().scan(first, lambda number, _: (number + float(step), number))
        start, step = whole("counter", "start", start), whole("counter", "step", step)
        numbers = Dataset(_native.Dataset.counter(start, step))
        if dtype == "int64":
            return numbers
        from . import _ops

        return numbers.map(lambda x: _ops.cast(x, dtype))

    @staticmethod
    def random(
        seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Random numbers from 0 to before 2³², as int64, without end: tf.data's own for the same seed, and the same in each iteration
        unless ``rerandomize_each_iteration``.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.random(seed=1).take(2)]
        [2870909127, 3455438759]
        """
        return Dataset(_native.Dataset.random(seed, bool(rerandomize_each_iteration)))

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """``tensors`` as the one element there is.

        >>> import feedline as fl
        >>> list(fl.Dataset.from_tensors(([1, 2], "a")))
        [(array([1, 2], dtype=int32), b'a')]
        """
        with naming("from_tensors", "tensors"):
            tensors = table_columns(tensors)
            return Dataset(_native.Dataset.from_tensors(plain(tensors)))._formed(form_of(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The slices of ``tensors`` along their first dimension: arrays, data frames (a dict of columns), Arrow tables,
        and tuples and dicts of them.

        Data is used where it lies: do not write to it as long as the dataset is used. Made anew is what lies in another way than tensors do:
        arrays that are not C-contiguous (transposed, strided, of another byte order), columns of numbers in several chunks of Arrow's, bools of Arrow,
        and strings that are objects of Python's. Strings of Arrow, polars and pandas (where pandas has them from pyarrow) stay where they are.

        >>> import feedline as fl
        >>> list(fl.Dataset.from_tensor_slices({"x": [1.5, 2.5], "y": ["a", "b"]}))
        [{'x': np.float32(1.5), 'y': b'a'}, {'x': np.float32(2.5), 'y': b'b'}]
        """
        with naming("from_tensor_slices", "tensors"):
            tensors = table_columns(tensors)
            return Dataset(_native.Dataset.from_tensor_slices(plain(tensors)))._formed(form_of(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[Any]],
        output_types: DTypes | None = None,
        output_shapes: Any = None,
        args: Sequence[Any] | None = None,
        output_signature: SpecLike | None = None,
        name: str | None = None,
    ) -> Dataset:
        """What ``generator(*args)`` yields. It is called anew for each iteration and must yield the same each time: to go
        on from a saved state, what came before is yielded again. It runs on a thread of its own. ``args`` come as numpy's arrays and numbers, and as
        bytes. Numbers it yields become what the signature says where they stay the same numbers; floats become those of another width.

        >>> import feedline as fl
        >>> def squares():
        ...     for n in range(4):
        ...         yield n * n
        >>> [int(x) for x in fl.Dataset.from_generator(squares, output_signature=fl.TensorSpec([], fl.int64))]
        [0, 1, 4, 9]
        """
        if not callable(generator):
            raise ArgumentError("from_generator: generator is a function that returns an iterable, such as a generator function")
        if output_signature is None:
            if output_types is None:
                raise ArgumentError("from_generator: say what it yields: output_signature=fl.TensorSpec(shape, dtype)")
            try:
                output_signature = spec_of(output_shapes, output_types)
            except (KeyError, TypeError, ValueError):
                message = f"from_generator: output_shapes is a shape for each of output_types, not {output_shapes!r}"
                raise ArgumentTypeError(message) from None
        elif output_types is not None or output_shapes is not None:
            raise ArgumentError("from_generator: output_signature says it all; output_types and output_shapes are for calls without it")
        arguments = _generator_arguments(args)
        label = name or function_label(generator, arguments)
        form = form_of(output_signature)

        def elements() -> Iterable[Any]:
            given = generator(*arguments)
            return given if form is None else map(plain, given)

        return Dataset(_native.Dataset.from_generator(label, elements, plain(output_signature)))._formed(form)

    @staticmethod
    def list_files(
        file_pattern: PathLike | Sequence[PathLike],
        shuffle: bool | None = None,
        seed: int | None = None,
        name: str | None = None,
        *,
        progress: bool = False,
    ) -> Dataset:
        """The paths of the files that match the pattern or patterns, as strings; shuffled for each iteration unless
        ``shuffle=False``, which sorts them. ``progress`` shows how many were found so far.

        Raises
        ------
        FileNotFoundError
            If a pattern matches no file.

        >>> import feedline as fl, os, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for name in ("b.txt", "a.txt", "c.png"):
        ...     (folder / name).touch()
        >>> [os.path.basename(path) for path in fl.Dataset.list_files(f"{folder}/*.txt", shuffle=False)]
        [b'a.txt', b'b.txt']
        """
        patterns = paths_of("list_files", "file_pattern", file_pattern)
        with bar(None, "list_files", progress, "files") as show:
            return Dataset(_native.Dataset.list_files(patterns, shuffle is not False, seed, show))

    @staticmethod
    def image_folder(path: PathLike, *, class_names: Sequence[str] | None = None, progress: bool = False) -> ImageFolder:
        """The images in the folders of ``path``, of which each is a class: ``(bytes, label)``, sorted by class and file.

        The dataset has ``class_names``, all folders sorted unless given, which say what a label means, and ``file_paths``. ``progress`` shows how
        many files were found so far.

        >>> import feedline as fl, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for name in ("cats/1.jpg", "dogs/1.jpg"):
        ...     (folder / name).parent.mkdir()
        ...     _ = (folder / name).write_bytes(b"a picture")
        >>> ds = fl.Dataset.image_folder(folder)
        >>> [(image, ds.class_names[label]) for image, label in ds]
        [(b'a picture', 'cats'), (b'a picture', 'dogs')]
        """
        from ._image_folder import ImageFolder

        return ImageFolder(path, class_names, progress)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Elements made of one of each dataset, until the first of them ends.

        >>> import feedline as fl
        >>> a, b = fl.Dataset.range(3), fl.Dataset.range(10, 20)
        >>> [(int(x), int(y)) for x, y in fl.Dataset.zip(a, b)]
        [(0, 10), (1, 11), (2, 12)]
        """
        if datasets is None:
            if not args:
                raise ArgumentError("zip takes datasets, and got none")
            datasets = args[0] if len(args) == 1 else args
        elif args:
            raise ArgumentError("zip takes datasets as arguments or as datasets=, not both")
        if isinstance(datasets, list):
            datasets = tuple(datasets)
        forms = _forms_in(datasets)
        zipped = leaves_of(datasets)
        return Dataset(_native.Dataset.zip(plain(datasets)))._formed(form_with(forms))._merged(zipped)

    # Functions of elements.

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool | None = False,
        name: str | None = None,
        *,
        python: bool = False,
        output_spec: SpecLike | None = None,
        workers: str = "thread",
    ) -> Dataset:
        """What ``map_func`` makes of each element. Elements that are tuples come as several arguments.

        The function is *traced*: called once, now, with symbolic values; what it does with operators and the functions of
        ``feedline`` is recorded, and computed for many elements at a time on all cores, without Python. Both ``None`` and
        ``AUTOTUNE`` mean as many calls at a time as serve; results come in order unless ``deterministic=False``, or, where it is
        ``None``, ``Options.deterministic`` is.

        With ``python=True`` it runs as Python, for any function, called with numpy arrays: in order, one call at a
        time unless ``num_parallel_calls`` says more, beside the threads that compute. ``AUTOTUNE`` says as many as there are cores; of functions
        that wait, for a network or a disk, a number says how many wait at a time. ``output_spec`` says what it returns;
        without it the first element is tried, of which type and number of dimensions count.

        With ``workers="process"`` too, calls run in ``num_parallel_calls`` processes (as many as there are cores unless given), which
        share arrays with this one without pickling them. The function is pickled (by cloudpickle, if installed). Datasets inside elements do not
        go there. A free-threaded Python, whose threads run at the same time, has as many threads do that instead, and pickles nothing.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(5)
        >>> [int(x) for x in ds.map(lambda x: fl.where(x % 2 == 0, x, -x))]
        [0, -1, 2, -3, 4]
        >>> [str(x) for x in ds.map(lambda x: f"number {x}".encode(), python=True).take(1)]
        ["b'number 0'"]
        """
        calls = parallel_calls("map", num_parallel_calls)
        if not python:
            if output_spec is not None or workers != "thread":
                argument = "workers" if output_spec is None else "output_spec"
                raise ArgumentError(f"map: {argument} is for python=True; a traced function's is known")
            function = _tracing.element_function(map_func, "map", self._form)
            mapped = self._inner.map(function, calls, deterministic)
            return self._as(mapped, function.result_form)
        label = name or function_label(map_func)
        if workers not in ("thread", "process"):
            raise ArgumentError(f"map: workers is 'thread' or 'process', not {workers!r}")
        call = of_element(map_func, self._form)
        if output_spec is None:
            output_spec = self._probed(map_func, label)
        form, output_spec = form_of(output_spec), plain(output_spec)
        is_one = workers == "thread" and num_parallel_calls is None
        count = calls or (1 if is_one else len(os.sched_getaffinity(0)))
        # Without the interpreter's lock threads do all that processes can.
        if workers == "process" and getattr(sys, "_is_gil_enabled", lambda: True)():
            from . import _processes

            is_plain = self._form is None and form is None
            function = map_func if is_plain else functools.partial(called_with, self._form, map_func)
            setup = _processes.setup(function, self._inner.element_spec(), output_spec)
            command = _processes.command()
            return self._as(self._inner.map_processes(label, call, command, setup, output_spec, count, deterministic), form)
        return self._as(self._inner.map_python(label, call, output_spec, count, deterministic), form)

    def filter(self, predicate: Callable[..., Any], name: str | None = None, *, python: bool = False) -> Dataset:
        """The elements of which ``predicate``, a function that is traced, is true. With ``python=True`` it runs as Python, for any
        function, called with numpy arrays, in order and one call at a time.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(10).filter(lambda x: x % 3 == 0)]
        [0, 3, 6, 9]
        >>> [int(x) for x in fl.Dataset.range(30).filter(lambda x: "7" in str(x), python=True)]
        [7, 17, 27]
        """
        if python:
            return self._filtered_by_python(predicate, name or function_label(predicate))
        try:
            return self._with(self._inner.filter(_tracing.element_function(predicate, "filter", self._form)))
        except _tracing.CallsPython:
            answer = _tracing.element_function(predicate, "map", self._form)
            return self._kept_by(lambda element: (answer(element), element))

    def flat_map(self, map_func: Callable[..., Dataset], name: str | None = None) -> Dataset:
        """The elements of the dataset ``map_func`` makes of each element, one dataset after the other. The function is
        traced: sources, counts and functions of the dataset may use the symbolic element.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(4).flat_map(lambda n: fl.Dataset.range(n))]
        [0, 0, 1, 0, 1, 2]
        """
        function = _tracing.element_function(map_func, "flat_map", self._form)
        flat = self._inner.flat_map(function)
        return self._as(flat, function.result_form)

    def interleave(
        self,
        map_func: Callable[..., Dataset],
        cycle_length: int | None = None,
        block_length: int | None = None,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of the datasets ``map_func`` makes of elements, ``cycle_length`` of them (16 unless given) taking
        turns of ``block_length`` elements.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(3).interleave(lambda x: fl.Dataset.from_tensors(x).repeat(2), cycle_length=2)
        >>> [int(x) for x in ds]
        [0, 1, 0, 1, 2, 2]
        """
        cycle = None if cycle_length in (None, AUTOTUNE) else positive("interleave", "cycle_length", cycle_length)
        block = positive("interleave", "block_length", 1 if block_length is None else block_length)
        function = _tracing.element_function(map_func, "interleave", self._form)
        calls = parallel_calls("interleave", num_parallel_calls)
        turns = self._inner.interleave(function, cycle, block, calls, deterministic)
        return self._as(turns, function.result_form)

    # Order.

    def shuffle(
        self,
        buffer_size: int,
        seed: int | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """Elements drawn at random from a buffer of ``buffer_size``: tf.data's own order for the same seed. A buffer of
        ``UNKNOWN_CARDINALITY`` holds everything, however much that is.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(6).shuffle(3, seed=42)]
        [0, 3, 4, 2, 5, 1]
        >>> [int(x) for x in fl.Dataset.range(6).shuffle(fl.UNKNOWN_CARDINALITY, seed=42)]
        [3, 2, 1, 4, 5, 0]
        """
        held = None if buffer_size == UNKNOWN_CARDINALITY else positive("shuffle", "buffer_size", buffer_size)
        return self._with(self._inner.shuffle(held, seed, reshuffle_each_iteration is not False))

    def global_shuffle(self, seed: int | None = None, reshuffle_each_iteration: bool = True) -> Dataset:
        """All elements in random order, without a buffer: right after ``range``, ``from_tensor_slices`` or
        ``TFRecordDataset`` (also of ``list_files``), whose elements can be read in any order.

        >>> import feedline as fl
        >>> sorted(int(x) for x in fl.Dataset.range(5).global_shuffle(seed=1))
        [0, 1, 2, 3, 4]
        """
        return self._with(self._inner.global_shuffle(seed, reshuffle_each_iteration))

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """Everything ``count`` times; without a count, or with −1, without end.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(3).repeat(2)]
        [0, 1, 2, 0, 1, 2]
        """
        return self._with(self._inner.repeat(None if count is None else count_of("repeat", count)))

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first ``count`` elements; −1: all.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(5).take(2)]
        [0, 1]
        """
        return self._with(self._inner.take(count_of("take", count)))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """All but the first ``count`` elements; −1: nothing is left.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(5).skip(2)]
        [2, 3, 4]
        """
        return self._with(self._inner.skip(count_of("skip", count)))

    def shard(self, num_shards: int, index: int, name: str | None = None) -> Dataset:
        """Of every ``num_shards`` elements the one at ``index``: what one of several machines reads.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        positive("shard", "num_shards", num_shards)
        if not 0 <= index < num_shards:
            raise ArgumentError(f"shard: index must be from 0 to {num_shards - 1}, not {index}")
        return self._with(self._inner.shard(num_shards, index))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """All elements of this, then all of ``dataset``.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(2).concatenate(fl.Dataset.range(10, 12))]
        [0, 1, 10, 11]
        """
        return self._with(self._inner.concatenate(dataset._inner))._merged([dataset])

    def enumerate(self, start: int = 0, name: str | None = None) -> Dataset:
        """Each element as ``(number, element)``, counted from ``start``.

        >>> import feedline as fl
        >>> [(int(number), word) for number, word in fl.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=1)]
        [(1, b'a'), (2, b'b')]
        """
        return self._as(self._inner.enumerate(start), form_with((None, self._form)))

    # How it runs.

    def cache(self, filename: PathLike = "", name: str | None = None) -> Dataset:
        """Keeps the elements the first time they have all come, in memory or in the folder ``filename``, and gives them
        from there ever after. If there is no room for them, or the folder is damaged, that is told to the logger ``feedline`` of Python's
        ``logging`` and the elements, which are the same, are computed.

        >>> import feedline as fl
        >>> calls = []
        >>> ds = fl.Dataset.range(3).map(lambda x: calls.append(x) or x, python=True, output_spec=fl.TensorSpec([], fl.int64)).cache()
        >>> [int(x) for x in ds], [int(x) for x in ds]
        ([0, 1, 2], [0, 1, 2])
        >>> len(calls)
        3
        """
        folder = os.fsdecode(filename)
        return self._with(self._inner.cache(folder or None))

    def snapshot(
        self,
        path: PathLike,
        compression: str | None = "AUTO",
        reader_func: Callable[[Dataset], Dataset] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """As :meth:`cache` in files, in a folder of its own inside ``path`` for each pipeline: what a complete one holds is read without touching what
        comes before it. One run writes at a time, others read what is there and compute the rest. ``"AUTO"`` compresses files that become a good
        deal smaller by it, ``"GZIP"`` and ``"SNAPPY"`` all of them.

        Elements come in the order they were computed in, or as ``reader_func`` says, in every pass: it gets a dataset of datasets, one for each
        number that ``shard_func`` gives for an element, in their order, and returns one of elements.

        >>> import feedline as fl, tempfile
        >>> by_turns = lambda shards: shards.interleave(lambda shard: shard, cycle_length=2)
        >>> ds = fl.Dataset.range(6).snapshot(tempfile.mkdtemp(), reader_func=by_turns, shard_func=lambda x: x // 3)
        >>> [int(x) for x in ds]
        [0, 3, 1, 4, 2, 5]
        """
        compressions = {None: "none", "": "none", "NONE": "none", "AUTO": "auto", "GZIP": "always", "SNAPPY": "always"}
        if compression not in compressions:
            raise ArgumentError(f"snapshot: compression is None, 'AUTO', 'GZIP' or 'SNAPPY', not {compression!r}")
        kept = self._with(_native.snapshot(self._inner, os.fsdecode(path), compressions[compression]))
        if reader_func is None and shard_func is None:
            return kept
        from . import _saving

        return _saving.in_shards(kept, reader_func, shard_func)

    def prefetch(self, buffer_size: int | None, name: str | None = None) -> Dataset:
        """Lets what comes before run ahead by at most ``buffer_size`` elements; ``AUTOTUNE``: as far as serves.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(3).map(lambda x: x + 1).prefetch(fl.AUTOTUNE)]
        [1, 2, 3]
        """
        if buffer_size is not None and buffer_size < AUTOTUNE:
            raise ArgumentError(f"prefetch: buffer_size must be a number from 0, or fl.AUTOTUNE, not {buffer_size}")
        return self._with(self._inner.prefetch(None if buffer_size == AUTOTUNE else buffer_size))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements without the errors among them. With ``log_warning`` each is told to the logger ``feedline`` of Python's ``logging``, which
        writes it to standard error unless the program says otherwise; ``handled_errors`` of the step in ``metrics()`` counts them.

        Left out is the element that failed, also one that is larger than the memory budget. An error behind which other elements are
        missing, as that of a shuffle which finds no memory, is raised all the same.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(3).map(lambda x: 6 // x).ignore_errors()]
        [6, 3]
        """
        if log_warning:
            return self._with(self._inner.on_error(None, None, None, True))
        return self._with(self._inner.ignore_errors())

    def on_error(
        self,
        policy: str = "skip",
        *,
        replacement: Values | None = None,
        limit: int | None = None,
        quarantine: PathLike | None = None,
    ) -> Dataset:
        """The elements, with the errors among them left out (``"skip"``) or replaced (``"replace"``): counted (``handled_errors`` of the
        step in ``metrics()``), at most ``limit`` of them in a pass (each epoch of a ``repeat`` behind it is one), and kept in the file
        ``quarantine`` if one is given, which is there from the beginning. ``"raise"`` raises them, as is done without this step. As with
        :meth:`ignore_errors`, an error behind which other elements are missing is raised whatever the policy.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(4).map(lambda x: 6 // x)
        >>> [int(x) for x in ds.on_error("replace", replacement=-1)]
        [-1, 6, 3, 2]
        """
        if policy not in ("raise", "skip", "replace"):
            raise ArgumentError(f"on_error: the policy is 'raise', 'skip' or 'replace', not {policy!r}")
        if policy == "raise":
            if (replacement, limit, quarantine) != (None, None, None):
                raise ArgumentError("on_error: replacement, limit and quarantine are for 'skip' and 'replace'")
            return self._with(self._inner)
        if (policy == "replace") != (replacement is not None):
            raise ArgumentError("on_error: 'replace' goes with replacement=, and 'skip' without it")
        if limit is not None:
            limit = whole("on_error", "limit", limit, 0)
        path = None if quarantine is None else os.fsdecode(quarantine)
        return self._with(self._inner.on_error(plain(replacement), limit, path, False))

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What ``transformation_func`` makes of this dataset.

        >>> import feedline as fl
        >>> def evens(ds):
        ...     return ds.filter(lambda x: x % 2 == 0)
        >>> [int(x) for x in fl.Dataset.range(5).apply(evens)]
        [0, 2, 4]
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise SchemaError(f"apply: the function returned {type(dataset).__name__}, not a dataset")
        return dataset

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """Runs with these options, and with those set before that these leave out. They change how fast, never what. As in tf.data they hold
        for the whole pipeline, wherever in it they are set (``deterministic``, too, which gives up the order); where datasets are put together, those of the last one win.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(3).with_options(fl.Options(threads=1)).with_options(fl.Options(optimizer=False))
        >>> ds.batch(2).options()
        Options(threads=1, memory_budget=None, spill_dir=None, optimizer=False, without_rules=None, stall_after_s=None, deterministic=None)
        """
        return self._running(self._options.merge(options))

    def options(self) -> Options:
        """The options it runs with: those that were set, ``None`` for the others.

        >>> import feedline as fl
        >>> fl.Dataset.range(3).with_options(fl.Options(threads=2)).options().threads
        2
        """
        return self._options._of_dataset()

    # What is known.

    @property
    def element_spec(self) -> Any:
        """What is known about every element: a :class:`TensorSpec`, or a tuple or dict of them.

        >>> import feedline as fl
        >>> fl.Dataset.range(4).batch(2).element_spec
        TensorSpec(shape=(None,), dtype=fl.int64)
        """
        return shaped(self._form, self._inner.element_spec())

    def cardinality(self) -> Any:
        """How many elements there are: ``INFINITE_CARDINALITY`` (−1), ``UNKNOWN_CARDINALITY`` (−2) where it takes
        iterating to know. Of a dataset that a function gets, such as a window, it is a symbolic int64, counted for each element.

        >>> import feedline as fl
        >>> fl.Dataset.range(7).batch(2).cardinality()
        4
        >>> [int(n) for n in fl.Dataset.range(7).window(3).map(lambda window: window.cardinality())]
        [3, 3, 1]
        """
        count = self._inner.cardinality()
        if count == UNKNOWN_CARDINALITY and self._inner.is_of_element():
            return self.reduce(np.int64(0), lambda counted, *_: counted + 1)
        # A number as written would be an int32 in a function.
        return np.int64(count) if _native.is_tracing() else count

    def fingerprint(self) -> int:
        """A number that differs for datasets that differ: in their steps, functions, tensors or the names of their files. Seeds that nobody
        gave do not count. Of a tensor of more than a gigabyte a sample of that size counts, and of Python functions what they are made
        of: their code, that of functions they call, and the numbers, tuples and arrays they use; not code of installed libraries.

        >>> import feedline as fl
        >>> fl.Dataset.range(3).fingerprint() == fl.Dataset.range(3).fingerprint()
        True
        >>> fl.Dataset.range(3).fingerprint() == fl.Dataset.range(4).fingerprint()
        False
        """
        return self._inner.fingerprint()

    def __len__(self) -> int:
        count = self._inner.cardinality()
        if count == INFINITE_CARDINALITY:
            raise TypeError("the dataset is infinite\nhint: take(n) gives the first n elements")
        if count == UNKNOWN_CARDINALITY:
            if self._is_of_traced_element():
                raise _tracing.dataset_refusal("num_elements")
            raise TypeError("how many elements there are is not known before they are iterated")
        return count

    def _is_of_traced_element(self) -> bool:
        """Whether it is made of what the function that is being traced got."""
        return _native.is_tracing() and self._inner.is_of_element()

    def __bool__(self) -> bool:
        return True

    def __copy__(self) -> Dataset:
        return self  # nothing can change it

    def __deepcopy__(self, memo: Any) -> Dataset:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            text = self._inner.to_text()
            _native.Dataset.from_text(text)  # which fails now, and not where it is unpickled, if Python functions are in it
        except FeedlineError as error:
            raise TypeError(f"a dataset with Python functions in it cannot be pickled\nhint: build it where it is needed: {error}") from error
        return _unpickled, ([_Piece(piece) for piece in text], self._options, self._form)

    def explain(self, format: str = "text") -> str:
        """What runs when it is iterated: the plan as written, what the optimizer makes of it, and by which rule. With the format ``"dot"``
        both plans are a graph in Graphviz's language, which ``dot -Tsvg`` draws.

        >>> import feedline as fl
        >>> print(fl.Dataset.range(3).batch(2).explain("dot").splitlines()[0])
        digraph plan {
        """
        if format not in ("text", "dot"):
            raise ArgumentError(f"explain: format is 'text' or 'dot', not {format!r}")
        return self._inner.explain() if format == "text" else self._inner.explain_dot()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec}>"

    def _repr_html_(self) -> str:
        import html

        steps = "".join(f"<li><code>{html.escape(step)}</code></li>" for step in self._inner.steps())
        return f"<b>Dataset</b> of <code>{html.escape(str(self.element_spec))}</code><ol>{steps}</ol>"

    # Iterating.

    def iterator(self, *, state: bytes | None = None, epoch: int | None = None) -> DatasetIterator:
        """Its elements from the first, or from where ``state`` was saved; as iteration number ``epoch``, if given,
        whatever was iterated before.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(5)
        >>> elements = ds.iterator()
        >>> int(next(elements)), int(next(elements))
        (0, 1)
        >>> [int(x) for x in ds.iterator(state=elements.state())]
        [2, 3, 4]
        """
        if self._is_of_traced_element():
            raise _tracing.dataset_refusal("elements")
        if state is not None:
            if epoch is not None:
                raise ArgumentError("iterator: a state says which epoch it is of; give one of the two")
            return DatasetIterator(self._inner.resume(state), self)
        if epoch is not None:
            epoch = whole("iterator", "epoch", epoch, 0)
        return DatasetIterator(self._inner.iterator(epoch), self)

    def __iter__(self) -> Iterator[Any]:
        return self.iterator()

    def as_numpy_iterator(self) -> DatasetIterator:
        """As ``iter``: elements are numpy's anyway.

        >>> import feedline as fl
        >>> [x.item() for x in fl.Dataset.range(3).as_numpy_iterator()]
        [0, 1, 2]
        """
        return self.iterator()

    # Hand-over.

    def to_torch(
        self,
        device: Any = None,
        *,
        pin_memory: bool = False,
        rank: int | None = None,
        world_size: int | None = None,
        even: bool = True,
    ) -> Any:
        """Its elements as torch's tensors, in a ``torch.utils.data.IterableDataset``: copied to ``device``, or on the CPU over the memory
        they were made in. They may be written to: what a source, a cache or another part of the element still has is copied, and batches that were
        made for the caller alone are not.

        Of several processes that train together (``torch.distributed``, or the variables ``RANK`` and ``WORLD_SIZE``) each
        gets every ``world_size``-th element; all the same number, unless ``even=False``, so that none waits for ever. They must have one
        order: shuffles without a seed have a fixed one then, the same in every process and every run, and another order in each epoch.
        accelerate, and so the ``Trainer`` of transformers, gives each process its part itself: what it prepared gets all elements here, unless
        ``rank`` and ``world_size`` are given.

        ``state_dict`` and ``load_state_dict`` save and restore where it is; saved behind the last element, it goes on with the next epoch.

        >>> import feedline as fl
        >>> for batch in fl.Dataset.range(4).batch(2).to_torch():  # doctest: +SKIP
        ...     print(batch)
        tensor([0, 1])
        tensor([2, 3])
        """
        from ._torch import TorchDataset

        return TorchDataset(self, device, pin_memory, rank, world_size, even)

    def to_jax(self, device: Any = None) -> Any:
        """Its elements as JAX's arrays, on ``device``, in what can be iterated over any number of times: each time is an epoch. It has ``len``
        where that is known, and ``state_dict`` and ``load_state_dict`` as :meth:`to_torch` has.

        >>> import feedline as fl
        >>> for batch in fl.Dataset.range(4, output_type=fl.int32).batch(2).to_jax():  # doctest: +SKIP
        ...     print(batch)
        [0 1]
        [2 3]
        """
        from ._jax import JaxDataset

        return JaxDataset(self, device)

    def to_tf(self) -> Any:
        """The same elements as a ``tf.data.Dataset``, for code that wants one. Numbers are handed over through DLPack where they lie,
        which those of batches do as TensorFlow wants them; strings are copied.

        >>> import feedline as fl
        >>> for batch in fl.Dataset.range(4).batch(2).to_tf():  # doctest: +SKIP
        ...     print(batch.numpy())
        [0 1]
        [2 3]
        """
        from ._tensorflow import tf_dataset

        return tf_dataset(self)

    def debug(self) -> Dataset:
        """The same elements, made one by one when they are asked for, each through all steps before the next, without the optimizer. Python functions
        run on the thread that asks: breakpoints and ``print`` in functions of ``map(…, python=True)`` work, also with ``workers="process"``, and the
        first error is the first.

        >>> import feedline as fl
        >>> [int(x) for x in fl.Dataset.range(3).map(lambda x: x * x).debug()]
        [0, 1, 4]
        """
        return self._with(self._inner.one_by_one(self._options._to_native()))

    def write_tfrecords(
        self, path: PathLike, shards: int = 1, compression: str = "", *, progress: bool = False
    ) -> list[str]:
        """Writes its elements to record files, one after the other in turn, and returns their paths: strings as they are,
        dicts as ``tf.train.Example``. Each file appears when it is complete. ``progress`` shows how far it is.

        >>> import feedline as fl, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> paths = fl.Dataset.range(5).map(lambda x: {"n": x}).write_tfrecords(f"{folder}/numbers", shards=2)
        >>> [len(list(fl.TFRecordDataset(path))) for path in paths]
        [3, 2]
        """
        from . import _records

        return _records.write_tfrecords(self, path, shards, compression, progress)

    def save(
        self,
        path: PathLike,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: None = None,
        name: str | None = None,
        *,
        shards: int = 1,
        progress: bool = False,
    ) -> None:
        """Writes its elements, whatever they are, to the folder ``path``; :meth:`load` reads them back, in the same order.
        ``shards`` is the number of files that take turns, ``compression`` that of the files, and ``progress`` shows how far it is. Where ``shard_func``
        says which shard an element is of, the shards are those, and take turns when they are read. A save that was killed goes on when it is
        called again with the same dataset.

        >>> import feedline as fl, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> fl.Dataset.range(3).map(lambda x: (x, {"name": "n"})).save(folder, shards=2)
        >>> list(fl.Dataset.load(folder))
        [(np.int64(0), {'name': b'n'}), (np.int64(1), {'name': b'n'}), (np.int64(2), {'name': b'n'})]
        """
        from . import _saving

        if checkpoint_args is not None:
            raise ArgumentError("save: there are no checkpoint_args: a save that was stopped goes on when it is called again")
        _saving.save(self, path, shards, compression or "", progress, shard_func)

    @staticmethod
    def load(
        path: PathLike,
        element_spec: SpecLike | None = None,
        compression: str | None = None,
        reader_func: Callable[[Dataset], Dataset] | None = None,
        wait: bool = False,
    ) -> Dataset:
        """The dataset that :meth:`save` wrote to the folder ``path``. What its elements are and how they are compressed is
        told from the files. ``reader_func`` gets a dataset of datasets, one for each shard, and returns one of elements, where
        another order is wanted: its elements are datasets in the functions of ``interleave`` and ``flat_map``. With ``wait`` a save that
        another process is in the middle of is waited for.

        >>> import feedline as fl, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> fl.Dataset.range(4).save(folder, shards=2)
        >>> [int(x) for x in fl.Dataset.load(folder, reader_func=lambda files: files.flat_map(lambda file: file))]
        [0, 2, 1, 3]
        """
        from . import _saving

        dataset = _saving.load(path, reader_func, wait)
        if element_spec is not None and element_spec != dataset.element_spec:
            raise SchemaError(f"load: {os.fsdecode(path)} has {dataset.element_spec}, not {element_spec}")
        return dataset

    def _filtered_by_python(self, predicate: Callable[..., Any], label: str) -> Dataset:
        """What the function says, called as Python, of each element."""
        call = of_element(predicate, self._form)

        def answered(element: Any) -> Any:
            filled(element, itertools.repeat(None))  # fails now where it cannot be filled

            def answer(*leaves: Any) -> bool:
                return bool(call(filled(element, iter(leaves))))

            return _native.py_function(label, answer, (element,), TensorSpec([], "bool"), True), element

        return self._kept_by(answered)

    def _kept_by(self, answered: Callable[[Any], Any]) -> Dataset:
        """The elements before which a map with ``answered`` puts true."""
        keeping = self._as(self._inner.map(answered, None, True), None).filter(lambda keep, element: keep)
        return self._with(keeping.map(lambda keep, element: element)._inner)

    def _formed(self, form: Any) -> Dataset:
        """The same, whose elements have the form ``form``."""
        return self._as(self._inner, form)

    def _probed(self, function: Callable[..., Any], label: str) -> Any:
        """The spec of what a Python function returns, from its result for the first element."""
        with self.take(1).iterator(epoch=0) as first:
            for element in first:
                try:
                    return spec_of_result(called(None, function, element))
                except Exception as error:
                    got = reprlib.repr(element if type(element) is tuple else (element,))
                    error.add_note(
                        f"feedline: raised in map({label.partition('#')[0]}), which got {got}, the first element, to learn what it returns; "
                        "output_spec= would say it"
                    )
                    raise
        raise ArgumentError(
            f"map: {label} cannot be tried, there is no first element\nhint: say what it returns: output_spec=fl.TensorSpec(…)"
        )


class _Piece:
    """A part of a dataset's text. pickle makes all of a string at once; between two of these it calls Python, which looks for Ctrl-C."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __reduce__(self) -> tuple[Any, ...]:
        return _piece, (self.text,)


def _piece(text: str) -> str:
    return text


def _unpickled(text: list[str], options: Options, form: Any) -> Dataset:
    dataset = Dataset(_native.Dataset.from_text(text))._formed(form)
    return dataset if options == Options() else dataset._running(options)


def _generator_arguments(args: Sequence[Any] | None) -> tuple[Any, ...]:
    """Arguments of a generator as numpy has them: they are tensors in TensorFlow."""
    known = known_values(tuple(args or ()))
    for index, argument in enumerate(known):
        if isinstance(argument, _native.Tensor):
            raise TraceError(
                f"from_generator: args[{index}] is computed for each element ({argument!r}), and a generator is called before there is any\n"
                "hint: let a Python function give all that the generator would, and take it apart: "
                ".map(lambda x: np.array(list(generator(x))), python=True, output_spec=fl.TensorSpec([None], dtype)).unbatch()"
            )
    return tuple(plain_array(argument)[()] for argument in known)


def _forms_in(datasets: Any) -> Any:
    """The structure of datasets with the forms of their elements in place of them."""
    if isinstance(datasets, dict):
        return {key: _forms_in(part) for key, part in datasets.items()}
    if isinstance(datasets, tuple):
        forms = [_forms_in(part) for part in datasets]
        return type(datasets)(*forms) if hasattr(datasets, "_fields") else tuple(forms)
    if not isinstance(datasets, Dataset):
        raise ArgumentTypeError(f"zip: datasets are datasets, and tuples and dicts of them, not {datasets!r}")
    return datasets._form
