//! Human-readable quantities.

use std::time::Duration;

/// Parses times such as `10`, `10s`, `1.5s`, `500ms`, `2m` or `1h`. The default unit is seconds.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let number: f64 = number.trim().parse().unwrap_or(f64::NAN);
    Duration::try_from_secs_f64(number * seconds)
        .ok()
        .filter(|time| *time <= Duration::from_secs(u64::from(u32::MAX)))
        .ok_or_else(|| "expected a time such as 10, 10s, 1.5s, 500ms, 2m or 1h".into())
}

/// Formats a count with three significant digits: `999`, `1.23k`, `45.6M`.
pub fn count(n: u64) -> String {
    if n < 1000 {
        return n.to_string();
    }
    let (mut value, mut unit) = (n as f64 / 1000.0, "k");
    for larger in ["M", "G", "T", "P"] {
        // Avoid rounding up to 1000.
        if value >= 999.5 {
            (value, unit) = (value / 1000.0, larger);
        }
    }
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$}{unit}")
}

/// Formats a count with thousands separators: `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// A number with its noun: `1 node`, `1,234 nodes`.
pub fn counted(n: u64, noun: &str) -> String {
    let ending = match n {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", grouped(n))
}

/// Formats a duration: `7ms`, `1.2s`, `1:05`, `2:00:05`.
pub fn time(span: Duration) -> String {
    let (ms, seconds) = (span.as_millis(), span.as_secs());
    match seconds {
        0 => format!("{ms}ms"),
        1..60 => format!("{}.{}s", seconds, ms / 100 % 10),
        60..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_parse_in_all_units() {
        for (text, ms) in
            [("10", 10_000), ("10s", 10_000), ("1.5s", 1500), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000)]
        {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "-1", "10 parsecs", "1e300", "nan", "inf", "1.2.3"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_have_three_digits() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1.00k"),
            (9_994, "9.99k"),
            (9_996, "10.0k"),
            (45_678, "45.7k"),
            (999_499, "999k"),
            (999_500, "1.00M"),
            (1_234_567, "1.23M"),
            (123_456_789_012, "123G"),
            (u64::MAX, "18447P"),
        ] {
            assert_eq!(count(n), text);
        }
        assert_eq!((grouped(1), grouped(1234), grouped(123_456)), ("1".into(), "1,234".into(), "123,456".into()));
        let search = [0, 1, 1234].map(|n| counted(n, "search"));
        assert_eq!(
            (counted(1, "node").as_str(), search),
            ("1 node", ["0 searches", "1 search", "1,234 searches"].map(String::from))
        );
    }

    #[test]
    fn durations_use_suitable_units() {
        for (ms, text) in
            [(7, "7ms"), (999, "999ms"), (1299, "1.2s"), (59_999, "59.9s"), (65_000, "1:05"), (7_205_000, "2:00:05")]
        {
            assert_eq!(time(Duration::from_millis(ms)), text);
        }
    }
}
