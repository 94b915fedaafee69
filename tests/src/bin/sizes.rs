//! Flash and RAM of firmware images, excluding model and stack: `cargo run -p pual-tests --bin sizes -- NAME=ELF ...`

use pual_device::image::sizes;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:<36} {:>8} {:>8}", "firmware-example, bytes", "flash", "RAM");
    for argument in std::env::args().skip(1) {
        let (name, path) = argument.split_once('=').ok_or("expected NAME=ELF")?;
        let sizes = sizes(Path::new(path))?;
        println!("{name:<36} {:>8} {:>8}", sizes.flash, sizes.ram);
    }
    Ok(())
}
