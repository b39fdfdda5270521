//! What the equation of `einsum` means: to the plan, which infers shapes, and to the kernel.

/// The letters of each tensor of an equation, and of the result. An ellipsis is one letter until the number of
/// dimensions it stands for is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// Those of each input, a letter a dimension.
    pub inputs: Vec<Vec<char>>,
    /// Those of the result.
    pub output: Vec<char>,
}

/// `...`: dimensions without letters, which are broadcast.
const ELLIPSIS: char = '…';

/// The letter of the dimension that is `index` from the right among those of an ellipsis: of no alphabet that equations are written in.
fn broadcast_letter(index: usize) -> Option<char> {
    let first = '\u{f0000}' as u32;
    u32::try_from(index).ok().and_then(|index| char::from_u32(first + index))
}

fn is_broadcast(letter: char) -> bool {
    letter >= '\u{f0000}'
}

impl Equation {
    /// What `text` says about `num_inputs` tensors.
    ///
    /// # Errors
    /// If it says something else, or something that is not supported.
    pub fn parse(text: &str, num_inputs: usize) -> Result<Equation, String> {
        let plain: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let plain = plain.replace("...", &ELLIPSIS.to_string());
        let (left, right) = match plain.split_once("->") {
            Some((left, right)) => (left, Some(right)),
            None => (plain.as_str(), None),
        };
        let letters = |part: &str| -> Result<Vec<char>, String> {
            let is_wrong = |letter: &char| !letter.is_ascii_alphabetic() && *letter != ELLIPSIS;
            if let Some(other) = part.chars().find(is_wrong) {
                return Err(format!("equation '{text}' has a '{other}' where letters stand"));
            }
            if part.chars().filter(|letter| *letter == ELLIPSIS).count() > 1 {
                return Err(format!("equation '{text}': a tensor has two ellipses"));
            }
            Ok(part.chars().collect())
        };
        let inputs: Vec<Vec<char>> = left.split(',').map(letters).collect::<Result<_, _>>()?;
        if inputs.len() != num_inputs {
            return Err(format!("equation '{text}' is about {} tensors, not {num_inputs}", inputs.len()));
        }
        let count = |letter: char| inputs.iter().flatten().filter(|other| **other == letter).count();
        let once = || {
            let all = inputs.iter().flatten().copied();
            let mut once: Vec<char> =
                all.filter(|&letter| letter != ELLIPSIS && count(letter) == 1).collect();
            once.sort_unstable();
            let ellipsis = (count(ELLIPSIS) > 0).then_some(ELLIPSIS);
            ellipsis.into_iter().chain(once).collect()
        };
        let output = right.map_or_else(|| Ok(once()), letters)?;
        for (index, &letter) in output.iter().enumerate() {
            if count(letter) == 0 && letter != ELLIPSIS {
                return Err(format!("equation '{text}': no input has the '{letter}' of the result"));
            }
            if output[..index].contains(&letter) {
                return Err(format!("equation '{text}': the result has '{letter}' twice"));
            }
        }
        Ok(Equation { inputs, output })
    }

    /// Whether a tensor has an ellipsis, so that its number of dimensions is needed to read it.
    pub fn has_ellipsis(&self) -> bool {
        self.inputs.iter().chain([&self.output]).flatten().any(|&letter| letter == ELLIPSIS)
    }

    /// It with a letter for each dimension that an ellipsis stands for, of tensors that have so many dimensions each.
    ///
    /// # Errors
    /// If a tensor has fewer dimensions than letters, or the result has no place for those of the ellipses.
    pub fn of_ranks(&self, ranks: &[usize]) -> Result<Equation, String> {
        let mut num_broadcast = 0;
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for (index, (letters, &rank)) in self.inputs.iter().zip(ranks).enumerate() {
            let num_letters = letters.iter().filter(|letter| **letter != ELLIPSIS).count();
            let Some(hidden) = rank.checked_sub(num_letters) else {
                return Err(wrong_rank(index, rank, num_letters));
            };
            if letters.contains(&ELLIPSIS) {
                num_broadcast = num_broadcast.max(hidden);
            }
            inputs.push(expanded(letters, hidden)?);
        }
        if num_broadcast > 0 && !self.output.contains(&ELLIPSIS) {
            return Err(format!(
                "the tensors have {num_broadcast} dimensions in an ellipsis, and the result has none"
            ));
        }
        Ok(Equation { inputs, output: expanded(&self.output, num_broadcast)? })
    }

    /// Every letter once: those of the result, then those that are summed over.
    pub fn letters(&self) -> Vec<char> {
        let mut all = self.output.clone();
        for &letter in self.inputs.iter().flatten() {
            if !all.contains(&letter) {
                all.push(letter);
            }
        }
        all
    }

    /// The size of each of [`Equation::letters`], for inputs of these shapes; `None` is a size that is not known.
    ///
    /// # Errors
    /// If a tensor has another number of dimensions, or a letter two sizes.
    pub fn sizes(&self, shapes: &[&[Option<usize>]]) -> Result<Vec<Option<usize>>, String> {
        for (index, (letters, shape)) in self.inputs.iter().zip(shapes).enumerate() {
            if letters.len() != shape.len() {
                return Err(wrong_rank(index, shape.len(), letters.len()));
            }
        }
        let size = |letter: char| {
            let own = self.inputs.iter().zip(shapes).flat_map(|(letters, shape)| letters.iter().zip(*shape));
            let own: Vec<Option<usize>> =
                own.filter(|(other, _)| **other == letter).map(|(_, dim)| *dim).collect();
            // A dimension of one that is broadcast takes the size of the others.
            let decides = |size: &usize| !(is_broadcast(letter) && *size == 1);
            let mut known = own.iter().flatten().copied().filter(decides);
            let Some(first) = known.next() else {
                let is_one = is_broadcast(letter) && own.iter().all(|size| *size == Some(1));
                return Ok(is_one.then_some(1));
            };
            match known.find(|other| *other != first) {
                Some(other) if is_broadcast(letter) => {
                    Err(format!("dimensions of {first} and {other} in an ellipsis do not fit together"))
                }
                Some(other) => Err(format!("'{letter}' is {first} in one place and {other} in another")),
                None => Ok(Some(first)),
            }
        };
        self.letters().into_iter().map(size).collect()
    }
}

fn wrong_rank(index: usize, rank: usize, num_letters: usize) -> String {
    format!("input {index} has {rank} dimensions, its part of the equation {num_letters} letters")
}

/// The letters with those of `hidden` dimensions where the ellipsis is.
fn expanded(letters: &[char], hidden: usize) -> Result<Vec<char>, String> {
    let mut all = Vec::with_capacity(letters.len() + hidden);
    for &letter in letters {
        if letter != ELLIPSIS {
            all.push(letter);
            continue;
        }
        for index in (0..hidden).rev() {
            all.push(broadcast_letter(index).ok_or("an ellipsis of more dimensions than there can be")?);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_read_and_refused() {
        let product = Equation::parse("ij, jk -> ik", 2).expect("valid");
        assert_eq!(product.letters(), ['i', 'k', 'j']);
        assert_eq!(
            product.sizes(&[&[Some(2), None], &[Some(3), Some(4)]]),
            Ok(vec![Some(2), Some(4), Some(3)])
        );
        assert_eq!(Equation::parse("ij,jk", 2).map(|equation| equation.output), Ok(vec!['i', 'k']));
        assert_eq!(Equation::parse("ii", 1).map(|equation| equation.output), Ok(vec![]));
        let cases = [
            ("ij->ik", 1, "no input has the 'k'"),
            ("ij->ii", 1, "has 'i' twice"),
            ("ij,jk->ik", 1, "is about 2 tensors"),
            ("i,i,i->i", 2, "is about 3 tensors"),
            ("...i...->i", 1, "two ellipses"),
            ("i..j->ij", 1, "'.' where letters"),
            ("i1->i", 1, "'1' where letters"),
        ];
        for (text, num_inputs, expected) in cases {
            let error = Equation::parse(text, num_inputs).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(product.sizes(&[&[Some(2), Some(5)], &[Some(3), Some(4)]]).is_err());
        assert!(product.sizes(&[&[Some(2)], &[Some(3), Some(4)]]).is_err());
    }

    #[test]
    fn an_ellipsis_stands_for_dimensions_that_are_broadcast() {
        let equation = Equation::parse("...ij, ...jk -> ...ik", 2).expect("valid");
        assert!(equation.has_ellipsis() && !Equation::parse("ij->i", 1).expect("valid").has_ellipsis());
        let one = equation.of_ranks(&[4, 3]).expect("fits");
        assert_eq!((one.inputs[0].len(), one.inputs[1].len(), one.output.len()), (4, 3, 4));
        let shapes = |middle: usize| {
            let (a, b) = ([Some(5), Some(1), Some(2), None], [Some(middle), Some(3), Some(4)]);
            one.sizes(&[&a, &b])
        };
        assert_eq!(shapes(7), Ok([5, 7, 2, 4, 3].map(Some).to_vec()));
        assert_eq!(shapes(1), Ok([5, 1, 2, 4, 3].map(Some).to_vec()));
        let wrong = one.sizes(&[&[Some(5), Some(6), Some(2), None], &[Some(7), Some(3), Some(4)]]);
        assert!(wrong.expect_err("6 and 7").contains("do not fit"));
        assert!(equation.of_ranks(&[1, 3]).expect_err("too few").contains("input 0 has 1 dimensions"));
        let without = Equation::parse("...i->i", 1).expect("valid");
        assert!(without.of_ranks(&[1]).is_ok() && without.of_ranks(&[2]).is_err());
        // Without a result: what is there once, behind the dimensions of the ellipsis.
        assert_eq!(Equation::parse("j...i", 1).map(|equation| equation.output), Ok(vec!['…', 'i', 'j']));
    }
}
