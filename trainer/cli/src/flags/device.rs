//! `--device`: an emulated board, or a real one on a serial port.

use pual_device::firmware::Board;
use std::path::PathBuf;

#[derive(Clone, Debug)]
pub enum Device {
    Qemu(Board),
    Serial(PathBuf),
}

/// Parses the flag's value; `qemu` alone is the first of these boards.
pub fn parse(text: &str, boards: &[Board]) -> Result<Device, String> {
    let names = boards.iter().map(|board| {
        // Without the name of the family.
        let machine = board.machine();
        machine.strip_prefix("mps2-").unwrap_or(machine)
    });
    match text.split_once(':') {
        None if text == "qemu" => Ok(Device::Qemu(boards[0])),
        Some(("qemu", name)) => { names.clone().zip(boards) }
            .find(|(short, board)| [*short, board.machine()].contains(&name))
            .map(|(_, board)| Device::Qemu(*board))
            .ok_or_else(|| {
                let names: Vec<_> = names.collect();
                format!("unknown board {name}; choose one of {}", names.join(", "))
            }),
        Some(("serial", path)) if !path.is_empty() => Ok(Device::Serial(path.into())),
        _ => {
            let names: Vec<_> = names.skip(1).map(|name| format!("qemu:{name}")).collect();
            Err(format!("expected qemu, {} or serial:PATH", names.join(", ")))
        }
    }
}
