//! The events on the way of followed modes: crossings, veerings, flutter and others.

use super::Follower;
use super::link::overlap_of;

/// Frequencies that differ by less than this fraction are equal.
const ONE: f64 = 1e-6;
/// Frequencies with a gap above this fraction do not veer.
pub(super) const NEAR: f64 = 0.25;
/// Modes have exchanged their shapes if each has this MAC with the other.
const EXCHANGED: f64 = 0.5;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two frequencies are equal at a value, and the shapes continue.
    Crossing,
    /// Two frequencies approach and separate again, and the shapes are exchanged.
    Veering,
    /// The shapes change within the finest interval: crossing or veering cannot be distinguished.
    Unsettled,
    /// Two modes reach one frequency: beyond it one of them decays faster, and the other more slowly or grows.
    Meeting,
    /// One frequency splits into two.
    Parting,
    /// Two real roots become a pair.
    Pairs,
    /// A pair becomes two real roots.
    Unpairs,
    /// A mode begins to grow with oscillations: flutter.
    Flutter,
    /// A mode begins to grow without oscillations: divergence.
    Divergence,
    /// A mode ceases to grow.
    Stable,
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What.
    pub kind: Kind,
    /// The modes concerned.
    pub tracks: Vec<usize>,
    /// The value of the parameter.
    pub value: f64,
    /// Bounds of the value; both equal it if it is known.
    pub between: (f64, f64),
    /// Im λ there [rad/s].
    pub frequency: f64,
    /// The smallest gap of the frequencies [rad/s], if it is a veering.
    pub gap: Option<f64>,
    /// Confidence: for a crossing the MAC of each mode with itself, for a veering that with the other mode.
    pub mac: Option<f64>,
}

/// A range in which a mode grows.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The mode.
    pub track: usize,
    /// First value; the end of the sweep if the range extends beyond it.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// The largest real part [1/s], and its value.
    pub most: (f64, f64),
}

/// A change in the order of two frequencies.
pub(super) struct Crossing {
    pub(super) between: (usize, usize),
    pub(super) tracks: (usize, usize),
    pub(super) value: f64,
    pub(super) frequency: f64,
    /// Is it exactly at a station?
    exact: bool,
}

impl<E> Follower<'_, E> {
    /// Im λ of a pair at a station.
    pub(super) fn pair(&self, track: usize, k: usize) -> Option<(usize, f64)> {
        let mode = self.tracks[track].at(k)?;
        let root = &self.station(k).roots[mode];
        root.is_pair().then_some((mode, root.value.im))
    }

    /// Finds where frequencies of modes change their order.
    pub(super) fn crossings(&self) -> Vec<Crossing> {
        let mut found = Vec::new();
        for first in 0..self.tracks.len() {
            for second in first + 1..self.tracks.len() {
                self.crossings_of((first, second), &mut found);
            }
        }
        found
    }

    fn crossings_of(&self, tracks: (usize, usize), found: &mut Vec<Crossing>) {
        let mut last: Option<(usize, f64)> = None;
        // The first station after it where the two frequencies are equal.
        let mut one: Option<usize> = None;
        for k in 0..self.knots.len() {
            let both = (self.pair(tracks.0, k), self.pair(tracks.1, k));
            let (Some((_, a)), Some((_, b))) = both else {
                (last, one) = (None, None);
                continue;
            };
            let gap = a - b;
            if gap.abs() <= ONE * a.max(b) {
                one = one.or(Some(k));
                continue;
            }
            if let Some((before, old)) = last.filter(|(_, old)| (*old > 0.0) != (gap > 0.0)) {
                let (from, to) = (self.station(before).value, self.station(k).value);
                let share = old / (old - gap);
                let im = |k: usize| self.pair(tracks.0, k).map_or(0.0, |own| own.1);
                let (low, high) = (im(before), im(k));
                let (value, frequency) = one.map_or(
                    (from + (to - from) * share, low + (high - low) * share),
                    |k| (self.station(k).value, im(k)),
                );
                found.push(Crossing {
                    between: (before, k),
                    tracks,
                    value,
                    frequency,
                    exact: one.is_some(),
                });
            }
            (last, one) = (Some((k, gap)), None);
        }
    }

    /// All events, in the order of values.
    pub fn events(&mut self) -> Result<(Vec<Event>, Vec<Range>), E> {
        let all = self.merges()?;
        let (onsets, ranges) = self.onsets(&all)?;
        let is_pairing = |event: &Event| matches!(event.kind, Kind::Pairs | Kind::Unpairs);
        let (pairings, mut all): (Vec<Event>, Vec<Event>) = all.into_iter().partition(is_pairing);
        for crossing in self.crossings() {
            let own = self.crossing(&crossing, &all);
            all.extend(own);
        }
        for first in 0..self.tracks.len() {
            for second in first + 1..self.tracks.len() {
                self.veerings((first, second), &mut all);
            }
        }
        all.extend(pairings);
        self.flutters(&mut all, &onsets);
        all.extend(onsets);
        all.sort_by(|a, b| a.value.total_cmp(&b.value));
        Ok((all, ranges))
    }

    /// Where two modes reach one frequency and one of them begins to grow, combines both into one event.
    fn flutters(&self, all: &mut [Event], onsets: &[Event]) {
        for meeting in all {
            let (kind, value) = match meeting.kind {
                Kind::Meeting => (Kind::Flutter, meeting.value),
                Kind::Parting => (Kind::Stable, meeting.value),
                _ => continue,
            };
            let within = (1..self.knots.len()).find(|k| self.station(*k).value >= value);
            let near = |own: &Event| {
                within.is_some_and(|k| {
                    let ends = [k - 1, k].map(|k| self.station(k).value);
                    own.value >= ends[0] && own.value <= ends[1]
                })
            };
            let own = onsets.iter().find(|own| {
                own.kind == kind && meeting.tracks.contains(&own.tracks[0]) && near(own)
            });
            if let Some(own) = own {
                (meeting.value, meeting.between) = (own.value, own.between);
                meeting.frequency = own.frequency;
            }
        }
    }

    fn crossing(&self, crossing: &Crossing, known: &[Event]) -> Option<Event> {
        let ((from, to), (i, j)) = (crossing.between, crossing.tracks);
        let (low, high) = (self.station(from).value, self.station(to).value);
        let met =
            |event: &Event| event.tracks == [i, j] && event.value >= low && event.value <= high;
        if known.iter().any(met) {
            return None;
        }
        let macs = (from + 1..=to).flat_map(|k| [self.tracks[i].mac(k), self.tracks[j].mac(k)]);
        let mac = macs.flatten().fold(1.0_f64, f64::min);
        let known = crossing.exact || !self.rough;
        let value = crossing.value;
        Some(Event {
            kind: if mac < EXCHANGED + 0.2 {
                Kind::Unsettled
            } else {
                Kind::Crossing
            },
            tracks: vec![i, j],
            value,
            between: if known { (value, value) } else { (low, high) },
            frequency: crossing.frequency,
            gap: None,
            mac: Some(mac),
        })
    }

    /// Finds where frequencies approach and shapes are exchanged.
    fn veerings(&self, (i, j): (usize, usize), all: &mut Vec<Event>) {
        let gap = |k: usize| -> Option<(f64, f64)> {
            let (a, b) = (self.pair(i, k)?, self.pair(j, k)?);
            Some(((a.1 - b.1).abs(), f64::midpoint(a.1, b.1)))
        };
        for k in 1..self.knots.len().saturating_sub(1) {
            let (Some(before), Some(own), Some(after)) = (gap(k - 1), gap(k), gap(k + 1)) else {
                continue;
            };
            let lowest = own.0 < before.0 && own.0 <= after.0 && own.0 < NEAR * own.1;
            if !lowest || own.0 <= ONE * own.1 {
                continue;
            }
            // Up to where the gap is four times as large.
            let mut low = k - 1;
            while gap(low).is_some_and(|x| x.0 < 4.0 * own.0)
                && low > 0
                && gap(low - 1).is_some_and(|x| Some(x.0) > gap(low).map(|x| x.0))
            {
                low -= 1;
            }
            let mut high = k + 1;
            while gap(high).is_some_and(|x| x.0 < 4.0 * own.0)
                && gap(high + 1).is_some_and(|x| Some(x.0) > gap(high).map(|x| x.0))
            {
                high += 1;
            }
            let mac = self.exchanged((i, j), (low, high));
            if mac > EXCHANGED {
                let value = self.station(k).value;
                all.push(Event {
                    kind: Kind::Veering,
                    tracks: vec![i, j],
                    value,
                    between: (value, value),
                    frequency: own.1,
                    gap: Some(own.0),
                    mac: Some(mac),
                });
            }
        }
    }

    /// The MAC of each of two modes with the other, between two stations.
    fn exchanged(&self, (i, j): (usize, usize), (low, high): (usize, usize)) -> f64 {
        let of = |track: usize, k: usize| self.tracks[track].at(k).unwrap_or(0);
        let (a, b) = (self.station(low), self.station(high));
        let crossed = [
            overlap_of(a, of(i, low), b, of(j, high)),
            overlap_of(a, of(j, low), b, of(i, high)),
        ];
        crossed[0].min(crossed[1])
    }
}
