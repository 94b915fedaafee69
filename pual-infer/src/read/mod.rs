//! Every byte is checked once; what stands in a model is known afterwards.

pub(crate) mod verdict;

#[macro_use]
pub(crate) mod description;

pub(crate) mod check;

pub(crate) mod recipe;

pub(crate) mod check_recipe;

pub(crate) mod check_fixed;

pub(crate) mod layout;
