//! Names and sizes: one type for one name, files and folders that can be taken in at a glance.

use crate::source::{Module, read, root, tracked};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::str::FromStr;
use syn::{Item, Visibility};

const CRATES: [&str; 4] =
    ["trainer/src/lib.rs", "trainer/cli/src/main.rs", "trainer/device/src/lib.rs", "pual-infer/src/lib.rs"];

const MOST_LINES: usize = 400;
const MOST_FILES: usize = 12;

/// Words that say nothing about what a type holds.
const NOT_TYPES: [&str; 11] =
    ["Behind", "Made", "Asked", "Drawn", "Taken", "Kept", "Said", "Chosen", "Many", "Large", "Small"];

/// What each command's file calls its flags.
const SHARED: &str = "Args";

/// Types that others in the crate can name, and the modules that define them.
fn types(file: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for module in Module::open(&root().join(file)).all() {
        for item in &module.items {
            let (name, visibility) = match item {
                Item::Enum(item) => (&item.ident, &item.vis),
                Item::Struct(item) => (&item.ident, &item.vis),
                Item::Trait(item) => (&item.ident, &item.vis),
                Item::Type(item) => (&item.ident, &item.vis),
                _ => continue,
            };
            if !matches!(visibility, Visibility::Inherited) {
                let place = module.path.join("::");
                found.entry(name.to_string()).or_default().push(place);
            }
        }
    }
    found
}

#[test]
fn a_type_s_name_is_its_own_and_a_noun() {
    let mut wrong = Vec::new();
    for file in CRATES {
        for (name, places) in types(file) {
            if (places.len() > 1 && name != SHARED) || NOT_TYPES.contains(&name.as_str()) {
                wrong.push(format!("{file}: {name} in {}", places.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_and_folders_are_small() {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in tracked(&[".rs"]) {
        let lines = read(&root().join(&path)).lines().count();
        if lines > MOST_LINES {
            wrong.push(format!("{path}: {lines} lines"));
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.split('/').any(|name| name == "src") {
            *folders.entry(folder.to_owned()).or_default() += 1;
        }
    }
    let full = folders.into_iter().filter(|(_, files)| *files > MOST_FILES);
    wrong.extend(full.map(|(folder, files)| format!("{folder}: {files} files")));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_library_knows_no_flags() {
    let mut wrong = Vec::new();
    for path in tracked(&[".rs"]) {
        if path.starts_with("trainer/src/") {
            let tokens = TokenStream::from_str(&read(&root().join(&path)));
            let mut literals = Vec::new();
            strings(tokens.expect("it compiles"), &mut literals);
            let flags = literals.into_iter().filter(|text| has_flag(text));
            wrong.extend(flags.map(|text| format!("{path}: {text}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `--word`
fn has_flag(text: &str) -> bool {
    let mut after = text.match_indices("--").map(|(at, _)| &text[at + 2..]);
    after.any(|rest| rest.starts_with(|first: char| first.is_ascii_lowercase()))
}

/// Literals that are not documentation.
fn strings(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Literal(literal) => found.push(literal.to_string()),
            TokenTree::Group(group) => {
                let first = group.stream().into_iter().next();
                let is_doc = matches!(first, Some(TokenTree::Ident(name)) if name == "doc");
                if !is_doc {
                    strings(group.stream(), found);
                }
            }
            _ => {}
        }
    }
}
