//! Firmware images, and files for flashing tools.

mod formats;
mod model_image;
mod sizes;

pub use formats::FileFormat;
pub use model_image::Image;
pub use sizes::{Sizes, sizes, symbols};

use crate::error::{DeviceError, io};
use object::LittleEndian;
use object::read::elf::ElfFile32;
use std::path::Path;

/// Reads an ELF file for `examine`, which says what is missing or damaged.
fn examine<T>(
    path: &Path,
    examine: impl FnOnce(&ElfFile32<'_, LittleEndian>) -> Result<T, String>,
) -> Result<T, DeviceError> {
    let bytes = std::fs::read(path).map_err(io(format!("cannot read {}", path.display())))?;
    let file = ElfFile32::parse(&*bytes).map_err(|error| error.to_string());
    file.and_then(|file| examine(&file)).map_err(|reason| DeviceError::NotAnImage { path: path.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file without symbols; then the same with damaged bytes, and cut off.
    #[test]
    fn damaged_files_are_refused_with_a_reason() {
        let path = std::env::temp_dir().join(format!("pual-damaged-{}.elf", std::process::id()));
        let good = FileFormat::Elf.file(0x1000, &[7; 64], None).unwrap();
        let try_file = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            (Image::read(&path), sizes(&path), symbols(&path))
        };
        let (image, sizes, symbols) = try_file(&good);
        let message = image.unwrap_err().to_string();
        assert!(message.ends_with("is not a firmware image: no symbol _model_start"), "{message}");
        assert_eq!(sizes.unwrap(), Sizes { flash: 0, ram: 0 });
        assert!(symbols.unwrap().is_empty());
        for at in (0..good.len()).step_by(5) {
            let mut damaged = good.clone();
            damaged[at] ^= 0xFF;
            assert!(try_file(&damaged).0.is_err(), "byte {at}");
            assert!(try_file(&good[..at]).0.is_err(), "{at} bytes");
        }
        std::fs::remove_file(path).unwrap();
    }
}
