//! "Did you mean": the name nearest to a misspelt one.

/// The candidate nearest to `name`, if any is near enough to be a likely slip.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(2);
    let distances = candidates.into_iter().map(|candidate| (distance(name, candidate), candidate));
    distances.min().filter(|&(distance, _)| distance <= limit).map(|(_, candidate)| candidate)
}

/// Levenshtein distance, letter case counting as nothing and a last path component (`image/label`) as near.
fn distance(name: &str, candidate: &str) -> usize {
    if last_component(name).eq_ignore_ascii_case(last_component(candidate)) {
        return usize::from(!name.eq_ignore_ascii_case(candidate));
    }
    let (a, b): (Vec<char>, Vec<char>) =
        (name.to_lowercase().chars().collect(), candidate.to_lowercase().chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn last_component(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips_and_leaves_strangers_alone() {
        let names = ["image/encoded", "image/class/label", "Height", "width"];
        for (asked, found) in [
            ("image/encode", Some("image/encoded")),
            ("label", Some("image/class/label")),
            ("height", Some("Height")),
            ("wdith", Some("width")),
            ("embedding", None),
        ] {
            assert_eq!(nearest(asked, names), found, "{asked}");
        }
        assert_eq!(nearest("x", []), None);
    }
}
