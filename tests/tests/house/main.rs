//! How the sources are arranged: layers of modules, the library's public API, names, sizes of files, wording.

mod api;
mod layers;
mod names;
mod source;
mod words;
