//! Plans and parts as files: eight bytes of magic, the content by postcard, and a checksum.
//!
//! They live as long as a training run. Another version of the program may refuse them with an error.

use serde::{Serialize, de::DeserializeOwned};

use super::BulkError;
use crate::base::fnv::{self, fnv_1a};

/// What a file holds.
pub(super) struct FileKind {
    name: &'static str,
    /// The last byte is the version.
    magic: [u8; 8],
}

pub(super) const PLAN: FileKind = FileKind { name: "a plan", magic: *b"PUALpln\x01" };
pub(super) const PART: FileKind = FileKind { name: "a part", magic: *b"PUALprt\x01" };

pub(super) fn to_bytes(kind: &FileKind, content: &impl Serialize) -> Vec<u8> {
    let mut bytes = kind.magic.to_vec();
    // It fails on sequences of unknown length alone; there are none.
    bytes.extend(postcard::to_stdvec(content).expect("plans and parts have a length"));
    let check = fnv_1a(fnv::START, bytes.iter().copied());
    bytes.extend(check.to_le_bytes());
    bytes
}

/// The content, if its numbers fit together: files may be corrupt.
pub(super) fn from_bytes<T: DeserializeOwned>(
    &FileKind { name: what, magic }: &FileKind,
    name: &str,
    bytes: &[u8],
    is_sound: impl Fn(&T) -> bool,
) -> Result<T, BulkError> {
    let file = || name.to_owned();
    let split = bytes.split_at_checked(magic.len());
    let Some((found, rest)) = split.filter(|(found, _)| found[..7] == magic[..7]) else {
        return Err(BulkError::NotThat { file: file(), what });
    };
    if found[7] != magic[7] {
        return Err(BulkError::Version { file: file(), what, version: found[7] });
    }
    let damaged = || BulkError::Damaged { file: file(), what };
    let (body, check) = rest.split_last_chunk::<8>().ok_or_else(damaged)?;
    let covered = bytes[..bytes.len() - 8].iter().copied();
    if fnv_1a(fnv::START, covered) != u64::from_le_bytes(*check) {
        return Err(damaged());
    }
    let (content, left) = postcard::take_from_bytes(body).map_err(|_| damaged())?;
    match left.is_empty() && is_sound(&content) {
        true => Ok(content),
        false => Err(damaged()),
    }
}
