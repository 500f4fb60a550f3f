//! Finds where two roots become one, or separate: two pairs that take one frequency, a pair that becomes two real
//! roots.

use super::events::{Event, Kind, NEAR};
use super::link::{Link, SURE};
use super::{Follower, Station};

/// Two modes that merge between one station and the next, or one that splits.
struct Merge {
    kind: Kind,
    tracks: Vec<usize>,
    /// The station before, and the modes on both sides.
    station: usize,
    from: Vec<usize>,
    to: Vec<usize>,
    mac: Option<f64>,
}

/// Re (λ₁ − λ₂)², of a pair and its conjugate or of two roots: it has no corner where both are one, and changes its sign there (LIN-107).
fn squared_difference(station: &Station, modes: &[usize]) -> f64 {
    let root = |k: usize| station.roots[modes[k]].value;
    match modes.len() {
        1 => -4.0 * root(0).im * root(0).im,
        2 => {
            let gap = root(0) - root(1);
            (gap.re - gap.im) * (gap.re + gap.im)
        }
        _ => f64::NAN,
    }
}

impl<E> Follower<'_, E> {
    /// Finds where pairs reach or leave one frequency, where pairs become real, and where real roots become a pair.
    pub(super) fn merges(&mut self) -> Result<Vec<Event>, E> {
        let mut all = self.meetings();
        all.extend(self.pairings());
        let mut found = Vec::new();
        // The remaining changes are found as onsets.
        let keep = self.budget / 2;
        for (k, own) in all.iter().enumerate() {
            let most = self.budget.saturating_sub(keep).div_ceil(all.len() - k);
            let at = self.pin((own.station, &own.from, &own.to), &squared_difference, most)?;
            let pairs = matches!(own.kind, Kind::Meeting | Kind::Parting);
            found.push(Event {
                kind: own.kind,
                tracks: own.tracks.clone(),
                value: at.value,
                between: at.between,
                frequency: if pairs { at.frequency } else { 0.0 },
                gap: None,
                mac: own.mac,
            });
        }
        Ok(found)
    }

    /// Finds where two pairs reach or leave one frequency within the finest interval.
    fn meetings(&self) -> Vec<Merge> {
        let mut found = Vec::new();
        let doubtful =
            |track: usize, k: usize| self.tracks[track].mac(k).is_some_and(|mac| mac < SURE);
        for k in 1..self.knots.len() {
            let open: Vec<usize> = (0..self.tracks.len())
                .filter(|t| doubtful(*t, k) && self.pair(*t, k).is_some())
                .filter(|t| self.pair(*t, k - 1).is_some())
                .collect();
            for (at, i) in open.iter().enumerate() {
                for j in &open[at + 1..] {
                    found.extend(self.meeting(k, (*i, *j)));
                }
            }
        }
        found
    }

    fn meeting(&self, k: usize, (i, j): (usize, usize)) -> Option<Merge> {
        let modes =
            |k: usize| -> Option<Vec<usize>> { Some(vec![self.pair(i, k)?.0, self.pair(j, k)?.0]) };
        let (from, to) = (modes(k - 1)?, modes(k)?);
        let gap = |k: usize, of: &[usize]| {
            let root = |mode: usize| self.station(k).roots[mode].value;
            let gap = root(of[0]) - root(of[1]);
            (gap.re.abs(), gap.im.abs(), root(of[0]).im)
        };
        let (before, after) = (gap(k - 1, &from), gap(k, &to));
        let kind = if before.1 > before.0 && after.0 > after.1 {
            Kind::Meeting
        } else if before.0 > before.1 && after.1 > after.0 {
            Kind::Parting
        } else {
            return None;
        };
        let near = |x: (f64, f64, f64)| x.0.max(x.1) < NEAR * x.2;
        (near(before) && near(after)).then(|| Merge {
            kind,
            tracks: vec![i, j],
            station: k - 1,
            from,
            to,
            mac: None,
        })
    }

    fn pairings(&self) -> Vec<Merge> {
        let mut found = Vec::new();
        let track_of = |k: usize, mode: usize| {
            let mut all = self.tracks.iter();
            all.position(|track| track.at(k) == Some(mode))
        };
        for (k, own) in self.links.iter().enumerate() {
            for link in own.iter().flat_map(|own| &own.list) {
                let (kind, real) = match link {
                    Link::Parts(_, two, _) => (Kind::Unpairs, (k + 1, two)),
                    Link::Joins(two, ..) => (Kind::Pairs, (k, two)),
                    Link::One(..) => continue,
                };
                let (from, to) = link.sides();
                let modes = real.1.iter();
                found.push(Merge {
                    kind,
                    tracks: modes.filter_map(|m| track_of(real.0, *m)).collect(),
                    station: k,
                    from,
                    to,
                    mac: Some(link.mac()),
                });
            }
        }
        found
    }
}
