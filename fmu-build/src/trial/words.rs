//! Control plane: writes the result of a trial in words.

use std::fmt::{self, Display, Formatter, Write as _};

use super::{Estimate, Found, Short, Trial};
use fixstep_kernel::seconds::Seconds;

/// How many suspects are named.
const NAMED: usize = 3;
/// An error of at least this part of the range is poor.
const POOR: f64 = 0.1;
/// Changes by more ranges are not reported.
const MOST: f64 = 10.0;

/// A number with a given number of digits, as short as possible.
pub(crate) fn round(x: f64, digits: usize) -> String {
    let text = format!("{x:.*e}", digits.saturating_sub(1));
    let rounded = text.parse().unwrap_or(x);
    let size = f64::abs(rounded);
    if rounded == 0.0 || (1e-4..1e6).contains(&size) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// `0.5 ms`.
pub(crate) fn step_name(h: f64) -> String {
    if h < 1.0 {
        format!("{} ms", round(1e3 * h, 4))
    } else {
        format!("{} s", Seconds(h))
    }
}

/// `all 3 outputs that move`.
fn all_that_move(count: usize) -> String {
    match count {
        1 => "the only output that moves".to_owned(),
        count => format!("all {count} outputs that move"),
    }
}

fn percent(share: f64) -> String {
    format!("{} %", round(100.0 * share, 2))
}

impl Trial {
    /// The verdict.
    pub(super) fn in_short(&self) -> String {
        let none = |why: &str| format!("no estimate: {why}");
        if let Some(trouble) = &self.trouble {
            return none(trouble);
        }
        let [all, order, _, still, lost] = self.counts();
        if all == 0 {
            return none("the model has no outputs that are real numbers");
        }
        if still == all {
            let [start, stop] = [self.start, self.stop].map(Seconds);
            return none(&format!("no output moves from {start} s to {stop} s"));
        }
        if lost > 0 && order == 0 {
            return none(&format!("{}{}", self.why(), self.change()));
        }
        let [h, h2, _] = self.steps.map(step_name);
        let Some((worst, [whole, half])) = self.worst() else {
            return format!("good to rounding at {h}");
        };
        let how = if whole < POOR { "good to" } else { "off by" };
        let moving = all - still;
        let among = if lost == 0 {
            all_that_move(moving)
        } else {
            format!("{} of {moving} outputs that move", moving - lost)
        };
        let mut text = format!(
            "{how} {} of range in {among} at {h}; {h2} would give {} (the worst output is \"{}\" at {} s; order {}, where {} has {})",
            percent(whole),
            percent(half),
            worst.name,
            Seconds(worst.at),
            round(worst.order.unwrap_or(f64::NAN), 2),
            self.scheme,
            self.scheme_order
        );
        if lost > 0 {
            let why = self.why() + &self.change();
            let _ = write!(text, "; no estimate for {lost} of {all} outputs: {why}");
        }
        text
    }

    /// The step against half of it.
    pub(super) fn short(&self) -> Option<Short> {
        let (worst, [error, half]) = self.worst()?;
        let names = |is: fn(Found) -> bool| -> Vec<String> {
            let named = self.outputs.iter().filter(|output| is(output.found));
            named.map(|output| output.name.clone()).collect()
        };
        Some(Short {
            step: self.steps[0],
            error,
            half_step: self.steps[1],
            half_error: half,
            worst: worst.name.clone(),
            outputs: names(|found| matches!(found, Found::Order | Found::Exact)),
            unknown: names(|found| found == Found::NoOrder),
        })
    }

    /// How many outputs there are, and how many with an order, exact, still, without an order.
    fn counts(&self) -> [usize; 5] {
        let count = |found: Found| self.outputs.iter().filter(|o| o.found == found).count();
        [
            self.outputs.len(),
            count(Found::Order),
            count(Found::Exact),
            count(Found::Still),
            count(Found::NoOrder),
        ]
    }

    /// A run's remarks besides its account: the verdict, preceded by the account if the run has none of its own.
    pub fn remarks(&self, has_account: bool) -> Vec<String> {
        let mut lines = Vec::new();
        let mut span = String::new();
        if self.rows > 0 {
            span = self.span();
            if !has_account {
                lines.push(self.account.words(&span));
                let warning = self.account.warning.iter();
                lines.extend(warning.map(|text| format!("warning: {text}")));
            }
        }
        lines.push(format!("accuracy{span}: {}", self.verdict));
        lines.extend(self.missed.iter().map(|text| format!("warning: {text}")));
        lines
    }

    /// How much of the run was tried.
    fn span(&self) -> String {
        let [tried, whole] = [self.stop, self.whole].map(|stop| Seconds(stop - self.start));
        if self.stop < self.whole {
            format!(" over the first {tried} s of {whole} s")
        } else {
            format!(" over all {whole} s")
        }
    }

    /// By how much half the step changes the output without an order that changes most.
    fn change(&self) -> String {
        let lost = self.outputs.iter().filter(|o| o.found == Found::NoOrder);
        let shares = lost.map(|o| (o, o.differences[0] / o.range));
        let finite = shares.filter(|(_, share)| share.is_finite());
        let Some((most, share)) = finite.max_by(|(_, a), (_, b)| a.total_cmp(b)) else {
            return String::new();
        };
        let [h, h2, _] = self.steps.map(step_name);
        let name = &most.name;
        let by = if share <= MOST {
            format!("{} of range", percent(share))
        } else {
            format!("more than {MOST} times its range")
        };
        format!("; {h2} in place of {h} changes \"{name}\" by {by}")
    }

    /// The output with the largest error, as a part of its range.
    fn worst(&self) -> Option<(&Estimate, [f64; 2])> {
        let known = self.outputs.iter().filter_map(|o| Some((o, o.shares?)));
        known.max_by(|(_, a), (_, b)| a[0].total_cmp(&b[0]))
    }

    /// Possible reasons why outputs have no order.
    fn why(&self) -> String {
        let named = self.suspects.iter().take(NAMED).map(|suspect| {
            let (owner, what) = (&suspect.owner, &suspect.what);
            match suspect.times {
                0 => format!("{owner} {what}"),
                1 => format!("{owner} {what} at {} s", Seconds(suspect.first)),
                times => format!(
                    "{owner} {what} ({times} times, first at {} s)",
                    Seconds(suspect.first)
                ),
            }
        });
        let mut named: Vec<String> = named.collect();
        if self.suspects.len() > NAMED {
            named.push(format!("{} more", self.suspects.len() - NAMED));
        }
        if !named.is_empty() {
            return named.join(", ");
        }
        let [_, half, quarter] = self.steps.map(step_name);
        let fast = self.stiffest.first().filter(|fast| fast.steps < 10.0);
        match fast {
            Some(fast) => format!(
                "the runs at {half} and {quarter} do not come closer to each other; {} vibrates with {} steps per period",
                fast.name,
                round(fast.steps, 2)
            ),
            None => match self.account.loss() {
                Some(loss) => format!(
                    "the runs at {half} and {quarter} do not come closer to each other, and that at the step loses {} of its energy \
                     to the scheme",
                    percent(loss)
                ),
                None => format!(
                    "the runs at {half} and {quarter} do not come closer to each other, as in motion that is chaotic or \
                     swings faster than the communication step shows"
                ),
            },
        }
    }

    /// Possible reasons for a lower order.
    fn below(&self) -> Option<String> {
        let (worst, _) = self.worst()?;
        let low = worst.order? < self.scheme_order - 0.4;
        (low && !self.suspects.is_empty())
            .then(|| format!("below order {}: {}", self.scheme_order, self.why()))
    }

    /// The stiffest elements.
    fn stiffest(&self) -> String {
        let each = self.stiffest.iter().map(|stiff| {
            format!(
                "{}, {} steps ({}) per period",
                stiff.name,
                round(stiff.steps, 3),
                step_name(stiff.period)
            )
        });
        each.collect::<Vec<_>>().join("; ")
    }
}

impl Display for Trial {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [h, h2, h4] = self.steps.map(step_name);
        let (start, stop) = (Seconds(self.start), Seconds(self.stop));
        let cut = if self.cut {
            ", where its time was up"
        } else {
            ""
        };
        writeln!(
            f,
            "trial at {h}, {h2} and {h4} from {start} s to {stop} s{cut}"
        )?;
        writeln!(f, "{}", self.verdict)?;
        if let Some(ended) = &self.ended {
            writeln!(f, "{ended}")?;
        }
        let width = self.outputs.iter().map(|o| o.name.chars().count()).max();
        let width = width.unwrap_or(0).max(6);
        if !self.outputs.is_empty() {
            writeln!(
                f,
                "  {:width$} {:>12} {:>11} {:>11} {:>6}  unit",
                "output",
                format!("at {h}"),
                "of range",
                format!("at {h2}"),
                "order"
            )?;
        }
        for output in &self.outputs {
            let what = match (output.found, output.errors, output.shares, output.order) {
                (Found::Order, Some([error, _]), Some([whole, half]), Some(order)) => {
                    format!(
                        "{:>12} {:>11} {:>11} {:>6}",
                        round(error, 2),
                        percent(whole),
                        percent(half),
                        round(order, 2)
                    )
                }
                (Found::Exact, ..) => format!("{:>12}", "to rounding"),
                (Found::Still, ..) => format!("{:>12}", "still"),
                _ => format!("{:>12}", "no estimate"),
            };
            let line = format!("  {:width$} {what:43}  {}", output.name, output.unit);
            writeln!(f, "{}", line.trim_end())?;
        }
        if let Some(below) = self.below() {
            writeln!(f, "{below}")?;
        }
        if !self.stiffest.is_empty() {
            writeln!(f, "stiffest: {}", self.stiffest())?;
        }
        write!(f, "{}", self.account.words(""))?;
        let mut warnings = self.account.warning.iter().chain(&self.missed);
        warnings.try_for_each(|text| write!(f, "\nwarning: {text}"))
    }
}
