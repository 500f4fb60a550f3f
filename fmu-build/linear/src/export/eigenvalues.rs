//! The roots of a linear form as a table, the usual `.eig` file.

use super::{Export, NoFile, number};
use crate::eigen::{Balancing, of_mechanism};
use crate::spectra::TURN;
use std::fmt::Write as _;

/// Header; `%` begins a comment for `load -ascii`.
const HEAD: &str =
    "% number, undamped frequency [Hz], damping ratio, real part [1/s], imaginary part [rad/s]\n";

impl Export<'_> {
    /// A line for each root: real ones first, then those with a positive imaginary part of each pair, each by frequency.
    /// Displacements that inputs prescribe are held.
    pub(super) fn eig(&self) -> Result<Vec<u8>, NoFile> {
        let form = self.form;
        let second_order = form.second_order.matrices();
        let found = of_mechanism(&form.own_matrix(), second_order, Balancing::Auto)?;
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
