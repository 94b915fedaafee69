//! Boot with anything in flash: what is taken can be run, and a good model can always be stored.
//!
//! Input: a byte that says how, then the flash from its start; the rest of it is erased. Of the byte: 1 puts the slots'
//! checksums right, 2 the model's too, 4 stores a good model afterwards, 8 makes flash words of 32 bytes, and the upper four bits are
//! the features that the firmware asks for, less one.

use super::checksum::{crc32, put_right};
use super::flash::{Content, ERASED, FLASH, Flash, SLOTS, update_to};
use pual_infer::store::{Boot, OVERHEAD, Store, Stored, Unfit};
use pual_infer::{Model, include_model};
use std::cell::RefCell;

const GOOD: &[u8] = include_model!("../../../pual-infer/tests/golden/v1-i16-named.pual");

/// The target.
pub fn store(data: &[u8]) {
    let Some((&how, content)) = data.split_first() else {
        return;
    };
    let mut flash = ERASED;
    let Some(start) = flash.0.get_mut(..content.len()) else {
        return;
    };
    start.copy_from_slice(content);
    for slot in flash.0.chunks_exact_mut(FLASH / 2) {
        put_checksums_right(slot, how);
    }
    let flash = RefCell::new(flash);
    match how & 8 {
        0 => boot::<1>(&flash, how),
        _ => boot::<32>(&flash, how),
    }
}

fn put_checksums_right(slot: &mut [u8], how: u8) {
    let (before, model) = slot.split_at_mut(OVERHEAD as usize);
    let (header, marks) = before.split_at_mut(32);
    let length = u32::from_le_bytes([header[8], header[9], header[10], header[11]]) as usize;
    let Some(model) = model.get_mut(..length) else {
        return;
    };
    if how & 2 != 0 {
        put_right(model);
    }
    if how & 1 != 0 {
        let checksum = crc32(&[&header[..16], model]);
        header[16..20].copy_from_slice(&checksum.to_le_bytes());
        for mark in marks.chunks_exact_mut(32) {
            let (sequence, check) = mark.split_at_mut(4);
            if *sequence != [0xFF; 4] {
                check[..4].copy_from_slice(&crc32(&[header, sequence]).to_le_bytes());
            }
        }
    }
}

fn boot<const WRITE: usize>(flash: &RefCell<Content>, how: u8) {
    let features = 1 + usize::from(how >> 4);
    let accept = |stored: &Stored| stored.decode(&flash.borrow().0, features).map(drop);
    let mut store = Store::new(Flash::<WRITE>(flash), SLOTS).expect("the slots are good ones");
    let found: Boot = store.boot(accept);
    if let Some(stored) = found.model {
        let mapped = flash.borrow();
        let model = stored.decode(&mapped.0, features);
        let score = { model.expect("it was accepted") }.score(&[1.0; 16][..features]);
        assert!(score.expect("a good reading").is_finite());
    }
    if how & 4 != 0 {
        let before = found.model.map(|_| flash.borrow().0);
        update_to(&mut store, GOOD);
        if let (Some(stored), Some(before)) = (found.model, before) {
            let unchanged = stored.bytes(&before) == stored.bytes(&flash.borrow().0);
            assert!(unchanged, "the model that ran was written to");
        }
        boots_the_good_one::<WRITE>(flash);
    } else {
        assert_eq!(store.boot(accept), found, "booted twice");
    }
}

fn boots_the_good_one<const WRITE: usize>(flash: &RefCell<Content>) {
    let mut store = Store::new(Flash::<WRITE>(flash), SLOTS).expect("the slots are good ones");
    let accept = |stored: &Stored| {
        let mapped = flash.borrow();
        let bytes = stored.bytes(&mapped.0).ok_or(Unfit::NotMapped)?;
        Model::decode(bytes).map(drop).map_err(Unfit::Model)
    };
    let stored = store.boot(accept).model.expect("a model was stored");
    let bytes = stored.bytes(&flash.borrow().0) == Some(GOOD);
    assert!(bytes && stored.version == 3);
}
