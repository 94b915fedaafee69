//! Chips that models are flashed to, and where a firmware like the example expects them.
//!
//! The model's region is that of the board's memory map in firmware-example/memory; a test compares them. The slots are for
//! firmware with a model store. The example has a driver for the emulated board's only
//! (firmware-example/src/board/mps2_flash.rs); the others are what its memory maps leave free.

use std::ops::Range;

/// A chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Its name here.
    pub name: &'static str,
    /// The board of the example firmware: a feature and a memory map.
    pub(crate) board: &'static str,
    /// Its name in probe-rs; none for an emulated board.
    pub(crate) probe_rs: Option<&'static str>,
    /// Its family in UF2 files, if it has one.
    pub uf2_family: Option<u32>,
    /// The flash of the largest chip of that name.
    pub flash: Range<u32>,
    /// Where the firmware expects its model.
    pub model: Range<u32>,
    /// The two slots of a model store.
    pub slots: [Range<u32>; 2],
}

const STM32F4: Chip = Chip {
    name: "stm32f4",
    board: "stm32f4",
    probe_rs: None,
    uf2_family: Some(0x5775_5A57),
    flash: 0x0800_0000..0x0808_0000,
    model: 0x0801_0000..0x0802_0000,
    // Sectors 5 and 6.
    slots: [0x0802_0000..0x0804_0000, 0x0804_0000..0x0806_0000],
};

/// Every chip that `pual flash` knows.
pub const CHIPS: [Chip; 9] = [
    Chip { name: "stm32f401", probe_rs: Some("STM32F401RETx"), ..STM32F4 },
    Chip { name: "stm32f405", probe_rs: Some("STM32F405RGTx"), flash: 0x0800_0000..0x0810_0000, ..STM32F4 },
    Chip { name: "stm32f407", probe_rs: Some("STM32F407VGTx"), flash: 0x0800_0000..0x0810_0000, ..STM32F4 },
    Chip { name: "stm32f411", probe_rs: Some("STM32F411RETx"), ..STM32F4 },
    Chip { name: "stm32f446", probe_rs: Some("STM32F446RETx"), ..STM32F4 },
    Chip {
        name: "nrf52840",
        board: "nrf52840",
        probe_rs: Some("nRF52840_xxAA"),
        uf2_family: Some(0xADA5_2840),
        flash: 0x0000_0000..0x0010_0000,
        model: 0x0008_0000..0x0009_0000,
        slots: [0x0009_0000..0x000A_0000, 0x000A_0000..0x000B_0000],
    },
    Chip {
        name: "rp2040",
        board: "rp2040",
        probe_rs: Some("RP2040"),
        uf2_family: Some(0xE48B_FF56),
        // Flash is a separate chip of up to 16 MiB.
        flash: 0x1000_0000..0x1100_0000,
        model: 0x1008_0000..0x1009_0000,
        slots: [0x1009_0000..0x100A_0000, 0x100A_0000..0x100B_0000],
    },
    Chip {
        name: "nrf51822",
        board: "microbit",
        probe_rs: Some("nRF51822_xxAA"),
        uf2_family: None,
        flash: 0x0000_0000..0x0004_0000,
        model: 0x0002_0000..0x0003_0000,
        slots: [0x0003_0000..0x0003_8000, 0x0003_8000..0x0004_0000],
    },
    Chip {
        name: "mps2",
        board: "mps2",
        probe_rs: None,
        uf2_family: None,
        // Code memory at the bottom, PSRAM for the slots: QEMU treats all of it as RAM.
        flash: 0x0000_0000..0x2200_0000,
        model: 0x0008_0000..0x0009_0000,
        slots: [0x2100_0000..0x2101_0000, 0x2101_0000..0x2102_0000],
    },
];

/// Finds a chip by its name, or by a longer one that starts with it, such as probe-rs's `STM32F411CEUx`; upper or lower case.
/// Also returns the name for probe-rs.
///
/// # Errors
/// A message with all names.
pub fn find(name: &str) -> Result<(&'static Chip, Option<String>), String> {
    static TABLE: &[Chip] = &CHIPS;
    let lower = name.to_lowercase();
    let chip = TABLE.iter().find(|chip| lower.starts_with(chip.name));
    let Some(chip) = chip else {
        let names = CHIPS.map(|chip| chip.name).join(", ");
        return Err(format!(
            "unknown chip {name}; choose one of {names} (with or without a suffix, as in STM32F411CEUx)"
        ));
    };
    let probe_rs = match chip.probe_rs {
        Some(_) if lower != chip.name => Some(name.to_owned()),
        probe_rs => probe_rs.map(str::to_owned),
    };
    Ok((chip, probe_rs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::firmware::sources;

    /// A number in a linker script: `0x08010000`, `64K`, `512K - 256`.
    fn number(text: &str) -> u32 {
        let (text, less) = text.split_once('-').unwrap_or((text, "0"));
        let less: u32 = less.trim().parse().unwrap();
        let text = text.trim();
        let value = match (text.strip_prefix("0x"), text.strip_suffix('K')) {
            (Some(digits), _) => u32::from_str_radix(digits, 16).unwrap(),
            (_, Some(kilobytes)) => 1024 * kilobytes.parse::<u32>().unwrap(),
            _ => text.parse().unwrap(),
        };
        value - less
    }

    fn region(map: &str, name: &str) -> Range<u32> {
        let lines = map.lines().map(|line| line.trim().replace(' ', ""));
        let line = { lines }.find(|line| line.starts_with(&format!("{name}:"))).unwrap();
        let (origin, length) = line.split_once(',').unwrap();
        let start = number(origin.split_once('=').unwrap().1);
        start..start + number(length.split_once('=').unwrap().1)
    }

    #[test]
    fn the_table_agrees_with_the_memory_maps() {
        for chip in CHIPS {
            let path = sources().unwrap().join(format!("memory/{}.x", chip.board));
            let map = std::fs::read_to_string(path).unwrap();
            assert_eq!(region(&map, "MODEL"), chip.model, "{}", chip.name);
            let code = region(&map, "FLASH");
            let inside = |range: &Range<u32>| chip.flash.start <= range.start && range.end <= chip.flash.end;
            assert!(inside(&code) && inside(&chip.model), "{}", chip.name);
            // Slots lie in the flash, apart from the firmware, the model and each other.
            let [first, second] = &chip.slots;
            for slot in &chip.slots {
                let clear = |of: &Range<u32>| slot.end <= of.start || of.end <= slot.start;
                assert!(inside(slot) && clear(&code) && clear(&chip.model));
                assert!(slot.start.is_multiple_of(1024) && slot.end.is_multiple_of(1024));
            }
            assert!(first.end <= second.start, "{}", chip.name);
        }
    }

    #[test]
    fn chips_are_found_by_short_and_by_long_names() {
        let found = |name| find(name).map(|(chip, probe_rs)| (chip.name, probe_rs));
        let probe_rs = |name: &str| Some(name.to_owned());
        assert_eq!(found("RP2040"), Ok(("rp2040", probe_rs("RP2040"))));
        assert_eq!(found("stm32f411"), Ok(("stm32f411", probe_rs("STM32F411RETx"))));
        assert_eq!(found("STM32F411CEUx"), Ok(("stm32f411", probe_rs("STM32F411CEUx"))));
        assert_eq!(found("mps2-an386"), Ok(("mps2", None)));
        for unknown in ["", "stm32", "atmega328"] {
            let told = found(unknown).unwrap_err();
            assert!(told.contains("nrf52840") && told.contains("rp2040"));
        }
    }
}
