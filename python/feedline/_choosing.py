"""Elements of several datasets, one at a time from the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _native, _tracing
from ._checking import checks_arguments
from ._errors import ArgumentError
from ._form import form_with
from ._steps import Steps

if TYPE_CHECKING:
    from ._dataset import Dataset


@checks_arguments
class Choosing(Steps):
    """The methods of a dataset that choose: from several datasets, and of which class elements are."""

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Sequence[float],
        initial_dist: Sequence[float] | None = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Pairs of a class, which ``class_func`` gives as a number from 0, and an element of it, with classes as often as ``target_dist`` says: by
        leaving out some elements at random. ``initial_dist`` is how often they come; without it that is estimated on the way.

        >>> import feedline as fl
        >>> ds = fl.Dataset.range(1000).rejection_resample(lambda x: x % 2, [1.0, 0.0], [0.5, 0.5], seed=1)
        >>> {int(label) for label, x in ds}
        {0}
        """
        function = _tracing.element_function(class_func, "rejection_resample", self._form)
        target = [float(share) for share in target_dist]
        initial = None if initial_dist is None else [float(share) for share in initial_dist]
        resampled = _native.rejection_resample(self._inner, function, target, initial, seed)
        return self._as(resampled, form_with((None, self._form)))

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """For each number of ``choice_dataset``, an int64, the next element of the dataset of that number. It ends when one that is chosen
        has no more, or, unless ``stop_on_empty_dataset``, when none has.

        >>> import feedline as fl
        >>> datasets = [fl.Dataset.range(3), fl.Dataset.range(10, 13)]
        >>> [int(x) for x in fl.Dataset.choose_from_datasets(datasets, fl.Dataset.range(2).repeat())]
        [0, 10, 1, 11, 2, 12]
        """
        from ._dataset import Dataset

        chosen = _natives("choose_from_datasets", datasets)
        made = Dataset(_native.Dataset.choose(chosen, choice_dataset._inner, stop_on_empty_dataset))
        return made._formed(datasets[0]._form)._merged([*datasets, choice_dataset])

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Dataset],
        weights: Sequence[float] | Dataset | Callable[[Any], Any] | None = None,
        seed: int | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
        *,
        exact: bool = False,
    ) -> Dataset:
        """Elements of ``datasets``, each from one that is chosen at random, as often as ``weights`` say: a number for each dataset, a dataset of
        such, or a function of the step's number that gives them. The choices are tf.data's own for the same seed.

        With ``exact`` chance is left out: each dataset comes as often as its weights so far say, at every step, to within one. (Weights that
        change are read ahead for that, up to 4096 steps; a dataset whose weight became 0 may come once more, for the part of an element it was
        behind.)

        >>> import feedline as fl
        >>> easy, hard = fl.Dataset.range(100), fl.Dataset.range(100, 200)
        >>> ds = fl.Dataset.sample_from_datasets([easy, hard], [0.75, 0.25], exact=True)
        >>> [int(x) for x in ds.take(8)]
        [0, 1, 100, 2, 3, 4, 101, 5]
        >>> harder = lambda step: fl.stack([10.0 - fl.cast(step, fl.float32), fl.cast(step, fl.float32)])
        >>> ds = fl.Dataset.sample_from_datasets([easy, hard], harder, exact=True)
        >>> [int(x) for x in ds.take(10)]
        [0, 1, 2, 100, 3, 4, 101, 102, 103, 5]
        """
        from ._dataset import Dataset

        chosen = _natives("sample_from_datasets", datasets)
        varying, fixed = None, None
        if isinstance(weights, Dataset):
            varying = weights._inner
        elif callable(weights):
            varying = Dataset.counter().map(weights)._inner
        elif weights is not None:
            fixed = [float(weight) for weight in weights]
        anew = bool(rerandomize_each_iteration)
        made = Dataset(_native.Dataset.sample(chosen, fixed, varying, exact, seed, stop_on_empty_dataset, anew))
        return made._formed(datasets[0]._form)._merged(datasets)


def _natives(what: str, datasets: Sequence[Dataset]) -> list[_native.Dataset]:
    if not datasets:
        raise ArgumentError(f"{what}: datasets must not be empty")
    return [dataset._inner for dataset in datasets]
