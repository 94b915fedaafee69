//! Is what a page shows what a command prints?
//!
//! Words must be the same, line by line; a line `...` stands for any lines left out. Numbers may differ by 5 %: a model trained on
//! another processor may differ in its last bits, another compiler makes another firmware. Seconds may differ by anything.

/// Share by which a number may differ.
const TOLERANCE: f64 = 0.05;

/// Lines left out.
const LEFT_OUT: &str = "...";

/// What the page should show: its own lines where they hold, and the printed ones where numbers have moved; or, if the words are
/// others, what does not match.
pub fn renew(shown: &str, printed: &str) -> Result<String, String> {
    let mut rest: Vec<&str> = printed.lines().collect();
    let mut renewed = String::new();
    let mut anywhere = false;
    for line in shown.lines() {
        if line == LEFT_OUT {
            anywhere = true;
            renewed += "...\n";
            continue;
        }
        let reach = if anywhere { rest.len() } else { 1.min(rest.len()) };
        // Lines of a table have the same words: where some are left out, the one with our numbers is meant, if there is one.
        let alike = |printed: &&str| words(printed) == words(line);
        let found = rest[..reach]
            .iter()
            .position(|printed| alike(printed) && same_numbers(line, printed))
            .or_else(|| rest[..reach].iter().position(alike));
        let Some(at) = found else {
            let next = rest.first().unwrap_or(&"nothing");
            return Err(format!("the page has\n  {line}\nbut printed is\n  {next}"));
        };
        renewed += if same_numbers(line, rest[at]) { line } else { rest[at] };
        renewed.push('\n');
        rest.drain(..=at);
        anywhere = false;
    }
    match rest.first() {
        Some(line) if !anywhere => Err(format!("the page has no\n  {line}")),
        _ => Ok(renewed),
    }
}

/// The line with every number replaced, and blanks made one.
fn words(line: &str) -> String {
    let words = line.split_whitespace().map(|word| match number(word) {
        Some(_) => "#",
        None => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The value of a word such as `1,000`, `3.2e-6`, `(28.6`.
fn number(word: &str) -> Option<f64> {
    let plain = word.trim_matches(['(', ')', ',', ';', ':', '%']).replace(',', "");
    plain.starts_with(|c: char| c.is_ascii_digit() || c == '-').then_some(())?;
    plain.parse().ok()
}

fn same_numbers(shown: &str, printed: &str) -> bool {
    let shown: Vec<&str> = shown.split_whitespace().collect();
    let printed = printed.split_whitespace();
    let after = shown.iter().skip(1).copied().chain([""]);
    shown.iter().zip(after).zip(printed).all(|((shown, after), printed)| match (number(shown), number(printed)) {
        (Some(a), Some(b)) => after == "s" || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()),
        _ => true,
    })
}

#[test]
fn outputs_are_compared_as_they_should_be() {
    let printed = "model  98 bytes\nladder\n4  98\n8  114\ntook 3 s\n";
    let holds = |shown: &str| renew(shown, printed).is_ok_and(|renewed| renewed == shown);
    assert!(holds(printed));
    assert!(holds("model 99 bytes\n...\n8 114\ntook 9 s\n"));
    assert!(holds("...\n8 114\n...\n"));
    assert!(!holds("model 198 bytes\n...\n"), "a number has moved");
    assert!(!holds("model 98 bits\n...\n"), "another word");
    assert!(!holds("model 98 bytes\n"), "lines are missing");
    assert!(!holds("...\n8 114\n4 98\n...\n"), "another order");
}
