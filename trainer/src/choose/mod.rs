//! Judging and choosing, without a single known negative.
//!
//! ```text
//! rows -> folds -> grid of settings -> one trial per setting: the folds' counts -> rule -> the best trial
//! ```
//!
//! | file | what |
//! |---|---|
//! | `metrics` | precision, recall, F1; PUF, which needs no truth |
//! | `options` | what a user asks for, and may leave open |
//! | `settings` | the numbers of a fit: given, or by rules of thumb |
//! | `fitting` | what the fits of a search and the final fit share |
//! | `trial` | how a setting did on the folds |
//! | `ranking` | trials to the best of them |
//! | `grid` | the settings to try: ours, and the paper's two |
//! | `refine` | the paper's greedy search around the best of a grid |
//! | `journal` | every fit on disk as it is made, and how a search resumes from there |
//! | `evaluate` | settings to trials |
//! | `tune` | the whole search |

mod evaluate;
pub(crate) mod fitting;
mod grid;
mod journal;
pub(crate) mod metrics;
pub(crate) mod options;
mod ranking;
mod refine;
pub(crate) mod settings;
mod trial;
pub(crate) mod tune;
