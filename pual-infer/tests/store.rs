//! The model store as firmware uses it: geometry, boot and its reasons, refusals, rollback.

mod common;
mod flash;

use common::{GOLDEN, GOLDEN_FIXED};
use flash::{Chip, Flash};
use pual_infer::store::{
    Boot, GeometryError, OVERHEAD, Refused, Slot, SlotVerdict, Store, StoreError, Stored, Unfit, slot_image,
};
use pual_infer::{DecodeError, ModelBytes};

type Small = Flash<4, 8, 512>;
const SLOTS: [std::ops::Range<u32>; 2] = [512..1024, 1536..2048];
/// The first two have 2 features, the third has 4.
const MODELS: [&[u8]; 3] = [GOLDEN[0].bytes, GOLDEN_FIXED[0].bytes, GOLDEN[2].bytes];
const FEATURES: usize = 2;
const PAIRS: [(Slot, Slot); 2] = [(Slot::First, Slot::Second), (Slot::Second, Slot::First)];

fn flash() -> Small {
    Flash::new(Chip::new(2048, 8, 1))
}

fn store(flash: &Small) -> Store<Small> {
    Store::new(flash.clone(), SLOTS).unwrap()
}

/// Decodes from a copy: the simulated flash cannot be borrowed while it is written.
fn accept(flash: &Small) -> impl Fn(&Stored) -> Result<(), Unfit> {
    let flash = flash.clone();
    move |stored| {
        let bytes = ModelBytes::new(&flash.mapped(0, 2048).map_err(|_| Unfit::NotMapped)?);
        stored.decode(&bytes, FEATURES).map(drop)
    }
}

fn boot(flash: &Small) -> (Store<Small>, Boot) {
    let mut store = store(flash);
    let boot = store.boot(accept(flash));
    (store, boot)
}

fn send(store: &mut Store<Small>, model: &[u8]) -> Result<(), StoreError> {
    store.begin(model.len() as u32, 7)?;
    for (index, piece) in model.chunks(50).enumerate() {
        store.write(50 * index as u32, piece)?;
    }
    Ok(())
}

fn install(flash: &Small, model: &[u8]) -> Stored {
    let (mut store, _) = boot(flash);
    send(&mut store, model).unwrap();
    store.commit(accept(flash)).unwrap();
    boot(flash).1.model.unwrap()
}

/// Boots, and checks which model runs.
#[track_caller]
fn runs(flash: &Small, model: &[u8]) -> Boot {
    let found = boot(flash).1;
    let stored = found.model.unwrap();
    assert_eq!(flash.mapped(stored.offset, stored.length).unwrap(), model);
    found
}

fn load(flash: &Small, slot: Slot, image: &[u8]) {
    flash.0.borrow_mut().load(SLOTS[slot as usize].start as usize, image);
}

#[test]
fn updates_alternate_and_the_newest_runs() {
    let flash = flash();
    let empty = SlotVerdict::Refused(Refused::Empty);
    let found = boot(&flash).1;
    assert_eq!((found.model, found.first, found.second), (None, empty, empty));
    assert_eq!(found.to_string(), "model: the built-in one (first slot: empty; second slot: empty)");
    for round in 0..10 {
        let model = MODELS[round % 2];
        let stored = install(&flash, model);
        let found = runs(&flash, model);
        assert_eq!((found.model, stored.version), (Some(stored), 7));
        let expected = match (round, round % 2) {
            (0, _) => (SlotVerdict::Taken, empty),
            (_, 0) => (SlotVerdict::Taken, SlotVerdict::Older),
            _ => (SlotVerdict::Older, SlotVerdict::Taken),
        };
        assert_eq!((found.first, found.second), expected);
    }
}

#[test]
fn a_damaged_newest_falls_back_to_the_other_and_then_to_the_built_in_one() {
    let flash = flash();
    install(&flash, MODELS[0]);
    let newest = install(&flash, MODELS[1]);
    flash.0.borrow_mut().flip(8 * (newest.offset as usize + 40));
    let found = runs(&flash, MODELS[0]);
    let damaged = SlotVerdict::Refused(Refused::Checksum);
    assert_eq!((found.first, found.second), (SlotVerdict::Taken, damaged));
    flash.0.borrow_mut().flip(8 * (SLOTS[0].start as usize));
    assert_eq!(
        boot(&flash).1.to_string(),
        "model: the built-in one (first slot: no valid header; second slot: the slot's checksum is wrong)"
    );
    // An update still succeeds.
    install(&flash, MODELS[1]);
    runs(&flash, MODELS[1]);
}

#[test]
fn what_cannot_be_used_never_replaces_a_good_model() {
    let flash = flash();
    install(&flash, MODELS[0]);
    let mut flipped = MODELS[1].to_vec();
    flipped[30] ^= 4;
    let refusals: [(&[u8], Unfit); 3] = [
        (&flipped, Unfit::Model(DecodeError::Checksum)),
        (MODELS[2], Unfit::Features),
        (&MODELS[1][..MODELS[1].len() - 1], Unfit::Model(DecodeError::Truncated)),
    ];
    for (model, unfit) in refusals {
        let (mut store, _) = boot(&flash);
        send(&mut store, model).unwrap();
        assert_eq!(store.commit(accept(&flash)), Err(StoreError::Refused(Refused::Unfit(unfit))));
        assert_eq!(store.commit(accept(&flash)), Err(StoreError::NoUpdate));
        assert_eq!(runs(&flash, MODELS[0]).second, SlotVerdict::Refused(Refused::NotCommitted));
    }
    // Neither does an incomplete one, or pieces out of order.
    let (mut store, _) = boot(&flash);
    store.begin(MODELS[1].len() as u32, 0).unwrap();
    store.write(0, &MODELS[1][..60]).unwrap();
    assert_eq!(store.write(61, &MODELS[1][61..]), Err(StoreError::Offset));
    assert_eq!(store.write(60, &[0; 512]), Err(StoreError::Offset));
    assert_eq!(store.commit(accept(&flash)), Err(StoreError::Incomplete));
    // The update resumes where it was.
    assert_eq!(store.received(), Some(60));
    store.write(60, &MODELS[1][60..]).unwrap();
    store.commit(accept(&flash)).unwrap();
    runs(&flash, MODELS[1]);
}

#[test]
fn an_update_needs_a_boot_a_beginning_and_room() {
    let flash = flash();
    let mut store = store(&flash);
    assert_eq!(store.begin(10, 0), Err(StoreError::NotBooted));
    store.boot(accept(&flash));
    assert_eq!(store.write(0, &[1]), Err(StoreError::NoUpdate));
    assert_eq!(store.commit(accept(&flash)), Err(StoreError::NoUpdate));
    let room = 512 - OVERHEAD;
    for length in [0, room + 1, u32::MAX] {
        assert_eq!(store.begin(length, 0), Err(StoreError::Length));
    }
    store.begin(room, 0).unwrap();
    store.write(0, &vec![1; room as usize]).unwrap();
    let error = store.commit(accept(&flash)).unwrap_err();
    assert_eq!(error.to_string(), "the model is refused: not a model: it does not begin with \"PUAL\"");
    // A model that fills its slot to the last byte does not reach into what follows.
    assert_eq!(flash.mapped(1024, 512).unwrap(), vec![0xFF; 512]);
}

#[test]
fn a_rollback_goes_to_the_other_model_and_back() {
    let flash = flash();
    let (mut store, _) = boot(&flash);
    assert_eq!(store.rollback(accept(&flash)), Err(StoreError::Refused(Refused::Empty)));
    install(&flash, MODELS[0]);
    install(&flash, MODELS[1]);
    let (mut store, _) = boot(&flash);
    store.rollback(accept(&flash)).unwrap();
    runs(&flash, MODELS[0]);
    let (mut store, _) = boot(&flash);
    store.rollback(accept(&flash)).unwrap();
    runs(&flash, MODELS[1]);
    // When a slot has no room for another mark, the rollback is refused, and an update makes room again.
    let refused = (0..10).find_map(|_| store.rollback(accept(&flash)).err());
    assert_eq!(refused, Some(StoreError::NoMarkLeft));
    install(&flash, MODELS[0]);
    runs(&flash, MODELS[0]);
}

#[test]
fn a_rollback_to_a_damaged_model_is_refused() {
    let flash = flash();
    let older = install(&flash, MODELS[0]);
    install(&flash, MODELS[1]);
    flash.0.borrow_mut().flip(8 * (older.offset as usize + 9));
    let (mut store, _) = boot(&flash);
    assert_eq!(store.rollback(accept(&flash)), Err(StoreError::Refused(Refused::Checksum)));
    runs(&flash, MODELS[1]);
}

/// A slot as FORMAT.md describes it, put together independently.
fn slot(model: &[u8], version: u32, sequence: u32) -> Vec<u8> {
    let crc = |bytes: &[u8]| crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(bytes).to_le_bytes();
    let length = model.len() as u32;
    let mut slot = [*b"PSLT", [1, 0, 0, 0], length.to_le_bytes(), version.to_le_bytes()].concat();
    slot.extend(crc(&[&slot, model].concat()));
    slot.resize(32, 0xFF);
    slot.extend(sequence.to_le_bytes());
    slot.extend(crc(&slot));
    slot.resize(160, 0xFF);
    slot.extend(model);
    slot
}

#[test]
fn slots_are_as_the_format_describes_them_and_sequence_numbers_wrap_around() {
    let flash = flash();
    load(&flash, Slot::First, &slot(MODELS[0], 3, u32::MAX));
    load(&flash, Slot::Second, &slot(MODELS[1], 3, 0));
    let found = runs(&flash, MODELS[1]);
    assert_eq!((found.first, found.second), (SlotVerdict::Older, SlotVerdict::Taken));
    assert_eq!(found.model.unwrap().version, 3);
    for round in 0..4 {
        install(&flash, MODELS[round % 2]);
        runs(&flash, MODELS[round % 2]);
    }
    // The store writes the same: the fourth update, after which the sequence number is 4.
    let mut expected = slot(MODELS[1], 7, 4);
    expected.resize(512, 0xFF);
    assert_eq!(flash.mapped(SLOTS[1].start, 512).unwrap(), expected);
}

#[test]
fn an_update_runs_whatever_the_numbers_of_the_slots() {
    const HALF: u32 = 1 << 31;
    let numbers = [0, 1, 2, HALF - 1, HALF, HALF + 1, HALF + 2, u32::MAX];
    let somewhere = numbers.map(Some).into_iter().chain([None]);
    // One slot has a model that runs; the other is empty, or has one of too many features, with a newer number or an older.
    for running in numbers {
        for other in somewhere.clone() {
            for (at, other_at) in PAIRS {
                let flash = flash();
                load(&flash, at, &slot(MODELS[0], 3, running));
                if let Some(number) = other {
                    load(&flash, other_at, &slot(MODELS[2], 3, number));
                }
                runs(&flash, MODELS[0]);
                install(&flash, MODELS[1]);
                let found = boot(&flash).1.model.unwrap();
                assert_eq!(found.slot, other_at, "{running} {other:?} {at:?}");
                runs(&flash, MODELS[1]);
            }
        }
    }
}

#[test]
fn used_marks_are_renewed_by_updates() {
    let flash = flash();
    for round in 0..300 {
        install(&flash, MODELS[round % 2]);
        // Each boot that begins an update and abandons it uses a mark.
        for _ in 0..round % 7 {
            boot(&flash).0.begin(100, 0).unwrap();
        }
        runs(&flash, MODELS[round % 2]);
    }
}

#[test]
fn slots_that_do_not_fit_the_flash_are_refused() {
    let new = |slots| Store::new(flash(), slots).map(drop).unwrap_err();
    use GeometryError::{BeyondFlash, Misaligned, Overlap, TooSmall};
    assert_eq!(new([0..512, 1000..1512]), Misaligned(Slot::Second));
    assert_eq!(new([512..1023, 1024..1536]), Misaligned(Slot::First));
    assert_eq!(new([512..512, 1024..1536]), TooSmall(Slot::First));
    let backwards = std::ops::Range { start: 1024, end: 512 };
    assert_eq!(new([backwards, 1024..1536]), TooSmall(Slot::First));
    assert_eq!(new([0..512, 1536..2560]), BeyondFlash(Slot::Second));
    assert_eq!(new([0..1024, 512..1536]), Overlap);
    assert_eq!(new([0..512, 0..512]), Overlap);
    let words = Store::new(Flash::<64, 64, 256>::new(Chip::new(4096, 64, 1)), [0..256, 256..512]);
    assert_eq!(words.map(drop), Err(GeometryError::Flash));
    let small = Store::new(Flash::<1, 1, 32>::new(Chip::new(4096, 1, 1)), [0..160, 160..320]);
    assert_eq!(small.map(drop), Err(TooSmall(Slot::First)));
    assert_eq!(
        Misaligned(Slot::Second).to_string(),
        "the second slot does not begin and end at multiples of the erase size and of 32"
    );
}

#[test]
fn a_slot_written_from_outside_is_what_an_update_leaves() {
    let flash = flash();
    for (sequence, model) in (1..).zip([MODELS[0], MODELS[1], MODELS[1], MODELS[0]]) {
        let stored = install(&flash, model);
        let image = slot_image(model, 7, sequence);
        let start = SLOTS[stored.slot as usize].start;
        let mut left = flash.mapped(start, image.len() as u32).unwrap();
        // Later updates mark the running slot once more; here only the first mark is compared.
        left[64..OVERHEAD as usize].fill(0xFF);
        assert_eq!(left, image, "update {sequence}");

        // It boots, in either slot of an erased flash, and next to an older one.
        for (slot, other) in PAIRS {
            let outside = self::flash();
            load(&outside, slot, &image);
            assert_eq!(boot(&outside).1.model.unwrap().slot, slot);
            load(&outside, other, &slot_image(MODELS[1], 9, sequence + 1));
            let found = boot(&outside).1.model.unwrap();
            assert_eq!((found.slot, found.version), (other, 9));
        }
    }
}
