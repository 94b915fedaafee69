//! The memory that training takes, estimated up front.
//!
//! Counted is what grows: with n rows, n_p of them labeled, m features, r supports, K neighbours and t threads
//!
//! | what | bytes |
//! |---|---|
//! | rows | 8 n m, and 2 n for their labels |
//! | graph | 40 n m scaled rows, tree and all; 2 n (24 + 16 K) neighbours; 16 n K edges; 4 n r features, if that is at most 1.1 GB |
//! | labeled rows | 8 n_p (r + 1) for their features, as much for the dual's, twice that for an interior-point method |
//! | blocks | t times 3 blocks of 4096 (r + 1) numbers |

use std::fmt;
use std::str::FromStr;

use super::local::KEPT;
use super::sums::BLOCK;

/// Everything that is not counted: the program, tables of the search, what allocators keep.
const BASE: u64 = 100 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrainingSize {
    pub rows: usize,
    pub labeled: usize,
    pub features: usize,
    pub supports: usize,
    /// Rows of the graph; 0 without one.
    pub graph_rows: usize,
    /// K.
    pub neighbours: usize,
    pub threads: usize,
}

/// Bytes, by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct MemoryNeed {
    /// The rows themselves.
    pub rows: u64,
    /// The graph; it is gone when the labeled rows' features come.
    pub graph: u64,
    /// Features of the labeled rows, and the dual problem's.
    pub labeled: u64,
    /// Blocks of features that are being summed.
    pub blocks: u64,
    /// The most that is needed at one time.
    pub peak: u64,
}

impl MemoryNeed {
    /// Of a training of this size.
    pub fn of(size: &TrainingSize) -> Self {
        let width = size.supports as u64 + 1;
        let (n, m) = (size.rows as u64, size.features as u64);
        let (of_graph, k) = (size.graph_rows as u64, size.neighbours as u64);
        let rows = 8 * n * m + 2 * n;
        let kept = Some(4 * of_graph * (width - 1)).filter(|&kept| kept <= KEPT as u64);
        let graph = of_graph * (40 * m + 2 * (24 + 16 * k) + 16 * k) + kept.unwrap_or(0);
        let labeled = 4 * 8 * size.labeled as u64 * width;
        let blocks = size.threads as u64 * 3 * 8 * BLOCK as u64 * width;
        Self { rows, graph, labeled, blocks, peak: BASE + rows + (graph + blocks).max(labeled) }
    }
}

/// Bytes in readable units: `640 MB`, `2.1 GB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000_000 => write!(f, "{:.0} kB", (bytes / 1e3).ceil()),
            1_000_000..1_000_000_000 => write!(f, "{:.0} MB", bytes / 1e6),
            _ => write!(f, "{:.1} GB", bytes / 1e9),
        }
    }
}

/// 512, 512B, 2kB, 1.5KiB, 2GB.
impl FromStr for Bytes {
    type Err = NotBytes;

    fn from_str(text: &str) -> Result<Self, NotBytes> {
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let factor = match unit.trim() {
            "" | "B" => 1.0,
            "k" | "kB" | "KB" => 1000.0,
            "KiB" => 1024.0,
            "M" | "MB" => 1e6,
            "MiB" => f64::from(1 << 20),
            "G" | "GB" => 1e9,
            "GiB" => f64::from(1 << 30),
            _ => return Err(NotBytes),
        };
        match text[..text.len() - unit.len()].parse::<f64>() {
            Ok(number) if (1.0..1e15).contains(&(number * factor)) => Ok(Self((number * factor) as u64)),
            _ => Err(NotBytes),
        }
    }
}

/// Text that is no number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected bytes, such as 512B, 2kB, 64KiB or 2GB")]
pub struct NotBytes;

/// Memory that is free now, where the operating system says so.
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_people_do() {
        let shown = [Bytes(10), Bytes(2_000_000), Bytes(2_140_000_000)].map(|b| b.to_string());
        assert_eq!(shown, ["1 kB", "2 MB", "2.1 GB"]);
        assert_eq!(
            ["512B", "2kB", "1.5k", "1KiB", "2GB"].map(str::parse),
            [512, 2000, 1500, 1024, 2_000_000_000].map(|bytes| Ok(Bytes(bytes)))
        );
        for wrong in ["", "B", "0", "-5", "12TB", "kB2", "1e3", "1.2.3"] {
            assert_eq!(wrong.parse::<Bytes>(), Err(NotBytes), "{wrong}");
        }
    }

    #[test]
    fn the_graph_and_the_labeled_rows_are_not_there_at_once() {
        let size = TrainingSize {
            rows: 1_000_000,
            labeled: 250_000,
            features: 8,
            supports: 256,
            graph_rows: 1_000_000,
            neighbours: 5,
            threads: 2,
        };
        let need = MemoryNeed::of(&size);
        assert!(need.peak < 4_000_000_000, "{}", Bytes(need.peak));
        assert_eq!(need.peak, BASE + need.rows + need.labeled);
        let fewer = MemoryNeed::of(&TrainingSize { labeled: 1000, ..size });
        assert_eq!(fewer.peak, BASE + fewer.rows + fewer.graph + fewer.blocks);
    }
}
