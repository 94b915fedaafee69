//! Keys, and models signed with them: Ed25519 (RFC 8032) over model, tag and version counter, as pual-infer's FORMAT.md
//! lays it out. A model is signed only if the device's code decodes it, and written only if the device's code opens it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ed25519_dalek::{Signer, SigningKey};
use pual_infer::{DecodeError, ModelBytes, SignatureError, SignedModel, signature_head};

const SECRET: &str = "pual-secret-key-1";
const PUBLIC: &str = "pual-public-key-1";

/// What went wrong with a key or a signature.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SigningError {
    /// The operating system has no random numbers.
    #[error("no random numbers from the operating system: {0}")]
    Random(getrandom::Error),
    /// A key file already exists.
    #[error("{0} already exists: a key is never overwritten")]
    Exists(PathBuf),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file does not hold the expected kind of key.
    #[error("{path} is not a {wanted} key; expected one line, `{wanted_line}` and 64 hexadecimal digits", wanted_line = if *wanted == "secret" { SECRET } else { PUBLIC })]
    NotAKey {
        /// Which.
        path: PathBuf,
        /// secret or public.
        wanted: &'static str,
    },
    /// The model cannot be decoded, so it is not signed.
    #[error("not a model that a device could run: {0}")]
    Model(DecodeError),
    /// The device's code rejects the signature.
    #[error("{0}")]
    Signature(SignatureError),
}

/// A key pair.
pub struct KeyPair(SigningKey);

impl KeyPair {
    /// A new one, from the operating system's random numbers.
    ///
    /// # Errors
    /// If it has none.
    pub fn generate() -> Result<Self, SigningError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(SigningError::Random)?;
        Ok(Self::new(&seed))
    }

    /// The one whose secret key this is.
    #[must_use]
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// Reads a secret key's file.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(path: &Path) -> Result<Self, SigningError> {
        Ok(Self::new(&read_key(path, SECRET, "secret")?))
    }

    /// The key that firmware holds.
    #[must_use]
    pub fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// Writes both keys, the secret one readable by its owner only. Nothing is overwritten, and nothing is left behind if
    /// either cannot be written.
    ///
    /// # Errors
    /// If a file already exists, or cannot be written.
    pub fn write(&self, secret: &Path, public: &Path) -> Result<(), SigningError> {
        write_key(secret, SECRET, &self.0.to_bytes())?;
        write_key(public, PUBLIC, &self.public()).inspect_err(|_| {
            let _ = fs::remove_file(secret);
        })
    }

    /// Signs a model.
    ///
    /// # Errors
    /// If it is none.
    pub fn sign(&self, model: &[u8], version: u32) -> Result<Vec<u8>, SigningError> {
        // Without what may follow a model: the signature does.
        let aligned = ModelBytes::new(model);
        let length = aligned.decode().map_err(SigningError::Model)?.length();
        let mut bytes = [&model[..length], &signature_head(version)].concat();
        let signature = self.0.sign(&bytes);
        bytes.extend(signature.to_bytes());
        SignedModel::open(&bytes, &self.public(), version).map_err(SigningError::Signature)?;
        Ok(bytes)
    }
}

/// What a file says of itself if it looks like a signed model: the model and its version. Nothing is verified.
#[must_use]
pub fn unverified(bytes: &[u8]) -> Option<(&[u8], u32)> {
    let (signed, _signature) = bytes.split_last_chunk::<64>()?;
    let (tagged, version) = signed.split_last_chunk::<4>()?;
    let version = u32::from_le_bytes(*version);
    let head = signature_head(version);
    let model = tagged.strip_suffix(&head[..head.len() - 4])?;
    Some((model, version))
}

/// Reads a public key's file.
///
/// # Errors
/// If there is none.
pub fn read_public_key(path: &Path) -> Result<[u8; 32], SigningError> {
    read_key(path, PUBLIC, "public")
}

/// A key in hexadecimal.
#[must_use]
pub fn hexadecimal(key: &[u8; 32]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write_key(path: &Path, kind: &str, key: &[u8; 32]) -> Result<(), SigningError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if kind == SECRET {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => SigningError::Exists(path.to_owned()),
        _ => SigningError::File { path: path.to_owned(), source },
    };
    let mut file = options.open(path).map_err(failed)?;
    let line = format!("{kind} {}\n", hexadecimal(key));
    let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|source| {
        // Ours, and of no use.
        let _ = fs::remove_file(path);
        failed(source)
    })
}

fn read_key(path: &Path, kind: &str, wanted: &'static str) -> Result<[u8; 32], SigningError> {
    let bytes = fs::read(path).map_err(|source| SigningError::File { path: path.to_owned(), source })?;
    parse_key(&bytes, kind).ok_or_else(|| SigningError::NotAKey { path: path.to_owned(), wanted })
}

fn parse_key(bytes: &[u8], kind: &str) -> Option<[u8; 32]> {
    let text = std::str::from_utf8(bytes).ok()?.trim_end();
    let digits = text.strip_prefix(kind)?.strip_prefix(' ')?;
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = [0; 32];
    for (byte, at) in key.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&digits[at..at + 2], 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signed_model_tells_its_version() {
        let signed = [&[9; 30][..], &signature_head(0x0102_0304), &[7; 64]].concat();
        assert_eq!(unverified(&signed), Some((&[9; 30][..], 0x0102_0304)));
        assert_eq!(unverified(&signed[1..]).map(|found| found.0.len()), Some(29));
        for length in 0..signed.len() - 30 {
            assert_eq!(unverified(&signed[..length]), None);
        }
        assert_eq!(unverified(&[9; 200]), None);
    }

    #[test]
    fn keys_are_read_as_they_were_written() {
        let key: [u8; 32] = std::array::from_fn(|i| (i * 37) as u8);
        let line = format!("{PUBLIC} {}\n", hexadecimal(&key));
        assert_eq!(parse_key(line.as_bytes(), PUBLIC), Some(key));
        assert_eq!(parse_key(line.as_bytes(), SECRET), None);
        assert_eq!(parse_key(&line.as_bytes()[..line.len() - 2], PUBLIC), None);
        let signed = line.replace("00", "+0");
        assert_eq!(parse_key(signed.as_bytes(), PUBLIC), None);
        assert_eq!(parse_key(b"\xFF", PUBLIC), None);
    }
}
