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
    let names: Vec<_> = boards.iter().map(|board| short_name(*board)).collect();
    let expected = || {
        let names: Vec<_> = names[1..]
            .iter()
            .map(|name| format!("qemu:{name}"))
            .collect();
        format!("expected qemu, {} or serial:PATH", names.join(", "))
    };
    match text.split_once(':') {
        None if text == "qemu" => boards
            .first()
            .copied()
            .map(Device::Qemu)
            .ok_or_else(expected),
        Some(("qemu", name)) => boards
            .iter()
            .find(|board| board.machine().ends_with(name) && !name.is_empty())
            .map(|board| Device::Qemu(*board))
            .ok_or_else(|| format!("no board {name} for this; there are {}", listed(&names))),
        Some(("serial", path)) if !path.is_empty() => Ok(Device::Serial(path.into())),
        _ => Err(expected()),
    }
}

/// QEMU's name of the machine, without the family's.
fn short_name(board: Board) -> &'static str {
    let machine = board.machine();
    machine.strip_prefix("mps2-").unwrap_or(machine)
}

/// "a, b and c".
fn listed(names: &[&str]) -> String {
    match names {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => names.concat(),
    }
}
