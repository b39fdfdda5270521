//! Whose the next rows are, if every stream has enough of them: what each is certain to be asked for, as far as anybody knows.

use feedline_plan::Turns;

/// The places that take turns from the one at hand on, and what the turn at hand has left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    /// Rows that are asked for; `u64::MAX`: nobody knows.
    pub(super) asked: u64,
    /// Places that take turns, the one at hand among them.
    pub(super) num_places: usize,
    /// Rows of the turn at hand that are to come.
    pub(super) left_of_turn: u64,
    pub(super) turns: Turns,
}

impl Shares {
    /// Rows of the place so many turns behind the one at hand; `u64::MAX`: nobody knows.
    pub(super) fn of(&self, distance: usize) -> u64 {
        if self.asked == u64::MAX {
            return u64::MAX;
        }
        let (distance, places, length) =
            (distance as u64, self.num_places.max(1) as u64, self.turns.block_length);
        let at_hand = self.asked.min(self.left_of_turn);
        let behind = self.asked - at_hand;
        let (whole, part) = (behind / length, behind % length);
        // Turns behind the one at hand are numbered from 1 on; those of a place are `places` apart.
        let own_whole = if distance == 0 {
            whole / places
        } else {
            whole.checked_sub(distance).map_or(0, |later| later / places + 1)
        };
        let own_part = if (whole + 1) % places == distance % places { part } else { 0 };
        let own = own_whole * length + own_part;
        if distance == 0 { own + at_hand } else { own }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row by row.
    fn counted(shares: &Shares) -> Vec<u64> {
        let mut rows = vec![0; shares.num_places];
        let (mut place, mut left) = (0, shares.left_of_turn);
        for _ in 0..shares.asked {
            rows[place] += 1;
            left -= 1;
            if left == 0 {
                (place, left) = ((place + 1) % shares.num_places, shares.turns.block_length);
            }
        }
        rows
    }

    #[test]
    fn shares_are_those_of_whoever_takes_turns() {
        for asked in 0..40 {
            for num_places in 1..5 {
                for block_length in 1..5 {
                    for left_of_turn in 1..=block_length {
                        let turns = Turns {
                            cycle_length: num_places,
                            block_length,
                            num_parallel_calls: None,
                            deterministic: Some(true),
                        };
                        let shares = Shares { asked, num_places, left_of_turn, turns };
                        let found: Vec<u64> = (0..num_places).map(|distance| shares.of(distance)).collect();
                        assert_eq!(found, counted(&shares), "{shares:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn one_at_a_time_to_its_end_has_all_and_where_nobody_knows_all_have() {
        let turns = Turns {
            cycle_length: 1,
            block_length: u64::MAX,
            num_parallel_calls: None,
            deterministic: Some(true),
        };
        let shares = Shares { asked: 7, num_places: 1, left_of_turn: u64::MAX - 5, turns };
        assert_eq!(shares.of(0), 7);
        assert_eq!(Shares { asked: u64::MAX, ..shares }.of(0), u64::MAX);
    }
}
