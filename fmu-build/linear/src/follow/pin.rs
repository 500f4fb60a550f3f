//! Finds where a followed mode meets a condition between two stations.

use super::bracket::Bracket;
use super::link::links;
use super::{Follower, Station};

/// Largest number of values computed.
const STEPS: usize = 40;
/// Intervals below this fraction of a value count as a point.
const POINT: f64 = 1e-10;

/// A place where a function of modes is zero.
#[derive(Clone, Debug)]
pub struct Pinned {
    /// The value of the parameter.
    pub value: f64,
    /// Bounds of the value.
    pub between: (f64, f64),
    /// Im λ [rad/s].
    pub frequency: f64,
    /// The whirl.
    pub whirl: Option<f64>,
    /// −Re λ/|λ|.
    pub damping_ratio: f64,
}

impl Pinned {
    /// At a station, with a mode there.
    pub(super) fn at(station: &Station, mode: usize) -> Self {
        let root = station.roots[mode];
        Self {
            value: station.value,
            between: (station.value, station.value),
            frequency: root.value.im,
            whirl: station.whirls[mode],
            damping_ratio: root.damping_ratio(),
        }
    }
}

/// An intersection of a line of an order with a mode.
#[derive(Clone, Debug)]
pub struct Critical {
    /// The mode.
    pub track: usize,
    /// The order.
    pub order: f64,
    /// Where.
    pub at: Pinned,
}

/// A mode that meets a line of an order between a station and the next.
struct OrderCrossing {
    track: usize,
    order: f64,
    station: usize,
    modes: (usize, usize),
}

/// A function of some modes at a station.
pub(super) type Miss<'a> = dyn Fn(&Station, &[usize]) -> f64 + 'a;

/// An end of an interval: a value, and the numbers of the modes there.
#[derive(Clone)]
struct End {
    station: Station,
    modes: Vec<usize>,
}

impl End {
    /// The mean of Im λ of the modes.
    fn frequency(&self) -> f64 {
        let all = self.modes.iter();
        let sum: f64 = all.map(|mode| self.station.roots[*mode].value.im).sum();
        sum / self.modes.len().max(1) as f64
    }
}

impl<E> Follower<'_, E> {
    /// Finds where orders of a speed meet modes: Im λ = order · scale · value, where `scale` converts the value to
    /// rad/s. Half of the remaining values are kept for later searches.
    pub fn critical(&mut self, orders: &[f64], scale: f64) -> Result<Vec<Critical>, E> {
        let all = self.meets(orders, scale);
        let keep = self.budget / 2;
        let mut found = Vec::new();
        for (k, own) in all.iter().enumerate() {
            let miss =
                |station: &Station, modes: &[usize]| missed(station, modes[0], own.order * scale);
            let most = self.budget.saturating_sub(keep).div_ceil(all.len() - k);
            let (i, j) = own.modes;
            let at = self.pin((own.station, &[i], &[j]), &miss, most)?;
            found.push(Critical {
                track: own.track,
                order: own.order,
                at,
            });
        }
        found.sort_by(|a, b| a.at.value.total_cmp(&b.at.value));
        Ok(found)
    }

    fn meets(&self, orders: &[f64], scale: f64) -> Vec<OrderCrossing> {
        let mut found = Vec::new();
        for order in orders {
            for (number, track) in self.tracks.iter().enumerate() {
                for k in 0..self.knots.len().saturating_sub(1) {
                    let (Some(i), Some(j)) = (track.at(k), track.at(k + 1)) else {
                        continue;
                    };
                    let (a, b) = (self.station(k), self.station(k + 1));
                    if !a.roots[i].is_pair() || !b.roots[j].is_pair() {
                        continue;
                    }
                    let (at_a, at_b) = (missed(a, i, order * scale), missed(b, j, order * scale));
                    // A zero exactly at a station belongs to the interval after it; at the last station, to the one
                    // before it.
                    let last = k + 2 == self.knots.len();
                    let meets = at_a == 0.0 || (at_a > 0.0) != (at_b > 0.0) && at_b != 0.0;
                    if meets || last && at_b == 0.0 {
                        found.push(OrderCrossing {
                            track: number,
                            order: *order,
                            station: k,
                            modes: (i, j),
                        });
                    }
                }
            }
        }
        found
    }

    /// Finds a zero of a function of modes between one station and the next, with a limit on the number of values
    /// computed.
    pub(super) fn pin(
        &mut self,
        (k, from, to): (usize, &[usize], &[usize]),
        miss: &Miss<'_>,
        most: usize,
    ) -> Result<Pinned, E> {
        let end = |station: &Station, modes: &[usize]| End {
            station: station.clone(),
            modes: modes.to_vec(),
        };
        let (mut low, mut high) = (end(self.station(k), from), end(self.station(k + 1), to));
        let point = |of: &End| (of.station.value, miss(&of.station, &of.modes));
        let mut bracket = Bracket::new(point(&low), point(&high), POINT);
        for step in 0..STEPS {
            let Some(x) = bracket.next() else { break };
            self.spent |= step >= most;
            if step >= most || !self.may_evaluate() {
                break;
            }
            let mut station = self.evaluate(x)?;
            station.align(&low.station);
            let Some(modes) = became(&low, &station).or_else(|| was(&station, &high)) else {
                break;
            };
            let new = End { station, modes };
            if bracket.take(x, miss(&new.station, &new.modes)) {
                low = new;
            } else {
                high = new;
            }
        }
        Ok(between(&low, &high, &bracket))
    }

    /// Finds by bisection where the number of growing roots changes between one station and the next; Im λ is that of
    /// the growing root closest to the limit of stability.
    pub(super) fn pin_count(&mut self, k: usize, most: usize) -> Result<Pinned, E> {
        let (mut low, mut high) = (self.station(k).clone(), self.station(k + 1).clone());
        let before = low.unstable();
        for step in 0..STEPS {
            let size = low.value.abs().max(high.value.abs());
            if high.value - low.value <= POINT * size || before == high.unstable() {
                break;
            }
            self.spent |= step >= most;
            if step >= most || !self.may_evaluate() {
                break;
            }
            let station = self.evaluate(f64::midpoint(low.value, high.value))?;
            if station.unstable() == before {
                low = station;
            } else {
                high = station;
            }
        }
        let ends = (low.value, high.value);
        let side = if high.unstable() > before {
            &high
        } else {
            &low
        };
        let growing = (0..side.roots.len()).filter(|mode| side.roots[*mode].value.re > 0.0);
        let least = growing.min_by(|i, j| {
            let re = |mode: usize| side.roots[mode].value.re;
            re(*i).total_cmp(&re(*j))
        });
        let root = least.map(|mode| side.roots[mode]);
        Ok(Pinned {
            value: f64::midpoint(ends.0, ends.1),
            between: ends,
            frequency: root.map_or(0.0, |root| root.value.im),
            whirl: least.and_then(|mode| side.whirls[mode]),
            damping_ratio: root.map_or(0.0, |root| root.damping_ratio()),
        })
    }
}

/// Distance of a mode from the line Im λ = by · value.
fn missed(station: &Station, mode: usize, by: f64) -> f64 {
    station.roots[mode].value.im - by * station.value.abs()
}

/// Interpolates linearly between two ends to where the function is zero.
fn between(low: &End, high: &End, bracket: &Bracket) -> Pinned {
    let share = bracket.share();
    let mix = |a: f64, b: f64| if share < 1.0 { a + (b - a) * share } else { b };
    let near = if share <= 0.5 { low } else { high };
    let damping = |of: &End| of.station.roots[of.modes[0]].damping_ratio();
    let at = mix(low.station.value, high.station.value);
    let exact = share == 0.0 && bracket.holds() || share == 1.0;
    Pinned {
        value: at,
        between: if exact { (at, at) } else { bracket.ends() },
        frequency: mix(low.frequency(), high.frequency()),
        whirl: near.station.whirls[near.modes[0]],
        damping_ratio: mix(damping(low), damping(high)),
    }
}

/// The modes that those of an earlier station have become.
fn became(from: &End, to: &Station) -> Option<Vec<usize>> {
    let all = links(&from.station, to).list;
    let sides = all.iter().map(super::link::Link::sides);
    carried(&from.modes, sides)
}

/// The modes that those of a later station have been.
fn was(from: &Station, to: &End) -> Option<Vec<usize>> {
    let all = links(from, &to.station).list;
    let sides = all.iter().map(super::link::Link::sides);
    carried(&to.modes, sides.map(|(before, after)| (after, before)))
}

/// The modes on the other side of links, unless these links also belong to other modes.
fn carried(
    modes: &[usize],
    sides: impl Iterator<Item = (Vec<usize>, Vec<usize>)>,
) -> Option<Vec<usize>> {
    let (mut known, mut found) = (0, Vec::new());
    for (here, there) in sides {
        let own = here.iter().filter(|mode| modes.contains(mode)).count();
        if own == 0 {
            continue;
        }
        if own < here.len() || modes.len() == 1 && there.len() > 2 {
            return None;
        }
        known += own;
        found.extend(there);
    }
    (known == modes.len()).then_some(found)
}
