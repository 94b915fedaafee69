//! Plain English: phrases that were replaced stay away, in code and text alike.

use crate::source::{read, root, tracked};

/// Lower case, without the bars, which keep this file from containing them.
const PHRASES: [&str; 40] = [
    "a table a com|mand",
    "asked tw|ice",
    "beside model and st|ack",
    "by est|imate",
    "cannot be h|ad",
    "dealt am|ong",
    "dealt into f|olds",
    "filling of the last bl|ock",
    "goes back to n|one",
    "goes on where it was en|ded",
    "gone back to too of|ten",
    "gone on w|ith",
    " in alre|ady",
    "instructions a sc|ore",
    "is to be h|ad",
    "json object a l|ine",
    "laid at its d|oor",
    "luck averages o|ut",
    "most weight h|ave",
    "nobody has cou|nted",
    "not to be h|ad",
    "nothing is said o|f",
    "of the kernel matrix unexpl|ained",
    "one a proc|essor",
    "one of six and ten at m|ost",
    "paths are meant f|rom",
    "points between t|hem",
    "rows between r|ows",
    "rows divided among f|iles",
    "rows to agree o|n",
    "said before the work beg|ins",
    "so many r|ows",
    "the best so m|any",
    "to say that it is m|eant",
    "to the safe s|ide",
    "was checked is not s|o",
    "weighed by rel|evance",
    "what it looks a|t",
    "whatever was com|pared",
    "whoever r|ead",
];

#[test]
fn stilted_phrases_stay_away() {
    let phrases = PHRASES.map(|phrase| phrase.replace('|', ""));
    let mut wrong = Vec::new();
    for path in tracked(&[".rs", ".md", ".txt", ".py", ".sh", ".toml"]) {
        let (text, lines) = joined(&read(&root().join(&path)));
        for phrase in &phrases {
            for (at, _) in text.match_indices(phrase.as_str()) {
                let line = lines.partition_point(|start| *start <= at);
                wrong.push(format!("{path}:{line}: {phrase}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} found: {wrong:#?}", wrong.len());
}

/// The text in lower case with single spaces and no comment marks, so that a phrase may run over two lines; and where
/// each line begins in it.
fn joined(text: &str) -> (String, Vec<usize>) {
    let (mut joined, mut starts) = (String::new(), Vec::new());
    for line in text.lines() {
        starts.push(joined.len());
        let line = line.trim().trim_start_matches(['/', '!', '#', '*', '>']);
        for word in line.split_whitespace() {
            joined += &word.to_lowercase();
            joined.push(' ');
        }
    }
    (joined, starts)
}

#[test]
fn a_phrase_is_found_over_two_lines() {
    let (text, lines) = joined("a\n/// Rows are IN\n/// alr");
    let at = text.find("in alr").unwrap();
    assert_eq!(lines.partition_point(|start| *start <= at), 2);
}
