//! Finds the zero of a function between two values, in few evaluations.

/// An interval that contains a zero, for the method of Chandrupatla (1997): inverse quadratic interpolation where it
/// is reliable, bisection elsewhere; both ends approach the zero.
#[derive(Clone, Debug)]
pub(super) struct Bracket {
    /// The last value, the other end and the value before, each with the function there.
    new: (f64, f64),
    other: (f64, f64),
    old: Option<(f64, f64)>,
    /// Intervals shorter than this fraction of their values, or than this length, count as a point.
    part: f64,
    least: f64,
}

impl Bracket {
    /// Starts from two values; `part` is the fraction below which an interval is a point.
    pub(super) fn new(a: (f64, f64), b: (f64, f64), part: f64) -> Self {
        Self {
            new: b,
            other: a,
            old: None,
            part,
            least: 1e-3 * part * (b.0 - a.0).abs(),
        }
    }

    /// Does the function change its sign, or is it zero at an end?
    pub(super) fn holds(&self) -> bool {
        let (a, b) = (self.new.1, self.other.1);
        a == 0.0 || b == 0.0 || (a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)
    }

    /// The next value to evaluate; `None` if the zero is known.
    pub(super) fn next(&self) -> Option<f64> {
        let ((a, fa), (b, fb)) = (self.new, self.other);
        let point = (self.part * a.abs().max(b.abs())).max(self.least);
        let least = 0.5 * point / (b - a).abs();
        if fa == 0.0 || fb == 0.0 || least > 0.5 || !self.holds() {
            return None;
        }
        let share = self.old.map_or(fa / (fa - fb), |(c, fc)| {
            let (xi, phi) = ((a - b) / (c - b), (fa - fb) / (fc - fb));
            let trusted = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
            if trusted {
                fa / (fb - fa) * (fc / (fb - fc))
                    + (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb))
            } else {
                0.5
            }
        });
        let share = if share.is_finite() { share } else { 0.5 };
        let x = a + (b - a) * share.clamp(least, 1.0 - least);
        (x != a && x != b).then_some(x)
    }

    /// Takes the function at one more value. Does this replace the lower end?
    pub(super) fn take(&mut self, x: f64, f: f64) -> bool {
        let same = (f > 0.0) == (self.new.1 > 0.0);
        if same {
            self.old = Some(self.new);
        } else {
            self.old = Some(self.other);
            self.other = self.new;
        }
        self.new = (x, f);
        self.new.0 < self.other.0
    }

    /// The ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        let (a, b) = (self.new.0, self.other.0);
        (a.min(b), a.max(b))
    }

    /// The zero of the line between both ends, as a fraction of the interval.
    pub(super) fn share(&self) -> f64 {
        let (low, high) = if self.new.0 < self.other.0 {
            (self.new.1, self.other.1)
        } else {
            (self.other.1, self.new.1)
        };
        match (low == 0.0, high == 0.0) {
            (true, _) => 0.0,
            (_, true) => 1.0,
            _ if self.holds() => low / (low - high),
            _ => 0.5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bracket;

    /// Finds the zero, and counts the evaluations.
    fn zero(of: &dyn Fn(f64) -> f64, a: f64, b: f64) -> (f64, usize) {
        let mut bracket = Bracket::new((a, of(a)), (b, of(b)), 1e-10);
        let mut asked = 0;
        while let Some(x) = bracket.next() {
            bracket.take(x, of(x));
            asked += 1;
        }
        let (low, high) = bracket.ends();
        (low + (high - low) * bracket.share(), asked)
    }

    #[test]
    fn zeros_take_few_evaluations() {
        let (x, asked) = zero(&|x| 3.0 - 2.0 * x, -5.0, 40.0);
        assert!((x - 1.5).abs() < 1e-9 && asked <= 4, "{x} after {asked}");
        let (x, asked) = zero(&|x| (9.0 + x * x).sqrt() - 2.0 * x, 0.0, 100.0);
        assert!(
            (x - 3.0_f64.sqrt()).abs() < 1e-9 && asked <= 15,
            "{x} after {asked}"
        );
        // Next to an end, and with a corner there.
        let (x, asked) = zero(&|x| x * x * x - 1e-6, 0.0, 50.0);
        assert!((x - 1e-2).abs() < 1e-8 && asked <= 50, "{x} after {asked}");
        let root = |x: f64| if x < 7.0 { -1e-17 } else { (x - 7.0).sqrt() };
        let (x, asked) = zero(&root, 0.0, 8.0);
        assert!((x - 7.0).abs() < 1e-7 && asked <= 60, "{x} after {asked}");
        // Zero at an end, and none at all.
        assert_eq!(zero(&|x| x - 2.0, 2.0, 3.0), (2.0, 0));
        assert_eq!(zero(&|_| 1.0, 2.0, 3.0), (2.5, 0));
    }
}
