//! Power cuts at every byte of an update and of a rollback, once, and twice in a row: the device boots the old model or
//! the new one, scores to the bit, and the next update succeeds.

mod flash;

use flash::{Chip, Flash, SimError, Tear};
use pual_infer::store::{OVERHEAD, Store, StoreError, Stored, Unfit};
use pual_infer::{Encoding, Model, ModelBytes, ModelSpec, SpecKernel, encode_fixed};

const FEATURES: usize = 2;
const READINGS: [[f32; FEATURES]; 3] = [[0.25, -1.0], [3.5, 0.5], [-2.0, 4.0]];
/// Bytes of a mark, which is what an update writes first.
const MARK: usize = 32;
/// Bytes that are sent at a time.
const PIECE: usize = 13;

fn scores(model: &Model<'_>) -> [u32; 3] {
    READINGS.map(|reading| model.score(&reading).unwrap().to_bits())
}

/// Models and the bits of their scores. Model 0 is the built-in one.
fn models() -> Vec<(ModelBytes, [u32; 3])> {
    let model = |index: usize| {
        let spec = ModelSpec {
            kernel: SpecKernel::Rbf { bandwidth: 1.0 },
            offsets: &[0.5, 0.0],
            scales: &[1.0, 0.5],
            coefficients: &[1.0 + 0.125 * index as f64],
            supports: &[0.25, -0.5],
            bias: -0.5,
            threshold: 0.0,
            envelope: None,
            names: None,
            recipe: None,
        };
        let bytes = encode_fixed(&spec, Encoding::I8).unwrap();
        let scores = scores(&bytes.decode().unwrap());
        (bytes, scores)
    };
    (0..6).map(model).collect()
}

/// A bench for one geometry.
struct Bench<const R: usize, const W: usize, const E: usize> {
    models: Vec<(ModelBytes, [u32; 3])>,
    slots: [std::ops::Range<u32>; 2],
}

impl<const R: usize, const W: usize, const E: usize> Bench<R, W, E> {
    fn new() -> Self {
        let models = models();
        let length = (OVERHEAD + models[0].0.len() as u32).next_multiple_of(E as u32);
        // Not at the start of the flash, and not side by side.
        let first = E as u32;
        let second = first + length + E as u32;
        Self { models, slots: [first..first + length, second..second + length] }
    }

    fn blank(&self) -> Chip {
        Chip::new(self.slots[1].end as usize, W, 1)
    }

    /// Boots, and returns which model runs, by its scores alone.
    fn boot(&self, flash: &Flash<R, W, E>) -> (Store<Flash<R, W, E>>, usize) {
        let mut store = Store::new(flash.clone(), self.slots.clone()).unwrap();
        let boot = store.boot(|stored| accept(flash, stored));
        let running = boot.model.map_or(0, |stored| {
            let bytes = ModelBytes::new(&flash.mapped(stored.offset, stored.length).unwrap());
            let found = scores(&bytes.decode().unwrap());
            self.models.iter().position(|known| known.1 == found).expect("a model that nobody sent")
        });
        (store, running)
    }

    /// Boots and acts. Returns which model ran before, and whether it was done.
    fn act(&self, flash: &Flash<R, W, E>, act: Act) -> (usize, Result<(), StoreError>) {
        let (mut store, ran) = self.boot(flash);
        let accept = |stored: &Stored| accept(flash, stored);
        let mut update = |model: usize| {
            let bytes = &self.models[model].0;
            store.begin(bytes.len() as u32, model as u32)?;
            for (piece, offset) in bytes.chunks(PIECE).zip((0..).step_by(PIECE)) {
                store.write(offset, piece)?;
            }
            store.commit(accept)
        };
        let done = match act {
            Act::Update(model) => update(model),
            Act::Rollback => store.rollback(accept),
        };
        (ran, done)
    }

    /// A flash on which these were installed, one after the other.
    fn installed(&self, models: &[usize]) -> Chip {
        let flash = Flash::<R, W, E>::new(self.blank());
        for &model in models {
            self.act(&flash, Act::Update(model)).1.unwrap();
            assert_eq!(self.boot(&flash).1, model);
        }
        flash.0.borrow().clone()
    }
}

fn accept<const R: usize, const W: usize, const E: usize>(
    flash: &Flash<R, W, E>,
    stored: &Stored,
) -> Result<(), Unfit> {
    let bytes = flash.mapped(stored.offset, stored.length).map_err(|_| Unfit::NotMapped)?;
    match ModelBytes::new(&bytes).decode().map_err(Unfit::Model)?.features() {
        FEATURES => Ok(()),
        _ => Err(Unfit::NotMapped),
    }
}

/// What is interrupted.
#[derive(Clone, Copy, Debug)]
enum Act {
    Update(usize),
    /// Between models 1 and 2.
    Rollback,
}

impl Act {
    /// The model that runs afterwards, if `ran` ran before.
    fn leads_to(self, ran: usize) -> usize {
        match self {
            Self::Update(model) => model,
            Self::Rollback => 3 - ran,
        }
    }
}

struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.0 >> 33
    }

    fn tear(&mut self) -> Tear {
        Tear::ALL[self.next() as usize % Tear::ALL.len()]
    }
}

/// How far an interrupted session got.
struct Cut<const R: usize, const W: usize, const E: usize> {
    flash: Flash<R, W, E>,
    /// The model that ran.
    ran: usize,
    finished: bool,
}

impl<const R: usize, const W: usize, const E: usize> Bench<R, W, E> {
    /// Powers up, boots, acts until power fails.
    fn session(&self, mut chip: Chip, seed: u64, cut: (usize, Tear), act: Act) -> Cut<R, W, E> {
        chip.reseed(seed);
        chip.power_up(Some(cut));
        let flash = Flash::<R, W, E>::new(chip);
        let (ran, done) = self.act(&flash, act);
        let lost = flash.mapped(0, 1) == Err(SimError::PowerLost);
        assert!(done.is_ok() || lost, "refused with power on: {done:?}");
        Cut { flash, ran, finished: done.is_ok() }
    }

    /// What runs at the next power-ups: every time one of `allowed`.
    fn check(&self, flash: &Flash<R, W, E>, allowed: &[usize], what: &dyn std::fmt::Debug) {
        for _ in 0..2 {
            flash.0.borrow_mut().power_up(None);
            let (_, runs) = self.boot(flash);
            assert!(allowed.contains(&runs), "{runs} of {allowed:?}: {what:?}");
        }
    }

    /// Whatever happened, an update succeeds, and its model stays.
    fn recover(&self, flash: &Flash<R, W, E>, what: &dyn std::fmt::Debug) {
        flash.0.borrow_mut().power_up(None);
        let last = self.models.len() - 1;
        let (_, done) = self.act(flash, Act::Update(last));
        assert!(done.is_ok(), "{done:?}: {what:?}");
        self.check(flash, &[last], what);
    }

    /// Cuts at every step, in every way.
    fn single(&self, start: &Chip, act: Act) -> usize {
        let mut cuts = 0;
        for tear in Tear::ALL {
            for step in 0.. {
                let what = (W, E, act, step, tear);
                let cut = self.session(start.clone(), cuts as u64, (step, tear), act);
                if cut.finished {
                    break;
                }
                self.check(&cut.flash, &[cut.ran, act.leads_to(cut.ran)], &what);
                self.recover(&cut.flash, &what);
                cuts += 1;
            }
        }
        cuts
    }

    /// Cuts at every step, and, after a reboot, at every step of the next attempt. How they tear is random.
    fn pairs(&self, start: &Chip, act: Act, then: Act) -> usize {
        let slot = self.slots[0].len() / start.erase_step;
        let whole = self.session(start.clone(), 1, (usize::MAX, Tear::Old), act);
        assert!(whole.finished);
        let mark_begins = whole.flash.0.borrow().steps - MARK;
        let mut draw = Draw(1);
        let mut cuts = 0;
        for one in 0.. {
            let tear = draw.tear();
            let first = self.session(start.clone(), draw.next(), (one, tear), act);
            if first.finished {
                break;
            }
            let interrupted = first.flash.0.borrow();
            for two in 0.. {
                let what = (W, E, act, then, (one, tear), (two, draw.tear()));
                let second = self.session(interrupted.clone(), draw.next(), what.5, then);
                if second.finished {
                    break;
                }
                cuts += 1;
                let mut allowed = vec![second.ran, then.leads_to(second.ran)];
                if one >= mark_begins {
                    // The first act may have been done, or not, until the running slot is marked and the other one erased.
                    // (The built-in model needs no mark.)
                    let (marked, erased) = match second.ran {
                        0 => (0, slot),
                        _ => (MARK, MARK + slot),
                    };
                    if two < marked {
                        allowed.push(first.ran);
                    }
                    if two < erased {
                        allowed.push(act.leads_to(first.ran));
                    }
                }
                self.check(&second.flash, &allowed, &what);
                self.recover(&second.flash, &what);
            }
        }
        cuts
    }

    fn all(&self) -> (usize, usize) {
        let blank = self.blank();
        let one = self.installed(&[1]);
        let two = self.installed(&[1, 2]);
        let single = self.single(&blank, Act::Update(3))
            + self.single(&one, Act::Update(3))
            + self.single(&two, Act::Update(3))
            + self.single(&two, Act::Rollback);
        // Every step of an erasure tears the same bytes: for pairs, 16 steps per sector are enough.
        let [blank, one, two] = [blank, one, two].map(|mut chip| {
            chip.erase_step = E / 16;
            chip
        });
        let pairs = self.pairs(&blank, Act::Update(3), Act::Update(4))
            + self.pairs(&one, Act::Update(3), Act::Update(3))
            + self.pairs(&two, Act::Update(3), Act::Update(4))
            + self.pairs(&two, Act::Rollback, Act::Rollback)
            + self.pairs(&two, Act::Rollback, Act::Update(4));
        println!("write size {W}, erase size {E}: {single} cuts, {pairs} pairs of cuts");
        (single, pairs)
    }
}

/// Read, write and erase sizes. The numbers of cuts and pairs of cuts are printed for each geometry; all must be large.
macro_rules! power_cuts {
    ($($name:ident: $read:literal, $write:literal, $erase:literal;)*) => {$(
        #[test]
        fn $name() {
            let counts = Bench::<$read, $write, $erase>::new().all();
            assert!(counts.0 > 5_000 && counts.1 > 90_000, "{counts:?}");
        }
    )*};
}

power_cuts! {
    power_cuts_with_words_of_1_byte: 1, 1, 256;
    power_cuts_with_words_of_4_bytes: 4, 4, 512;
    power_cuts_with_words_of_4_bytes_and_pages_of_4096: 4, 4, 4096;
    power_cuts_with_words_of_8_bytes: 1, 8, 2048;
    power_cuts_with_words_of_16_bytes: 16, 16, 1024;
    power_cuts_with_words_of_32_bytes: 32, 32, 256;
    power_cuts_with_several_pages_per_slot: 1, 4, 64;
}
