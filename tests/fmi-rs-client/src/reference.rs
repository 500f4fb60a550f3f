//! A reference trajectory and the comparison with it.

use crate::{Failure, Trajectory};

/// A table of `fixstep run`.
#[derive(Debug)]
pub struct Reference {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Reference {
    /// Reads comma-separated values with one header line.
    pub fn read(text: &str) -> Result<Self, Failure> {
        let mut lines = text.lines();
        let header = lines.next().ok_or("the reference is empty")?;
        let names = header
            .split(',')
            .map(|name| name.trim_matches('"').to_owned())
            .collect();
        let mut rows = Vec::new();
        for line in lines {
            let row: Result<Vec<f64>, _> = line.split(',').map(str::parse).collect();
            rows.push(row?);
        }
        Ok(Self { names, rows })
    }

    /// Every value of a trajectory must be the reference's, bit for bit; times within rounding.
    pub fn compare(&self, other: &Trajectory) -> Result<(), Failure> {
        if other.names.is_empty() {
            return Err("no output was recorded".into());
        }
        if self.rows.len() != other.rows.len() {
            let (mine, theirs) = (self.rows.len(), other.rows.len());
            return Err(format!("{theirs} rows, the reference has {mine}").into());
        }
        for (index, name) in other.names.iter().enumerate() {
            let column = self
                .names
                .iter()
                .position(|own| own == name)
                .ok_or_else(|| format!("the reference has no column {name}"))?;
            for ((own, row), time) in self.rows.iter().zip(&other.rows).zip(&other.times) {
                if (own[0] - time).abs() > 1e-12 * time.abs().max(1.0) {
                    return Err(format!("sampled at {time} s instead of {} s", own[0]).into());
                }
                if own[column].to_bits() != row[index].to_bits() {
                    let (want, got) = (own[column], row[index]);
                    return Err(format!("{name} at {time} s is {got:?}, not {want:?}").into());
                }
            }
        }
        Ok(())
    }
}
