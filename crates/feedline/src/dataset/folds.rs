//! Steps that remember: a state handed from element to element, elements that came before, how many there were.

use feedline_data::Structure;
use feedline_data::block::Tensor;
use feedline_exec::ExecError;
use feedline_plan::Symbolic;

use super::Dataset;
use crate::Result;

impl Dataset {
    /// What `function` makes of each element: it gets a state, which is `initial` to begin with, and the element, and gives a pair of the next
    /// state and what comes out. It is traced, as the function of [`Dataset::map`] is, perhaps more than once: until the shapes of the
    /// states it gives are those it gets. Elements are computed one after the other. A saved state has the function's in it.
    ///
    /// ```
    /// use feedline::Dataset;
    /// use feedline::data::block::Tensor;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let sums = Dataset::range(5).scan(Tensor::scalar(0_i64), |sum, x| {
    ///     let next = sum + x;
    ///     (next.clone(), next)
    /// });
    /// let numbers: Vec<i64> = sums.iterator()?.map(|n| n.unwrap().leaves()[0].as_slice()[0]).collect();
    /// assert_eq!(numbers, [0, 1, 3, 6, 10]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn scan<S: Into<Symbolic>, R: Into<Symbolic>>(
        &self,
        initial: impl Into<Symbolic>,
        mut function: impl FnMut(Symbolic, Symbolic) -> (S, R),
    ) -> Dataset {
        let initial = initial.into();
        self.step(|plan| {
            plan.scan(&initial, |state, element| {
                let (next, output) = function(state, element);
                Symbolic::tuple([next.into(), output.into()])
            })
        })
    }

    /// The state behind the last element, each made by `function` of the one before it, `initial` to begin with, and an element. Iterates the
    /// dataset; the first error is the result.
    ///
    /// ```
    /// use feedline::Dataset;
    /// use feedline::data::block::Tensor;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let sum = Dataset::range(5).reduce(Tensor::scalar(0_i64), |sum, x| sum + x)?;
    /// assert_eq!(sum.leaves()[0].as_slice::<i64>(), [10]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn reduce<R: Into<Symbolic>>(
        &self,
        initial: impl Into<Symbolic>,
        function: impl FnMut(Symbolic, Symbolic) -> R,
    ) -> Result<Structure<Tensor>> {
        self.reduced(initial, function).get_single_element()
    }

    /// As [`Dataset::reduce`], as a dataset of that one element: for the functions of [`Dataset::flat_map`] and
    /// [`Dataset::interleave`].
    #[track_caller]
    #[must_use]
    pub fn reduced<R: Into<Symbolic>>(
        &self,
        initial: impl Into<Symbolic>,
        mut function: impl FnMut(Symbolic, Symbolic) -> R,
    ) -> Dataset {
        let initial = initial.into();
        self.step(|plan| plan.reduce(&initial, |state, element| function(state, element).into()))
    }

    /// The one element there is. Iterates the dataset.
    ///
    /// # Errors
    /// If there is none, or more than one, or it is an error.
    pub fn get_single_element(&self) -> Result<Structure<Tensor>> {
        let mut elements = self.iterator()?;
        let wrong = |how| Err(ExecError::data(format!("get_single_element: the dataset has {how}")).into());
        match (elements.next(), elements.next()) {
            (None, _) => wrong("no element"),
            (Some(Ok(_)), Some(_)) => wrong("more than one element"),
            (Some(element), _) => Ok(element?),
        }
    }

    /// The one element there is, as a value: inside the functions of [`Dataset::map`], [`Dataset::filter`], [`Dataset::flat_map`] and
    /// [`Dataset::interleave`], where the dataset is made of what the function gets. None, or more than one, is an error of the element the
    /// function gets. With [`Dataset::reduced`] it is what `reduce` gives.
    ///
    /// ```
    /// use feedline::Dataset;
    /// use feedline::data::block::Tensor;
    ///
    /// # fn main() -> feedline::Result<()> {
    /// let sums = Dataset::range(6).window(3).map(|window| {
    ///     let sum = Dataset::of_window(window).reduced(Tensor::scalar(0_i64), |sum, x| sum + x);
    ///     sum.single_element() * 10
    /// });
    /// let sums: Vec<i64> = sums.iterator()?.map(|n| n.unwrap().leaves()[0].as_slice()[0]).collect();
    /// assert_eq!(sums, [30, 120]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn single_element(&self) -> Symbolic {
        let value = self.plan.clone().and_then(|plan| plan.to_value());
        value.unwrap_or_else(Symbolic::of_error)
    }

    /// The elements before the first of which `predicate` is false. It is traced, as the function of [`Dataset::map`] is.
    /// Steps before it may have made some of the elements that follow when the end is found.
    #[track_caller]
    #[must_use]
    pub fn take_while<R: Into<Symbolic>>(&self, predicate: impl FnOnce(Symbolic) -> R) -> Dataset {
        self.step(|plan| plan.take_while(|element| predicate(element).into()))
    }

    /// Each element the first time it comes: of integers, bools and strings. All that came are kept, within the memory budget.
    #[track_caller]
    #[must_use]
    pub fn unique(&self) -> Dataset {
        self.step(feedline_plan::Plan::unique)
    }

    /// The elements, of which there are `expected`; `None`: without end. So [`Dataset::cardinality`] knows; if it is not so, that is an
    /// error where it is found. An error counts as the element whose place it takes.
    #[track_caller]
    #[must_use]
    pub fn assert_cardinality(&self, expected: impl Into<Option<u64>>) -> Dataset {
        let expected = expected.into();
        self.step(|plan| Ok(plan.assert_cardinality(expected)))
    }
}
