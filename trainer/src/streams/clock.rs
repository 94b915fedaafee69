//! Times as logs write them: ISO 8601, seconds or milliseconds since 1970, or seconds from the start.
//!
//! All become seconds, as 64-bit floats: a microsecond is resolved until the year 2100. A zone is subtracted; without one, times are
//! taken as they stand.

/// From here on a number counts milliseconds since 1970 (1973 in milliseconds, 5138 in seconds).
const MILLISECONDS_FROM: f64 = 1e11;
/// From here on a number in a column without a telling name is a time (2001).
const EPOCH_FROM: f64 = 1e9;
const EPOCH_TO: f64 = 4e9;
const DAY: f64 = 86_400.0;
/// Names of columns that hold times, in lower case and without a unit.
const NAMES: [&str; 7] = ["time", "timestamp", "datetime", "date_time", "date", "ts", "epoch"];

/// How a log writes its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// ISO 8601.
    Date {
        /// Between date and time of day.
        separator: char,
        /// Whether the log names a zone; times are then in UTC.
        zone: bool,
    },
    /// A number of seconds, since 1970 or since the start.
    Seconds,
    /// A number of milliseconds since 1970.
    Milliseconds,
    /// There are no times but a rate: seconds from the start.
    FromStart,
}

impl Clock {
    /// The clock by which `text` can be read.
    pub(super) fn of(text: &str) -> Option<Self> {
        if let Some(date) = Date::parse(text) {
            return Some(Self::Date { separator: date.separator, zone: date.zone });
        }
        let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
        Some(if number >= MILLISECONDS_FROM { Self::Milliseconds } else { Self::Seconds })
    }

    /// The column of times, from the header and the first line of samples.
    pub(super) fn find(header: &[String], first: &[String]) -> Option<(usize, Self)> {
        let named = (0..header.len()).filter(|&at| is_time_name(&header[at]));
        let by_name = named.filter_map(|at| Some((at, Self::of(first.get(at)?)?))).next();
        let is_plain = |text: &str| match Self::of(text) {
            Some(Self::Date { .. } | Self::FromStart) => true,
            Some(Self::Seconds) => text.parse().is_ok_and(|number: f64| (EPOCH_FROM..EPOCH_TO).contains(&number)),
            Some(Self::Milliseconds) => {
                text.parse().is_ok_and(|number: f64| (1e3 * EPOCH_FROM..1e3 * EPOCH_TO).contains(&number))
            }
            None => false,
        };
        by_name.or_else(|| first.first().filter(|text| is_plain(text)).and_then(|text| Some((0, Self::of(text)?))))
    }

    /// Seconds.
    pub(super) fn parse(self, text: &str) -> Option<f64> {
        match self {
            Self::Date { .. } => Date::parse(text).map(|date| date.seconds),
            Self::Seconds | Self::FromStart => text.parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Milliseconds => {
                text.parse().ok().filter(|number: &f64| number.is_finite()).map(|number: f64| number / 1e3)
            }
        }
    }

    /// What `parse` takes.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Date { .. } => "a time like 2020-03-09 10:14:33",
            Self::Seconds => "a number of seconds",
            Self::Milliseconds => "a number of milliseconds since 1970",
            Self::FromStart => "seconds from the start",
        }
    }

    /// The time as the log would write it.
    #[must_use]
    pub fn text(self, seconds: f64) -> String {
        let number = |value: f64, digits: usize| {
            let text = format!("{value:.digits$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        };
        match self {
            Self::Seconds | Self::FromStart => number(seconds, 6),
            Self::Milliseconds => number(1e3 * seconds, 3),
            Self::Date { separator, zone } => {
                // Rounded once, so that no second has 60 of them.
                let micros = (1e6 * seconds).round() as i64;
                let (days, rest) = (micros.div_euclid(86_400_000_000), micros.rem_euclid(86_400_000_000));
                let (year, month, day) = civil(days);
                let of_day = rest / 1_000_000;
                let fraction = match rest % 1_000_000 {
                    0 => String::new(),
                    micros => format!(".{micros:06}").trim_end_matches('0').to_owned(),
                };
                format!(
                    "{year:04}-{month:02}-{day:02}{separator}{:02}:{:02}:{:02}{fraction}{}",
                    of_day / 3600,
                    of_day / 60 % 60,
                    of_day % 60,
                    if zone { "Z" } else { "" }
                )
            }
        }
    }
}

fn is_time_name(name: &str) -> bool {
    let bare = name.split(['[', '(', '/']).next().unwrap_or_default().trim().to_ascii_lowercase();
    NAMES.contains(&bare.as_str())
}

struct Date {
    seconds: f64,
    separator: char,
    zone: bool,
}

impl Date {
    /// `2020-03-09`, `2020-03-09 10:14`, `2020-03-09T10:14:33.5+01:00`, with slashes too.
    fn parse(text: &str) -> Option<Self> {
        let (date, rest) = (text.get(..10)?, text.get(10..)?);
        let bytes = date.as_bytes();
        if !matches!((bytes[4], bytes[7]), (b'-', b'-') | (b'/', b'/')) {
            return None;
        }
        let (year, month, day) = (whole(&date[..4])?, whole(&date[5..7])?, whole(&date[8..])?);
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let midnight = DAY * days(year, month, day) as f64;
        let Some(separator) = rest.chars().next() else {
            return Some(Self { seconds: midnight, separator: ' ', zone: false });
        };
        if !matches!(separator, ' ' | 'T' | 't') {
            return None;
        }
        let rest = rest[1..].trim_start();
        let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
        let (clock, zone) = rest.split_at(end);
        let offset = zone_offset(zone)?;
        let mut parts = clock.trim_end().split(':');
        let hour = whole(parts.next()?)?;
        let minute = whole(parts.next()?)?;
        let second = match parts.next() {
            None => 0.0,
            Some(text) => text.replace(',', ".").parse().ok().filter(|second| (0.0..61.0).contains(second))?,
        };
        if parts.next().is_some() || !(0..24).contains(&hour) || !(0..60).contains(&minute) {
            return None;
        }
        let of_day = (3600 * hour + 60 * minute) as f64 + second;
        Some(Self { seconds: midnight + of_day - offset, separator, zone: !zone.is_empty() })
    }
}

/// Seconds east of Greenwich; 0 for no zone.
fn zone_offset(zone: &str) -> Option<f64> {
    if zone.is_empty() || zone.eq_ignore_ascii_case("z") {
        return Some(0.0);
    }
    let sign = if zone.starts_with('-') { -1.0 } else { 1.0 };
    let digits: String = zone[1..].chars().filter(|&c| c != ':').collect();
    let (hours, minutes) = match digits.len() {
        2 => (whole(&digits)?, 0),
        4 => (whole(&digits[..2])?, whole(&digits[2..])?),
        _ => return None,
    };
    Some(sign * (3600 * hours + 60 * minutes) as f64)
}

/// Digits and nothing else.
fn whole(text: &str) -> Option<i64> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_digits)
}

/// Days since 1970-01-01 in the Gregorian calendar; years begin in March, so that leap days are last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The inverse of [`days`].
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + 400 * era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_every_common_spelling() {
        let parse = |text: &str| Date::parse(text).map(|date| date.seconds);
        assert_eq!(parse("1970-01-01"), Some(0.0));
        assert_eq!(parse("2020-03-09 10:14:33"), Some(1_583_748_873.0));
        assert_eq!(parse("2020-03-09T10:14:33.25Z"), Some(1_583_748_873.25));
        assert_eq!(parse("2020/03/09 10:14"), Some(1_583_748_840.0));
        assert_eq!(parse("2020-03-09T12:14:33+02:00"), Some(1_583_748_873.0));
        assert_eq!(parse("2020-03-09T05:44:33-0430"), Some(1_583_748_873.0));
        assert_eq!(parse("2000-02-29 00:00:00,5"), Some(951_782_400.5));
        for wrong in
            ["", "10:14:33", "2020-13-01", "2020-03-09 25:00", "2020-03-09X10:00", "2020-03-0910:00", "1583748873"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_time_is_written_as_the_log_writes_it() {
        for text in
            ["2020-03-09 10:14:33", "1969-12-31 23:59:59.5", "2024-02-29T23:59:59.999999Z", "2100-03-01 00:00:00"]
        {
            let clock = Clock::of(text).unwrap();
            assert_eq!(clock.text(clock.parse(text).unwrap()), text);
        }
        for text in ["1583748873", "0.25", "1583748873250"] {
            let clock = Clock::of(text).unwrap();
            assert_eq!(clock.text(clock.parse(text).unwrap()), text);
        }
        assert_eq!(Clock::Milliseconds.parse("1583748873250"), Some(1_583_748_873.25));
    }

    #[test]
    fn the_column_of_times_is_found() {
        let find = |header: &[&str], first: &[&str]| {
            let owned = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
            Clock::find(&owned(header), &owned(first)).map(|(at, _)| at)
        };
        assert_eq!(find(&["a", "Time [s]"], &["1.5", "0.1"]), Some(1));
        assert_eq!(find(&["when", "a"], &["2020-03-09 10:00:00", "1"]), Some(0));
        assert_eq!(find(&["x", "a"], &["1583748873", "1"]), Some(0));
        assert_eq!(find(&["x", "a"], &["1583748873000", "1"]), Some(0));
        assert_eq!(find(&["x", "a"], &["12.5", "1"]), None);
        // A name alone is not enough.
        assert_eq!(find(&["time", "a"], &["soon", "1"]), None);
    }
}
