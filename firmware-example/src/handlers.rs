//! What a panic and a HardFault become: an exit code.

/// Defines a program's panic handler and HardFault handler.
#[macro_export]
macro_rules! report_failures {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            $crate::board::exit($crate::board::EXIT_PANIC)
        }

        #[cortex_m_rt::exception]
        #[allow(unsafe_code)] // the attribute asks for it: a fault handler may run with anything broken
        unsafe fn HardFault(_: &cortex_m_rt::ExceptionFrame) -> ! {
            $crate::board::exit($crate::board::EXIT_HARD_FAULT)
        }
    };
}
