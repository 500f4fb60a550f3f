//! Control plane: the report as one JSON object. It is written by hand, since nothing else in this crate writes JSON.

use super::report::{Line, Percentiles, Report};
use std::fmt::Write as _;

/// An object under way.
struct Object(String);

impl Object {
    /// A field with its value, which is JSON already.
    fn field(mut self, name: &str, value: impl AsRef<str>) -> Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&text(name));
        self.0.push(':');
        self.0.push_str(value.as_ref());
        self
    }

    fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A string in quotes.
fn text(raw: &str) -> String {
    let mut quoted = String::with_capacity(raw.len() + 2);
    quoted.push('"');
    for c in raw.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // Writing to a String cannot fail.
            c if c < ' ' => drop(write!(quoted, "\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A number with the shortest digits that read back to the same bits; JSON has no infinity.
fn number(value: f64) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else {
        "null".to_owned()
    }
}

fn whole(value: u64) -> String {
    value.to_string()
}

fn or_null<T>(value: Option<T>, write: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "null".to_owned(), write)
}

fn line(line: Line) -> String {
    let object = Object(String::new())
        .field("rti", number(line.rti))
        .field("hz", or_null(line.hz, whole));
    match line.time {
        Some(time) => object.field("time", number(time)),
        None => object,
    }
    .finish()
}

fn percentiles(p: Percentiles) -> String {
    Object(String::new())
        .field("p50", number(p.p50))
        .field("p99", number(p.p99))
        .field("p99.9", number(p.p99_9))
        .field("p99.99", number(p.p99_99))
        .field("p99.999", number(p.p99_999))
        .finish()
}

/// The whole report.
pub(super) fn report(report: &Report) -> String {
    let bucket = |(from, to, count): &(f64, f64, u64)| {
        format!("[{},{},{count}]", number(*from), number(*to))
    };
    let buckets: Vec<String> = report.histogram.iter().map(bucket).collect();
    Object(String::new())
        .field("integrator", text(&report.integrator))
        .field("time_unit", text(&report.time_unit))
        .field("hratio", whole(u64::from(report.hratio)))
        .field("step", number(report.step))
        .field("step_seconds", number(report.step_seconds))
        .field("requested_hz", number(report.requested_hz))
        .field("steps", whole(report.steps))
        .field("first_included", report.first_included.to_string())
        .field("first", or_null(report.first, line))
        .field("min", or_null(report.min, line))
        .field("average", or_null(report.average, line))
        .field("max", or_null(report.max, line))
        .field("percentiles", or_null(report.percentiles, percentiles))
        .field("misses", whole(report.misses))
        .field("longest_run_of_misses", whole(report.longest_run_of_misses))
        .field("zero_rti_seen", report.zero_rti_seen.to_string())
        .field("histogram", format!("[{}]", buckets.join(",")))
        .finish()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn texts_and_numbers_read_back() {
        for raw in ["s", "a \"b\" \\ c", "line\nbreak\u{1}", "µs"] {
            let back: String = serde_json::from_str(&text(raw)).unwrap();
            assert_eq!(back, raw);
        }
        for value in [0.0, 1e-7, 1.0 / 3.0, 1e300, -2.5e-310] {
            let back: f64 = serde_json::from_str(&number(value)).unwrap();
            assert_eq!(back.to_bits(), value.to_bits());
        }
        assert_eq!(number(f64::INFINITY), "null");
    }
}
