//! The roots of a linear form as a table: the classical `.eig`.

use super::{Export, NoFile, number};
use crate::eigen::{Balancing, eigen};
use crate::spectra::TURN;
use faer::Mat;
use std::fmt::Write as _;

/// What the columns are; `%` begins a comment for `load -ascii`.
const HEAD: &str =
    "% number, undamped frequency [Hz], damping ratio, real part [1/s], imaginary part [rad/s]\n";

impl Export<'_> {
    /// A line for each root: real ones first, then those with a positive imaginary part of each pair, each by frequency.
    /// Displacements that inputs prescribe are held.
    pub(super) fn eig(&self) -> Result<Vec<u8>, NoFile> {
        let form = self.form;
        let n = 2 * form.positions + form.equations;
        let a = Mat::from_fn(n, n, |r, c| form.a[(r, c)]);
        let found = eigen(&a, form.positions, Balancing::Auto)?;
        let mut text = String::from(HEAD);
        for (k, root) in (1..).zip(&found.roots) {
            let numbers = [
                root.frequency() / TURN,
                root.damping_ratio(),
                root.value.re,
                root.value.im,
            ];
            let _ = writeln!(text, "{k} {}", numbers.map(number).join(" "));
        }
        Ok(text.into_bytes())
    }
}
