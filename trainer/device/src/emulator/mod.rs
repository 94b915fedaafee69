//! Machines in QEMU that run the example firmware.
//!
//! ```text
//! flash        the flash of an emulated board, in a file that outlives the machine
//! thermometer  an emulated sensor, whose temperature is set over QMP
//! qemu         ELF file -> a running machine with a UART
//! link         UART -> requests and responses
//! updatable    firmware that takes new models, with its flash
//! monitor      firmware with the thermometer, compared with the workstation at every measurement
//! ```

mod flash;

#[cfg(unix)]
mod thermometer;

mod qemu;

mod link;

#[cfg(unix)]
mod monitor;
mod updatable;

pub use flash::Flash;
pub use link::Link;
#[cfg(unix)]
pub use monitor::{Measurement, Monitor, thermometer_recipe};
pub use qemu::{Clock, run};
pub use updatable::Updatable;
