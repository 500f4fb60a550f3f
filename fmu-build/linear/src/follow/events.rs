//! What happens to modes on the way.

use super::link::{Link, SURE, overlap_of};
use super::{Follower, Station};

/// Frequencies that differ by less than this part are one.
const ONE: f64 = 1e-6;
/// A gap that is larger than this part of the frequency is no veering.
const NEAR: f64 = 0.25;
/// Shapes were exchanged if each has so much of the other.
const EXCHANGED: f64 = 0.5;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Frequencies are equal at a value, and shapes stay.
    Crossing,
    /// Frequencies come near and part again, and shapes are exchanged.
    Veering,
    /// Shapes change within the finest interval: crossing or veering, it is not told which.
    Unsettled,
    /// Two frequencies become one: behind it one of the two modes decays faster, and the other more slowly or grows.
    Meeting,
    /// One frequency becomes two.
    Parting,
    /// Two real roots become a pair.
    Pairs,
    /// A pair becomes two real roots.
    Unpairs,
    /// A mode begins to grow with oscillations.
    Flutter,
    /// A mode begins to grow without oscillations.
    Divergence,
    /// A mode ceases to grow.
    Stable,
}

/// Something that happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What.
    pub kind: Kind,
    /// The modes it happens to.
    pub tracks: Vec<usize>,
    /// The value of the parameter.
    pub value: f64,
    /// Im λ there [rad/s].
    pub frequency: f64,
    /// The smallest gap of the frequencies [rad/s], if it is a veering.
    pub gap: Option<f64>,
    /// How sure it is: of a crossing, how much shapes stay; of a veering, how much each is what the other was.
    pub mac: Option<f64>,
}

/// Where a mode grows.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The mode.
    pub track: usize,
    /// From, to; the ends of the sweep where it goes on beyond.
    pub from: f64,
    /// To.
    pub to: f64,
    /// The largest real part [1/s], and where.
    pub most: (f64, f64),
}

/// A change of order.
pub(super) struct Crossing {
    pub(super) between: (usize, usize),
    pub(super) tracks: (usize, usize),
    pub(super) value: f64,
}

impl<E> Follower<'_, E> {
    /// Im λ of a pair at a station.
    fn pair(&self, track: usize, k: usize) -> Option<(usize, f64)> {
        let mode = self.tracks[track].at(k)?;
        let root = &self.station(k).roots[mode];
        root.is_pair().then_some((mode, root.value.im))
    }

    /// Where frequencies of modes change their order.
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
        for k in 0..self.knots.len() {
            let both = (self.pair(tracks.0, k), self.pair(tracks.1, k));
            let (Some((_, a)), Some((_, b))) = both else {
                last = None;
                continue;
            };
            let gap = a - b;
            if gap.abs() <= ONE * a.max(b) {
                continue;
            }
            if let Some((before, old)) = last.filter(|(_, old)| (*old > 0.0) != (gap > 0.0)) {
                let (from, to) = (self.station(before).value, self.station(k).value);
                found.push(Crossing {
                    between: (before, k),
                    tracks,
                    value: from + (to - from) * old / (old - gap),
                });
            }
            last = Some((k, gap));
        }
    }

    /// All that happens, in the order of values.
    pub fn events(&mut self) -> Result<(Vec<Event>, Vec<Range>), E> {
        let mut all = self.meetings();
        for crossing in self.crossings() {
            all.extend(self.crossing(&crossing, &all));
        }
        for first in 0..self.tracks.len() {
            for second in first + 1..self.tracks.len() {
                self.veerings((first, second), &mut all);
            }
        }
        all.extend(self.pairings());
        let (onsets, ranges) = self.onsets()?;
        self.flutters(&mut all, &onsets);
        all.extend(onsets);
        all.sort_by(|a, b| a.value.total_cmp(&b.value));
        Ok((all, ranges))
    }

    /// Where two modes take one frequency as one of them begins to grow, both are one event of one value.
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
                meeting.value = own.value;
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
        let frequency = self.pair(i, to).map_or(0.0, |own| own.1);
        Some(Event {
            kind: if mac < EXCHANGED + 0.2 {
                Kind::Unsettled
            } else {
                Kind::Crossing
            },
            tracks: vec![i, j],
            value: crossing.value,
            frequency,
            gap: None,
            mac: Some(mac),
        })
    }

    /// Where two pairs take one frequency, or leave it, within the finest interval.
    fn meetings(&self) -> Vec<Event> {
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
                    let apart = |k: usize| {
                        let of = |t: usize| {
                            let mode = self.tracks[t].at(k).unwrap_or(0);
                            self.station(k).roots[mode].value
                        };
                        let gap = of(*i) - of(*j);
                        (gap.re.abs(), gap.im.abs(), of(*i).im)
                    };
                    let (before, after) = (apart(k - 1), apart(k));
                    let kind = if before.1 > before.0 && after.0 > after.1 {
                        Kind::Meeting
                    } else if before.0 > before.1 && after.1 > after.0 {
                        Kind::Parting
                    } else {
                        continue;
                    };
                    let near = |x: (f64, f64, f64)| x.0.max(x.1) < NEAR * x.2;
                    if near(before) && near(after) {
                        found.push(Event {
                            kind,
                            tracks: vec![*i, *j],
                            value: f64::midpoint(self.station(k - 1).value, self.station(k).value),
                            frequency: after.2,
                            gap: None,
                            mac: None,
                        });
                    }
                }
            }
        }
        found
    }

    /// Where frequencies come near and shapes are exchanged.
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
            // As far as frequencies part, up to four times the gap.
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
                all.push(Event {
                    kind: Kind::Veering,
                    tracks: vec![i, j],
                    value: self.station(k).value,
                    frequency: own.1,
                    gap: Some(own.0),
                    mac: Some(mac),
                });
            }
        }
    }

    /// How much each of two modes is at a later station what the other was at an earlier one.
    fn exchanged(&self, (i, j): (usize, usize), (low, high): (usize, usize)) -> f64 {
        let of = |track: usize, k: usize| self.tracks[track].at(k).unwrap_or(0);
        let (a, b) = (self.station(low), self.station(high));
        let crossed = [
            overlap_of(a, of(i, low), b, of(j, high)),
            overlap_of(a, of(j, low), b, of(i, high)),
        ];
        crossed[0].min(crossed[1])
    }

    fn pairings(&self) -> Vec<Event> {
        let mut found = Vec::new();
        let track_of = |k: usize, mode: usize| {
            self.tracks
                .iter()
                .position(|track| track.at(k) == Some(mode))
        };
        for (k, own) in self.links.iter().enumerate() {
            let value = f64::midpoint(self.station(k).value, self.station(k + 1).value);
            for link in own.iter().flat_map(|own| &own.list) {
                let (kind, pair, real, mac) = match link {
                    Link::Parts(i, two, mac) => (Kind::Unpairs, (k, *i), (k + 1, *two), *mac),
                    Link::Joins(two, j, mac) => (Kind::Pairs, (k + 1, *j), (k, *two), *mac),
                    Link::One(..) => continue,
                };
                let tracks: Vec<usize> =
                    real.1.iter().filter_map(|m| track_of(real.0, *m)).collect();
                found.push(Event {
                    kind,
                    tracks,
                    value,
                    frequency: self.station(pair.0).roots[pair.1].value.im,
                    gap: None,
                    mac: Some(mac),
                });
            }
        }
        found
    }

    /// Where modes begin and cease to grow.
    fn onsets(&mut self) -> Result<(Vec<Event>, Vec<Range>), E> {
        let (mut events, mut ranges) = (Vec::new(), Vec::new());
        for track in 0..self.tracks.len() {
            let points = self.tracks[track].points.clone();
            let mut open: Option<Range> = None;
            for (at, point) in points.iter().enumerate() {
                let root = self.station(point.station).roots[point.mode];
                let (value, grows) = (self.station(point.station).value, root.value.re > 0.0);
                let before = at.checked_sub(1).map(|k| points[k]);
                if grows && open.is_none() {
                    let begin = match before {
                        Some(last) => Some(self.onset((last.station, last.mode, point.mode))?),
                        None if point.station > 0 => Some(self.pin_count(point.station - 1)?),
                        None => None,
                    };
                    if let Some(begin) = begin {
                        let kind = if root.is_pair() {
                            Kind::Flutter
                        } else {
                            Kind::Divergence
                        };
                        events.push(event(kind, track, begin, root.value.im));
                    }
                    let from = begin.unwrap_or(value);
                    let (to, most) = (value, (root.value.re, value));
                    open = Some(Range {
                        track,
                        from,
                        to,
                        most,
                    });
                }
                if let Some(range) = open.as_mut().filter(|_| grows) {
                    range.to = value;
                    if root.value.re > range.most.0 {
                        range.most = (root.value.re, value);
                    }
                } else if let (Some(mut range), Some(last)) = (open.take(), before) {
                    range.to = self.onset((last.station, last.mode, point.mode))?;
                    events.push(event(Kind::Stable, track, range.to, root.value.im));
                    ranges.push(range);
                }
            }
            ranges.extend(open);
        }
        ranges.sort_by(|a, b| a.from.total_cmp(&b.from));
        Ok((events, ranges))
    }

    /// Where the real part of a mode changes its sign between a station and the next.
    fn onset(&mut self, (k, i, j): (usize, usize, usize)) -> Result<f64, E> {
        let real = |station: &Station, mode: usize| station.roots[mode].value.re;
        let (a, b) = (self.station(k), self.station(k + 1));
        let same = a.roots[i].is_pair() == b.roots[j].is_pair();
        let smooth = same && real(a, i) * real(b, j) < 0.0;
        let zero = a.roots[i].zero && !b.roots[j].zero;
        if zero {
            return Ok(a.value);
        }
        if smooth {
            return Ok(self.pin((k, i, j), &real)?.0.value);
        }
        self.pin_count(k)
    }
}

fn event(kind: Kind, track: usize, value: f64, frequency: f64) -> Event {
    Event {
        kind,
        tracks: vec![track],
        value,
        frequency,
        gap: None,
        mac: None,
    }
}
