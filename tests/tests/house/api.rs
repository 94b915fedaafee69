//! What users of the learning library can name: trainer/public-api.txt.
//!
//! After a change that is meant: `PUAL_WRITE_GOLDEN=1 cargo test -p pual-tests --test house`, and read the difference.

use crate::source::{Module, is_hidden, is_pub, is_test, read, root, uses};
use std::collections::{BTreeMap, BTreeSet};
use syn::{Attribute, ImplItem, Item, TraitItem, Type, Visibility};

const MOST_ITEMS: usize = 250;

/// Where an item is defined: names from the root, its own the last.
type Place = Vec<String>;

#[test]
fn the_public_api_is_the_one_in_the_golden_file() {
    let library = Module::open(&root().join("trainer/src/lib.rs"));
    let items = Api::new(&library).items();
    let text: String = items.iter().map(|item| format!("{item}\n")).collect();
    let golden = root().join("trainer/public-api.txt");
    if std::env::var_os("PUAL_WRITE_GOLDEN").is_some() {
        std::fs::write(&golden, &text).unwrap();
    }
    let before: BTreeSet<String> = read(&golden).lines().map(str::to_owned).collect();
    let (new, gone): (Vec<_>, Vec<_>) = (items.difference(&before).collect(), before.difference(&items).collect());
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}\nif that is meant, set PUAL_WRITE_GOLDEN=1"
    );
    assert!(items.len() <= MOST_ITEMS, "{} public items", items.len());
}

struct Api<'a> {
    library: &'a Module,
    /// Names under which items are public.
    names: BTreeMap<Place, String>,
}

impl<'a> Api<'a> {
    fn new(library: &'a Module) -> Self {
        let mut api = Self { library, names: BTreeMap::new() };
        api.publish(library, "", &mut BTreeSet::new());
        api
    }

    /// Everything public in this module, under names that begin with `prefix`.
    fn publish(&mut self, module: &'a Module, prefix: &str, seen: &mut BTreeSet<Place>) {
        if !seen.insert(module.path.clone()) {
            return;
        }
        for item in &module.items {
            if let Some((name, _, visibility, attributes)) = definition(item)
                && is_pub(visibility)
                && !is_hidden(attributes)
                && !is_test(attributes)
            {
                let place = [&module.path[..], std::slice::from_ref(&name)].concat();
                self.publish_as(place, &format!("{prefix}{name}"));
            }
            let Item::Use(item) = item else { continue };
            if !is_pub(&item.vis) || is_hidden(&item.attrs) {
                continue;
            }
            for (name, path) in uses(&item.tree) {
                if name == "*" {
                    if let Some(found) = self.module(module, &path) {
                        self.publish(found, prefix, seen);
                    }
                } else if let Some(found) = self.module(module, &path) {
                    self.publish(found, &format!("{prefix}{name}::"), seen);
                } else if let Some(place) = self.resolve(module, &path, 0) {
                    self.publish_as(place, &format!("{prefix}{name}"));
                } else {
                    // From another crate.
                    let place = [&["extern".to_owned()], &path[..]].concat();
                    self.publish_as(place, &format!("{prefix}{name}"));
                }
            }
        }
        for (name, child) in &module.children {
            if child.is_public {
                self.publish(child, &format!("{prefix}{name}::"), seen);
            }
        }
    }

    /// The shortest of its names is the one listed.
    fn publish_as(&mut self, place: Place, name: &str) {
        let known = self.names.entry(place).or_insert_with(|| name.to_owned());
        if name.matches("::").count() < known.matches("::").count() {
            name.clone_into(known);
        }
    }

    /// The module that `path` leads to from `from`.
    fn module(&self, from: &Module, path: &[String]) -> Option<&'a Module> {
        let mut at: Vec<String> = from.path.clone();
        let mut is_first = true;
        for segment in path {
            match segment.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => _ = at.pop(),
                name => {
                    // `use data::csv` is from here if there is such a module, else another crate.
                    at.push(name.to_owned());
                    if self.at(&at).is_none() {
                        at.pop();
                        let through = self.imported(&at, name).filter(|_| !is_first)?;
                        at = through;
                    }
                }
            }
            is_first = false;
        }
        self.at(&at)
    }

    /// The module with this path from the root.
    fn at(&self, path: &[String]) -> Option<&'a Module> {
        let step = |module: &'a Module, name: &String| module.children.get(name);
        path.iter().try_fold(self.library, step)
    }

    /// Where a module that is imported by this name is.
    fn imported(&self, at: &[String], name: &str) -> Option<Vec<String>> {
        let module = self.at(at)?;
        let path = imports(module).find_map(|(known, path)| (known == name).then_some(path))?;
        self.module(module, &path).map(|found| found.path.clone())
    }

    /// Where the item is defined that `path` means in `from`; `None` if in another crate.
    fn resolve(&self, from: &Module, path: &[String], steps: usize) -> Option<Place> {
        let (name, before) = path.split_last()?;
        let module = self.module(from, before)?;
        let is_it = |item: &&Item| definition(item).is_some_and(|found| found.0 == *name);
        if module.items.iter().any(|item| is_it(&item)) {
            return Some([&module.path[..], std::slice::from_ref(name)].concat());
        }
        if steps > 8 {
            return None;
        }
        imports(module).find_map(|(known, path)| match known.as_str() {
            known if known == name => self.resolve(module, &path, steps + 1),
            "*" => self.resolve(module, &[&path[..], std::slice::from_ref(name)].concat(), steps + 1),
            _ => None,
        })
    }

    fn items(&self) -> BTreeSet<String> {
        let mut items = BTreeSet::new();
        for (place, name) in &self.names {
            if place[0] == "extern" {
                items.insert(format!("use {name}"));
            }
        }
        for module in self.library.all() {
            for item in &module.items {
                if let Some((own, kind, ..)) = definition(item) {
                    let place = [&module.path[..], &[own]].concat();
                    if let Some(name) = self.names.get(&place) {
                        items.insert(format!("{kind} {name}"));
                        items.extend(members(item).map(|member| format!("fn {name}::{member}")));
                    }
                } else if let Item::Impl(block) = item
                    && block.trait_.is_none()
                    && let Type::Path(path) = &*block.self_ty
                {
                    let path = path.path.segments.iter();
                    let path: Vec<_> = path.map(|segment| segment.ident.to_string()).collect();
                    let place = self.resolve(module, &path, 0);
                    if let Some(name) = place.and_then(|place| self.names.get(&place)) {
                        items.extend(block.items.iter().filter_map(|item| method(item, name)));
                    }
                }
            }
        }
        items
    }
}

fn imports(module: &Module) -> impl Iterator<Item = (String, Vec<String>)> {
    module.items.iter().flat_map(|item| match item {
        Item::Use(item) => uses(&item.tree),
        _ => Vec::new(),
    })
}

/// Name, kind, visibility and attributes of what can be named from outside.
fn definition(item: &Item) -> Option<(String, &'static str, &Visibility, &[Attribute])> {
    let (name, kind, visibility, attributes) = match item {
        Item::Const(item) => (&item.ident, "const", &item.vis, &item.attrs),
        Item::Enum(item) => (&item.ident, "enum", &item.vis, &item.attrs),
        Item::Fn(item) => (&item.sig.ident, "fn", &item.vis, &item.attrs),
        Item::Static(item) => (&item.ident, "static", &item.vis, &item.attrs),
        Item::Struct(item) => (&item.ident, "struct", &item.vis, &item.attrs),
        Item::Trait(item) => (&item.ident, "trait", &item.vis, &item.attrs),
        Item::Type(item) => (&item.ident, "type", &item.vis, &item.attrs),
        _ => return None,
    };
    Some((name.to_string(), kind, visibility, attributes))
}

/// The functions of a trait.
fn members(item: &Item) -> impl Iterator<Item = String> {
    let items = match item {
        Item::Trait(item) => &item.items[..],
        _ => &[],
    };
    items.iter().filter_map(|item| match item {
        TraitItem::Fn(item) => Some(item.sig.ident.to_string()),
        _ => None,
    })
}

/// A public method or constant of the type `name`.
fn method(item: &ImplItem, name: &str) -> Option<String> {
    let (kind, own, visibility, attributes) = match item {
        ImplItem::Fn(item) => ("fn", &item.sig.ident, &item.vis, &item.attrs),
        ImplItem::Const(item) => ("const", &item.ident, &item.vis, &item.attrs),
        _ => return None,
    };
    let listed = is_pub(visibility) && !is_hidden(attributes) && !is_test(attributes);
    listed.then(|| format!("{kind} {name}::{own}"))
}
