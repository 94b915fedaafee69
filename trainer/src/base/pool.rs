//! Threads: the one place where they are started.

/// Runs `work` on `threads` threads, 0 meaning one per core. Results never depend on their number.
///
/// They are threads of their own: the shared pool of the process does not survive a fork.
pub(crate) fn in_pool<T: Send, E: From<rayon::ThreadPoolBuildError> + Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build()?.install(work)
}
