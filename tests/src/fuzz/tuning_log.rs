//! The log of a search that is resumed: whatever reads, reads too when its end is missing, as after a crash.

use pual_trainer::internals::fits_in_log;

/// The target. Input: two bytes that say where it is cut, then the log.
pub fn tuning_log(data: &[u8]) {
    if let Some((cut, text)) = data.split_first_chunk()
        && let Ok(text) = std::str::from_utf8(text) // as the reader does, before it looks any further
        && let Ok(all) = fits_in_log("log", text)
    {
        let cut = usize::from(u16::from_le_bytes(*cut)) % (text.len() + 1);
        if let Some(start) = text.get(..cut) {
            let fits = fits_in_log("log", start);
            assert!(fits.is_ok_and(|fits| fits <= all), "cut at {cut}");
        }
        if text.ends_with('\n') {
            let torn = fits_in_log("log", &format!("{text}{{\"method\":\"pu"));
            assert_eq!(torn.ok(), Some(all), "a line without its end counts for nothing");
        }
    }
}
