//! Modes over a parameter: which is which from value to value, where they cross, veer, meet and become unstable.
//!
//! A mode is followed by its vectors (LIN-100). Where they do not tell it for sure, values between are looked at, down to a
//! part of what was asked for. A crossing is looked at once more where it seems to be: frequencies that repel each other
//! within the grid show there.

mod bracket;
mod events;
mod link;
mod merges;
mod onsets;
mod pin;
mod station;

pub use events::{Event, Kind, Range};
pub use pin::{Critical, Pinned};
pub use station::Station;

use link::{Link, Links, links};

/// Intervals of the grid are halved so often at most.
const DEPTH: i32 = 8;
/// Values between those asked for: so many for each, and so many more.
const EACH: usize = 24;
const MORE: usize = 100;
/// One of so many of these is kept for where things happen.
const RESERVE: usize = 4;
/// How often crossings are looked at.
const ROUNDS: usize = 4;

/// The modes at a value.
pub type At<'a, E> = dyn FnMut(f64) -> Result<Station, E> + 'a;

/// A mode at one of the stations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The number of the station.
    pub station: usize,
    /// The number of the mode there.
    pub mode: usize,
    /// How sure it is that it was the one before; `None`: the first, or a zero root.
    pub mac: Option<f64>,
}

/// A mode that was followed, over stations one after another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Where it is.
    pub points: Vec<Point>,
}

impl Track {
    /// The mode at a station.
    pub fn at(&self, station: usize) -> Option<usize> {
        let first = self.points.first()?.station;
        let point = self.points.get(station.checked_sub(first)?)?;
        Some(point.mode)
    }

    /// The MAC at a station.
    pub fn mac(&self, station: usize) -> Option<f64> {
        let first = self.points.first()?.station;
        self.points.get(station.checked_sub(first)?)?.mac
    }
}

/// A station on the way.
struct Knot {
    station: Station,
    asked: bool,
    /// Intervals that are no longer than this are not halved.
    least: f64,
}

/// Modes that are followed.
pub struct Follower<'a, E> {
    at: &'a mut At<'a, E>,
    knots: Vec<Knot>,
    links: Vec<Option<Links>>,
    /// Values that may still be looked at, and whether they were too few.
    budget: usize,
    /// How many of them are kept for where things happen, while modes are followed.
    reserve: usize,
    spent: bool,
    /// Were they too few while modes were followed?
    rough: bool,
    tracks: Vec<Track>,
}

impl<E> core::fmt::Debug for Follower<'_, E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Follower")
            .field("tracks", &self.tracks)
            .finish_non_exhaustive()
    }
}

impl<'a, E> Follower<'a, E> {
    /// Follows modes over values that rise.
    pub fn new(values: &[f64], at: &'a mut At<'a, E>) -> Result<Self, E> {
        Self::within(EACH * values.len() + MORE, values, at)
    }

    /// The same with so many values between at most.
    pub fn within(budget: usize, values: &[f64], at: &'a mut At<'a, E>) -> Result<Self, E> {
        let mut knots: Vec<Knot> = Vec::new();
        for (k, value) in values.iter().enumerate() {
            let gap = |j: usize| values.get(j).map(|other| (other - value).abs());
            let after = gap(k + 1).or(k.checked_sub(1).and_then(gap)).unwrap_or(0.0);
            knots.push(Knot {
                station: at(*value)?,
                asked: true,
                least: after / f64::from(1 << DEPTH),
            });
        }
        let links = vec![None; knots.len().saturating_sub(1)];
        let mut own = Self {
            at,
            budget,
            reserve: budget / RESERVE,
            spent: false,
            rough: false,
            knots,
            links,
            tracks: Vec::new(),
        };
        if let [first, second, ..] = &mut own.knots[..] {
            first.station.align(&second.station);
        }
        own.pass()?;
        own.tracks = own.connected();
        for _ in 0..ROUNDS {
            if !own.probe()? {
                break;
            }
            own.pass()?;
            own.tracks = own.connected();
        }
        (own.reserve, own.rough) = (0, own.spent);
        Ok(own)
    }

    /// The stations, in order.
    pub fn stations(&self) -> impl ExactSizeIterator<Item = &Station> {
        self.knots.iter().map(|knot| &knot.station)
    }

    /// Was this station's value asked for?
    pub fn asked(&self, station: usize) -> bool {
        self.knots[station].asked
    }

    /// Were there too few values to look at?
    pub fn is_spent(&self) -> bool {
        self.spent
    }

    /// May one more value be looked at?
    fn may_evaluate(&mut self) -> bool {
        self.spent |= self.budget <= self.reserve;
        self.budget > self.reserve
    }

    /// The modes at one more value.
    fn evaluate(&mut self, value: f64) -> Result<Station, E> {
        self.budget = self.budget.saturating_sub(1);
        (self.at)(value)
    }

    /// The modes.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    fn station(&self, k: usize) -> &Station {
        &self.knots[k].station
    }

    /// Links all neighbours, with more values where that is doubtful.
    fn pass(&mut self) -> Result<(), E> {
        let mut k = 0;
        while k + 1 < self.knots.len() {
            if self.links[k].is_some() {
                k += 1;
                continue;
            }
            let (before, after) = self.knots.split_at_mut(k + 1);
            let (a, b) = (&before[k], &mut after[0]);
            let turned = b.station.align(&a.station);
            let own = links(&a.station, &b.station);
            let (from, to, least) = (a.station.value, b.station.value, a.least);
            if turned && let Some(next) = self.links.get_mut(k + 1) {
                *next = None;
            }
            if own.doubtful && to - from > 1.5 * least && self.may_evaluate() {
                self.insert(k, f64::midpoint(from, to))?;
                continue;
            }
            self.links[k] = Some(own);
            k += 1;
        }
        Ok(())
    }

    /// One more station behind one.
    fn insert(&mut self, k: usize, value: f64) -> Result<(), E> {
        let knot = Knot {
            station: self.evaluate(value)?,
            asked: false,
            least: self.knots[k].least,
        };
        self.knots.insert(k + 1, knot);
        self.links[k] = None;
        self.links.insert(k + 1, None);
        Ok(())
    }

    /// Looks at crossings where they seem to be. Was there one?
    fn probe(&mut self) -> Result<bool, E> {
        let mut wanted: Vec<(usize, f64)> = Vec::new();
        for crossing in self.crossings() {
            let (k, next) = crossing.between;
            let (a, b) = (self.station(k).value, self.station(next).value);
            let far = 1e-3 * self.knots[k].least;
            let is_new = wanted
                .iter()
                .all(|(_, at)| (at - crossing.value).abs() > far);
            let inside = crossing.value - a > far && b - crossing.value > far;
            if next == k + 1 && inside && is_new {
                wanted.push((k, crossing.value));
            }
        }
        let most = self.budget.saturating_sub(self.reserve);
        self.spent |= wanted.len() > most;
        wanted.truncate(most);
        wanted.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (k, value) in &wanted {
            self.insert(*k, *value)?;
        }
        Ok(!wanted.is_empty())
    }

    /// The modes from link to link.
    fn connected(&self) -> Vec<Track> {
        let Some(first) = self.knots.first() else {
            return Vec::new();
        };
        let mut tracks: Vec<Track> = Vec::new();
        let begin = |tracks: &mut Vec<Track>, station, mode, mac| {
            let points = vec![Point { station, mode, mac }];
            tracks.push(Track { points });
            tracks.len() - 1
        };
        let mut now: Vec<usize> = (0..first.station.roots.len())
            .map(|mode| begin(&mut tracks, 0, mode, None))
            .collect();
        for (k, own) in self.links.iter().enumerate() {
            let (a, b) = (self.station(k), self.station(k + 1));
            let mut next = vec![None; b.roots.len()];
            let mut list: Vec<&Link> = own.iter().flat_map(|own| &own.list).collect();
            list.sort_by_key(|link| match link {
                Link::One(i, ..) | Link::Parts(i, ..) | Link::Joins([i, _], ..) => *i,
            });
            for link in list {
                let mac = |told: bool| told.then_some(link.mac());
                let (from, to, told) = match link {
                    Link::One(i, j, _) | Link::Parts(i, [j, _], _) => {
                        (*i, *j, a.is_told(*i) && b.is_told(*j))
                    }
                    Link::Joins([i, l], j, _) => {
                        let older = if now[*i] <= now[*l] { *i } else { *l };
                        (older, *j, a.is_told(older) && b.is_told(*j))
                    }
                };
                let point = Point {
                    station: k + 1,
                    mode: to,
                    mac: mac(told),
                };
                tracks[now[from]].points.push(point);
                next[to] = Some(now[from]);
                if let Link::Parts(_, [_, new], _) = link {
                    let told = told && b.is_told(*new);
                    next[*new] = Some(begin(&mut tracks, k + 1, *new, mac(told)));
                }
            }
            now = (0..b.roots.len())
                .map(|mode| next[mode].unwrap_or_else(|| begin(&mut tracks, k + 1, mode, None)))
                .collect();
        }
        tracks
    }
}
