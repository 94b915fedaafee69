//! FORMAT.md's worked examples are the golden models they say they are.

mod common;

use common::{GOLDEN, GOLDEN_FIXED};

#[test]
fn the_hex_examples_are_the_golden_models() {
    let document = include_str!("../FORMAT.md");
    let examples = document.split("```hex\n").skip(1);
    let found: Vec<Vec<u8>> = examples
        .map(|example| bytes(example.split("```").next().unwrap()))
        .collect();
    assert_eq!(found, [GOLDEN[0].bytes, GOLDEN_FIXED[1].bytes]);
}

/// At the start of each line, two-digit numbers; a comment begins with something else.
fn bytes(example: &str) -> Vec<u8> {
    let byte = |word: &str| {
        (word.len() == 2)
            .then(|| u8::from_str_radix(word, 16).ok())
            .flatten()
    };
    example
        .lines()
        .flat_map(|line| line.split_whitespace().map_while(byte))
        .collect()
}
