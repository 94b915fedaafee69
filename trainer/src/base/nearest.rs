//! What a mistyped name was meant to be.

use strsim::levenshtein;

/// The nearest of several names, if one is near: one wrong letter, and one more for every four letters of the name.
#[must_use]
pub fn nearest<'a>(name: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let most = 1 + name.chars().count() / 4;
    among
        .into_iter()
        .map(|other| (levenshtein(&other.to_lowercase(), &name), other))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_is_named() {
        let names = ["label", "lambda", "budget"];
        assert_eq!(nearest("Lable", names), Some("label"));
        assert_eq!(nearest("budgte", names), Some("budget"));
        assert_eq!(nearest("temperature", names), None);
        assert_eq!(nearest("x", []), None);
    }
}
