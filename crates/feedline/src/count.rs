//! How many: of `repeat`, `take` and `skip`.

use feedline_plan::Symbolic;

/// How many times or elements: a number, `None` for no limit, or, in a dataset made of an element, a value of the element.
#[derive(Clone, Debug)]
pub enum Count {
    /// So many.
    Number(u64),
    /// No limit.
    All,
    /// As many as the value says; negative: no limit.
    Of(Symbolic),
}

impl From<u64> for Count {
    fn from(count: u64) -> Count {
        Count::Number(count)
    }
}

impl From<Option<u64>> for Count {
    fn from(count: Option<u64>) -> Count {
        count.map_or(Count::All, Count::Number)
    }
}

impl From<Symbolic> for Count {
    fn from(count: Symbolic) -> Count {
        Count::Of(count)
    }
}

impl From<&Symbolic> for Count {
    fn from(count: &Symbolic) -> Count {
        Count::Of(count.clone())
    }
}
