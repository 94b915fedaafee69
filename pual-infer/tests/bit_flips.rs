//! Every bit of every golden model in a slot, of the slot's header and of its marks: what is flipped is refused, and the other
//! slot runs, or it is one that nobody reads.

mod common;
mod flash;

use common::streams::GOLDEN_STREAMS;
use common::{GOLDEN, Golden, all};
use ed25519_dalek::{Signer, SigningKey};
use flash::{Chip, Flash};
use pual_infer::store::{OVERHEAD, Refused, Slot, SlotVerdict, Store, Stored, Unfit, slot_image};
use pual_infer::{ModelBytes, signature_head};

type Small = Flash<4, 8, 512>;
const SLOT: usize = 1024;
const SLOTS: [std::ops::Range<u32>; 2] = [0..SLOT as u32, SLOT as u32..2 * SLOT as u32];
/// Bytes of a slot's header, and of a mark's sequence number and checksum.
const HEADER: usize = 32;
const MARK: usize = 8;

/// Models with a recipe.
fn streams() -> impl Iterator<Item = Golden> {
    GOLDEN_STREAMS.into_iter().map(|golden| Golden { name: golden.name, bytes: golden.bytes, scores: "" })
}

type Accept = fn(&[u8], &Stored) -> Result<(), Unfit>;

fn decode(bytes: &[u8], _: &Stored) -> Result<(), Unfit> {
    let model = ModelBytes::new(bytes);
    model.decode().map(drop).map_err(Unfit::Model)
}

fn boot(flash: &Small, accept: Accept) -> (Store<Small>, Option<Stored>, SlotVerdict) {
    let mut store = Store::new(flash.clone(), SLOTS).unwrap();
    let found = store.boot(|stored| accept(&bytes(flash, stored), stored));
    (store, found.model, found.second)
}

fn bytes(flash: &Small, stored: &Stored) -> Vec<u8> {
    flash.mapped(stored.offset, stored.length).unwrap()
}

fn install(flash: &Small, model: &[u8], version: u32) {
    let (mut store, ..) = boot(flash, |_, _| Ok(()));
    store.begin(model.len() as u32, version).unwrap();
    store.write(0, model).unwrap();
    store.commit(|_| Ok(())).unwrap();
}

/// Flips each bit of the second slot, whose model is newer, and counts how many are refused (then the other slot runs, if it has
/// a model) and how many are harmless.
fn flip_all(flash: &Small, name: &str, marks: usize, other: bool) -> (usize, usize) {
    let found = boot(flash, decode).1;
    let newest = found.filter(|stored| stored.slot == Slot::Second).unwrap();
    let (model, length) = (bytes(flash, &newest), newest.length as usize);
    let (mut refused, mut harmless) = (0, 0);
    for bit in 0..8 * SLOT {
        let at = bit / 8;
        flash.0.borrow_mut().flip(8 * SLOT + bit);
        let found = boot(flash, decode).1;
        let bytes = found.map(|found| bytes(flash, &found));
        flash.0.borrow_mut().flip(8 * SLOT + bit);
        let Some(found) = found.filter(|found| found.slot == Slot::Second) else {
            assert_eq!(found.is_some(), other, "{name}: bit {bit}");
            refused += 1;
            continue;
        };
        // Next to a mark, in one of several marks, in unused marks, or after the model.
        let start = OVERHEAD as usize;
        let one_mark = HEADER..HEADER + if marks == 1 { MARK } else { 0 };
        let read = at < HEADER || one_mark.contains(&at) || (start..start + length).contains(&at);
        assert!(!read, "{name}: bit {bit}");
        assert_eq!(found, newest, "{name}: bit {bit}");
        assert!(bytes.as_ref() == Some(&model));
        harmless += 1;
    }
    (refused, harmless)
}

#[test]
fn every_bit_of_a_slot_with_every_golden_model() {
    for golden in all().chain(streams()) {
        let flash = Small::new(Chip::new(2 * SLOT, 8, 1));
        install(&flash, GOLDEN[0].bytes, 1);
        install(&flash, golden.bytes, 2);
        let (refused, harmless) = flip_all(&flash, golden.name, 1, true);
        assert_eq!(refused, 8 * (HEADER + MARK + golden.bytes.len()));
        println!("{}: {refused} bits refused, {harmless} harmless", golden.name);
        // An update that begins marks it once more, and erases the other: no bit of either mark matters then.
        boot(&flash, decode).0.begin(10, 0).unwrap();
        let (refused, harmless) = flip_all(&flash, golden.name, 2, false);
        assert_eq!(refused, 8 * (HEADER + golden.bytes.len()));
        println!("{}, marked twice: {refused} bits refused, {harmless} harmless", golden.name);
    }
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn signed(bytes: &[u8], stored: &Stored) -> Result<(), Unfit> {
    let public = key().verifying_key().to_bytes();
    let bytes = ModelBytes::new(bytes);
    let features = usize::from(bytes[8]);
    stored.decode_signed(&bytes, features, &public, 0).map(drop)
}

/// What someone who can write the flash would do: flip each bit of a signed file and correct all checksums of the slot.
#[test]
fn every_bit_of_a_signed_model_in_a_slot_that_is_in_order() {
    let flipped = |golden: Golden| {
        let mut file = [golden.bytes, &signature_head(4)].concat();
        file.extend(key().sign(&file).to_bytes());
        let flash = Small::new(Chip::new(2 * SLOT, 8, 1));
        let mut refused = 0;
        // The version of the slot's header, too: the last 32.
        for bit in 0..=8 * file.len() + 32 {
            let mut bytes = file.clone();
            let mut version = 4_u32;
            match bit.checked_sub(8 * file.len()) {
                None => bytes[bit / 8] ^= 1 << (bit % 8),
                Some(32) => {} // nothing
                Some(bit) => version ^= 1 << bit,
            }
            flash.0.borrow_mut().load(SLOT, &slot_image(&bytes, version, 1));
            let (_, found, second) = boot(&flash, signed);
            if bit == 8 * file.len() + 32 {
                assert_eq!(found.map(|stored| stored.version), Some(4), "unharmed");
            } else {
                let why = SlotVerdict::Refused(Refused::Unfit(Unfit::Signature));
                assert_eq!((found, second), (None, why), "{}: bit {bit}", golden.name);
                refused += 1;
            }
        }
        println!("{}: {refused} bits refused", golden.name);
    };
    std::thread::scope(|scope| {
        // One of these is enough: each bit takes a signature's verification.
        for golden in all().chain(streams().skip(1)) {
            scope.spawn(move || flipped(golden));
        }
    });
}
