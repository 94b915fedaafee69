//! FORMAT.md's worked example is the golden model it says it is.

mod common;

#[test]
fn the_hex_example_is_the_golden_model() {
    let document = include_str!("../FORMAT.md");
    let (_, example) = document.split_once("```hex\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let byte = |word: &str| {
        (word.len() == 2)
            .then(|| u8::from_str_radix(word, 16).ok())
            .flatten()
    };
    // At the start of each line, two-digit numbers; a comment begins with something else.
    let bytes: Vec<u8> = example
        .lines()
        .flat_map(|line| line.split_whitespace().map_while(byte))
        .collect();
    assert_eq!(bytes, common::GOLDEN[0].bytes);
}
