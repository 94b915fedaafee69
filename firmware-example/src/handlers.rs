//! Turns a panic and a HardFault into exit codes.

/// Defines a program's panic handler and HardFault handler.
#[macro_export]
macro_rules! report_failures {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            $crate::board::exit($crate::board::EXIT_PANIC)
        }

        #[cortex_m_rt::exception]
        #[allow(unsafe_code)] // the attribute requires it: anything may be broken in a fault handler
        unsafe fn HardFault(_: &cortex_m_rt::ExceptionFrame) -> ! {
            $crate::board::exit($crate::board::EXIT_HARD_FAULT)
        }
    };
}
