//! The repository's files, and a crate's modules as `syn` parses them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use syn::{Attribute, Item, UseTree, Visibility};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Paths of the tracked files with one of these endings, from the root.
pub fn tracked(endings: &[&str]) -> Vec<String> {
    let mut git = Command::new("git");
    let output = git.current_dir(root()).arg("ls-files").output();
    let output = output.expect("git runs");
    assert!(output.status.success(), "git ls-files failed");
    let text = String::from_utf8(output.stdout).expect("paths are text");
    let known = |path: &&str| endings.iter().any(|ending| path.ends_with(ending));
    let there = |path: &&str| root().join(path).exists();
    let paths = text.lines().filter(known).filter(there);
    paths.map(str::to_owned).collect()
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A module, without what is compiled for tests only.
pub struct Module {
    /// Names from the crate's root.
    pub path: Vec<String>,
    pub items: Vec<Item>,
    /// In the order of their declarations.
    pub order: Vec<String>,
    pub children: BTreeMap<String, Module>,
    /// Declared `pub`, and not hidden from the documentation.
    pub is_public: bool,
}

impl Module {
    /// The crate whose root is this file.
    pub fn open(file: &Path) -> Self {
        let items = parse(file).items;
        let folder = file.parent().expect("a file lies in a folder");
        Self::new(Vec::new(), items, folder, true)
    }

    /// `folder` is where the files of its children are.
    fn new(path: Vec<String>, items: Vec<Item>, folder: &Path, is_public: bool) -> Self {
        let mut module = Self { path, items: Vec::new(), order: Vec::new(), children: BTreeMap::new(), is_public };
        for item in items {
            match item {
                Item::Mod(child) if !is_test(&child.attrs) => {
                    let name = child.ident.to_string();
                    let below = folder.join(&name);
                    let items = match child.content {
                        Some((_, items)) => items,
                        None => {
                            let beside = below.with_extension("rs");
                            let inside = below.join("mod.rs");
                            parse(if beside.exists() { &beside } else { &inside }).items
                        }
                    };
                    let path = [&module.path[..], std::slice::from_ref(&name)].concat();
                    let is_public = is_pub(&child.vis) && !is_hidden(&child.attrs);
                    module.order.push(name.clone());
                    let child = Self::new(path, items, &below, is_public);
                    module.children.insert(name, child);
                }
                Item::Mod(_) => {}
                other => module.items.push(other),
            }
        }
        module
    }

    /// This module and all below it.
    pub fn all(&self) -> Vec<&Self> {
        let below = self.children.values().flat_map(Self::all);
        std::iter::once(self).chain(below).collect()
    }
}

fn parse(file: &Path) -> syn::File {
    syn::parse_file(&read(file)).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

pub fn is_pub(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// `#[cfg(test)]`
pub fn is_test(attributes: &[Attribute]) -> bool {
    has(attributes, "cfg", "test")
}

/// `#[doc(hidden)]`
pub fn is_hidden(attributes: &[Attribute]) -> bool {
    has(attributes, "doc", "hidden")
}

fn has(attributes: &[Attribute], name: &str, word: &str) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident(name) && list.is_ok_and(|list| list.tokens.to_string() == word)
    })
}

/// The names that a `use` brings in, each with the path it stands for. A glob's name is `*`.
pub fn uses(tree: &UseTree) -> Vec<(String, Vec<String>)> {
    fn walk(tree: &UseTree, before: &[String], found: &mut Vec<(String, Vec<String>)>) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => walk(&path.tree, &with(&path.ident), found),
            UseTree::Name(name) if name.ident == "self" => {
                let last = before.last().cloned().unwrap_or_default();
                found.push((last, before.to_vec()));
            }
            UseTree::Name(name) => found.push((name.ident.to_string(), with(&name.ident))),
            UseTree::Rename(name) => found.push((name.rename.to_string(), with(&name.ident))),
            UseTree::Glob(_) => found.push(("*".to_owned(), before.to_vec())),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| walk(tree, before, found));
            }
        }
    }
    let mut found = Vec::new();
    walk(tree, &[], &mut found);
    found
}
