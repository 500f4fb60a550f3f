//! Control plane: chooses the ticks of an axis and writes their labels.

use fixstep_kernel::math;

use super::Scale;

/// The ticks of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ticks {
    /// Range of the axis; ticks lie within it.
    pub(super) range: (f64, f64),
    /// Positions with their texts.
    pub(super) marks: Vec<(f64, String)>,
    /// The power of ten by which the texts are to be multiplied; it stands in the label of the axis.
    pub(super) power: i32,
}

impl Ticks {
    /// The label of the axis, with the power of ten before the unit: `force [10⁶ N]`.
    pub(super) fn labelled(&self, label: &str) -> String {
        if self.power == 0 {
            return label.to_owned();
        }
        let power = format!("10{}", superscript(&self.power.to_string()));
        match label.rfind('[') {
            Some(at) if label.ends_with(']') => {
                format!("{}[{power} {}", &label[..at], &label[at + 1..])
            }
            _ => format!("{label} [{power}]").trim_start().to_owned(),
        }
    }
}

/// Smallest and largest finite number; (0, 0) if there is none.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .filter(|value| value.is_finite())
        .fold(None, |range: Option<(f64, f64)>, value| {
            Some(range.map_or((value, value), |(low, high)| {
                (low.min(value), high.max(value))
            }))
        })
        .unwrap_or((0.0, 0.0))
}

/// Ticks of an axis that shows `range`; with `grow`, the axis grows to whole ticks.
pub(super) fn ticks(range: (f64, f64), wanted: usize, scale: Scale, grow: bool) -> Ticks {
    match scale {
        Scale::Linear => linear(range, wanted, grow),
        Scale::Logarithmic => decades(range),
    }
}

/// Ticks at 1, 2 or 5 times a power of ten.
fn linear((mut low, mut high): (f64, f64), wanted: usize, grow: bool) -> Ticks {
    // A line that is flat, except for rounding, is placed in the middle of a readable range.
    let magnitude = low.abs().max(high.abs());
    if high - low <= 1e-9 * magnitude || high == low {
        let half = if magnitude == 0.0 {
            1.0
        } else {
            0.1 * magnitude
        };
        let middle = f64::midpoint(low, high);
        (low, high) = (middle - half, middle + half);
    }
    let step = nice_step((high - low) / wanted.max(1) as f64);
    if grow {
        // The hair keeps rounding from adding an empty interval.
        low = (low / step + 1e-9).floor() * step;
        high = (high / step - 1e-9).ceil() * step;
    }
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    let decimals = (-math::log10(step) - 1e-9).ceil();
    let largest = low.abs().max(high.abs());
    let everyday = largest == 0.0 || ((1e-4..1e6).contains(&largest) && decimals <= 6.0);
    // One power of ten for the whole axis, so that ticks compare at a glance.
    let power = if everyday {
        0
    } else {
        math::log10(largest).floor() as i32
    };
    let digits = (f64::from(power) + decimals).clamp(0.0, 12.0) as usize;
    let marks = (first..=last).map(|n| {
        let value = n as f64 * step;
        (
            value,
            write(value / math::pow(10.0, f64::from(power)), digits),
        )
    });
    Ticks {
        range: (low, high),
        marks: marks.collect(),
        power,
    }
}

/// The smallest of 1, 2, 5 × 10ⁿ that is not less than `raw`.
fn nice_step(raw: f64) -> f64 {
    let power = math::log10(raw).floor();
    let unit = math::pow(10.0, power);
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|nice| nice * unit >= raw * (1.0 - 1e-9))
        .map_or(10.0 * unit, |nice| nice * unit)
}

/// Plain decimals; `-` is a true minus.
fn write(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    format!("{value:.digits$}").replace('-', "\u{2212}")
}

/// One tick per decade, thinned to at most seven.
fn decades((low, high): (f64, f64)) -> Ticks {
    let (low, high) = if low > 0.0 { (low, high) } else { (1e-3, 1.0) };
    let first = (math::log10(low) + 1e-9).floor() as i32;
    let last = ((math::log10(high) - 1e-9).ceil() as i32).max(first + 1);
    let every = (last - first).unsigned_abs().div_ceil(7).max(1) as usize;
    let marks = (first..=last).step_by(every).map(|n| {
        let text = match n {
            0 => "1".to_owned(),
            1 => "10".to_owned(),
            2 => "100".to_owned(),
            -1 => "0.1".to_owned(),
            -2 => "0.01".to_owned(),
            _ => format!("10{}", superscript(&n.to_string())),
        };
        (10_f64.powi(n), text)
    });
    Ticks {
        range: (10_f64.powi(first), 10_f64.powi(last)),
        marks: marks.collect(),
        power: 0,
    }
}

fn superscript(digits: &str) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digits
        .chars()
        .map(|c| match c.to_digit(10) {
            Some(digit) => DIGITS[digit as usize],
            None => '⁻',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(range: (f64, f64)) -> Vec<String> {
        ticks(range, 6, Scale::Linear, true)
            .marks
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    }

    #[test]
    fn steps_are_one_two_or_five() {
        assert_eq!(nice_step(0.9), 1.0);
        assert_eq!(nice_step(1.1), 2.0);
        assert_eq!(nice_step(23.0), 50.0);
        assert!((nice_step(0.0031) - 0.005).abs() < 1e-15);
    }

    #[test]
    fn texts_have_just_the_digits_needed() {
        assert_eq!(texts((0.0, 10.0)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            texts((-0.3, 0.3)),
            ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]
        );
        assert_eq!(
            texts((0.0, 2.5e-7)),
            ["0", "0.5", "1.0", "1.5", "2.0", "2.5"]
        );
    }

    #[test]
    fn the_label_has_the_power_of_large_and_small_numbers() {
        let axis = |range| ticks(range, 6, Scale::Linear, true);
        assert_eq!(axis((0.0, 2.5e-7)).labelled("play [m]"), "play [10⁻⁷ m]");
        let large = axis((-3e6, 4.2e6));
        assert_eq!(large.labelled("force [N]"), "force [10⁶ N]");
        assert_eq!(
            (large.labelled("count"), large.labelled("")),
            ("count [10⁶]".to_owned(), "[10⁶]".to_owned())
        );
        assert_eq!(large.marks[0].1, "−4");
        assert_eq!(axis((0.0, 7e5)).labelled("force [N]"), "force [N]");
    }

    #[test]
    fn a_flat_line_gets_a_range_around_it() {
        let flat = ticks((9.81, 9.81), 5, Scale::Linear, true);
        assert!(flat.range.0 < 9.0 && flat.range.1 > 10.5);
        assert_eq!(ticks((0.0, 0.0), 5, Scale::Linear, true).range, (-1.0, 1.0));
    }

    #[test]
    fn decades_enclose_the_data() {
        let log = ticks((0.02, 3.0), 5, Scale::Logarithmic, true);
        assert_eq!(log.range, (0.01, 10.0));
        assert_eq!(log.marks.len(), 4);
    }
}
