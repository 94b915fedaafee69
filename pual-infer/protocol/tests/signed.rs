//! A device with a public key: nothing unsigned or older replaces the running model, and nothing in flash runs before its
//! signature is verified.

mod device;
mod line;

use device::{Device, FEATURES, SimFlash, model, scores};
use ed25519_dalek::{Signer, SigningKey};
use line::Line;
use pual_infer::signature_head;
use pual_protocol::update::{Client, ClientError, Refusal, SlotState, Unfit};

const SIGNATURE: Refusal = Refusal::Slot(SlotState::Unfit(Unfit::Signature));

fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

fn sign(index: usize, version: u32, seed: u8) -> Vec<u8> {
    let mut bytes = [&model(index)[..], &signature_head(version)].concat();
    let signature = key(seed).sign(&bytes);
    bytes.extend(signature.to_bytes());
    bytes
}

/// A device with the key of seed 7.
fn client() -> Client<Line> {
    with_key(Device::new().flash)
}

fn with_key(flash: SimFlash) -> Client<Line> {
    Line::good(Device::with_key(flash, Some(key(7).verifying_key().to_bytes())))
}

/// Sends bytes, and returns what runs afterwards and after a restart, or why it was refused.
fn push(client: &mut Client<Line>, bytes: &[u8], version: u32) -> Result<u32, Refusal> {
    match client.push(bytes, version, FEATURES as u16, |_| ()) {
        Ok(status) => Ok(status.version),
        Err(ClientError::Refused(why)) => Err(why),
        Err(other) => panic!("{other:?}"),
    }
}

/// The model that scores, now and after a restart.
fn runs(client: &mut Client<Line>, index: usize) {
    let device = &mut client.transport().device;
    assert_eq!(device.scores(), scores(&model(index)));
    device.restart();
    assert_eq!(device.scores(), scores(&model(index)), "after a restart");
}

#[test]
fn signed_models_run_and_others_never_replace_them() {
    let mut client = client();
    assert_eq!(push(&mut client, &model(1), 0), Err(SIGNATURE), "unsigned");
    runs(&mut client, 0);
    assert_eq!(push(&mut client, &sign(1, 3, 7), 3), Ok(3));
    runs(&mut client, 1);

    let good = sign(2, 4, 7);
    let wrong: [(&str, &[u8], u32); 7] = [
        ("unsigned", &model(2), 4),
        ("wrong key", &sign(2, 4, 8), 4),
        ("cut", &good[..good.len() - 1], 4),
        ("longer", &[&good[..], &[0xFF]].concat(), 4),
        ("another version than is signed", &good, 5),
        ("another version than is signed", &good, u32::MAX),
        ("older", &sign(2, 2, 7), 2),
    ];
    for (name, bytes, version) in wrong {
        assert_eq!(push(&mut client, bytes, version), Err(SIGNATURE), "{name}");
        runs(&mut client, 1);
    }
    assert_eq!(push(&mut client, &good, 4), Ok(4));
    runs(&mut client, 2);
}

#[test]
fn no_flipped_bit_of_a_signed_model_is_taken() {
    let mut client = client();
    push(&mut client, &sign(1, 3, 7), 3).unwrap();
    // Model 0 is the shortest; its checksum on the wire and in the slot is always right.
    let good = sign(0, 4, 7);
    for bit in 0..8 * good.len() {
        let mut flipped = good.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(push(&mut client, &flipped, 4), Err(SIGNATURE), "bit {bit}");
        assert_eq!(client.transport().device.scores(), scores(&model(1)), "bit {bit}");
    }
    println!("{} bits, all refused", 8 * good.len());
    runs(&mut client, 1);
}

#[test]
fn versions_only_rise() {
    let mut client = client();
    for (index, version) in [(1, 3), (2, 5)] {
        assert_eq!(push(&mut client, &sign(index, version, 7), version), Ok(version));
    }
    // The other slot's model is genuine, but older.
    assert_eq!(client.rollback(), Err(ClientError::Refused(SIGNATURE)));
    runs(&mut client, 2);
    for older in [0, 3, 4] {
        assert_eq!(push(&mut client, &sign(3, older, 7), older), Err(SIGNATURE));
        runs(&mut client, 2);
        assert!(matches!(client.rollback(), Err(ClientError::Refused(_))));
    }
    // The same version is not older: such models can take turns.
    for index in [3, 4] {
        assert_eq!(push(&mut client, &sign(index, 5, 7), 5), Ok(5));
    }
    client.rollback().unwrap();
    runs(&mut client, 3);
    // An old model comes back with a new number.
    assert_eq!(push(&mut client, &sign(1, 6, 7), 6), Ok(6));
    runs(&mut client, 1);
}

#[test]
fn flash_that_others_wrote_is_not_run() {
    let mut client = client();
    push(&mut client, &sign(1, 3, 7), 3).unwrap();
    let flash = client.transport().device.flash.clone();
    // Firmware without a key writes anything, with correct checksums and marks.
    let mut open = Line::good(Device::on(flash.clone()));
    assert_eq!(open.status().unwrap().slot, 0, "a signed model is none to it");
    for index in [2, 4] {
        open.push(&model(index), 9, FEATURES as u16, |_| ()).unwrap();
    }
    // It has overwritten both slots, and neither is used.
    let mut client = with_key(flash);
    let status = client.status().unwrap();
    let unsigned = SlotState::Unfit(Unfit::Signature);
    assert_eq!((status.first, status.second), (unsigned, unsigned));
    runs(&mut client, 0);
    assert_eq!(push(&mut client, &sign(3, 1, 7), 1), Ok(1));
    runs(&mut client, 3);
}
