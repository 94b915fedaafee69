//! What somebody who mistyped a name may have meant.

/// The nearest of several names, if any is near: as many letters may be wrong as one and a quarter of the name's.
#[must_use]
pub fn nearest<'a>(name: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let most = 1 + name.chars().count() / 4;
    among
        .into_iter()
        .map(|other| (edit_distance(&other.to_lowercase(), &name), other))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, other)| other)
}

/// Levenshtein's distance: the fewest letters to insert, delete or replace.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut current = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let replace = previous[j] + usize::from(letter != *other);
            current.push(replace.min(previous[j + 1] + 1).min(current[j] + 1));
        }
        previous = current;
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_edits() {
        for (a, b, distance) in [
            ("", "", 0),
            ("label", "label", 0),
            ("lable", "label", 2),
            ("slope", "slop", 1),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edit_distance(a, b), distance, "{a} {b}");
            assert_eq!(edit_distance(b, a), distance, "{b} {a}");
        }
    }

    #[test]
    fn only_what_is_near_is_named() {
        let names = ["label", "lambda", "budget"];
        assert_eq!(nearest("Lable", names), Some("label"));
        assert_eq!(nearest("budgte", names), Some("budget"));
        assert_eq!(nearest("temperature", names), None);
        assert_eq!(nearest("x", []), None);
    }
}
