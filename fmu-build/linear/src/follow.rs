//! Follows modes over a parameter: which mode is which at the next value, and where modes cross, veer, meet and
//! become unstable.
//!
//! Modes are matched by their vectors (LIN-100). If a match is doubtful, values in between are computed, down to a
//! fraction of the requested interval. Apparent crossings are refined once more, because frequencies that repel each
//! other within the grid become visible then.

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

/// Largest number of times that an interval of the grid is halved.
const DEPTH: i32 = 8;
/// Limit of values between the requested ones: a number for each requested value, plus a constant.
const EACH: usize = 24;
const MORE: usize = 100;
/// One in this many of these values is reserved for locating events.
const RESERVE: usize = 4;
/// Largest number of times that crossings are refined.
const ROUNDS: usize = 4;

/// The modes at a value.
pub type At<'a, E> = dyn FnMut(f64) -> Result<Station, E> + 'a;

/// A mode at one station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The number of the station.
    pub station: usize,
    /// The number of the mode there.
    pub mode: usize,
    /// The MAC against the previous station; `None` at the first, or for a zero root.
    pub mac: Option<f64>,
}

/// A mode that was followed over consecutive stations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Its place at each station.
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

/// A value of the parameter, with its modes.
struct Knot {
    station: Station,
    asked: bool,
    /// Shorter intervals are not halved.
    least: f64,
}

/// The modes of all values, matched.
pub struct Follower<'a, E> {
    at: &'a mut At<'a, E>,
    knots: Vec<Knot>,
    links: Vec<Option<Links>>,
    /// How many values may still be computed, and whether the limit was reached.
    budget: usize,
    /// How many of them are reserved for locating events while modes are followed.
    reserve: usize,
    spent: bool,
    /// Was the limit reached while modes were followed?
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
    /// Follows modes over increasing values.
    pub fn new(values: &[f64], at: &'a mut At<'a, E>) -> Result<Self, E> {
        Self::within(EACH * values.len() + MORE, values, at)
    }

    /// The same with a limit of values in between.
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

    /// Was this value requested?
    pub fn asked(&self, station: usize) -> bool {
        self.knots[station].asked
    }

    /// Was the limit of values reached?
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

    /// Links all neighbours, and computes more values where that is doubtful.
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

    /// Adds a station after another.
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

    /// Refines apparent crossings. Were there any?
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

    /// Joins the links to followed modes.
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
