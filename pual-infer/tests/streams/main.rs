//! Recipes, windows and streams.

#[path = "../common/mod.rs"]
mod common;
#[path = "../forged/mod.rs"]
mod forged;

mod bad_recipes;
mod bands;
mod format_recipe;
mod stream;
mod windows;
