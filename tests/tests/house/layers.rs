//! A crate's root declares its modules lowest first, and a module uses only those above it: then there is no cycle either.

use crate::source::{Module, read, root, tracked, uses};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use syn::Item;

/// Roots of the crates whose layers are checked.
const CRATES: [&str; 4] =
    ["trainer/src/lib.rs", "trainer/cli/src/main.rs", "trainer/device/src/lib.rs", "pual-infer/src/lib.rs"];

/// The order of the learning library's modules.
const LIBRARY: [&str; 12] = [
    "base",
    "data",
    "streams",
    "geometry",
    "solver",
    "learner",
    "choose",
    "ensemble",
    "model",
    "bulk",
    "pipeline",
    "experiments",
];

#[test]
fn the_library_has_its_layers() {
    let library = Module::open(&root().join("trainer/src/lib.rs"));
    // What follows are doors to these, without files of their own.
    assert_eq!(library.order[..LIBRARY.len()], LIBRARY);
}

#[test]
fn no_module_uses_a_higher_one() {
    let mut upward = BTreeSet::new();
    for file in CRATES {
        let library = Module::open(&root().join(file));
        let folder = file.rsplit_once('/').expect("a path").0;
        let reexported = reexported(&library);
        let place = |name: &str| library.order.iter().position(|module| module == name);
        for path in tracked(&[".rs"]) {
            let Some(inside) = path.strip_prefix(&format!("{folder}/")) else {
                continue;
            };
            let names: Vec<&str> = inside.trim_end_matches(".rs").split('/').collect();
            // The root itself, programs, and what is compiled for tests only have no place in the order.
            let Some(here) = place(names[0]) else {
                continue;
            };
            let depth = names.len() - usize::from(names.last() == Some(&"mod"));
            let tokens = TokenStream::from_str(&read(&root().join(&path)));
            let mut used = BTreeSet::new();
            from_root(tokens.expect("it compiles"), depth, &mut used);
            for name in used {
                let module = reexported.get(&name).unwrap_or(&name);
                if place(module).is_none_or(|there| there > here) && module != "tests" {
                    upward.insert(format!("{path} uses crate::{name}"));
                }
            }
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

/// Names that the root re-exports, with the modules they come from.
fn reexported(library: &Module) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for item in &library.items {
        if let Item::Use(item) = item {
            for (name, mut path) in uses(&item.tree) {
                path.retain(|segment| segment != "crate" && segment != "self");
                found.insert(name, path[0].clone());
            }
        }
    }
    found
}

/// The names right below the crate's root in `crate::name`, `crate::{name, ...}`, and in as many `super::` as lead there.
fn from_root(tokens: TokenStream, depth: usize, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let word = |at: usize| match tokens.get(at) {
        Some(TokenTree::Ident(ident)) => ident.to_string(),
        Some(TokenTree::Punct(punct)) => punct.as_char().to_string(),
        _ => String::new(),
    };
    let mut at = 0;
    while at < tokens.len() {
        if let TokenTree::Group(group) = &tokens[at] {
            // `mod tests { ... }` is one level deeper.
            let deeper = usize::from(at >= 2 && word(at - 2) == "mod");
            from_root(group.stream(), depth + deeper, found);
        }
        let mut next = at;
        let mut supers = 0;
        while word(next) == "super" {
            supers += 1;
            next += 3;
        }
        let is_crate = word(at) == "crate" && (at == 0 || word(at - 1) != "$");
        if is_crate {
            next = at + 3;
        }
        if (is_crate && word(at + 1) == ":") || (supers > 0 && supers >= depth) {
            match tokens.get(next) {
                Some(TokenTree::Ident(name)) => _ = found.insert(name.to_string()),
                Some(TokenTree::Group(group)) => found.extend(first_names(group.stream())),
                _ => {}
            }
        }
        at = next.max(at + 1);
    }
}

/// Of `{a::b, c, d::{e, f}}`: a, c, d.
fn first_names(tokens: TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_first = true;
    for token in tokens {
        match token {
            TokenTree::Ident(name) if is_first => {
                names.push(name.to_string());
                is_first = false;
            }
            TokenTree::Punct(punct) => is_first |= punct.as_char() == ',',
            _ => {}
        }
    }
    names
}

#[test]
fn paths_from_the_root_are_found() {
    let found = |text: &str, depth: usize| {
        let mut found = BTreeSet::new();
        from_root(TokenStream::from_str(text).unwrap(), depth, &mut found);
        found.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found("use crate::a::b; fn f() { crate::c::g() }", 1), "a c");
    assert_eq!(found("use crate::{a::b, c, d::{e, f}};", 1), "a c d");
    assert_eq!(found("use super::a; mod tests { use super::b; }", 1), "a");
    assert_eq!(found("use super::super::a; use super::b;", 2), "a");
    assert_eq!(found("$crate::a; // crate::b", 1), "");
}
