//! Control plane: the accuracy–cost front: the settings that no others beat both in error and in time.

use super::figures;
use super::search::Row;

/// An error is less than another only below this part of it.
const LESS: f64 = 0.99;
/// Times that differ by less are as good as each other.
const AS_FAST: f64 = 1.03;

/// Their places, the fastest first. Errors below the floor are not told apart.
pub fn of(rows: &[Row], floor: f64) -> Vec<usize> {
    let known = |row| figures(row).map(|(error, cost): (f64, f64)| (error.max(floor), cost));
    let figures: Vec<Option<(f64, f64)>> = rows.iter().map(known).collect();
    places(&figures)
}

/// The same of error and cost.
fn places(figures: &[Option<(f64, f64)>]) -> Vec<usize> {
    let measured = figures.iter().enumerate();
    let mut all: Vec<(usize, f64, f64)> = measured
        .filter_map(|(k, figures)| figures.map(|(error, cost)| (k, error, cost)))
        .collect();
    all.sort_by(|a, b| {
        a.2.total_cmp(&b.2)
            .then(a.1.total_cmp(&b.1))
            .then(a.0.cmp(&b.0))
    });
    let mut least = f64::INFINITY;
    all.retain(|(_, error, _)| {
        let better = *error < LESS * least;
        if better {
            least = *error;
        }
        better
    });
    // What another is as fast as, and more accurate, is on the front by the noise of times alone.
    let slower = all.clone();
    let beaten = |cost: f64| {
        let mut others = slower.iter().map(|(_, _, other)| *other);
        others.any(|other| other > cost && other <= AS_FAST * cost)
    };
    all.retain(|(_, _, cost)| !beaten(*cost));
    all.into_iter().map(|(k, ..)| k).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_is_what_nothing_beats() {
        let figures = [
            Some((0.1, 1.0)),
            Some((0.05, 2.0)),
            None,
            Some((0.06, 3.0)),
            Some((0.01, 4.0)),
            // Hardly more accurate than the one before it.
            Some((0.00999, 4.1)),
        ];
        assert_eq!(places(&figures), [0, 1, 4]);
        // As fast as the next, within the noise, and less accurate.
        let figures = [Some((0.2, 0.99)), Some((0.1, 1.0)), Some((0.01, 2.0))];
        assert_eq!(places(&figures), [1, 2]);
        assert_eq!(places(&[]), [0; 0]);
    }
}
