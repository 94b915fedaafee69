//! Measures what code costs, with SysTick: instructions in QEMU, cycles on a real core (see `board::COST_UNIT`).

use crate::board;
use cortex_m::peripheral::{SYST, syst::SystClkSource};

/// A running SysTick.
pub struct Counter {
    /// Ticks between two readings of the counter with nothing in between.
    overhead: u32,
}

impl Counter {
    /// Starts it. Call it once.
    pub fn start() -> Self {
        let Some(cortex_m::Peripherals { SYST: mut systick, .. }) = cortex_m::Peripherals::take() else {
            board::exit(board::EXIT_PANIC)
        };
        systick.set_clock_source(SystClkSource::Core);
        systick.set_reload(0x00FF_FFFF);
        systick.clear_current();
        systick.enable_counter();
        let mut counter = Self { overhead: 0 };
        counter.overhead = counter.ticks(|| ()).1;
        counter
    }

    /// Runs `run` and returns its result and its cost. SysTick wraps around after some ten million instructions.
    #[inline(always)]
    pub fn cost<T>(&self, run: impl FnOnce() -> T) -> (T, u32) {
        let (value, ticks) = self.ticks(run);
        (value, board::cost_of(ticks.saturating_sub(self.overhead)))
    }

    /// As `cost`, in ticks, and with what reading the counter takes.
    #[inline(always)]
    pub fn ticks<T>(&self, run: impl FnOnce() -> T) -> (T, u32) {
        let before = SYST::get_current();
        let value = core::hint::black_box(run());
        let after = SYST::get_current();
        (value, before.wrapping_sub(after) & 0x00FF_FFFF)
    }
}
