//! The device's side: commands in, answers out, and a store that always holds a good model.

use super::{Answer, Begin, Command, MAX_CHUNK, Refusal, Sealed, Status};
use embedded_storage::nor_flash::NorFlash;
use pual_infer::store::{Boot, Refused, Slot, SlotVerdict, Store, StoreError, Stored, Unfit, crc32_of_more};

/// A store, and the update in progress.
///
/// `accept` says whether the firmware can use a stored model, as for [`Store::boot`].
#[derive(Debug)]
pub struct Updater<F> {
    store: Store<F>,
    /// Features of this firmware's readings.
    features: u16,
    boot: Boot,
    transfer: Option<Transfer>,
}

/// An update in progress.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    begin: Begin,
    /// The state of the checksum over what has arrived.
    crc: u32,
}

impl<F: NorFlash> Updater<F> {
    /// Boots the store.
    pub fn new(mut store: Store<F>, features: u16, accept: impl FnMut(&Stored) -> Result<(), Unfit>) -> Self {
        let boot = store.boot(accept);
        Self { store, features, boot, transfer: None }
    }

    /// Which model to run, and why. Check again after every [`answer`](Self::answer): a commit or a rollback changes it, and
    /// the next command may overwrite the model that ran before.
    #[must_use]
    pub fn boot(&self) -> &Boot {
        &self.boot
    }

    /// Carries out a command. `None` if the message is damaged.
    pub fn answer(&mut self, sealed: &Sealed, mut accept: impl FnMut(&Stored) -> Result<(), Unfit>) -> Option<Sealed> {
        let (number, command) = sealed.open::<Command<'_>>()?;
        let answer = self.carry_out(command, &mut accept).unwrap_or_else(Answer::Refused);
        Sealed::new(number, &answer)
    }

    fn carry_out(
        &mut self,
        command: Command<'_>,
        accept: &mut dyn FnMut(&Stored) -> Result<(), Unfit>,
    ) -> Result<Answer, Refusal> {
        match command {
            Command::Status => Ok(Answer::Status(self.status())),
            Command::Begin(begin) => self.begin(begin),
            Command::Chunk { update, offset, bytes } => self.chunk(update, offset, bytes),
            Command::Verify { update } => self.verify(update).map(|()| Answer::Verified),
            Command::Commit { update } => {
                self.verify(update)?;
                self.transfer = None;
                self.store.commit(&mut *accept).map_err(refusal)?;
                Ok(self.reboot(accept))
            }
            Command::Rollback { sequence } => {
                self.expect(sequence)?;
                self.transfer = None;
                self.store.rollback(&mut *accept).map_err(refusal)?;
                Ok(self.reboot(accept))
            }
        }
    }

    fn status(&self) -> Status {
        let received = self.transfer.and(self.store.received());
        Status::new(&self.boot, self.features, self.store.sequence(), received)
    }

    fn begin(&mut self, begin: Begin) -> Result<Answer, Refusal> {
        if let (Some(transfer), Some(received)) = (self.transfer, self.store.received())
            && transfer.begin == begin
        {
            return Ok(Answer::Next(received));
        }
        self.expect(begin.sequence)?;
        if begin.features != self.features {
            return Err(Refusal::Features(self.features));
        }
        self.transfer = None;
        self.store.begin(begin.length, begin.version).map_err(refusal)?;
        self.transfer = Some(Transfer { begin, crc: !0 });
        // The other slot has been erased.
        let other = match self.boot.model.map(|stored| stored.slot) {
            Some(Slot::First) => &mut self.boot.second,
            _ => &mut self.boot.first,
        };
        *other = SlotVerdict::Refused(Refused::Empty);
        Ok(Answer::Next(0))
    }

    fn chunk(&mut self, update: u32, offset: u32, bytes: &[u8]) -> Result<Answer, Refusal> {
        let (transfer, received) = self.under_way(update)?;
        if bytes.is_empty() || bytes.len() > MAX_CHUNK {
            return Ok(Answer::Next(received));
        }
        match self.store.write(offset, bytes) {
            // Repeated, ahead of one that was lost, or too long: none of it was written.
            Err(StoreError::Offset) => Ok(Answer::Next(received)),
            Err(error) => {
                self.transfer = None;
                Err(refusal(error))
            }
            Ok(()) => {
                let crc = crc32_of_more(transfer.crc, bytes);
                self.transfer = Some(Transfer { crc, ..transfer });
                Ok(Answer::Next(self.store.received().unwrap_or_default()))
            }
        }
    }

    fn verify(&mut self, update: u32) -> Result<(), Refusal> {
        let (transfer, received) = self.under_way(update)?;
        if received != transfer.begin.length {
            return Err(Refusal::Incomplete(received));
        }
        if !transfer.crc != transfer.begin.checksum {
            self.transfer = None;
            return Err(Refusal::Checksum);
        }
        Ok(())
    }

    /// The update in progress, if it is this one, and how much of it has arrived.
    fn under_way(&self, update: u32) -> Result<(Transfer, u32), Refusal> {
        match (self.transfer, self.store.received()) {
            (Some(transfer), Some(received)) if transfer.begin.checksum == update => Ok((transfer, received)),
            _ => Err(Refusal::NoUpdate),
        }
    }

    fn expect(&self, sequence: u32) -> Result<(), Refusal> {
        let current = self.store.sequence();
        if current == sequence { Ok(()) } else { Err(Refusal::Stale(current)) }
    }

    /// The store must be booted before the next update: that finds the new model, as a restart would.
    fn reboot(&mut self, accept: &mut dyn FnMut(&Stored) -> Result<(), Unfit>) -> Answer {
        self.boot = self.store.boot(accept);
        Answer::Committed(self.store.sequence())
    }
}

fn refusal(error: StoreError) -> Refusal {
    match error {
        StoreError::Length => Refusal::Length,
        StoreError::NoUpdate | StoreError::NotBooted | StoreError::Offset => Refusal::NoUpdate,
        StoreError::Incomplete => Refusal::Incomplete(0),
        StoreError::Refused(why) => Refusal::Slot(why.into()),
        StoreError::NoMarkLeft => Refusal::NoMarkLeft,
        _ => Refusal::Flash,
    }
}
